//! What a client tells of its work, without a secret in it.

pub(crate) mod log;
mod report;
mod table;

use std::time::Duration;

pub use table::{Description, EVENTS};

use crate::error::{ErrorKind, Outcome};
use crate::operation::Operation;

/// Told of what a client does, on the caller's own thread, under no lock.
/// What becomes of a token is told when others may use the token server and
/// the store again.
///
/// An observer must not call the client that it observes: that is refused.
/// A panic in it is caught and ignored.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn on_event(&self, event: &Event<'_>);
}

impl<F: Fn(&Event<'_>) + Send + Sync> Observer for F {
    fn on_event(&self, event: &Event<'_>) {
        self(event);
    }
}

/// Something that happened during a call. No event holds a secret, payer
/// data, a query string, or text that the service wrote.
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
        /// The path of the request, without its query; that of `send` up to its
        /// second segment.
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
    /// A request is going to be sent again.
    #[non_exhaustive]
    Retry {
        /// The operation.
        operation: Operation,
        /// The attempt that failed, 1 for the first.
        number: u32,
        /// Why it failed.
        kind: ErrorKind,
        /// How long the client waits first.
        wait: Duration,
    },
    /// A bearer token came from the token server.
    #[non_exhaustive]
    TokenFetched {
        /// How long it took.
        duration: Duration,
        /// How long the token lives.
        lifetime: Duration,
    },
    /// A bearer token that was there already is used.
    #[non_exhaustive]
    TokenReused {
        /// How long it lives still.
        remaining: Duration,
    },
    /// No bearer token could be obtained from the token server.
    #[non_exhaustive]
    TokenFailed {
        /// Why not.
        kind: ErrorKind,
        /// How long nobody asks again.
        backoff: Option<Duration>,
    },
    /// A token was refused, and is used no more.
    TokenInvalidated,
    /// A token store failed, and the call goes on without it.
    #[non_exhaustive]
    StoreBypassed {
        /// What failed: `load`, `save`, `delete`, `lock` or `unlock`.
        action: &'static str,
        /// Why, in the store's own words.
        reason: &'a str,
    },
    /// A call ended.
    #[non_exhaustive]
    RequestEnded {
        /// The operation.
        operation: Operation,
        /// The status of the answer, if there was one.
        http_status: Option<u16>,
        /// How it failed, if it did.
        failure: Option<(ErrorKind, Outcome)>,
        /// How often it was sent.
        attempts: u32,
        /// How long all of it took.
        duration: Duration,
        /// How long signing took, with the wait for other calls that sign.
        signing: Duration,
    },
}
