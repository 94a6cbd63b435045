//! Status codes and outcomes.

use std::ffi::c_char;

use payments_core::{ErrorKind, Outcome};

/// What a function returns. Details stand in the `payments_error`. Later
/// versions may add values.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum payments_status {
    /// It worked.
    PAYMENTS_STATUS_OK = 0,
    /// The configuration cannot work.
    PAYMENTS_STATUS_CONFIG = 1,
    /// The request breaks a rule that is known locally.
    PAYMENTS_STATUS_VALIDATION = 2,
    /// The signature could not be made.
    PAYMENTS_STATUS_SIGNING = 3,
    /// No bearer token could be had.
    PAYMENTS_STATUS_TOKEN = 4,
    /// No connection could be made.
    PAYMENTS_STATUS_CONNECT = 5,
    /// The TLS handshake failed.
    PAYMENTS_STATUS_TLS = 6,
    /// The connection broke.
    PAYMENTS_STATUS_TRANSPORT = 7,
    /// The deadline passed.
    PAYMENTS_STATUS_TIMEOUT = 8,
    /// The answer is not HTTP, or a redirect.
    PAYMENTS_STATUS_PROTOCOL = 9,
    /// The answer is larger than allowed.
    PAYMENTS_STATUS_TOO_LARGE = 10,
    /// A successful answer is not what the operation promises.
    PAYMENTS_STATUS_DECODE = 11,
    /// The service answered 401.
    PAYMENTS_STATUS_UNAUTHORIZED = 12,
    /// The service answered 429.
    PAYMENTS_STATUS_RATE_LIMITED = 13,
    /// The service answered with another status than 2xx.
    PAYMENTS_STATUS_STATUS = 14,
    /// The service answered 2xx, and the body says that it refused.
    PAYMENTS_STATUS_REJECTED = 15,
    /// The caller cancelled the call.
    PAYMENTS_STATUS_CANCELLED = 16,
    /// A bug, caught at the boundary.
    PAYMENTS_STATUS_INTERNAL = 17,
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
            _ => Self::PAYMENTS_STATUS_INTERNAL,
        }
    }
}

/// Whether a failed operation may have been executed by the service.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum payments_outcome {
    /// The service did not execute the operation: it may be sent again.
    PAYMENTS_OUTCOME_NOT_EXECUTED = 0,
    /// The service may have executed the operation. Do not send it again: find
    /// out what was done, as `payments_error_advice` says.
    PAYMENTS_OUTCOME_UNKNOWN = 1,
}

impl From<Outcome> for payments_outcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::NotExecuted => Self::PAYMENTS_OUTCOME_NOT_EXECUTED,
            Outcome::Unknown => Self::PAYMENTS_OUTCOME_UNKNOWN,
        }
    }
}

/// The name of a status, for example `rate_limited`; `unknown` for a number
/// that is none.
///
/// Ownership: the text is static and must not be freed.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn payments_status_name(status: i32) -> *const c_char {
    let name = match status {
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
        100 => c"invalid_argument",
        _ => c"unknown",
    };
    name.as_ptr()
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn names_and_numbers_are_those_of_the_core() {
        for kind in ErrorKind::ALL {
            assert_eq!(payments_status::of(kind) as i32, kind.number());
            let name = payments_status_name(payments_status::of(kind) as i32);
            // SAFETY: the name is a static text.
            let name = unsafe { CStr::from_ptr(name) };
            assert_eq!(name.to_str(), Ok(kind.as_str()));
        }
    }
}
