//! Texts that end in NUL and are wiped.

use std::ffi::c_char;

use payments_core::json::{Json, Members};
use zeroize::Zeroizing;

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

/// Texts by their names.
#[derive(Default)]
pub(crate) struct NamedTexts(Vec<(String, NulTerminated)>);

impl NamedTexts {
    /// Adds the members of an object that are texts, under `prefix` and their names.
    pub(crate) fn add_members(&mut self, object: &Json, prefix: &str) {
        for (name, value) in object.as_object().into_iter().flat_map(Members::iter) {
            if let Some(text) = value.as_str() {
                self.add(format!("{prefix}{name}"), text);
            }
        }
    }

    pub(crate) fn add(&mut self, name: String, text: &str) {
        self.0.push((name, NulTerminated::without_nul(text)));
    }

    pub(crate) fn get(&self, name: &str) -> Option<&NulTerminated> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, text)| text)
    }
}
