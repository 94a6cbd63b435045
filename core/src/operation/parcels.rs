//! The parts of a tracking request: codes with their items and addresses.

use super::fields::{Object, Others, Shape, optional, required};

pub(super) static TRACKING_DETAILS: Object = Object {
    name: "TrackingDetails",
    doc: "A tracking code with what is known of its parcel.",
    source: "Tracking-code object",
    fields: &[
        required("tracking_code", Shape::Text, "the code"),
        optional("items", Shape::Objects(&ITEM), "what was sent"),
        optional("address", Shape::Object(&ADDRESS), "where it was sent"),
    ],
    others: Others::InExtra,
    holds_key: false,
};

/// Which of its members are required is not stated in the interface; we
/// require none.
static ITEM: Object = Object {
    name: "Item",
    doc: "An item of a parcel.",
    source: "Item",
    fields: &[
        optional("sku", Shape::Text, "stock keeping unit"),
        optional("name", Shape::Text, "name of the item"),
        optional("description", Shape::Text, "description of the item"),
        optional(
            "unit_price",
            Shape::Integer,
            "price of one; the unit is not stated in the interface",
        ),
        optional("quantity", Shape::Integer, "how many"),
        optional("type", Shape::Text, "category of item"),
    ],
    others: Others::InExtra,
    holds_key: false,
};

/// Which of its members are required is not stated in the interface; we
/// require none.
static ADDRESS: Object = Object {
    name: "Address",
    doc: "Where a parcel goes.",
    source: "Address",
    fields: &[
        optional("zipcode", Shape::Text, "postal code"),
        optional("address", Shape::Text, "street"),
        optional("street_number", Shape::Text, "number in the street"),
        optional("street_complement", Shape::Text, "floor, flat and the like"),
        optional("city", Shape::Text, "city"),
        optional("state", Shape::Text, "state"),
        optional("country", Shape::UpperCountry, "upper-case two-letter country code"),
    ],
    others: Others::InExtra,
    holds_key: false,
};
