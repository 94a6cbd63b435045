//! The answers of operations, as other languages see them. A test holds the
//! views of the typed answers to these tables.

use super::status::{Codes, PaymentStatus, RefundStatus};

/// An object of an answer: the answer itself, or one inside it.
#[derive(Debug)]
pub struct AnswerObject {
    /// The name of its type, for example `PaymentAnswer`.
    pub name: &'static str,
    /// What it is, in sentences.
    pub doc: &'static str,
    /// Its members.
    pub members: &'static [AnswerMember],
}

/// One member of an answer.
#[derive(Debug)]
pub struct AnswerMember {
    /// Its name in every language.
    pub name: &'static str,
    /// What stands there.
    pub shape: AnswerShape,
    /// What it means, in one line.
    pub meaning: &'static str,
    /// Whether it is `null` if the service did not send it.
    pub may_be_null: bool,
    /// Whether the member may be shown in logs: it is neither secret nor payer
    /// data.
    pub is_shown: bool,
}

/// What a member of an answer holds.
#[derive(Debug)]
pub enum AnswerShape {
    /// A text. Those that are listed are known; others survive.
    Text(&'static [&'static str]),
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Flag,
    /// A code of an open set.
    Code(&'static Codes),
    /// An object.
    Object(&'static AnswerObject),
    /// An array of objects.
    Objects(&'static AnswerObject),
}

impl AnswerShape {
    /// The object that stands there, alone or in an array.
    pub const fn object(&self) -> Option<&'static AnswerObject> {
        match self {
            Self::Object(object) | Self::Objects(object) => Some(object),
            _ => None,
        }
    }
}

const TEXT: AnswerShape = AnswerShape::Text(&[]);
const PAYMENT_STATUS: AnswerShape = AnswerShape::Code(&PaymentStatus::CODES);
const REFUND_STATUS: AnswerShape = AnswerShape::Code(&RefundStatus::CODES);

/// A member that may be `null`, and that logs must not have.
const fn member(name: &'static str, shape: AnswerShape, meaning: &'static str) -> AnswerMember {
    AnswerMember { name, shape, meaning, may_be_null: true, is_shown: false }
}

/// A member that is always there.
const fn always(member: AnswerMember) -> AnswerMember {
    AnswerMember { may_be_null: false, ..member }
}

/// A member that logs may have.
const fn shown(member: AnswerMember) -> AnswerMember {
    AnswerMember { is_shown: true, ..member }
}

pub(super) static PAYMENT: AnswerObject = AnswerObject {
    name: "PaymentAnswer",
    doc: "A payment as the service answered it. That the call was answered does not mean that the \
          payment was made: `is_paid` does.",
    members: &[
        shown(member("status", PAYMENT_STATUS, "status of the payment")),
        shown(always(member(
            "is_paid",
            AnswerShape::Flag,
            "whether the payment is paid: true for the status `CO` only",
        ))),
        member("hash", TEXT, "payment hash, by which the payment is queried and refunded"),
        member("merchant_payment_code", TEXT, "merchant's own reference for the payment"),
        member("qr_code_value", TEXT, "what the payer scans or pastes to pay by `pix`"),
    ],
};

pub(super) static REFUND: AnswerObject = AnswerObject {
    name: "RefundAnswer",
    doc: "A refund as the service answered it.",
    members: &[
        member("refund_id", TEXT, "the service's id of the refund"),
        shown(member("refund_status", REFUND_STATUS, "status of the refund")),
        shown(member("payment_status", PAYMENT_STATUS, "status of the refunded payment")),
        member("hash", TEXT, "hash of the refunded payment"),
    ],
};

pub(super) static PAYOUT: AnswerObject = AnswerObject {
    name: "PayoutAnswer",
    doc: "A payout as the service answered it.",
    members: &[
        member("uid", TEXT, "the service's id of the payout"),
        shown(member(
            "status",
            TEXT,
            "status of the payout; which there are is not stated in the interface",
        )),
    ],
};

pub(super) static TRACKING: AnswerObject = AnswerObject {
    name: "TrackingAnswer",
    doc: "What the service did with the tracking codes.",
    members: &[
        shown(member(
            "status",
            AnswerShape::Text(&["SUCCESS"]),
            "overall result: `SUCCESS` on success",
        )),
        always(member(
            "result",
            AnswerShape::Objects(&TRACKING_RESULT),
            "one entry for each submitted code, in the order in which they came",
        )),
        member(
            "count_mismatch",
            AnswerShape::Object(&COUNT_MISMATCH),
            "set if the service answered for another number of codes than were sent",
        ),
        member(
            "code_mismatch",
            AnswerShape::Objects(&CODE_MISMATCH),
            "set if entries are about other codes than were sent in their places",
        ),
    ],
};

static TRACKING_RESULT: AnswerObject = AnswerObject {
    name: "TrackingResult",
    doc: "What the service did with one tracking code.",
    members: &[
        member("customer_email", TEXT, "customer e-mail"),
        member("tracking_code", TEXT, "the code"),
        member("order_number", TEXT, "merchant's order reference"),
        shown(member(
            "status",
            AnswerShape::Text(&["CREATED"]),
            "`CREATED` for a newly registered code",
        )),
    ],
};

static COUNT_MISMATCH: AnswerObject = AnswerObject {
    name: "CountMismatch",
    doc: "The service answered for another number of codes than were sent.",
    members: &[
        shown(always(member("sent", AnswerShape::Integer, "how many codes were sent"))),
        shown(always(member("received", AnswerShape::Integer, "how many entries came back"))),
    ],
};

static CODE_MISMATCH: AnswerObject = AnswerObject {
    name: "CodeMismatch",
    doc: "An entry of the answer is about another code than was sent in its place.",
    members: &[
        shown(always(member(
            "index",
            AnswerShape::Integer,
            "which entry of `result`, counted from zero",
        ))),
        always(member("sent", TEXT, "the code that was sent there")),
        always(member("received", TEXT, "the code that came back there")),
    ],
};

/// `scope`, `user_name` and `jti` come as the token server gives them.
pub(super) static ACCESS_TOKEN: AnswerObject = AnswerObject {
    name: "AccessToken",
    doc: "A bearer token that is valid now. It is a secret.",
    members: &[
        always(member("access_token", TEXT, "the token itself")),
        shown(always(member("token_type", AnswerShape::Text(&["bearer"]), "`bearer`"))),
        shown(always(member(
            "expires_at",
            AnswerShape::Integer,
            "when it must no longer be used, in seconds since 1970 UTC",
        ))),
        shown(member("scope", TEXT, "scope, as the token server gave it")),
        shown(member("user_name", TEXT, "user name, as the token server gave it")),
        member("jti", TEXT, "the token's own id, as the token server gave it"),
    ],
};
