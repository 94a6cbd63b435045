//! Signals during a batch: the first one drains it, the second one cancels the
//! calls in flight, the third one ends the process.

use payments_core::CancelHandle;

use crate::process::failure::Failure;

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
    let mut signals = crate::process::interruption::signals()?;
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

/// Runs `act`. `drain` is called at the first Ctrl-C.
///
/// # Errors
/// `io` if the system refuses a handler.
#[cfg(windows)]
pub(super) fn watch(
    cancel: &CancelHandle,
    drain: impl Fn() + Sync,
    act: impl FnOnce(),
) -> Result<(), Failure> {
    use std::sync::mpsc::channel;

    use crate::process::interruption::{end_by_ctrl_c, on_ctrl_c};

    // `true` for a Ctrl-C, `false` at the end.
    let (end, events) = channel();
    let pressed = end.clone();
    on_ctrl_c(move || {
        if pressed.send(true).is_err() {
            end_by_ctrl_c();
        }
    })?;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (count, _) in events.into_iter().take_while(|is_pressed| *is_pressed).enumerate() {
                match count {
                    0 => drain(),
                    1 => cancel.cancel(),
                    _ => end_by_ctrl_c(),
                }
            }
        });
        act();
        let _ = end.send(false);
    });
    Ok(())
}
