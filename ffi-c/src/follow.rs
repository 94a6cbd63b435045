//! Following open payments.

use std::ffi::{c_char, c_void};

use payments_core::json::Json;
use payments_host::by_name;

use crate::boundary;
use crate::call::payments_call;
use crate::client::payments_client;
use crate::error::payments_error;
use crate::input;
use crate::nul_terminated::NulTerminated;
use crate::operations::entered;
use crate::status::payments_status;

/// Receives the end of a payment, a refund or a payout: `length` bytes of JSON text
/// followed by a NUL, valid until the function returns. It is an object with
/// `operation` (such as `create_payment`), `reference`, `refund_code`, `uid`,
/// `hash`, `end`, `status` (such as `CO`), `amount` and `currency` (as the service
/// shows them), `repeated` (a flag: it may have been reported before), `final` (a
/// flag: the payment was given up, and is not reported again), `reason`, and `code`:
/// that of the error of the last query, or the service's for a payout that it
/// cancelled.
///
/// `end` is `confirmed`, `cancelled`, `differs` (it has ended, but differs from the
/// journal), `given_up` (queried once a day from then on), or `failed` (the reference is
/// invalid). Two are no ends: `query_failing` (queries fail, and pause) and `behind`
/// (they are late).
///
/// Returns 0 when the end is handled. Another value stops following, and the
/// next run with the same state file reports this end again.
///
/// Called on the thread that follows. It must not throw; it may call the client.
pub type payments_end_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, end: *const c_char, length: usize) -> i32>;

/// Follows payments, refunds and payouts until all have ended, and calls `on_end`
/// once with the end of each. The interface has no events; this queries each of
/// them, at growing intervals, with one query at a time under a rate, and honors
/// `Retry-After`.
///
/// `options` is the JSON text of an object; all members are optional:
///
/// - `references`, an array of texts: `merchant_payment_code`, or payment hashes
///   if the flag `by_hash` is true; those of payouts if `by_external_reference`
///   or `by_uid` is, which need `payout_query`. Without it, the payments and
///   refunds of the journal are followed, `since_ms` back (7 days), and its
///   payouts if `payout_query` is on.
/// - `state`, a path: the file that remembers what was reported, also after a
///   crash. An end that may have been reported before is repeated with
///   `repeated`. One process uses it at a time. Without it, the next run
///   reports everything again.
/// - `give_up_after_ms`: the age at which an open payment is given up (7 days).
///   The age of a reference counts from when it was first followed.
/// - `forget_after_ms`: how long the state file keeps a reported end that no run asks
///   for (90 days, and at least `since_ms` and a day).
/// - `per_second`: the most queries in a second (5).
///
/// Returns when nothing is followed any more, when `on_end` stops it, or when
/// `call` is cancelled; open items stay open. The deadline of `call` does not
/// count: each query has the client's own. `call`, `user_data` and `error_out`
/// may be NULL.
///
/// Errors: PAYMENTS_STATUS_CONFIG without a journal, for payouts while `payout_query` is
/// off, or if the state file cannot be used, _VALIDATION, _JOURNAL, _CANCELLED,
/// _INVALID_ARGUMENT, _INTERNAL. A query that fails is made again.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_follow(
    client: *const payments_client,
    options: *const c_char,
    options_length: usize,
    user_data: *mut c_void,
    on_end: payments_end_fn,
    call: *const payments_call,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes live handles and a readable text; the call may
    // be NULL.
    unsafe {
        boundary::status(error_out, || {
            let (client, context) = entered(client, call)?;
            let options = input::text("options", options, options_length)?;
            let on_end = input::given("on_end", on_end)?;
            let report = |end: &Json| {
                let text = NulTerminated::new(end.to_bytes());
                on_end(user_data, text.as_ptr(), text.length()) == 0
            };
            by_name::follow(&client, options.as_bytes(), &context, report)?;
            Ok(())
        })
    }
}
