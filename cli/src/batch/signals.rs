//! Signals during a batch: the first one drains it, the second one cancels what
//! is in flight, the third one ends the process.

use payments_core::CancelHandle;
use payments_core::ErrorCode;

use crate::failure::Failure;

/// Runs `act`. `drain` is called at the first signal.
///
/// # Errors
/// `io` if the system refuses a handler.
#[cfg(unix)]
pub(super) fn watch(
    cancel: &CancelHandle,
    drain: impl Fn() + Sync,
    act: impl FnOnce(),
) -> Result<(), Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let handled =
        [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|it| !crate::startup::is_ignored(*it));
    let mut signals = Signals::new(handled.collect::<Vec<_>>()).map_err(|error| {
        let message = format!("could not install the signal handlers ({error})");
        Failure::io(ErrorCode::SIGNALS_UNWATCHED, message)
    })?;
    let handle = signals.handle();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (count, signal) in signals.forever().enumerate() {
                match count {
                    0 => drain(),
                    1 => cancel.cancel(),
                    _ => drop(signal_hook::low_level::emulate_default_handler(signal)),
                }
            }
        });
        act();
        handle.close();
    });
    Ok(())
}

/// Runs `act` without handling signals.
#[cfg(not(unix))]
pub(super) fn watch(
    _: &CancelHandle,
    _: impl Fn() + Sync,
    act: impl FnOnce(),
) -> Result<(), Failure> {
    act();
    Ok(())
}
