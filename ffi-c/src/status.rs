//! Status codes and outcomes.

use std::ffi::c_char;

use payments_core::Outcome;

use crate::status_codes::name_of;
pub use crate::status_codes::payments_status;

/// Whether the operation of a failed call was executed by the service.
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum payments_outcome {
    /// The service did not execute the operation. It is safe to send it again.
    PAYMENTS_OUTCOME_NOT_EXECUTED = 0,
    /// The service may have executed the operation. Do not send it again; find
    /// out first, as `payments_error_advice` says.
    PAYMENTS_OUTCOME_UNKNOWN = 1,
    /// The service executed the operation, for this call or for an earlier one
    /// with the same body. Do not send it again. It does not mean that anybody
    /// has paid; `payments_error_advice` says how to go on.
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

/// The name of a status, for example `rate_limited`; `unknown` for an unknown
/// number.
///
/// Ownership: the text is static and must not be freed.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn payments_status_name(status: i32) -> *const c_char {
    name_of(status).unwrap_or(c"unknown").as_ptr()
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use payments_core::ErrorKind;

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
