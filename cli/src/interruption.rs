//! Cancels the current call on a signal, and reports its outcome.

use payments_core::ErrorCode;
use payments_core::{CallContext, CallResponse, Client, Error};

use crate::failure::Failure;

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
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag;

    let was_signaled = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if crate::startup::is_ignored(signal) {
            continue;
        }
        // The order matters: the first signal must find the flag clear.
        flag::register_conditional_default(signal, Arc::clone(&was_signaled))
            .and_then(|_| flag::register(signal, Arc::clone(&was_signaled)))
            .map_err(|error| {
                Failure::io(
                    ErrorCode::SIGNALS_UNWATCHED,
                    format!("could not install the signal handlers ({error})"),
                )
            })?;
    }
    let hook = Arc::new(move || was_signaled.load(Ordering::SeqCst));
    Ok(client.context_with(CancelHandle::new(), Some(hook)))
}

/// A call context that Ctrl-C cancels. The second one ends the process.
///
/// # Errors
/// `io` if the system refuses a handler.
#[cfg(windows)]
pub(crate) fn context(client: &Client) -> Result<CallContext, Failure> {
    let cancel = payments_core::CancelHandle::new();
    let context = client.context_with(cancel.clone(), None);
    on_ctrl_c(move || match cancel.is_cancelled() {
        false => cancel.cancel(),
        true => end_by_ctrl_c(),
    })?;
    Ok(context)
}

/// Calls `act` on a thread of its own at each Ctrl-C.
///
/// # Errors
/// `io` if the system refuses a handler.
#[cfg(windows)]
pub(crate) fn on_ctrl_c(act: impl FnMut() + Send + 'static) -> Result<(), Failure> {
    ctrlc::set_handler(act).map_err(|error| {
        let message = format!("could not install the handler of Ctrl-C ({error})");
        Failure::io(ErrorCode::SIGNALS_UNWATCHED, message)
    })
}

/// Ends the process as Windows does.
#[cfg(windows)]
pub(crate) fn end_by_ctrl_c() -> ! {
    const STATUS_CONTROL_C_EXIT: u32 = 0xC000_013A;
    std::process::exit(STATUS_CONTROL_C_EXIT.cast_signed())
}

/// The failure for `error`. If the response was complete when the call was
/// cancelled, passes it to `print` first, so that it is not lost.
pub(crate) fn failure(
    error: Error,
    print: impl FnOnce(&CallResponse) -> Result<(), Failure>,
) -> Failure {
    let Some(is_printed) = error.response().map(|response| print(response).is_ok()) else {
        return Failure::from(error);
    };
    let message = match is_printed {
        true => {
            "the call was cancelled when its response was complete; read the response on \
             standard output, and do not send the operation again"
        }
        false => {
            "the call was cancelled when its response was complete, and the response could not \
             be written to standard output"
        }
    };
    Failure::from(error).with_message(message).with_member("response_printed", is_printed)
}
