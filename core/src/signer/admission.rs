//! Limits how many calls sign with a local key at a time: two per core, first
//! come, first served.
//!
//! A signature takes a core for milliseconds. More at a time finish no sooner:
//! they keep the host's own threads from running, and calls overtake each
//! other. With one per core, a core is idle while the next thread wakes up,
//! which costs a tenth of the throughput.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use crate::context::{CallContext, Ended};
use crate::error::{Error, ErrorKind};
use crate::process::{PerProcess, lock};
use crate::wait::{Bell, POLL_WITHOUT_BELL};

/// Shared by all clients of a process.
static ADMISSION: LazyLock<PerProcess<Admission>> = LazyLock::new(new_admission);

fn new_admission() -> PerProcess<Admission> {
    PerProcess::new(Admission::new(), |_| Admission::new())
}

/// Waits until the call may sign: until fewer than `most` calls of this process
/// are signing, by default two per core. The call may sign until the result is
/// dropped.
///
/// # Errors
/// `timeout` or `cancelled`, with the outcome from the byte record.
pub(crate) fn admit(most: Option<NonZeroUsize>, context: &CallContext) -> Result<Admitted, Error> {
    admit_to(&ADMISSION, most, context)
}

fn admit_to(
    admission: &PerProcess<Admission>,
    most: Option<NonZeroUsize>,
    context: &CallContext,
) -> Result<Admitted, Error> {
    loop {
        let current = admission.get();
        let place = current.enter(most);
        let admitted = place.wait(context, || Arc::ptr_eq(&current, &admission.get()))?;
        if let Some(admitted) = admitted {
            return Ok(admitted);
        }
    }
}

/// The calls that are signing, and those that wait.
struct Admission {
    /// The default limit.
    most: NonZeroUsize,
    state: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    signing: usize,
    queue: VecDeque<Arc<Waiter>>,
}

struct Waiter {
    most: NonZeroUsize,
    is_admitted: AtomicBool,
    /// `None` if no descriptor was available.
    bell: Option<Bell>,
}

impl Admission {
    fn new() -> Self {
        // Respects the scheduler's affinity and the quota of a control group.
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self { most: cores.saturating_add(cores.get()), state: Mutex::default() }
    }

    /// Admits the call, or appends it to the queue.
    fn enter(self: &Arc<Self>, most: Option<NonZeroUsize>) -> Ticket {
        let most = most.unwrap_or(self.most);
        let mut state = lock(&self.state);
        let waiter = if state.queue.is_empty() && state.signing < most.get() {
            state.signing += 1;
            None
        } else {
            let bell = Bell::new();
            let waiter = Arc::new(Waiter { most, is_admitted: AtomicBool::new(false), bell });
            state.queue.push_back(Arc::clone(&waiter));
            Some(waiter)
        };
        Ticket { admission: Arc::clone(self), waiter }
    }
}

impl Queue {
    /// Admits calls from the head of the queue while there is room.
    fn admit(&mut self) {
        while let Some(first) = self.queue.front()
            && self.signing < first.most.get()
        {
            self.signing += 1;
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

/// A call that waits or signs. Dropping it admits others.
struct Ticket {
    admission: Arc<Admission>,
    waiter: Option<Arc<Waiter>>,
}

/// A call that may sign until this is dropped.
pub(crate) struct Admitted {
    _ticket: Ticket,
}

impl Ticket {
    /// Waits to be admitted. `None` in a forked child, where no thread would admit
    /// the calls of its parent.
    fn wait(
        self,
        context: &CallContext,
        is_of_this_process: impl Fn() -> bool,
    ) -> Result<Option<Admitted>, Error> {
        while let Some(waiter) = self.waiter.as_ref().filter(|waiter| !waiter.is_admitted()) {
            let ended = context.ended();
            // The hook may have forked just now, while another thread held the
            // lock.
            if !is_of_this_process() {
                std::mem::forget(self);
                return Ok(None);
            }
            if let Some(ended) = ended {
                return Err(ended_while_waiting(context, ended));
            }
            let slice = context.wake_slice();
            let limit = if waiter.bell.is_some() { slice } else { slice.min(POLL_WITHOUT_BELL) };
            context.wait_for_bell(waiter.bell.as_ref(), limit.max(Duration::from_millis(1)));
        }
        Ok(Some(Admitted { _ticket: self }))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = lock(&self.admission.state);
        match self.waiter.as_ref().filter(|waiter| !waiter.is_admitted()) {
            Some(waiter) => state.queue.retain(|other| !Arc::ptr_eq(other, waiter)),
            None => state.signing -= 1,
        }
        state.admit();
    }
}

fn ended_while_waiting(context: &CallContext, ended: Ended) -> Error {
    match ended {
        Ended::Cancelled => context.ended_error(ended),
        Ended::Deadline => Error::new(
            ErrorKind::Timeout,
            context.outcome(),
            "deadline_passed",
            "the deadline of the call passed while it waited for other calls to sign; make fewer \
             calls at a time, give the process more cores, or raise timeout_ms",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::CancelHandle;
    use crate::error::Outcome;

    const LONG: Duration = Duration::from_secs(60);

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
        assert_eq!(lock(&admission.get().state).signing, 0);
    }

    #[test]
    fn without_a_limit_two_sign_for_each_core() {
        let admission = new_admission();
        let cores = std::thread::available_parallelism().unwrap().get();
        let first: Vec<_> =
            (0..2 * cores).map(|_| admit_to(&admission, None, &context()).unwrap()).collect();
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
        assert_eq!(lock(&admission.get().state).signing, 0);
    }

    #[test]
    fn a_deadline_ends_the_wait_and_gives_the_place_up() {
        let admission = new_admission();
        let first = admit_to(&admission, limit(1), &context()).unwrap();
        let short = CallContext::with_timeout(Duration::from_millis(5));
        let error = admit_to(&admission, limit(1), &short).err().unwrap();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Timeout, Outcome::NotExecuted));
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
            let error = cancelled.join().unwrap();
            assert_eq!(
                (error.kind(), error.outcome()),
                (ErrorKind::Cancelled, Outcome::NotExecuted)
            );
            assert_eq!(waiting(&admission), 1);
            drop(first);
            next.join().unwrap();
        });
    }

    #[test]
    fn a_child_that_was_forked_while_its_thread_waited_signs() {
        let admission = Arc::new(new_admission());
        let parent = admission.get();
        let first = admit_to(&admission, limit(1), &context()).unwrap();
        let hook: crate::context::InterruptHook = {
            let (admission, is_forked) = (Arc::clone(&admission), AtomicBool::new(false));
            Arc::new(move || {
                if !is_forked.swap(true, Ordering::SeqCst) {
                    admission.leave_to_another();
                }
                false
            })
        };
        let context = CallContext::new(LONG, CancelHandle::new(), Some(hook));
        let admitted = admit_to(&admission, limit(1), &context).unwrap();
        assert!(!Arc::ptr_eq(&parent, &admission.get()));
        assert_eq!(lock(&admission.get().state).signing, 1);
        drop(admitted);
        assert_eq!(lock(&admission.get().state).signing, 0);
        assert_eq!(lock(&parent.state).queue.len(), 1, "the place in the parent is left behind");
        drop(first);
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
