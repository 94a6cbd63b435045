//! Per-process state, which must not be used after a fork.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;

pub use self::identity::Identity;
pub use self::identity::host;

mod identity;

/// A value that is created again in a forked child.
///
/// Threads that the child does not have may hold the value's locks or be using
/// its keys. So the child creates a new value, installs it through an atomic
/// pointer, and forgets the old one, which is never dropped, shut down or
/// unlocked there.
pub struct PerProcess<T> {
    current: ArcSwap<OwnedByProcess<T>>,
    /// Creates the child's value. It receives the parent's value, whose locks
    /// it may only try.
    renew: Box<dyn Fn(&T) -> T + Send + Sync>,
}

struct OwnedByProcess<T> {
    process: Identity,
    value: Arc<T>,
}

impl<T> PerProcess<T> {
    /// Holds `value`; a forked child gets what `renew` makes of it.
    pub fn new(value: T, renew: impl Fn(&T) -> T + Send + Sync + 'static) -> Self {
        Self { current: ArcSwap::from_pointee(OwnedByProcess::new(value)), renew: Box::new(renew) }
    }

    /// The value of this process.
    pub fn get(&self) -> Arc<T> {
        let current = self.current.load();
        if current.process.is_current() {
            return Arc::clone(&current.value);
        }
        self.replace(&current)
    }

    /// Pretends that the value belongs to another process.
    #[cfg(any(test, feature = "testing"))]
    pub fn leave_to_another(&self) {
        let value = Arc::clone(&self.current.load().value);
        self.current.store(Arc::new(OwnedByProcess { process: Identity::of_another(), value }));
    }

    /// Several threads of a child may get here at once. One value wins; the
    /// others belong to this process and can be dropped.
    fn replace(&self, inherited: &Arc<OwnedByProcess<T>>) -> Arc<T> {
        let made = Arc::new(OwnedByProcess::new((self.renew)(&inherited.value)));
        let before = self.current.compare_and_swap(inherited, Arc::clone(&made));
        if Arc::ptr_eq(&before, inherited) {
            std::mem::forget(Arc::clone(inherited));
            std::mem::forget(Arc::clone(&inherited.value));
            Arc::clone(&made.value)
        } else {
            Arc::clone(&before.value)
        }
    }
}

impl<T> OwnedByProcess<T> {
    fn new(value: T) -> Self {
        Self { process: Identity::current(), value: Arc::new(value) }
    }
}

/// A value that a forked child never drops: dropping it there would release what
/// the parent holds, or wait for a lock of a thread that the child does not have.
pub struct Owned<T> {
    process: Identity,
    /// `None` only after it was dropped.
    value: Option<T>,
}

impl<T> Owned<T> {
    /// Makes `value` belong to this process.
    pub fn new(value: T) -> Self {
        Self { process: Identity::current(), value: Some(value) }
    }

    /// Whether this process made it.
    pub fn is_of_this_process(&self) -> bool {
        self.process.is_current()
    }
}

impl<T> Deref for Owned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().unwrap_or_else(|| unreachable!("dropped"))
    }
}

impl<T> DerefMut for Owned<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().unwrap_or_else(|| unreachable!("dropped"))
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        if !self.is_of_this_process() {
            std::mem::forget(self.value.take());
        }
    }
}

/// Locks `mutex` even if it is poisoned: everything that the crate keeps under
/// locks is valid between any two statements.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// As [`lock`], but `None` if the mutex is locked. For a parent's locks, whose
/// holder may not exist in this process.
pub fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(std::sync::TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(std::sync::TryLockError::WouldBlock) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_process_keeps_its_value() {
        let cell = PerProcess::new(1, |_| 2);
        assert!(Arc::ptr_eq(&cell.get(), &cell.get()));
    }

    #[test]
    fn another_process_makes_its_own_once() {
        let cell = PerProcess::new(Mutex::new(1), |old| {
            Mutex::new(try_lock(old).map_or(0, |value| *value + 1))
        });
        cell.leave_to_another();
        let made = cell.get();
        assert_eq!(*lock(&made), 2);
        assert!(Arc::ptr_eq(&made, &cell.get()));

        let held = lock(&made);
        cell.leave_to_another();
        assert_eq!(*lock(&cell.get()), 0);
        drop(held);
    }

    #[test]
    fn only_the_process_that_made_a_value_drops_it() {
        let value = Arc::new(1);
        drop(Owned::new(Arc::clone(&value)));
        assert_eq!(Arc::strong_count(&value), 1);
        drop(Owned { process: Identity::of_another(), value: Some(Arc::clone(&value)) });
        assert_eq!(Arc::strong_count(&value), 2, "it is forgotten");
    }

    #[test]
    fn a_panic_under_a_lock_does_no_harm() {
        let mutex = Arc::new(Mutex::new(7));
        let poisoner = Arc::clone(&mutex);
        let _ = std::thread::spawn(move || {
            let _guard = lock(&poisoner);
            panic!("poison");
        })
        .join();
        assert_eq!(*lock(&mutex), 7);
        assert_eq!(try_lock(&mutex).as_deref(), Some(&7));
    }
}
