//! Per-process state, which must not be used after a fork.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use arc_swap::ArcSwap;

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
    /// Set by the first thread that needs it; the others wait. Two renewals at
    /// once would find the locks of the parent's value taken by each other.
    value: OnceLock<Arc<T>>,
    /// The source of the value. `None` for the first process.
    inherited: Option<Arc<OwnedByProcess<T>>>,
}

impl<T> PerProcess<T> {
    /// Holds `value`; a forked child gets the value that `renew` makes from it.
    pub fn new(value: T, renew: impl Fn(&T) -> T + Send + Sync + 'static) -> Self {
        let value = OnceLock::from(Arc::new(value));
        let first = OwnedByProcess { process: Identity::current(), value, inherited: None };
        Self { current: ArcSwap::from_pointee(first), renew: Box::new(renew) }
    }

    /// The value of this process.
    pub fn get(&self) -> Arc<T> {
        let current = self.current.load();
        if current.process.is_current() {
            return self.value_of(&current);
        }
        self.replace(&current)
    }

    /// Pretends that the value belongs to another process.
    #[cfg(any(test, feature = "testing"))]
    pub fn leave_to_another(&self) {
        let OwnedByProcess { value, inherited, .. } = &**self.current.load();
        let (value, inherited) = (value.clone(), inherited.clone());
        let process = Identity::of_another();
        self.current.store(Arc::new(OwnedByProcess { process, value, inherited }));
    }

    /// Several threads of a child may get here at once; one of them installs.
    fn replace(&self, inherited: &Arc<OwnedByProcess<T>>) -> Arc<T> {
        let made = Arc::new(OwnedByProcess {
            process: Identity::current(),
            value: OnceLock::new(),
            inherited: Some(Arc::clone(inherited)),
        });
        let before = self.current.compare_and_swap(inherited, Arc::clone(&made));
        if Arc::ptr_eq(&before, inherited) {
            std::mem::forget(Arc::clone(inherited));
            self.value_of(&made)
        } else {
            self.value_of(&before)
        }
    }

    fn value_of(&self, owned: &OwnedByProcess<T>) -> Arc<T> {
        let renewed = || Arc::new((self.renew)(owned.ancestors_value()));
        Arc::clone(owned.value.get_or_init(renewed))
    }
}

impl<T> OwnedByProcess<T> {
    /// The value of the nearest ancestor that has one: a process may fork while
    /// another of its threads renews.
    fn ancestors_value(&self) -> &T {
        let mut ancestors =
            std::iter::successors(self.inherited.as_deref(), |it| it.inherited.as_deref());
        ancestors.find_map(|it| it.value.get()).unwrap_or_else(|| unreachable!("the first has one"))
    }
}

/// A value that a forked child never drops: dropping it there would release what
/// the parent holds, or wait for a lock of a thread that the child does not have.
pub struct ForkGuard<T> {
    process: Identity,
    /// `None` only after it was dropped.
    value: Option<T>,
}

impl<T> ForkGuard<T> {
    /// Makes `value` belong to this process.
    pub fn new(value: T) -> Self {
        Self { process: Identity::current(), value: Some(value) }
    }

    /// Whether this process made it.
    pub fn is_of_this_process(&self) -> bool {
        self.process.is_current()
    }
}

impl<T> Deref for ForkGuard<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().unwrap_or_else(|| unreachable!("dropped"))
    }
}

impl<T> DerefMut for ForkGuard<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().unwrap_or_else(|| unreachable!("dropped"))
    }
}

impl<T> Drop for ForkGuard<T> {
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

/// Like [`lock`], but `None` if the mutex is locked. For a parent's locks,
/// whose holder may not exist in this process.
pub fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(std::sync::TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(std::sync::TryLockError::WouldBlock) => None,
    }
}

/// Differs between a process and all processes forked from it.
///
/// The pid alone is not enough: the first child in a new pid namespace has pid
/// 1, and its parent may have pid 1 in its own namespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    pid: u32,
    /// The pid namespace, for a process whose parent is outside of it.
    namespace: Option<u64>,
}

impl Identity {
    /// The identity of the current process.
    pub fn current() -> Self {
        Self { pid: std::process::id(), namespace: namespace() }
    }

    /// Whether this is the identity of the current process.
    pub fn is_current(self) -> bool {
        self == Self::current()
    }

    /// An identity that no process has.
    #[cfg(any(test, feature = "testing"))]
    pub fn of_another() -> Self {
        Self { pid: 0, namespace: None }
    }
}

/// A child whose parent is in another pid namespace sees parent pid 0, which is
/// cheap to check. Without `/proc` only the pid is used.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn namespace() -> Option<u64> {
    if rustix::process::getppid().is_some() {
        return None;
    }
    rustix::fs::stat("/proc/self/ns/pid").ok().map(|namespace| namespace.st_ino)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn namespace() -> Option<u64> {
    None
}

/// The name of this host, for people.
#[cfg(unix)]
pub fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The name of this host, for people.
#[cfg(not(unix))]
pub fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
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
    fn threads_that_renew_at_once_get_the_same_value() {
        for _ in 0..200 {
            let cell = PerProcess::new(Mutex::new(1), |old| {
                Mutex::new(try_lock(old).map_or(0, |value| {
                    std::thread::yield_now();
                    *value + 1
                }))
            });
            cell.leave_to_another();
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| assert_eq!(*lock(&cell.get()), 2));
                }
            });
        }
    }

    #[test]
    fn a_process_forked_during_a_renewal_renews_an_older_value() {
        let cell = Arc::new(PerProcess::new(1, |old| old + 1));
        cell.leave_to_another();
        let unfinished = OwnedByProcess {
            process: Identity::of_another(),
            value: OnceLock::new(),
            inherited: Some(cell.current.load_full()),
        };
        cell.current.store(Arc::new(unfinished));
        assert_eq!(*cell.get(), 2);
    }

    #[test]
    fn only_the_process_that_made_a_value_drops_it() {
        let value = Arc::new(1);
        drop(ForkGuard::new(Arc::clone(&value)));
        assert_eq!(Arc::strong_count(&value), 1);
        drop(ForkGuard { process: Identity::of_another(), value: Some(Arc::clone(&value)) });
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
