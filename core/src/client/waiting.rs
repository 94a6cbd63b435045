//! When to query an open payment again, and the wait until it is over.

use std::time::{Duration, Instant};

use super::Client;
use crate::call::context::CallContext;
use crate::model::error::{Error, ErrorCode, ErrorKind};
use crate::model::operation::PaymentStatus;
use crate::model::request::{PaymentResponse, QueryPayment};

const SOONEST: Duration = Duration::from_secs(2);
const LATEST: Duration = Duration::from_secs(15 * 60);
/// A service may find a payment only some time after it was created.
const NOT_FOUND_UNTIL: Duration = Duration::from_secs(15 * 60);
/// What is left of a wait for its last query.
const FOR_THE_LAST: Duration = Duration::from_secs(1);

/// When to query a payment again that is `age` old: after a tenth of its age,
/// but no sooner than 2 s and no later than 15 min; `None` if it is over, or if
/// another query would fail alike. `answer` is what the last query gave.
///
/// Not stated in the interface, which has no events: these are our intervals.
pub fn next_query(
    age: Duration,
    answer: Result<Option<PaymentStatus>, &Error>,
) -> Option<Duration> {
    let usual = (age / 10).clamp(SOONEST, LATEST);
    match answer {
        Ok(Some(status)) if status.is_final() => None,
        Ok(_) => Some(usual),
        Err(error) if passes(error, age) => {
            Some(usual.max(error.retry_after().unwrap_or_default()))
        }
        Err(_) => None,
    }
}

/// Whether a later query may succeed.
fn passes(error: &Error, age: Duration) -> bool {
    match error.kind() {
        ErrorKind::Connect
        | ErrorKind::Timeout
        | ErrorKind::Transport
        | ErrorKind::RateLimited
        | ErrorKind::Token => true,
        ErrorKind::Status if error.http_status().is_some_and(|status| status >= 500) => true,
        _ => error.code() == ErrorCode::PAYMENT_NOT_FOUND && age < NOT_FOUND_UNTIL,
    }
}

impl Client {
    /// Queries a payment until it is over, as [`next_query`] says, or until the
    /// deadline of `context`; each query has the client's own deadline too.
    /// Returns the last response: at the deadline, the payment may still be
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
        let started = Instant::now();
        let mut last = None;
        loop {
            let query = context.limited_to(self.timeout()).with_own_record();
            let answer = self.execute(request, &query);
            let status = answer.as_ref().map(PaymentResponse::status);
            let again = next_query(started.elapsed(), status);
            let left = context.remaining().saturating_sub(FOR_THE_LAST);
            // A response says more than a later failure.
            let latest = match (answer, last) {
                (Err(_), Some(response)) if again.is_some() => Ok(response),
                (answer, _) => answer,
            };
            let Some(wait) = again.filter(|_| !left.is_zero()) else { return latest };
            last = latest.ok();
            // If the call is cancelled meanwhile, the next query says so.
            let _ = context.sleep(wait.min(left));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error::Outcome;

    const HOUR: Duration = Duration::from_secs(3600);

    fn failed(kind: ErrorKind, code: ErrorCode) -> Error {
        Error::new(kind, Outcome::NotExecuted, code, "it failed")
    }

    #[test]
    fn an_open_payment_is_queried_after_a_tenth_of_its_age() {
        for (age, wait) in [(0, 2), (19, 2), (60, 6), (3600, 360), (9000, 900), (90_000, 900)] {
            let age = Duration::from_secs(age);
            for status in [None, Some("OP"), Some("PE"), Some("PN")] {
                let status = status.map(PaymentStatus::from_code);
                assert_eq!(next_query(age, Ok(status)), Some(Duration::from_secs(wait)));
            }
        }
    }

    #[test]
    fn a_payment_that_is_over_is_not_queried_again() {
        for code in ["CO", "CA"] {
            assert_eq!(next_query(HOUR, Ok(Some(PaymentStatus::from_code(code)))), None);
        }
    }

    #[test]
    fn a_failure_that_passes_is_followed_by_another_query() {
        let limited = failed(ErrorKind::RateLimited, ErrorCode::RATE_LIMITED);
        let minute = Duration::from_secs(60);
        let asks_after = |error: &Error| next_query(minute, Err(error));
        assert_eq!(asks_after(&limited), Some(minute / 10));
        assert_eq!(asks_after(&limited.with_retry_after(Some(minute))), Some(minute));
        let down = failed(ErrorKind::Status, ErrorCode::FAILED);
        assert_eq!(asks_after(&down.clone().with_http_status(503)), Some(minute / 10));
        for (status, wait) in [(403, None), (499, None), (500, Some(minute / 10))] {
            assert_eq!(asks_after(&down.clone().with_http_status(status)), wait, "{status}");
        }
        assert_eq!(asks_after(&failed(ErrorKind::Config, ErrorCode::REQUIRED)), None);
        let missing = failed(ErrorKind::Rejected, ErrorCode::PAYMENT_NOT_FOUND);
        assert_eq!(asks_after(&missing), Some(minute / 10));
        let just_before = NOT_FOUND_UNTIL - Duration::from_nanos(1);
        assert_eq!(next_query(just_before, Err(&missing)), Some(just_before / 10));
        assert_eq!(next_query(NOT_FOUND_UNTIL, Err(&missing)), None);
    }
}
