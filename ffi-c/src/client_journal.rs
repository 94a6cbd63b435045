//! The journal of a client.

use std::ffi::c_char;

use payments_host::by_name::{
    journal_adopt, journal_command, journal_compare, journal_list, journal_prune, journal_recover,
    journal_resolve, journal_show,
};

use crate::call::payments_call;
use crate::client::payments_client;
use crate::error::payments_error;
use crate::operations::work;
use crate::status::payments_status;
use crate::text::payments_text;

/// Reads entries of the journal by their ids, the oldest first, at most 1,000.
/// `input` may have `only_open`, a flag, and `after`, an id: then larger ids.
/// The result has `entries` and `now`. After the last page, `entries` is empty.
///
/// Of all functions of the journal and of following in steps, `input` and the
/// result are JSON texts of objects. `input` may be empty, and members that are
/// not required may be left out or null. `call` and `error_out` may be NULL.
///
/// An entry has the members that `payments_journal_fn` names, and `needs`:
/// `time` (the call may still run or take effect), `query` (recover), `person`
/// (resolve), or null if it is not open. It is open while its `state` is
/// `in_progress` or `unknown`, or while it has a `rival`. `now` and all times
/// are milliseconds since 1970 UTC by the journal's clock.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`;
/// NULL on failure.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
/// _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_journal_list(
    client: *const payments_client,
    input: *const c_char,
    input_length: usize,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { work(journal_list, client, (input, input_length), call, text_out, error_out) }
}

/// Reads all entries of a `reference` (required), or the one with that id. The
/// result has `entries`, which may be empty, and `now`. `call` and `error_out`
/// may be NULL.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`;
/// NULL on failure.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
/// _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_journal_show(
    client: *const payments_client,
    input: *const c_char,
    input_length: usize,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { work(journal_show, client, (input, input_length), call, text_out, error_out) }
}

/// Queries the outcomes of open entries. The result has `recovered`, the
/// entries that are no longer open; `open`, objects with `entry`, `needs` and
/// `reason`; and `now`. Each query has the client's own deadline. `call` and
/// `error_out` may be NULL.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`;
/// NULL on failure.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
/// _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_journal_recover(
    client: *const payments_client,
    input: *const c_char,
    input_length: usize,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { work(journal_recover, client, (input, input_length), call, text_out, error_out) }
}

/// Records a person's decision: `entry`, an id, or a reference with one open
/// entry; `executed`, a flag; and `note`; all are required. The result has
/// `entries`, with the entry as it is stored: if another entry has taken the
/// reference of one that was executed, it is `failed` with a `rival`. `call`
/// and `error_out` may be NULL.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`;
/// NULL on failure.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
/// _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_journal_resolve(
    client: *const payments_client,
    input: *const c_char,
    input_length: usize,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { work(journal_resolve, client, (input, input_length), call, text_out, error_out) }
}

/// Deletes entries that were created before `before` (required, a date such as
/// `2026-01-31` or an ISO 8601 time with its offset) and are not open; with the
/// flag `dry_run`, only counts them. Without the flag `recent`, the last 30
/// days are refused. The result has `dry_run`, and the numbers `done` and
/// `failed`, which are deleted, and `open`, which stay. `call` and `error_out`
/// may be NULL.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`;
/// NULL on failure.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
/// _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_journal_prune(
    client: *const payments_client,
    input: *const c_char,
    input_length: usize,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { work(journal_prune, client, (input, input_length), call, text_out, error_out) }
}

/// Says how a paid payment differs from the journal's entry: `reference`, and
/// `payment`, the body of the response to a query by it; both are required.
/// `difference` in the result is null if it does not. `call` and `error_out`
/// may be NULL.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`;
/// NULL on failure.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
/// _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_journal_compare(
    client: *const payments_client,
    input: *const c_char,
    input_length: usize,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { work(journal_compare, client, (input, input_length), call, text_out, error_out) }
}

/// Lets calls write to the journal of the client, if it is the copy of a file,
/// on a person's word: a copy lacks all later entries. `adopted` in the result
/// is false if there was nothing to adopt. `input` has no members. `call` and
/// `error_out` may be NULL.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`;
/// NULL on failure.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
/// _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_journal_adopt(
    client: *const payments_client,
    input: *const c_char,
    input_length: usize,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { work(journal_adopt, client, (input, input_length), call, text_out, error_out) }
}

/// Runs `payments journal` with `arguments` (required, an array of texts).
/// `program` (required) names the command in texts, such as `payments journal`;
/// `is_terminal` is a flag. The result has `stdout`, `stderr` and `exit_code`,
/// also after a failure. `call` and `error_out` may be NULL.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`;
/// NULL on failure.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
/// _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_journal_command(
    client: *const payments_client,
    input: *const c_char,
    input_length: usize,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { work(journal_command, client, (input, input_length), call, text_out, error_out) }
}
