//! Reads responses without a JSON library.

use std::borrow::Cow;
use std::ffi::c_char;
use std::sync::OnceLock;

use payments_core::CallResponse;
use payments_core::json::Json;
use zeroize::Zeroizing;

use crate::boundary::{self, CallFailure};
use crate::error::payments_error;
use crate::input::{self, OutParam};
use crate::status::payments_status;
use crate::text::{Terminated, payments_text};

/// A response. All of its texts and bytes are valid until it is freed. Several
/// threads may read it at once.
///
/// JSON Pointers (RFC 6901) name the members of the body, for example
/// `/payment/hash`.
pub struct payments_response {
    inner: CallResponse,
    body: OnceLock<Option<Json>>,
    /// The whole view, if it differs from the one in `inner`.
    whole: OnceLock<Option<Json>>,
    view: OnceLock<Terminated>,
    headers: Vec<(Terminated, Terminated)>,
}

impl input::Handle for payments_response {
    type Held = input::Owned;
}

impl payments_response {
    pub(crate) fn new(inner: CallResponse) -> Self {
        let text = Terminated::without_nul;
        Self {
            headers: inner.headers.iter().map(|(name, value)| (text(name), text(value))).collect(),
            whole: OnceLock::new(),
            view: OnceLock::new(),
            body: OnceLock::new(),
            inner,
        }
    }

    pub(crate) fn response(&self) -> CallResponse {
        self.inner.clone()
    }

    fn body(&self) -> Option<&Json> {
        self.body.get_or_init(|| self.inner.json().ok()).as_ref()
    }

    fn view(&self) -> &Terminated {
        let text = || Zeroizing::new(self.whole_view().to_bytes());
        self.view.get_or_init(|| Terminated::new(text()))
    }

    fn whole_view(&self) -> &Json {
        let whole = self.whole.get_or_init(|| match self.inner.whole_view() {
            Cow::Borrowed(_) => None,
            Cow::Owned(whole) => Some(whole),
        });
        whole.as_ref().unwrap_or(&self.inner.view)
    }
}

unsafe fn pick<'a, T>(
    response: *const payments_response,
    default: T,
    pick: impl FnOnce(&'a payments_response) -> Option<T>,
) -> T {
    let picked = boundary::value(None, || {
        // SAFETY: the caller passes NULL or a live handle.
        unsafe { response.as_ref() }.and_then(pick)
    });
    picked.unwrap_or(default)
}

/// The HTTP status; 0 for NULL.
///
/// Ownership: none is taken.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_http_status(response: *const payments_response) -> i32 {
    // SAFETY: the caller upholds this function's contract.
    unsafe { pick(response, 0, |response| Some(i32::from(response.inner.http_status))) }
}

/// The body as received. `length_out` gets its length and may be NULL. No
/// NUL follows. NULL for NULL.
///
/// Ownership: belongs to the response; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_body(
    response: *const payments_response,
    length_out: *mut usize,
) -> *const u8 {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        let body = pick(response, None, |response| Some(Some(response.inner.body.as_slice())));
        input::offer(length_out, body.map_or(0, <[u8]>::len));
        body.map_or(std::ptr::null(), <[u8]>::as_ptr)
    }
}

/// The response as the packages for other languages see it: the JSON text of an
/// object with the typed members, and under `response` the whole body with
/// amounts as text. `length_out` gets its length without the NUL after it
/// and may be NULL. NULL for NULL.
///
/// Ownership: belongs to the response; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_view(
    response: *const payments_response,
    length_out: *mut usize,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        let view = pick(response, None, |response| Some(Some(response.view())));
        input::offer(length_out, view.map_or(0, Terminated::length));
        view.map_or(std::ptr::null(), Terminated::as_ptr)
    }
}

/// The number of headers; 0 for NULL.
///
/// Ownership: none is taken.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_header_count(
    response: *const payments_response,
) -> usize {
    // SAFETY: the caller upholds this function's contract.
    unsafe { pick(response, 0, |response| Some(response.headers.len())) }
}

/// The name of the header `index`, from 0, as the service wrote it: compare it
/// ignoring case. NULL if there is none.
///
/// Ownership: belongs to the response; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_header_name(
    response: *const payments_response,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        pick(response, std::ptr::null(), |response| {
            response.headers.get(index).map(|(name, _)| name.as_ptr())
        })
    }
}

/// The value of the header `index`, from 0; NULL if there is none.
///
/// Ownership: belongs to the response; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_header_value(
    response: *const payments_response,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        pick(response, std::ptr::null(), |response| {
            response.headers.get(index).map(|(_, value)| value.as_ptr())
        })
    }
}

/// Whether the response says that the payment is paid: 1 or 0; 0 for NULL. Only
/// the payment status CO means paid.
///
/// Ownership: none is taken.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_is_paid(response: *const payments_response) -> i32 {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        pick(response, 0, |response| {
            response.inner.view.get("is_paid").and_then(Json::as_bool).map(i32::from)
        })
    }
}

/// Whether the body has the member: 1 or 0. Also 0 if the body is not JSON or
/// an argument cannot be read.
///
/// Ownership: none is taken.
/// Threads: any, several at once.
/// Errors: none.
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
/// Ownership: `text_out` gets a handle, to be freed with
/// `payments_text_free`; NULL on failure.
/// Threads: any, several at once.
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
/// Ownership: `text_out` gets a handle, to be freed with
/// `payments_text_free`; NULL on failure.
/// Threads: any, several at once.
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
/// Threads: any, several at once.
/// Errors: as `payments_response_text`.
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
/// Threads: any, several at once.
/// Errors: as `payments_response_text`.
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
/// Threads: any, several at once.
/// Errors: as `payments_response_text`.
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
///
/// Ownership: `text_out` gets a handle, to be freed with
/// `payments_text_free`; NULL on failure.
/// Threads: any, several at once.
/// Errors: as `payments_response_text`.
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

/// Frees a response. NULL does nothing.
///
/// Ownership: takes the handle, which must not be used again.
/// Threads: any, when no other thread uses the handle.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_free(response: *mut payments_response) {
    // SAFETY: the caller passes NULL or a handle that was not freed.
    unsafe { input::take_back(response) }
}
