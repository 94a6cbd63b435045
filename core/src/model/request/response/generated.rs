// Generated from spec/operations by generate/templates/responses.rs.jinja; do not edit. To update: cargo xtask generate

//! The typed responses, and the objects inside them.

use payments_base::debug_shows;

use super::{
    self as by_hand, NextAction, PayerAction, TypedResponse, amounts_as_text, entries_at,
    lenient_text_in, text_in,
};
use crate::model::error::Error;
use crate::model::json::{Json, Members};
use crate::model::operation::{Operation, PaymentStatus, PayoutStatus, RefundStatus};
use crate::model::request::read::{BodyTypes, complete, read_tree};
use crate::model::request::words::{flag_at, state_at, text_at, text_or_number_at};
use crate::model::response::{CallResponse, RawResponse};
use crate::model::rules::Rules;

/// A payment as the service returned it. A successful response does not mean
/// that the payment was made: `is_paid` does.
///
/// The response to `create_payment` and `query_payment`. Interface, "Payment request".
#[derive(Clone)]
pub struct PaymentResponse {
    raw: RawResponse,
    json: Json,
    next_action: Box<NextAction>,
}

impl PaymentResponse {
    /// Reads the response to a request with the members `sent`.
    pub(in crate::model::request) fn read(
        operation: Operation,
        sent: &Members,
        mut raw: RawResponse,
        rules: &Rules,
    ) -> Result<Self, Error> {
        let types = BodyTypes {
            objects: &["/payment", "/pix", "/payment/pix"],
            texts: &[
                "/payment/status",
                "/status",
                "/payment/hash",
                "/hash",
                "/payment/merchant_payment_code",
                "/pix/qr_code_value",
                "/payment/pix/qr_code_value",
            ],
            texts_or_numbers: &[],
        };
        let json = read_tree(operation, sent, &mut raw, rules, &types)?;
        let next_action = Box::new(NextAction::read(&json, sent, rules));
        Ok(Self { raw, json, next_action })
    }

    /// Status of the payment.
    pub fn status(&self) -> Option<PaymentStatus> {
        state_at(&self.json, &["/payment/status", "/status"]).map(PaymentStatus::from_code)
    }

    /// Whether the payment is paid: true for the status `CO` only.
    pub fn is_paid(&self) -> bool {
        self.status() == Some(PaymentStatus::Confirmed)
    }

    /// Payment hash, by which the payment is queried and refunded.
    pub fn hash(&self) -> Option<&str> {
        text_at(&self.json, &["/payment/hash", "/hash"])
    }

    /// Merchant's own reference for the payment.
    pub fn merchant_payment_code(&self) -> Option<&str> {
        text_at(&self.json, &["/payment/merchant_payment_code"])
    }

    /// The code that the payer scans or pastes to pay by `pix`; if it is
    /// missing, query it.
    pub fn qr_code_value(&self) -> Option<&str> {
        text_at(&self.json, &["/pix/qr_code_value", "/payment/pix/qr_code_value"])
    }

    /// Page on which the payer continues.
    pub fn redirect_url(&self) -> Option<&str> {
        text_at(&self.json, &["/redirect_url", "/payment/redirect_url"])
    }

    /// Page with the pay slip to pay by `oxxo`.
    pub fn oxxo_url(&self) -> Option<&str> {
        text_at(&self.json, &["/payment/oxxo_url"])
    }

    /// Digits of the barcode to pay by `oxxo`.
    pub fn oxxo_barcode(&self) -> Option<&str> {
        text_or_number_at(&self.json, &["/payment/oxxo_barcode"])
    }

    /// Account (CLABE) to which the payer sends the money.
    pub fn clabe_account(&self) -> Option<&str> {
        text_or_number_at(&self.json, &["/payment/clabe_account"])
    }

    /// The last day on which the payer can pay.
    pub fn due_date(&self) -> Option<&str> {
        text_at(&self.json, &["/payment/due_date"])
    }

    /// The acquirer's code of its decision, for example `OK` or `NOK`.
    pub fn decline_code(&self) -> Option<&str> {
        text_or_number_at(&self.json, &["/payment/transaction_status/code"])
    }

    /// The acquirer's decision in words.
    pub fn decline_reason(&self) -> Option<&str> {
        text_at(&self.json, &["/payment/transaction_status/description"])
    }

    /// Whether a card payment is authorized and waits for its capture.
    pub fn capture_available(&self) -> bool {
        flag_at(&self.json, &["/payment/capture_available"])
    }

    /// The refunds of the payment.
    pub fn refunds(&self) -> Vec<PaymentRefund> {
        entries_at(&self.json, &["/payment/refunds"]).map(PaymentRefund::read).collect()
    }

    /// The next action to show the payer.
    pub fn next_action(&self) -> &NextAction {
        &self.next_action
    }

    /// The QR code of [`qr_code_value`](Self::qr_code_value) as an SVG document; `None`
    /// without one.
    #[cfg(feature = "qr")]
    pub fn qr_svg(&self) -> Option<String> {
        crate::model::qr::qr_svg(self.qr_code_value()?)
    }

    /// The QR code of [`qr_code_value`](Self::qr_code_value) as a PNG file with
    /// modules of `module_size` pixels, from 1 to 64; `None` without one.
    ///
    /// # Errors
    ///
    /// [`Validation`](crate::ErrorKind::Validation) for another size.
    #[cfg(feature = "qr")]
    pub fn qr_png(&self, module_size: u32) -> Result<Option<Vec<u8>>, Error> {
        self.qr_code_value().map_or(Ok(None), |code| crate::model::qr::qr_png(code, module_size))
    }

    /// The response for other languages: these members, and the whole body as
    /// `response`, with amounts as text.
    pub fn view(&self) -> Json {
        Json::Object(Members::from([
            ("status", Json::from(self.status().as_ref().map(PaymentStatus::as_str))),
            ("is_paid", Json::from(self.is_paid())),
            ("hash", Json::from(self.hash())),
            ("merchant_payment_code", Json::from(self.merchant_payment_code())),
            ("qr_code_value", Json::from(self.qr_code_value())),
            ("redirect_url", Json::from(self.redirect_url())),
            ("oxxo_url", Json::from(self.oxxo_url())),
            ("oxxo_barcode", Json::from(self.oxxo_barcode())),
            ("clabe_account", Json::from(self.clabe_account())),
            ("due_date", Json::from(self.due_date())),
            ("decline_code", Json::from(self.decline_code())),
            ("decline_reason", Json::from(self.decline_reason())),
            ("capture_available", Json::from(self.capture_available())),
            ("refunds", Json::Array(self.refunds().iter().map(PaymentRefund::view).collect())),
            ("next_action", self.next_action().view()),
            ("response", amounts_as_text(&self.json)),
        ]))
    }

    /// The value at a JSON Pointer (RFC 6901) into the response body, for
    /// example `/payment/due_date`.
    pub fn member(&self, pointer: &str) -> Option<&Json> {
        self.json.pointer(pointer)
    }

    /// The whole response body.
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// Status, headers and body as received.
    pub fn raw(&self) -> &RawResponse {
        &self.raw
    }
}

impl TypedResponse for PaymentResponse {
    fn into_call_response(self) -> CallResponse {
        let view = self.view();
        CallResponse { raw: self.raw, view }
    }

    fn received(&self) -> Option<&RawResponse> {
        Some(&self.raw)
    }

    fn identifiers(&self) -> (Option<&str>, Option<&str>) {
        (self.hash(), None)
    }

    fn shown_reference(&self) -> Option<&str> {
        self.merchant_payment_code()
    }
}

// Hides data of people, and members that identify a payment.
debug_shows!(PaymentResponse, |it| status = it.status(), is_paid = it.is_paid(), raw = it.raw);

/// A refund as the service returned it.
///
/// The response to `refund_payment`. Everything that came is kept.
#[derive(Clone)]
pub struct RefundResponse {
    raw: RawResponse,
    json: Json,
}

impl RefundResponse {
    /// Reads the response to a request with the members `sent`.
    pub(in crate::model::request) fn read(
        operation: Operation,
        sent: &Members,
        mut raw: RawResponse,
        rules: &Rules,
    ) -> Result<Self, Error> {
        let types = BodyTypes {
            objects: &["/refund", "/payment"],
            texts: &["/refund/status", "/payment/status", "/status", "/payment/hash", "/hash"],
            texts_or_numbers: &["/refund/id"],
        };
        let json = read_tree(operation, sent, &mut raw, rules, &types)?;
        Ok(Self { raw, json })
    }

    /// The service's id of the refund.
    pub fn refund_id(&self) -> Option<&str> {
        text_or_number_at(&self.json, &["/refund/id"])
    }

    /// Status of the refund.
    pub fn refund_status(&self) -> Option<RefundStatus> {
        text_at(&self.json, &["/refund/status"]).map(RefundStatus::from_code)
    }

    /// Status of the refunded payment.
    pub fn payment_status(&self) -> Option<PaymentStatus> {
        state_at(&self.json, &["/payment/status", "/status"]).map(PaymentStatus::from_code)
    }

    /// Hash of the refunded payment.
    pub fn hash(&self) -> Option<&str> {
        text_at(&self.json, &["/payment/hash", "/hash"])
    }

    /// All refunds of the payment, with this one.
    pub fn refunds(&self) -> Vec<PaymentRefund> {
        entries_at(&self.json, &["/payment/refunds"]).map(PaymentRefund::read).collect()
    }

    /// The response for other languages: these members, and the whole body as
    /// `response`, with amounts as text.
    pub fn view(&self) -> Json {
        Json::Object(Members::from([
            ("refund_id", Json::from(self.refund_id())),
            ("refund_status", Json::from(self.refund_status().as_ref().map(RefundStatus::as_str))),
            (
                "payment_status",
                Json::from(self.payment_status().as_ref().map(PaymentStatus::as_str)),
            ),
            ("hash", Json::from(self.hash())),
            ("refunds", Json::Array(self.refunds().iter().map(PaymentRefund::view).collect())),
            ("response", amounts_as_text(&self.json)),
        ]))
    }

    /// The value at a JSON Pointer (RFC 6901) into the response body, for
    /// example `/payment/due_date`.
    pub fn member(&self, pointer: &str) -> Option<&Json> {
        self.json.pointer(pointer)
    }

    /// The whole response body.
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// Status, headers and body as received.
    pub fn raw(&self) -> &RawResponse {
        &self.raw
    }
}

impl TypedResponse for RefundResponse {
    fn into_call_response(self) -> CallResponse {
        let view = self.view();
        CallResponse { raw: self.raw, view }
    }

    fn received(&self) -> Option<&RawResponse> {
        Some(&self.raw)
    }

    fn identifiers(&self) -> (Option<&str>, Option<&str>) {
        (self.hash(), self.refund_id())
    }
}

// Hides data of people, and members that identify a payment.
debug_shows!(
    RefundResponse,
    |it| refund_status = it.refund_status(),
    payment_status = it.payment_status(),
    raw = it.raw
);

/// A payout as the service returned it. A successful response does not mean
/// that the payee has the money: `is_paid` does. One with the status `CA` was
/// created, and cancelled by the service: correct what `code` is about, and
/// send it again under a new reference.
///
/// The response to `create_payout` and `query_payout`. Everything that came is kept.
#[derive(Clone)]
pub struct PayoutResponse {
    raw: RawResponse,
    json: Json,
}

impl PayoutResponse {
    /// Reads the response to a request with the members `sent`.
    pub(in crate::model::request) fn read(
        operation: Operation,
        sent: &Members,
        mut raw: RawResponse,
        rules: &Rules,
    ) -> Result<Self, Error> {
        let types = BodyTypes {
            objects: &["/payout"],
            texts: &["/payout/uid", "/uid", "/payout/status", "/status"],
            texts_or_numbers: &[],
        };
        let json = read_tree(operation, sent, &mut raw, rules, &types)?;
        Ok(Self { raw, json })
    }

    /// The service's id of the payout.
    pub fn uid(&self) -> Option<&str> {
        text_at(&self.json, &["/payout/uid", "/uid"])
    }

    /// Merchant's reference for the payout.
    pub fn external_reference(&self) -> Option<&str> {
        text_or_number_at(&self.json, &["/payout/external_reference", "/external_reference"])
    }

    /// Status of the payout.
    pub fn status(&self) -> Option<PayoutStatus> {
        state_at(&self.json, &["/payout/status", "/status"]).map(PayoutStatus::from_code)
    }

    /// Whether the payee has the money: true for the status `PA` only.
    pub fn is_paid(&self) -> bool {
        self.status() == Some(PayoutStatus::Paid)
    }

    /// The service's code of a cancelled payout, for example `TAX_ID_MISMATCH`.
    pub fn code(&self) -> Option<&str> {
        text_at(&self.json, &["/payout/code", "/code"])
    }

    /// Amount in `currency`, as it was requested: 10.50, not 1050 cents.
    pub fn amount(&self) -> Option<&str> {
        text_or_number_at(&self.json, &["/payout/request_amount", "/payout/amount", "/amount"])
    }

    /// Three-letter currency code of `amount`.
    pub fn currency(&self) -> Option<&str> {
        text_at(
            &self.json,
            &[
                "/payout/request_currency",
                "/payout/currency_code",
                "/payout/currency",
                "/currency_code",
            ],
        )
    }

    /// When the payout was requested, as the service wrote it.
    pub fn request_date(&self) -> Option<&str> {
        text_at(&self.json, &["/payout/request_date"])
    }

    /// When the status changed, as the service wrote it.
    pub fn status_date(&self) -> Option<&str> {
        text_at(&self.json, &["/payout/status_date"])
    }

    /// When the payee got the money, as the service wrote it.
    pub fn paid_date(&self) -> Option<&str> {
        text_at(&self.json, &["/payout/paid_date"])
    }

    /// When the payout was cancelled, as the service wrote it.
    pub fn cancel_date(&self) -> Option<&str> {
        text_at(&self.json, &["/payout/cancel_date"])
    }

    /// The response for other languages: these members, and the whole body as
    /// `response`, with amounts as text.
    pub fn view(&self) -> Json {
        Json::Object(Members::from([
            ("uid", Json::from(self.uid())),
            ("external_reference", Json::from(self.external_reference())),
            ("status", Json::from(self.status().as_ref().map(PayoutStatus::as_str))),
            ("is_paid", Json::from(self.is_paid())),
            ("code", Json::from(self.code())),
            ("amount", Json::from(self.amount())),
            ("currency", Json::from(self.currency())),
            ("request_date", Json::from(self.request_date())),
            ("status_date", Json::from(self.status_date())),
            ("paid_date", Json::from(self.paid_date())),
            ("cancel_date", Json::from(self.cancel_date())),
            ("response", amounts_as_text(&self.json)),
        ]))
    }

    /// The value at a JSON Pointer (RFC 6901) into the response body, for
    /// example `/payment/due_date`.
    pub fn member(&self, pointer: &str) -> Option<&Json> {
        self.json.pointer(pointer)
    }

    /// The whole response body.
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// Status, headers and body as received.
    pub fn raw(&self) -> &RawResponse {
        &self.raw
    }
}

impl TypedResponse for PayoutResponse {
    fn into_call_response(self) -> CallResponse {
        let view = self.view();
        CallResponse { raw: self.raw, view }
    }

    fn received(&self) -> Option<&RawResponse> {
        Some(&self.raw)
    }

    fn identifiers(&self) -> (Option<&str>, Option<&str>) {
        (None, self.uid())
    }
}

// Hides data of people, and members that identify a payment.
debug_shows!(
    PayoutResponse,
    |it| status = it.status(),
    is_paid = it.is_paid(),
    currency = it.currency(),
    raw = it.raw
);

/// The service's results for the tracking codes.
///
/// The response to `register_tracking`. Interface, "Tracking response".
#[derive(Clone)]
pub struct TrackingResponse {
    raw: RawResponse,
    json: Json,
    pub(in crate::model::request) by_hand: by_hand::TrackingEntries,
}

impl TrackingResponse {
    /// Reads the response to a request with the members `sent`.
    pub(in crate::model::request) fn read(
        operation: Operation,
        sent: &Members,
        mut raw: RawResponse,
        rules: &Rules,
    ) -> Result<Self, Error> {
        let types = BodyTypes { objects: &[], texts: &["/status"], texts_or_numbers: &[] };
        let json = read_tree(operation, sent, &mut raw, rules, &types)?;
        let by_hand = by_hand::TrackingEntries::read(&json, sent, rules)
            .map_err(|error| complete(operation, &raw, error))?;
        Ok(Self { raw, json, by_hand })
    }

    /// Overall result: `SUCCESS` on success.
    pub fn status(&self) -> Option<&str> {
        text_at(&self.json, &["/status"])
    }

    /// Whether every code was newly registered, and nothing differs from the
    /// request.
    pub fn all_created(&self) -> bool {
        by_hand::all_created(self)
    }

    /// One entry for each submitted code, in the order in which they came.
    pub fn result(&self) -> &[TrackingResult] {
        by_hand::result(self)
    }

    /// Set if the service responded for more or fewer codes than were sent.
    pub fn count_mismatch(&self) -> Option<(usize, usize)> {
        by_hand::count_mismatch(self)
    }

    /// Set if entries name a different code, order or customer than was sent.
    pub fn mismatches(&self) -> &[TrackingMismatch] {
        by_hand::mismatches(self)
    }

    /// The response for other languages: these members, and the whole body as
    /// `response`, with amounts as text.
    pub fn view(&self) -> Json {
        Json::Object(Members::from([
            ("status", Json::from(self.status())),
            ("all_created", Json::from(self.all_created())),
            ("result", Json::Array(self.result().iter().map(TrackingResult::view).collect())),
            (
                "count_mismatch",
                Json::from(self.count_mismatch().map(|(sent, received)| {
                    Members::from([("sent", sent), ("received", received)])
                })),
            ),
            (
                "mismatches",
                Json::from(
                    Some(self.mismatches())
                        .filter(|it| !it.is_empty())
                        .map(|it| it.iter().map(TrackingMismatch::view).collect::<Vec<_>>()),
                ),
            ),
            ("response", amounts_as_text(&self.json)),
        ]))
    }

    /// The value at a JSON Pointer (RFC 6901) into the response body, for
    /// example `/payment/due_date`.
    pub fn member(&self, pointer: &str) -> Option<&Json> {
        self.json.pointer(pointer)
    }

    /// The whole response body.
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// Status, headers and body as received.
    pub fn raw(&self) -> &RawResponse {
        &self.raw
    }
}

impl TypedResponse for TrackingResponse {
    fn into_call_response(self) -> CallResponse {
        let view = self.view();
        CallResponse { raw: self.raw, view }
    }

    fn received(&self) -> Option<&RawResponse> {
        Some(&self.raw)
    }
}

// Hides data of people, and members that identify a payment.
debug_shows!(
    TrackingResponse,
    |it| status = it.status(),
    all_created = it.all_created(),
    raw = it.raw
);

/// A refund of a payment, in the list that the payment has.
#[derive(Clone, PartialEq, Eq)]
pub struct PaymentRefund {
    /// The service's id of the refund.
    pub id: Option<String>,
    /// Merchant's own reference for the refund.
    pub merchant_refund_code: Option<String>,
    /// Status of the refund, for example `CO` once it is confirmed.
    pub status: Option<String>,
    /// Refunded amount, in the currency of the payment: 10.50, not 1050 cents.
    pub amount_ext: Option<String>,
}

impl PaymentRefund {
    /// Reads one. A value of another type counts as missing.
    fn read(entry: &Json) -> Self {
        Self {
            id: lenient_text_in(entry, "id"),
            merchant_refund_code: lenient_text_in(entry, "merchant_refund_code"),
            status: lenient_text_in(entry, "status"),
            amount_ext: lenient_text_in(entry, "amount_ext"),
        }
    }

    fn view(&self) -> Json {
        Json::Object(Members::from([
            ("id", Json::from(self.id.as_deref())),
            ("merchant_refund_code", Json::from(self.merchant_refund_code.as_deref())),
            ("status", Json::from(self.status.as_deref())),
            ("amount_ext", Json::from(self.amount_ext.as_deref())),
        ]))
    }
}

// Hides data of people, and members that identify a payment.
debug_shows!(PaymentRefund, |it| status = it.status);

/// The service's result for one tracking code.
///
/// Interface, "Tracking response".
#[derive(Clone, PartialEq, Eq)]
pub struct TrackingResult {
    /// Customer e-mail.
    pub customer_email: Option<String>,
    /// The code.
    pub tracking_code: Option<String>,
    /// Merchant's order reference.
    pub order_number: Option<String>,
    /// `CREATED` for a newly registered code.
    pub status: Option<String>,
}

impl TrackingResult {
    /// Reads one at `path` of a response.
    pub(in crate::model::request) fn read(entry: &Json, path: &str) -> Result<Self, Error> {
        Ok(Self {
            customer_email: text_in(entry, path, "customer_email")?,
            tracking_code: text_in(entry, path, "tracking_code")?,
            order_number: text_in(entry, path, "order_number")?,
            status: text_in(entry, path, "status")?,
        })
    }

    fn view(&self) -> Json {
        Json::Object(Members::from([
            ("customer_email", Json::from(self.customer_email.as_deref())),
            ("tracking_code", Json::from(self.tracking_code.as_deref())),
            ("order_number", Json::from(self.order_number.as_deref())),
            ("status", Json::from(self.status.as_deref())),
        ]))
    }
}

// Hides data of people, and members that identify a payment.
debug_shows!(TrackingResult, |it| status = it.status);

/// A member of an entry that differs from the sent value.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrackingMismatch {
    /// The entry of `result`, counted from zero.
    pub index: usize,
    /// The member of the entry that differs.
    pub member: &'static str,
    /// The value that was sent.
    pub sent: String,
    /// The value that came back.
    pub received: String,
}

impl TrackingMismatch {
    fn view(&self) -> Json {
        Json::Object(Members::from([
            ("index", Json::from(self.index)),
            ("member", Json::from(self.member)),
            ("sent", Json::from(self.sent.as_str())),
            ("received", Json::from(self.received.as_str())),
        ]))
    }
}

// Hides data of people, and members that identify a payment.
debug_shows!(TrackingMismatch, |it| index = it.index, member = it.member);

/// The ways to pay, by the first value that a `PaymentResponse` has.
pub(in crate::model::request) const PAYMENT_RESPONSE_ACTIONS: &[PayerAction] = &[
    PayerAction {
        kind: "qr_code",
        value: &["/pix/qr_code_value", "/payment/pix/qr_code_value"],
        reference: &[],
        is_address: false,
    },
    PayerAction {
        kind: "pay_slip",
        value: &["/payment/oxxo_url"],
        reference: &["/payment/oxxo_barcode"],
        is_address: true,
    },
    PayerAction {
        kind: "pay_slip",
        value: &["/payment/boleto_url", "/boleto_url"],
        reference: &["/payment/boleto_barcode", "/boleto_barcode"],
        is_address: true,
    },
    PayerAction {
        kind: "pay_slip",
        value: &["/payment/baloto_url", "/baloto_url"],
        reference: &["/payment/voucher_id", "/voucher_id"],
        is_address: true,
    },
    PayerAction {
        kind: "pay_slip",
        value: &["/payment/voucher_url", "/voucher_url"],
        reference: &["/payment/voucher_id", "/voucher_id"],
        is_address: true,
    },
    PayerAction {
        kind: "pay_slip",
        value: &["/payment/cip_url", "/cip_url"],
        reference: &["/payment/cip_code", "/cip_code"],
        is_address: true,
    },
    PayerAction {
        kind: "pay_slip",
        value: &["/payment/oxxo_barcode"],
        reference: &[],
        is_address: false,
    },
    PayerAction {
        kind: "pay_slip",
        value: &["/payment/boleto_barcode", "/boleto_barcode"],
        reference: &[],
        is_address: false,
    },
    PayerAction {
        kind: "pay_slip",
        value: &["/payment/voucher_id", "/voucher_id"],
        reference: &[],
        is_address: false,
    },
    PayerAction {
        kind: "pay_slip",
        value: &["/payment/cip_code", "/cip_code"],
        reference: &[],
        is_address: false,
    },
    PayerAction {
        kind: "account",
        value: &["/payment/clabe_account"],
        reference: &["/payment/clabe_reference", "/clabe_reference"],
        is_address: false,
    },
    PayerAction {
        kind: "pay_slip",
        value: &["/payment/spei_url", "/spei_url"],
        reference: &["/payment/clabe_reference", "/clabe_reference"],
        is_address: true,
    },
    PayerAction {
        kind: "page",
        value: &["/redirect_url", "/payment/redirect_url"],
        reference: &[],
        is_address: true,
    },
];

/// Members that `AccessToken` may lack.
pub(crate) const ACCESS_TOKEN_MAY_LACK: [&str; 3] = ["scope", "user_name", "jti"];

/// The members of views that a journal keeps, as `hash` and as `uid`.
pub(in crate::model::request) const IDENTIFIERS: [&[&str]; 2] = [&["hash"], &["refund_id", "uid"]];
