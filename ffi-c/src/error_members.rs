//! The members of an error.

use std::ffi::c_char;

use payments_core::Error;

use crate::boundary;
use crate::error::{Texts, payments_error};
use crate::input;
use crate::response::payments_response;
use crate::status::{payments_outcome, payments_status};
use crate::text::Terminated;

/// Reads a text of an error; NULL if it has none, or there is no error.
unsafe fn text_of(
    error: *const payments_error,
    pick: impl FnOnce(&Texts) -> Option<&Terminated>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the caller passes NULL or a live error.
        let error = unsafe { error.as_ref() };
        let text = error.and_then(|error| pick(error.texts()));
        text.map_or(std::ptr::null(), Terminated::as_ptr)
    })
}

/// Reads a value of the core's error, or `default`.
unsafe fn value_of<T: Copy>(
    error: *const payments_error,
    default: T,
    pick: impl FnOnce(&Error) -> Option<T>,
) -> T {
    boundary::value(default, || {
        // SAFETY: the caller passes NULL or a live error.
        let error = unsafe { error.as_ref() };
        error.and_then(|error| error.core.as_ref()).and_then(pick).unwrap_or(default)
    })
}

/// The kind of failure: the value that the function returned.
///
/// Ownership: none is taken.
/// Threads: any, several at once.
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
/// Ownership: none is taken.
/// Threads: any, several at once.
/// Errors: none; PAYMENTS_OUTCOME_UNKNOWN for a NULL error, which says nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_outcome(error: *const payments_error) -> payments_outcome {
    boundary::value(payments_outcome::PAYMENTS_OUTCOME_UNKNOWN, || {
        // SAFETY: the caller passes NULL or a live error.
        let error = unsafe { error.as_ref() };
        error.map_or(payments_outcome::PAYMENTS_OUTCOME_UNKNOWN, |error| error.outcome.into())
    })
}

/// A stable code within the kind, for example `token_backoff`. Never NULL
/// for an error.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_code(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("code")) }
}

/// The place in the documentation that explains the code, for example
/// `docs/errors.md#payment_not_found`. Never NULL for an error.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_help(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("help")) }
}

/// What happened and what to do next. It contains no secrets or payer data.
/// Never NULL for an error.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_message(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("message")) }
}

/// Operation, member, message, advice, kind and outcome in one line, for a log.
/// It contains no secrets or payer data. Never NULL for an error.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_text(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| Some(&texts.line)) }
}

/// What to do instead of sending the operation again. NULL if it was not
/// executed.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_advice(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("advice")) }
}

/// The member of the request or of the configuration at fault, for example
/// `payment.document`, or the parameter. NULL if none is.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_path(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("path")) }
}

/// The operation that failed, for example `create_payment`, or NULL.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_operation(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("operation")) }
}

/// The merchant's own reference in the request, or NULL.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_reference(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("reference")) }
}

/// The HTTP status of the response, or 0 if there was none.
///
/// Ownership: none is taken.
/// Threads: any, several at once.
/// Errors: none; 0 for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_http_status(error: *const payments_error) -> i32 {
    // SAFETY: the caller upholds this function's contract.
    unsafe { value_of(error, 0, |error| error.http_status().map(i32::from)) }
}

/// The service's own code, for example `BP-DR-0`, or NULL.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_service_code(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("service_code")) }
}

/// The service's own message, or NULL. It may repeat payer data: do not log
/// it.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_service_message(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("service_message")) }
}

/// The payment hash in the response, or NULL.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_payment_hash(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("payment_hash")) }
}

/// How many milliseconds to wait before trying again, or -1.
///
/// Ownership: none is taken.
/// Threads: any, several at once.
/// Errors: none; -1 for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_retry_after_ms(error: *const payments_error) -> i64 {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        value_of(error, -1, |error| {
            error.retry_after().and_then(|after| i64::try_from(after.as_millis()).ok())
        })
    }
}

/// The cause of a 401 as the interface names it, for example
/// `signature_mismatch`, or NULL.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_diagnosis_cause(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("diagnosis_cause")) }
}

/// On a 401, the cause if the facts leave no other, for example
/// `bearer_refused`; otherwise `cannot_tell`. NULL for other errors.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_diagnosis_finding(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("diagnosis_finding")) }
}

/// On a 401, what the client knows about its credentials, or NULL.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_diagnosis_message(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("diagnosis_message")) }
}

/// The entry of the earlier call that the journal has under the same reference:
/// JSON text with `id`, `state`, `hash`, `uid`, `has_same_body` and
/// `created_at` in milliseconds since 1970 UTC, or NULL.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_journal_entry(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.member("journal_entry")) }
}

/// How many attempts were made, including those that could not connect.
///
/// Ownership: none is taken.
/// Threads: any, several at once.
/// Errors: none; 0 for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_attempts(error: *const payments_error) -> u32 {
    // SAFETY: the caller upholds this function's contract.
    unsafe { value_of(error, 0, |error| Some(error.attempts())) }
}

/// The body that was signed and sent, at most its first 64 KiB; NULL and a
/// length of 0 if nothing was signed. It contains payer data. `length_out` may
/// be NULL.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL and 0 for a NULL error.
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
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL and 0 for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_response_body(
    error: *const payments_error,
    length_out: *mut usize,
) -> *const u8 {
    // SAFETY: the caller upholds this function's contract.
    unsafe { bytes_of(error, length_out, Error::response_body) }
}

/// The complete response of a call that was cancelled after it arrived, which
/// says what was executed. `response_out` gets NULL if there is none. Errors with a response have the code
/// `interrupted_after_response`.
///
/// Ownership: `response_out` gets a handle, to be freed with
/// `payments_response_free`, which may outlive the error; each call makes
/// another.
/// Threads: any, several at once.
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
            let core = error.as_ref().and_then(|error| error.core.as_ref());
            if let Some(response) = core.and_then(Error::response) {
                out.give(payments_response::new(response.clone()));
            }
            Ok(())
        })
    }
}

/// Everything the error knows except the bytes, as the JSON text of one object.
/// `service_message` in it may contain payer data. Never NULL for an error.
///
/// Ownership: belongs to the error; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none; NULL for a NULL error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_json(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| Some(&texts.report)) }
}

unsafe fn bytes_of(
    error: *const payments_error,
    length_out: *mut usize,
    pick: impl FnOnce(&Error) -> Option<&[u8]>,
) -> *const u8 {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the caller passes NULL or a live error.
        let core = unsafe { error.as_ref() }.and_then(|error| error.core.as_ref());
        let bytes = core.and_then(pick);
        // SAFETY: the caller passes NULL or a place for a length.
        unsafe { input::offer(length_out, bytes.map_or(0, <[u8]>::len)) };
        bytes.map_or(std::ptr::null(), <[u8]>::as_ptr)
    })
}
