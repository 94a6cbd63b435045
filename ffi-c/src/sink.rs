//! Receives bytes from callbacks.

use zeroize::Zeroizing;

use crate::boundary;
use crate::input;

/// Receives bytes from a callback. It belongs to the library and is valid until
/// the callback returns.
pub struct payments_sink {
    bytes: Zeroizing<Vec<u8>>,
}

impl input::Handle for payments_sink {
    type Owner = input::Library;
}

/// The maximum number of bytes that a callback may write.
const LARGEST: usize = 64 * 1024 * 1024;

impl payments_sink {
    pub(crate) fn new() -> Self {
        Self { bytes: Zeroizing::default() }
    }

    pub(crate) fn into_bytes(self) -> Zeroizing<Vec<u8>> {
        self.bytes
    }

    /// The written bytes as a message.
    pub(crate) fn into_message(self, otherwise: &str) -> String {
        match String::from_utf8_lossy(&self.bytes).trim() {
            "" => otherwise.to_owned(),
            message => message.chars().take(1024).collect(),
        }
    }
}

/// Appends the `length` bytes at `data`. Returns 0, or -1 if an argument is
/// NULL or the total exceeds 64 MiB.
///
/// Errors: -1, and nothing is appended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_sink_write(
    sink: *mut payments_sink,
    data: *const u8,
    length: usize,
) -> i32 {
    boundary::value(-1, || {
        // SAFETY: the caller passes NULL or the sink of this callback.
        let Some(sink) = (unsafe { sink.as_mut() }) else {
            return -1;
        };
        // SAFETY: the caller passes readable bytes.
        match unsafe { input::bytes("data", data, length) } {
            Ok(bytes) if sink.bytes.len() + bytes.len() <= LARGEST => {
                sink.bytes.extend_from_slice(bytes);
                0
            }
            _ => -1,
        }
    })
}
