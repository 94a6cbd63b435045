//! Limits how many calls of a process do something at a time, first come, first
//! served: sign with a local key, or write to a journal.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::base::process::{Owned, PerProcess, lock, try_lock};
use crate::call::context::{CallContext, Ended};
use crate::call::wait::{Bell, POLL_WITHOUT_BELL};

/// With one per core, a core idles while the next thread wakes up, which costs a
/// sixth of the throughput; with two, some of it.
const PER_CORE: NonZeroUsize = NonZeroUsize::new(3).unwrap();

/// Waits until fewer than `most` calls of this process are admitted; the
/// default is three per core. The call is admitted until the result is dropped.
///
/// # Errors
/// Why the call ended before it was admitted.
pub(crate) fn admit_to(
    admission: &PerProcess<Admission>,
    most: Option<NonZeroUsize>,
    context: &CallContext,
) -> Result<Admitted, Ended> {
    let context = context.begun();
    if context.is_forked() {
        return Err(Ended::Forked);
    }
    let ticket = admission.get().enter(most);
    ticket.wait(&context)?;
    Ok(ticket)
}

/// The calls that are admitted, and those that wait.
pub(crate) struct Admission {
    /// The default limit.
    most: NonZeroUsize,
    state: Mutex<Queue>,
    was_busy_at_fork: bool,
}

#[derive(Default)]
struct Queue {
    admitted: usize,
    queue: VecDeque<Arc<Waiter>>,
}

struct Waiter {
    most: NonZeroUsize,
    is_admitted: AtomicBool,
    /// `None` if no descriptor was available.
    bell: Option<Bell>,
}

impl Admission {
    /// Nobody is admitted. A forked child gets one of its own.
    pub(crate) fn per_process() -> PerProcess<Self> {
        PerProcess::new(Self::new(false), |parent| {
            let is_busy = try_lock(&parent.state).is_none_or(|state| state.admitted > 0);
            Self::new(is_busy || parent.was_busy_at_fork)
        })
    }

    fn new(was_busy_at_fork: bool) -> Self {
        // Respects the scheduler's affinity and the quota of a control group.
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let most = cores.saturating_mul(PER_CORE);
        Self { most, state: Mutex::default(), was_busy_at_fork }
    }

    /// Whether a call was admitted when this process was forked: whatever it
    /// used is left in the middle here.
    #[cfg(any(test, all(unix, feature = "journal-sqlite")))]
    pub(crate) fn was_busy_at_fork(&self) -> bool {
        self.was_busy_at_fork
    }

    /// Admits the call, or appends it to the queue.
    fn enter(self: Arc<Self>, most: Option<NonZeroUsize>) -> Owned<Ticket> {
        let most = most.unwrap_or(self.most);
        let mut state = lock(&self.state);
        let waiter = if state.queue.is_empty() && state.admitted < most.get() {
            state.admitted += 1;
            None
        } else {
            let bell = Bell::new();
            let waiter = Arc::new(Waiter { most, is_admitted: AtomicBool::new(false), bell });
            state.queue.push_back(Arc::clone(&waiter));
            Some(waiter)
        };
        drop(state);
        Owned::new(Ticket { admission: self, waiter })
    }
}

impl Queue {
    /// Admits calls from the head of the queue while there is room.
    fn admit(&mut self) {
        while let Some(first) = self.queue.front()
            && self.admitted < first.most.get()
        {
            self.admitted += 1;
            first.is_admitted.store(true, Ordering::Release);
            first.bell.as_ref().inspect(|bell| bell.ring());
            self.queue.pop_front();
        }
    }
}

impl Waiter {
    fn is_admitted(&self) -> bool {
        self.is_admitted.load(Ordering::Acquire)
    }
}

/// A call that waits or is admitted. Dropping it admits others.
pub(crate) struct Ticket {
    admission: Arc<Admission>,
    waiter: Option<Arc<Waiter>>,
}

/// A call that is admitted until this is dropped.
pub(crate) type Admitted = Owned<Ticket>;

impl Ticket {
    /// Waits to be admitted.
    fn wait(&self, context: &CallContext) -> Result<(), Ended> {
        while let Some(waiter) = self.waiter.as_ref().filter(|waiter| !waiter.is_admitted()) {
            if let Some(ended) = context.ended() {
                return Err(ended);
            }
            let slice = context.wake_slice();
            let limit = if waiter.bell.is_some() { slice } else { slice.min(POLL_WITHOUT_BELL) };
            context.wait_for_bell(waiter.bell.as_ref(), limit.max(Duration::from_millis(1)));
        }
        Ok(())
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = lock(&self.admission.state);
        match self.waiter.as_ref().filter(|waiter| !waiter.is_admitted()) {
            Some(waiter) => state.queue.retain(|other| !Arc::ptr_eq(other, waiter)),
            None => state.admitted -= 1,
        }
        state.admit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::context::CancelHandle;

    const LONG: Duration = Duration::from_secs(60);

    fn new_admission() -> PerProcess<Admission> {
        Admission::per_process()
    }

    fn context() -> CallContext {
        CallContext::with_timeout(LONG)
    }

    fn limit(most: usize) -> Option<NonZeroUsize> {
        NonZeroUsize::new(most)
    }

    fn waiting(admission: &PerProcess<Admission>) -> usize {
        lock(&admission.get().state).queue.len()
    }

    fn wait_until(condition: impl Fn() -> bool) {
        while !condition() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn as_many_sign_at_a_time_as_the_limit_says() {
        let admission = new_admission();
        let signing = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    let _admitted = admit_to(&admission, limit(3), &context()).unwrap();
                    assert!(signing.fetch_add(1, Ordering::SeqCst) < 3);
                    std::thread::yield_now();
                    signing.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(lock(&admission.get().state).admitted, 0);
    }

    #[test]
    fn without_a_limit_three_sign_for_each_core() {
        let admission = new_admission();
        let cores = std::thread::available_parallelism().unwrap().get();
        let first: Vec<_> =
            (0..3 * cores).map(|_| admit_to(&admission, None, &context()).unwrap()).collect();
        let short = CallContext::with_timeout(Duration::ZERO);
        assert!(admit_to(&admission, None, &short).is_err());
        drop(first);
        assert!(admit_to(&admission, None, &short).is_ok());
    }

    #[test]
    fn who_came_first_signs_first() {
        let (admission, order) = (new_admission(), Mutex::new(Vec::new()));
        let first = admit_to(&admission, limit(1), &context()).unwrap();
        std::thread::scope(|scope| {
            for number in 0..20 {
                let (admission, order) = (&admission, &order);
                scope.spawn(move || {
                    let _admitted = admit_to(admission, limit(1), &context()).unwrap();
                    lock(order).push(number);
                });
                wait_until(|| waiting(admission) == number + 1);
            }
            drop(first);
        });
        assert_eq!(*lock(&order), Vec::from_iter(0..20));
    }

    #[test]
    fn nobody_overtakes_who_waits_under_a_lower_limit() {
        let admission = new_admission();
        let first = admit_to(&admission, limit(2), &context()).unwrap();
        std::thread::scope(|scope| {
            for (place, most) in [1, 2].into_iter().enumerate() {
                let admission = &admission;
                scope.spawn(move || drop(admit_to(admission, limit(most), &context()).unwrap()));
                // There is room for the second one, but not yet for the first.
                wait_until(|| waiting(admission) == place + 1);
            }
            drop(first);
        });
        assert_eq!(lock(&admission.get().state).admitted, 0);
    }

    #[test]
    fn a_deadline_ends_the_wait_and_gives_the_place_up() {
        let admission = new_admission();
        let first = admit_to(&admission, limit(1), &context()).unwrap();
        let short = CallContext::with_timeout(Duration::from_millis(5));
        assert_eq!(admit_to(&admission, limit(1), &short).err(), Some(Ended::Deadline));
        assert_eq!(waiting(&admission), 0);
        drop(first);
        drop(admit_to(&admission, limit(1), &context()).unwrap());
    }

    #[test]
    fn a_cancellation_ends_the_wait_and_lets_the_next_one_sign() {
        let admission = new_admission();
        let first = admit_to(&admission, limit(1), &context()).unwrap();
        let cancel = CancelHandle::new();
        std::thread::scope(|scope| {
            let cancelled = scope.spawn(|| {
                let context = CallContext::new(LONG, cancel.clone(), None);
                admit_to(&admission, limit(1), &context).err().unwrap()
            });
            wait_until(|| waiting(&admission) == 1);
            let next = scope.spawn(|| drop(admit_to(&admission, limit(1), &context()).unwrap()));
            wait_until(|| waiting(&admission) == 2);
            cancel.cancel();
            assert_eq!(cancelled.join().unwrap(), Ended::Cancelled);
            assert_eq!(waiting(&admission), 1);
            drop(first);
            next.join().unwrap();
        });
    }

    #[test]
    fn a_child_knows_whether_its_parent_was_busy() {
        let admission = new_admission();
        admission.leave_to_another();
        assert!(!admission.get().was_busy_at_fork());
        let admitted = admit_to(&admission, limit(1), &context()).unwrap();
        admission.leave_to_another();
        assert!(admission.get().was_busy_at_fork());
        admission.leave_to_another();
        assert!(admission.get().was_busy_at_fork(), "a grandchild inherits the same state");
        drop(admitted);
    }

    #[test]
    fn a_panic_while_signing_lets_the_next_one_sign() {
        let admission = new_admission();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _admitted = admit_to(&admission, limit(1), &context()).unwrap();
            panic!("on purpose");
        }));
        assert!(panicked.is_err());
        drop(admit_to(&admission, limit(1), &context()).unwrap());
    }
}
