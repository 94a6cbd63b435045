//! The boundary that no panic crosses.

use std::panic::{AssertUnwindSafe, catch_unwind};

use payments_core::{ErrorKind, Outcome};

use crate::error::payments_error;
use crate::input;
use crate::status::payments_status;

/// Why a function of the ABI fails.
pub(crate) enum Failure {
    /// A parameter breaks a rule of the header.
    Argument { name: &'static str, problem: &'static str },
    /// The core's own error.
    Core(Box<payments_core::Error>),
    /// A bug, with what may have been done.
    Panic(Outcome),
}

impl From<payments_core::Error> for Failure {
    fn from(error: payments_core::Error) -> Self {
        Self::Core(Box::new(error))
    }
}

impl Failure {
    pub(crate) fn status(&self) -> payments_status {
        match self {
            Self::Argument { .. } => payments_status::PAYMENTS_STATUS_INVALID_ARGUMENT,
            Self::Core(error) => payments_status::of(error.kind()),
            Self::Panic(_) => payments_status::of(ErrorKind::Internal),
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
    // SAFETY: as this function's.
    unsafe { run(error_out, Outcome::NotExecuted, body) }
}

/// As [`status`], for a function that performs an operation. The core catches
/// what panics in a call of its own; a panic that arrives here may have come
/// after the answer.
///
/// # Safety
/// As [`status`].
pub(crate) unsafe fn operation(
    error_out: *mut *mut payments_error,
    body: impl FnOnce() -> Result<(), Failure>,
) -> payments_status {
    // SAFETY: as this function's.
    unsafe { run(error_out, Outcome::Unknown, body) }
}

unsafe fn run(
    error_out: *mut *mut payments_error,
    outcome_of_panic: Outcome,
    body: impl FnOnce() -> Result<(), Failure>,
) -> payments_status {
    // First of all, so that the caller never frees what stood there.
    // SAFETY: as `status`'s.
    unsafe { input::offer(error_out, std::ptr::null_mut()) };
    let Err(failure) = catch_unwind(AssertUnwindSafe(body))
        .unwrap_or_else(|_| Err(Failure::Panic(outcome_of_panic)))
    else {
        return payments_status::PAYMENTS_STATUS_OK;
    };
    let status = failure.status();
    if !error_out.is_null() {
        // Should making the error fail as well, then the status must do.
        let error = value(std::ptr::null_mut(), || input::give(payments_error::of(failure)));
        // SAFETY: as `status`'s.
        unsafe { input::offer(error_out, error) };
    }
    status
}

/// Runs the body of a function that gives a value, or `default` after a
/// panic.
pub(crate) fn value<T>(default: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(default)
}
