//! A cell that is written once; reading and writing it are steps.

use std::fmt;

use shuttle_std::sync::Mutex;

use crate::model;

pub struct OnceLock<T> {
    value: std::sync::OnceLock<T>,
    writing: Mutex<()>,
}

impl<T> OnceLock<T> {
    pub const fn new() -> Self {
        Self { value: std::sync::OnceLock::new(), writing: Mutex::new(()) }
    }

    pub fn get(&self) -> Option<&T> {
        model::step();
        self.value.get()
    }

    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        if let Some(value) = self.get() {
            return value;
        }
        let _writing = self.writing.lock();
        if self.value.get().is_none() {
            let made = make();
            model::step();
            let _ = self.value.set(made);
        }
        self.value.get().expect("set above")
    }

    pub fn set(&self, value: T) -> Result<(), T> {
        let _writing = self.writing.lock();
        self.value.set(value)
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> Self {
        Self { value: value.into(), writing: Mutex::new(()) }
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    fn clone(&self) -> Self {
        Self { value: self.value.clone(), writing: Mutex::new(()) }
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
