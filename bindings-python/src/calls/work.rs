//! The work of a client, made from Python arguments. Apart from its performance, because
//! it is made with the GIL, on the caller's thread, for both clients.

use std::sync::Arc;
use std::time::Duration;

use payments_core::json::{Json, Members};
use payments_core::{ErrorCode, Operation};
use payments_host::by_name;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyMemoryView, PyString};

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
            let made = read_input(request, &operation)
                .and_then(|input| Ok((input, ensure_wait_ms.map(wait_in).transpose()?)));
            let task = match made {
                Ok((input, ensure_wait)) => Task::Call { operation, input, ensure_wait },
                Err(refusal) => refused_call(request, &operation, refusal)?,
            };
            Ok(Self::new(task))
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
    read_input(request, operation)
        .map_err(|refusal| refusal.into_exception(request.py(), "validation", Some(operation)))
}

fn read_input(request: &Bound<'_, PyAny>, operation: &str) -> Result<Vec<u8>, InputRefusal> {
    let text = if let Ok(bytes) = request.cast::<PyBytes>() {
        bytes.as_bytes().to_vec()
    } else if let Ok(text) = request.cast::<PyString>() {
        let half =
            |_| InputRefusal::new("", ErrorCode::JSON_INVALID, "contains half of a surrogate pair");
        text.to_cow().map_err(half)?.into_owned().into_bytes()
    } else {
        return Ok(to_json(request, &ValuePath::Root, Floats::NoAmounts)?.to_bytes());
    };
    // A caller who passes a bare hash did not mean JSON.
    let operation = Operation::from_name(operation);
    match operation.and_then(|it| payments_core::inside::meant_member(it, &text)) {
        None => Ok(text),
        Some(member) => {
            let message =
                format!("is a text, which must be JSON; pass {member}=… or {{\"{member}\": …}}");
            Err(InputRefusal::new("", ErrorCode::JSON_INVALID, message))
        }
    }
}

/// The time in the option `ensure_wait_ms`. `True` is an `int` of Python.
fn wait_in(given: &Bound<'_, PyAny>) -> Result<Duration, InputRefusal> {
    let is_number = !given.is_instance_of::<PyBool>();
    is_number.then(|| given.extract().ok()).flatten().map(Duration::from_millis).ok_or_else(|| {
        let message = "must be a whole number of milliseconds";
        InputRefusal::new("ensure_wait_ms", ErrorCode::WRONG_TYPE, message)
    })
}

/// The call that gives a refusal of `ensure_payment` the outcome of its reference.
///
/// # Errors
/// The refusal, for another operation, or if the reference cannot be read.
fn refused_call(
    request: &Bound<'_, PyAny>,
    operation: &str,
    refusal: InputRefusal,
) -> PyResult<Task> {
    fn member<'py>(of: &Bound<'py, PyAny>, name: &str) -> Option<Bound<'py, PyAny>> {
        of.cast::<PyDict>().ok()?.get_item(name).ok()?
    }
    let payment = member(request, "payment").filter(|_| operation == "ensure_payment");
    let reference = payment.and_then(|it| member(&it, "merchant_payment_code"));
    let reference = reference.and_then(|it| it.extract::<String>().ok());
    match reference.filter(|_| refusal.raised.is_none()) {
        None => Err(refusal.into_exception(request.py(), "validation", Some(operation))),
        Some(reference) => {
            let mut refused = Members::from([("reference", reference)]);
            refused.push("path", refusal.path);
            refused.push("code", refusal.code.as_str());
            refused.push("message", refusal.message);
            let input = Json::Object(refused).to_bytes();
            let operation = by_name::REFUSED_ENSURE.to_owned();
            Ok(Task::Call { operation, input, ensure_wait: None })
        }
    }
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
