//! The responses of operations, as other languages see them. A test compares the
//! views of the typed responses with these tables.

use super::status::{Codes, PaymentStatus, RefundStatus};

/// An object of a response: the response itself, or one inside it.
#[derive(Debug)]
pub struct ResponseObject {
    /// The name of its type, for example `PaymentResponse`.
    pub name: &'static str,
    /// What it is, in sentences.
    pub doc: &'static str,
    /// Its members.
    pub members: &'static [ResponseMember],
}

/// One member of a response.
#[derive(Debug)]
pub struct ResponseMember {
    /// Its name in every language.
    pub name: &'static str,
    /// The type of its value.
    pub shape: ResponseShape,
    /// What it means, in one line.
    pub meaning: &'static str,
    /// Whether it is `null` if the service did not send it.
    pub may_be_null: bool,
    /// Whether the member may be shown in logs: it is neither secret nor payer
    /// data.
    pub is_shown: bool,
}

/// The type of a response member.
#[derive(Debug)]
pub enum ResponseShape {
    /// A text. The listed ones are known; others are kept.
    Text(&'static [&'static str]),
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Flag,
    /// A code of an open set.
    Code(&'static Codes),
    /// An object.
    Object(&'static ResponseObject),
    /// An array of objects.
    Objects(&'static ResponseObject),
}

impl ResponseShape {
    /// The object type, alone or in an array.
    pub const fn object(&self) -> Option<&'static ResponseObject> {
        match self {
            Self::Object(object) | Self::Objects(object) => Some(object),
            _ => None,
        }
    }
}

const TEXT: ResponseShape = ResponseShape::Text(&[]);
const PAYMENT_STATUS: ResponseShape = ResponseShape::Code(&PaymentStatus::CODES);
const REFUND_STATUS: ResponseShape = ResponseShape::Code(&RefundStatus::CODES);

/// A member that may be `null`, and that logs must not have.
const fn member(name: &'static str, shape: ResponseShape, meaning: &'static str) -> ResponseMember {
    ResponseMember { name, shape, meaning, may_be_null: true, is_shown: false }
}

/// A member that is always there.
const fn always(member: ResponseMember) -> ResponseMember {
    ResponseMember { may_be_null: false, ..member }
}

/// A member that logs may have.
const fn shown(member: ResponseMember) -> ResponseMember {
    ResponseMember { is_shown: true, ..member }
}

pub(super) static PAYMENT: ResponseObject = ResponseObject {
    name: "PaymentResponse",
    doc: "A payment as the service returned it. A successful response does not mean that the \
          payment was made: `is_paid` does.",
    members: &[
        shown(member("status", PAYMENT_STATUS, "status of the payment")),
        shown(always(member(
            "is_paid",
            ResponseShape::Flag,
            "whether the payment is paid: true for the status `CO` only",
        ))),
        member("hash", TEXT, "payment hash, by which the payment is queried and refunded"),
        member("merchant_payment_code", TEXT, "merchant's own reference for the payment"),
        member(
            "qr_code_value",
            TEXT,
            "what the payer scans or pastes to pay by `pix`; if it is not there, query it",
        ),
    ],
};

pub(super) static REFUND: ResponseObject = ResponseObject {
    name: "RefundResponse",
    doc: "A refund as the service returned it.",
    members: &[
        member("refund_id", TEXT, "the service's id of the refund"),
        shown(member("refund_status", REFUND_STATUS, "status of the refund")),
        shown(member("payment_status", PAYMENT_STATUS, "status of the refunded payment")),
        member("hash", TEXT, "hash of the refunded payment"),
    ],
};

pub(super) static PAYOUT: ResponseObject = ResponseObject {
    name: "PayoutResponse",
    doc: "A payout as the service returned it.",
    members: &[
        member("uid", TEXT, "the service's id of the payout"),
        shown(member(
            "status",
            TEXT,
            "status of the payout; which there are is not stated in the interface",
        )),
    ],
};

pub(super) static TRACKING: ResponseObject = ResponseObject {
    name: "TrackingResponse",
    doc: "What the service did with the tracking codes.",
    members: &[
        shown(member(
            "status",
            ResponseShape::Text(&["SUCCESS"]),
            "overall result: `SUCCESS` on success",
        )),
        shown(always(member(
            "all_created",
            ResponseShape::Flag,
            "whether every code was newly registered, and nothing differs from what was sent",
        ))),
        always(member(
            "result",
            ResponseShape::Objects(&TRACKING_RESULT),
            "one entry for each submitted code, in the order in which they came",
        )),
        member(
            "count_mismatch",
            ResponseShape::Object(&COUNT_MISMATCH),
            "set if the service responded for another number of codes than were sent",
        ),
        member(
            "mismatches",
            ResponseShape::Objects(&TRACKING_MISMATCH),
            "set if entries are about another code, order or customer than was sent",
        ),
    ],
};

static TRACKING_RESULT: ResponseObject = ResponseObject {
    name: "TrackingResult",
    doc: "What the service did with one tracking code.",
    members: &[
        member("customer_email", TEXT, "customer e-mail"),
        member("tracking_code", TEXT, "the code"),
        member("order_number", TEXT, "merchant's order reference"),
        shown(member(
            "status",
            ResponseShape::Text(&["CREATED"]),
            "`CREATED` for a newly registered code",
        )),
    ],
};

static COUNT_MISMATCH: ResponseObject = ResponseObject {
    name: "CountMismatch",
    doc: "The service responded for another number of codes than were sent.",
    members: &[
        shown(always(member("sent", ResponseShape::Integer, "how many codes were sent"))),
        shown(always(member("received", ResponseShape::Integer, "how many entries came back"))),
    ],
};

static TRACKING_MISMATCH: ResponseObject = ResponseObject {
    name: "TrackingMismatch",
    doc: "A member of an entry differs from what was sent for it.",
    members: &[
        shown(always(member(
            "index",
            ResponseShape::Integer,
            "which entry of `result`, counted from zero",
        ))),
        shown(always(member(
            "member",
            ResponseShape::Text(&["tracking_code", "order_number", "customer_email"]),
            "which member of the entry differs",
        ))),
        always(member("sent", TEXT, "what was sent for it")),
        always(member("received", TEXT, "what came back")),
    ],
};

/// `scope`, `user_name` and `jti` come as the token server gives them.
pub(super) static ACCESS_TOKEN: ResponseObject = ResponseObject {
    name: "AccessToken",
    doc: "A bearer token that is valid now. It is a secret.",
    members: &[
        always(member("access_token", TEXT, "the token itself")),
        shown(always(member("token_type", ResponseShape::Text(&["bearer"]), "`bearer`"))),
        shown(always(member(
            "expires_at",
            ResponseShape::Integer,
            "when it must no longer be used, in seconds since 1970 UTC",
        ))),
        shown(member("scope", TEXT, "scope, as the token server gave it")),
        shown(member("user_name", TEXT, "user name, as the token server gave it")),
        member("jti", TEXT, "the token's own id, as the token server gave it"),
    ],
};
