//! Reads the members of a view that every response of its operation has.

use std::ffi::c_char;

use payments_core::json::Json;

use crate::boundary;
use crate::response::payments_response;

/// The text with that name, borrowed from the response; NULL if it has none.
///
/// # Safety
/// `response` is NULL or a live handle.
pub(crate) unsafe fn text_of(response: *const payments_response, name: &str) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { boundary::text(response, |response| response.text(name)) }
}

/// Whether the flag is set: 1 or 0.
///
/// # Safety
/// `response` is NULL or a live handle.
pub(crate) unsafe fn flag_of(response: *const payments_response, name: &str) -> i32 {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        boundary::read(response, 0, |response| {
            response.whole_view().get(name).and_then(Json::as_bool).map(i32::from)
        })
    }
}
