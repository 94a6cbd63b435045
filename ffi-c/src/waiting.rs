//! Warming up, checking a request, and waiting for a payment.

use std::ffi::c_char;

use payments_host::by_name;

use crate::boundary;
use crate::call::payments_call;
use crate::client::payments_client;
use crate::error::payments_error;
use crate::operations::{entered, operate};
use crate::response::payments_response;
use crate::status::payments_status;

/// Makes ready for the next call, so that it takes one round trip: obtains the
/// bearer token, if there are credentials for one, and opens a connection to
/// the service, which stays open for up to 4 s of idleness. Sends nothing to the
/// service. `call` and `error_out` may be NULL.
///
/// Ownership: none is taken.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_TOKEN, _CONNECT, _TLS, _TIMEOUT, _CANCELLED,
/// _INVALID_ARGUMENT, _INTERNAL. Calls can be made all the same.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_warm_up(
    client: *const payments_client,
    call: *const payments_call,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a live client; the call may be NULL.
    unsafe {
        boundary::status(error_out, || {
            let (client, context) = entered(client, call)?;
            by_name::warm_up(&client, &context)?;
            Ok(())
        })
    }
}

/// Queries a payment until it is over, or until the deadline of `call`; each
/// query has the client's own deadline too. Takes the body of
/// `payments_client_query_payment`. Between queries, a tenth of the time that
/// has passed goes by, but at least 2 s. PAYMENTS_STATUS_OK gives the last
/// response: at the deadline, the payment may still be open. `call` and
/// `error_out` may be NULL.
///
/// Ownership: `response_out` gets a handle, to be freed with
/// `payments_response_free`; NULL on failure.
/// Threads: any, several at once.
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
    let body = (body, body_length);
    // SAFETY: the caller upholds this function's contract.
    unsafe { operate("wait_for_payment", client, body, call, response_out, error_out) }
}
