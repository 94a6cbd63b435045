// Generated from spec/operations by generate/templates/operation_calls.rs.jinja; do not edit. To update: cargo xtask generate

//! Functions of a client that take JSON: its operations, the wait for a payment, its
//! journal, and following in steps. Generated, so they decide nothing: each passes its
//! arguments to a handwritten function.

use std::ffi::c_char;

use payments_host::by_name;

use crate::call::payments_call;
use crate::client::payments_client;
use crate::error::payments_error;
use crate::operations::{operate, work};
use crate::response::payments_response;
use crate::status::payments_status;
use crate::text::payments_text;

/// Creates a payment in one of a country's methods. `body` is the JSON text of
/// an object; the members are listed at the top of this header. `call` and
/// `error_out` may be NULL.
///
/// Errors: every status. When `payments_error_outcome` is
/// PAYMENTS_OUTCOME_UNKNOWN, the payment may exist. Do not send it again; query
/// it by its `merchant_payment_code` until it is found.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_create_payment(
    client: *const payments_client,
    body: *const c_char,
    body_length: usize,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: as this function's.
    unsafe { operate("create_payment", client, (body, body_length), call, response_out, error_out) }
}

/// Queries a payment, by its hash or by your own reference. Try the query by
/// reference with your service before you depend on it. A query moves no money,
/// and is sent again a few times when the connection or the service fails.
/// `body` is the JSON text of an object; the members are listed at the top of
/// this header. `call` and `error_out` may be NULL.
///
/// Errors: every status. Nothing was moved: call it again.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_query_payment(
    client: *const payments_client,
    body: *const c_char,
    body_length: usize,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: as this function's.
    unsafe { operate("query_payment", client, (body, body_length), call, response_out, error_out) }
}

/// Refunds a payment, in whole or in part. Check the refunded amount in the
/// response of your first partial refund: a service that ignores `amount`
/// refunds the whole payment. `body` is the JSON text of an object; the members
/// are listed at the top of this header. `call` and `error_out` may be NULL.
///
/// Errors: every status. When `payments_error_outcome` is
/// PAYMENTS_OUTCOME_UNKNOWN, the refund may exist. Do not send it again; query
/// the payment by its `hash` until its response lists the refund.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_refund_payment(
    client: *const payments_client,
    body: *const c_char,
    body_length: usize,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: as this function's.
    unsafe { operate("refund_payment", client, (body, body_length), call, response_out, error_out) }
}

/// Sends money to a payee. `body` is the JSON text of an object; the members
/// are listed at the top of this header. `call` and `error_out` may be NULL.
///
/// Errors: every status. When `payments_error_outcome` is
/// PAYMENTS_OUTCOME_UNKNOWN, the payout may exist. Do not send it again; query
/// it by its `external_reference` if `payout_query` is on, or look for it on
/// the provider's platform.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_create_payout(
    client: *const payments_client,
    body: *const c_char,
    body_length: usize,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: as this function's.
    unsafe { operate("create_payout", client, (body, body_length), call, response_out, error_out) }
}

/// Queries a payout, by its uid or by your own reference. It is off until
/// `payout_query` is on: the interface does not state it, so ask your provider
/// whether the service has it. A query moves no money, and is sent again a few
/// times when the connection or the service fails. `body` is the JSON text of
/// an object; the members are listed at the top of this header. `call` and
/// `error_out` may be NULL.
///
/// Errors: every status. Nothing was moved: call it again.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_query_payout(
    client: *const payments_client,
    body: *const c_char,
    body_length: usize,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: as this function's.
    unsafe { operate("query_payout", client, (body, body_length), call, response_out, error_out) }
}

/// Registers the tracking codes of an order. `body` is the JSON text of an
/// object; the members are listed at the top of this header. `call` and
/// `error_out` may be NULL.
///
/// Errors: every status. When `payments_error_outcome` is
/// PAYMENTS_OUTCOME_UNKNOWN, the codes may be registered, and the interface has
/// no query for them. Registering them moves no money.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_register_tracking(
    client: *const payments_client,
    body: *const c_char,
    body_length: usize,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: as this function's.
    unsafe {
        operate("register_tracking", client, (body, body_length), call, response_out, error_out)
    }
}

/// Returns the payment with the reference of `body`, and creates it if the service
/// has none. A new attempt needs a new reference: a payment that is found is
/// returned in any state, even cancelled. Takes the body of
/// `payments_client_create_payment`. One call sends at most one creation. Two
/// concurrent calls create one payment if they share a journal; without one, that
/// depends on the service. The view has three more members: `is_created`, whether
/// this is the response to the creation that this call sent; `unchecked`, the
/// parts that could not be compared with a payment that was found:
/// `currency_code`, `amount_total` and `body`; and `other_hash`, the hash of a
/// cancelled payment with the reference, if the payer tried again and this one is
/// paid, or null. `call` and `error_out` may be NULL.
///
/// Errors: those of a failed query, except one that finds no payment: nothing
/// was created. PAYMENTS_STATUS_PROTOCOL or _JOURNAL with the code
/// `reference_used` if the payment is another one. Those of
/// `payments_client_create_payment`.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_ensure_payment(
    client: *const payments_client,
    body: *const c_char,
    body_length: usize,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: as this function's.
    unsafe { operate("ensure_payment", client, (body, body_length), call, response_out, error_out) }
}

/// Queries a payment until it is over, or until the deadline of `call`; each
/// query has the client's own deadline too. Takes the body of
/// `payments_client_query_payment`. The pauses between queries are a
/// tenth of the elapsed time, but at least 2 s. PAYMENTS_STATUS_OK gives the last
/// response: at the deadline, the payment may still be open. The view has one more
/// member, `other_hash`: that of a cancelled payment with the reference, if the payer
/// tried again and this one is paid, or null. `call` and `error_out` may be NULL.
///
/// Errors: those of a query, if none had a response or another one would fail
/// the same way; PAYMENTS_STATUS_CANCELLED.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_wait_for_payment(
    client: *const payments_client,
    body: *const c_char,
    body_length: usize,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: as this function's.
    unsafe {
        operate("wait_for_payment", client, (body, body_length), call, response_out, error_out)
    }
}

/// Reads entries of the journal by their ids, the oldest first, at most 1,000.
/// `input` may have `only_open`, a flag, and `after`, an id: then larger ids.
/// The result has `entries` and `now`. After the last page, `entries` is empty.
///
/// In all functions of the journal and of following in steps, `input` and the
/// result are JSON texts of objects. `input` may be empty, and members that are
/// not required may be left out or null. `call` and `error_out` may be NULL.
///
/// An entry has the members that `payments_journal_fn` names, and `needs`:
/// `time` (the call may still run or take effect), `query` (recover), `person`
/// (resolve), or null if it is not open. It is open while its `state` is
/// `in_progress` or `unknown`, or while it has a `rival`. `now` and all times
/// are milliseconds since 1970 UTC by the journal's clock.
///
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
    // SAFETY: as this function's.
    unsafe { work(by_name::journal_list, client, (input, input_length), call, text_out, error_out) }
}

/// Reads all entries of a `reference` (required), or the one with that id. The
/// result has `entries`, which may be empty, and `now`. `call` and `error_out`
/// may be NULL.
///
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
    // SAFETY: as this function's.
    unsafe { work(by_name::journal_show, client, (input, input_length), call, text_out, error_out) }
}

/// Queries the outcomes of open entries. The result has `recovered`, the
/// entries that are no longer open; `open`, objects with `entry`, `needs` and
/// `reason`; and `now`. Each query has the client's own deadline. `call` and
/// `error_out` may be NULL.
///
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
    // SAFETY: as this function's.
    unsafe {
        work(by_name::journal_recover, client, (input, input_length), call, text_out, error_out)
    }
}

/// Records a person's decision: `entry`, an id, or a reference with one open
/// entry; `executed`, a flag; and `note`; all are required. The result has
/// `entries`, with the entry as it is stored: if another entry has taken the
/// reference of one that was executed, it is `failed` with a `rival`. `call`
/// and `error_out` may be NULL.
///
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
    // SAFETY: as this function's.
    unsafe {
        work(by_name::journal_resolve, client, (input, input_length), call, text_out, error_out)
    }
}

/// Deletes entries that were created before `before` (required, a date such as
/// `2026-01-31` or an ISO 8601 time with its offset) and are not open; with the
/// flag `dry_run`, only counts them. Without the flag `recent`, the last 30
/// days are refused. The result has `dry_run`, and the numbers `done` and
/// `failed`, which are deleted, and `open`, which stay. `call` and `error_out`
/// may be NULL.
///
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
    // SAFETY: as this function's.
    unsafe {
        work(by_name::journal_prune, client, (input, input_length), call, text_out, error_out)
    }
}

/// Says how a paid payment differs from the journal's entry: `reference`, and
/// `payment`, the body of the response to a query by it; both are required. With
/// `amount` and `currency` of an order, it must have these too, or, where the
/// service does not show them, the hash of an entry that has them. `difference` in
/// the result is null if it does not differ. `call` and `error_out` may be NULL.
///
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
    // SAFETY: as this function's.
    unsafe {
        work(by_name::journal_compare, client, (input, input_length), call, text_out, error_out)
    }
}

/// Lets calls write to the journal of the client, if it is the copy of a file,
/// on a person's word: a copy lacks all later entries. `adopted` in the result
/// is false if there was nothing to adopt. `input` has no members. `call` and
/// `error_out` may be NULL.
///
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
    // SAFETY: as this function's.
    unsafe {
        work(by_name::journal_adopt, client, (input, input_length), call, text_out, error_out)
    }
}

/// Runs `payments journal` with `arguments` (required, an array of texts).
/// `program` (required) names the command in texts, such as `payments journal`;
/// `is_terminal` is a flag, and `explain` that of `payments_journal_plan`. The
/// result has `stdout`, `stderr` and `exit_code`, also after a failure. `call` and
/// `error_out` may be NULL.
///
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
    // SAFETY: as this function's.
    unsafe {
        work(by_name::journal_command, client, (input, input_length), call, text_out, error_out)
    }
}

/// Plans to follow, like `payments_client_follow`; `input` has its options. The
/// result has `follow`, a number that belongs to this handle. Whatever interrupts
/// the caller, `payments_client_follow_end` ends it. `call` and `error_out` may be
/// NULL.
///
/// Errors: PAYMENTS_STATUS_VALIDATION, also for another number, _CONFIG,
/// _JOURNAL, _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
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
    // SAFETY: as this function's.
    unsafe { work(by_name::follow_begin, client, (input, input_length), call, text_out, error_out) }
}

/// Begins to follow the first time, and waits for the next end of `follow`
/// (required), at most `wait_ms`.
/// `confirmed`, a flag, says that the end before was handled; otherwise it
/// comes again. The result has `end`, or null if there is none yet, and
/// `is_over`. `call` and `error_out` may be NULL.
///
/// Errors: PAYMENTS_STATUS_VALIDATION, also for another number, _CONFIG,
/// _JOURNAL, _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
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
    // SAFETY: as this function's.
    unsafe { work(by_name::follow_next, client, (input, input_length), call, text_out, error_out) }
}

/// Ends `follow` (required), and releases its state file. The result is `null`.
/// `call` and `error_out` may be NULL.
///
/// Errors: PAYMENTS_STATUS_VALIDATION, also for another number, _CONFIG,
/// _JOURNAL, _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
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
    // SAFETY: as this function's.
    unsafe { work(by_name::follow_end, client, (input, input_length), call, text_out, error_out) }
}

/// Runs `payments follow` in steps: first with `arguments`, an array
/// of texts, then with the members of `payments_client_follow_next` and the
/// flag `is_terminal`; `explain` is that of `payments_journal_plan`. The result has
/// `stdout` and `stderr`, `follow`, and as `exit_code` null until it is over. With
/// the flag `interrupted`, it ends because of a signal: `exit_code` is null unless
/// something is still given up. `call` and `error_out` may be NULL.
///
/// Errors: PAYMENTS_STATUS_VALIDATION, also for another number, _CONFIG,
/// _JOURNAL, _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
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
    // SAFETY: as this function's.
    unsafe {
        work(by_name::follow_command, client, (input, input_length), call, text_out, error_out)
    }
}
