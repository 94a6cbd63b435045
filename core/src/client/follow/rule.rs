//! What to do about an open payment after a query: the one rule of all that
//! follow payments.

use std::time::Duration;

use crate::model::error::{Error, ErrorCode, ErrorKind};

const SOONEST: Duration = Duration::from_secs(2);
const LATEST: Duration = Duration::from_secs(15 * 60);
/// A service may find a payment only some time after it was created.
const NOT_FOUND_UNTIL: Duration = Duration::from_secs(15 * 60);

/// What is known of a payment or a refund when its query ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenPayment {
    /// How old it is.
    pub age: Duration,
    /// The age at which it is given up if it is still open.
    pub give_up_after: Duration,
    /// Whether the service is known to have it: a call created it, or an earlier
    /// query found it.
    pub was_found: bool,
}

/// What to do after a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NextStep {
    /// It is over.
    Ended,
    /// Query again, in so much time.
    Query(Duration),
    /// It is still open at the age of `give_up_after`, or the service does not
    /// find it and should by now.
    GiveUp,
    /// The query failed, and another one would fail alike.
    Fail,
}

/// What a failed query says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FailedQuery<'a> {
    pub(crate) kind: &'a str,
    pub(crate) code: &'a str,
    pub(crate) http_status: Option<u16>,
    pub(crate) retry_after: Option<Duration>,
}

impl OpenPayment {
    /// What to do after a query: `answer` is whether it showed a status that
    /// nothing follows, or why it failed. The next query comes after a tenth of
    /// the age, but no sooner than 2 s and no later than 15 min; `Retry-After`
    /// may defer it. An unknown status is open, and a failed query decides
    /// nothing.
    ///
    /// Not stated in the interface, which has no events: these are our intervals.
    pub fn next_step(&self, answer: Result<bool, &Error>) -> NextStep {
        self.after(answer.map_err(|error| FailedQuery {
            kind: error.kind().as_str(),
            code: error.code().as_str(),
            http_status: error.http_status(),
            retry_after: error.retry_after(),
        }))
    }

    pub(crate) fn after(&self, answer: Result<bool, FailedQuery<'_>>) -> NextStep {
        let usual = (self.age / 10).clamp(SOONEST, LATEST);
        let is_old = self.age >= self.give_up_after;
        match answer {
            Ok(true) => NextStep::Ended,
            Ok(false) if is_old => NextStep::GiveUp,
            Ok(false) => NextStep::Query(usual),
            // A failed query says nothing of the payment, however old it is.
            Err(failed) if failed.passes() => {
                NextStep::Query(usual.max(failed.retry_after.unwrap_or_default()))
            }
            Err(failed) if failed.code == ErrorCode::PAYMENT_NOT_FOUND.as_str() => {
                let should_be_there = !self.was_found && self.age >= NOT_FOUND_UNTIL;
                if is_old || should_be_there { NextStep::GiveUp } else { NextStep::Query(usual) }
            }
            Err(_) => NextStep::Fail,
        }
    }
}

impl FailedQuery<'_> {
    /// Whether a later query may succeed.
    fn passes(&self) -> bool {
        const KINDS: [ErrorKind; 5] = [
            ErrorKind::Connect,
            ErrorKind::Timeout,
            ErrorKind::Transport,
            ErrorKind::RateLimited,
            ErrorKind::Token,
        ];
        KINDS.iter().any(|kind| kind.as_str() == self.kind)
            || self.kind == ErrorKind::Status.as_str()
                && self.http_status.is_some_and(|status| status >= 500)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error::Outcome;
    use crate::model::operation::PaymentStatus;

    const MINUTE: Duration = Duration::from_secs(60);
    const HOUR: Duration = Duration::from_secs(3600);
    const WEEK: Duration = Duration::from_secs(7 * 86_400);

    fn open(age: Duration) -> OpenPayment {
        OpenPayment { age, give_up_after: WEEK, was_found: false }
    }

    fn failed(kind: ErrorKind, code: ErrorCode) -> Error {
        Error::new(kind, Outcome::NotExecuted, code, "it failed")
    }

    #[test]
    fn an_open_payment_is_queried_after_a_tenth_of_its_age() {
        for (age, wait) in [(0, 2), (19, 2), (60, 6), (3600, 360), (9000, 900), (90_000, 900)] {
            let payment = open(Duration::from_secs(age));
            for code in ["OP", "PE", "PN"] {
                let is_over = PaymentStatus::from_code(code).is_final();
                let next = payment.next_step(Ok(is_over));
                assert_eq!(next, NextStep::Query(Duration::from_secs(wait)), "{code}");
            }
        }
    }

    #[test]
    fn a_payment_that_is_over_is_not_queried_again() {
        for code in ["CO", "CA"] {
            let is_over = PaymentStatus::from_code(code).is_final();
            for age in [Duration::ZERO, HOUR, 2 * WEEK] {
                assert_eq!(open(age).next_step(Ok(is_over)), NextStep::Ended);
            }
        }
    }

    #[test]
    fn a_failure_that_passes_is_followed_by_another_query() {
        let after = |error: &Error| open(MINUTE).next_step(Err(error));
        let usual = NextStep::Query(MINUTE / 10);
        let limited = failed(ErrorKind::RateLimited, ErrorCode::RATE_LIMITED);
        assert_eq!(after(&limited), usual);
        assert_eq!(after(&limited.with_retry_after(Some(MINUTE))), NextStep::Query(MINUTE));
        let down = failed(ErrorKind::Status, ErrorCode::FAILED);
        for (status, next) in [(500, usual), (503, usual), (499, NextStep::Fail)] {
            assert_eq!(after(&down.clone().with_http_status(status)), next, "{status}");
        }
        for kind in [ErrorKind::Connect, ErrorKind::Timeout, ErrorKind::Transport] {
            assert_eq!(after(&failed(kind, ErrorCode::FAILED)), usual, "{kind}");
        }
        assert_eq!(after(&down.with_http_status(403)), NextStep::Fail);
        assert_eq!(after(&failed(ErrorKind::Config, ErrorCode::REQUIRED)), NextStep::Fail);
    }

    #[test]
    fn a_payment_that_is_never_found_is_given_up_unless_the_service_had_it() {
        let missing = failed(ErrorKind::Rejected, ErrorCode::PAYMENT_NOT_FOUND);
        assert_eq!(open(MINUTE).next_step(Err(&missing)), NextStep::Query(MINUTE / 10));
        let just_before = NOT_FOUND_UNTIL - Duration::from_nanos(1);
        let next = open(just_before).next_step(Err(&missing));
        assert_eq!(next, NextStep::Query(just_before / 10));
        assert_eq!(open(NOT_FOUND_UNTIL).next_step(Err(&missing)), NextStep::GiveUp);
        let known = OpenPayment { was_found: true, ..open(HOUR) };
        assert_eq!(known.next_step(Err(&missing)), NextStep::Query(HOUR / 10));
        let old = OpenPayment { age: WEEK, ..known };
        assert_eq!(old.next_step(Err(&missing)), NextStep::GiveUp);
    }

    #[test]
    fn what_is_still_open_is_given_up_at_that_age() {
        let just_before = open(WEEK - Duration::from_nanos(1));
        assert_eq!(just_before.next_step(Ok(false)), NextStep::Query(LATEST));
        assert_eq!(open(WEEK).next_step(Ok(false)), NextStep::GiveUp);
        let limited = failed(ErrorKind::RateLimited, ErrorCode::RATE_LIMITED);
        let next = open(WEEK).next_step(Err(&limited));
        assert_eq!(next, NextStep::Query(LATEST), "a failed query decides nothing");
        let patient = OpenPayment { give_up_after: Duration::MAX, ..open(2 * WEEK) };
        assert_eq!(patient.next_step(Ok(false)), NextStep::Query(LATEST));
    }
}
