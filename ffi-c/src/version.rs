//! Versions.

use std::ffi::c_char;

/// The version of the binary interface. A program that was compiled against
/// another number must not go on.
///
/// It changes whenever a function or a layout changes or goes; new functions
/// leave it as it is. The name `libpayments.so.N` carries the same number.
#[unsafe(no_mangle)]
pub extern "C" fn payments_abi_version() -> u32 {
    0
}

/// The version of the library, for example "0.1.0". The text is static: it
/// must not be freed.
#[unsafe(no_mangle)]
pub extern "C" fn payments_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
