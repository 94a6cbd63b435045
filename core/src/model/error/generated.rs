// Generated from spec by generate/templates/error.rs.jinja; do not edit. To update: cargo xtask generate

//! Kinds of failure, outcomes, and the members of an error.

use std::fmt;
use std::time::Duration;

use super::{Error, UsualOutcome};
use crate::model::diagnosis::Diagnosis;
use crate::model::json::{Json, Members};
use crate::model::operation::Operation;

/// The command that explains a code.
pub const EXPLAIN: &str = "payments explain";

/// The kind of failure of an [`Error`].
///
/// The names of [`ErrorKind::as_str`] are the same in every language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The configuration cannot work.
    ///
    /// `path` names the member.
    Config = 1,
    /// The request breaks a rule that is known locally.
    ///
    /// `path` names the member.
    Validation = 2,
    /// The request could not be signed.
    Signing = 3,
    /// No bearer token could be obtained.
    Token = 4,
    /// No connection could be made.
    Connect = 5,
    /// The TLS handshake failed.
    Tls = 6,
    /// The connection broke.
    Transport = 7,
    /// The deadline passed.
    Timeout = 8,
    /// The response is not HTTP, is a redirect, or is about another payment.
    Protocol = 9,
    /// A successful response is larger than allowed.
    TooLarge = 10,
    /// A successful response is not what the operation promises.
    Decode = 11,
    /// The service responded with 401.
    ///
    /// `diagnosis` says what the client knows about its credentials.
    Unauthorized = 12,
    /// The service responded with 429.
    ///
    /// `retry_after` says how long to wait.
    RateLimited = 13,
    /// The service responded with another status that is not 2xx.
    ///
    /// `http_status` is that status.
    Status = 14,
    /// The service responded with 2xx, and the body says that the operation failed.
    ///
    /// `service_code` is the service's own code.
    Rejected = 15,
    /// The caller cancelled the call.
    ///
    /// The code `interrupted_after_response` means that the response was complete: `response` has
    /// it.
    Cancelled = 16,
    /// A bug in this library was caught.
    ///
    /// Please report it.
    Internal = 17,
    /// The journal refused the call, or does not work.
    ///
    /// `journal_entry` says which earlier call refused it.
    Journal = 18,
}

impl ErrorKind {
    /// Every kind, in the order of the table in the documentation.
    pub const ALL: [Self; 18] = [
        Self::Config,
        Self::Validation,
        Self::Signing,
        Self::Token,
        Self::Connect,
        Self::Tls,
        Self::Transport,
        Self::Timeout,
        Self::Protocol,
        Self::TooLarge,
        Self::Decode,
        Self::Unauthorized,
        Self::RateLimited,
        Self::Status,
        Self::Rejected,
        Self::Cancelled,
        Self::Internal,
        Self::Journal,
    ];

    /// The kind's name in every language, for example `too_large`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Validation => "validation",
            Self::Signing => "signing",
            Self::Token => "token",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Transport => "transport",
            Self::Timeout => "timeout",
            Self::Protocol => "protocol",
            Self::TooLarge => "too_large",
            Self::Decode => "decode",
            Self::Unauthorized => "unauthorized",
            Self::RateLimited => "rate_limited",
            Self::Status => "status",
            Self::Rejected => "rejected",
            Self::Cancelled => "cancelled",
            Self::Internal => "internal",
            Self::Journal => "journal",
        }
    }

    /// The kind's number for languages without text codes. It never changes,
    /// and 0 is never a kind.
    pub const fn number(self) -> i32 {
        self as i32
    }

    /// Whether failures of this kind may have been executed.
    pub const fn usual_outcome(self) -> UsualOutcome {
        let (possible, words): (&[Outcome], _) = match self {
            Self::Config => (&[Outcome::NotExecuted, Outcome::Unknown], "`not_executed`"),
            Self::Validation => (&[Outcome::NotExecuted, Outcome::Unknown], "`not_executed`"),
            Self::Signing => (&[Outcome::NotExecuted, Outcome::Unknown], "`not_executed`"),
            Self::Token => (&[Outcome::NotExecuted, Outcome::Unknown], "`not_executed`"),
            Self::Connect => (
                &[Outcome::NotExecuted, Outcome::Unknown],
                "`not_executed`, unless a byte of the request was sent",
            ),
            Self::Tls => (
                &[Outcome::NotExecuted, Outcome::Unknown],
                "`not_executed`, unless a byte of the request was sent",
            ),
            Self::Transport => (
                &[Outcome::NotExecuted, Outcome::Unknown],
                "`unknown`, unless no byte of the request was sent or the operation only reads",
            ),
            Self::Timeout => (
                &[Outcome::NotExecuted, Outcome::Unknown],
                "`unknown`, unless no byte of the request was sent or the operation only reads",
            ),
            Self::Protocol => (
                &[Outcome::NotExecuted, Outcome::Unknown],
                "`unknown`, unless no byte of the request was sent or the operation only reads",
            ),
            Self::TooLarge => (
                &[Outcome::NotExecuted, Outcome::Unknown],
                "`unknown`; `not_executed` for an operation that only reads",
            ),
            Self::Decode => (
                &[Outcome::NotExecuted, Outcome::Unknown],
                "`unknown`; `not_executed` for an operation that only reads",
            ),
            Self::Unauthorized => (
                &[Outcome::NotExecuted, Outcome::Unknown],
                "`not_executed`, unless the body of the response leaves a doubt",
            ),
            Self::RateLimited => (
                &[Outcome::NotExecuted, Outcome::Unknown],
                "`not_executed`, unless the body of the response leaves a doubt",
            ),
            Self::Status => (&[Outcome::NotExecuted, Outcome::Unknown], "by the status"),
            Self::Rejected => (&[Outcome::NotExecuted, Outcome::Unknown], "by the response"),
            Self::Cancelled => (
                &[Outcome::NotExecuted, Outcome::Unknown, Outcome::Executed],
                "that of the response if it was complete; otherwise `unknown`, unless no byte of the request was sent or the operation only reads",
            ),
            Self::Internal => (
                &[Outcome::NotExecuted, Outcome::Unknown],
                "`unknown`, unless no byte of the request was sent or the operation only reads",
            ),
            Self::Journal => (
                &[Outcome::NotExecuted, Outcome::Unknown, Outcome::Executed],
                "`not_executed`, unless an earlier call has the same reference: `executed` if it was, with the same body, otherwise `unknown`",
            ),
        };
        UsualOutcome { possible, words }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether the operation of a failed call was executed by the service.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The service did not execute the operation: it may be sent again.
    NotExecuted,
    /// The service may have executed the operation. Do not send it again: find out what was done,
    /// as `advice` says.
    Unknown,
    /// The service executed the operation, for this call or for an earlier one with the same body.
    /// Do not send it again: `advice` says how to continue. It does not mean that anybody has paid.
    Executed,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 3] = [Self::NotExecuted, Self::Unknown, Self::Executed];

    /// The outcome's name in every language: `not_executed`, `unknown`, `executed`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotExecuted => "not_executed",
            Self::Unknown => "unknown",
            Self::Executed => "executed",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Further facts about a failure.
#[derive(Clone, Default)]
pub(super) struct Known {
    pub(super) path: Option<String>,
    pub(super) operation: Option<Operation>,
    pub(super) reference: Option<String>,
    pub(super) http_status: Option<u16>,
    pub(super) service_code: Option<String>,
    pub(super) service_message: Option<String>,
    pub(super) payment_hash: Option<String>,
    pub(super) retry_after: Option<Duration>,
    pub(super) diagnosis: Option<Diagnosis>,
    pub(super) journal_entry: Option<Json>,
}

impl Error {
    /// The member at fault, for example `payment.document`.
    pub fn path(&self) -> Option<&str> {
        self.0.known.path.as_deref()
    }

    /// The operation that failed.
    pub fn operation(&self) -> Option<Operation> {
        self.0.known.operation
    }

    /// Your own reference for this request. Use it to find out an unknown
    /// outcome.
    pub fn reference(&self) -> Option<&str> {
        self.0.known.reference.as_deref()
    }

    /// The status of the service's response.
    pub fn http_status(&self) -> Option<u16> {
        self.0.known.http_status
    }

    /// The service's own code, for example `BP-DR-0`. Left out if it does not
    /// look like one, or is a secret of the configuration.
    pub fn service_code(&self) -> Option<&str> {
        self.0.known.service_code.as_deref()
    }

    /// The service's own message. It may repeat payer data: do not log it.
    pub fn service_message(&self) -> Option<&str> {
        self.0.known.service_message.as_deref()
    }

    /// The hash of a payment that the response names. Left out if it is longer
    /// than 128 characters or not printable ASCII, or is a secret of the
    /// configuration.
    pub fn payment_hash(&self) -> Option<&str> {
        self.0.known.payment_hash.as_deref()
    }

    /// How long to wait before asking again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.known.retry_after
    }

    /// On a 401: the client's findings about its credentials.
    pub fn diagnosis(&self) -> Option<&Diagnosis> {
        self.0.known.diagnosis.as_ref()
    }

    /// The earlier call that the journal has under the same reference. It has
    /// `id`, `state`, `hash`, `uid`, `has_same_body`, and `created_at` in
    /// milliseconds since 1970 UTC.
    pub fn journal_entry(&self) -> Option<&Json> {
        self.0.known.journal_entry.as_ref()
    }

    /// Everything the error knows except the bytes that were sent and received.
    ///
    /// `service_message` may repeat payer data: it is for the caller, not for
    /// a log. Durations are whole seconds, rounded up.
    pub fn to_json(&self) -> Json {
        let mut report = Members::new();
        report.push("kind", self.kind().as_str());
        report.push("code", self.code().as_str());
        report.push("message", self.message());
        report.push("outcome", self.outcome().as_str());
        report.push("advice", self.advice());
        report.push("path", self.path());
        report.push("operation", self.operation().map(Operation::name));
        report.push("reference", self.reference());
        report.push("http_status", self.http_status());
        report.push("service_code", self.service_code());
        report.push("service_message", self.service_message());
        report.push("payment_hash", self.payment_hash());
        report.push("retry_after", self.retry_after().map(super::seconds));
        report.push("diagnosis", self.diagnosis().map(Diagnosis::to_json));
        report.push("journal_entry", self.journal_entry().cloned());
        report.push("attempts", self.attempts());
        report.push("help", self.help());
        Json::Object(report)
    }
}
