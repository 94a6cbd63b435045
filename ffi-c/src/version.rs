//! Versions.

use std::ffi::c_char;

/// The version of the binary interface. A program that was compiled against
/// another number, which is its PAYMENTS_ABI_VERSION, must not go on.
///
/// It changes whenever a function or a layout changes or goes; new functions
/// leave it as it is. The name `libpayments.so.N` carries the same number.
///
/// Ownership: none.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn payments_abi_version() -> u32 {
    const VERSION: u32 = match u32::from_str_radix(env!("PAYMENTS_ABI_VERSION"), 10) {
        Ok(version) => version,
        Err(_) => unreachable!(),
    };
    VERSION
}

/// The version of the library, for example "0.1.0".
///
/// Ownership: the text is static and must not be freed.
/// Threads: any, several at once.
/// Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn payments_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
