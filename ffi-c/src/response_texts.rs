//! Reads the members of a view that every response of its operation has.

use std::ffi::c_char;
use std::sync::OnceLock;

use payments_core::json::Json;

use crate::boundary;
use crate::response::payments_response;
use crate::response_values::TEXTS;
use crate::text::NulTerminated;

/// Texts of the view, made on first use.
#[derive(Default)]
pub(crate) struct Texts([OnceLock<Option<NulTerminated>>; TEXTS.len()]);

/// The text of that number, borrowed from the response; NULL if it has none.
///
/// # Safety
/// `response` is NULL or a live handle.
pub(crate) unsafe fn text_of(response: *const payments_response, index: usize) -> *const c_char {
    let read = |response: &payments_response| {
        let text = response.whole_view().get(TEXTS[index]).and_then(Json::as_str);
        text.map(NulTerminated::without_nul)
    };
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        boundary::text(response, |response| {
            response.texts.0[index].get_or_init(|| read(response)).as_ref()
        })
    }
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
