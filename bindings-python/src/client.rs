//! The core's client, and calls that block. Calls of the event loop are in `threads.rs`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use payments_core::context::{InterruptHook, TraceSlot};
use payments_core::{CallContext, CallOptions as _, Config, ErrorCode};
use payments_host::by_name::{self, HostClient};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use pyo3::{PyTraverseError, PyVisit};

use crate::callback_ref::CallbackRefs;
use crate::callbacks::log_level;
use crate::calls::finished::FinishedCall;
use crate::calls::pending::{self, CallSetup, Pending};
use crate::calls::scope::{self, InnerCancel, Scope};
use crate::calls::work::{Work, input_of};
use crate::config::{self, CallbackObjects, Callbacks};
use crate::shutdown::InsidePython;
use crate::values::errors::{InputRefusal, exception_of, guarded};
use crate::values::from_json::from_json;

/// Cancels calls from another thread.
#[pyclass(frozen, module = "libpayments")]
#[derive(Default)]
pub(crate) struct CancelHandle(payments_core::CancelHandle);

#[pymethods]
impl CancelHandle {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Cancels all calls with this handle, current and future.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether `cancel` was called.
    #[getter]
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    fn __repr__(&self) -> &'static str {
        if self.0.is_cancelled() { "CancelHandle(cancelled)" } else { "CancelHandle()" }
    }
}

/// Something that a client follows. It ends with this object, even if a signal handler that
/// raises keeps its caller from ending it.
#[pyclass(frozen, module = "libpayments._native")]
pub(crate) struct Following(by_name::Following);

#[pymethods]
impl Following {
    #[getter]
    fn number(&self) -> u64 {
        self.0.number()
    }

    fn end(&self) {
        self.0.end();
    }
}

/// The options of a call: `timeout_ms` and `traceparent`.
type Limits<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

/// The core's client.
#[pyclass(frozen, module = "libpayments._native")]
pub(crate) struct NativeClient {
    client: HostClient,
    callbacks: CallbackRefs,
}

/// State that the end of a call needs. Without a file descriptor, it could not
/// import them, and the outcome would be lost.
const NEEDED: [&str; 3] = ["contextvars", "decimal", "libpayments._reports"];

/// A deadline, if it is one. `True` is an `int` of Python, and would be a millisecond.
fn milliseconds_in(timeout: &Bound<'_, PyAny>) -> Option<u64> {
    let is_number = !timeout.is_instance_of::<PyBool>();
    is_number.then(|| timeout.extract().ok()).flatten().filter(|milliseconds| *milliseconds > 0)
}

impl NativeClient {
    fn make(
        py: Python<'_>,
        config: Config,
        callbacks: CallbackObjects,
        shared: bool,
    ) -> PyResult<Self> {
        for module in NEEDED {
            py.import(module)?;
        }
        let callbacks = Callbacks::new(callbacks);
        let refs = callbacks.refs.clone();
        let client = py.detach(|| config::client_of(config, callbacks, shared));
        client
            .map(|client| Self { client, callbacks: refs })
            .map_err(|error| exception_of(py, &error))
    }

    /// The context of a call, and where an observer may set its traceparent, unless the
    /// caller did.
    fn context(
        &self,
        work: &Work,
        (timeout_ms, traceparent): &Limits<'_>,
        cancel: &CancelHandle,
        interrupt: InterruptHook,
    ) -> PyResult<(CallContext, Option<TraceSlot>)> {
        let (cancel, interrupt) = (cancel.0.clone(), Some(interrupt));
        let operation = work.task.operation();
        let wrong = |option: &Bound<'_, PyAny>, name, message| {
            let refusal = InputRefusal::new(name, ErrorCode::WRONG_TYPE, message);
            refusal.into_exception(option.py(), "validation", Some(operation))
        };
        let context = match timeout_ms {
            None => self.client.context_with(cancel, interrupt),
            Some(timeout) => {
                let Some(milliseconds) = milliseconds_in(timeout) else {
                    let message = "must be a whole number of milliseconds greater than zero";
                    return Err(wrong(timeout, "timeout_ms", message));
                };
                CallContext::new(Duration::from_millis(milliseconds), cancel, interrupt)
            }
        };
        let Some(given) = traceparent else {
            let slot = TraceSlot::default();
            return Ok((context.with_trace_slot(slot.clone()), Some(slot)));
        };
        let Ok(text) = given.extract::<String>() else {
            return Err(wrong(given, "traceparent", "must be a string"));
        };
        by_name::traced(context, Some(&text), operation)
            .map(|context| (context, None))
            .map_err(|error| exception_of(given.py(), &error))
    }
}

#[pymethods]
impl NativeClient {
    #[staticmethod]
    fn from_members(
        py: Python<'_>,
        members: &Bound<'_, PyAny>,
        shared: bool,
        callbacks: CallbackObjects,
    ) -> PyResult<Self> {
        guarded(py, None, || {
            let config = config::from_members(members)?;
            Self::make(py, config, callbacks, shared)
        })
    }

    #[staticmethod]
    fn from_file(
        py: Python<'_>,
        path: PathBuf,
        with_env: bool,
        callbacks: CallbackObjects,
    ) -> PyResult<Self> {
        guarded(py, None, || {
            let config = config::from_file(path, with_env);
            let config = config.map_err(|error| exception_of(py, &error))?;
            Self::make(py, config, callbacks, false)
        })
    }

    #[staticmethod]
    fn from_env(py: Python<'_>, callbacks: CallbackObjects) -> PyResult<Self> {
        guarded(py, None, || {
            let config = Config::from_env().map_err(|error| exception_of(py, &error))?;
            Self::make(py, config, callbacks, false)
        })
    }

    #[getter]
    fn base_url(&self) -> &str {
        self.client.base_url()
    }

    #[getter]
    fn kid(&self) -> Option<&str> {
        self.client.kid()
    }

    /// Performs `work` on this thread, without the GIL.
    fn run(
        &self,
        py: Python<'_>,
        work: &Work,
        limits: Limits<'_>,
        cancel: Option<&CancelHandle>,
    ) -> PyResult<Py<PyAny>> {
        let _inside = InsidePython::enter();
        let (own, inner_cancel) = (CancelHandle::default(), InnerCancel::default());
        let scope = Arc::new(Scope::new(inner_cancel.clone(), None, log_level::of_call(py)));
        let is_main = scope::is_main_thread(py)?;
        let is_signalled = Arc::<AtomicBool>::default();
        let interrupt = if is_main {
            scope::hook_of_main_thread(&scope, Arc::clone(&is_signalled))
        } else {
            inner_cancel.hook()
        };
        let cancel = cancel.unwrap_or(&own);
        let (context, slot) = self.context(work, &limits, cancel, interrupt)?;
        let context = context.noting_signals(is_signalled);
        if let Some(slot) = slot {
            scope.propagates(slot);
        }
        guarded(py, Some(&context), || {
            let (client, task) = (&self.client, &work.task);
            let task_result =
                py.detach(|| scope::within(&scope, || task.perform(client, &context)));
            if !is_main && task_result.result.is_err() {
                scope.leave_with_python();
            }
            if is_main {
                // Also handles a signal that arrived with the response.
                scope.check_signals(py);
            }
            let (client, task, context) = (client.clone(), task.clone(), context.clone());
            work.slot.conclude(py, FinishedCall { client, context, task, scope, task_result })
        })
    }

    /// Performs `work` on a thread of this package, and then calls
    /// `call_soon(done)`.
    fn start(
        &self,
        py: Python<'_>,
        work: &Work,
        limits: Limits<'_>,
        call_soon: Py<PyAny>,
        done: Py<PyAny>,
    ) -> PyResult<Pending> {
        let (cancel, inner_cancel) = (CancelHandle::default(), InnerCancel::default());
        let (context, traceparent) = self.context(work, &limits, &cancel, inner_cancel.hook())?;
        guarded(py, Some(&context), || {
            let setup = CallSetup {
                client: self.client.clone(),
                _callbacks: self.callbacks.clone(),
                task: work.task.clone(),
                context: context.clone(),
                cancel: cancel.0.clone(),
                inner_cancel,
                log_level: log_level::of_call(py),
                traceparent,
            };
            pending::start(py, setup, (call_soon, done))
        })
    }

    /// Plans to follow; `options` is a mapping.
    fn follow(&self, py: Python<'_>, options: &Bound<'_, PyAny>) -> PyResult<Following> {
        guarded(py, None, || {
            let options = input_of(options, "journal")?;
            let following = by_name::Following::planned(&self.client, &options);
            following.map(Following).map_err(|error| exception_of(py, &error))
        })
    }

    /// The report of a call that was cancelled before it began.
    fn report_of_withdrawn<'py>(
        &self,
        py: Python<'py>,
        work: &Work,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, None, || {
            let error = work.task.cancelled_before_begin();
            from_json(py, &work.task.with_reference(error, &self.client).to_json())
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.callbacks.traverse(&visit)
    }

    fn __clear__(&self) {
        self.callbacks.clear();
    }
}
