//! Texts that the caller frees.

use std::ffi::c_char;

use crate::boundary;
use crate::input;

/// A text of the library, owned by the caller. It may hold NUL: use its
/// length. After the last byte there is one more NUL.
pub struct payments_text {
    bytes: Vec<u8>,
}

impl payments_text {
    pub(crate) fn new(text: impl Into<Vec<u8>>) -> Self {
        let mut bytes = text.into();
        bytes.push(0);
        Self { bytes }
    }
}

/// The first byte of a text. It is valid until the text is freed. NULL for
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_text_data(text: *const payments_text) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the caller gives NULL or a live text.
        unsafe { text.as_ref() }.map_or(std::ptr::null(), |text| text.bytes.as_ptr().cast())
    })
}

/// How many bytes a text has, without the NUL after them. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_text_length(text: *const payments_text) -> usize {
    boundary::value(0, || {
        // SAFETY: the caller gives NULL or a live text.
        unsafe { text.as_ref() }.map_or(0, |text| text.bytes.len().saturating_sub(1))
    })
}

/// Frees a text. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_text_free(text: *mut payments_text) {
    // SAFETY: the caller gives NULL or a text that was not freed.
    unsafe { input::take_back(text) }
}
