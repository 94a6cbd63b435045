//! Shutdown of Python while threads may be in a call.
//!
//! The purpose of each guard here, and the facts behind it:
//!
//! - [`InsidePython`] and [`close_calls`]: Python, in every version, ends while other threads
//!   are still in a call, and using it afterwards is undefined behavior. So all calls end
//!   before.
//! - `WaitOnUnwind`, in [`call`]: up to version 3.13, Python ends a thread that comes back to it
//!   too late with `pthread_exit`. glibc then unwinds the stack, and the process aborts
//!   if a Rust function is on it. From version 3.14, Python makes the thread wait for
//!   the end of the process, as `WaitOnUnwind` does: this guard can go with Python 3.13. PyO3
//!   has its own guard where it attaches a thread.
//! - [`attached`] asks Python whether this thread is attached. PyO3 keeps its own
//!   record, which greenlets make wrong in every version: they switch calls on a
//!   thread.
//! - [`refuse_subinterpreter`]: in every version, `PyGILState_Ensure` attaches to the main
//!   interpreter, and a module of PyO3 belongs to one. In a subinterpreter, shutdown
//!   would wait forever.
//!
//! Guards in other files:
//!
//! - `errors::guarded`: PyO3, in every version, raises a panic as an exception that
//!   `except Exception` does not catch.
//! - `CallbackRefs`: Python's garbage collector, in every version, does not see what Rust
//!   holds.
//! - `ResultSlot`: Python, in every version, runs signal handlers between the end of a
//!   call in Rust and its caller.
//! - `OpenCode.__reduce_ex__` in `_enums.py`: some releases of Python 3.11 pickle a member
//!   of an enumeration by its name, which an unknown code does not have.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use payments_base::process::PerProcess;
use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::threads::THREADS;

static CLOSED: AtomicBool = AtomicBool::new(false);

/// The number of threads of this process that are in Python or about to enter it.
/// A forked child has none of its parent's threads.
static THREADS_INSIDE: LazyLock<PerProcess<AtomicUsize>> =
    LazyLock::new(|| PerProcess::new(AtomicUsize::new(0), |_| AtomicUsize::new(0)));

/// Initializes state that must not be initialized while another thread forks.
pub(crate) fn initialize() {
    LazyLock::force(&THREADS_INSIDE);
}

/// Lets only the main interpreter import the module.
#[expect(unsafe_code, reason = "PyO3 does not tell the interpreter")]
pub(crate) fn refuse_subinterpreter(_attached: Python<'_>) -> PyResult<()> {
    const MAIN: i64 = 0;
    // SAFETY: this thread is attached, so that it has an interpreter.
    let interpreter = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    if interpreter == MAIN {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "libpayments works only in the main interpreter, and this is a subinterpreter; with \
         mod_wsgi, set WSGIApplicationGroup %{GLOBAL}",
    ))
}

/// Records that this thread is in Python, or returns to it.
pub(crate) struct InsidePython(Arc<AtomicUsize>);

impl InsidePython {
    pub(crate) fn enter() -> Self {
        let inside = THREADS_INSIDE.get();
        inside.fetch_add(1, Ordering::SeqCst);
        Self(inside)
    }
}

impl Drop for InsidePython {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether Python is ending. Then only its main thread can make calls.
pub(crate) fn is_closed() -> bool {
    CLOSED.load(Ordering::SeqCst)
}

/// Runs Python code. Returns `None` if Python is ending.
#[expect(unsafe_code, reason = "PyO3 would not attach a thread that it takes for attached")]
pub(crate) fn attached<T>(code: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    /// Detaches even if `code` unwinds.
    struct Attached(ffi::PyGILState_STATE);
    impl Drop for Attached {
        fn drop(&mut self) {
            // Drops the objects whose drop PyO3 deferred.
            let _ = Python::try_attach(|_| ());
            // SAFETY: the state comes from this thread's last `PyGILState_Ensure`
            // that was not released: the calls of greenlets nest.
            unsafe { ffi::PyGILState_Release(self.0) }
        }
    }
    let _inside = InsidePython::enter();
    // SAFETY: this only reads whether there is an interpreter.
    if is_closed() || unsafe { ffi::Py_IsInitialized() } == 0 {
        return None;
    }
    // SAFETY: there is an interpreter, which waits in `close_calls` until this
    // thread has left.
    let _attached = Attached(unsafe { ffi::PyGILState_Ensure() });
    // SAFETY: this thread is attached until the end of this function.
    Some(code(unsafe { Python::assume_attached() }))
}

/// Python is ending: cancels the calls of all threads except the main one, and waits
/// until they have left Python. It does not wait long for callbacks that ignore the
/// end. Results are no longer delivered.
#[pyfunction]
pub(crate) fn close_calls(py: Python<'_>) {
    const STEP: Duration = Duration::from_millis(5);
    const STEPS: usize = 200;
    CLOSED.store(true, Ordering::SeqCst);
    THREADS.look_at_queue();
    py.detach(|| {
        for _ in 0..STEPS {
            if THREADS_INSIDE.get().load(Ordering::SeqCst) == 0 {
                return;
            }
            std::thread::sleep(STEP);
        }
    });
}

/// Calls Python code. All Python code that may run long, or that belongs to the
/// user, runs through here: a thread that Python ends in the meantime stops
/// here.
#[expect(unsafe_code, reason = "PyO3 calls a function that it declares never to unwind")]
pub(crate) fn call<'py>(
    callable: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    // As in PyO3, but for what it declares: that this function never unwinds. The
    // optimizer would then remove `guard`. PyO3 itself does not call this function, so
    // that no other declaration of it reaches the optimizer.
    #[cfg_attr(windows, link(name = "python3", kind = "raw-dylib"))]
    unsafe extern "C-unwind" {
        fn PyObject_CallObject(
            callable: *mut ffi::PyObject,
            arguments: *mut ffi::PyObject,
        ) -> *mut ffi::PyObject;
    }

    /// Waits forever if the stack unwinds.
    struct WaitOnUnwind;
    impl Drop for WaitOnUnwind {
        fn drop(&mut self) {
            loop {
                std::thread::park();
            }
        }
    }
    let guard = WaitOnUnwind;
    // SAFETY: both objects live during the call, the second is a tuple, and this
    // thread holds the GIL.
    let result = unsafe { PyObject_CallObject(callable.as_ptr(), arguments.as_ptr()) };
    std::mem::forget(guard);
    // SAFETY: the result is owned by the caller, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(callable.py(), result) }
}
