//! Errors of the core as Python exceptions, and the boundary that no panic
//! crosses.

use std::panic::{AssertUnwindSafe, catch_unwind};

use payments_core::ErrorCode;
use payments_core::json::{Json, Members};
use payments_core::{CallContext, Error, Outcome};
use payments_host::by_name;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;

use crate::shutdown;
use crate::values::from_json::from_json;

/// A value that was refused on its way to the core.
pub(crate) struct InputRefusal {
    pub(crate) path: String,
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
    /// An exception of the caller's code that does not derive from `Exception`. It
    /// is passed on.
    pub(crate) raised: Option<Box<PyErr>>,
}

impl InputRefusal {
    pub(crate) fn new(path: &str, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), code, message: message.into(), raised: None }
    }

    /// The exception of this `kind` for the refusal.
    pub(crate) fn into_exception(
        self,
        py: Python<'_>,
        kind: &str,
        operation: Option<&str>,
    ) -> PyErr {
        let Self { path, code, message, raised } = self;
        if let Some(raised) = raised {
            return *raised;
        }
        let path = if path.is_empty() { "request".to_owned() } else { path };
        let prefix = operation.map(|name| format!("{name}: ")).unwrap_or_default();
        let text = format!("{prefix}{path}: {message} [{kind}/{code}, not_executed]");
        let mut report = Members::new();
        report.push("kind", kind);
        report.push("code", code.as_str());
        report.push("message", message);
        report.push("outcome", Outcome::NotExecuted.as_str());
        report.push("path", path);
        report.push("operation", operation);
        let exception = new_exception(py, &text, &Json::Object(report), None, None);
        exception.unwrap_or_else(|failure| failure)
    }
}

/// The exception for an error of the core, without the response of a completed
/// call.
pub(crate) fn exception_of(py: Python<'_>, error: &Error) -> PyErr {
    try_exception_of(py, error).unwrap_or_else(|failure| failure)
}

/// Like [`exception_of`], for callers that handle a failure.
///
/// # Errors
/// The exception of a signal handler in the meantime.
pub(crate) fn try_exception_of(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let (sent, responded) = (error.request_body(), error.response_body());
    new_exception(py, &error.to_string(), &error.to_json(), sent, responded)
}

fn new_exception(
    py: Python<'_>,
    text: &str,
    report: &Json,
    sent: Option<&[u8]>,
    responded: Option<&[u8]>,
) -> PyResult<PyErr> {
    static FROM_REPORT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let bytes = |bytes: Option<&[u8]>| bytes.map(|bytes| PyBytes::new(py, bytes));
    let report = from_json(py, report)?;
    let arguments = (text, report, bytes(sent), bytes(responded));
    let from_report = FROM_REPORT.import(py, "libpayments._reports", "from_report")?;
    shutdown::call(from_report, &arguments.into_pyobject(py)?).map(PyErr::from_value)
}

/// Runs the body of a function that Python calls. A panic becomes an
/// `InternalError` with the outcome of the byte record. PyO3 would raise an
/// exception that `except Exception` does not catch.
pub(crate) fn guarded<T>(
    py: Python<'_>,
    context: Option<&CallContext>,
    body: impl FnOnce() -> PyResult<T>,
) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        let outcome = Outcome::of_record(context.is_some_and(CallContext::may_have_sent));
        Err(exception_of(py, &by_name::error_of_panic(outcome)))
    })
}
