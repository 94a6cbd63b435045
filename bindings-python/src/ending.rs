//! The end of Python, which comes while threads may be in a call.
//!
//! Calls end before Python does. Up to version 3.13, Python ends a thread that
//! comes back to it later by unwinding its stack, and the process aborts if a
//! function of Rust is on it. So such a thread waits here for the end of the
//! process, as it does in later versions.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

static CLOSED: AtomicBool = AtomicBool::new(false);

/// The process in the upper half: a forked child has none of the threads of
/// its parent. In the lower half, how many threads are in Python from here, or
/// on their way.
static INSIDE: AtomicU64 = AtomicU64::new(0);
const PROCESS: u64 = !0 << 32;

/// Says that this thread is in Python, or comes back to it.
pub(crate) struct Inside(());

impl Inside {
    pub(crate) fn enter() -> Self {
        let process = u64::from(std::process::id()) << 32;
        let _ = INSIDE.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |inside| {
            Some(if inside & PROCESS == process { inside + 1 } else { process + 1 })
        });
        Self(())
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let _ = INSIDE.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |inside| {
            (threads_of_this_process(inside) > 0).then(|| inside - 1)
        });
    }
}

fn threads_of_this_process(inside: u64) -> u64 {
    let process = u64::from(std::process::id()) << 32;
    if inside & PROCESS == process { inside & !PROCESS } else { 0 }
}

/// Whether Python is ending: only its main thread can make calls.
pub(crate) fn is_closed() -> bool {
    CLOSED.load(Ordering::SeqCst)
}

/// Runs Python code; `None` when Python is ending.
pub(crate) fn attached<T>(code: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    let _inside = Inside::enter();
    if is_closed() {
        return None;
    }
    Python::try_attach(code)
}

/// Ends the calls of all threads but the main one, and waits until they left;
/// not long for a callback that does not ask whether its call ended.
pub(crate) fn close(py: Python<'_>) {
    const STEP: Duration = Duration::from_millis(5);
    const STEPS: usize = 200;
    CLOSED.store(true, Ordering::SeqCst);
    py.detach(|| {
        for _ in 0..STEPS {
            if threads_of_this_process(INSIDE.load(Ordering::SeqCst)) == 0 {
                return;
            }
            std::thread::sleep(STEP);
        }
    });
}

/// Calls Python code. All of it that may be long, or the user's own, is called
/// here: the thread that Python ends meanwhile gets no further than this.
#[expect(unsafe_code, reason = "PyO3 calls what it takes for a function that never unwinds")]
pub(crate) fn call<'py>(
    callable: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    type Object = *mut ffi::PyObject;
    type Call = unsafe extern "C" fn(Object, Object, Object) -> Object;
    type UnwindingCall = unsafe extern "C-unwind" fn(Object, Object, Object) -> Object;

    /// Waits forever when the stack is unwound.
    struct Stay;
    impl Drop for Stay {
        fn drop(&mut self) {
            loop {
                std::thread::park();
            }
        }
    }
    // SAFETY: the two types differ in nothing but that the second says that
    // the function may unwind, which it does.
    let call = unsafe { std::mem::transmute::<Call, UnwindingCall>(ffi::PyObject_Call) };
    // SAFETY: it is a value of this function. Read so, it is not known which
    // function it is, of which PyO3 says that it never unwinds: the optimizer
    // would leave `stay` out.
    let call = unsafe { std::ptr::read_volatile(&raw const call) };
    let stay = Stay;
    // SAFETY: both objects live during the call, the second is a tuple, there
    // are no keyword arguments, and this thread holds the GIL.
    let result = unsafe { call(callable.as_ptr(), arguments.as_ptr(), std::ptr::null_mut()) };
    std::mem::forget(stay);
    // SAFETY: what it gives is owned by the caller, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(callable.py(), result) }
}
