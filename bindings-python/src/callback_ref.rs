//! Callbacks that are visible to Python's garbage collector. Otherwise a callback
//! that references its client would keep itself and the client in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

/// A callback of a client. Both the core and the client hold it, and the client
/// shows it to the garbage collector.
#[derive(Clone)]
pub(crate) struct CallbackRef(Arc<Mutex<Option<Py<PyAny>>>>);

impl CallbackRef {
    pub(crate) fn new(callback: Py<PyAny>) -> Self {
        Self(Arc::new(Mutex::new(Some(callback))))
    }

    fn content(&self) -> MutexGuard<'_, Option<Py<PyAny>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn bind<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let callback = self.content().as_ref().map(|callback| callback.bind(py).clone());
        callback.ok_or_else(|| PyRuntimeError::new_err("its client was collected"))
    }
}

/// The callbacks of a client. A call that can outlive the client holds a clone.
#[derive(Clone)]
pub(crate) struct CallbackRefs(Arc<Vec<CallbackRef>>);

impl CallbackRefs {
    pub(crate) fn new(callbacks: impl IntoIterator<Item = CallbackRef>) -> Self {
        Self(Arc::new(callbacks.into_iter().collect()))
    }

    /// Shows nothing while a call also holds the callbacks: the collector would
    /// treat them as garbage during the call.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        if Arc::strong_count(&self.0) > 1 {
            return Ok(());
        }
        for slot in self.0.iter() {
            // A thread that holds the lock is cloning the callback; do not wait for it.
            let content = match slot.0.try_lock() {
                Ok(content) => content,
                Err(TryLockError::Poisoned(content)) => content.into_inner(),
                Err(TryLockError::WouldBlock) => continue,
            };
            visit.call(&*content)?;
        }
        Ok(())
    }

    pub(crate) fn clear(&self) {
        for slot in self.0.iter() {
            // Dropped after the lock is released: that may run Python code.
            let callback = slot.content().take();
            drop(callback);
        }
    }
}
