//! The operations of a client. The functions of `operation_calls.rs` share these bodies:
//! their unsafe code is in one place.

use std::ffi::c_char;

use payments_core::{CallContext, CallResponse, Client};
use payments_host::by_name::{self, HostClient, HostWork};

use crate::call::{self, payments_call};
use crate::client::payments_client;
use crate::error::payments_error;
use crate::failure::CallFailure;
use crate::prepared::payments_prepared;
use crate::response::payments_response;
use crate::status::payments_status;
use crate::text::payments_text;
use crate::{boundary, input};

/// The client and the context of a call. The clone keeps the client alive if a
/// callback frees the handles of the call that it serves.
///
/// # Safety
/// Both are live handles or NULL.
pub(crate) unsafe fn entered(
    client: *const payments_client,
    call: *const payments_call,
) -> Result<(HostClient, CallContext), CallFailure> {
    // SAFETY: the caller upholds this function's contract.
    let (client, call) = unsafe { (input::handle("client", client)?, call.as_ref()) };
    Ok((client.client.clone(), call::context(&client.client, call)))
}

/// Runs a call and returns its response.
unsafe fn perform(
    client: *const payments_client,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
    run: impl FnOnce(&Client, &CallContext) -> Result<CallResponse, CallFailure>,
) -> payments_status {
    // SAFETY: the caller passes live handles; the call may be NULL.
    unsafe {
        boundary::operation(error_out, || {
            let out = input::out_handle("response_out", response_out)?;
            let (client, context) = entered(client, call)?;
            out.give(payments_response::new(run(&client, &context)?));
            Ok(())
        })
    }
}

/// Runs an operation whose body is JSON text.
pub(crate) unsafe fn operate(
    name: &'static str,
    client: *const payments_client,
    body: (*const c_char, usize),
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds the contract of `perform` and passes a readable text.
    unsafe {
        perform(client, call, response_out, error_out, |client, context| {
            let body = input::text("body", body.0, body.1)?;
            Ok(by_name::call(client, name, body.as_bytes(), context)?)
        })
    }
}

/// Obtains a valid bearer token: the cached one or a new one. Read it with
/// `payments_response_view_text` at `/access_token`, and its expiry at
/// `/expires_at`. The response has no body. `call` and `error_out` may be NULL.
///
/// Ownership: `response_out` gets a handle, to be freed with
/// `payments_response_free`; NULL on failure. The token is a secret.
/// Errors: PAYMENTS_STATUS_TOKEN if none could be obtained,
/// PAYMENTS_STATUS_CONFIG without client credentials, _TIMEOUT, _CANCELLED,
/// _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_access_token(
    client: *const payments_client,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { operate("access_token", client, (std::ptr::null(), 0), call, response_out, error_out) }
}

/// Returns the state of the bearer token, without requesting one: JSON text
/// with `is_usable`, and `age`, `remaining` and `backoff` in seconds. `call`
/// and `error_out` may be NULL.
///
/// Errors: PAYMENTS_STATUS_CONFIG without client credentials,
/// _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_token_status(
    client: *const payments_client,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes live handles; the call may be NULL.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("text_out", text_out)?;
            let (client, context) = entered(client, call)?;
            let status = by_name::token_status(&client, &context)?;
            out.give(payments_text::new(status.to_bytes()));
            Ok(())
        })
    }
}

/// Drops the bearer token from this process and the token store, so that the
/// next call requests another one. Nothing else changes: pauses continue, and
/// that request counts like one after a 401. `call` and `error_out` may be
/// NULL.
///
/// Errors: PAYMENTS_STATUS_CONFIG without client credentials, _TOKEN if the
/// token store does not work, _TIMEOUT, _CANCELLED, _INVALID_ARGUMENT,
/// _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_forget_token(
    client: *const payments_client,
    call: *const payments_call,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a live client; the call may be NULL.
    unsafe {
        boundary::status(error_out, || {
            let (client, context) = entered(client, call)?;
            by_name::forget_token(&client, &context)?;
            Ok(())
        })
    }
}

/// Prepares for the next call, which then takes one round trip: obtains the
/// bearer token, if there are credentials for one, and opens a connection to the
/// service, which stays open for up to 4 s of idleness. Sends nothing to the
/// service. `call` and `error_out` may be NULL.
///
/// Errors: PAYMENTS_STATUS_TOKEN, _CONNECT, _TLS, _TIMEOUT, _CANCELLED,
/// _INVALID_ARGUMENT, _INTERNAL. Calls can still be made.
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

/// Runs work whose input and result are JSON text.
pub(crate) unsafe fn work(
    run: HostWork,
    client: *const payments_client,
    input: (*const c_char, usize),
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes live handles and a readable text; the call may be
    // NULL.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("text_out", text_out)?;
            let (client, context) = entered(client, call)?;
            let text = input::text("input", input.0, input.1)?;
            out.give(payments_text::new(run(&client, text.as_bytes(), &context)?.to_bytes()));
            Ok(())
        })
    }
}

/// Makes the file of a journal, with its folder if that does not exist. A
/// client never makes one on its own.
///
/// Errors: PAYMENTS_STATUS_JOURNAL if it cannot be made there,
/// PAYMENTS_STATUS_INVALID_ARGUMENT.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_journal_create(
    path: *const c_char,
    path_length: usize,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a readable text.
    unsafe {
        boundary::status(error_out, || {
            let path = input::text("path", path, path_length)?;
            Ok(payments_host::journal::file::create(path.as_ref())?)
        })
    }
}

/// Performs the operation with this name, for example `create_payment`, for
/// hosts that choose it at run time. `body` is the JSON text that the operation
/// takes; `access_token` ignores it. `call` and `error_out` may be NULL.
///
/// Errors: those of the operation; PAYMENTS_STATUS_VALIDATION for an unknown
/// name.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_call(
    client: *const payments_client,
    operation: *const c_char,
    operation_length: usize,
    body: *const c_char,
    body_length: usize,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds the contract of `perform` and passes readable texts.
    unsafe {
        perform(client, call, response_out, error_out, |client, context| {
            let operation = input::text("operation", operation, operation_length)?;
            let body = input::text("body", body, body_length)?;
            Ok(by_name::call(client, operation, body.as_bytes(), context)?)
        })
    }
}

/// Sends your own bytes to any path under the base URL, signed and unchanged.
/// Any 2xx response is a success. `head` is the JSON text of an object with
/// `method` and `path`, and optionally `query` (an object of texts, or an array
/// of pairs), `content_type` and `reference`. `call` and `error_out` may be
/// NULL.
///
/// Errors: every status. If `payments_error_outcome` is
/// PAYMENTS_OUTCOME_UNKNOWN, the request may have been executed.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_send(
    client: *const payments_client,
    head: *const c_char,
    head_length: usize,
    body: *const u8,
    body_length: usize,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds the contract of `perform` and passes readable texts.
    unsafe {
        perform(client, call, response_out, error_out, |client, context| {
            let head = input::text("head", head, head_length)?;
            let body = input::bytes("body", body, body_length)?;
            Ok(by_name::send(client, head.as_bytes(), body, context)?)
        })
    }
}

/// Does everything but send the operation with this name, for example
/// `create_payment`, for your own HTTP client. `input` is the JSON text
/// that the operation takes. For `send` it is the head, and `body` holds the
/// bytes; for all others `body_length` is 0. It may fetch a token. `call` and
/// `error_out` may be NULL.
///
/// The request has no journal and no protection against a second payment:
/// sending it twice, as an HTTP client may do on its own, can pay twice. It has
/// no outcome: the library does not learn whether it was sent or executed.
///
/// Errors: PAYMENTS_STATUS_VALIDATION, _SIGNING, _TOKEN, _CONFIG, _TIMEOUT,
/// _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_prepare(
    client: *const payments_client,
    operation: *const c_char,
    operation_length: usize,
    input: *const c_char,
    input_length: usize,
    body: *const u8,
    body_length: usize,
    call: *const payments_call,
    prepared_out: *mut *mut payments_prepared,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes live handles and readable texts; the call may
    // be NULL.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("prepared_out", prepared_out)?;
            let (client, context) = entered(client, call)?;
            let operation = input::text("operation", operation, operation_length)?;
            let text = input::text("input", input, input_length)?;
            let body = input::bytes("body", body, body_length)?;
            let prepared = by_name::prepare(&client, operation, text.as_bytes(), body, &context);
            out.give(payments_prepared::new(prepared?));
            Ok(())
        })
    }
}

/// Makes the error for a caller that was interrupted after a call returned, and
/// so cannot receive its response: kind `cancelled`, code
/// `interrupted_after_response`, with the reference of the request and the
/// response. `operation`, `input` and `body` are as for
/// `payments_client_prepare`. A NULL `response` means that nothing was sent.
///
/// Ownership: `error_out` gets an error, to be freed with
/// `payments_error_free`. Everything else is only read.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT; otherwise
/// PAYMENTS_STATUS_CANCELLED, which is the status of the error made.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_interrupted_after_response(
    client: *const payments_client,
    operation: *const c_char,
    operation_length: usize,
    input: *const c_char,
    input_length: usize,
    body: *const u8,
    body_length: usize,
    response: *const payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes live handles and readable texts; the response
    // may be NULL.
    unsafe {
        boundary::status(error_out, || {
            let client = input::handle("client", client)?;
            let operation = input::text("operation", operation, operation_length)?;
            let text = input::text("input", input, input_length)?;
            let body = input::bytes("body", body, body_length)?;
            let response = response.as_ref().map(payments_response::response);
            let client = &client.client;
            Err(by_name::interrupted_after_response(
                client,
                operation,
                text.as_bytes(),
                body,
                response,
            )
            .into())
        })
    }
}
