//! A static that each process of each execution initializes again.

use std::cell::UnsafeCell;
use std::ops::Deref;

use crate::{model, processes};

pub struct LazyLock<T> {
    make: fn() -> T,
    /// The values of the last execution that used it.
    made: UnsafeCell<Vec<Made<T>>>,
}

/// A value, and its execution and process.
struct Made<T> {
    by: (u64, u32),
    value: Box<T>,
}

// SAFETY: all threads of an execution are on one thread of the system, and each
// execution ends before the next begins.
unsafe impl<T> Sync for LazyLock<T> {}

impl<T> LazyLock<T> {
    pub const fn new(make: fn() -> T) -> Self {
        Self { make, made: UnsafeCell::new(Vec::new()) }
    }

    /// The value of this execution and process.
    fn find(&self, by: (u64, u32)) -> Option<&T> {
        // SAFETY: as above. A value stays in its box while the vector grows.
        unsafe { (*self.made.get()).iter().find(|it| it.by == by).map(|it| &*it.value) }
    }
}

impl<T> Deref for LazyLock<T> {
    type Target = T;

    fn deref(&self) -> &T {
        let by = (model::number(), processes::current());
        if let Some(value) = self.find(by) {
            return value;
        }
        // May reach a step.
        let value = Box::new((self.make)());
        if self.find(by).is_none() {
            // SAFETY: as above; references of an earlier execution are gone.
            let made = unsafe { &mut *self.made.get() };
            if made.first().is_some_and(|it| it.by.0 != by.0) {
                // Their contents belong to threads that are gone.
                made.drain(..).for_each(std::mem::forget);
            }
            made.push(Made { by, value });
        }
        self.find(by).expect("made above")
    }
}
