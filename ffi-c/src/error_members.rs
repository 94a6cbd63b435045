//! Reads the members of an error; those that are texts and numbers are generated.

use std::ffi::c_char;

use payments_core::Error;

use crate::boundary;
use crate::error::{Texts, payments_error};
use crate::input;
use crate::nul_terminated::NulTerminated;
use crate::response::payments_response;
use crate::status::{payments_outcome, payments_status};

/// Reads a text of an error; NULL if it has none, or there is no error.
pub(crate) unsafe fn text_of(
    error: *const payments_error,
    pick: impl FnOnce(&Texts) -> Option<&NulTerminated>,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live error.
    unsafe { boundary::text(error, |error| pick(error.texts())) }
}

/// Reads a value of the core's error, or `default`.
pub(crate) unsafe fn value_of<T: Copy>(
    error: *const payments_error,
    default: T,
    pick: impl FnOnce(&Error) -> Option<T>,
) -> T {
    // SAFETY: the caller passes NULL or a live error.
    unsafe { boundary::read(error, default, |error| pick(&error.core)) }
}

/// The kind of failure: the value that the function returned.
///
/// Errors: none; PAYMENTS_STATUS_OK for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_status(error: *const payments_error) -> payments_status {
    boundary::value(payments_status::PAYMENTS_STATUS_INTERNAL, || {
        // SAFETY: the caller passes NULL or a live error.
        unsafe { error.as_ref() }.map_or(payments_status::PAYMENTS_STATUS_OK, |error| error.status)
    })
}

/// Whether the operation was executed.
///
/// Errors: none; PAYMENTS_OUTCOME_UNKNOWN for a NULL error, which says nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_outcome(error: *const payments_error) -> payments_outcome {
    let unknown = payments_outcome::PAYMENTS_OUTCOME_UNKNOWN;
    // SAFETY: the caller passes NULL or a live error.
    unsafe { boundary::read(error, unknown, |error| Some(error.core.outcome().into())) }
}

/// Operation, member, message, advice, kind and outcome in one line, for a log.
/// It contains no secrets or payer data. Never NULL for an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_text(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| Some(&texts.line)) }
}

/// The cause of a 401 as the interface names it, for example
/// `signature_mismatch`, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_diagnosis_cause(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("diagnosis_cause")) }
}

/// On a 401, the cause if the facts leave no other, for example
/// `bearer_refused`; otherwise `cannot_tell`. NULL for other errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_diagnosis_finding(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("diagnosis_finding")) }
}

/// On a 401, what the client knows about its credentials, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_diagnosis_message(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("diagnosis_message")) }
}

/// The body that was signed and sent, at most its first 64 KiB; NULL and a
/// length of 0 if nothing was signed. It contains payer data. `length_out` may
/// be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_request_body(
    error: *const payments_error,
    length_out: *mut usize,
) -> *const u8 {
    // SAFETY: the caller upholds this function's contract.
    unsafe { bytes_of(error, length_out, Error::request_body) }
}

/// The body of the response, at most its first 64 KiB; NULL and a length of 0
/// if there was none. It may contain payer data. `length_out` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_response_body(
    error: *const payments_error,
    length_out: *mut usize,
) -> *const u8 {
    // SAFETY: the caller upholds this function's contract.
    unsafe { bytes_of(error, length_out, Error::response_body) }
}

/// The complete response of a call that was cancelled after it arrived, with
/// the result of the operation. `response_out` gets NULL if there is none.
/// Errors with a response have the code `interrupted_after_response`.
///
/// Ownership: `response_out` gets a handle, to be freed with
/// `payments_response_free`, which may outlive the error; each call makes
/// another.
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT if `response_out` is NULL. A NULL
/// error has no response.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_response(
    error: *const payments_error,
    response_out: *mut *mut payments_response,
) -> payments_status {
    // SAFETY: no error is written to NULL; the caller passes NULL or a live
    // error.
    unsafe {
        boundary::status(std::ptr::null_mut(), || {
            let out = input::out_handle("response_out", response_out)?;
            if let Some(response) = error.as_ref().and_then(|error| error.core.response()) {
                out.give(payments_response::new(response.clone()));
            }
            Ok(())
        })
    }
}

/// Everything the error knows except the bytes, as the JSON text of one object.
/// `service_message` in it may contain payer data. Never NULL for an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_json(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| Some(&texts.report)) }
}

/// Frees an error. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_free(error: *mut payments_error) {
    // SAFETY: the caller passes NULL or an error that was not freed.
    unsafe { boundary::take_back(error) }
}

unsafe fn bytes_of(
    error: *const payments_error,
    length_out: *mut usize,
    pick: impl FnOnce(&Error) -> Option<&[u8]>,
) -> *const u8 {
    // SAFETY: the caller passes NULL or a live error, and NULL or a place for a length.
    unsafe { boundary::bytes(error, length_out, |error| pick(&error.core)) }
}
