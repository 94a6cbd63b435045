//! A panic on purpose, to show what the boundary does with it.

use crate::boundary;
use crate::error::payments_error;
use crate::status::payments_status;

/// Panics inside the boundary.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_test_panic(
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller gives a place for an error, or NULL.
    unsafe {
        boundary::status(error_out, || {
            let nothing: Option<()> = None;
            #[allow(clippy::unwrap_used, reason = "the panic is the purpose")]
            nothing.unwrap();
            Ok(())
        })
    }
}
