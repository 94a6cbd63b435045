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
/// - `insert` (`entry`): stores the entry. The result is `true`, once the entry
///   survives a power failure. It is `false`, and nothing changes, if the
///   journal has an entry that forbids this one. The journal's clock gives the
///   times: `created_at` becomes now, and `deadline_at` and `settles_at` move by
///   the same amount.
/// - `update` (`entry`): stores `state`, `decided_by`, `hash`, `uid`, `kind`,
///   `code`, `note` and `rival`, sets `ended_at` to now, and increases the
///   version by one. The result is `{"changed": true}`, or `{"changed": false}`
///   if the stored entry has another version than this one, or
///   `{"changed": false, "taken_by": "…"}` if the entry with that id has taken
///   the reference.
/// - `find` (`scope`, `id`, `reference`, `is_open`, `after`, `limit`; at most
///   one of `id`, `reference` and `is_open` is set, and those that do not matter
///   are null or false): the result is `{"now": …, "entries": […]}`, at most
///   `limit` entries of the scope by their ids, the smallest first. `is_open`
///   wants entries that are `in_progress` or `unknown`, or that have a `rival`;
///   `after` wants larger ids.
/// - `count` (`scope`, `before`): the result is `{"now": …, "newest": …,
///   "done": …, "failed": …, "open": …}`: when the newest entry of the scope was
///   created, or null, and how many of those that were created before `before`
///   are `done`, `failed` without a `rival`, and open.
/// - `prune` (`scope`, `before`, `limit`): deletes at most `limit` entries that
///   were created before `before` and are not open. The result is their number.
///
/// An entry is an object with `id`, `version`, `scope`, `operation`,
/// `reference`, `refund_code`, `amount`, `currency`, `body_sha256`, `host`,
/// `process`, `created_at`, `deadline_at`, `settles_at`, `ended_at`, `state`,
/// `decided_by`, `hash`, `uid`, `kind`, `code`, `note` and `rival`. The
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
