// Generated from spec/error_members.toml by generate/templates/error_values.rs.jinja; do not edit. To update: cargo xtask generate

//! The members of an error that are texts and numbers.

use std::ffi::c_char;

use crate::error::payments_error;
use crate::error_members::{text_of, value_of};

/// The code, stable within the kind, for example `token_backoff`. Never NULL
/// for an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_code(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("code")) }
}

/// The failure and the next step, in one or two sentences. It contains no
/// secrets or payer data. Never NULL for an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_message(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("message")) }
}

/// The next step instead of sending it again, unless it was not executed. NULL
/// if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_advice(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("advice")) }
}

/// The member at fault, for example `payment.document`. NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_path(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("path")) }
}

/// The operation that failed. NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_operation(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("operation")) }
}

/// Your own reference for this request. Use it to find out an unknown outcome.
/// NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_reference(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("reference")) }
}

/// The status of the service's response. 0 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_http_status(error: *const payments_error) -> i32 {
    // SAFETY: the caller upholds this function's contract.
    unsafe { value_of(error, 0, |error| error.http_status().map(i32::from)) }
}

/// The service's own code, for example `BP-DR-0`. Left out if it does not look
/// like one, or is a secret of the configuration. NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_service_code(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("service_code")) }
}

/// The service's own message. It may repeat payer data: do not log it. NULL if
/// there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_service_message(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("service_message")) }
}

/// The hash of a payment that the response names. Left out if it is longer than
/// 128 characters or not printable ASCII, or is a secret of the configuration.
/// NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_payment_hash(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("payment_hash")) }
}

/// Milliseconds to wait before asking again. -1 if there is none.
///
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

/// The earlier call that the journal has under the same reference. It has `id`,
/// `state`, `hash`, `uid`, `has_same_body`, and `created_at` in milliseconds
/// since 1970 UTC. JSON text. NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_journal_entry(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("journal_entry")) }
}

/// How many attempts were made, including those that could not connect. 0 if
/// there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_attempts(error: *const payments_error) -> u32 {
    // SAFETY: the caller upholds this function's contract.
    unsafe { value_of(error, 0, |error| Some(error.attempts())) }
}

/// The command that explains the code, for example `payments explain refused`.
/// Never NULL for an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_help(error: *const payments_error) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { text_of(error, |texts| texts.members.get("help")) }
}
