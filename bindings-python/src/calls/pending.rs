//! Calls that run while an event loop continues.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use payments_base::process::Identity;
use payments_core::context::TraceSlot;
use payments_core::observer::Level;
use payments_core::{CallContext, CancelHandle, ErrorCode, ErrorKind, Outcome};
use payments_host::by_name::{self, HostClient};
use pyo3::prelude::*;

use crate::callback_ref::CallbackRefs;
use crate::calls::finished::{FinishedCall, ResultSlot};
use crate::calls::scope::{self, InnerCancel, Scope};
use crate::calls::task::Task;
use crate::shutdown;
use crate::threads::THREADS;
use crate::values::errors::{exception_of, guarded};

/// The loop's `call_soon`, and the function that it runs when the call has ended.
type Receiver = (Py<PyAny>, Py<PyAny>);

/// A call in flight, or waiting for a thread.
#[pyclass(frozen, module = "libpayments._native")]
pub(crate) struct Pending(Arc<AsyncCall>);

/// The arguments that start a call.
pub(crate) struct CallSetup {
    pub(crate) client: HostClient,
    /// The client's callbacks, because the call may outlive the client.
    pub(crate) _callbacks: CallbackRefs,
    pub(crate) task: Arc<Task>,
    pub(crate) context: CallContext,
    pub(crate) cancel: CancelHandle,
    pub(crate) inner_cancel: InnerCancel,
    pub(crate) log_level: Option<Level>,
    /// Where an observer may set the traceparent, unless the caller did.
    pub(crate) traceparent: Option<TraceSlot>,
}

struct AsyncCall {
    setup: CallSetup,
    /// Whether a thread has started to perform it.
    is_claimed: AtomicBool,
    /// The context variables of the task that waits.
    variables: Mutex<Option<Py<PyAny>>>,
    receiver: Mutex<Option<Receiver>>,
    /// The process whose event loop waits.
    process: Identity,
    slot: ResultSlot,
}

fn not_begun(py: Python<'_>, kind: ErrorKind, code: ErrorCode, message: &str) -> PyErr {
    exception_of(py, &by_name::failure(kind, Outcome::NotExecuted, code, message))
}

/// Hands a call to the threads of this package.
pub(crate) fn start(py: Python<'_>, setup: CallSetup, receiver: Receiver) -> PyResult<Pending> {
    if shutdown::is_closed() {
        let message = "no asyncio call can start while Python shuts down";
        return Err(not_begun(py, ErrorKind::Cancelled, ErrorCode::CANCELLED, message));
    }
    let call = Arc::new(AsyncCall {
        setup,
        is_claimed: AtomicBool::new(false),
        variables: Mutex::new(Some(scope::variables(py)?)),
        receiver: Mutex::new(Some(receiver)),
        process: Identity::current(),
        slot: ResultSlot::default(),
    });
    // A call that is cancelled while it waits leaves its place in the queue behind.
    // The queue is not searched for it, so that place must hold nothing of the call.
    let started = THREADS.run(Some(call.setup.context.clone()), {
        let call = Arc::downgrade(&call);
        move || {
            if let Some(call) = call.upgrade() {
                call.run();
            }
        }
    });
    started.map_err(|_| {
        let message = "could not start a thread for the call; check the limits of the system";
        not_begun(py, ErrorKind::Internal, ErrorCode::RESOURCES_EXHAUSTED, message)
    })?;
    Ok(Pending(call))
}

#[pymethods]
impl Pending {
    /// Takes the call back before a thread begins it, and returns the text of its
    /// error. Returns `None` if a thread has begun it, or if an observer or the log
    /// must learn of its end.
    fn withdraw(&self) -> Option<String> {
        let call = &self.0;
        let is_observed =
            by_name::is_observed(&call.setup.client) || call.setup.log_level == Some(Level::Debug);
        if is_observed || !call.claim() {
            return None;
        }
        call.setup.cancel.cancel();
        Some(call.setup.task.cancelled_before_begin().to_string())
    }

    /// Cancels the call at once. A call that still waits for a thread no longer
    /// needs one: the core refuses it without waiting. Returns whether the call was
    /// waiting; then the loop is not notified.
    fn cancel(&self, py: Python<'_>) -> bool {
        self.0.setup.cancel.cancel();
        py.detach(|| self.0.perform())
    }

    /// The value of an ended call, or its exception.
    fn take(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        guarded(py, Some(&self.0.setup.context), || {
            let ended = self.0.slot.take().ok_or_else(|| self.no_end(py))?;
            self.0.slot.conclude(py, ended)
        })
    }

    /// The exception of an ended call for a task that was cancelled. That of a
    /// completed call has the response.
    fn cancelled(&self, py: Python<'_>) -> PyErr {
        let made = guarded(py, Some(&self.0.setup.context), || {
            let ended = self.0.slot.take().ok_or_else(|| self.no_end(py))?;
            Ok(ended.into_exception(py))
        });
        made.unwrap_or_else(|failure| failure)
    }

    /// Whether the value of the call may not have reached the task.
    #[getter]
    fn has_value(&self) -> bool {
        self.0.slot.has_value()
    }

    /// The exception to raise after `raised` kept the value from the task.
    fn exception_after(&self, py: Python<'_>, raised: Bound<'_, PyAny>) -> PyErr {
        self.0.slot.exception_after(py, PyErr::from_value(raised))
    }
}

impl Pending {
    fn no_end(&self, py: Python<'_>) -> PyErr {
        let message = "the result of the call is missing or was already taken";
        let outcome = Outcome::of_record(self.0.setup.context.may_have_sent());
        let error =
            by_name::failure(ErrorKind::Internal, outcome, ErrorCode::INTERNAL_ERROR, message);
        exception_of(py, &error)
    }
}

impl AsyncCall {
    /// Whether no other thread has begun the call; from now on this one has.
    fn claim(&self) -> bool {
        !self.is_claimed.swap(true, Ordering::AcqRel)
    }

    /// Performs the call and wakes the task that waits.
    fn run(&self) {
        if self.perform() {
            self.deliver();
        }
    }

    /// Performs the call, unless another thread has begun to. Returns whether it
    /// ended here.
    fn perform(&self) -> bool {
        if !self.claim() {
            return false;
        }
        let variables = self.variables.lock().unwrap_or_else(PoisonError::into_inner).take();
        let CallSetup { client, task, context, inner_cancel, log_level, .. } = &self.setup;
        let scope = Arc::new(Scope::new(inner_cancel.clone(), variables, *log_level));
        if let Some(slot) = &self.setup.traceparent {
            scope.propagates(slot.clone());
        }
        let task_result = scope::within(&scope, || task.perform(client, context));
        if !self.process.is_current() {
            // A callback forked. No loop runs here, and waking it would wake the parent's.
            // Python cannot attach a thread again in a process without another one.
            if let Err(error) = task_result.result {
                eprintln!("libpayments: {error}");
            }
            return false;
        }
        self.slot.set(FinishedCall {
            client: client.clone(),
            context: context.clone(),
            task: Arc::clone(task),
            scope,
            task_result,
        });
        true
    }

    fn deliver(&self) {
        shutdown::attached(|py| {
            let receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some((call_soon, done)) = receiver else {
                return;
            };
            // The loop may be closed by now; then no task waits.
            let _ = (done,)
                .into_pyobject(py)
                .and_then(|arguments| shutdown::call(call_soon.bind(py), &arguments));
        });
    }
}
