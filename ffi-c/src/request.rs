//! Builds request bodies without a JSON library.

use std::ffi::c_char;

use payments_core::Amount;
use payments_core::json::{Json, Members};
use payments_core::{Error, Operation};

use crate::boundary;
use crate::error::payments_error;
use crate::failure::CallFailure;
use crate::input;
use crate::nul_terminated::NulTerminated;
use crate::status::payments_status;

/// A JSON body under construction. Use it from one thread at a time.
///
/// JSON Pointers (RFC 6901) name the members: `/payment/name`, or
/// `/tracking_code/-` to append to an array. Missing objects and arrays on the
/// way are created.
pub struct payments_request {
    tree: Json,
    text: NulTerminated,
}

impl input::Handle for payments_request {
    type Owner = input::Caller;
}

/// Creates an empty request: the object `{}`.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_request_new(
    request_out: *mut *mut payments_request,
) -> payments_status {
    // SAFETY: no error is written to NULL.
    unsafe {
        boundary::status(std::ptr::null_mut(), || {
            let tree = Json::Object(Members::new());
            let out = input::out_handle("request_out", request_out)?;
            out.give(payments_request { tree, text: NulTerminated::default() });
            Ok(())
        })
    }
}

unsafe fn set(
    request: *mut payments_request,
    pointer: *const c_char,
    pointer_length: usize,
    error_out: *mut *mut payments_error,
    value: impl FnOnce() -> Result<Json, CallFailure>,
) -> payments_status {
    // SAFETY: the caller passes a live handle and a readable text.
    unsafe {
        boundary::status(error_out, || {
            let request = input::handle_mut("request", request)?;
            let pointer = input::text("pointer", pointer, pointer_length)?;
            let value = value()?;
            request.tree.set_pointer(pointer, value).map_err(|error| CallFailure::Argument {
                name: "pointer",
                problem: error.problem(),
            })
        })
    }
}

/// Sets a member to a text, which may contain NUL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_request_set_text(
    request: *mut payments_request,
    pointer: *const c_char,
    pointer_length: usize,
    value: *const c_char,
    value_length: usize,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract and passes a readable
    // text.
    unsafe {
        set(request, pointer, pointer_length, error_out, || {
            Ok(Json::from(input::text("value", value, value_length)?))
        })
    }
}

/// Sets a member to an amount given as decimal text, which is sent as exactly
/// that number: "10.50", not "1050" cents.
///
/// An operation reads its amount at `/payment/amount_total` or `/amount`. It
/// stays a text there until the operation has checked that it has one reading,
/// so for a body of `payments_client_send` set such a number with
/// `payments_request_set_json`.
///
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT, also for a pointer that leads
/// nowhere; the request is then unchanged. PAYMENTS_STATUS_VALIDATION if
/// `amount` is not an amount.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_request_set_amount(
    request: *mut payments_request,
    pointer: *const c_char,
    pointer_length: usize,
    amount: *const c_char,
    amount_length: usize,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract and passes a readable
    // text.
    unsafe {
        set(request, pointer, pointer_length, error_out, || {
            let pointer = input::text("pointer", pointer, pointer_length)?;
            let text = input::text("amount", amount, amount_length)?;
            let amount = Amount::parse(text).map_err(Error::from)?;
            let of_operation = |it: &Operation| it.definition().recorded.amount == Some(pointer);
            Ok(if Operation::ALL.iter().any(of_operation) {
                Json::from(text)
            } else {
                Json::from(amount)
            })
        })
    }
}

/// Sets a member to a whole number.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_request_set_integer(
    request: *mut payments_request,
    pointer: *const c_char,
    pointer_length: usize,
    value: i64,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { set(request, pointer, pointer_length, error_out, || Ok(Json::from(value))) }
}

/// Sets a member to true (any value but 0) or false (0).
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_request_set_boolean(
    request: *mut payments_request,
    pointer: *const c_char,
    pointer_length: usize,
    value: i32,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { set(request, pointer, pointer_length, error_out, || Ok(Json::from(value != 0))) }
}

/// Sets a member to any JSON value, given as text.
///
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT, also for a pointer that leads
/// nowhere; the request is then unchanged. PAYMENTS_STATUS_VALIDATION if `json`
/// is not one JSON value, or has a duplicate member.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_request_set_json(
    request: *mut payments_request,
    pointer: *const c_char,
    pointer_length: usize,
    json: *const c_char,
    json_length: usize,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract and passes a readable
    // text.
    unsafe {
        set(request, pointer, pointer_length, error_out, || {
            let text = input::text("json", json, json_length)?;
            Ok(Json::parse(text.as_bytes()).map_err(Error::from)?)
        })
    }
}

/// The body as JSON text, which the operations of a client take. It ends in
/// NUL. `length_out` gets its length without the NUL and may be NULL. NULL
/// and 0 for NULL.
///
/// Ownership: belongs to the request; valid until the next function on it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_request_text(
    request: *mut payments_request,
    length_out: *mut usize,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a place for a length.
    unsafe { input::offer(length_out, 0) };
    boundary::value(std::ptr::null(), || {
        // SAFETY: the caller passes NULL or a live handle.
        let Some(request) = (unsafe { request.as_mut() }) else {
            return std::ptr::null();
        };
        request.text = NulTerminated::new(request.tree.to_bytes());
        // SAFETY: as above.
        unsafe { input::offer(length_out, request.text.length()) };
        request.text.as_ptr()
    })
}

/// Frees a request. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_request_free(request: *mut payments_request) {
    // SAFETY: the caller passes NULL or a handle that was not freed.
    unsafe { boundary::take_back(request) }
}
