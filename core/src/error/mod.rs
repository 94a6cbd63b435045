//! The crate's error type.

mod help;
mod kind;
mod members;
mod report;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use help::{HELP_BASE, help_of};
pub use kind::{ErrorKind, Outcome, UsualOutcome};
pub use members::MEMBERS;
use zeroize::Zeroizing;

use crate::call_response::CallResponse;
use crate::debug::debug_shows;
use crate::diagnosis::Diagnosis;
use crate::json::Json;
use crate::operation::Operation;

/// How many bytes of a request and of a response an error keeps.
pub(crate) const KEPT_BYTES: usize = 64 * 1024;

/// A failure of this crate.
///
/// It says what happened ([`kind`](Self::kind), [`code`](Self::code)), whether
/// money may have moved ([`outcome`](Self::outcome)), and more.
/// Neither `Display` nor `Debug` shows a secret, the text of a request, or the
/// text of a response: for those, use [`request_body`](Self::request_body),
/// [`response_body`](Self::response_body) and
/// [`service_message`](Self::service_message).
#[derive(Clone)]
pub struct Error(Box<Details>);

#[derive(Clone)]
struct Details {
    kind: ErrorKind,
    code: &'static str,
    message: String,
    outcome: Outcome,
    path: Option<String>,
    operation: Option<Operation>,
    reference: Option<String>,
    http_status: Option<u16>,
    service_code: Option<String>,
    service_message: Option<String>,
    payment_hash: Option<String>,
    retry_after: Option<Duration>,
    diagnosis: Option<Diagnosis>,
    journal_entry: Option<Json>,
    attempts: u32,
    request_body: Option<Zeroizing<Vec<u8>>>,
    response_body: Option<Zeroizing<Vec<u8>>>,
    response: Option<Arc<CallResponse>>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Error {
    /// What kind of failure this is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// A stable code within the kind, for example `token_backoff`.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// What happened and what to do next, in one or two sentences.
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

    /// What to do instead of sending the operation again: how to find out what
    /// was done, or how to go on when it was executed.
    pub fn advice(&self) -> Option<&'static str> {
        self.0.operation.and_then(|operation| self.0.outcome.advice(operation))
    }

    /// The member of the request or of the configuration at fault, for
    /// example `payment.document`.
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// The operation that failed.
    pub fn operation(&self) -> Option<Operation> {
        self.0.operation
    }

    /// The merchant's own reference for what was asked, by which an unknown
    /// outcome is found out.
    pub fn reference(&self) -> Option<&str> {
        self.0.reference.as_deref()
    }

    /// The status of the service's response, if there was one.
    pub fn http_status(&self) -> Option<u16> {
        self.0.http_status
    }

    /// The service's own code, for example `BP-DR-0`. Left out if it does not
    /// look like one, or is a secret of the configuration.
    pub fn service_code(&self) -> Option<&str> {
        self.0.service_code.as_deref()
    }

    /// The service's own message. It may repeat payer data, so it is in
    /// neither `Display` nor `Debug`.
    pub fn service_message(&self) -> Option<&str> {
        self.0.service_message.as_deref()
    }

    /// The hash of a payment that the response names. Left out if it is longer
    /// than 128 characters or not printable ASCII, or is a secret of the
    /// configuration.
    pub fn payment_hash(&self) -> Option<&str> {
        self.0.payment_hash.as_deref()
    }

    /// How long to wait before asking again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// On a 401: what the client knows about its credentials.
    pub fn diagnosis(&self) -> Option<&Diagnosis> {
        self.0.diagnosis.as_ref()
    }

    /// The entry of the earlier call that the journal has under the same
    /// reference: `id`, `state`, `hash`, `uid`, `has_same_body` and
    /// `created_at` in milliseconds since 1970 UTC.
    pub fn journal_entry(&self) -> Option<&Json> {
        self.0.journal_entry.as_ref()
    }

    /// How many attempts were made, including those that could not connect.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// The body that was signed and sent, at most its first 64 KiB. It holds
    /// payer data and may hold the integration key.
    pub fn request_body(&self) -> Option<&[u8]> {
        self.0.request_body.as_deref().map(Vec::as_slice)
    }

    /// The response of a call that was cancelled when its response was complete:
    /// it says what was executed.
    pub fn response(&self) -> Option<&CallResponse> {
        self.0.response.as_deref()
    }

    /// The body of the response, at most its first 64 KiB.
    pub fn response_body(&self) -> Option<&[u8]> {
        self.0.response_body.as_deref().map(Vec::as_slice)
    }
}

impl Error {
    /// An error of `kind`. `message` must hold no input.
    pub(crate) fn new(
        kind: ErrorKind,
        outcome: Outcome,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self(Box::new(Details {
            kind,
            code,
            message: message.into(),
            outcome,
            path: None,
            operation: None,
            reference: None,
            http_status: None,
            service_code: None,
            service_message: None,
            payment_hash: None,
            retry_after: None,
            diagnosis: None,
            journal_entry: None,
            attempts: 0,
            request_body: None,
            response_body: None,
            response: None,
            source: None,
        }))
    }

    /// A configuration that cannot work; `path` names its member.
    pub(crate) fn config(path: &str, code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Config, Outcome::NotExecuted, code, message).with_path(path)
    }

    /// A request that breaks a rule; `path` names the member.
    pub(crate) fn validation(
        path: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::Validation, Outcome::NotExecuted, code, message).with_path(path)
    }

    pub(crate) fn with_path(mut self, path: impl Into<String>) -> Self {
        self.0.path = Some(path.into());
        self
    }

    /// Names the operation, and its reference unless one is there already.
    pub(crate) fn with_operation(mut self, operation: Operation, reference: Option<&str>) -> Self {
        self.0.operation = Some(operation);
        if self.0.reference.is_none() {
            self.0.reference = reference.map(str::to_owned);
        }
        self
    }

    pub(crate) fn with_http_status(mut self, status: u16) -> Self {
        self.0.http_status = Some(status);
        self
    }

    /// What the service says of its refusal. The code is kept only if it
    /// looks like one, since it is shown.
    pub(crate) fn with_service(mut self, code: Option<&str>, message: Option<&str>) -> Self {
        self.0.service_code = code.filter(|code| looks_like_code(code)).map(str::to_owned);
        self.0.service_message = message.map(str::to_owned);
        self
    }

    /// The hash is kept only if it can be shown.
    pub(crate) fn with_payment_hash(mut self, hash: Option<&str>) -> Self {
        let hash = hash.map(str::trim).filter(|hash| is_printable(hash));
        self.0.payment_hash = hash.map(str::to_owned);
        self
    }

    /// Leaves out the texts of the service that are shown and are secrets.
    pub(crate) fn without_texts(mut self, is_secret: impl Fn(&str) -> bool) -> Self {
        let Details { service_code, payment_hash, .. } = &mut *self.0;
        for text in [service_code, payment_hash] {
            text.take_if(|text| is_secret(text));
        }
        self
    }

    pub(crate) fn with_retry_after(mut self, after: Option<Duration>) -> Self {
        self.0.retry_after = after;
        self
    }

    pub(crate) fn with_diagnosis(mut self, diagnosis: Diagnosis) -> Self {
        self.0.message = format!("{}; {}", self.0.message, diagnosis.message());
        self.0.diagnosis = Some(diagnosis);
        self
    }

    pub(crate) fn with_journal_entry(mut self, entry: Json) -> Self {
        self.0.journal_entry = Some(entry);
        self
    }

    pub(crate) fn with_attempts(mut self, attempts: u32) -> Self {
        self.0.attempts = attempts;
        self
    }

    pub(crate) fn with_request_bytes(mut self, body: &[u8]) -> Self {
        self.0.request_body = Some(bounded(body));
        self
    }

    pub(crate) fn with_response_bytes(mut self, body: &[u8]) -> Self {
        self.0.response_body = Some(bounded(body));
        self
    }

    /// A complete response that the call did not return.
    pub(crate) fn with_response(mut self, response: CallResponse) -> Self {
        let hash = response.view.get("hash").and_then(Json::as_str).map(str::to_owned);
        self = self.with_http_status(response.http_status).with_payment_hash(hash.as_deref());
        self = self.with_response_bytes(&response.body);
        self.0.response = Some(Arc::new(response));
        self
    }

    /// The error of a call that was cancelled while it failed: it ends as
    /// cancelled, and what is known of the failure stays. For bindings that
    /// tell of the end later than the core, and find the call cancelled then.
    #[must_use]
    pub fn into_cancelled(self) -> Self {
        if self.0.kind == ErrorKind::Cancelled {
            return self;
        }
        let mut details = Details { source: None, ..(*self.0).clone() };
        details.kind = ErrorKind::Cancelled;
        details.code = "cancelled";
        details.message =
            format!("the call was cancelled by the caller when it failed: {}", self.0.message);
        details.source = Some(Arc::new(self));
        Self(Box::new(details))
    }

    /// The cause. Its `Display` becomes visible through `source`, so it must
    /// hold no secret.
    pub(crate) fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }
}

fn bounded(bytes: &[u8]) -> Zeroizing<Vec<u8>> {
    bytes[..bytes.len().min(KEPT_BYTES)].to_vec().into()
}

fn is_printable(hash: &str) -> bool {
    const LONGEST: usize = 128;
    (1..=LONGEST).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_graphic())
}

fn looks_like_code(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 32
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        && !text.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = self.0.operation {
            write!(f, "{}: ", operation.name())?;
        }
        if let Some(path) = &self.0.path {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.0.message)?;
        if let Some(code) = &self.0.service_code {
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
        self.0.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_names_operation_path_kind_and_outcome() {
        let error =
            Error::validation("payment.document", "required", "required for country \"br\"")
                .with_operation(Operation::CreatePayment, Some("order-7"));
        assert_eq!(
            error.to_string(),
            "create_payment: payment.document: required for country \"br\" [validation/required, not_executed]"
        );
        assert_eq!(error.reference(), Some("order-7"));
    }

    #[test]
    fn neither_display_nor_debug_shows_what_the_service_wrote() {
        let error =
            Error::new(ErrorKind::Rejected, Outcome::NotExecuted, "refused", "the service refused")
                .with_service(Some("853.513.468-93"), Some("document 853.513.468-93 is wrong"))
                .with_request_bytes(b"853.513.468-93")
                .with_response_bytes(b"853.513.468-93");
        assert!(!format!("{error} {error:?} {error:#?}").contains("853"));
        assert_eq!(error.service_message(), Some("document 853.513.468-93 is wrong"));
    }
}
