//! The members of a response that everybody reads, borrowed from it.

use std::ffi::c_char;
use std::sync::OnceLock;

use payments_core::json::Json;

use crate::response::{payments_response, pick};
use crate::text::Terminated;

/// Texts of the view, made when somebody asks for them.
#[derive(Default)]
pub(crate) struct Texts([OnceLock<Option<Terminated>>; 5]);

const NAMES: [&str; 5] = ["hash", "status", "qr_code_value", "redirect_url", "uid"];

/// # Safety
/// `response` is NULL or a live handle.
unsafe fn text(response: *const payments_response, index: usize) -> *const c_char {
    let read = |response: &payments_response| {
        let text = response.whole_view().get(NAMES[index]).and_then(Json::as_str);
        text.map(Terminated::without_nul)
    };
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        pick(response, std::ptr::null(), |response| {
            let text = response.texts.0[index].get_or_init(|| read(response));
            text.as_ref().map(Terminated::as_ptr)
        })
    }
}

/// The hash of the payment, by which it is queried and refunded. NULL if there is none.
///
/// Ownership: belongs to the response; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_hash(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text(response, 0) }
}

/// The status of the payment, a payout or a registration, for example `PE`. NULL if there is none.
///
/// Ownership: belongs to the response; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_status(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text(response, 1) }
}

/// The code that the payer pays, for a Pix payment: show it, and draw it with
/// `payments_qr_svg`. NULL if there is none.
///
/// Ownership: belongs to the response; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_qr_code_value(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text(response, 2) }
}

/// The page where the payer goes on. NULL if there is none.
///
/// Ownership: belongs to the response; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_redirect_url(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text(response, 3) }
}

/// The uid of a payout. NULL if there is none.
///
/// Ownership: belongs to the response; valid until it is freed.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_uid(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text(response, 4) }
}
