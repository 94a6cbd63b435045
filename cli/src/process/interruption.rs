//! Cancels the current call on a signal, and reports its outcome.

use payments_core::ErrorCode;
use payments_core::{CallContext, CallResponse, Client, Error, ErrorKind};
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
#[cfg(unix)]
use signal_hook::iterator::Signals;

use crate::process::failure::Failure;

/// SIGINT, SIGTERM and SIGHUP, without those that were ignored at the start.
#[cfg(unix)]
fn handled() -> impl Iterator<Item = i32> {
    let is_ignored = crate::process::startup::is_ignored;
    [SIGINT, SIGTERM, SIGHUP].into_iter().filter(move |signal| !is_ignored(*signal))
}

#[cfg(unix)]
fn unwatched(error: std::io::Error) -> Failure {
    let message = format!("could not install the signal handlers ({error})");
    Failure::io(ErrorCode::RESOURCES_EXHAUSTED, message)
}

/// The signals that end or drain running calls, as they come.
///
/// # Errors
/// `io` if the system refuses a handler.
#[cfg(unix)]
pub(crate) fn signals() -> Result<Signals, Failure> {
    Signals::new(handled()).map_err(unwatched)
}

/// A call context that SIGINT, SIGTERM and SIGHUP cancel. A second signal has
/// its default action, so the exit status shows it. Signals that were ignored
/// at the start stay ignored.
///
/// # Errors
/// `io` if the system refuses a handler.
#[cfg(unix)]
pub(crate) fn context(client: &Client) -> Result<CallContext, Failure> {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use payments_core::CancelHandle;
    use signal_hook::flag;

    let was_signaled = Arc::new(AtomicBool::new(false));
    for signal in handled() {
        // The order matters: the first signal must find the flag clear.
        flag::register_conditional_default(signal, Arc::clone(&was_signaled))
            .and_then(|_| flag::register(signal, Arc::clone(&was_signaled)))
            .map_err(unwatched)?;
    }
    let hook = Arc::new(move || was_signaled.load(Ordering::SeqCst));
    Ok(client.context_with(CancelHandle::new(), Some(hook)))
}

/// A signal that wakes and ends waits: nothing polls for it. A second one has its
/// default action.
#[derive(Debug)]
pub(crate) struct Interruption {
    cancel: payments_core::CancelHandle,
    #[cfg(unix)]
    signal: std::sync::Arc<std::sync::atomic::AtomicI32>,
}

impl Interruption {
    /// Watches for SIGINT, SIGTERM and SIGHUP, unless they were ignored at the
    /// start.
    ///
    /// # Errors
    /// `io` if the system refuses a handler.
    #[cfg(unix)]
    pub(crate) fn watched() -> Result<Self, Failure> {
        use std::sync::Arc;
        use std::sync::atomic::{AtomicI32, Ordering};

        use signal_hook::low_level::emulate_default_handler;

        let cancel = payments_core::CancelHandle::new();
        let signal = Arc::new(AtomicI32::new(0));
        let mut signals = signals()?;
        let to_cancel = cancel.clone();
        let first = Arc::clone(&signal);
        // It ends with the process.
        std::thread::spawn(move || {
            for signal in signals.forever() {
                if first.swap(signal, Ordering::SeqCst) != 0 {
                    let _ = emulate_default_handler(signal);
                }
                to_cancel.cancel();
            }
        });
        Ok(Self { cancel, signal })
    }

    /// Watches for Ctrl-C.
    ///
    /// # Errors
    /// `io` if the system refuses a handler.
    #[cfg(windows)]
    pub(crate) fn watched() -> Result<Self, Failure> {
        let cancel = payments_core::CancelHandle::new();
        let to_cancel = cancel.clone();
        on_ctrl_c(
            move || if to_cancel.is_cancelled() { end_by_ctrl_c() } else { to_cancel.cancel() },
        )?;
        Ok(Self { cancel })
    }

    /// A context that the signal cancels.
    pub(crate) fn context(&self, client: &Client) -> CallContext {
        client.context_with(self.cancel.clone(), None)
    }

    pub(crate) fn has_come(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Ends the process by the signal, with its default action.
    ///
    /// # Errors
    /// `io` if the system does not.
    #[cfg(unix)]
    pub(crate) fn end<T>(&self) -> Result<T, Failure> {
        let signal = self.signal.load(std::sync::atomic::Ordering::SeqCst);
        let ended = signal_hook::low_level::emulate_default_handler(signal);
        let why = ended.err().map(|error| format!(" ({error})")).unwrap_or_default();
        let message = format!("could not end by signal {signal}{why}");
        Err(Failure::io(ErrorCode::RESOURCES_EXHAUSTED, message))
    }

    /// Ends the process as Ctrl-C does.
    #[cfg(windows)]
    pub(crate) fn end<T>(&self) -> Result<T, Failure> {
        end_by_ctrl_c()
    }
}

/// A call context that Ctrl-C cancels. The second one ends the process.
///
/// # Errors
/// `io` if the system refuses a handler.
#[cfg(windows)]
pub(crate) fn context(client: &Client) -> Result<CallContext, Failure> {
    Ok(Interruption::watched()?.context(client))
}

/// Calls `act` on a separate thread at each Ctrl-C.
///
/// # Errors
/// `io` if the system refuses a handler.
#[cfg(windows)]
pub(crate) fn on_ctrl_c(act: impl FnMut() + Send + 'static) -> Result<(), Failure> {
    ctrlc::set_handler(act).map_err(|error| {
        let message = format!("could not install the handler of Ctrl-C ({error})");
        Failure::io(ErrorCode::RESOURCES_EXHAUSTED, message)
    })
}

/// Ends the process as Windows does.
#[cfg(windows)]
pub(crate) fn end_by_ctrl_c() -> ! {
    const STATUS_CONTROL_C_EXIT: u32 = 0xC000_013A;
    std::process::exit(STATUS_CONTROL_C_EXIT.cast_signed())
}

/// The failure for `error`. If the response was complete when the call was
/// cancelled, passes it to `print` first, so that it is not lost. Any other response
/// is about another payment.
pub(crate) fn failure(
    error: Error,
    print: impl FnOnce(&CallResponse) -> Result<(), Failure>,
) -> Failure {
    let complete = error.response().filter(|_| error.kind() == ErrorKind::Cancelled);
    let Some(is_printed) = complete.map(|response| print(response).is_ok()) else {
        return Failure::from(error);
    };
    let message = if is_printed {
        "the call was cancelled when its response was complete; read the response on \
         standard output, and do not send the operation again"
    } else {
        "the call was cancelled when its response was complete, and the response could not \
         be written to standard output"
    };
    Failure::from(error).with_message(message).with_member("response_printed", is_printed)
}
