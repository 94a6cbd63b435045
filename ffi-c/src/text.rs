//! Texts owned by the caller.

use std::ffi::c_char;

use crate::boundary;
use crate::input;
use crate::nul_terminated::NulTerminated;

/// A text of the library, owned by the caller. It may contain NUL: use its
/// length. One more NUL follows the last byte. Freeing it wipes its memory.
pub struct payments_text {
    text: NulTerminated,
}

impl input::Handle for payments_text {
    type Owner = input::Caller;
}

impl payments_text {
    pub(crate) fn new(text: impl AsRef<[u8]>) -> Self {
        Self { text: NulTerminated::new(text) }
    }
}

/// The first byte of a text, which ends in NUL. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_text_data(text: *const payments_text) -> *const c_char {
    // SAFETY: the caller passes NULL or a live text.
    unsafe { boundary::text(text, |text| Some(&text.text)) }
}

/// The first byte of data that is not text, such as a picture; the same address
/// as that of `payments_text_data`. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_text_bytes(text: *const payments_text) -> *const u8 {
    // SAFETY: the caller passes NULL or a live text.
    unsafe { payments_text_data(text) }.cast()
}

/// The length of a text in bytes, without the final NUL. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_text_length(text: *const payments_text) -> usize {
    // SAFETY: the caller passes NULL or a live text.
    unsafe { boundary::read(text, 0, |text| Some(text.text.length())) }
}

/// Frees a text and wipes its memory. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_text_free(text: *mut payments_text) {
    // SAFETY: the caller passes NULL or a text that was not freed.
    unsafe { boundary::take_back(text) }
}
