//! The state the process was started in. Rust's runtime reopens closed
//! descriptors before `main`, so they are inspected earlier. This is the only
//! file of the command with unsafe code.

use payments_core::Operation;
use payments_host::commands::CommandFailure;

use crate::process::failure::Failure;

/// Rejects a closed standard output for operations whose response must not be
/// lost: those that move money, and a token, which costs a request.
///
/// # Errors
/// `usage` if standard output is closed or read-only.
pub(crate) fn check_output_for(operation: Operation) -> Result<(), Failure> {
    if operation.moves_money() || operation == Operation::AccessToken {
        check_output("the response")
    } else {
        Ok(())
    }
}

/// Rejects a closed standard output, to which `what` would be written. Rust's
/// runtime has put `/dev/null` there, which takes everything.
///
/// # Errors
/// `usage` if standard output is closed or read-only.
pub(crate) fn check_output(what: &str) -> Result<(), Failure> {
    if is_stdout_closed() { Err(CommandFailure::output_closed(what).into()) } else { Ok(()) }
}

#[cfg(windows)]
use payments_base::standard_streams::is_stdout_closed;
#[cfg(unix)]
pub(crate) use unix::is_ignored;
#[cfg(unix)]
use unix::is_stdout_closed;

#[cfg(unix)]
#[allow(unsafe_code, reason = "the only way to run before `main`, and to ask what it asks")]
mod unix {
    use std::mem::MaybeUninit;
    use std::sync::atomic::{AtomicBool, Ordering};

    static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

    // SAFETY: the section holds functions of this type, which run once before
    // `main`. This one needs nothing from the runtime and cannot panic.
    #[used]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    static BEFORE_MAIN: extern "C" fn() = look_at_stdout;

    extern "C" fn look_at_stdout() {
        // SAFETY: reads the descriptor's flags; takes no pointer.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFL) };
        let is_writable = flags != -1 && flags & libc::O_ACCMODE != libc::O_RDONLY;
        STDOUT_IS_CLOSED.store(!is_writable, Ordering::Relaxed);
    }

    pub(super) fn is_stdout_closed() -> bool {
        STDOUT_IS_CLOSED.load(Ordering::Relaxed)
    }

    /// Whether the process ignores the signal, as under `nohup`.
    pub(crate) fn is_ignored(signal: libc::c_int) -> bool {
        let mut action = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: changes no handler, and initializes `action` if it returns 0.
        unsafe {
            libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
                && action.assume_init().sa_sigaction == libc::SIG_IGN
        }
    }
}
