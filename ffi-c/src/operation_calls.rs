// Generated from spec/operations by generate/templates/operation_calls.rs.jinja; do not edit. To update: cargo xtask generate

//! The operations of a client whose request is JSON.

use std::ffi::c_char;

use crate::call::payments_call;
use crate::client::payments_client;
use crate::error::payments_error;
use crate::operations::operate;
use crate::response::payments_response;
use crate::status::payments_status;

/// Creates a payment in one of a country's methods. `body` is the JSON text of
/// an object; the members are listed at the top of this header. `call` and
/// `error_out` may be NULL.
///
/// Ownership: `response_out` gets a handle, to be freed with
/// `payments_response_free`; NULL on failure.
/// Threads: any, several at once.
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
/// Ownership: `response_out` gets a handle, to be freed with
/// `payments_response_free`; NULL on failure.
/// Threads: any, several at once.
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
/// Ownership: `response_out` gets a handle, to be freed with
/// `payments_response_free`; NULL on failure.
/// Threads: any, several at once.
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
/// Ownership: `response_out` gets a handle, to be freed with
/// `payments_response_free`; NULL on failure.
/// Threads: any, several at once.
/// Errors: every status. When `payments_error_outcome` is
/// PAYMENTS_OUTCOME_UNKNOWN, the payout may exist, and the interface has no
/// query for payouts. Do not send it again; look for its `external_reference`
/// on the provider's platform.
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

/// Registers the tracking codes of an order. `body` is the JSON text of an
/// object; the members are listed at the top of this header. `call` and
/// `error_out` may be NULL.
///
/// Ownership: `response_out` gets a handle, to be freed with
/// `payments_response_free`; NULL on failure.
/// Threads: any, several at once.
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
