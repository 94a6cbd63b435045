//! The answers to queries: the refunds of a payment, and the code of a payout.
//!
//! The interface does not state their names, which were seen in responses.

use payments_core::json::Json;
use payments_core::operation::{PaymentStatus, RefundStatus};
use payments_core::request::{CANCELLED, PaymentResponse, PayoutResponse, cancelled_with};

/// A refund in the answer to a query.
pub(crate) struct Refund<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) code: Option<&'a str>,
    pub(crate) status: Option<RefundStatus>,
    /// In the currency of the payment.
    pub(crate) amount: Option<&'a str>,
}

/// All refunds that the answer lists.
pub(crate) fn refunds_of(answer: &PaymentResponse) -> impl Iterator<Item = Refund<'_>> {
    let listed = answer.member("/payment/refunds").or_else(|| answer.member("/refunds"));
    listed.and_then(Json::as_array).unwrap_or_default().iter().map(refund_of)
}

fn refund_of(json: &Json) -> Refund<'_> {
    let text = |name: &str| json.get(name).and_then(Json::as_text_or_number);
    Refund {
        id: text("id").or_else(|| text("uid")),
        code: text("merchant_refund_code"),
        status: text("status").map(RefundStatus::from_code),
        amount: text("amount_ext"),
    }
}

/// The amount and the currency that a payment shows. An `amount_br` is not among them: it
/// may be in another currency.
pub(crate) fn money_of(payment: &PaymentResponse) -> [Option<&Json>; 2] {
    [
        ["/payment/amount_total", "/payment/amount_ext"],
        ["/payment/currency_code", "/payment/currency_ext"],
    ]
    .map(|places| first_shown(payment.json(), &places))
}

/// The first value that shows something.
pub(crate) fn first_shown<'j>(json: &'j Json, places: &[&str]) -> Option<&'j Json> {
    places.iter().filter_map(|place| json.pointer(place)).find(|value| !is_blank(value))
}

/// Whether a value shows nothing.
pub(crate) fn is_blank(value: &Json) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Whether the status of the payment is final.
pub(crate) fn is_over(payment: &PaymentResponse) -> bool {
    payment.status().is_some_and(|status: PaymentStatus| status.is_final())
}

/// The service's code for a payout that it cancelled, or the status `CA` if it
/// gives none that can be shown; `None` for any other payout.
pub(crate) fn code_of(payout: &PayoutResponse, is_secret: impl Fn(&str) -> bool) -> Option<String> {
    let code = cancelled_with(payout.json())?;
    Some(if is_secret(code) { CANCELLED } else { code }.to_owned())
}
