//! A static that each execution initializes again.

use std::cell::UnsafeCell;
use std::ops::Deref;

use crate::model;

pub struct LazyLock<T> {
    make: fn() -> T,
    /// The value, and the number of its execution.
    made: UnsafeCell<Option<(u64, Box<T>)>>,
}

// SAFETY: all threads of an execution are on one thread of the system, and each
// execution ends before the next begins.
unsafe impl<T> Sync for LazyLock<T> {}

impl<T> LazyLock<T> {
    pub const fn new(make: fn() -> T) -> Self {
        Self { make, made: UnsafeCell::new(None) }
    }
}

impl<T> Deref for LazyLock<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: as above; references of an earlier execution are gone. Making a
        // value may reach a step, so no reference exists meanwhile.
        unsafe {
            let number = model::number();
            if (*self.made.get()).as_ref().is_none_or(|(made_in, _)| *made_in != number) {
                let made = Box::new((self.make)());
                if (*self.made.get()).as_ref().is_none_or(|(made_in, _)| *made_in != number) {
                    // The contents of the earlier one belong to threads that are
                    // gone.
                    std::mem::forget((*self.made.get()).replace((number, made)));
                }
            }
            (*self.made.get()).as_ref().map(|(_, value)| &**value).unwrap_unchecked()
        }
    }
}
