//! Events of a client, without secrets.

pub(crate) mod log;
mod report;
mod table;

use std::time::Duration;

pub use table::{Description, EVENTS};

use crate::error::{Error, ErrorKind, Outcome};
use crate::operation::Operation;

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

/// What an event says of a call's failure.
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
        Self { kind: error.kind(), code: error.code(), outcome: error.outcome() }
    }
}

/// Something that happened during a call. Events contain no secrets, payer
/// data, query strings, or text of the service.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A call started: its input was accepted.
    #[non_exhaustive]
    RequestStarted {
        /// The operation.
        operation: Operation,
        /// The method of the request.
        method: &'a str,
        /// The path without query. For `send`, only the first two segments.
        path: &'a str,
    },
    /// A request is about to be sent, for the first time or again.
    #[non_exhaustive]
    Attempt {
        /// The operation.
        operation: Operation,
        /// 1 for the first attempt.
        number: u32,
    },
    /// A request will be retried.
    #[non_exhaustive]
    Retry {
        /// The operation.
        operation: Operation,
        /// The attempt that failed, 1 for the first.
        number: u32,
        /// Why that attempt failed.
        kind: ErrorKind,
        /// The wait before the retry.
        wait: Duration,
    },
    /// A bearer token was fetched from the token server.
    #[non_exhaustive]
    TokenFetched {
        /// How long fetching took.
        duration: Duration,
        /// The lifetime of the token.
        lifetime: Duration,
    },
    /// An existing bearer token is used.
    #[non_exhaustive]
    TokenReused {
        /// Time until the token expires.
        remaining: Duration,
    },
    /// The token server did not provide a bearer token.
    #[non_exhaustive]
    TokenFailed {
        /// The kind of failure.
        kind: ErrorKind,
        /// How long no client contacts the token server.
        backoff: Option<Duration>,
    },
    /// A refused token was discarded.
    TokenInvalidated,
    /// A token store failed; the call goes on without it.
    #[non_exhaustive]
    StoreBypassed {
        /// What failed: `load`, `save`, `delete`, `lock` or `unlock`.
        action: &'static str,
        /// The reason, in the store's own words.
        reason: &'a str,
    },
    /// The end of a call could not be recorded in the journal, which leaves its
    /// entry to recovery, or it contradicts what a person decided, which stays.
    #[non_exhaustive]
    JournalFailed {
        /// The id of the entry.
        id: &'a str,
        /// The reason, in the journal's own words.
        reason: &'a str,
    },
    /// A call ended.
    #[non_exhaustive]
    RequestEnded {
        /// The operation.
        operation: Operation,
        /// The status of the response, if any.
        http_status: Option<u16>,
        /// What kind of failure it was, if any.
        failure: Option<Failure>,
        /// The number of attempts.
        attempts: u32,
        /// The duration of the whole call.
        duration: Duration,
        /// The time for signing, including the wait for other calls that sign.
        signing: Duration,
    },
}
