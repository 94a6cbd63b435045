//! Events as JSON, for other languages.

use std::time::Duration;

use super::Event;
use crate::json::{Json, Members};

impl Event<'_> {
    /// The event's name in every language, for example `request_ended`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RequestStarted { .. } => "request_started",
            Self::Attempt { .. } => "attempt",
            Self::Retry { .. } => "retry",
            Self::TokenFetched { .. } => "token_fetched",
            Self::TokenReused { .. } => "token_reused",
            Self::TokenFailed { .. } => "token_failed",
            Self::TokenInvalidated => "token_invalidated",
            Self::StoreBypassed { .. } => "store_bypassed",
            Self::JournalFailed { .. } => "journal_failed",
            Self::RequestEnded { .. } => "request_ended",
        }
    }

    /// The event as an object: its name under `event`, followed by its members.
    /// Members that end in `_us` are durations in microseconds.
    pub fn to_json(&self) -> Json {
        let mut report = Members::new();
        report.push("event", self.name());
        match self {
            Self::RequestStarted { operation, method, path } => {
                report.push("operation", operation.name());
                report.push("method", *method);
                report.push("path", *path);
            }
            Self::Attempt { operation, number } => {
                report.push("operation", operation.name());
                report.push("number", u64::from(*number));
            }
            Self::Retry { operation, number, kind, wait } => {
                report.push("operation", operation.name());
                report.push("number", u64::from(*number));
                report.push("kind", kind.as_str());
                report.push("wait_us", microseconds(*wait));
            }
            Self::TokenFetched { duration, lifetime } => {
                report.push("duration_us", microseconds(*duration));
                report.push("lifetime_us", microseconds(*lifetime));
            }
            Self::TokenReused { remaining } => {
                report.push("remaining_us", microseconds(*remaining));
            }
            Self::TokenFailed { kind, backoff } => {
                report.push("kind", kind.as_str());
                report.push("backoff_us", backoff.map(microseconds));
            }
            Self::TokenInvalidated => {}
            Self::StoreBypassed { action, reason } => {
                report.push("action", *action);
                report.push("reason", *reason);
            }
            Self::JournalFailed { id, reason } => {
                report.push("id", *id);
                report.push("reason", *reason);
            }
            Self::RequestEnded { operation, http_status, failure, attempts, duration, signing } => {
                report.push("operation", operation.name());
                report.push("http_status", http_status.map(u64::from));
                report.push("kind", failure.map(|it| it.kind.as_str()));
                report.push("code", failure.map(|it| it.code));
                report.push("outcome", failure.map(|it| it.outcome.as_str()));
                report.push("attempts", u64::from(*attempts));
                report.push("duration_us", microseconds(*duration));
                report.push("signing_us", microseconds(*signing));
            }
        }
        Json::Object(report)
    }
}

fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ErrorKind, Outcome};
    use crate::observer::{Description, EVENTS, Failure};
    use crate::operation::Operation;

    /// The event after this one. A kind without an arm here does not compile.
    fn after(event: Option<&Event<'_>>) -> Option<Event<'static>> {
        let (operation, number) = (Operation::CreatePayment, 1);
        let (kind, duration) = (ErrorKind::Timeout, Duration::from_millis(2));
        Some(match event {
            None => Event::RequestStarted { operation, method: "POST", path: "/ws/direct" },
            Some(Event::RequestStarted { .. }) => Event::Attempt { operation, number },
            Some(Event::Attempt { .. }) => Event::Retry { operation, number, kind, wait: duration },
            Some(Event::Retry { .. }) => Event::TokenFetched { duration, lifetime: duration },
            Some(Event::TokenFetched { .. }) => Event::TokenReused { remaining: duration },
            Some(Event::TokenReused { .. }) => Event::TokenFailed { kind, backoff: None },
            Some(Event::TokenFailed { .. }) => Event::TokenInvalidated,
            Some(Event::TokenInvalidated) => Event::StoreBypassed { action: "load", reason: "" },
            Some(Event::StoreBypassed { .. }) => Event::JournalFailed { id: "1", reason: "" },
            Some(Event::JournalFailed { .. }) => Event::RequestEnded {
                operation,
                http_status: None,
                failure: None,
                attempts: 1,
                duration,
                signing: duration,
            },
            Some(Event::RequestEnded { .. }) => return None,
        })
    }

    #[test]
    fn the_table_has_every_event_and_member() {
        let events = std::iter::successors(after(None), |event| after(Some(event)));
        let told: Vec<_> = events
            .map(|event| {
                let Json::Object(report) = event.to_json() else { panic!("{event:?}") };
                let members = report.iter().filter(|(name, _)| *name != "event");
                let members = members.map(|(name, value)| (name.to_owned(), value.is_null()));
                (event.name(), members.collect::<Vec<_>>())
            })
            .collect();
        let members_of = |event: &Description| {
            let members = event.members.iter();
            members.map(|member| (member.name.to_owned(), member.may_be_null)).collect::<Vec<_>>()
        };
        let table: Vec<_> = EVENTS.iter().map(|event| (event.name, members_of(event))).collect();
        assert_eq!(told, table);
    }

    #[test]
    fn what_a_failure_adds_is_there_when_it_failed() {
        let failure = Some(Failure {
            kind: ErrorKind::Timeout,
            code: "deadline_passed",
            outcome: Outcome::Unknown,
        });
        let event = Event::RequestEnded {
            operation: Operation::CreatePayment,
            http_status: Some(200),
            failure,
            attempts: 1,
            duration: Duration::ZERO,
            signing: Duration::ZERO,
        };
        let Json::Object(report) = event.to_json() else { panic!() };
        assert_eq!(report.get("kind").and_then(Json::as_str), Some("timeout"));
        assert_eq!(report.get("code").and_then(Json::as_str), Some("deadline_passed"));
        assert_eq!(report.get("outcome").and_then(Json::as_str), Some("unknown"));
    }
}
