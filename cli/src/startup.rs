//! What the process was started with. Rust's runtime replaces closed
//! descriptors before `main`, so they are looked at before it: this is the one
//! file of the command with unsafe code.

use payments_core::Operation;

use crate::failure::Failure;

/// Refuses an operation whose response must not be lost if it would go nowhere:
/// one that moves money, or a token, which costs a request.
///
/// # Errors
/// `usage` if standard output is closed, or open for reading only.
pub(crate) fn check_output_for(operation: Operation) -> Result<(), Failure> {
    let is_needed = operation.moves_money() || operation == Operation::AccessToken;
    if is_needed && is_stdout_closed() {
        return Err(Failure::usage(
            "stdout_closed",
            "standard output is closed or not writable, so the response would be lost; redirect \
             it to a file, or to /dev/null if you do not need it",
        ));
    }
    Ok(())
}

#[cfg(unix)]
pub(crate) use unix::is_ignored;
#[cfg(unix)]
use unix::is_stdout_closed;

#[cfg(not(unix))]
fn is_stdout_closed() -> bool {
    false
}

#[cfg(unix)]
#[allow(unsafe_code, reason = "the only way to run before `main`, and to ask what it asks")]
mod unix {
    use std::mem::MaybeUninit;
    use std::sync::atomic::{AtomicBool, Ordering};

    static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

    // SAFETY: the section holds functions of this type, which run once before
    // `main`. This one needs nothing of the runtime and cannot panic.
    #[used]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    static BEFORE_MAIN: extern "C" fn() = look_at_stdout;

    extern "C" fn look_at_stdout() {
        // SAFETY: asks for flags and takes no pointer.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFL) };
        let is_writable = flags != -1 && flags & libc::O_ACCMODE != libc::O_RDONLY;
        STDOUT_IS_CLOSED.store(!is_writable, Ordering::Relaxed);
    }

    pub(super) fn is_stdout_closed() -> bool {
        STDOUT_IS_CLOSED.load(Ordering::Relaxed)
    }

    /// Whether the process ignores that signal, as it does under `nohup`.
    pub(crate) fn is_ignored(signal: libc::c_int) -> bool {
        let mut action = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: changes nothing, and fills `action` if it gives 0.
        unsafe {
            libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
                && action.assume_init().sa_sigaction == libc::SIG_IGN
        }
    }
}
