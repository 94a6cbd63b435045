//! A finished call, until its value has reached its caller.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use payments_core::CallContext;
use payments_host::by_name::HostClient;
use pyo3::prelude::*;

use crate::calls::scope::Scope;
use crate::calls::task::{Task, TaskResult};
use crate::values::errors::guarded;

/// The place of a finished call. Its value stays there while Python code builds what
/// the caller gets: a signal handler may raise in that code, and its exception then
/// has the response.
#[derive(Default)]
pub(crate) struct ResultSlot(Mutex<Option<FinishedCall>>);

pub(crate) struct FinishedCall {
    pub(crate) client: HostClient,
    pub(crate) context: CallContext,
    pub(crate) task: Arc<Task>,
    pub(crate) scope: Arc<Scope>,
    pub(crate) task_result: TaskResult,
}

impl ResultSlot {
    fn place(&self) -> MutexGuard<'_, Option<FinishedCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, ended: FinishedCall) {
        *self.place() = Some(ended);
    }

    pub(crate) fn take(&self) -> Option<FinishedCall> {
        self.place().take()
    }

    /// Whether there is a value that may not have reached the caller.
    pub(crate) fn has_value(&self) -> bool {
        self.place().is_some()
    }

    /// The value of the call, or the exception to raise.
    pub(crate) fn conclude(&self, py: Python<'_>, ended: FinishedCall) -> PyResult<Py<PyAny>> {
        let Ok(product) = &ended.task_result.result else {
            return Err(ended.into_exception(py));
        };
        if ended.scope.is_interrupted() {
            return Err(ended.into_exception(py));
        }
        match product.to_python(py, &ended.task_result.texts) {
            Ok(value) => {
                self.set(ended);
                Ok(value)
            }
            Err(raised) => Err(ended.interrupted_by(py, raised)),
        }
    }

    /// The exception to raise after `raised` kept the value from the caller.
    pub(crate) fn exception_after(&self, py: Python<'_>, raised: PyErr) -> PyErr {
        let Some(ended) = self.take() else {
            return raised;
        };
        let context = ended.context.clone();
        let exception = guarded(py, Some(&context), || Ok(ended.interrupted_by(py, raised)));
        exception.unwrap_or_else(|failure| failure)
    }
}

impl FinishedCall {
    fn interrupted_by(self, py: Python<'_>, raised: PyErr) -> PyErr {
        self.scope.note_interrupt(raised);
        self.into_exception(py)
    }

    /// The exception to raise for a call that failed or was interrupted. If the
    /// call was completed, the exception has the response.
    pub(crate) fn into_exception(self, py: Python<'_>) -> PyErr {
        let Self { client, task, scope, task_result, .. } = self;
        let error = task_result.into_error(&client, &task);
        // A signal handler may raise in the code that makes the exception. Its
        // signal was consumed: it does not raise again.
        let exception = error.to_exception(py).or_else(|raised| {
            scope.note_interrupt(raised);
            error.to_exception(py)
        });
        scope.exception(py, exception.unwrap_or_else(|failure| failure))
    }
}
