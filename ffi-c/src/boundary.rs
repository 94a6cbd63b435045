//! The boundary that no panic crosses.

use std::panic::{AssertUnwindSafe, catch_unwind};

use payments_core::ErrorKind;

use crate::error::{self, payments_error};
use crate::status::payments_status;

/// Why a function of the ABI fails.
pub(crate) enum Failure {
    /// A parameter breaks a rule of the header.
    Argument { name: &'static str, problem: &'static str },
    /// The core's own error.
    Core(Box<payments_core::Error>),
}

impl From<payments_core::Error> for Failure {
    fn from(error: payments_core::Error) -> Self {
        Self::Core(Box::new(error))
    }
}

impl Failure {
    fn status(&self) -> payments_status {
        match self {
            Self::Argument { .. } => payments_status::PAYMENTS_STATUS_INVALID_ARGUMENT,
            Self::Core(error) => payments_status::of(error.kind()),
        }
    }
}

/// Runs the body of a function that gives a status. On failure `error_out`
/// gets the details, if it is given; on success it gets NULL.
///
/// # Safety
/// `error_out` is NULL or points to a place for a pointer.
pub(crate) unsafe fn status(
    error_out: *mut *mut payments_error,
    body: impl FnOnce() -> Result<(), Failure>,
) -> payments_status {
    let result = catch_unwind(AssertUnwindSafe(body));
    let failure = match result {
        Ok(Ok(())) => {
            // SAFETY: as this function's.
            unsafe { error::give(error_out, None) };
            return payments_status::PAYMENTS_STATUS_OK;
        }
        Ok(Err(failure)) => failure,
        Err(_) => {
            // Making the error may itself fail; then the status must do.
            let given = catch_unwind(AssertUnwindSafe(|| {
                // SAFETY: as this function's.
                unsafe { error::give(error_out, Some(payments_error::of_panic())) };
            }));
            let _ = given;
            return payments_status::of(ErrorKind::Internal);
        }
    };
    let status = failure.status();
    let given = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as this function's.
        unsafe { error::give(error_out, Some(payments_error::of(failure))) };
    }));
    let _ = given;
    status
}

/// Runs the body of a function that gives a value, or `default` after a
/// panic.
pub(crate) fn value<T>(default: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(default)
}
