//! Texts that end in NUL, and texts owned by the caller.

use std::ffi::c_char;

use zeroize::Zeroizing;

use crate::boundary;
use crate::input;

/// Bytes followed by a NUL. Wiped when dropped, since they may contain a key, a
/// token, or payer data.
pub(crate) struct NulTerminated(Zeroizing<Vec<u8>>);

impl NulTerminated {
    pub(crate) fn new(bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let mut terminated = Vec::with_capacity(bytes.len() + 1);
        terminated.extend_from_slice(bytes);
        terminated.push(0);
        Self(Zeroizing::new(terminated))
    }

    /// For a text passed without its length: replaces inner NULs with U+FFFD.
    pub(crate) fn without_nul(text: &str) -> Self {
        if text.contains('\0') {
            Self::new(Zeroizing::new(text.replace('\0', "\u{fffd}")))
        } else {
            Self::new(text)
        }
    }

    pub(crate) fn as_ptr(&self) -> *const c_char {
        self.0.as_ptr().cast()
    }

    /// The length without the final NUL.
    pub(crate) fn length(&self) -> usize {
        self.0.len().saturating_sub(1)
    }
}

impl Default for NulTerminated {
    fn default() -> Self {
        Self::new([])
    }
}

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
    unsafe { input::take_back(text) }
}
