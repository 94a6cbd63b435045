//! The refunds in the answer to a query of their payment.
//!
//! Their names are seen, not stated.

use payments_core::json::Json;
use payments_core::operation::{PaymentStatus, RefundStatus};
use payments_core::request::PaymentResponse;

/// A refund in the answer to a query.
pub(crate) struct Refund<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) code: Option<&'a str>,
    pub(crate) status: Option<RefundStatus>,
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
    }
}

/// Whether nothing follows the status of the payment.
pub(crate) fn is_over(payment: &PaymentResponse) -> bool {
    payment.status().is_some_and(|status: PaymentStatus| status.is_final())
}
