//! Keeps the library mapped, since its threads and thread-locals may outlive an
//! unloading. On Linux, the linker does this (`build.rs`).

use std::ffi::c_void;
use std::sync::Once;

const PIN: u32 = 1;
const FROM_ADDRESS: u32 = 4;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetModuleHandleExW(flags: u32, address: *const c_void, module: *mut *mut c_void) -> i32;
}

/// Keeps the module of this function until the process ends.
pub(crate) fn pin() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut module = std::ptr::null_mut();
        // SAFETY: with FROM_ADDRESS, any address within a module may be given; the
        // handle is written to a place that lives.
        unsafe { GetModuleHandleExW(PIN | FROM_ADDRESS, pin as *const c_void, &raw mut module) };
    });
}
