//! The wait until a payment is over.

use std::time::Duration;

use super::Client;
use super::follow::{NextStep, OpenPayment};
use crate::call::context::CallContext;
use crate::model::error::Error;
use crate::model::operation::PaymentStatus;
use crate::model::request::{PaymentResponse, QueryPayment};

/// What is left of a wait for its last query.
const FOR_THE_LAST: Duration = Duration::from_secs(1);

impl Client {
    /// Queries a payment until it is over, as [`OpenPayment::next_step`] says, or
    /// until the deadline of `context`; each query has the client's own deadline
    /// too. Returns the last response: at the deadline, the payment may still be
    /// open.
    ///
    /// # Errors
    /// As [`query_payment`](Self::query_payment): the error of the last query if
    /// none had a response, or another query would fail alike; `cancelled`.
    pub fn wait_for_payment(
        &self,
        request: &QueryPayment,
        context: &CallContext,
    ) -> Result<PaymentResponse, Error> {
        let clock = &*self.0.clock;
        let started = clock.monotonic();
        let mut last = None;
        loop {
            let query = context.limited_to(self.timeout()).with_own_record();
            let answer = self.execute(request, &query);
            let payment = OpenPayment {
                age: clock.monotonic().saturating_duration_since(started),
                give_up_after: Duration::MAX,
                was_found: last.is_some(),
            };
            let is_over = answer.as_ref().map(is_over);
            let NextStep::Query(wait) = payment.next_step(is_over) else { return answer };
            let left = context.remaining().saturating_sub(FOR_THE_LAST);
            // A response says more than a later failure.
            let latest = match (answer, last) {
                (Err(_), Some(response)) => Ok(response),
                (answer, _) => answer,
            };
            if left.is_zero() {
                return latest;
            }
            last = latest.ok();
            // If the call is cancelled meanwhile, the next query says so.
            let _ = context.sleep(wait.min(left));
        }
    }
}

/// Whether nothing follows the status of the payment.
pub(super) fn is_over(payment: &PaymentResponse) -> bool {
    payment.status().is_some_and(|status: PaymentStatus| status.is_final())
}
