//! Kinds of failure and outcomes: the table that every language has.

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

    /// The kind's number for languages without text codes. It never changes,
    /// and 0 is no kind.
    pub const fn number(self) -> i32 {
        match self {
            Self::Config => 1,
            Self::Validation => 2,
            Self::Signing => 3,
            Self::Token => 4,
            Self::Connect => 5,
            Self::Tls => 6,
            Self::Transport => 7,
            Self::Timeout => 8,
            Self::Protocol => 9,
            Self::TooLarge => 10,
            Self::Decode => 11,
            Self::Unauthorized => 12,
            Self::RateLimited => 13,
            Self::Status => 14,
            Self::Rejected => 15,
            Self::Cancelled => 16,
            Self::Internal => 17,
        }
    }

    /// What it means, in one line.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Config => "the configuration cannot work",
            Self::Validation => "the request breaks a rule that is known locally",
            Self::Signing => "the signature could not be made",
            Self::Token => "no bearer token could be had",
            Self::Connect => "no connection could be made",
            Self::Tls => "the TLS handshake failed",
            Self::Transport => "the connection broke",
            Self::Timeout => "the deadline passed",
            Self::Protocol => "the answer is not HTTP, or a redirect",
            Self::TooLarge => "the answer is larger than allowed",
            Self::Decode => "a successful answer is not what the operation promises",
            Self::Unauthorized => "the service answered 401",
            Self::RateLimited => "the service answered 429",
            Self::Status => "the service answered with another status than 2xx",
            Self::Rejected => "the service answered 2xx, and the body says that it failed",
            Self::Cancelled => "the caller cancelled the call",
            Self::Internal => "a bug of this library, caught at a boundary",
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
    /// The service may have executed the operation. Do not send it again: find
    /// out what was done, a payment with
    /// [`Client::query_payment`](crate::Client::query_payment) by its reference
    /// until it is found. The error's advice says how.
    Unknown,
}

impl Outcome {
    /// Both outcomes.
    pub const ALL: [Self; 2] = [Self::NotExecuted, Self::Unknown];

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
