//! Waiting for another thread; a cancellation or a signal ends the wait at
//! once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_base::process::{ForkGuard, lock};
use payments_base::wait::{POLL_WITHOUT_WAKER, Waker};

use crate::call::context::CallContext;

/// The calls of this process that wait for a change.
#[derive(Default)]
pub struct Waiters {
    changes: AtomicU64,
    wakers: Mutex<Vec<Arc<Waker>>>,
}

/// The number of changes at some moment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seen(u64);

impl Waiters {
    /// Call this before checking the condition. [`wait`](Self::wait) then
    /// misses no change.
    pub fn seen(&self) -> Seen {
        Seen(self.changes.load(Ordering::SeqCst))
    }

    /// Wakes all waiting calls.
    pub fn wake(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        lock(&self.wakers).iter().for_each(|waker| waker.wake());
    }

    /// Waits for a change since `seen`, for at most `limit`.
    pub fn wait(&self, seen: Seen, context: &CallContext, limit: Duration) {
        // Without a descriptor, changes are noticed at the next slice.
        let Some(waker) = Waker::new().map(Arc::new) else {
            return context.wait_for_waker(None, limit.min(POLL_WITHOUT_WAKER));
        };
        lock(&self.wakers).push(Arc::clone(&waker));
        let _leave = ForkGuard::new(Leave { waiters: self, waker: &waker });
        if self.seen() == seen {
            context.wait_for_waker(Some(&waker), limit);
        }
    }
}

/// Removes the waker, also after a panic of the call's hook.
struct Leave<'a> {
    waiters: &'a Waiters,
    waker: &'a Arc<Waker>,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        lock(&self.waiters.wakers).retain(|other| !Arc::ptr_eq(other, self.waker));
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
        assert!(lock(&waiters.wakers).is_empty());
    }

    #[test]
    fn every_waiter_is_woken() {
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
            while lock(&waiters.wakers).len() < 4 {
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
                while lock(&waiters.wakers).is_empty() {
                    std::thread::yield_now();
                }
                cancel.cancel();
            });
            waiters.wait(waiters.seen(), &context, LONG);
        });
        assert!(context.ended().is_some());
    }
}
