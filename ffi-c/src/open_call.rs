//! Calls whose request the caller sends with an HTTP client of its own.

use std::ffi::c_char;

use payments_core::CallContext;
use payments_core::bridge::{self, CallStep, OpenCall};

use crate::boundary::{self, CallFailure};
use crate::call::{self, payments_call};
use crate::client::payments_client;
use crate::error::payments_error;
use crate::input;
use crate::operations::entered;
use crate::prepared::payments_prepared;
use crate::response::payments_response;
use crate::status::payments_status;
use crate::transport_response::payments_transport_response;

/// A call that waits for the response to its request, which you send. If it is
/// freed without an end, its outcome is unknown, and its entry in the journal
/// stays open.
pub struct payments_open_call {
    call: OpenCall,
    client: payments_core::Client,
    request: payments_prepared,
    response: payments_transport_response,
}

impl input::Handle for payments_open_call {
    type Held = input::Owned;
}

impl payments_open_call {
    fn new(call: OpenCall, client: payments_core::Client) -> Self {
        let request = payments_prepared::new(call.request().clone());
        Self { call, client, request, response: payments_transport_response::default() }
    }
}

/// Does everything before an operation is sent, as `payments_client_prepare`,
/// and writes the entry in the journal if there is one. Send the request once,
/// with headers and body unchanged and without following redirects, and end the
/// call with `payments_open_call_finish` or `payments_open_call_fail`: that
/// gives what the operation's own function would. `call` and `error_out` may be
/// NULL.
///
/// Ownership: `open_call_out` gets a handle, to be freed with
/// `payments_open_call_free`; NULL on failure. It keeps the client alive.
/// Threads: any, several at once.
/// Errors: those of `payments_client_prepare`; PAYMENTS_STATUS_JOURNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_begin(
    client: *const payments_client,
    operation: *const c_char,
    operation_length: usize,
    input: *const c_char,
    input_length: usize,
    body: *const u8,
    body_length: usize,
    call: *const payments_call,
    open_call_out: *mut *mut payments_open_call,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes live handles and readable texts; the call may
    // be NULL.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("open_call_out", open_call_out)?;
            let (client, context) = entered(client, call)?;
            let operation = input::text("operation", operation, operation_length)?;
            let text = input::text("input", input, input_length)?;
            let body = input::bytes("body", body, body_length)?;
            let begun = bridge::begin(&client, operation, text.as_bytes(), body, &context)?;
            out.give(payments_open_call::new(begun, client));
            Ok(())
        })
    }
}

/// The request to send; NULL for NULL.
///
/// Ownership: belongs to the open call; valid until it is freed. It must not be
/// freed itself.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_open_call_request(
    open_call: *const payments_open_call,
) -> *const payments_prepared {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the caller passes NULL or a live handle.
        let open_call = unsafe { open_call.as_ref() };
        open_call.map_or(std::ptr::null(), |it| std::ptr::from_ref(&it.request))
    })
}

/// The time left for the request in milliseconds; 0 if it must not be sent any
/// more, and for NULL. What your HTTP client sends later may still be executed.
/// A response counts also if it comes later.
///
/// Ownership: none is taken.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_open_call_remaining_ms(
    open_call: *const payments_open_call,
) -> u64 {
    boundary::value(0, || {
        // SAFETY: the caller passes NULL or a live handle.
        unsafe { open_call.as_ref() }.map_or(0, |open_call| {
            // Rounded up: 0 says that the deadline has passed.
            let left = open_call.call.remaining().as_nanos().div_ceil(1_000_000);
            u64::try_from(left).unwrap_or(u64::MAX)
        })
    })
}

/// The response of the service, which is empty at first: fill it with the
/// functions `payments_transport_response_…`, and then call
/// `payments_open_call_finish`. NULL for NULL.
///
/// Ownership: belongs to the open call; valid until that is ended or freed.
/// Threads: any; one at a time for one handle.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_open_call_response(
    open_call: *mut payments_open_call,
) -> *mut payments_transport_response {
    boundary::value(std::ptr::null_mut(), || {
        // SAFETY: the caller passes NULL or a live handle.
        let open_call = unsafe { open_call.as_mut() };
        open_call.map_or(std::ptr::null_mut(), |it| std::ptr::from_mut(&mut it.response))
    })
}

/// Ends a call.
unsafe fn end(
    open_call: *mut payments_open_call,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    next_out: *mut *mut payments_open_call,
    error_out: *mut *mut payments_error,
    end: impl FnOnce(&mut payments_open_call, &CallContext) -> Result<CallStep, CallFailure>,
) -> payments_status {
    // SAFETY: the caller passes live handles; the call may be NULL.
    unsafe {
        boundary::operation(error_out, || {
            let response = input::out_handle("response_out", response_out)?;
            let next = input::out_handle("next_out", next_out)?;
            let open_call = input::handle_mut("open_call", open_call)?;
            // Keeps the client alive if a callback frees the handle.
            let client = open_call.client.clone();
            let context = call::context(&client, call.as_ref());
            match end(open_call, &context)? {
                CallStep::Response(it) => response.give(payments_response::new(it)),
                CallStep::SendAgain(it) => next.give(payments_open_call::new(*it, client)),
            }
            Ok(())
        })
    }
}

/// Ends a call with the response in `payments_open_call_response`, also after
/// the deadline. `call`, which may cancel what happens here, and `error_out` may
/// be NULL; the deadline is that of the open call.
///
/// PAYMENTS_STATUS_OK gives one of two handles, and NULL for the other: the
/// response; or the open call with which to go on, because the request has to be
/// sent again. That is so after a 401, with another bearer token, and for a
/// query. It is the same call, with the same deadline and the same entry in the
/// journal.
///
/// Ownership: `response_out` gets a handle, to be freed with
/// `payments_response_free`, or `next_out` one, to be freed with
/// `payments_open_call_free`. The open call is still to be freed.
/// Threads: any; one at a time for one handle.
/// Errors: those of the operation's own function. PAYMENTS_STATUS_INTERNAL with
/// the code `already_ended` for a second end; PAYMENTS_STATUS_CANCELLED with
/// `call_forked` in a child of the process that began the call. If the response
/// has no status, the call ends as with `payments_open_call_fail`. After
/// PAYMENTS_STATUS_INVALID_ARGUMENT, the call has not ended.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_open_call_finish(
    open_call: *mut payments_open_call,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    next_out: *mut *mut payments_open_call,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds the contract of `end`.
    unsafe {
        end(open_call, call, response_out, next_out, error_out, |open_call, context| {
            let sent = std::mem::take(&mut open_call.response).into_result();
            Ok(open_call.call.end(sent, context)?)
        })
    }
}

/// Ends a call without a response. Set `nothing_left` to 1 only if certainly no
/// byte of the request was sent: the operation then counts as not executed.
/// Otherwise set it to 0: the outcome is unknown. `call` and `error_out` may be
/// NULL.
///
/// Ownership: as `payments_open_call_finish`. PAYMENTS_STATUS_OK gives the open
/// call with which to go on, of a query only; `response_out` always gets NULL.
/// Threads: any; one at a time for one handle.
/// Errors: PAYMENTS_STATUS_CONNECT if nothing left, otherwise _TRANSPORT;
/// _TIMEOUT after the deadline; those of `payments_open_call_finish`.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_open_call_fail(
    open_call: *mut payments_open_call,
    nothing_left: i32,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    next_out: *mut *mut payments_open_call,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds the contract of `end`.
    unsafe {
        end(open_call, call, response_out, next_out, error_out, |open_call, context| {
            let nothing_left = match nothing_left {
                0 => false,
                1 => true,
                _ => {
                    let problem = "is neither 0 nor 1";
                    return Err(CallFailure::Argument { name: "nothing_left", problem });
                }
            };
            Ok(open_call.call.fail(nothing_left, context)?)
        })
    }
}

/// Frees an open call. NULL does nothing. One that was not ended stays open in
/// the journal.
///
/// Ownership: takes the handle, which must not be used again.
/// Threads: any, when no other thread uses the handle.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_open_call_free(open_call: *mut payments_open_call) {
    // SAFETY: the caller passes NULL or a handle that was not freed.
    unsafe { input::take_back(open_call) }
}
