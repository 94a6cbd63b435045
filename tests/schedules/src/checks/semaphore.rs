//! The fair limit: also the queue of a journal's writers.

// `core` has atomics that are not steps.
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::model;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use payments_transport::context::{CallContext, CancelHandle, Ended};
use payments_transport::inside::Semaphore;

use super::LONG;

fn context() -> CallContext {
    CallContext::with_timeout(LONG)
}

/// A semaphore, and how many are between acquiring and releasing it.
#[derive(Default)]
struct CountedSemaphore {
    semaphore: Semaphore,
    inside: AtomicUsize,
    largest_limit: usize,
}

impl CountedSemaphore {
    fn enter(&self, limit: usize, context: &CallContext) -> Result<(), Ended> {
        let _permit = self.semaphore.acquire(limit, context)?;
        let others = self.inside.fetch_add(1, SeqCst);
        assert!(others < limit.max(self.largest_limit), "too many holders");
        model::step();
        self.inside.fetch_sub(1, SeqCst);
        Ok(())
    }
}

pub fn holders() {
    model::execution(|| {
        let guarded = CountedSemaphore { largest_limit: 2, ..CountedSemaphore::default() };
        thread::scope(|scope| {
            for limit in [1, 2, 2] {
                let guarded = &guarded;
                scope.spawn(move || guarded.enter(limit, &context()).unwrap());
            }
        });
        assert_eq!(guarded.semaphore.held(), 0);
    });
}

pub fn order() {
    model::execution(|| {
        let (semaphore, order) = (Semaphore::default(), Mutex::new(Vec::new()));
        let first = semaphore.acquire(1, &context()).unwrap();
        thread::scope(|scope| {
            let come = |number| {
                let (semaphore, order) = (&semaphore, &order);
                scope.spawn(move || {
                    let _permit = semaphore.acquire(1, &context()).unwrap();
                    order.lock().unwrap().push(number);
                });
            };
            come(1);
            model::until_waiting(1);
            come(2);
            model::until_waiting(2);
            scope.spawn(move || drop(first));
            come(3);
        });
        assert_eq!(*order.lock().unwrap(), [1, 2, 3]);
    });
}

/// There is room for the second one at once, but not for the first.
pub fn lower_limit() {
    model::execution(|| {
        let (semaphore, is_released) = (Semaphore::default(), AtomicBool::new(false));
        let held = semaphore.acquire(2, &context()).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| drop(semaphore.acquire(1, &context()).unwrap()));
            model::until_waiting(1);
            scope.spawn(|| {
                let _permit = semaphore.acquire(2, &context()).unwrap();
                assert!(is_released.load(SeqCst), "overtaken");
            });
            model::step();
            is_released.store(true, SeqCst);
            drop(held);
        });
    });
}

/// One holds a permit, `ended` waits for it, and another one comes. `end` is run
/// meanwhile, and must end the wait if the permit does not.
fn ending(ended: &CallContext, why: Ended, end: impl Fn() + Send + Sync) {
    let guarded = CountedSemaphore::default();
    let first = guarded.semaphore.acquire(1, &context()).unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| guarded.enter(1, ended));
        let other = scope.spawn(|| guarded.enter(1, &context()));
        scope.spawn(|| end());
        scope.spawn(move || drop(first));
        assert!([Ok(()), Err(why)].contains(&waiting.join().unwrap()));
        assert_eq!(other.join().unwrap(), Ok(()));
    });
    assert_eq!(guarded.semaphore.held(), 0);
}

pub fn cancellation() {
    model::execution(|| {
        let cancel = CancelHandle::new();
        let context = CallContext::new(LONG, cancel.clone(), None);
        ending(&context, Ended::Cancelled, || cancel.cancel());

        // Without a release, the cancellation alone ends the wait.
        let semaphore = Semaphore::default();
        let _held = semaphore.acquire(1, &CallContext::with_timeout(LONG)).unwrap();
        let cancel = CancelHandle::new();
        let context = CallContext::new(LONG, cancel.clone(), None);
        thread::scope(|scope| {
            scope.spawn(|| cancel.cancel());
            assert_eq!(semaphore.acquire(1, &context).err(), Some(Ended::Cancelled));
        });
    });
}

pub fn deadline() {
    model::execution(|| {
        let context = CallContext::with_timeout(Duration::from_secs(1));
        ending(&context, Ended::Deadline, || model::advance(Duration::from_secs(1)));
    });
}
