//! Internals of this crate that `payments-host` uses. Nothing here is
//! stable: `payments-host` depends on exactly this version.

use std::time::Duration;

pub use crate::client::outcome::of_panic;
pub use crate::client::{ClientInside, ClientJournal, looks_like_hash};
pub use crate::config::journal::journals_unsupported;
pub use crate::config::log::event_text;
pub use crate::config::source::text_of_file;
pub use crate::model::figures::{shown_amount, without_groups};
#[cfg(feature = "qr")]
pub use crate::model::qr::qr_code;
pub use crate::model::request::by_name::AnyRequest;
pub use crate::model::request::typed::meant_member;
pub use payments_transport::inside::Waiters;
pub use payments_transport::inside::Waker;
pub use payments_transport::inside::authority_of;

use payments_transport::context::CallContext;

use crate::journal::{self, Entry, JournalError, RecordedAs};
use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome, Reason};
use crate::model::operation::Operation;
use crate::model::response::CallResponse;

/// The error for an operation with an unknown name.
pub fn unknown_operation(name: &str, is_offered: impl Fn(Operation) -> bool) -> String {
    Operation::unknown_name(name, is_offered)
}

/// The error of reading or changing a journal.
pub fn journal_failed(error: &JournalError) -> Error {
    error.outside_of_calls()
}

/// The error of a call that the entry `earlier` blocks.
pub fn blocked_by(earlier: &Entry, recorded: RecordedAs, now: u64) -> Error {
    journal::blocked_by(earlier, recorded, now)
}

/// How errors are made.
pub trait ErrorParts: Sized {
    /// An error.
    fn new(kind: ErrorKind, outcome: Outcome, code: ErrorCode, message: impl Into<String>) -> Self;

    /// The error of a member of the configuration.
    fn config(path: &str, code: ErrorCode, message: impl Into<String>) -> Self;

    /// The error of a member of an input.
    fn validation(path: impl Into<String>, code: ErrorCode, message: impl Into<String>) -> Self;

    /// With the reason that code decides by.
    #[must_use]
    fn because(self, reason: Reason) -> Self;

    /// With an operation, and its reference.
    #[must_use]
    fn with_operation(self, operation: Operation, reference: Option<&str>) -> Self;

    /// With a response.
    #[must_use]
    fn with_response(self, response: CallResponse) -> Self;

    /// Without texts of the service that are secret.
    #[must_use]
    fn without_texts(self, is_secret: impl Fn(&str) -> bool) -> Self;

    /// With a status of the service.
    #[cfg(feature = "testing")]
    #[must_use]
    fn with_http_status(self, status: u16) -> Self;

    /// With how long to wait before the next try.
    #[must_use]
    fn with_retry_after(self, after: Option<Duration>) -> Self;

    /// With another message.
    #[must_use]
    fn with_message(self, message: String) -> Self;

    /// With the outcome of a reference.
    #[must_use]
    fn with_outcome_of_reference(self, outcome: Outcome) -> Self;

    /// With the entry that a reference has.
    #[must_use]
    fn with_entry(self, entry: &Entry, recorded: RecordedAs, now: u64) -> Self;
}

/// Parts of a context that a host uses.
pub trait ContextParts {
    /// The context of work that begins now, in this process.
    #[must_use]
    fn begun(&self) -> Self;

    /// With another deadline.
    #[must_use]
    fn renewed(&self, timeout: Duration) -> Self;

    /// The error of a context that was cancelled.
    ///
    /// # Errors
    /// `cancelled`.
    fn check_cancelled(&self) -> Result<(), Error>;

    /// How long to wait at a time for a wake-up.
    fn wake_slice(&self) -> Duration;

    /// Waits for `waker`, or for a cancellation.
    fn wait_for_waker(&self, waker: Option<&Waker>, limit: Duration);
}

impl ErrorParts for Error {
    fn new(kind: ErrorKind, outcome: Outcome, code: ErrorCode, message: impl Into<String>) -> Self {
        Self::new(kind, outcome, code, message)
    }

    fn config(path: &str, code: ErrorCode, message: impl Into<String>) -> Self {
        Self::config(path, code, message)
    }

    fn validation(path: impl Into<String>, code: ErrorCode, message: impl Into<String>) -> Self {
        Self::validation(path, code, message)
    }

    fn because(self, reason: Reason) -> Self {
        self.because(reason)
    }

    fn with_operation(self, operation: Operation, reference: Option<&str>) -> Self {
        self.with_operation(operation, reference)
    }

    fn with_response(self, response: CallResponse) -> Self {
        self.with_response(response)
    }

    fn without_texts(self, is_secret: impl Fn(&str) -> bool) -> Self {
        self.without_texts(is_secret)
    }

    #[cfg(feature = "testing")]
    fn with_http_status(self, status: u16) -> Self {
        self.with_http_status(status)
    }

    fn with_retry_after(self, after: Option<Duration>) -> Self {
        self.with_retry_after(after)
    }

    fn with_message(self, message: String) -> Self {
        self.with_message(message)
    }

    fn with_outcome_of_reference(self, outcome: Outcome) -> Self {
        self.with_outcome_of_reference(outcome)
    }

    fn with_entry(self, entry: &Entry, recorded: RecordedAs, now: u64) -> Self {
        let hash = self.payment_hash().map(str::to_owned).or_else(|| entry.hash.clone());
        self.with_payment_hash(hash.as_deref())
            .with_journal_entry(journal::summary(entry, recorded, now))
    }
}

impl ContextParts for CallContext {
    fn begun(&self) -> Self {
        self.begun()
    }

    fn renewed(&self, timeout: Duration) -> Self {
        self.renewed(timeout)
    }

    fn check_cancelled(&self) -> Result<(), Error> {
        Ok(self.check_cancelled()?)
    }

    fn wake_slice(&self) -> Duration {
        self.wake_slice()
    }

    fn wait_for_waker(&self, waker: Option<&Waker>, limit: Duration) {
        self.wait_for_waker(waker, limit);
    }
}
