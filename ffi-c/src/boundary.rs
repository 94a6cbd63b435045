//! The boundary of the ABI, which no panic crosses. One place for all functions: a
//! function that catches panics in its own way would be easy to overlook.

use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

use payments_core::Outcome;

use crate::allocator;
use crate::error::payments_error;
use crate::failure::CallFailure;
use crate::input::{self, Caller, Handle};
use crate::nul_terminated::NulTerminated;
use crate::status::payments_status;

/// Runs the body of a function that returns a status. Writes the error to
/// `error_out`, unless that is NULL; NULL on success.
///
/// # Safety
/// `error_out` is NULL or points to a place for a pointer.
pub(crate) unsafe fn status(
    error_out: *mut *mut payments_error,
    body: impl FnOnce() -> Result<(), CallFailure>,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { run(error_out, Outcome::NotExecuted, body) }
}

/// Like [`status`], for a function that performs an operation. The core catches
/// panics in its own calls, so a panic that arrives here may have happened
/// after the response.
///
/// # Safety
/// Same as [`status`].
pub(crate) unsafe fn operation(
    error_out: *mut *mut payments_error,
    body: impl FnOnce() -> Result<(), CallFailure>,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { run(error_out, Outcome::Unknown, body) }
}

unsafe fn run(
    error_out: *mut *mut payments_error,
    outcome_of_panic: Outcome,
    body: impl FnOnce() -> Result<(), CallFailure>,
) -> payments_status {
    // Done first, so that the caller never frees an uninitialized pointer.
    // SAFETY: the caller upholds the contract of `status`.
    unsafe { input::offer(error_out, std::ptr::null_mut()) };
    allocator::show_panics_without_backtrace();
    let Err(failure) = catch_unwind(AssertUnwindSafe(body))
        .unwrap_or_else(|_| Err(CallFailure::Panic(outcome_of_panic)))
    else {
        return payments_status::PAYMENTS_STATUS_OK;
    };
    let status = failure.status();
    if !error_out.is_null() {
        // If making the error fails too, the status must be enough.
        let error = value(std::ptr::null_mut(), || input::give(payments_error::of(failure)));
        // SAFETY: the caller upholds the contract of `status`.
        unsafe { input::offer(error_out, error) };
    }
    status
}

/// Runs the body of a function that returns a value. Returns `default` after a
/// panic.
pub(crate) fn value<T>(default: T, body: impl FnOnce() -> T) -> T {
    allocator::show_panics_without_backtrace();
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(default)
}

/// The value that `find` finds behind a handle; `default` if that is nothing, if the
/// handle is NULL, and after a panic.
///
/// # Safety
/// `handle` is NULL or points to a value that lives as long as the result.
pub(crate) unsafe fn read<'a, H: 'a, T>(
    handle: *const H,
    default: T,
    find: impl FnOnce(&'a H) -> Option<T>,
) -> T {
    // SAFETY: the caller upholds this function's contract.
    value(None, || unsafe { handle.as_ref() }.and_then(find)).unwrap_or(default)
}

/// A text that belongs to a handle; NULL if `find` finds none.
///
/// # Safety
/// Same as [`read`].
pub(crate) unsafe fn text<H>(
    handle: *const H,
    find: impl FnOnce(&H) -> Option<&NulTerminated>,
) -> *const c_char {
    // SAFETY: the caller upholds the contract of `read`.
    unsafe { read(handle, std::ptr::null(), |it| find(it).map(NulTerminated::as_ptr)) }
}

/// Bytes that belong to a handle, and their number; NULL and 0 if `find` finds none.
///
/// # Safety
/// Same as [`read`]; `length_out` is NULL or points to a place for a length.
pub(crate) unsafe fn bytes<H>(
    handle: *const H,
    length_out: *mut usize,
    find: impl FnOnce(&H) -> Option<&[u8]>,
) -> *const u8 {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        let found = read(handle, None, |it| Some(find(it)));
        input::offer(length_out, found.map_or(0, <[u8]>::len));
        found.map_or(std::ptr::null(), <[u8]>::as_ptr)
    }
}

/// Takes back and drops a value.
///
/// # Safety
/// `handle` is NULL or came from [`give`](input::give) and was not taken back before.
pub(crate) unsafe fn take_back<T: Handle<Owner = Caller>>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: the caller upholds this function's contract.
        let owned = unsafe { Box::from_raw(handle) };
        value((), || drop(owned));
    }
}
