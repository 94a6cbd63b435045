// Generated from spec/events.toml by generate/templates/event.rs.jinja; do not edit. To update: cargo xtask generate

//! The events that an observer receives.

use std::borrow::Cow;
use std::time::Duration;

use super::{Failure, microseconds};
use crate::model::error::ErrorKind;
use crate::model::json::Members;
use crate::model::operation::Operation;

/// The kind of an event, with its members.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EventKind<'a> {
    /// A call begins: its input was accepted.
    #[non_exhaustive]
    RequestStarted {
        /// The operation.
        operation: Operation,
        /// The method.
        method: &'a str,
        /// The path without query and configured secrets; that of `send` up to
        /// its second segment.
        path: &'a str,
        /// The host of the service, and its port if the address has one.
        host: &'a str,
    },
    /// A request is about to be sent.
    #[non_exhaustive]
    Attempt {
        /// The operation.
        operation: Operation,
        /// 1 for the first attempt.
        number: u32,
    },
    /// An attempt ended, with a response or without one.
    #[non_exhaustive]
    AttemptEnded {
        /// The operation.
        operation: Operation,
        /// 1 for the first attempt.
        number: u32,
        /// The status, if there was a response.
        http_status: Option<u16>,
        /// Why there was no response.
        kind: Option<ErrorKind>,
        /// How long it took, with the connection.
        duration: Duration,
    },
    /// An attempt failed, and another follows: for a query, or when no
    /// connection was made.
    #[non_exhaustive]
    Retry {
        /// The operation.
        operation: Operation,
        /// The attempt that failed, 1 for the first.
        number: u32,
        /// The kind.
        kind: ErrorKind,
        /// How long the client waits first.
        wait: Duration,
    },
    /// The token server was asked for a bearer token.
    #[non_exhaustive]
    TokenRequested {
        /// The host of the token server, and its port if the address has one.
        host: Cow<'a, str>,
    },
    /// The token server issued a bearer token.
    #[non_exhaustive]
    TokenFetched {
        /// The duration.
        duration: Duration,
        /// How long it is valid.
        lifetime: Duration,
    },
    /// A cached bearer token is used.
    #[non_exhaustive]
    TokenReused {
        /// How long it remains valid.
        remaining: Duration,
    },
    /// No bearer token could be obtained.
    #[non_exhaustive]
    TokenFailed {
        /// The kind.
        kind: ErrorKind,
        /// How long the token server is not contacted (backoff).
        backoff: Option<Duration>,
        /// How long the call waited for the token server.
        duration: Duration,
    },
    /// A bearer token was refused, and is not used again.
    TokenInvalidated,
    /// A bearer token was refused, and no other is requested now.
    #[non_exhaustive]
    TokenKept {
        /// How long no other is requested.
        backoff: Duration,
        /// Why.
        reason: &'a str,
    },
    /// A token store failed, and the call continues without it.
    #[non_exhaustive]
    StoreBypassed {
        /// The action that failed.
        action: &'static str,
        /// Why, in the store's own words.
        reason: Cow<'a, str>,
    },
    /// A call's end could not be recorded in the journal, or contradicts a
    /// person's decision.
    #[non_exhaustive]
    JournalFailed {
        /// The id of the entry.
        id: &'a str,
        /// Why, in the journal's own words.
        reason: &'a str,
    },
    /// A call ended.
    #[non_exhaustive]
    RequestEnded {
        /// The operation.
        operation: Operation,
        /// The status of the last response, if there was one.
        http_status: Option<u16>,
        /// How many attempts were made, including those that could not connect.
        attempts: u32,
        /// How long the call took, with token and signature.
        duration: Duration,
        /// How long signing took, with the wait for other calls that sign.
        signing: Duration,
        /// The failure, if there was one.
        failure: Option<Failure>,
    },
}

impl EventKind<'_> {
    /// The event's name in every language, for example `request_ended`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RequestStarted { .. } => "request_started",
            Self::Attempt { .. } => "attempt",
            Self::AttemptEnded { .. } => "attempt_ended",
            Self::Retry { .. } => "retry",
            Self::TokenRequested { .. } => "token_requested",
            Self::TokenFetched { .. } => "token_fetched",
            Self::TokenReused { .. } => "token_reused",
            Self::TokenFailed { .. } => "token_failed",
            Self::TokenInvalidated { .. } => "token_invalidated",
            Self::TokenKept { .. } => "token_kept",
            Self::StoreBypassed { .. } => "store_bypassed",
            Self::JournalFailed { .. } => "journal_failed",
            Self::RequestEnded { .. } => "request_ended",
        }
    }

    /// Adds the members.
    #[allow(clippy::too_many_lines, reason = "a row for each event")]
    pub(super) fn add_to(&self, report: &mut Members) {
        match self {
            Self::RequestStarted { operation, method, path, host } => {
                report.push("operation", operation.name());
                report.push("method", method.to_string());
                report.push("path", path.to_string());
                report.push("host", host.to_string());
            }
            Self::Attempt { operation, number } => {
                report.push("operation", operation.name());
                report.push("number", *number);
            }
            Self::AttemptEnded { operation, number, http_status, kind, duration } => {
                report.push("operation", operation.name());
                report.push("number", *number);
                report.push("http_status", *http_status);
                report.push("kind", kind.map(ErrorKind::as_str));
                report.push("duration_us", microseconds(*duration));
            }
            Self::Retry { operation, number, kind, wait } => {
                report.push("operation", operation.name());
                report.push("number", *number);
                report.push("kind", kind.as_str());
                report.push("wait_us", microseconds(*wait));
            }
            Self::TokenRequested { host } => {
                report.push("host", host.to_string());
            }
            Self::TokenFetched { duration, lifetime } => {
                report.push("duration_us", microseconds(*duration));
                report.push("lifetime_us", microseconds(*lifetime));
            }
            Self::TokenReused { remaining } => {
                report.push("remaining_us", microseconds(*remaining));
            }
            Self::TokenFailed { kind, backoff, duration } => {
                report.push("kind", kind.as_str());
                report.push("backoff_us", backoff.map(microseconds));
                report.push("duration_us", microseconds(*duration));
            }
            Self::TokenInvalidated {} => {}
            Self::TokenKept { backoff, reason } => {
                report.push("backoff_us", microseconds(*backoff));
                report.push("reason", reason.to_string());
            }
            Self::StoreBypassed { action, reason } => {
                report.push("action", action.to_string());
                report.push("reason", reason.to_string());
            }
            Self::JournalFailed { id, reason } => {
                report.push("id", id.to_string());
                report.push("reason", reason.to_string());
            }
            Self::RequestEnded { operation, http_status, attempts, duration, signing, failure } => {
                report.push("operation", operation.name());
                report.push("http_status", *http_status);
                report.push("kind", failure.map(|it| it.kind.as_str()));
                report.push("code", failure.map(|it| it.code));
                report.push("outcome", failure.map(|it| it.outcome.as_str()));
                report.push("attempts", *attempts);
                report.push("duration_us", microseconds(*duration));
                report.push("signing_us", microseconds(*signing));
            }
        }
    }
}
