//! The wait until a payment is over.

use std::time::Duration;

use payments_core::error::{Error, ErrorCode, ErrorKind, Outcome};
use payments_core::operation::{Operation, PaymentStatus};
use payments_core::request::{PaymentResponse, QueryPayment, Request as _, TypedResponse as _};
use payments_core::{CallContext, Client, RawResponse};

use crate::agreement::{self, Agreement, Counting, judge};
use crate::answer::is_over;
use crate::follow::{NextStep, OpenPayment};

/// The rest of a wait that is kept for its last query.
const FOR_THE_LAST: Duration = Duration::from_secs(1);

/// Queries a payment until it is over, as [`OpenPayment::next_step`] says, or
/// until the deadline of `context`; each query has the client's own deadline
/// too. Returns the last response: at the deadline, the payment may still be
/// open.
///
/// # Errors
/// `validation`, `config`, `journal`, `internal` and `cancelled` at once.
/// The error of the last query, as [`Client::query_payment`], if
/// none had a response by the deadline. `protocol` with the code
/// `other_reference` and the response if the payment is paid, but not as the
/// journal has it.
pub fn wait_for_payment(
    client: &Client,
    request: &QueryPayment,
    context: &CallContext,
) -> Result<PaymentResponse, Error> {
    wait_for(client, request, context).map(|counting| counting.payment)
}

/// Like [`wait_for_payment`], with the hash of the other payment of a payer who tried again.
pub(crate) fn wait_for(
    client: &Client,
    request: &QueryPayment,
    context: &CallContext,
) -> Result<Counting, Error> {
    let clock = client.clock();
    let started = clock.monotonic();
    let reference = named_reference(client, request);
    let (reference, by_hash) = (reference.as_deref(), reference.is_none());
    let mut last = None;
    let mut failures = 0;
    loop {
        let query = context.limited_to(client.timeout()).with_own_record();
        let answer = client.execute(request, &query);
        let answer = answer.and_then(|it| judge(client, reference, by_hash, it, context));
        let payment = OpenPayment {
            age: clock.monotonic().saturating_duration_since(started),
            give_up_after: Duration::MAX,
            was_found: last.is_some(),
            failures,
        };
        let is_over = answer.as_ref().map(|(it, _)| is_over(&it.payment));
        failures = payment.failures_after(is_over);
        let wait = match payment.next_step(is_over) {
            NextStep::Query(wait) => wait,
            NextStep::Ended => return unless_it_differs(client, reference, answer?),
            NextStep::GiveUp | NextStep::Fail => return answer.map(|(it, _)| it),
        };
        let left = context.remaining().saturating_sub(FOR_THE_LAST);
        // A response says more than a later failure.
        let latest = match (answer, last) {
            (Err(_), Some(response)) => Ok(response),
            (answer, _) => answer.map(|(it, _)| it),
        };
        if left.is_zero() {
            return latest;
        }
        last = latest.ok();
        // If the call is cancelled meanwhile, the next query says so.
        let _ = context.sleep(wait.min(left));
    }
}

/// The reference by which the request names the payment.
fn named_reference(client: &Client, request: &QueryPayment) -> Option<String> {
    let named = request.draft(client.rules()).ok()?.query;
    named.into_iter().find(|(name, _)| name == "merchant_payment_code").map(|(_, named)| named)
}

/// The payment, unless it is another one than the journal has.
fn unless_it_differs(
    client: &Client,
    reference: Option<&str>,
    (counting, agreement): (Counting, Agreement),
) -> Result<Counting, Error> {
    let (kind, code, message) = match agreement {
        Agreement::Agrees => return Ok(counting),
        Agreement::Differs(difference) => {
            let message = format!("the payment is another one: {difference}");
            (ErrorKind::Protocol, ErrorCode::OTHER_REFERENCE, message)
        }
        Agreement::Unreadable(why) => {
            (ErrorKind::Decode, ErrorCode::RESPONSE_UNREADABLE, why.to_owned())
        }
    };
    let mut response = counting.payment.into_call_response();
    response.raw = response.raw.bounded(client.rules().max_response_values);
    // As that of any query that failed.
    Err(Error::new(kind, Outcome::NotExecuted, code, message)
        .with_operation(Operation::QueryPayment, reference)
        .with_response(response)
        .without_texts(|text| client.is_secret(text)))
}

/// How a paid payment differs from the journal's entry with the reference, or from
/// the amount and currency of an order: `body` is that of the response to a query.
pub(crate) fn difference(
    client: &Client,
    reference: &str,
    body: &[u8],
    order: Option<(&str, &str)>,
    context: &CallContext,
) -> Result<Option<&'static str>, Error> {
    let raw = RawResponse::new(200, Vec::new(), body.to_vec());
    let query = QueryPayment::by_merchant_payment_code(reference);
    let payment = query.read_response(raw, client.rules())?;
    if payment.status() != Some(PaymentStatus::Confirmed) {
        return Ok(None);
    }
    let (counting, agreement) = judge(client, Some(reference), false, payment, context)?;
    match (agreement, order) {
        (Agreement::Differs(why) | Agreement::Unreadable(why), _) => Ok(Some(why)),
        (Agreement::Agrees, Some(order)) => {
            agreement::with_order(client, reference, order, &counting.payment, context)
        }
        (Agreement::Agrees, None) => Ok(None),
    }
}
