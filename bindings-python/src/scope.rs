//! What happens in Python while a call runs: pending signals, and what becomes
//! of callbacks: their context variables and their exceptions.
//!
//! The core calls back on the thread that makes the call, so that all of it
//! is kept by thread.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use payments_core::context::InterruptHook;
use payments_core::{Client, Error};
use pyo3::exceptions::{PyException, PySystemExit};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::ending;
use crate::errors::exception_of;
use crate::work::{Product, Task};

/// How often Python is asked for pending signals.
const BETWEEN_CHECKS: Duration = Duration::from_millis(50);

thread_local! {
    /// The calls that this thread is in, innermost last.
    static SCOPES: RefCell<Vec<Scope>> = const { RefCell::new(Vec::new()) };
}

/// Ends one call from inside: an exception of a callback does. The handle that
/// the user may give to several calls is left alone.
#[derive(Clone, Default)]
pub(crate) struct Ends(Arc<AtomicBool>);

/// What Python code did during one call.
pub(crate) struct Scope {
    ends: Ends,
    /// The `contextvars.Context` of callbacks, where it is not the thread's.
    variables: Option<Py<PyAny>>,
    /// What ended the call: `KeyboardInterrupt`, or what else a handler of a
    /// signal raised.
    interrupt: Option<PyErr>,
    /// What a signer or a token store raised.
    cause: Option<PyErr>,
    /// What an observer raised, which fails no call.
    bystander: Option<PyErr>,
}

/// Who raised an exception.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Raiser {
    Signer,
    TokenStore,
    Observer,
}

/// Runs a call of the core on this thread. Callbacks see `variables`, or those
/// of the thread.
pub(crate) fn within<T>(
    ends: &Ends,
    variables: Option<Py<PyAny>>,
    call: impl FnOnce() -> T,
) -> (T, Scope) {
    /// Leaves the scope even when the call unwinds.
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            let _ = SCOPES.with_borrow_mut(Vec::pop);
        }
    }
    let scope = Scope { variables, ..Scope::new(ends) };
    SCOPES.with_borrow_mut(|scopes| scopes.push(scope));
    let leave = Leave;
    let result = call();
    std::mem::forget(leave);
    let scope = SCOPES.with_borrow_mut(Vec::pop);
    (result, scope.unwrap_or_else(|| Scope::new(ends)))
}

fn with_scope<T>(act: impl FnOnce(&mut Scope) -> T) -> Option<T> {
    SCOPES.with_borrow_mut(|scopes| scopes.last_mut().map(act))
}

/// Calls Python code of the caller's for the call that this thread is in.
pub(crate) fn call_back<'py>(
    callable: &Bound<'py, PyAny>,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = callable.py();
    let arguments = arguments.into_pyobject(py)?;
    let variables =
        with_scope(|scope| scope.variables.as_ref().map(|variables| variables.clone_ref(py)));
    match variables.flatten() {
        None => ending::call(callable, &arguments),
        Some(variables) => {
            let callable = PyTuple::new(py, [callable])?;
            let arguments = callable.as_sequence().concat(arguments.as_sequence())?.to_tuple()?;
            ending::call(&variables.bind(py).getattr("run")?, &arguments)
        }
    }
}

/// A copy of the context variables that are in force here.
pub(crate) fn variables(py: Python<'_>) -> PyResult<Py<PyAny>> {
    static COPY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    COPY.import(py, "contextvars", "copy_context")?.call0().map(Bound::unbind)
}

/// Keeps an exception of a callback for the call's end. What is no
/// `Exception`, such as `KeyboardInterrupt`, ends the call.
pub(crate) fn note_raised(py: Python<'_>, raiser: Raiser, exception: PyErr) {
    let ends_the_call = !exception.is_instance_of::<PyException>(py);
    // What is not kept is dropped outside: that may run Python code.
    let not_kept = with_scope(|scope| {
        if ends_the_call {
            scope.ends.0.store(true, Ordering::Release);
            scope.interrupt.replace(exception)
        } else if raiser != Raiser::Observer {
            scope.cause.replace(exception)
        } else if scope.bystander.is_none() {
            scope.bystander.replace(exception)
        } else {
            Some(exception)
        }
    });
    drop(not_kept);
}

impl Scope {
    fn new(ends: &Ends) -> Self {
        Self { ends: ends.clone(), variables: None, interrupt: None, cause: None, bystander: None }
    }

    /// Ends the thread, without a word, whose call the end of Python ended.
    pub(crate) fn leave_with_python(&mut self) {
        if self.interrupt.is_none() && ending::is_closed() {
            self.interrupt = Some(PySystemExit::new_err(()));
        }
    }

    /// The end of a call: its value, or the exception to raise.
    pub(crate) fn conclude(
        self,
        py: Python<'_>,
        client: &Client,
        task: &Task,
        result: Result<Product, Error>,
    ) -> PyResult<Py<PyAny>> {
        let exception = match (result, &self.interrupt) {
            (Ok(product), None) => return product.into_python(py),
            (Ok(product), Some(_)) => product.into_error(py, client, task),
            (Err(error), _) => {
                let exception = exception_of(py, &error);
                let cause = self.cause.or(self.bystander);
                if cause.is_some() {
                    exception.set_cause(py, cause);
                }
                exception
            }
        };
        let Some(interrupt) = self.interrupt else {
            return Err(exception);
        };
        // The signal was consumed, so that it must be raised; how the payment
        // ended is read from it.
        exception.set_context(py, interrupt.context(py));
        interrupt.set_context(py, Some(exception));
        Err(interrupt)
    }
}

impl Ends {
    /// The hook of a call on any thread but Python's main one.
    pub(crate) fn hook(&self) -> InterruptHook {
        let Self(ends) = self.clone();
        Arc::new(move || ends.load(Ordering::Acquire) || ending::is_closed())
    }

    /// The hook that also asks Python for pending signals, which it handles on
    /// its main thread; not more often than is of use.
    pub(crate) fn hook_of_main_thread(&self) -> InterruptHook {
        let Self(ends) = self.clone();
        let started = Instant::now();
        let next_check = AtomicU64::new(milliseconds(BETWEEN_CHECKS));
        Arc::new(move || {
            if ends.load(Ordering::Acquire) {
                return true;
            }
            let now = milliseconds(started.elapsed());
            if now < next_check.load(Ordering::Relaxed) {
                return false;
            }
            let raised = Python::try_attach(|py| py.check_signals()).and_then(Result::err);
            next_check.store(milliseconds(started.elapsed() + BETWEEN_CHECKS), Ordering::Relaxed);
            let Some(raised) = raised else {
                return false;
            };
            drop(with_scope(|scope| scope.interrupt.replace(raised)));
            true
        })
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Whether this is the thread that Python ends on.
pub(crate) fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    static MAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static CURRENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let main = MAIN.import(py, "threading", "main_thread")?;
    let main = ending::call(main, &PyTuple::empty(py))?;
    let current = CURRENT.import(py, "threading", "get_ident")?.call0()?;
    main.getattr("ident")?.eq(current)
}
