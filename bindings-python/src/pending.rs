//! Calls that run while an event loop goes on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use payments_core::{CallContext, CancelHandle, Client, Outcome};
use pyo3::prelude::*;

use crate::ending;
use crate::errors::{failure, guarded};
use crate::pool::{self, Job};
use crate::scope::{self, Ends, Scope};
use crate::work::Task;

/// `call_soon` of the loop, and what it shall call with the end of the call.
type Receiver = (Py<PyAny>, Py<PyAny>);

/// A call in flight, or waiting for a thread.
#[pyclass(frozen, module = "libpayments._native")]
pub(crate) struct Pending(Arc<AsyncCall>);

struct AsyncCall {
    client: Client,
    task: Arc<Task>,
    context: CallContext,
    cancel: CancelHandle,
    ends: Ends,
    /// Whether somebody performs it, or did.
    is_claimed: AtomicBool,
    /// The context variables of the task that waits.
    variables: Mutex<Option<Py<PyAny>>>,
    receiver: Mutex<Option<Receiver>>,
}

/// Hands a call to the threads of this package.
pub(crate) fn start(
    py: Python<'_>,
    client: Client,
    task: Arc<Task>,
    context: CallContext,
    cancel: CancelHandle,
    ends: Ends,
    receiver: Receiver,
) -> PyResult<Pending> {
    if ending::is_closed() {
        let message = "no call of asyncio can be started while Python ends";
        return Err(failure(py, "cancelled", "python_ends", message, Outcome::NotExecuted));
    }
    let call = Arc::new(AsyncCall {
        client,
        task,
        context,
        cancel,
        ends,
        is_claimed: AtomicBool::new(false),
        variables: Mutex::new(Some(scope::variables(py)?)),
        receiver: Mutex::new(Some(receiver)),
    });
    pool::submit(Arc::clone(&call) as Arc<dyn Job>).map_err(|_| {
        let message = "the system gave no thread for the call; look at its limits";
        failure(py, "internal", "no_thread", message, Outcome::NotExecuted)
    })?;
    Ok(Pending(call))
}

#[pymethods]
impl Pending {
    /// Ends the call at once. The one that still waits for a thread needs
    /// none any more: the core refuses it without a wait.
    fn cancel(&self, py: Python<'_>) {
        self.0.cancel.cancel();
        py.detach(|| {
            self.0.run();
            pool::look_at_queue();
        });
    }
}

impl Job for AsyncCall {
    fn run(&self) {
        if self.is_claimed.swap(true, Ordering::AcqRel) {
            return;
        }
        let variables = self.variables.lock().unwrap_or_else(PoisonError::into_inner).take();
        let scope = Arc::new(Scope::new(self.ends.clone(), variables));
        let result = scope::within(&scope, || self.task.perform(&self.client, &self.context));
        ending::attached(move |py| {
            let scope = scope;
            let end = guarded(py, Some(&self.context), || {
                scope.conclude(py, &self.client, &self.task, result)
            });
            let receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some((call_soon, done)) = receiver else {
                return;
            };
            let (value, exception) = match end {
                Ok(value) => (Some(value), None),
                Err(exception) => (None, Some(exception.into_value(py))),
            };
            // The loop may be closed by now; then nobody waits.
            let _ = (done, value, exception)
                .into_pyobject(py)
                .and_then(|arguments| ending::call(call_soon.bind(py), &arguments));
        });
    }

    fn has_ended(&self) -> bool {
        self.context.ended().is_some()
    }

    fn remaining(&self) -> Duration {
        self.context.remaining()
    }
}

/// Python is ending: calls end, and what becomes of them is delivered no more.
#[pyfunction]
pub(crate) fn close_calls(py: Python<'_>) {
    ending::close(py);
}
