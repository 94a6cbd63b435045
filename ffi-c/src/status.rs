//! Status codes and outcomes. Apart from errors, because they are numbers, which a
//! caller has without a handle.

use std::ffi::c_char;

use crate::status_codes::name_of;
pub use crate::status_codes::{payments_outcome, payments_status};

/// The name of a status, for example `rate_limited`; `unknown` for an unknown
/// number.
///
/// Ownership: the text is static and must not be freed.
#[unsafe(no_mangle)]
pub extern "C" fn payments_status_name(status: i32) -> *const c_char {
    name_of(status).unwrap_or(c"unknown").as_ptr()
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use payments_core::ErrorKind;

    use super::*;

    #[test]
    fn names_and_numbers_are_those_of_the_core() {
        for kind in ErrorKind::ALL {
            assert_eq!(payments_status::of(kind) as i32, kind.number());
            let name = payments_status_name(payments_status::of(kind) as i32);
            // SAFETY: the name is a static text.
            let name = unsafe { CStr::from_ptr(name) };
            assert_eq!(name.to_str(), Ok(kind.as_str()));
        }
    }
}
