//! The parts of a tracking request: codes with their items and addresses.

use super::fields::{Others, RequestObject, RequestShape, optional, required};

pub(super) static TRACKING_DETAILS: RequestObject = RequestObject {
    name: "TrackingDetails",
    doc: "A tracking code with the items and the address of its parcel.",
    source: "Tracking-code object",
    fields: &[
        required("tracking_code", RequestShape::Text, "the code"),
        optional("items", RequestShape::Objects(&ITEM), "items in the parcel"),
        optional("address", RequestShape::Object(&ADDRESS), "address the parcel was sent to"),
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
            "price per item; the unit is not stated in the interface",
        ),
        optional("quantity", RequestShape::Integer, "number of items"),
        optional("type", RequestShape::Text, "category of item"),
    ],
    others: Others::InExtra,
    holds_key: false,
};

/// Which of its members are required is not stated in the interface; we
/// require none.
static ADDRESS: RequestObject = RequestObject {
    name: "Address",
    doc: "The address of a parcel.",
    source: "Address",
    fields: &[
        optional("zipcode", RequestShape::Text, "postal code"),
        optional("address", RequestShape::Text, "street name"),
        optional("street_number", RequestShape::Text, "street number"),
        optional("street_complement", RequestShape::Text, "floor, apartment and similar"),
        optional("city", RequestShape::Text, "city"),
        optional("state", RequestShape::Text, "state"),
        optional("country", RequestShape::UpperCountry, "upper-case two-letter country code"),
    ],
    others: Others::InExtra,
    holds_key: false,
};
