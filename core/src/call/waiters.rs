//! Waiting for another thread; a cancellation or a signal ends the wait at
//! once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_base::process::{Owned, lock};

use crate::call::context::CallContext;
use crate::call::wait::{Bell, POLL_WITHOUT_BELL};

/// The calls of this process that wait for a change.
#[derive(Default)]
pub(crate) struct Waiters {
    changes: AtomicU64,
    bells: Mutex<Vec<Arc<Bell>>>,
}

/// The number of changes at some moment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen(u64);

impl Waiters {
    /// Call this before checking the condition. [`wait`](Self::wait) then
    /// misses no change.
    pub(crate) fn seen(&self) -> Seen {
        Seen(self.changes.load(Ordering::SeqCst))
    }

    /// Wakes all waiting calls.
    pub(crate) fn wake(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        lock(&self.bells).iter().for_each(|bell| bell.ring());
    }

    /// Waits for a change since `seen`, for at most `limit`.
    pub(crate) fn wait(&self, seen: Seen, context: &CallContext, limit: Duration) {
        // Without a descriptor, changes are noticed at the next slice.
        let Some(bell) = Bell::new().map(Arc::new) else {
            return context.wait_for_bell(None, limit.min(POLL_WITHOUT_BELL));
        };
        lock(&self.bells).push(Arc::clone(&bell));
        let _leave = Owned::new(Leave { waiters: self, bell: &bell });
        if self.seen() == seen {
            context.wait_for_bell(Some(&bell), limit);
        }
    }
}

/// Removes the bell, also after a panic of the call's hook.
struct Leave<'a> {
    waiters: &'a Waiters,
    bell: &'a Arc<Bell>,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        lock(&self.waiters.bells).retain(|other| !Arc::ptr_eq(other, self.bell));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::call::context::CancelHandle;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_change_after_looking_is_not_missed() {
        let waiters = Waiters::default();
        let context = CallContext::with_timeout(LONG);
        let seen = waiters.seen();
        waiters.wake();
        waiters.wait(seen, &context, LONG);
        assert!(lock(&waiters.bells).is_empty());
    }

    #[test]
    fn everybody_who_waits_is_woken() {
        let (waiters, done) = (Waiters::default(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let context = CallContext::with_timeout(LONG);
                    loop {
                        let seen = waiters.seen();
                        if done.load(Ordering::SeqCst) {
                            return;
                        }
                        waiters.wait(seen, &context, LONG);
                    }
                });
            }
            while lock(&waiters.bells).len() < 4 {
                std::thread::yield_now();
            }
            done.store(true, Ordering::SeqCst);
            waiters.wake();
        });
    }

    #[test]
    fn a_wait_ends_when_its_call_is_cancelled() {
        let waiters = Waiters::default();
        let cancel = CancelHandle::new();
        let context = CallContext::new(LONG, cancel.clone(), None);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while lock(&waiters.bells).is_empty() {
                    std::thread::yield_now();
                }
                cancel.cancel();
            });
            waiters.wait(waiters.seen(), &context, LONG);
        });
        assert!(context.ended().is_some());
    }
}
