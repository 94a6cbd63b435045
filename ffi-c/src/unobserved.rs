//! Failures of journals that no observer receives.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use payments_core::inside::event_text;
use payments_core::observer::{Event, Observer};

use crate::boundary;
use crate::error::payments_error;
use crate::input;
use crate::status::payments_status;
use crate::text::payments_text;

/// Keeps lines until the host takes them. Without a lock, which a fork might leave locked.
pub(crate) struct Unobserved {
    lines: [AtomicPtr<String>; 16],
}

pub(crate) static UNOBSERVED: Unobserved = Unobserved::new();

impl Unobserved {
    const fn new() -> Self {
        Self { lines: [const { AtomicPtr::new(null_mut()) }; 16] }
    }

    fn keep(&self, line: String) {
        let line = Box::into_raw(Box::new(line));
        let (success, failure) = (Ordering::Release, Ordering::Relaxed);
        let is_kept = |place: &AtomicPtr<String>| {
            place.compare_exchange(null_mut(), line, success, failure).is_ok()
        };
        if !self.lines.iter().any(is_kept) {
            // SAFETY: nobody else has it.
            drop(unsafe { Box::from_raw(line) });
        }
    }

    fn take(&self) -> Option<String> {
        let mut taken = self.lines.iter().map(|place| place.swap(null_mut(), Ordering::Acquire));
        let line = taken.find(|line| !line.is_null())?;
        // SAFETY: `keep` made it, and only this thread took it.
        Some(*unsafe { Box::from_raw(line) })
    }
}

impl Observer for Unobserved {
    fn on_event(&self, event: &Event<'_>) {
        if event.name() == "journal_failed" {
            self.keep(event_text(event));
        }
    }
}

/// Takes the line of a `journal_failed` of this process that no observer received,
/// for the log of a host: the event's name and its members, as PAYMENTS_LOG
/// writes them. `text_out` gets NULL if there is none. Up to 16 are kept.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`.
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT if the place is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_take_journal_failed(
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a place for a handle.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("text_out", text_out)?;
            if let Some(line) = UNOBSERVED.take() {
                out.give(payments_text::new(line));
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_taken_once_and_no_more_than_16_wait() {
        let lines = Unobserved::new();
        (0..17).for_each(|number| lines.keep(number.to_string()));
        let taken: Vec<_> = std::iter::from_fn(|| lines.take()).collect();
        assert_eq!(taken, (0..16).map(|it| it.to_string()).collect::<Vec<_>>());
        lines.keep("next".to_owned());
        assert_eq!([lines.take().as_deref(), lines.take().as_deref()], [Some("next"), None]);
    }
}
