//! The Python state of a running call: pending signals, and the context variables
//! and exceptions of its callbacks.
//!
//! All of it belongs to the call, not to the thread. The core runs callbacks on
//! the thread that makes the call, and calls can interleave there: if a callback
//! switches to another greenlet, it returns only after a switch back.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use payments_core::context::{InterruptHook, TraceSlot, Traceparent};
use payments_core::observer::Level;
use pyo3::exceptions::{PyException, PySystemExit, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

use crate::shutdown;

/// How often to check Python for pending signals, unless a signal ended a wait.
const BETWEEN_CHECKS: Duration = Duration::from_millis(50);

thread_local! {
    /// The current call of this thread. [`in_python`] restores it after Python
    /// code, which may have made other calls.
    static CURRENT: RefCell<Option<Arc<Scope>>> = const { RefCell::new(None) };
}

/// Cancels one call from inside, after an exception of a callback. The user's own
/// handle is not used, because several calls may share it.
#[derive(Clone, Default)]
pub(crate) struct InnerCancel(Arc<AtomicBool>);

/// The effects of Python code during one call.
#[derive(Default)]
pub(crate) struct Scope {
    inner_cancel: InnerCancel,
    /// The `contextvars.Context` of callbacks, unless it is the thread's.
    variables: Option<Py<PyAny>>,
    /// The log level of this call.
    log_level: Option<Level>,
    /// Where an observer may set the traceparent, unless the caller did.
    traceparent: OnceLock<TraceSlot>,
    raised: Mutex<RaisedExceptions>,
}

#[derive(Default)]
struct RaisedExceptions {
    /// The exception that ended the call: `KeyboardInterrupt`, or another one that
    /// a signal handler raised.
    interrupt: Option<PyErr>,
    /// The exception of a signer, a token store or a journal.
    cause: Option<PyErr>,
    /// The exception of an observer, or of a journal after the call. It does not fail
    /// the call.
    ignored: Option<PyErr>,
    /// The last failure of a journal that was logged: it is asked again after one.
    logged: Option<String>,
}

/// The source of an exception.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Raiser {
    Signer,
    TokenStore,
    Journal,
    Observer,
}

/// Runs a call of the core on this thread.
pub(crate) fn within<T>(scope: &Arc<Scope>, call: impl FnOnce() -> T) -> T {
    /// Leaves the scope even if the call unwinds.
    struct LeaveScope;
    impl Drop for LeaveScope {
        fn drop(&mut self) {
            CURRENT.set(None);
        }
    }
    CURRENT.set(Some(Arc::clone(scope)));
    let _leave = LeaveScope;
    call()
}

/// The log level of the current call of this thread.
pub(crate) fn log_level() -> Option<Level> {
    CURRENT.with_borrow(|scope| scope.as_ref().and_then(|scope| scope.log_level))
}

/// Runs Python code for the current call of this thread. Returns `None` if Python
/// is ending. `code` gets the scope of the call, if there is one.
pub(crate) fn in_python<T>(code: impl FnOnce(Python<'_>, Option<&Scope>) -> T) -> Option<T> {
    let scope = CURRENT.with_borrow(Option::clone);
    let result = shutdown::attached(|py| code(py, scope.as_deref()));
    CURRENT.set(scope);
    result
}

/// Sets the traceparent of the request that the current call of this thread begins.
#[pyfunction]
pub(crate) fn propagate(traceparent: &str) {
    let parsed = traceparent.parse::<Traceparent>();
    CURRENT.with_borrow(|scope| {
        let slot = scope.as_ref().and_then(|scope| scope.traceparent.get());
        if let (Some(slot), Ok(traceparent)) = (slot, parsed) {
            slot.set(traceparent);
        }
    });
}

/// Calls the caller's Python code.
pub(crate) fn call_back<'py>(
    scope: Option<&Scope>,
    callable: &Bound<'py, PyAny>,
    arguments: impl IntoPyObject<
        'py,
        Target = PyTuple,
        Output = Bound<'py, PyTuple>,
        Error: Into<PyErr>,
    >,
) -> PyResult<Bound<'py, PyAny>> {
    let py = callable.py();
    let arguments = arguments.into_pyobject(py).map_err(Into::into)?;
    match scope.and_then(|scope| scope.variables.as_ref()) {
        None => shutdown::call(callable, &arguments),
        Some(variables) => {
            let callable = PyTuple::new(py, [callable])?;
            let arguments = callable.as_sequence().concat(arguments.as_sequence())?.to_tuple()?;
            shutdown::call(&variables.bind(py).getattr("run")?, &arguments)
        }
    }
}

/// A copy of the current context variables.
pub(crate) fn variables(py: Python<'_>) -> PyResult<Py<PyAny>> {
    static COPY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    COPY.import(py, "contextvars", "copy_context")?.call0().map(Bound::unbind)
}

impl Scope {
    /// Callbacks see `variables`, or those of the thread.
    pub(crate) fn new(
        inner_cancel: InnerCancel,
        variables: Option<Py<PyAny>>,
        log_level: Option<Level>,
    ) -> Self {
        let (traceparent, raised) = (OnceLock::new(), Mutex::default());
        Self { inner_cancel, variables, log_level, traceparent, raised }
    }

    /// Lets an observer set the traceparent of each request.
    pub(crate) fn propagates(&self, slot: TraceSlot) {
        let _ = self.traceparent.set(slot);
    }

    fn raised(&self) -> MutexGuard<'_, RaisedExceptions> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores an exception of a callback until the call ends. One that does not
    /// derive from `Exception`, such as `KeyboardInterrupt`, ends the call.
    pub(crate) fn note_raised(&self, py: Python<'_>, raiser: Raiser, exception: PyErr) {
        let ends_the_call = !exception.is_instance_of::<PyException>(py);
        let mut raised = self.raised();
        let not_kept = if ends_the_call {
            self.inner_cancel.0.store(true, Ordering::Release);
            raised.interrupt.replace(exception)
        } else if raiser != Raiser::Observer {
            raised.cause.replace(exception)
        } else if raised.ignored.is_none() {
            raised.ignored.replace(exception)
        } else {
            Some(exception)
        };
        // The other one is dropped outside the lock: that may run Python code.
        drop(raised);
        drop(not_kept);
    }

    /// Whether the same was not logged right before.
    pub(crate) fn is_news(&self, failure: String) -> bool {
        self.raised().logged.replace(failure.clone()) != Some(failure)
    }

    /// Whether the handler of a pending signal raised an exception, which is stored.
    pub(crate) fn check_signals(&self, py: Python<'_>) -> bool {
        py.check_signals().map_err(|raised| self.note_interrupt(raised)).is_err()
    }

    /// Stores an exception that ends the call. An earlier one is dropped outside the
    /// lock: that may run Python code.
    pub(crate) fn note_interrupt(&self, raised: PyErr) {
        let before = self.raised().interrupt.replace(raised);
        drop(before);
    }

    /// Silently ends a thread whose call ended because Python is ending.
    pub(crate) fn leave_with_python(&self) {
        if shutdown::is_closed() {
            self.raised().interrupt.get_or_insert_with(|| PySystemExit::new_err(()));
        }
    }

    /// Whether an exception of a signal handler or a callback ended the call.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.raised().interrupt.is_some()
    }

    /// The exception to raise for a call whose error is `exception`.
    pub(crate) fn exception(&self, py: Python<'_>, exception: PyErr) -> PyErr {
        let RaisedExceptions { interrupt, cause, ignored, logged: _ } =
            std::mem::take(&mut *self.raised());
        let cause = cause.or(ignored);
        if cause.is_some() {
            exception.set_cause(py, cause);
        }
        match interrupt {
            Some(interrupt) => interrupted(py, exception, interrupt),
            None => exception,
        }
    }
}

impl InnerCancel {
    /// The hook of a call on any thread except Python's main one.
    pub(crate) fn hook(&self) -> InterruptHook {
        let Self(inner_cancel) = self.clone();
        Arc::new(move || inner_cancel.load(Ordering::Acquire) || shutdown::is_closed())
    }
}

/// The exception to raise for a call that a signal handler or a callback ended with
/// `interrupt`, which must be raised, because the signal was consumed. It leads to
/// `exception`, the error of the call, before any other error.
fn interrupted(py: Python<'_>, exception: PyErr, interrupt: PyErr) -> PyErr {
    if is_payments_error(py, &interrupt) {
        // It has the outcome of another call, which would be mistaken for this call's.
        exception.set_context(py, exception.cause(py));
        exception.set_cause(py, Some(interrupt));
        return exception;
    }
    exception.set_context(py, interrupt.context(py));
    let cause = interrupt.cause(py);
    if cause.is_some() || is_group(py, &interrupt) {
        // They may be or hold the error of another call, and are searched before the
        // context.
        if exception.cause(py).is_none() && cause.is_some() {
            exception.set_cause(py, cause);
        }
        interrupt.set_cause(py, Some(exception.clone_ref(py)));
    }
    interrupt.set_context(py, Some(exception));
    interrupt
}

/// Whether it is an exception group. Python 3.10 has none.
fn is_group(py: Python<'_>, exception: &PyErr) -> bool {
    let group = py.import("builtins").and_then(|it| it.getattr("BaseExceptionGroup"));
    group.and_then(|group| exception.value(py).is_instance(&group)).unwrap_or(false)
}

fn is_payments_error(py: Python<'_>, exception: &PyErr) -> bool {
    static KIND: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    KIND.import(py, "libpayments._errors", "PaymentsError")
        .is_ok_and(|kind| exception.is_instance(py, kind))
}

/// The hook that also checks for pending signals, which Python handles on its main
/// thread. It limits how often it checks. `is_signalled` says that a wait ended
/// early.
pub(crate) fn hook_of_main_thread(
    scope: &Arc<Scope>,
    is_signalled: Arc<AtomicBool>,
) -> InterruptHook {
    let scope = Arc::clone(scope);
    let started = Instant::now();
    let next_check = AtomicU64::new(milliseconds(BETWEEN_CHECKS));
    Arc::new(move || {
        if scope.inner_cancel.0.load(Ordering::Acquire) {
            return true;
        }
        let is_due = milliseconds(started.elapsed()) >= next_check.load(Ordering::Relaxed);
        if !is_signalled.swap(false, Ordering::Relaxed) && !is_due {
            return false;
        }
        let is_interrupted = in_python(|py, _| scope.check_signals(py));
        next_check.store(milliseconds(started.elapsed() + BETWEEN_CHECKS), Ordering::Relaxed);
        is_interrupted.unwrap_or(false)
    })
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Whether this is Python's main thread, which handles signals, and on which it ends.
///
/// `threading` does not know: libraries with green threads replace its functions, and it
/// takes the thread that imports it for the main one. So this asks Python itself to set
/// a handler that it refuses after it has compared the threads.
pub(crate) fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    static SET: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    const SIGINT: i32 = 2;
    let set = SET.import(py, "_signal", "signal")?;
    let refusal = set.call1((SIGINT, py.None())).map(drop);
    Ok(refusal.is_err_and(|refusal| refusal.is_instance_of::<PyTypeError>(py)))
}
