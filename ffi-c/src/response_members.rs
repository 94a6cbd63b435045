//! Members of responses by JSON Pointer, for callers without a JSON library.

use std::ffi::c_char;

use payments_core::json::Json;

use crate::boundary;
use crate::error::payments_error;
use crate::failure::CallFailure;
use crate::input::{self, OutParam};
use crate::response::payments_response;
use crate::status::payments_status;
use crate::text::payments_text;

/// Whether the body has the member: 1 or 0. Also 0 if the body is not JSON or
/// an argument cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_has(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
) -> i32 {
    boundary::value(0, || {
        // SAFETY: the caller passes a live handle and a readable text.
        let found = unsafe { member(response, pointer, pointer_length) };
        i32::from(found.is_ok())
    })
}

/// The member of the body at a pointer.
unsafe fn member<'a>(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
) -> Result<&'a Json, CallFailure> {
    // SAFETY: the caller passes a live handle and a readable text.
    let (response, pointer) = unsafe {
        (input::handle("response", response)?, input::text("pointer", pointer, pointer_length)?)
    };
    let body = response.body().ok_or(CallFailure::Argument {
        name: "response",
        problem: "has a body that is not JSON",
    })?;
    found(body, pointer)
}

fn found<'a>(tree: &'a Json, pointer: &str) -> Result<&'a Json, CallFailure> {
    let problem = "names no member of the response";
    tree.pointer(pointer).ok_or(CallFailure::Argument { name: "pointer", problem })
}

fn wrong_type<T>(wanted: &'static str) -> Result<T, CallFailure> {
    Err(CallFailure::Argument { name: "pointer", problem: wanted })
}

fn give_text(out: OutParam<*mut payments_text>, member: &Json) -> Result<(), CallFailure> {
    match member.as_text_or_number() {
        Some(text) => out.give(payments_text::new(text)),
        None => return wrong_type("names neither a string nor a number"),
    }
    Ok(())
}

/// Reads a text of the body, or a number as its text.
///
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT, also if the body is not JSON or
/// has no such member.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_text(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a live handle and a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("text_out", text_out)?;
            give_text(out, member(response, pointer, pointer_length)?)
        })
    }
}

/// Reads a text or a number of the view: `/hash`, `/status`, `/qr_code_value`
/// and `/merchant_payment_code` wherever the service put them, `/access_token`,
/// or anything under `/response`.
///
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT, also if the view has no such
/// member.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_view_text(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a live handle and a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("text_out", text_out)?;
            let view = input::handle("response", response)?.whole_view();
            let pointer = input::text("pointer", pointer, pointer_length)?;
            give_text(out, found(view, pointer)?)
        })
    }
}

/// Reads a whole number of the body that fits into 64 bits.
///
/// Ownership: none is given; `integer_out` gets 0 on failure.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_integer(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
    integer_out: *mut i64,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a live handle and a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::place("integer_out", integer_out, 0)?;
            match member(response, pointer, pointer_length)?.as_i64() {
                Some(integer) => out.fill(integer),
                None => return wrong_type("does not name a 64-bit integer"),
            }
            Ok(())
        })
    }
}

/// Reads true (1) or false (0) from the body.
///
/// Ownership: none is given; `boolean_out` gets 0 on failure.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_boolean(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
    boolean_out: *mut i32,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a live handle and a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::place("boolean_out", boolean_out, 0)?;
            match member(response, pointer, pointer_length)?.as_bool() {
                Some(boolean) => out.fill(i32::from(boolean)),
                None => return wrong_type("names neither true nor false"),
            }
            Ok(())
        })
    }
}

/// Counts the elements of an array or the members of an object in the body.
///
/// Ownership: none is given; `count_out` gets 0 on failure.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_count(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
    count_out: *mut usize,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a live handle and a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::place("count_out", count_out, 0)?;
            match member(response, pointer, pointer_length)? {
                Json::Array(elements) => out.fill(elements.len()),
                Json::Object(members) => out.fill(members.len()),
                _ => return wrong_type("names neither an array nor an object"),
            }
            Ok(())
        })
    }
}

/// Reads any member of the body as JSON text.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_json(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a live handle and a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("text_out", text_out)?;
            let member = member(response, pointer, pointer_length)?;
            out.give(payments_text::new(member.to_bytes()));
            Ok(())
        })
    }
}
