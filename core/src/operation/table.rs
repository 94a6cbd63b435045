//! Every operation and its request, as in the tables of the interface.
//!
//! These tables are the one source. They drive the validation of typed and of
//! JSON input, the methods of the client, calls by name, the help of the
//! command, and what `payments-generate` makes for other languages.

use super::fields::{
    Others, Presence, RequestMember, RequestObject, RequestShape, not_stated, optional, required,
    with_examples, with_presence,
};
use super::parcels::TRACKING_DETAILS;

/// Passes the list of operations to the macro `$make`. An operation with a
/// typed response (`-> PaymentResponse`) has a request type of its own name, and
/// gets a method of the client and a place in calls by name.
macro_rules! operations {
    ($make:ident) => {
        $make! {
            CreatePayment create_payment -> PaymentResponse {
                method: "POST",
                path: "/ws/direct",
                summary: "Creates a payment in one of a country's methods.",
                details: "",
                when_unknown: "the payment may exist. Do not send it again; query it by its \
                               `merchant_payment_code` (seen, not stated) until it is found.",
                advice_when_unknown:
                    "do not send it again: call query_payment by merchant_payment_code (seen, \
                     not stated in the interface) until the payment is found; if it ends as payment_not_found even 15 minutes after the \
                     deadline of the call, let a person decide",
                advice_when_executed:
                    "do not send it again: it was executed, which does not mean paid; call query_payment \
                     for its state",
                request: Some(&CREATE_PAYMENT),
                response: Some(&responses::PAYMENT),
                success: Some(Success {
                    signs: &[
                        "/payment/hash",
                        "/payment/id",
                        "/payment/uid",
                        "/payment/status",
                        "/payment/redirect_url",
                        "/payment/pix/qr_code_value",
                        "/payment/qr_code_value",
                        "/payment/oxxo_url",
                        "/payment/oxxo_barcode",
                        "/payment/clabe_account",
                        "/payment/voucher_url",
                        "/hash",
                        "/id",
                        "/uid",
                        "/redirect_url",
                        "/pix/qr_code_value",
                        "/qr_code_value",
                        "/voucher_url",
                    ],
                    states: PAYMENT_STATES,
                    lone_success: true,
                }),
                moves_money: true,
                is_read_only: false,
            }
            QueryPayment query_payment -> PaymentResponse {
                method: "GET",
                path: "/ws/query",
                summary: "Queries a payment, by its hash or by your own reference (seen, not stated).",
                details: "Try the query by reference before you depend on it: the interface does \
                          not state it. A query moves no money, and is sent \
                          again a few times when the connection or the service fails.",
                when_unknown: "nothing was moved. Query it again.",
                advice_when_unknown: "nothing was moved; send it again",
                advice_when_executed:
                    "nothing was moved; read the response in this error, or send it again",
                request: Some(&QUERY_PAYMENT),
                response: Some(&responses::PAYMENT),
                // A query is for the status, so its response must have one.
                success: Some(Success {
                    signs: &["/payment/status"],
                    states: PAYMENT_STATES,
                    lone_success: false,
                }),
                moves_money: false,
                is_read_only: true,
            }
            RefundPayment refund_payment -> RefundResponse {
                method: "POST",
                path: "/ws/refund",
                summary: "Refunds a payment, in whole or in part (seen, not stated).",
                details: "Check the response of your first partial refund: the interface does not \
                          state partial refunds.",
                when_unknown: "the refund may exist. Do not send it again; query the payment by \
                               its `hash` until its response lists the refund (seen, not stated).",
                advice_when_unknown:
                    "do not send it again: call query_payment by hash, whose response lists the \
                     refunds (seen, not stated in the interface), until this one is there; if it is not even 15 minutes after the \
                     deadline of the call, let a person decide",
                advice_when_executed:
                    "do not send it again: it was executed, which does not mean that the payer has the \
                     money; call query_payment by hash for its state (seen, not stated in the interface)",
                request: Some(&REFUND_PAYMENT),
                response: Some(&responses::REFUND),
                success: Some(Success {
                    signs: &[
                        "/refund/id",
                        "/refund/uid",
                        "/refund/status",
                        "/payment/refunds",
                        "/payment/hash",
                        "/payment/status",
                        "/hash",
                        "/id",
                        "/uid",
                    ],
                    states: &["RE", "OP", "PE", "CO", "CA"],
                    lone_success: true,
                }),
                moves_money: true,
                is_read_only: false,
            }
            CreatePayout create_payout -> PayoutResponse {
                method: "POST",
                path: "/ws/payout/create",
                summary: "Sends money to a payee.",
                details: "",
                when_unknown: "the payout may exist, and the interface has no query for payouts. \
                               Do not send it again; look for its `external_reference` on the \
                               provider's platform.",
                advice_when_unknown:
                    "do not send it again: the interface has no query for payouts, so look for the \
                     external_reference on the provider's platform, and let a person decide",
                advice_when_executed:
                    "do not send it again: it was executed, which does not mean that the payee has the \
                     money; look for its state on the provider's platform",
                request: Some(&CREATE_PAYOUT),
                response: Some(&responses::PAYOUT),
                success: Some(Success {
                    signs: &[
                        "/payout/uid",
                        "/payout/id",
                        "/payout/hash",
                        "/payout/status",
                        // Any type that is not `success` is a failure.
                        "/type",
                        "/uid",
                        "/id",
                        "/hash",
                    ],
                    states: PAYMENT_STATES,
                    lone_success: true,
                }),
                moves_money: true,
                is_read_only: false,
            }
            RegisterTracking register_tracking -> TrackingResponse {
                method: "POST",
                path: "/ws/tracking",
                summary: "Registers the tracking codes of an order.",
                details: "",
                when_unknown: "the codes may be registered, and the interface has no query for \
                               them. Registering them moves no money.",
                advice_when_unknown:
                    "the interface has no query for tracking codes; registering them moves no money",
                advice_when_executed:
                    "the codes are registered, which moves no money; read the response in this error",
                request: Some(&REGISTER_TRACKING),
                response: Some(&responses::TRACKING),
                success: Some(Success {
                    signs: &["/result"],
                    states: &["CREATED"],
                    lone_success: true,
                }),
                moves_money: false,
                is_read_only: false,
            }
            AccessToken access_token {
                method: "POST",
                path: "/authorization-server/oauth/token",
                summary: "Returns a valid bearer token: the cached one, or a new one.",
                details: "",
                when_unknown: "nothing was moved. Send it again.",
                advice_when_unknown: "nothing was moved; send it again",
                advice_when_executed: "nothing was moved; send it again",
                request: None,
                response: Some(&responses::ACCESS_TOKEN),
                success: None,
                moves_money: false,
                is_read_only: true,
            }
            Send send {
                method: "",
                path: "",
                summary: "Signs your own bytes and sends them unchanged, to any path.",
                details: "",
                when_unknown: "it may have been executed. Do not send it again; find out as for \
                               the operation behind its path.",
                advice_when_unknown:
                    "do not send it again: find out what was done as for the operation behind that \
                     path, and let a person decide if you cannot find out",
                advice_when_executed:
                    "do not send it again: it was executed as far as the service says; read the \
                     response in this error",
                request: Some(&SEND),
                response: None,
                success: None,
                moves_money: true,
                is_read_only: false,
            }
        }
    };
}
pub(crate) use operations;

pub(super) const PAYMENT_STATES: &[&str] = &["OP", "PE", "CO", "CA"];

/// The member `operation`, which public clients send.
const OPERATION: RequestMember =
    not_stated("operation", RequestShape::Text, "kind of request, known to be `request`");

pub(super) static CREATE_PAYMENT: RequestObject = RequestObject {
    name: "CreatePayment",
    doc: "A request for a payment.",
    source: "Endpoints",
    fields: &[OPERATION, required("payment", RequestShape::Object(&PAYMENT), "the payment")],
    others: Others::Pass,
    holds_key: true,
};

static PAYMENT: RequestObject = RequestObject {
    name: "Payment",
    doc: "What a payer pays: the object `payment` of a request.",
    source: "Payment request",
    fields: &[
        required("name", RequestShape::Text, "payer name"),
        required("email", RequestShape::Text, "payer e-mail"),
        required("country", RequestShape::LowerCountry, "lower-case two-letter country code"),
        with_examples(
            required(
                "payment_type_code",
                RequestShape::Text,
                "country-specific method code, for example `pix`",
            ),
            &["pix", "oxxo", "pse"],
        ),
        required(
            "merchant_payment_code",
            RequestShape::Text,
            "merchant's own reference for the payment",
        ),
        required("currency_code", RequestShape::Currency, "three-letter currency code"),
        required(
            "amount_total",
            RequestShape::Amount,
            "amount of the payment in `currency_code`, a decimal above zero",
        ),
        with_presence(
            Presence::RequiredForCountry("br"),
            required("document", RequestShape::Text, "payer tax id"),
        ),
    ],
    others: Others::Pass,
    holds_key: true,
};

pub(super) static QUERY_PAYMENT: RequestObject = RequestObject {
    name: "QueryPayment",
    doc: "The payment to query: exactly one of `hash` and `merchant_payment_code`.",
    source: "Endpoints",
    fields: &[
        with_presence(Presence::OneOf, required("hash", RequestShape::Text, "the payment hash")),
        with_presence(
            Presence::OneOf,
            not_stated(
                "merchant_payment_code",
                RequestShape::Text,
                "merchant's own reference for the payment",
            ),
        ),
    ],
    others: Others::InExtra,
    holds_key: true,
};

/// The name of the hash member is not shown in the interface, so it is
/// configurable.
pub(super) static REFUND_PAYMENT: RequestObject = RequestObject {
    name: "RefundPayment",
    doc: "The payment to refund, and the amount.",
    source: "Endpoints",
    fields: &[
        required("hash", RequestShape::Text, "the payment hash of the payment to refund"),
        OPERATION,
        not_stated(
            "amount",
            RequestShape::Amount,
            "amount to refund, above zero; everything if left out",
        ),
        not_stated("description", RequestShape::Text, "reason for the refund"),
        not_stated(
            "merchant_refund_code",
            RequestShape::Text,
            "merchant's own reference for the refund",
        ),
    ],
    others: Others::InExtra,
    holds_key: true,
};

pub(super) static CREATE_PAYOUT: RequestObject = RequestObject {
    name: "CreatePayout",
    doc: "A request for a payout.",
    source: "Payout request",
    fields: &[
        required("external_reference", RequestShape::Text, "merchant's reference for the payout"),
        required("country", RequestShape::LowerCountry, "lower-case two-letter country code"),
        required(
            "amount",
            RequestShape::Amount,
            "amount to send in `currency_code`, a decimal above zero",
        ),
        required("currency_code", RequestShape::Currency, "three-letter currency code"),
        with_examples(
            required("target", RequestShape::Text, "kind of destination, for example `pix_key`"),
            &["pix_key"],
        ),
        required(
            "target_account",
            RequestShape::Text,
            "destination identifier, for `pix_key` the key itself",
        ),
        required("payee", RequestShape::Object(&PAYEE), "recipient of the money"),
    ],
    others: Others::InExtra,
    holds_key: true,
};

/// Which of its members are required is not stated in the interface; we
/// require the name.
static PAYEE: RequestObject = RequestObject {
    name: "Payee",
    doc: "The recipient of a payout.",
    source: "Payee object",
    fields: &[
        required("name", RequestShape::Text, "payee name"),
        optional("email", RequestShape::Text, "payee e-mail"),
        optional("document", RequestShape::Text, "payee tax id"),
        optional("document_type", RequestShape::Text, "kind of the tax id, for example `CPF`"),
    ],
    others: Others::InExtra,
    holds_key: false,
};

pub(super) static REGISTER_TRACKING: RequestObject = RequestObject {
    name: "RegisterTracking",
    doc: "The tracking codes of an order: plain, with details, or mixed.",
    source: "Tracking request",
    fields: &[
        required("order_number", RequestShape::Text, "merchant's order reference"),
        required("email", RequestShape::Text, "customer e-mail"),
        required(
            "tracking_code",
            RequestShape::TextsOrObjects(&TRACKING_DETAILS),
            "one or more tracking codes, plain or with items and address",
        ),
        optional("payment_hash", RequestShape::Text, "hash of the related payment"),
    ],
    others: Others::InExtra,
    holds_key: true,
};

/// The head of the caller's own request. The body is not part of it.
pub(super) static SEND: RequestObject = RequestObject {
    name: "Send",
    doc: "The head of your own request.",
    source: "Endpoints",
    fields: &[
        required("method", RequestShape::Text, "HTTP method, for example `POST`"),
        required("path", RequestShape::Text, "path under the base URL, beginning with `/`"),
        optional("query", RequestShape::Parameters, "query parameters, encoded for the wire"),
        optional(
            "content_type",
            RequestShape::Text,
            "media type of the body, `application/json` if left out",
        ),
        optional(
            "reference",
            RequestShape::Text,
            "your own reference, which is part of errors; not sent",
        ),
    ],
    others: Others::Refused,
    holds_key: false,
};
