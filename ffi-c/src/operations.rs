//! The operations of a client.

use std::ffi::c_char;

use payments_core::{CallAnswer, CallContext, Client};

use crate::boundary;
use crate::call::{self, payments_call};
use crate::client::payments_client;
use crate::error::payments_error;
use crate::input;
use crate::prepared::payments_prepared;
use crate::response::payments_response;
use crate::status::payments_status;
use crate::text::payments_text;

/// Runs a call and gives its answer.
unsafe fn perform(
    client: *const payments_client,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
    run: impl FnOnce(&Client, &CallContext) -> Result<CallAnswer, boundary::Failure>,
) -> payments_status {
    // SAFETY: the caller gives live handles; the call may be NULL.
    unsafe {
        boundary::status(error_out, || {
            let out = input::handle_out("response_out", response_out)?;
            let client = &input::handle("client", client)?.client;
            let context = call::context(client, call.as_ref());
            *out = input::give(payments_response::new(run(client, &context)?));
            Ok(())
        })
    }
}

/// Runs an operation whose body is JSON text.
unsafe fn operate(
    name: &'static str,
    client: *const payments_client,
    body: (*const c_char, usize),
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: as `perform`'s; the caller gives a readable text.
    unsafe {
        perform(client, call, response_out, error_out, |client, context| {
            let body = input::text("body", body.0, body.1)?;
            Ok(client.call_json(name, body.as_bytes(), context)?)
        })
    }
}

/// Creates a payment. `body` is the JSON text of an object with the member
/// `payment`. `call` and `error_out` may be NULL.
///
/// `response_out` gets the answer, to be freed with `payments_response_free`;
/// NULL on failure. Fails with every status. When `payments_error_outcome` is
/// PAYMENTS_OUTCOME_UNKNOWN the payment may exist: query it by its
/// `merchant_payment_code`. Any thread, also several at once.
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

/// Tells the status of a payment. `body` is the JSON text of an object with
/// either `hash` or `merchant_payment_code`. It moves no money, and is tried
/// again a few times when the connection or the service fails.
///
/// The rest is as for `payments_client_create_payment`.
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

/// Refunds a payment. `body` is the JSON text of an object with `hash`, and
/// optional members such as `amount`.
///
/// The rest is as for `payments_client_create_payment`; after an unknown
/// outcome query the payment, whose answer lists its refunds.
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

/// Sends money to a payee. `body` is the JSON text of a payout.
///
/// The rest is as for `payments_client_create_payment`; the interface has no
/// query for payouts, so look for one of unknown outcome on the provider's
/// platform before anything is sent again.
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

/// Registers tracking codes for an order. `body` is the JSON text of an
/// object with `order_number`, `email` and the array `tracking_code`.
///
/// The rest is as for `payments_client_create_payment`.
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

/// Gives a bearer token that is valid now: the cached one, or a new one. The
/// view of the answer has `access_token`, `token_type` and `expires_at`.
///
/// The rest is as for `payments_client_create_payment`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_access_token(
    client: *const payments_client,
    call: *const payments_call,
    response_out: *mut *mut payments_response,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: as this function's.
    unsafe { operate("access_token", client, (std::ptr::null(), 0), call, response_out, error_out) }
}

/// Tells what is known of the bearer token, without asking for one: JSON text
/// with `is_usable`, and `age`, `remaining` and `quiet` in seconds.
///
/// `text_out` gets a handle to be freed with `payments_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_token_status(
    client: *const payments_client,
    call: *const payments_call,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller gives live handles; the call may be NULL.
    unsafe {
        boundary::status(error_out, || {
            let out = input::handle_out("text_out", text_out)?;
            let client = &input::handle("client", client)?.client;
            let context = call::context(client, call.as_ref());
            let status = client.token_status_json(&context)?;
            *out = input::give(payments_text::new(status.to_bytes()));
            Ok(())
        })
    }
}

/// Sends the caller's own bytes to any path, signed and unchanged. `head` is
/// the JSON text of an object with `method`, `path`, and where wanted `query`
/// (an object of texts), `content_type` and `reference`.
///
/// The rest is as for `payments_client_create_payment`; any 2xx answer is
/// success.
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
    // SAFETY: as `perform`'s; the caller gives readable texts.
    unsafe {
        perform(client, call, response_out, error_out, |client, context| {
            let head = input::text("head", head, head_length)?;
            let body = input::bytes("body", body, body_length)?;
            Ok(client.send_json(head.as_bytes(), body, context)?)
        })
    }
}

/// Does everything but the sending of the operation of that name, for an HTTP
/// client of the caller's. `input` is the JSON text that the operation takes;
/// for `send` it is the head, and `body` are the bytes, which are 0 for all
/// others. It may fetch a token.
///
/// `prepared_out` gets a handle to be freed with `payments_prepared_free`.
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
    // SAFETY: the caller gives live handles and readable texts; the call may
    // be NULL.
    unsafe {
        boundary::status(error_out, || {
            let out = input::handle_out("prepared_out", prepared_out)?;
            let client = &input::handle("client", client)?.client;
            let operation = input::text("operation", operation, operation_length)?;
            let text = input::text("input", input, input_length)?;
            let body = input::bytes("body", body, body_length)?;
            let context = call::context(client, call.as_ref());
            let prepared = client.prepare_json(operation, text.as_bytes(), body, &context);
            *out = input::give(payments_prepared::new(prepared?));
            Ok(())
        })
    }
}
