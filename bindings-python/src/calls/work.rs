//! The work of a client, made from Python arguments. Apart from its performance, because
//! it is made with the GIL, on the caller's thread, for both clients.

use std::sync::Arc;
use std::time::Duration;

use payments_core::{ErrorCode, Operation};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyMemoryView, PyString};

use crate::calls::finished::ResultSlot;
use crate::calls::task::Task;
use crate::values::errors::{InputRefusal, guarded};
use crate::values::to_json::{Floats, ValuePath, to_json, type_name};

/// Something that a client can perform on any thread.
#[pyclass(frozen, module = "libpayments._native")]
pub(crate) struct Work {
    pub(crate) task: Arc<Task>,
    /// How it ended, if it was performed on the caller's thread.
    pub(crate) slot: ResultSlot,
}

impl Work {
    fn new(task: Task) -> Self {
        Self { task: Arc::new(task), slot: ResultSlot::default() }
    }
}

#[pymethods]
impl Work {
    /// The operation with this name and `request`: a mapping or JSON text. Only
    /// `ensure_payment` has an `ensure_wait_ms`.
    #[staticmethod]
    #[pyo3(signature = (operation, request, ensure_wait_ms=None))]
    fn call(
        py: Python<'_>,
        operation: String,
        request: &Bound<'_, PyAny>,
        ensure_wait_ms: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guarded(py, None, || {
            let input = input_of(request, &operation)?;
            let ensure_wait = ensure_wait_ms.map(|it| wait_in(it, &operation)).transpose()?;
            Ok(Self::new(Task::Call { operation, input, ensure_wait }))
        })
    }

    /// The caller's own bytes.
    #[staticmethod]
    fn send(py: Python<'_>, head: &Bound<'_, PyAny>, body: &Bound<'_, PyAny>) -> PyResult<Self> {
        guarded(py, None, || {
            let (head, body) = (input_of(head, "send")?, body_of(body)?);
            Ok(Self::new(Task::Send { head, body }))
        })
    }

    /// Preparing without sending; `body` is for `send` only.
    #[staticmethod]
    fn prepare(
        py: Python<'_>,
        operation: String,
        request: &Bound<'_, PyAny>,
        body: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        guarded(py, None, || {
            let (input, body) = (input_of(request, &operation)?, body_of(body)?);
            Ok(Self::new(Task::Prepare { operation, input, body }))
        })
    }

    /// Works with the journal; `input` is a mapping.
    #[staticmethod]
    fn journal(py: Python<'_>, action: String, input: &Bound<'_, PyAny>) -> PyResult<Self> {
        guarded(py, None, || {
            let input = input_of(input, "journal")?;
            Ok(Self::new(Task::Journal { action, input }))
        })
    }

    #[staticmethod]
    fn token_status() -> Self {
        Self::new(Task::TokenStatus)
    }

    #[staticmethod]
    fn forget_token() -> Self {
        Self::new(Task::ForgetToken)
    }

    #[staticmethod]
    fn warm_up() -> Self {
        Self::new(Task::WarmUp)
    }

    /// Whether the value of the call may not have reached the caller.
    #[getter]
    fn has_value(&self) -> bool {
        self.slot.has_value()
    }

    /// The exception to raise after `raised` kept the value from the caller.
    fn exception_after(&self, py: Python<'_>, raised: Bound<'_, PyAny>) -> PyErr {
        self.slot.exception_after(py, PyErr::from_value(raised))
    }
}

/// Passes on JSON text as it is, and writes everything else as JSON.
pub(crate) fn input_of(request: &Bound<'_, PyAny>, operation: &str) -> PyResult<Vec<u8>> {
    let refused =
        |refusal: InputRefusal| refusal.into_exception(request.py(), "validation", Some(operation));
    let text = if let Ok(bytes) = request.cast::<PyBytes>() {
        bytes.as_bytes().to_vec()
    } else if let Ok(text) = request.cast::<PyString>() {
        let half =
            |_| InputRefusal::new("", ErrorCode::JSON_INVALID, "contains half of a surrogate pair");
        text.to_cow().map_err(half).map_err(refused)?.into_owned().into_bytes()
    } else {
        let json = to_json(request, &ValuePath::Root, Floats::NoAmounts).map_err(refused)?;
        return Ok(json.to_bytes());
    };
    // A caller who passes a bare hash did not mean JSON.
    let operation = Operation::from_name(operation);
    match operation.and_then(|it| payments_host::meant_member(it, &text)) {
        None => Ok(text),
        Some(member) => {
            let message =
                format!("is a text, which must be JSON; pass {member}=… or {{\"{member}\": …}}");
            Err(refused(InputRefusal::new("", ErrorCode::JSON_INVALID, message)))
        }
    }
}

/// The time in the option `ensure_wait_ms`. `True` is an `int` of Python.
fn wait_in(given: &Bound<'_, PyAny>, operation: &str) -> PyResult<Duration> {
    let is_number = !given.is_instance_of::<PyBool>();
    is_number.then(|| given.extract().ok()).flatten().map(Duration::from_millis).ok_or_else(|| {
        let message = "must be a whole number of milliseconds";
        InputRefusal::new("ensure_wait_ms", ErrorCode::WRONG_TYPE, message).into_exception(
            given.py(),
            "validation",
            Some(operation),
        )
    })
}

/// The bytes of a body, which are signed as they are. A buffer of larger elements is
/// refused: it does not define the order of their bytes.
fn body_of(body: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = body.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    let Ok(view) = PyMemoryView::from(body) else {
        return Err(refused_body(format!("not {}", type_name(body))));
    };
    let format = view.getattr("format")?.extract::<String>()?;
    if format != "B" {
        return Err(refused_body(format!("not {} of format {format}", type_name(body))));
    }
    if !view.getattr("c_contiguous")?.is_truthy()? {
        return Err(refused_body("and contiguous".to_owned()));
    }
    Ok(view.call_method0("tobytes")?.cast_into::<PyBytes>()?.as_bytes().to_vec())
}

fn refused_body(why: String) -> PyErr {
    let message = format!("the body must be bytes, bytearray or a buffer of bytes, {why}");
    PyTypeError::new_err(message)
}
