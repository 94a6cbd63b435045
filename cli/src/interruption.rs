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

/// A context that cannot be cancelled.
#[cfg(not(unix))]
pub(crate) fn context(client: &Client) -> Result<CallContext, Failure> {
    Ok(client.context())
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
