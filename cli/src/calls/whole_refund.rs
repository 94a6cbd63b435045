//! A refund without an amount refunds the whole payment, and a forgotten amount
//! looks the same: a person says which one it is.

use payments_core::request::{DraftBody, RefundPayment, Request as _};
use payments_core::{Client, ErrorCode, Operation};

use crate::args::operation::OperationArgs;
use crate::output::confirm::{can_ask, is_confirmed};
use crate::process::failure::Failure;

/// Asks on a terminal whether to refund the whole payment, if the request does
/// that.
///
/// # Errors
/// `usage` without a confirmation.
pub(crate) fn confirm(
    client: &Client,
    operation: Operation,
    args: &OperationArgs,
    request: &[u8],
) -> Result<(), Failure> {
    if operation != Operation::RefundPayment || args.is_confirmed {
        return Ok(());
    }
    let Some(payment) = refunded_as_a_whole(client, request) else {
        return Ok(());
    };
    let not_confirmed = |message: &str| Err(Failure::usage(ErrorCode::NOT_CONFIRMED, message));
    if !can_ask() {
        return not_confirmed(
            "without an amount this refunds the whole payment, which nobody can confirm here; \
             give --amount, or --yes to refund everything; nothing was sent",
        );
    }
    if is_confirmed(&format!("Refund the whole payment {payment}?")) {
        Ok(())
    } else {
        not_confirmed("not confirmed; nothing was sent; give --amount to refund a part")
    }
}

/// The payment that the request refunds as a whole. `None` also for a request
/// that the call refuses.
fn refunded_as_a_whole(client: &Client, request: &[u8]) -> Option<String> {
    let request = RefundPayment::from_json(request).ok()?;
    let draft = request.draft(client.rules()).ok()?;
    let DraftBody::Members(members) = &draft.body else { return None };
    let is_whole = !draft.is_cancellation() && members.get("amount").is_none();
    is_whole.then(|| draft.reference.unwrap_or_default())
}
