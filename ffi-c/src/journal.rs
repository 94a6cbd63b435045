//! Journals as callbacks.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use payments_core::CallContext;
use payments_core::bridge::OwnJournal;
use payments_core::json::Json;

use crate::boundary::{self, CallFailure};
use crate::call::{payments_context, payments_destroy_fn};
use crate::error::payments_error;
use crate::input;
use crate::options::{UserData, payments_options};
use crate::sink::payments_sink;
use crate::status::payments_status;
use crate::text::Terminated;

/// Performs one action of a journal: one committed transaction of its own.
/// `input` is the JSON text of an object; writes the result to `result_out`, as
/// JSON text. Both texts end in NUL.
///
/// - `insert` (`entry`, and `superseded`, an array of entries): stores the
///   entry, and its id as `superseded_by` of the others, whose version
///   increases by one. The result is `true`, once the entry survives a power
///   failure. It is `false`, and nothing changes, if the journal has an entry
///   that forbids this one, or if one of `superseded` has another version by
///   now. The journal's clock gives the times: `created_at` becomes now, and
///   `deadline_at` moves by the same amount.
/// - `update` (`entry`): stores `state`, `decided_by`, `hash`, `uid`, `kind`,
///   `code`, `note` and `conflict`, sets `ended_at` to now, and increases the
///   version by one. The result is `true`, or `false` if the stored entry has
///   another version than this one. In the same transaction, if the state is
///   `failed`, what the entry had superseded is in force again: it gets the
///   entry's own `superseded_by`, mostly null, and its version increases by
///   one.
/// - `find` (`scope`, `id`, `reference`, `is_open`, `after`, `limit`; those that
///   do not matter are null): the result is `{"now": …, "entries": […]}`, at
///   most `limit` entries of the scope by their ids, the smallest first.
///   `is_open` wants entries that are `in_progress` or `unknown`, and not
///   superseded; `after` wants larger ids.
/// - `prune` (`scope`, `age_ms`): deletes the entries that are not open and
///   older, both now and when the newest entry that is `done` was created,
///   since a clock may be wrong. The result is their number.
///
/// An entry is an object with `id`, `version`, `scope`, `operation`,
/// `reference`, `refund_code`, `amount`, `currency`, `body_sha256`, `host`,
/// `process`, `created_at`, `deadline_at`, `ended_at`, `state`, `decided_by`,
/// `hash`, `uid`, `kind`, `code`, `note`, `conflict` and `superseded_by`. The
/// version and the times, in milliseconds since 1970 UTC, are numbers; the
/// others are texts, or null. `docs/journal.md` says which entry forbids
/// another; the unique indexes of its table do the same.
///
/// Returns 0. If it is not certain that the action was performed, writes a
/// message without secrets to `message_out` and returns another value: before
/// the request is sent, the call then fails as PAYMENTS_STATUS_JOURNAL;
/// afterwards, observers receive `journal_failed`. It must not throw, and
/// several threads may call it at once.
pub type payments_journal_fn = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        context: *const payments_context,
        action: *const c_char,
        input: *const c_char,
        input_length: usize,
        result_out: *mut payments_sink,
        message_out: *mut payments_sink,
    ) -> i32,
>;

/// Records calls that move money in a journal of your own, instead of the
/// configured one. Replaces an earlier one.
///
/// Ownership: the options own `user_data` from here on, also when this fails:
/// `destroy`, which may be NULL, is called once, when the options and all
/// clients made from them are gone.
/// Threads: any; one at a time for one handle.
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for NULL options or function.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_options_set_journal(
    options: *mut payments_options,
    user_data: *mut c_void,
    run: payments_journal_fn,
    destroy: payments_destroy_fn,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: the caller passes a live handle.
    unsafe {
        boundary::status(error_out, move || {
            let options = input::handle_mut("options", options)?;
            let Some(run) = run else {
                return Err(CallFailure::Argument { name: "run", problem: "is NULL" });
            };
            let act = move |context: &CallContext, action: &str, input: &Json| {
                let context = payments_context::of(context);
                let (action, input) = (Terminated::new(action), Terminated::new(input.to_bytes()));
                let (mut result, mut message) = (payments_sink::new(), payments_sink::new());
                // The function came with this user data; all pointers are valid
                // until it returns.
                let status = run(
                    user_data.pointer(),
                    &context,
                    action.as_ptr(),
                    input.as_ptr(),
                    input.length(),
                    &mut result,
                    &mut message,
                );
                match status {
                    // The core refuses what is no result.
                    0 => Ok(Json::parse(&result.into_bytes()).unwrap_or(Json::Null)),
                    _ => Err(message.into_message("its callback failed")),
                }
            };
            let before = options.journal.replace(Arc::new(OwnJournal::new(act)));
            drop(before);
            Ok(())
        })
    }
}
