//! A shutdown signal that wakes all waiting threads.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Set once, when the sandbox stops.
#[derive(Default, Debug)]
pub(crate) struct Halt {
    stopped: Mutex<bool>,
    changed: Condvar,
}

impl Halt {
    pub(crate) fn stop(&self) {
        *self.lock() = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        *self.lock()
    }

    /// Waits for `duration` or until shutdown. Returns whether shutdown began.
    pub(crate) fn wait_for(&self, duration: Duration) -> bool {
        let Some(end) = Instant::now().checked_add(duration) else {
            self.wait();
            return true;
        };
        let mut stopped = self.lock();
        while !*stopped {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            stopped =
                self.changed.wait_timeout(stopped, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Waits until shutdown.
    pub(crate) fn wait(&self) {
        let mut stopped = self.lock();
        while !*stopped {
            stopped = self.changed.wait(stopped).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
