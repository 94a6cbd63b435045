// Generated from spec by generate/templates/status_codes.rs.jinja; do not edit. To update: cargo xtask generate

//! Status codes, the kinds of failure as C sees them, and outcomes.

use std::ffi::CStr;

use payments_core::{ErrorKind, Outcome};

/// The result of a function. Details are in the `payments_error`. Later
/// versions may add values.
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum payments_status {
    /// It worked.
    PAYMENTS_STATUS_OK = 0,
    /// The configuration cannot work. `payments_error_path` names the member.
    PAYMENTS_STATUS_CONFIG = 1,
    /// The request breaks a rule that is known locally. `payments_error_path`
    /// names the member.
    PAYMENTS_STATUS_VALIDATION = 2,
    /// The request could not be signed.
    PAYMENTS_STATUS_SIGNING = 3,
    /// No bearer token could be obtained.
    PAYMENTS_STATUS_TOKEN = 4,
    /// No connection could be made.
    PAYMENTS_STATUS_CONNECT = 5,
    /// The TLS handshake failed.
    PAYMENTS_STATUS_TLS = 6,
    /// The connection broke.
    PAYMENTS_STATUS_TRANSPORT = 7,
    /// The deadline passed.
    PAYMENTS_STATUS_TIMEOUT = 8,
    /// The response is not HTTP, is a redirect, or is about another payment.
    PAYMENTS_STATUS_PROTOCOL = 9,
    /// A successful response is larger than allowed.
    PAYMENTS_STATUS_TOO_LARGE = 10,
    /// A successful response is not what the operation promises.
    PAYMENTS_STATUS_DECODE = 11,
    /// The service responded with 401. `payments_error_diagnosis_message` says
    /// what the client knows about its credentials.
    PAYMENTS_STATUS_UNAUTHORIZED = 12,
    /// The service responded with 429. `payments_error_retry_after_ms` says how
    /// long to wait.
    PAYMENTS_STATUS_RATE_LIMITED = 13,
    /// The service responded with another status that is not 2xx.
    /// `payments_error_http_status` is that status.
    PAYMENTS_STATUS_STATUS = 14,
    /// The service responded with 2xx, and the body says that the operation
    /// failed. `payments_error_service_code` is the service's own code.
    PAYMENTS_STATUS_REJECTED = 15,
    /// The caller cancelled the call. The code `interrupted_after_response`
    /// means that the response was complete: `payments_error_response` has it.
    PAYMENTS_STATUS_CANCELLED = 16,
    /// A bug in this library was caught. Please report it.
    PAYMENTS_STATUS_INTERNAL = 17,
    /// The journal refused the call, or does not work.
    /// `payments_error_journal_entry` says which earlier call refused it.
    PAYMENTS_STATUS_JOURNAL = 18,
    /// A parameter breaks a rule of this header: NULL where a value is
    /// needed, text that is not UTF-8, a length that cannot be.
    PAYMENTS_STATUS_INVALID_ARGUMENT = 100,
}

impl payments_status {
    pub(crate) fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Config => Self::PAYMENTS_STATUS_CONFIG,
            ErrorKind::Validation => Self::PAYMENTS_STATUS_VALIDATION,
            ErrorKind::Signing => Self::PAYMENTS_STATUS_SIGNING,
            ErrorKind::Token => Self::PAYMENTS_STATUS_TOKEN,
            ErrorKind::Connect => Self::PAYMENTS_STATUS_CONNECT,
            ErrorKind::Tls => Self::PAYMENTS_STATUS_TLS,
            ErrorKind::Transport => Self::PAYMENTS_STATUS_TRANSPORT,
            ErrorKind::Timeout => Self::PAYMENTS_STATUS_TIMEOUT,
            ErrorKind::Protocol => Self::PAYMENTS_STATUS_PROTOCOL,
            ErrorKind::TooLarge => Self::PAYMENTS_STATUS_TOO_LARGE,
            ErrorKind::Decode => Self::PAYMENTS_STATUS_DECODE,
            ErrorKind::Unauthorized => Self::PAYMENTS_STATUS_UNAUTHORIZED,
            ErrorKind::RateLimited => Self::PAYMENTS_STATUS_RATE_LIMITED,
            ErrorKind::Status => Self::PAYMENTS_STATUS_STATUS,
            ErrorKind::Rejected => Self::PAYMENTS_STATUS_REJECTED,
            ErrorKind::Cancelled => Self::PAYMENTS_STATUS_CANCELLED,
            ErrorKind::Journal => Self::PAYMENTS_STATUS_JOURNAL,
            _ => Self::PAYMENTS_STATUS_INTERNAL,
        }
    }
}

/// The name of a status, if there is one of that number.
pub(crate) fn name_of(status: i32) -> Option<&'static CStr> {
    Some(match status {
        0 => c"ok",
        1 => c"config",
        2 => c"validation",
        3 => c"signing",
        4 => c"token",
        5 => c"connect",
        6 => c"tls",
        7 => c"transport",
        8 => c"timeout",
        9 => c"protocol",
        10 => c"too_large",
        11 => c"decode",
        12 => c"unauthorized",
        13 => c"rate_limited",
        14 => c"status",
        15 => c"rejected",
        16 => c"cancelled",
        17 => c"internal",
        18 => c"journal",
        100 => c"invalid_argument",
        _ => return None,
    })
}

/// Whether the operation of a failed call was executed by the service.
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum payments_outcome {
    /// The service did not execute the operation: it may be sent again.
    PAYMENTS_OUTCOME_NOT_EXECUTED = 0,
    /// The service may have executed the operation. Do not send it again: find
    /// out what was done, as `payments_error_advice` says.
    PAYMENTS_OUTCOME_UNKNOWN = 1,
    /// The service executed the operation, for this call or for an earlier one
    /// with the same body. Do not send it again: `payments_error_advice` says
    /// how to continue. It does not mean that anybody has paid.
    PAYMENTS_OUTCOME_EXECUTED = 2,
}

impl From<Outcome> for payments_outcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::NotExecuted => Self::PAYMENTS_OUTCOME_NOT_EXECUTED,
            Outcome::Unknown => Self::PAYMENTS_OUTCOME_UNKNOWN,
            Outcome::Executed => Self::PAYMENTS_OUTCOME_EXECUTED,
        }
    }
}
