//! Versions.

use std::ffi::c_char;

/// The version of the binary interface. A program whose PAYMENTS_ABI_VERSION,
/// from the header it was compiled with, differs must not continue.
///
/// The number changes whenever a function or layout is changed or removed; a
/// new function does not change it. The name `libpayments.so.N` contains the
/// same number.
#[unsafe(no_mangle)]
pub extern "C" fn payments_abi_version() -> u32 {
    const VERSION: u32 = match u32::from_str_radix(env!("PAYMENTS_ABI_VERSION"), 10) {
        Ok(version) => version,
        Err(_) => unreachable!(),
    };
    VERSION
}

/// The version of the library, for example "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn payments_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
