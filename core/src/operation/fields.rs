//! The objects of every request and their members, as the interface's tables
//! have them.
//!
//! These tables are the one source: they drive the validation of typed and of
//! JSON input, the help of the command, the C header, `tests/manifest.json`,
//! and the request types of Python, TypeScript and PHP.

/// An object of a request: the request itself, or one inside it.
#[derive(Debug)]
pub struct Object {
    /// The name of its type, for example `Payment`.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub doc: &'static str,
    /// Where the interface states it.
    pub source: &'static str,
    /// Its members, in the order in which typed requests write them.
    pub fields: &'static [Field],
    /// What becomes of members that are in no table.
    pub others: Others,
    /// Whether it may hold an integration key of its own.
    pub holds_key: bool,
}

impl Object {
    /// The names that mean something in this object.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let key = self.holds_key.then_some(INTEGRATION_KEY.name);
        let extra = (self.others != Others::Refused).then_some(EXTRA);
        self.fields.iter().map(|field| field.name).chain(key).chain(extra)
    }
}

/// What becomes of the members of an object that are in no table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Others {
    /// They are refused.
    Refused,
    /// They are refused, unless they stand in `extra`.
    InExtra,
    /// They pass, unless they resemble a known one; in `extra` all do.
    Pass,
}

/// The object that carries members which are meant although they are in no
/// table. Every object of a body or query may hold one.
pub const EXTRA: &str = "extra";

/// The integration key of a single request, for objects that may hold one.
pub static INTEGRATION_KEY: Field =
    optional("integration_key", Shape::Text, "merchant key of this request, if none is configured");

/// One member of a request.
#[derive(Debug)]
pub struct Field {
    /// The name on the wire and in every language.
    pub name: &'static str,
    /// What may stand there.
    pub shape: Shape,
    /// Whether it must be given.
    pub presence: Presence,
    /// What it means, its unit or form included, in one line.
    pub meaning: &'static str,
    /// Whether the interface states it.
    pub is_stated: bool,
    /// Texts that are known to be taken; others are too.
    pub examples: &'static [&'static str],
}

impl Field {
    /// What it means and where that comes from, as sentences.
    pub fn doc(&self) -> String {
        let mut doc = self.meaning.to_owned();
        doc.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
        doc.push('.');
        if let Presence::RequiredForCountry(country) = self.presence {
            doc.push_str(&format!(" Required for country `{country}`."));
        }
        if !self.is_stated {
            doc.push_str(" Not stated in the interface.");
        }
        doc
    }
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
    /// Query parameters: an object of texts, or an array of pairs of them.
    Parameters,
    /// An object.
    Object(&'static Object),
    /// An array of objects.
    Objects(&'static Object),
    /// An array of at least one element, each a text that is not blank or an
    /// object.
    TextsOrObjects(&'static Object),
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
            Self::Parameters => "parameters",
            Self::Object(_) => "object",
            Self::Objects(_) => "objects",
            Self::TextsOrObjects(_) => "texts_or_objects",
        }
    }

    /// The members of the objects that stand there.
    pub fn fields(&self) -> &'static [Field] {
        self.object().map_or(&[], |object| object.fields)
    }

    /// The object that stands there, alone or in an array.
    pub const fn object(&self) -> Option<&'static Object> {
        match self {
            Self::Object(object) | Self::Objects(object) | Self::TextsOrObjects(object) => {
                Some(object)
            }
            _ => None,
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
    Field { name, shape, presence: Presence::Required, meaning, is_stated: true, examples: &[] }
}

const fn optional(name: &'static str, shape: Shape, meaning: &'static str) -> Field {
    Field { name, shape, presence: Presence::Optional, meaning, is_stated: true, examples: &[] }
}

const fn with_examples(field: Field, examples: &'static [&'static str]) -> Field {
    Field { examples, ..field }
}

/// An optional member that is not stated in the interface.
const fn not_stated(name: &'static str, shape: Shape, meaning: &'static str) -> Field {
    Field { name, shape, presence: Presence::Optional, meaning, is_stated: false, examples: &[] }
}

/// The member `operation`, which public clients send.
const OPERATION: Field =
    not_stated("operation", Shape::Text, "what is asked for, known to be `request`");

pub(super) static CREATE_PAYMENT: Object = Object {
    name: "CreatePayment",
    doc: "A request for a payment.",
    source: "Endpoints",
    fields: &[OPERATION, required("payment", Shape::Object(&PAYMENT), "the payment")],
    others: Others::Pass,
    holds_key: true,
};

static PAYMENT: Object = Object {
    name: "Payment",
    doc: "What a payer pays: the object `payment` of a request.",
    source: "Payment request",
    fields: &[
        required("name", Shape::Text, "payer name"),
        required("email", Shape::Text, "payer e-mail"),
        required("country", Shape::LowerCountry, "lower-case two-letter country code"),
        with_examples(
            required(
                "payment_type_code",
                Shape::Text,
                "country-specific method code, for example `pix`",
            ),
            &["pix", "oxxo", "pse"],
        ),
        required("merchant_payment_code", Shape::Text, "merchant's own reference for the payment"),
        required("currency_code", Shape::Currency, "three-letter currency code"),
        required(
            "amount_total",
            Shape::Amount,
            "amount of the payment in `currency_code`, a decimal above zero",
        ),
        Field {
            name: "document",
            shape: Shape::Text,
            presence: Presence::RequiredForCountry("br"),
            meaning: "payer tax id",
            is_stated: true,
            examples: &[],
        },
    ],
    others: Others::Pass,
    holds_key: true,
};

pub(super) static QUERY_PAYMENT: Object = Object {
    name: "QueryPayment",
    doc: "Which payment is asked for: exactly one of `hash` and `merchant_payment_code`.",
    source: "Endpoints",
    fields: &[
        Field {
            name: "hash",
            shape: Shape::Text,
            presence: Presence::OneOf,
            meaning: "the payment hash",
            is_stated: true,
            examples: &[],
        },
        Field {
            name: "merchant_payment_code",
            shape: Shape::Text,
            presence: Presence::OneOf,
            meaning: "merchant's own reference for the payment",
            is_stated: false,
            examples: &[],
        },
    ],
    others: Others::InExtra,
    holds_key: true,
};

/// The name of the hash member is not shown in the interface, so it is
/// configurable.
pub(super) static REFUND_PAYMENT: Object = Object {
    name: "RefundPayment",
    doc: "Which payment is refunded, and how much of it.",
    source: "Endpoints",
    fields: &[
        required("hash", Shape::Text, "the payment hash of the payment to refund"),
        OPERATION,
        not_stated(
            "amount",
            Shape::Amount,
            "amount to refund, above zero; everything when left out",
        ),
        not_stated("description", Shape::Text, "reason of the refund"),
        not_stated("merchant_refund_code", Shape::Text, "merchant's own reference for the refund"),
    ],
    others: Others::InExtra,
    holds_key: true,
};

pub(super) static CREATE_PAYOUT: Object = Object {
    name: "CreatePayout",
    doc: "A request for a payout.",
    source: "Payout request",
    fields: &[
        required("external_reference", Shape::Text, "merchant's reference for the payout"),
        required("country", Shape::LowerCountry, "lower-case two-letter country code"),
        required(
            "amount",
            Shape::Amount,
            "amount to send in `currency_code`, a decimal above zero",
        ),
        required("currency_code", Shape::Currency, "three-letter currency code"),
        with_examples(
            required("target", Shape::Text, "kind of destination, for example `pix_key`"),
            &["pix_key"],
        ),
        required(
            "target_account",
            Shape::Text,
            "destination identifier, for `pix_key` the key itself",
        ),
        required("payee", Shape::Object(&PAYEE), "who gets the money"),
    ],
    others: Others::InExtra,
    holds_key: true,
};

/// Which of its members are required is not stated in the interface; we
/// require the name.
static PAYEE: Object = Object {
    name: "Payee",
    doc: "Who gets a payout.",
    source: "Payee object",
    fields: &[
        required("name", Shape::Text, "payee name"),
        optional("email", Shape::Text, "payee e-mail"),
        optional("document", Shape::Text, "payee tax id"),
        optional("document_type", Shape::Text, "kind of the tax id, for example `CPF`"),
    ],
    others: Others::InExtra,
    holds_key: false,
};

pub(super) static REGISTER_TRACKING: Object = Object {
    name: "RegisterTracking",
    doc: "The tracking codes of an order: plain, with details, or mixed.",
    source: "Tracking request",
    fields: &[
        required("order_number", Shape::Text, "merchant's order reference"),
        required("email", Shape::Text, "customer e-mail"),
        required(
            "tracking_code",
            Shape::TextsOrObjects(&TRACKING_DETAILS),
            "one or more tracking codes, plain or with items and address",
        ),
        optional("payment_hash", Shape::Text, "hash of the related payment"),
    ],
    others: Others::InExtra,
    holds_key: true,
};

static TRACKING_DETAILS: Object = Object {
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

/// The head of the caller's own request. The body is not part of it.
pub(super) static SEND: Object = Object {
    name: "Send",
    doc: "The head of your own request.",
    source: "Endpoints",
    fields: &[
        required("method", Shape::Text, "HTTP method, for example `POST`"),
        required("path", Shape::Text, "path under the base URL, beginning with `/`"),
        optional("query", Shape::Parameters, "query parameters, encoded for the wire"),
        optional(
            "content_type",
            Shape::Text,
            "media type of the body, `application/json` when left out",
        ),
        optional("reference", Shape::Text, "your own reference, which errors carry; not sent"),
    ],
    others: Others::Refused,
    holds_key: false,
};
