//! Following in steps.

use std::ffi::c_char;

use payments_host::by_name::{follow_begin, follow_command, follow_end, follow_next};

use crate::call::payments_call;
use crate::client::payments_client;
use crate::error::payments_error;
use crate::operations::work;
use crate::status::payments_status;
use crate::text::payments_text;

/// Begins to follow, as `payments_client_follow` does, whose options `input`
/// has. The result has `follow`, a number that belongs to this handle. `call`
/// and `error_out` may be NULL.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`;
/// NULL on failure.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_VALIDATION, also for another number, _CONFIG, _JOURNAL,
/// _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_follow_begin(
    client: *const payments_client,
    input: *const c_char,
    input_length: usize,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { work(follow_begin, client, (input, input_length), call, text_out, error_out) }
}

/// Waits for the next end of `follow` (required), at most `wait_ms`.
/// `confirmed`, a flag, says that the end before was handled; otherwise it
/// comes again. The result has `end`, or null if there is none yet, and
/// `is_over`. `call` and `error_out` may be NULL.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`;
/// NULL on failure.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_VALIDATION, also for another number, _CONFIG, _JOURNAL,
/// _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_follow_next(
    client: *const payments_client,
    input: *const c_char,
    input_length: usize,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { work(follow_next, client, (input, input_length), call, text_out, error_out) }
}

/// Ends `follow` (required), and releases its state file. The result is `null`.
/// `call` and `error_out` may be NULL.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`;
/// NULL on failure.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_VALIDATION, also for another number, _CONFIG, _JOURNAL,
/// _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_follow_end(
    client: *const payments_client,
    input: *const c_char,
    input_length: usize,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { work(follow_end, client, (input, input_length), call, text_out, error_out) }
}

/// Does what `payments follow` does, in steps: first with `arguments`, an array
/// of texts, then with the members of `payments_client_follow_next` and the
/// flag `is_terminal`. The result has `stdout` and `stderr`, `follow`, and as
/// `exit_code` null until it is over. With the flag `interrupted`, it ends
/// because of a signal: `exit_code` is null if nothing that is given up stands.
/// `call` and `error_out` may be NULL.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`;
/// NULL on failure.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_VALIDATION, also for another number, _CONFIG, _JOURNAL,
/// _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_follow_command(
    client: *const payments_client,
    input: *const c_char,
    input_length: usize,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { work(follow_command, client, (input, input_length), call, text_out, error_out) }
}
