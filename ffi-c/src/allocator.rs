//! Keeps memory with one allocator. A host that loads this library with
//! `RTLD_DEEPBIND`, as PHP does, while another allocator is preloaded has two:
//! `malloc` and `free` are those of the C library here, but inside of the C
//! library they are the preloaded ones.

use std::io::Write as _;
use std::sync::Once;

// AWS-LC frees by this function of jemalloc and tcmalloc if the process has it,
// although it allocates with `malloc`. A weak symbol that is hidden is none.
#[cfg(all(unix, not(target_vendor = "apple")))]
std::arch::global_asm!(".weak sdallocx", ".hidden sdallocx");

/// Lets a panic show its message and place. The backtrace that `RUST_BACKTRACE`
/// asks for would free memory that `realpath` allocates in the C library.
pub(crate) fn show_panics_without_backtrace() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            let _ = writeln!(std::io::stderr(), "libpayments {panic}");
        }));
    });
}
