//! The next step for an open payment after a query: the one rule of all code
//! that follows payments.

use std::time::Duration;

use payments_core::error::{Error, ErrorKind, Reason};

const SOONEST: Duration = Duration::from_secs(2);
pub(super) const LATEST: Duration = Duration::from_secs(15 * 60);
/// A service may find a payment only some time after it was created.
const NOT_FOUND_UNTIL: Duration = Duration::from_secs(15 * 60);
/// After this many failures in a row that concern all payments, queries pause.
pub(super) const FAILURES_UNTIL_PAUSE: u32 = 3;
/// How long they pause: after that failure, the next one, and so on.
const PAUSES: [Duration; 5] = [
    Duration::from_secs(30),
    Duration::from_secs(60),
    Duration::from_secs(120),
    Duration::from_secs(300),
    LATEST,
];

/// The state of a payment or a refund when its query ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenPayment {
    /// How old it is.
    pub age: Duration,
    /// The age at which it is given up if it is still open.
    pub give_up_after: Duration,
    /// Whether the service is known to have it: a call created it, or an earlier
    /// query found it.
    pub was_found: bool,
    /// The result of [`failures_after`](Self::failures_after) for the previous
    /// query, or 0.
    pub failures: u32,
}

/// The step after a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NextStep {
    /// It is over.
    Ended,
    /// Query again after this time.
    Query(Duration),
    /// It is still open at the age of `give_up_after`, or the service refuses its
    /// query at that age, or does not find it and should by now.
    GiveUp,
    /// The query can never work, or nothing that this client does: `validation`,
    /// `config`, `journal`, `internal`, and `cancelled`.
    Fail,
}

/// The kinds of failed queries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FailedQuery<'a> {
    pub(crate) kind: &'a str,
    pub(crate) reason: Option<Reason>,
    pub(crate) http_status: Option<u16>,
    pub(crate) retry_after: Option<Duration>,
}

/// The consequence of a failed query for all other queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Concern {
    /// They work: the service answered.
    Answered,
    /// Nothing.
    Nothing,
    /// They may work: a response that says nothing may be about this item only.
    Item,
    /// They may fail too: the way to the service may be down.
    Outage,
    /// They fail too: the credentials or the token request are refused.
    Refused,
}

impl OpenPayment {
    /// The step after a query: `answer` is whether it showed a final status, or
    /// why it failed. The next query comes after a tenth of the age, but no
    /// sooner than 2 s and no later than 15 min; `Retry-After` may defer it. An
    /// unknown status is open, and a failed query decides nothing, unless the
    /// request is invalid, or the service refuses it at the age of
    /// `give_up_after`.
    ///
    /// Refused credentials, and three failures in a row that are no answer of the
    /// service, are followed by a pause: 30 s, 1, 2, 5, then 15 min, until a query
    /// succeeds.
    ///
    /// Not stated in the interface, which has no events: these are our intervals.
    pub fn next_step(&self, answer: Result<bool, &Error>) -> NextStep {
        self.after(answer.map_err(FailedQuery::of))
    }

    /// The [`failures`](Self::failures) of the next query.
    pub fn failures_after(&self, answer: Result<bool, &Error>) -> u32 {
        self.counted(answer.map_err(FailedQuery::of))
    }

    pub(crate) fn after(&self, answer: Result<bool, FailedQuery<'_>>) -> NextStep {
        let usual = (self.age / 10).clamp(SOONEST, LATEST);
        let is_old = self.age >= self.give_up_after;
        match answer {
            Ok(true) => NextStep::Ended,
            Ok(false) if is_old => NextStep::GiveUp,
            Ok(false) => NextStep::Query(usual),
            Err(failed) if failed.reason == Some(Reason::NotFound) => {
                let should_be_there = !self.was_found && self.age >= NOT_FOUND_UNTIL;
                if is_old || should_be_there { NextStep::GiveUp } else { NextStep::Query(usual) }
            }
            Err(failed) if failed.is_final() => NextStep::Fail,
            // The service answers, and will not say more.
            Err(failed) if is_old && failed.concern() == Concern::Answered => NextStep::GiveUp,
            // Other failures say nothing about the payment, however old it is.
            Err(failed) => {
                let pause = pause_after(self.counted(answer));
                NextStep::Query(usual.max(pause).max(failed.retry_after.unwrap_or_default()))
            }
        }
    }

    pub(crate) fn counted(&self, answer: Result<bool, FailedQuery<'_>>) -> u32 {
        answer.map_or_else(|failed| failures_after(self.failures, failed.concern()), |_| 0)
    }
}

/// The number of failures after another one.
pub(super) fn failures_after(failures: u32, concern: Concern) -> u32 {
    match concern {
        Concern::Answered => 0,
        Concern::Nothing => failures,
        Concern::Item | Concern::Outage => failures.saturating_add(1),
        Concern::Refused => failures.max(FAILURES_UNTIL_PAUSE - 1).saturating_add(1),
    }
}

/// How long queries pause after this many failures.
pub(super) fn pause_after(failures: u32) -> Duration {
    let Some(step) = failures.checked_sub(FAILURES_UNTIL_PAUSE) else { return Duration::ZERO };
    *PAUSES.get(step as usize).unwrap_or(&LATEST)
}

impl<'a> FailedQuery<'a> {
    pub(super) fn of(error: &'a Error) -> Self {
        Self {
            kind: error.kind().as_str(),
            reason: error.reason(),
            http_status: error.http_status(),
            retry_after: error.retry_after(),
        }
    }

    fn is_of(&self, kinds: &[ErrorKind]) -> bool {
        kinds.iter().any(|kind| kind.as_str() == self.kind)
    }

    /// Whether the request can never work, or nothing that the client does.
    fn is_final(&self) -> bool {
        self.is_of(&[ErrorKind::Validation]) || self.ends_all()
    }

    /// Whether the failure is not about queries at all, so that nothing
    /// continues.
    pub(super) fn ends_all(&self) -> bool {
        self.is_of(&[
            ErrorKind::Config,
            ErrorKind::Cancelled,
            ErrorKind::Journal,
            ErrorKind::Internal,
        ])
    }

    /// Its consequence for all other queries.
    pub(super) fn concern(&self) -> Concern {
        const DOWN: &[ErrorKind] =
            &[ErrorKind::Connect, ErrorKind::Tls, ErrorKind::Timeout, ErrorKind::Token];
        let is_refused = self.reason == Some(Reason::TokenRefused)
            || self.is_of(&[ErrorKind::Signing, ErrorKind::Unauthorized]);
        match self.http_status {
            _ if is_refused => Concern::Refused,
            _ if self.is_of(DOWN) => Concern::Outage,
            _ if self.is_final() || self.is_of(&[ErrorKind::RateLimited]) => Concern::Nothing,
            Some(401) => Concern::Outage,
            Some(403 | 300..=399 | 500..) => Concern::Item,
            _ if self.is_of(&[ErrorKind::Rejected]) => Concern::Answered,
            _ => Concern::Item,
        }
    }
}

#[cfg(test)]
mod tests {
    use payments_core::error::{ErrorCode, Outcome};
    use payments_core::operation::PaymentStatus;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);
    const HOUR: Duration = Duration::from_secs(3600);
    const WEEK: Duration = Duration::from_secs(7 * 86_400);

    fn open(age: Duration) -> OpenPayment {
        OpenPayment { age, give_up_after: WEEK, was_found: false, failures: 0 }
    }

    fn failed(kind: ErrorKind, code: ErrorCode) -> Error {
        Error::new(kind, Outcome::NotExecuted, code, "it failed")
    }

    fn missing() -> Error {
        failed(ErrorKind::Rejected, ErrorCode::PAYMENT_NOT_FOUND).because(Reason::NotFound)
    }

    fn with_status(status: u16) -> Error {
        failed(ErrorKind::Status, ErrorCode::FAILED).with_http_status(status)
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
    fn a_failed_query_is_repeated_unless_it_is_invalid() {
        let after = |error: &Error| open(MINUTE).next_step(Err(error));
        let usual = NextStep::Query(MINUTE / 10);
        let limited = failed(ErrorKind::RateLimited, ErrorCode::RATE_LIMITED);
        assert_eq!(after(&limited.with_retry_after(Some(MINUTE))), NextStep::Query(MINUTE));
        for status in [302, 400, 403, 404, 499, 500, 503] {
            assert_eq!(after(&with_status(status)), usual, "{status}");
        }
        let ends = [
            ErrorKind::Validation,
            ErrorKind::Config,
            ErrorKind::Cancelled,
            ErrorKind::Journal,
            ErrorKind::Internal,
        ];
        let refused = [ErrorKind::Signing, ErrorKind::Unauthorized];
        for kind in ErrorKind::ALL {
            let expected = match kind {
                _ if ends.contains(&kind) => NextStep::Fail,
                _ if refused.contains(&kind) => NextStep::Query(MINUTE / 2),
                _ => usual,
            };
            assert_eq!(after(&failed(kind, ErrorCode::FAILED)), expected, "{kind}");
        }
    }

    #[test]
    fn failures_of_all_queries_lead_to_growing_pauses() {
        let pauses = |error: &Error, count: usize| {
            let mut payment = open(Duration::ZERO);
            let pause = |_| {
                let NextStep::Query(wait) = payment.next_step(Err(error)) else {
                    panic!("{error}")
                };
                payment.failures = payment.failures_after(Err(error));
                wait.as_secs()
            };
            (0..count).map(pause).collect::<Vec<_>>()
        };
        let refused =
            failed(ErrorKind::Token, ErrorCode::CREDENTIALS_REFUSED).because(Reason::TokenRefused);
        let unauthorized = failed(ErrorKind::Unauthorized, ErrorCode::UNAUTHORIZED);
        for error in [refused, unauthorized] {
            assert_eq!(pauses(&error, 7), [30, 60, 120, 300, 900, 900, 900]);
        }
        let down = [ErrorKind::Connect, ErrorKind::Tls, ErrorKind::Timeout, ErrorKind::Token];
        let down = down.map(|kind| failed(kind, ErrorCode::FAILED));
        let unreadable = [ErrorKind::Transport, ErrorKind::Protocol, ErrorKind::Decode];
        let unreadable = unreadable.map(|kind| failed(kind, ErrorCode::FAILED));
        let statuses = [302, 400, 401, 403, 404, 500, 503].map(with_status);
        for error in down.into_iter().chain(unreadable).chain(statuses) {
            assert_eq!(pauses(&error, 8), [2, 2, 30, 60, 120, 300, 900, 900], "{error:?}");
        }
        let limited = failed(ErrorKind::RateLimited, ErrorCode::RATE_LIMITED);
        assert_eq!(pauses(&limited, 5), [2; 5]);
    }

    #[test]
    fn an_answer_ends_the_count_of_failures() {
        let after = |answer: Result<bool, &Error>| {
            OpenPayment { failures: 7, ..open(MINUTE) }.failures_after(answer)
        };
        assert_eq!([after(Ok(false)), after(Ok(true))], [0, 0]);
        assert_eq!(after(Err(&missing())), 0);
        assert_eq!(after(Err(&with_status(404))), 8, "a gateway may have said so");
        assert_eq!(after(Err(&failed(ErrorKind::RateLimited, ErrorCode::RATE_LIMITED))), 7);
        assert_eq!(after(Err(&with_status(503))), 8);
    }

    #[test]
    fn a_payment_never_found_is_given_up_unless_it_existed() {
        let missing = missing();
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
    fn a_query_that_is_refused_is_given_up_at_its_age() {
        let refused = failed(ErrorKind::Rejected, ErrorCode::FAILED).with_http_status(200);
        assert_eq!(open(HOUR).next_step(Err(&refused)), NextStep::Query(HOUR / 10));
        assert_eq!(open(WEEK).next_step(Err(&refused)), NextStep::GiveUp);
        let unauthorized = failed(ErrorKind::Rejected, ErrorCode::FAILED).with_http_status(401);
        assert_eq!(open(WEEK).next_step(Err(&unauthorized)), NextStep::Query(LATEST));
    }

    #[test]
    fn an_open_payment_is_given_up_at_its_age() {
        let just_before = open(WEEK - Duration::from_nanos(1));
        assert_eq!(just_before.next_step(Ok(false)), NextStep::Query(LATEST));
        assert_eq!(open(WEEK).next_step(Ok(false)), NextStep::GiveUp);
        for error in [with_status(404), failed(ErrorKind::RateLimited, ErrorCode::RATE_LIMITED)] {
            let next = open(WEEK).next_step(Err(&error));
            assert_eq!(next, NextStep::Query(LATEST), "a failed query decides nothing");
        }
        let patient = OpenPayment { give_up_after: Duration::MAX, ..open(2 * WEEK) };
        assert_eq!(patient.next_step(Ok(false)), NextStep::Query(LATEST));
    }
}
