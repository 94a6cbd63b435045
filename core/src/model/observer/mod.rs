//! Events of a client, without secrets.

// - `subject.rs`: which call an event is about
// - `spans.rs`: events as spans of the crate `tracing`
// - `generated.rs`: the kinds of events

mod generated;
#[cfg(feature = "tracing")]
mod spans;
mod subject;

use std::time::Duration;

pub use generated::EventKind;
#[cfg(feature = "tracing")]
pub use spans::TracingObserver;
pub use subject::Subject;

use crate::model::error::{Error, ErrorKind, Outcome};
use crate::model::json::{Json, Members};

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

/// Something that happened during a call. Events contain no secrets, payer
/// data, query strings, or text of the service but the hash of a payment.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The kind of the event, with its members.
    pub kind: &'a EventKind<'a>,
    subject: &'a Subject,
}

impl<'a> Event<'a> {
    #[doc(hidden)]
    pub fn new(subject: &'a Subject, kind: &'a EventKind<'a>) -> Self {
        Self { kind, subject }
    }

    /// The number of the call, which no other call of the process has. Tell
    /// calls apart by it: several may run on one thread.
    pub fn call(&self) -> u64 {
        self.subject.call()
    }

    /// The merchant's own reference, as logs show it: with escapes for control
    /// and format characters, and at most 64 characters. One that holds an `@`,
    /// a CPF, a CNPJ or a card number is shortened to its first three
    /// characters and `…`. `None` if the request has none, or with
    /// `log_references` off.
    pub fn reference(&self) -> Option<&'a str> {
        self.subject.reference()
    }

    /// The hash of the payment, once it is known.
    pub fn hash(&self) -> Option<&'a str> {
        self.subject.hash()
    }

    /// The event's name in every language, for example `request_ended`.
    pub fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// The severity of the event in a log.
    pub fn level(&self) -> Level {
        self.kind.level()
    }

    /// The event as an object: its name under `event`, followed by its members.
    /// Members that end in `_us` are durations in microseconds.
    pub fn to_json(&self) -> Json {
        let mut report = Members::new();
        report.push("event", self.name());
        report.push("call", self.call());
        report.push("reference", self.reference().map(str::to_owned));
        report.push("hash", self.hash().map(str::to_owned));
        self.kind.add_to(&mut report);
        Json::Object(report)
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
    /// A call failed, and its error says everything.
    Info,
    /// An operator wants to know: an unknown outcome, a retry, a backoff, or a token
    /// store or journal that fails.
    Warning,
}

impl Level {
    /// The level with this name, in any case; `warn` is `warning`.
    pub fn of_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "debug" => Some(Self::Debug),
            "info" => Some(Self::Info),
            "warn" | "warning" => Some(Self::Warning),
            _ => None,
        }
    }
}

impl EventKind<'_> {
    /// The severity of the event in a log.
    pub fn level(&self) -> Level {
        match self {
            EventKind::Retry { .. }
            | EventKind::TokenFailed { backoff: Some(_), .. }
            | EventKind::TokenKept { .. }
            | EventKind::StoreBypassed { .. }
            | EventKind::JournalFailed { .. } => Level::Warning,
            EventKind::RequestEnded { failure: Some(failure), .. } => match failure.outcome {
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

    fn ended(failure: Option<Failure>) -> EventKind<'static> {
        EventKind::RequestEnded {
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
        let token = |backoff| EventKind::TokenFailed { kind, backoff, duration: wait };
        let operation = Operation::QueryPayment;
        for (event, level) in [
            (ended(None), Level::Debug),
            (EventKind::Attempt { operation, number: 1 }, Level::Debug),
            (EventKind::TokenInvalidated, Level::Debug),
            // The call says so itself.
            (token(None), Level::Debug),
            (ended(failed(Outcome::NotExecuted)), Level::Info),
            (ended(failed(Outcome::Executed)), Level::Info),
            (ended(failed(Outcome::Unknown)), Level::Warning),
            (token(Some(wait)), Level::Warning),
            (EventKind::Retry { operation, number: 1, kind, wait }, Level::Warning),
            (EventKind::TokenKept { backoff: wait, reason: "it did not help" }, Level::Warning),
            (EventKind::StoreBypassed { action: "load", reason: "down".into() }, Level::Warning),
            (EventKind::JournalFailed { id: "1", reason: "down" }, Level::Warning),
        ] {
            assert_eq!(event.level(), level, "{event:?}");
        }
    }

    #[test]
    fn a_failed_call_has_the_members_of_its_failure() {
        let subject = Subject::next(Some("order-1".to_owned()));
        let report = Event::new(&subject, &ended(failed(Outcome::Unknown))).to_json();
        assert_eq!(report.get("reference").and_then(Json::as_str), Some("order-1"));
        assert_eq!(report.get("hash"), Some(&Json::Null));
        assert_eq!(report.get("kind").and_then(Json::as_str), Some("timeout"));
        assert_eq!(report.get("code").and_then(Json::as_str), Some("deadline_passed"));
        assert_eq!(report.get("outcome").and_then(Json::as_str), Some("unknown"));
    }
}
