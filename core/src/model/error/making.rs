//! How errors are made, and the context that callers add to them.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use payments_transport::context::{Ended, Stopped};
use zeroize::Zeroizing;

use super::{Details, Error, ErrorCode, ErrorKind, Held, Known, Message, Outcome, Reason};
use crate::model::amount::AmountError;
use crate::model::diagnosis::Diagnosis;
use crate::model::json::{Json, JsonError, JsonErrorKind};
use crate::model::operation::Operation;
use crate::model::response::CallResponse;

/// How many bytes of a request and of a response an error keeps.
const KEPT_BYTES: usize = 64 * 1024;
/// How much of the service's message another message repeats.
const SHOWN_CHARACTERS: usize = 300;
/// The end of a message that refers to the service's.
pub(crate) const SEE_SERVICE_MESSAGE: &str = "see the service's message in this error";

impl Error {
    /// An error of `kind`. `message` must hold no input.
    #[doc(hidden)]
    pub fn new(
        kind: ErrorKind,
        outcome: Outcome,
        code: ErrorCode,
        message: impl Into<String>,
    ) -> Self {
        debug_assert!(
            kind.usual_outcome().possible.contains(&outcome),
            "spec/errors gives {kind} no outcome {outcome} (code {code})"
        );
        Self(Box::new(Details {
            kind,
            code,
            reason: None,
            message: message.into(),
            outcome,
            attempts: 0,
            is_cancellation: false,
            is_queried: false,
            is_of_reference: false,
            shows_service_message: false,
            known: Known::default(),
            held: Held::default(),
        }))
    }

    /// A configuration that cannot work; `path` names its member.
    #[doc(hidden)]
    pub fn config(path: &str, code: ErrorCode, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Config, Outcome::NotExecuted, code, message).with_path(path)
    }

    /// A configuration that lacks a member.
    pub(crate) fn required(path: &str, message: impl Into<String>) -> Self {
        Self::config(path, ErrorCode::REQUIRED, message).because(Reason::Required)
    }

    /// A value of the member `path` that needs a feature which is off.
    pub(crate) fn not_in_this_build(path: &str, feature: &str) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let message = format!(
            "needs the feature {feature} of payments-core, which is not in this build; enable it \
             in Cargo.toml: payments-core = {{ version = \"{version}\", features = \
             [\"{feature}\"] }}"
        );
        Self::config(path, ErrorCode::NOT_IN_THIS_BUILD, message)
    }

    /// A request that breaks a rule; `path` names the member.
    #[doc(hidden)]
    pub fn validation(
        path: impl Into<String>,
        code: ErrorCode,
        message: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::Validation, Outcome::NotExecuted, code, message).with_path(path)
    }

    /// Like [`validation`](Self::validation), for a message that is always the same.
    pub(crate) fn invalid(path: impl Into<String>, message: Message) -> Self {
        Self::validation(path, message.code, message.text)
    }

    /// Says why, for code that decides by it.
    #[doc(hidden)]
    #[must_use]
    pub fn because(self, reason: Reason) -> Self {
        self.with_reason(Some(reason))
    }

    pub(crate) fn with_reason(mut self, reason: Option<Reason>) -> Self {
        self.0.reason = reason;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.0.message = message.into();
        self
    }

    pub(crate) fn with_path(mut self, path: impl Into<String>) -> Self {
        self.0.known.path = Some(path.into());
        self
    }

    /// Names the operation, and its reference unless one is there already. An
    /// operation that only reads may be called again, whatever its outcome.
    #[doc(hidden)]
    #[must_use]
    pub fn with_operation(mut self, operation: Operation, reference: Option<&str>) -> Self {
        self.0.known.operation = Some(operation);
        if operation.is_read_only() && self.0.outcome == Outcome::Unknown {
            self.0.outcome = Outcome::NotExecuted;
        }
        if self.0.known.reference.is_none() {
            self.0.known.reference = reference.map(str::to_owned);
        }
        self
    }

    /// Notes whether the call was to cancel an earlier one.
    pub(crate) fn with_cancellation(mut self, is_cancellation: bool) -> Self {
        self.0.is_cancellation = is_cancellation;
        self
    }

    /// Says whether the query that finds the result of the call is on.
    pub(crate) fn with_query(mut self, is_queried: bool) -> Self {
        self.0.is_queried = is_queried;
        self
    }

    /// With the outcome of a reference instead of that of the last of several calls
    /// for it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_outcome_of_reference(mut self, outcome: Outcome) -> Self {
        self.0.outcome = outcome;
        self.0.is_of_reference = true;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub fn with_http_status(mut self, status: u16) -> Self {
        self.0.known.http_status = Some(status);
        self
    }

    /// The service's own words about its refusal. The code is kept only if it
    /// looks like one, since it is shown.
    pub(crate) fn with_service(mut self, code: Option<&str>, message: Option<&str>) -> Self {
        self.0.known.service_code = code.filter(|code| looks_like_code(code)).map(str::to_owned);
        self.0.known.service_message = message.map(str::to_owned);
        self
    }

    /// Repeats the service's message in its own.
    pub(crate) fn showing_service_message(mut self) -> Self {
        if let Some(said) = &self.0.known.service_message {
            let text: String = said.chars().take(SHOWN_CHARACTERS).collect();
            let more = if text.len() < said.len() { "…" } else { "" };
            let message = self.0.message.strip_suffix(SEE_SERVICE_MESSAGE);
            let message = message.map_or_else(|| format!("{}; ", self.0.message), str::to_owned);
            self.0.message = format!("{message}the service says {text:?}{more}");
            self.0.shows_service_message = true;
        }
        self
    }

    /// The hash is kept only if it can be shown.
    pub(crate) fn with_payment_hash(mut self, hash: Option<&str>) -> Self {
        let hash = hash.map(str::trim).filter(|hash| is_printable(hash));
        self.0.known.payment_hash = hash.map(str::to_owned);
        self
    }

    /// Leaves out the texts of the service that are shown and are secrets.
    #[doc(hidden)]
    #[must_use]
    pub fn without_texts(mut self, is_secret: impl Fn(&str) -> bool) -> Self {
        let Known { service_code, payment_hash, .. } = &mut self.0.known;
        for text in [service_code, payment_hash] {
            text.take_if(|text| is_secret(text));
        }
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub fn with_retry_after(mut self, after: Option<Duration>) -> Self {
        self.0.known.retry_after = after;
        self
    }

    pub(crate) fn with_diagnosis(mut self, diagnosis: Diagnosis) -> Self {
        self.0.message = format!("{}; {}", self.0.message, diagnosis.message());
        self.0.known.diagnosis = Some(diagnosis);
        self
    }

    pub(crate) fn with_journal_entry(mut self, entry: Json) -> Self {
        self.0.known.journal_entry = Some(entry);
        self
    }

    pub(crate) fn with_attempts(mut self, attempts: u32) -> Self {
        self.0.attempts = attempts;
        self
    }

    pub(crate) fn with_request_bytes(mut self, body: &[u8]) -> Self {
        self.0.held.request_body = Some(bounded(body));
        self
    }

    pub(crate) fn with_response_bytes(mut self, body: &[u8]) -> Self {
        self.0.held.response_body = Some(bounded(body));
        self
    }

    /// A complete response that the call did not return.
    #[doc(hidden)]
    #[must_use]
    pub fn with_response(mut self, response: CallResponse) -> Self {
        let hash = response.view.get("hash").and_then(Json::as_str).map(str::to_owned);
        self = self.with_http_status(response.raw.status()).with_payment_hash(hash.as_deref());
        self = self.with_response_bytes(response.raw.body());
        self.0.held.response = Some(Arc::new(response));
        self
    }

    /// The error of a call that was cancelled while it failed: it ends as
    /// cancelled, and the facts of the failure stay. For bindings that report
    /// the end later than the core, and find the call cancelled by then.
    #[must_use]
    pub fn into_cancelled(self) -> Self {
        if self.0.kind == ErrorKind::Cancelled {
            return self;
        }
        let message =
            format!("the call was cancelled by the caller when it failed: {}", self.0.message);
        let mut error = self.clone();
        (error.0.kind, error.0.code) = (ErrorKind::Cancelled, ErrorCode::CANCELLED);
        // The advice stays.
        error.0.reason = error.0.reason.filter(|it| *it == Reason::ReferenceTaken);
        error.0.message = message;
        error.0.held.source = Some(Arc::new(self));
        error
    }

    /// The cause. Its `Display` becomes visible through `source`, so it must
    /// hold no secret.
    pub(crate) fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.held.source = Some(Arc::new(source));
        self
    }
}

/// A request that cannot be read: `validation`.
impl From<JsonError> for Error {
    fn from(error: JsonError) -> Self {
        let advice = match error.kind() {
            JsonErrorKind::ByteOrderMark => "; save it as UTF-8 without one",
            JsonErrorKind::DuplicateMember => "; remove one of them",
            JsonErrorKind::Unicode if error.is_of_surrogate() => "; remove it, or complete it",
            JsonErrorKind::Unicode => "; convert it to UTF-8",
            JsonErrorKind::TooDeep => "; flatten it",
            _ => "",
        };
        let message = format!("the request {error}{advice}");
        match error.path() {
            "" => Self::new(ErrorKind::Validation, Outcome::NotExecuted, error.code(), message),
            path => Self::validation(path, error.code(), message),
        }
    }
}

/// A call that ended while it waited: its outcome follows the byte record.
impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        let (kind, code) = match stopped.ended {
            Ended::Deadline => (ErrorKind::Timeout, ErrorCode::DEADLINE_PASSED),
            Ended::Cancelled => (ErrorKind::Cancelled, ErrorCode::CANCELLED),
            Ended::Forked => (ErrorKind::Cancelled, ErrorCode::CALL_FORKED),
        };
        let outcome = Outcome::of_record(stopped.may_have_sent);
        Self::new(kind, outcome, code, stopped.ended.message())
    }
}

impl From<AmountError> for Error {
    fn from(error: AmountError) -> Self {
        Self::new(ErrorKind::Validation, Outcome::NotExecuted, error.code(), error.message())
            .with_reason(error.has_comma().then_some(Reason::DecimalMark))
    }
}

fn bounded(bytes: &[u8]) -> Zeroizing<Vec<u8>> {
    bytes[..bytes.len().min(KEPT_BYTES)].to_vec().into()
}

fn is_printable(hash: &str) -> bool {
    const LONGEST: usize = 128;
    (1..=LONGEST).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_graphic())
}

pub(crate) fn looks_like_code(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 32
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        && !text.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error() -> Error {
        let message = "the service refused";
        Error::new(ErrorKind::Rejected, Outcome::NotExecuted, ErrorCode::REFUSED, message)
    }

    /// Its other texts may be payer data, and errors end up in logs.
    #[test]
    fn a_code_of_the_service_is_shown_only_if_it_looks_like_one() {
        let longest = "A".repeat(32);
        for code in ["BP-DR-13", "declined", "E_1", "7a", &longest] {
            assert_eq!(error().with_service(Some(code), None).service_code(), Some(code));
        }
        let too_long = "A".repeat(33);
        for text in ["", "12345678", "853-513-468", "853.513", "Maria Souza", "é1", &too_long] {
            assert_eq!(error().with_service(Some(text), None).service_code(), None, "{text}");
        }
    }

    #[test]
    fn a_payment_hash_is_shown_only_if_it_is_one_printable_word() {
        let longest = "a".repeat(128);
        for (hash, shown) in [(" 5a\n", "5a"), ("a-b:c", "a-b:c"), (&longest, &longest)] {
            assert_eq!(error().with_payment_hash(Some(hash)).payment_hash(), Some(shown));
        }
        let too_long = "a".repeat(129);
        for text in ["", " ", "5a 6b", "5a\u{1b}[2J", "é", &too_long] {
            assert_eq!(error().with_payment_hash(Some(text)).payment_hash(), None, "{text}");
        }
    }

    #[test]
    fn the_cause_of_an_error_is_its_source() {
        let cause = std::io::Error::other("the disk is full");
        let error = error().with_source(cause);
        assert_eq!(error.source().unwrap().to_string(), "the disk is full");
    }

    #[test]
    fn an_error_keeps_the_start_of_a_long_body() {
        let error = error().with_response_bytes(&vec![b'x'; KEPT_BYTES + 1]);
        assert_eq!(error.response_body().unwrap().len(), KEPT_BYTES);
    }
}
