//! The fields of every request, as the interface's tables have them.
//!
//! These tables drive the validation of typed and of JSON input alike, and
//! the list of fields in `tests/manifest.json`.

/// One member of a request.
#[derive(Debug)]
pub struct Field {
    /// The name on the wire and in every language.
    pub name: &'static str,
    /// What may stand there.
    pub shape: Shape,
    /// Whether it must be given.
    pub presence: Presence,
    /// What it means, in one line.
    pub meaning: &'static str,
}

/// What a member must hold.
#[derive(Debug)]
pub enum Shape {
    /// A text; where it is required it must not be blank.
    Text,
    /// A decimal amount over zero: a JSON number, or a text holding one,
    /// which is then written as a number.
    Amount,
    /// A number without fraction and exponent.
    Integer,
    /// Two lower-case letters, for example `br`.
    LowerCountry,
    /// Two upper-case letters, for example `BR`.
    UpperCountry,
    /// Three letters, for example `BRL`.
    Currency,
    /// An object with these members.
    Object(&'static [Field]),
    /// An array of objects with these members.
    Objects(&'static [Field]),
    /// An array of at least one element, each a text that is not blank or an
    /// object with these members.
    TextsOrObjects(&'static [Field]),
}

impl Shape {
    /// The shape's name in the manifest.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Amount => "amount",
            Self::Integer => "integer",
            Self::LowerCountry => "lower_country",
            Self::UpperCountry => "upper_country",
            Self::Currency => "currency",
            Self::Object(_) => "object",
            Self::Objects(_) => "objects",
            Self::TextsOrObjects(_) => "texts_or_objects",
        }
    }

    /// The members of the objects that stand there.
    pub const fn fields(&self) -> &'static [Field] {
        match self {
            Self::Object(fields) | Self::Objects(fields) | Self::TextsOrObjects(fields) => fields,
            _ => &[],
        }
    }
}

/// Whether a member must be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// It must be given.
    Required,
    /// It may be left out. `null` counts as left out and is not written.
    Optional,
    /// It must be given when the object's `country` is this one.
    RequiredForCountry(&'static str),
    /// Exactly one of the request's members with this presence must be given.
    OneOf,
}

impl Presence {
    /// The presence's name in the manifest.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Optional => "optional",
            Self::RequiredForCountry(_) => "required_for_country",
            Self::OneOf => "one_of",
        }
    }
}

const fn required(name: &'static str, shape: Shape, meaning: &'static str) -> Field {
    Field { name, shape, presence: Presence::Required, meaning }
}

const fn optional(name: &'static str, shape: Shape, meaning: &'static str) -> Field {
    Field { name, shape, presence: Presence::Optional, meaning }
}

/// Body of `create_payment`. `operation` is not stated in the interface.
pub(super) static CREATE_PAYMENT: [Field; 2] = [
    optional(
        "operation",
        Shape::Text,
        "what is asked for; not stated in the interface, known to be `request`",
    ),
    required("payment", Shape::Object(&PAYMENT), "the payment"),
];

/// Interface, "Payment request".
static PAYMENT: [Field; 8] = [
    required("name", Shape::Text, "payer name"),
    required("email", Shape::Text, "payer e-mail"),
    required("country", Shape::LowerCountry, "lower-case two-letter country code"),
    required("payment_type_code", Shape::Text, "country-specific method code, for example `pix`"),
    required("merchant_payment_code", Shape::Text, "merchant's own reference for the payment"),
    required("currency_code", Shape::Currency, "three-letter currency code"),
    required("amount_total", Shape::Amount, "decimal amount of the payment"),
    Field {
        name: "document",
        shape: Shape::Text,
        presence: Presence::RequiredForCountry("br"),
        meaning: "payer tax id",
    },
];

/// Interface, "Endpoints": `GET {base_url}/ws/query`. That a payment may be
/// named by `merchant_payment_code` is not stated in the interface.
pub(super) static QUERY_PAYMENT: [Field; 2] = [
    Field {
        name: "hash",
        shape: Shape::Text,
        presence: Presence::OneOf,
        meaning: "the payment hash",
    },
    Field {
        name: "merchant_payment_code",
        shape: Shape::Text,
        presence: Presence::OneOf,
        meaning: "merchant's own reference for the payment; not stated in the interface",
    },
];

/// Interface, "Endpoints": `POST {base_url}/ws/refund`. The name of the hash
/// member is not shown there, so it is configurable; the optional members
/// are not stated in the interface.
pub(super) static REFUND_PAYMENT: [Field; 5] = [
    required("hash", Shape::Text, "the payment hash of the payment to refund"),
    optional(
        "operation",
        Shape::Text,
        "what is asked for; not stated in the interface, known to be `request`",
    ),
    optional(
        "amount",
        Shape::Amount,
        "amount to refund, the whole payment when left out; not stated in the interface",
    ),
    optional("description", Shape::Text, "reason of the refund; not stated in the interface"),
    optional(
        "merchant_refund_code",
        Shape::Text,
        "merchant's own reference for the refund; not stated in the interface",
    ),
];

/// Interface, "Payout request".
pub(super) static CREATE_PAYOUT: [Field; 7] = [
    required("external_reference", Shape::Text, "merchant's reference for the payout"),
    required("country", Shape::LowerCountry, "lower-case two-letter country code"),
    required("amount", Shape::Amount, "amount to send"),
    required("currency_code", Shape::Currency, "three-letter currency code"),
    required("target", Shape::Text, "kind of destination, for example `pix_key`"),
    required("target_account", Shape::Text, "destination identifier, for `pix_key` the key itself"),
    required("payee", Shape::Object(&PAYEE), "who gets the money"),
];

/// Interface, "Payee object". Which of its members are required is not
/// stated in the interface; we require the name.
static PAYEE: [Field; 4] = [
    required("name", Shape::Text, "payee name"),
    optional("email", Shape::Text, "payee e-mail"),
    optional("document", Shape::Text, "payee tax id"),
    optional("document_type", Shape::Text, "kind of the tax id, for example `CPF`"),
];

/// Interface, "Tracking request".
pub(super) static REGISTER_TRACKING: [Field; 4] = [
    required("order_number", Shape::Text, "merchant's order reference"),
    required("email", Shape::Text, "customer e-mail"),
    required(
        "tracking_code",
        Shape::TextsOrObjects(&TRACKING_CODE),
        "one or more tracking codes, plain or with items and address",
    ),
    optional("payment_hash", Shape::Text, "hash of the related payment"),
];

/// Interface, "Tracking-code object".
static TRACKING_CODE: [Field; 3] = [
    required("tracking_code", Shape::Text, "the code"),
    optional("items", Shape::Objects(&ITEM), "what was sent"),
    optional("address", Shape::Object(&ADDRESS), "where it was sent"),
];

/// Interface, "Item". Which of its members are required is not stated in the
/// interface; we require none.
static ITEM: [Field; 6] = [
    optional("sku", Shape::Text, "stock keeping unit"),
    optional("name", Shape::Text, "name of the item"),
    optional("description", Shape::Text, "description of the item"),
    optional("unit_price", Shape::Integer, "price of one; the unit is not stated in the interface"),
    optional("quantity", Shape::Integer, "how many"),
    optional("type", Shape::Text, "category of item"),
];

/// Interface, "Address". Which of its members are required is not stated in
/// the interface; we require none.
static ADDRESS: [Field; 7] = [
    optional("zipcode", Shape::Text, "postal code"),
    optional("address", Shape::Text, "street"),
    optional("street_number", Shape::Text, "number in the street"),
    optional("street_complement", Shape::Text, "floor, flat and the like"),
    optional("city", Shape::Text, "city"),
    optional("state", Shape::Text, "state"),
    optional("country", Shape::UpperCountry, "upper-case two-letter country code"),
];
