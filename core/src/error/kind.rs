//! The kinds of failure, and what a failure may have done.

use std::fmt;

/// What kind of failure an [`Error`](super::Error) tells of.
///
/// The names of [`ErrorKind::as_str`] are the same in every language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The configuration cannot work.
    Config,
    /// The request breaks a rule that is known locally.
    Validation,
    /// The signature could not be made.
    Signing,
    /// No bearer token could be had.
    Token,
    /// No connection could be made.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// The connection broke.
    Transport,
    /// The deadline passed.
    Timeout,
    /// The answer is not HTTP, or a redirect.
    Protocol,
    /// The answer is larger than allowed.
    TooLarge,
    /// A successful answer is not what the operation promises.
    Decode,
    /// The service answered 401.
    Unauthorized,
    /// The service answered 429.
    RateLimited,
    /// The service answered with another status than 2xx.
    Status,
    /// The service answered 2xx, and the body says that it refused.
    Rejected,
    /// The caller cancelled the call.
    Cancelled,
    /// A bug, caught at a boundary.
    Internal,
}

impl ErrorKind {
    /// Every kind, in the order of the table in the documentation.
    pub const ALL: [Self; 17] = [
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
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether a failed operation may have been executed by the service.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The service did not execute the operation: it may be sent again.
    NotExecuted,
    /// The service may have executed the operation. Find out before anything
    /// is sent again: a payment with
    /// [`Client::query_payment`](crate::Client::query_payment) by its reference.
    Unknown,
}

impl Outcome {
    /// The outcome's name in every language: `not_executed` or `unknown`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotExecuted => "not_executed",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
