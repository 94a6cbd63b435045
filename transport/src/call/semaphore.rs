//! A fair semaphore: limits how many calls of a process do something at a time,
//! first come, first served. A deadline or a cancellation ends the wait.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use payments_base::process::{ForkGuard, PerProcess, lock, try_lock};
use payments_base::wait::{POLL_WITHOUT_WAKER, Waker};

use crate::call::context::{CallContext, Ended};

/// In a forked child, no thread holds a permit or waits for one, whatever the
/// threads of its parent did.
pub struct Semaphore(PerProcess<Permits>);

impl Default for Semaphore {
    fn default() -> Self {
        Self(PerProcess::new(Permits::default(), |parent| {
            let is_in_use = try_lock(&parent.state).is_none_or(|state| state.held > 0);
            let was_in_use_at_fork = is_in_use || parent.was_in_use_at_fork;
            Permits { was_in_use_at_fork, ..Permits::default() }
        }))
    }
}

impl Semaphore {
    /// Waits until fewer than `limit` permits are held and no other thread has
    /// waited longer. The limit is at least 1, and may differ from call to call.
    ///
    /// # Errors
    /// Why the call ended before it got a permit.
    pub fn acquire(&self, limit: usize, context: &CallContext) -> Result<ForkGuard<Permit>, Ended> {
        let context = context.begun();
        if context.is_forked() {
            return Err(Ended::Forked);
        }
        let permit = self.0.get().enter(limit);
        permit.wait(&context)?;
        Ok(permit)
    }

    /// The number of permits that are held.
    pub fn held(&self) -> usize {
        lock(&self.0.get().state).held
    }

    /// Whether a permit was held when this process, or one before it, was
    /// forked: then the protected state may be half changed here.
    pub fn was_in_use_at_fork(&self) -> bool {
        self.0.get().was_in_use_at_fork
    }
}

/// The permits of one process.
#[derive(Default)]
struct Permits {
    state: Mutex<PermitState>,
    was_in_use_at_fork: bool,
}

#[derive(Default)]
struct PermitState {
    held: usize,
    queue: VecDeque<Arc<Waiter>>,
}

struct Waiter {
    limit: usize,
    is_admitted: AtomicBool,
    /// `None` if no descriptor was available.
    waker: Option<Waker>,
}

impl Permits {
    /// Takes a permit, or appends to the queue.
    fn enter(self: Arc<Self>, limit: usize) -> ForkGuard<Permit> {
        let mut state = lock(&self.state);
        let waiter = if state.queue.is_empty() && state.held < limit {
            state.held += 1;
            None
        } else {
            let is_admitted = AtomicBool::new(false);
            let waiter = Arc::new(Waiter { limit, is_admitted, waker: Waker::new() });
            state.queue.push_back(Arc::clone(&waiter));
            Some(waiter)
        };
        drop(state);
        ForkGuard::new(Permit { permits: self, waiter })
    }
}

impl PermitState {
    /// Gives permits to the head of the queue while there are any.
    fn admit(&mut self) {
        while let Some(first) = self.queue.front()
            && self.held < first.limit
        {
            self.held += 1;
            first.is_admitted.store(true, Ordering::Release);
            first.waker.as_ref().inspect(|waker| waker.wake());
            self.queue.pop_front();
        }
    }
}

impl Waiter {
    fn is_waiting(&self) -> bool {
        !self.is_admitted.load(Ordering::Acquire)
    }
}

/// The right to one of the places, until it is dropped.
pub struct Permit {
    permits: Arc<Permits>,
    /// The place in the queue of a permit that was not free at once.
    waiter: Option<Arc<Waiter>>,
}

impl Permit {
    fn wait(&self, context: &CallContext) -> Result<(), Ended> {
        while let Some(waiter) = self.waiter.as_ref().filter(|waiter| waiter.is_waiting()) {
            if let Some(ended) = context.ended() {
                return Err(ended);
            }
            let slice = context.wake_slice();
            let limit = if waiter.waker.is_some() { slice } else { slice.min(POLL_WITHOUT_WAKER) };
            context.wait_for_waker(waiter.waker.as_ref(), limit);
        }
        Ok(())
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = lock(&self.permits.state);
        match self.waiter.as_ref().filter(|waiter| waiter.is_waiting()) {
            Some(waiter) => state.queue.retain(|other| !Arc::ptr_eq(other, waiter)),
            None => state.held -= 1,
        }
        state.admit();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::call::context::CancelHandle;

    const LONG: Duration = Duration::from_secs(60);

    fn context() -> CallContext {
        CallContext::with_timeout(LONG)
    }

    fn waiting(semaphore: &Semaphore) -> usize {
        lock(&semaphore.0.get().state).queue.len()
    }

    fn wait_until(condition: impl Fn() -> bool) {
        while !condition() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn permits_are_held_up_to_the_limit() {
        let semaphore = Semaphore::default();
        let working = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    let _permit = semaphore.acquire(3, &context()).unwrap();
                    assert!(working.fetch_add(1, Ordering::SeqCst) < 3);
                    std::thread::yield_now();
                    working.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(semaphore.held(), 0);
    }

    #[test]
    fn the_first_waiter_is_served_first() {
        let (semaphore, order) = (Semaphore::default(), Mutex::new(Vec::new()));
        let first = semaphore.acquire(1, &context()).unwrap();
        std::thread::scope(|scope| {
            for number in 0..20 {
                let (semaphore, order) = (&semaphore, &order);
                scope.spawn(move || {
                    let _permit = semaphore.acquire(1, &context()).unwrap();
                    lock(order).push(number);
                });
                wait_until(|| waiting(semaphore) == number + 1);
            }
            drop(first);
        });
        assert_eq!(*lock(&order), Vec::from_iter(0..20));
    }

    #[test]
    fn a_waiter_under_a_lower_limit_is_not_overtaken() {
        let semaphore = Semaphore::default();
        let first = semaphore.acquire(2, &context()).unwrap();
        std::thread::scope(|scope| {
            for (place, limit) in [1, 2].into_iter().enumerate() {
                let semaphore = &semaphore;
                scope.spawn(move || drop(semaphore.acquire(limit, &context()).unwrap()));
                // There is room for the second one, but not yet for the first.
                wait_until(|| waiting(semaphore) == place + 1);
            }
            drop(first);
        });
        assert_eq!(semaphore.held(), 0);
    }

    #[test]
    fn a_deadline_ends_the_wait_and_gives_the_place_up() {
        let semaphore = Semaphore::default();
        let first = semaphore.acquire(1, &context()).unwrap();
        let short = CallContext::with_timeout(Duration::from_millis(5));
        assert_eq!(semaphore.acquire(1, &short).err(), Some(Ended::Deadline));
        assert_eq!(waiting(&semaphore), 0);
        drop(first);
        drop(semaphore.acquire(1, &context()).unwrap());
    }

    #[test]
    fn a_cancellation_ends_the_wait_and_lets_the_next_one_in() {
        let semaphore = Semaphore::default();
        let first = semaphore.acquire(1, &context()).unwrap();
        let cancel = CancelHandle::new();
        std::thread::scope(|scope| {
            let cancelled = scope.spawn(|| {
                let context = CallContext::new(LONG, cancel.clone(), None);
                semaphore.acquire(1, &context).err().unwrap()
            });
            wait_until(|| waiting(&semaphore) == 1);
            let next = scope.spawn(|| drop(semaphore.acquire(1, &context()).unwrap()));
            wait_until(|| waiting(&semaphore) == 2);
            cancel.cancel();
            assert_eq!(cancelled.join().unwrap(), Ended::Cancelled);
            assert_eq!(waiting(&semaphore), 1);
            drop(first);
            next.join().unwrap();
        });
    }

    #[test]
    fn a_child_forgets_the_permits_of_its_parent() {
        let semaphore = Semaphore::default();
        semaphore.0.leave_to_another();
        assert!(!semaphore.was_in_use_at_fork());
        let of_parent = semaphore.acquire(1, &context()).unwrap();
        semaphore.0.leave_to_another();
        assert!(semaphore.was_in_use_at_fork());
        let of_child = semaphore.acquire(1, &context()).unwrap();
        drop(of_parent);
        assert_eq!(semaphore.held(), 1, "the permits of the parent are not those of the child");
        drop(of_child);
        semaphore.0.leave_to_another();
        assert!(semaphore.was_in_use_at_fork(), "a grandchild inherits the same state");
    }

    #[test]
    fn another_thread_may_release_a_permit() {
        let semaphore = Semaphore::default();
        let permit = semaphore.acquire(1, &context()).unwrap();
        std::thread::scope(|scope| {
            let next = scope.spawn(|| drop(semaphore.acquire(1, &context()).unwrap()));
            wait_until(|| waiting(&semaphore) == 1);
            scope.spawn(move || drop(permit));
            next.join().unwrap();
        });
    }

    #[test]
    fn a_panic_lets_the_next_one_in() {
        let semaphore = Semaphore::default();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _permit = semaphore.acquire(1, &context()).unwrap();
            panic!("on purpose");
        }));
        assert!(panicked.is_err());
        drop(semaphore.acquire(1, &context()).unwrap());
    }
}
