//! Condition variables whose limits end waits, and their mutexes.

use std::collections::VecDeque;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
use std::time::Duration;

use crate::model;

#[derive(Default)]
pub struct Mutex<T>(shuttle_std::sync::Mutex<T>);

pub struct MutexGuard<'a, T> {
    guard: shuttle_std::sync::MutexGuard<'a, T>,
    mutex: &'a Mutex<T>,
}

impl<T> Mutex<T> {
    pub const fn new(value: T) -> Self {
        Self(shuttle_std::sync::Mutex::new(value))
    }

    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        match self.0.lock() {
            Ok(guard) => Ok(MutexGuard { guard, mutex: self }),
            Err(error) => {
                Err(PoisonError::new(MutexGuard { guard: error.into_inner(), mutex: self }))
            }
        }
    }

    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Ok(MutexGuard { guard, mutex: self }),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            Err(TryLockError::Poisoned(error)) => {
                let guard = MutexGuard { guard: error.into_inner(), mutex: self };
                Err(TryLockError::Poisoned(PoisonError::new(guard)))
            }
        }
    }
}

impl<T> Mutex<T> {
    pub fn into_inner(self) -> LockResult<T> {
        self.0.into_inner()
    }

    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.0.get_mut()
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mutex")
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

#[derive(Default)]
pub struct Condvar {
    /// The threads that wait, the first one first.
    waiting: std::sync::Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    tickets: u64,
    queue: VecDeque<u64>,
}

pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Condvar {
    pub fn notify_one(&self) {
        self.notify(|queue| _ = queue.pop_front());
    }

    pub fn notify_all(&self) {
        self.notify(VecDeque::clear);
    }

    fn notify(&self, wake: impl FnOnce(&mut VecDeque<u64>)) {
        model::step();
        self.with(|waiting| wake(&mut waiting.queue));
        model::changed(self.key());
    }

    pub fn wait_timeout_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        limit: Duration,
        mut is_waiting: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let until = model::elapsed().saturating_add(limit);
        while is_waiting(&mut guard) {
            let left = until.saturating_sub(model::elapsed());
            if left.is_zero() {
                return Ok((guard, WaitTimeoutResult(true)));
            }
            let mutex = guard.mutex;
            let ticket = self.with(|waiting| {
                waiting.tickets += 1;
                waiting.queue.push_back(waiting.tickets);
                waiting.tickets
            });
            drop(guard);
            model::block_until(&[self.key()], Some(left), || {
                self.with(|waiting| !waiting.queue.contains(&ticket))
            });
            self.with(|waiting| waiting.queue.retain(|other| *other != ticket));
            guard = mutex.lock().unwrap_or_else(PoisonError::into_inner);
        }
        Ok((guard, WaitTimeoutResult(false)))
    }

    /// Never across a step.
    fn with<R>(&self, act: impl FnOnce(&mut Waiting) -> R) -> R {
        act(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn key(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}
