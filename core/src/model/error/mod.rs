//! The crate's error type.

// - `making.rs`, `messages.rs`: how errors are made, and the messages of `config`
// - `outcome.rs`, `reason.rs`: the meaning of an outcome, and why an operation failed
// - `generated.rs`: kinds, outcomes, and the members of a report

mod generated;
mod making;
pub(crate) mod messages;
mod outcome;
mod reason;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use payments_base::debug_shows;
use zeroize::Zeroizing;

pub use crate::model::error_code::ErrorCode;
pub(crate) use crate::model::error_code::Message;
use crate::model::operation::{Definition, Operation};
use crate::model::response::CallResponse;
use generated::Known;
pub use generated::{EXPLAIN, ErrorKind, Outcome};
pub(crate) use making::{SEE_SERVICE_MESSAGE, looks_like_code};
#[doc(hidden)]
pub use reason::Reason;

/// A failure of this crate.
///
/// It says what happened ([`kind`](Self::kind), [`code`](Self::code)), whether
/// money may have moved ([`outcome`](Self::outcome)), and more.
/// Neither `Display` nor `Debug` shows a secret, the text of a request, or the
/// text of a response: for those, use [`request_body`](Self::request_body),
/// [`response_body`](Self::response_body) and
/// [`service_message`](Self::service_message). Only the
/// [`message`](Self::message) about a sandbox on this host repeats the last one.
#[derive(Clone)]
pub struct Error(Box<Details>);

#[derive(Clone)]
struct Details {
    kind: ErrorKind,
    code: ErrorCode,
    reason: Option<Reason>,
    message: String,
    outcome: Outcome,
    attempts: u32,
    /// Whether the call was to cancel an earlier one.
    is_cancellation: bool,
    /// Whether the query that finds the result of the call is on.
    is_queried: bool,
    /// Whether the outcome is that of a reference, which several calls share.
    is_of_reference: bool,
    /// Whether the message repeats that of the service.
    shows_service_message: bool,
    known: Known,
    held: Held,
}

/// Members outside of a report.
#[derive(Clone, Default)]
struct Held {
    request_body: Option<Zeroizing<Vec<u8>>>,
    response_body: Option<Zeroizing<Vec<u8>>>,
    response: Option<Arc<CallResponse>>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// The outcomes of the failures of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UsualOutcome {
    /// Those that a failure can have.
    pub possible: &'static [Outcome],
    /// The outcome in words, for a table.
    pub words: &'static str,
}

impl Error {
    /// The kind of failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// A stable code within the kind, for example `token_backoff`.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// Why it failed, if code of this project decides by it.
    #[doc(hidden)]
    pub fn reason(&self) -> Option<Reason> {
        self.0.reason
    }

    /// The failure and the next step, in one or two sentences.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Whether the operation was executed.
    pub fn outcome(&self) -> Outcome {
        self.0.outcome
    }

    /// Whether the operation was executed or may have been: anything but
    /// [`Outcome::NotExecuted`].
    pub fn may_have_been_executed(&self) -> bool {
        self.0.outcome != Outcome::NotExecuted
    }

    /// The next step instead of sending the operation again: how to find out
    /// the outcome, or how to continue if it was executed.
    pub fn advice(&self) -> Option<&'static str> {
        let operation = self.0.known.operation?;
        if self.0.reason == Some(Reason::ReferenceTaken) {
            return Some(outcome::ADVICE_TO_COMPARE);
        }
        if self.0.is_of_reference && self.0.outcome == Outcome::Unknown {
            return Some(outcome::ADVICE_TO_ENSURE);
        }
        let Definition { cancellation, queried, .. } = operation.definition();
        if let Some(cancellation) = cancellation.filter(|_| self.0.is_cancellation) {
            return self.0.outcome.advice_to_cancel(&cancellation);
        }
        match queried.filter(|_| self.0.is_queried) {
            Some(queried) => self.0.outcome.advice_to_query(&queried),
            None => self.0.outcome.advice(operation),
        }
    }

    /// Whether the message repeats that of the service, a sandbox on this host.
    #[doc(hidden)]
    pub fn shows_service_message(&self) -> bool {
        self.0.shows_service_message
    }

    /// How many attempts were made, including those that could not connect.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// The body that was signed and sent, at most its first 64 KiB. It holds
    /// payer data and may hold the integration key.
    pub fn request_body(&self) -> Option<&[u8]> {
        self.0.held.request_body.as_deref().map(Vec::as_slice)
    }

    /// The response of a call that was cancelled when its response was complete:
    /// it has the result of the operation.
    pub fn response(&self) -> Option<&CallResponse> {
        self.0.held.response.as_deref()
    }

    /// The body of the response, at most its first 64 KiB.
    pub fn response_body(&self) -> Option<&[u8]> {
        self.0.held.response_body.as_deref().map(Vec::as_slice)
    }
}

/// Whole seconds, rounded up.
fn seconds(duration: Duration) -> Option<u64> {
    u64::try_from(duration.as_millis().div_ceil(1000)).ok()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = self.0.known.operation {
            write!(f, "{}: ", operation.name())?;
        }
        if let Some(path) = &self.0.known.path {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.0.message)?;
        if let Some(code) = &self.0.known.service_code {
            write!(f, " (service code {code})")?;
        }
        if let Some(advice) = self.advice() {
            write!(f, "; {advice}")?;
        }
        write!(f, " [{}/{}, {}]", self.0.kind, self.0.code, self.0.outcome)
    }
}

debug_shows!(
    Error,
    |it| kind = it.kind(),
    code = it.code(),
    message = it.message(),
    outcome = it.outcome(),
    path = it.path(),
    operation = it.operation().map(Operation::name),
    http_status = it.http_status(),
    service_code = it.service_code(),
    retry_after = it.retry_after(),
    diagnosis = it.diagnosis(),
    attempts = it.attempts()
);

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.held.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

/// The command that explains `code`, for reports made outside the core.
pub fn help_of(code: ErrorCode) -> String {
    format!("{EXPLAIN} {code}")
}

impl Error {
    /// The command that explains the [`code`](Self::code), for example
    /// `payments explain refused`.
    pub fn help(&self) -> String {
        help_of(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::json::Json;
    use crate::{Client, Config};

    #[test]
    fn display_names_operation_path_kind_and_outcome() {
        let error = Error::validation(
            "payment.document",
            ErrorCode::REQUIRED,
            "required for country \"br\"",
        )
        .with_operation(Operation::CreatePayment, Some("order-7"));
        assert_eq!(
            error.to_string(),
            "create_payment: payment.document: required for country \"br\" [validation/required, not_executed]"
        );
        assert_eq!(error.reference(), Some("order-7"));
    }

    /// A retry one second too early is refused again.
    #[test]
    fn a_wait_is_shown_in_whole_seconds_and_not_too_short() {
        for (milliseconds, seconds_shown) in [(0, 0), (1, 1), (1000, 1), (1001, 2), (30_000, 30)] {
            assert_eq!(seconds(Duration::from_millis(milliseconds)), Some(seconds_shown));
        }
    }

    #[test]
    fn neither_display_nor_debug_shows_the_services_text() {
        let error = Error::new(
            ErrorKind::Rejected,
            Outcome::NotExecuted,
            ErrorCode::REFUSED,
            "the service refused",
        )
        .with_service(Some("853.513.468-93"), Some("document 853.513.468-93 is wrong"))
        .with_request_bytes(b"853.513.468-93")
        .with_response_bytes(b"853.513.468-93");
        assert!(!format!("{error} {error:?} {error:#?}").contains("853"));
        assert_eq!(error.service_message(), Some("document 853.513.468-93 is wrong"));
    }

    #[test]
    fn help_is_the_command_that_explains_the_code() {
        let error = Client::new(Config::default()).unwrap_err();
        assert_eq!(error.help(), "payments explain required");
        assert_eq!(error.to_json().get("help").and_then(Json::as_str), Some(&*error.help()));
    }
}
