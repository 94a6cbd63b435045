//! Events of a client, without secrets.

mod generated;
#[cfg(feature = "tracing")]
mod spans;

use std::time::Duration;

pub use generated::Event;
#[cfg(feature = "tracing")]
pub use spans::TracingObserver;

use crate::model::error::{Error, ErrorKind, Outcome};

/// Receives the events of a client, on the caller's own thread and under no
/// lock. Token events are delivered after the locks for fetching the token are
/// released.
///
/// An observer must not call the client it observes; such a call is refused. A
/// panic in an observer is caught and ignored.
pub trait Observer: Send + Sync {
    /// Receives one event.
    fn on_event(&self, event: &Event<'_>);
}

impl<F: Fn(&Event<'_>) + Send + Sync> Observer for F {
    fn on_event(&self, event: &Event<'_>) {
        self(event);
    }
}

/// The failure of a call, as events show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Failure {
    /// The kind of failure.
    pub kind: ErrorKind,
    /// The stable code within the kind.
    pub code: &'static str,
    /// Whether the operation was executed.
    pub outcome: Outcome,
}

impl Failure {
    pub(crate) fn of(error: &Error) -> Self {
        Self { kind: error.kind(), code: error.code().as_str(), outcome: error.outcome() }
    }
}

/// The severity of an event in a log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Level {
    /// Part of every call.
    Debug,
    /// A call failed, and the error says all.
    Info,
    /// An operator wants to know: an unknown outcome, a retry, a backoff, or a token
    /// store or journal that fails.
    Warning,
}

impl Event<'_> {
    /// The severity of the event in a log.
    pub fn level(&self) -> Level {
        match self {
            Event::Retry { .. }
            | Event::TokenFailed { backoff: Some(_), .. }
            | Event::StoreBypassed { .. }
            | Event::JournalFailed { .. } => Level::Warning,
            Event::RequestEnded { failure: Some(failure), .. } => match failure.outcome {
                Outcome::Unknown => Level::Warning,
                Outcome::NotExecuted | Outcome::Executed => Level::Info,
            },
            _ => Level::Debug,
        }
    }
}

fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::json::Json;
    use crate::model::operation::Operation;

    fn ended(failure: Option<Failure>) -> Event<'static> {
        Event::RequestEnded {
            operation: Operation::CreatePayment,
            http_status: Some(200),
            failure,
            attempts: 1,
            duration: Duration::ZERO,
            signing: Duration::ZERO,
        }
    }

    fn failed(outcome: Outcome) -> Option<Failure> {
        Some(Failure { kind: ErrorKind::Timeout, code: "deadline_passed", outcome })
    }

    #[test]
    fn a_log_warns_of_events_for_operators() {
        let (kind, wait) = (ErrorKind::Connect, Duration::from_secs(1));
        let token = |backoff| Event::TokenFailed { kind, backoff, duration: wait };
        let operation = Operation::QueryPayment;
        for (event, level) in [
            (ended(None), Level::Debug),
            (Event::Attempt { operation, number: 1 }, Level::Debug),
            (Event::TokenInvalidated, Level::Debug),
            // The call says so itself.
            (token(None), Level::Debug),
            (ended(failed(Outcome::NotExecuted)), Level::Info),
            (ended(failed(Outcome::Executed)), Level::Info),
            (ended(failed(Outcome::Unknown)), Level::Warning),
            (token(Some(wait)), Level::Warning),
            (Event::Retry { operation, number: 1, kind, wait }, Level::Warning),
            (Event::StoreBypassed { action: "load", reason: "down".into() }, Level::Warning),
            (Event::JournalFailed { id: "1", reason: "down" }, Level::Warning),
        ] {
            assert_eq!(event.level(), level, "{event:?}");
        }
    }

    #[test]
    fn members_of_a_failure_are_there_after_one() {
        let report = ended(failed(Outcome::Unknown)).to_json();
        assert_eq!(report.get("kind").and_then(Json::as_str), Some("timeout"));
        assert_eq!(report.get("code").and_then(Json::as_str), Some("deadline_passed"));
        assert_eq!(report.get("outcome").and_then(Json::as_str), Some("unknown"));
    }
}
