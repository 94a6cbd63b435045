//! Events as JSON, for host languages.

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
            Self::RequestEnded { .. } => "request_ended",
        }
    }

    /// The event as an object: its name under `event`, and its members.
    /// Durations are microseconds, in members that end in `_us`.
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
            Self::TokenFailed { kind, quiet } => {
                report.push("kind", kind.as_str());
                report.push("quiet_us", quiet.map(microseconds));
            }
            Self::TokenInvalidated => {}
            Self::StoreBypassed { action, reason } => {
                report.push("action", *action);
                report.push("reason", *reason);
            }
            Self::RequestEnded { operation, http_status, failure, attempts, duration, signing } => {
                report.push("operation", operation.name());
                report.push("http_status", http_status.map(u64::from));
                report.push("kind", failure.map(|(kind, _)| kind.as_str()));
                report.push("outcome", failure.map(|(_, outcome)| outcome.as_str()));
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
