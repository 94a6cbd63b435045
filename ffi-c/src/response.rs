//! Reading an answer without a JSON library.

use std::ffi::{CString, c_char};
use std::sync::OnceLock;

use payments_core::CallAnswer;
use payments_core::json::Json;

use crate::boundary::{self, Failure};
use crate::error::payments_error;
use crate::input;
use crate::status::payments_status;
use crate::text::payments_text;

/// An answer. All of its texts and bytes are valid until it is freed. Several
/// threads may read it at once.
///
/// Members of the body are named by JSON Pointer (RFC 6901), for example
/// `/payment/hash`.
pub struct payments_response {
    answer: CallAnswer,
    body: OnceLock<Option<Json>>,
    view: Vec<u8>,
    headers: Vec<(CString, CString)>,
}

impl payments_response {
    pub(crate) fn new(answer: CallAnswer) -> Self {
        let text = |text: &str| CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default();
        let mut view = answer.view.to_bytes();
        view.push(0);
        Self {
            headers: answer.headers.iter().map(|(name, value)| (text(name), text(value))).collect(),
            view,
            body: OnceLock::new(),
            answer,
        }
    }

    fn body(&self) -> Option<&Json> {
        self.body.get_or_init(|| Json::parse(&self.answer.body).ok()).as_ref()
    }
}

unsafe fn pick<'a, T>(
    response: *const payments_response,
    default: T,
    pick: impl FnOnce(&'a payments_response) -> Option<T>,
) -> T {
    let picked = boundary::value(None, || {
        // SAFETY: the caller gives NULL or a live handle.
        unsafe { response.as_ref() }.and_then(pick)
    });
    picked.unwrap_or(default)
}

/// The HTTP status; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_http_status(response: *const payments_response) -> i32 {
    // SAFETY: as this function's.
    unsafe { pick(response, 0, |response| Some(i32::from(response.answer.http_status))) }
}

/// The body as it came, and its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_body(
    response: *const payments_response,
    length_out: *mut usize,
) -> *const u8 {
    // SAFETY: as this function's.
    unsafe {
        let body = pick(response, None, |response| Some(Some(response.answer.body.as_slice())));
        if !length_out.is_null() {
            length_out.write(body.map_or(0, <[u8]>::len));
        }
        body.map_or(std::ptr::null(), <[u8]>::as_ptr)
    }
}

/// The answer as the packages for other languages see it: the JSON text of an
/// object with the typed members, and under `answer` the whole body with every
/// amount as text. Its length goes to `length_out`, which may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_view(
    response: *const payments_response,
    length_out: *mut usize,
) -> *const c_char {
    // SAFETY: as this function's.
    unsafe {
        let view = pick(response, None, |response| Some(Some(response.view.as_slice())));
        if !length_out.is_null() {
            length_out.write(view.map_or(0, |view| view.len().saturating_sub(1)));
        }
        view.map_or(std::ptr::null(), |view| view.as_ptr().cast())
    }
}

/// How many headers the answer has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_header_count(
    response: *const payments_response,
) -> usize {
    // SAFETY: as this function's.
    unsafe { pick(response, 0, |response| Some(response.headers.len())) }
}

/// The name of the header `index`, from 0; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_header_name(
    response: *const payments_response,
    index: usize,
) -> *const c_char {
    // SAFETY: as this function's.
    unsafe {
        pick(response, std::ptr::null(), |response| {
            response.headers.get(index).map(|(name, _)| name.as_ptr())
        })
    }
}

/// The value of the header `index`, from 0; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_header_value(
    response: *const payments_response,
    index: usize,
) -> *const c_char {
    // SAFETY: as this function's.
    unsafe {
        pick(response, std::ptr::null(), |response| {
            response.headers.get(index).map(|(_, value)| value.as_ptr())
        })
    }
}

/// Whether the answer says that the payment is paid: 1 or 0. Only the payment
/// status CO is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_is_paid(response: *const payments_response) -> i32 {
    // SAFETY: as this function's.
    unsafe {
        pick(response, 0, |response| {
            response.answer.view.get("is_paid").and_then(Json::as_bool).map(i32::from)
        })
    }
}

/// Whether the body has the member: 1 or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_has(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
) -> i32 {
    boundary::value(0, || {
        // SAFETY: the caller gives a live handle and a readable text.
        let found = unsafe { member(response, pointer, pointer_length) };
        i32::from(found.is_ok())
    })
}

unsafe fn member<'a>(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
) -> Result<&'a Json, Failure> {
    // SAFETY: the caller gives a live handle and a readable text.
    let (response, pointer) = unsafe {
        (input::handle("response", response)?, input::text("pointer", pointer, pointer_length)?)
    };
    let body = response
        .body()
        .ok_or(Failure::Argument { name: "response", problem: "has a body that is not JSON" })?;
    body.pointer(pointer)
        .ok_or(Failure::Argument { name: "pointer", problem: "names no member of the answer" })
}

fn wrong_type<T>(wanted: &'static str) -> Result<T, Failure> {
    Err(Failure::Argument { name: "pointer", problem: wanted })
}

/// Reads a text or a number as text. `text_out` gets a handle to be freed
/// with `payments_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_text(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller gives a live handle and a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::handle_out("text_out", text_out)?;
            match member(response, pointer, pointer_length)?.as_text_or_number() {
                Some(text) => *out = input::give(payments_text::new(text)),
                None => return wrong_type("names neither a text nor a number"),
            }
            Ok(())
        })
    }
}

/// Reads a whole number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_integer(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
    integer_out: *mut i64,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller gives a live handle and a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out("integer_out", integer_out)?;
            match member(response, pointer, pointer_length)?.as_i64() {
                Some(integer) => *out = integer,
                None => return wrong_type("names no whole number of 64 bits"),
            }
            Ok(())
        })
    }
}

/// Reads true (1) or false (0).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_boolean(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
    boolean_out: *mut i32,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller gives a live handle and a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out("boolean_out", boolean_out)?;
            match member(response, pointer, pointer_length)?.as_bool() {
                Some(boolean) => *out = i32::from(boolean),
                None => return wrong_type("names neither true nor false"),
            }
            Ok(())
        })
    }
}

/// Counts the elements of an array or the members of an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_count(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
    count_out: *mut usize,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller gives a live handle and a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out("count_out", count_out)?;
            match member(response, pointer, pointer_length)? {
                Json::Array(elements) => *out = elements.len(),
                Json::Object(members) => *out = members.len(),
                _ => return wrong_type("names neither an array nor an object"),
            }
            Ok(())
        })
    }
}

/// Reads any member as JSON text. `text_out` gets a handle to be freed with
/// `payments_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_json(
    response: *const payments_response,
    pointer: *const c_char,
    pointer_length: usize,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller gives a live handle and a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::handle_out("text_out", text_out)?;
            let member = member(response, pointer, pointer_length)?;
            *out = input::give(payments_text::new(member.to_bytes()));
            Ok(())
        })
    }
}

/// Frees an answer. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_free(response: *mut payments_response) {
    // SAFETY: the caller gives NULL or a handle that was not freed.
    unsafe { input::take_back(response) }
}
