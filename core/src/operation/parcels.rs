//! The parts of a tracking request: codes with their items and addresses.

use super::fields::{Others, RequestObject, RequestShape, optional, required};

pub(super) static TRACKING_DETAILS: RequestObject = RequestObject {
    name: "TrackingDetails",
    doc: "A tracking code with what is known of its parcel.",
    source: "Tracking-code object",
    fields: &[
        required("tracking_code", RequestShape::Text, "the code"),
        optional("items", RequestShape::Objects(&ITEM), "what was sent"),
        optional("address", RequestShape::Object(&ADDRESS), "where it was sent"),
    ],
    others: Others::InExtra,
    holds_key: false,
};

/// Which of its members are required is not stated in the interface; we
/// require none.
static ITEM: RequestObject = RequestObject {
    name: "Item",
    doc: "An item of a parcel.",
    source: "Item",
    fields: &[
        optional("sku", RequestShape::Text, "stock keeping unit"),
        optional("name", RequestShape::Text, "name of the item"),
        optional("description", RequestShape::Text, "description of the item"),
        optional(
            "unit_price",
            RequestShape::Integer,
            "price of one; the unit is not stated in the interface",
        ),
        optional("quantity", RequestShape::Integer, "how many"),
        optional("type", RequestShape::Text, "category of item"),
    ],
    others: Others::InExtra,
    holds_key: false,
};

/// Which of its members are required is not stated in the interface; we
/// require none.
static ADDRESS: RequestObject = RequestObject {
    name: "Address",
    doc: "Where a parcel goes.",
    source: "Address",
    fields: &[
        optional("zipcode", RequestShape::Text, "postal code"),
        optional("address", RequestShape::Text, "street"),
        optional("street_number", RequestShape::Text, "number in the street"),
        optional("street_complement", RequestShape::Text, "floor, flat and the like"),
        optional("city", RequestShape::Text, "city"),
        optional("state", RequestShape::Text, "state"),
        optional("country", RequestShape::UpperCountry, "upper-case two-letter country code"),
    ],
    others: Others::InExtra,
    holds_key: false,
};
