//! Signers, token stores and observers written in Python, and code that all
//! callbacks share.

pub(crate) mod journal;
pub(crate) mod log;
pub(crate) mod log_level;

use payments_core::observer::{Event, Observer};
use payments_core::signer::{Signer, SignerError, SigningInput};
use payments_core::token::{Fence, StoreError, TokenEntry, TokenKey, TokenStore};
use payments_core::{CallContext, Secret};
use pyo3::exceptions::{PyBaseException, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};

use crate::callback_ref::CallbackRef;
use crate::calls::scope::{Raiser, Scope, call_back, in_python};
use crate::values::from_json::from_json;
use crate::values::to_json::type_name;

/// The call that a callback runs for.
#[pyclass(frozen, module = "libpayments")]
pub(crate) struct Call(CallContext);

#[pymethods]
impl Call {
    /// The seconds until the deadline of the call.
    #[getter]
    fn remaining(&self) -> f64 {
        self.0.remaining().as_secs_f64()
    }

    /// Whether the call was cancelled, its deadline passed, Python is ending, or a
    /// callback forked and this is the child.
    /// A callback that waits checks this at least every 100 ms, and gives up if
    /// it is true.
    #[getter]
    fn is_ended(&self) -> bool {
        self.0.ended().is_some()
    }

    fn __repr__(&self) -> String {
        format!("Call(remaining={:.3})", self.remaining())
    }
}

/// The bytes that a signer signs.
#[pyclass(frozen, module = "libpayments")]
pub(crate) struct SigningRequest {
    /// The JWS signing input: encoded protected header, a period, the payload.
    #[pyo3(get)]
    input: Py<PyBytes>,
    /// The SHA-256 digest of the signing input, for services that sign digests.
    #[pyo3(get)]
    sha256: Py<PyBytes>,
    /// The call that waits for the signature.
    #[pyo3(get)]
    call: Py<Call>,
}

#[pymethods]
impl SigningRequest {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("SigningRequest({} bytes)", self.input.bind(py).len()?))
    }
}

/// Runs Python code for the core. Returns `None` if Python has ended, or if the
/// code raised an exception, which is recorded.
pub(crate) fn ask<T>(
    raiser: Raiser,
    ask: impl FnOnce(Python<'_>, Option<&Scope>) -> PyResult<T>,
) -> Result<T, String> {
    let asked = in_python(|py, scope| {
        ask(py, scope).map_err(|exception| {
            let reason = reason_of(exception.value(py));
            if let Some(scope) = scope {
                scope.note_raised(py, raiser, exception);
            }
            reason
        })
    });
    asked.unwrap_or_else(|| Err("Python is shutting down".to_owned()))
}

/// The part of an exception that errors and events show: its text only if it is
/// meant for them, because any other text may contain secrets.
fn reason_of(exception: &Bound<'_, PyBaseException>) -> String {
    static MEANT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = exception.py();
    let is_meant = MEANT
        .import(py, "libpayments._errors", "JournalUnavailableError")
        .and_then(|kind| exception.is_instance(kind));
    match is_meant.and_then(|is_meant| is_meant.then(|| exception.str()).transpose()) {
        Ok(Some(text)) => text.to_string(),
        _ => format!("it raised {}", type_name(exception)),
    }
}

pub(crate) fn call_of(context: &CallContext) -> Call {
    Call(context.clone())
}

pub(crate) struct PythonSigner {
    pub(crate) kid: String,
    pub(crate) sign: CallbackRef,
}

impl Signer for PythonSigner {
    fn kid(&self) -> &str {
        &self.kid
    }

    fn sign(
        &self,
        context: &CallContext,
        input: &SigningInput<'_>,
    ) -> Result<Vec<u8>, SignerError> {
        let signature = ask(Raiser::Signer, |py, scope| {
            let request = SigningRequest {
                input: PyBytes::new(py, input.bytes()).unbind(),
                sha256: PyBytes::new(py, &input.sha256()).unbind(),
                call: Py::new(py, call_of(context))?,
            };
            let signature = call_back(scope, &self.sign.bind(py)?, (request,))?;
            signature.extract::<Vec<u8>>().map_err(|_| {
                let kind = type_name(&signature);
                PyTypeError::new_err(format!("the signer must return bytes, not {kind}"))
            })
        });
        signature.map_err(|why| SignerError::new(format!("the signer failed: {why}")))
    }
}

pub(crate) struct PythonStore(pub(crate) CallbackRef);

impl PythonStore {
    fn ask<T>(
        &self,
        method: &str,
        ask_it: impl FnOnce(Option<&Scope>, &Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Result<T, StoreError> {
        let response = ask(Raiser::TokenStore, |py, scope| {
            let answer = self.0.bind(py).and_then(|store| ask_it(scope, &store));
            answer.inspect_err(|exception| log(scope, py, method, exception))
        });
        response.map_err(|why| StoreError::new(format!("the token store failed: {why}")))
    }
}

impl TokenStore for PythonStore {
    fn load(&self, context: &CallContext, key: &TokenKey) -> Result<TokenEntry, StoreError> {
        self.ask("token_store.load", |scope, store| {
            let call = call_of(context);
            let entry = call_back(scope, &store.getattr("load")?, (key.as_str(), call))?;
            let entry: Option<String> = entry.extract()?;
            Ok(entry.map(|text| TokenEntry::from_json(text.as_bytes())).unwrap_or_default())
        })
    }

    fn save(
        &self,
        context: &CallContext,
        key: &TokenKey,
        entry: &TokenEntry,
        fence: Fence,
    ) -> Result<bool, StoreError> {
        self.ask("token_store.save", |scope, store| {
            let call = call_of(context);
            let text = entry.to_json().to_text();
            call_back(scope, &store.getattr("save")?, (key.as_str(), text, fence.0, call))?
                .extract()
        })
    }

    fn delete_if(
        &self,
        context: &CallContext,
        key: &TokenKey,
        value: &Secret,
    ) -> Result<bool, StoreError> {
        self.ask("token_store.delete_if", |scope, store| {
            let call = call_of(context);
            call_back(scope, &store.getattr("delete_if")?, (key.as_str(), value.expose(), call))?
                .extract()
        })
    }

    fn try_lock(&self, context: &CallContext, key: &TokenKey) -> Result<Option<Fence>, StoreError> {
        self.ask("token_store.try_lock", |scope, store| {
            let call = call_of(context);
            let fence: Option<u64> =
                call_back(scope, &store.getattr("try_lock")?, (key.as_str(), call))?.extract()?;
            Ok(fence.map(Fence))
        })
    }

    fn unlock(&self, key: &TokenKey, fence: Fence) {
        let _ = self.ask("token_store.unlock", |scope, store| {
            call_back(scope, &store.getattr("unlock")?, (key.as_str(), fence.0)).map(drop)
        });
    }
}

pub(crate) struct PythonObserver(pub(crate) CallbackRef);

impl Observer for PythonObserver {
    fn on_event(&self, event: &Event<'_>) {
        let _ = ask(Raiser::Observer, |py, scope| {
            let handled = from_json(py, &event.to_json())
                .and_then(|event| call_back(scope, &self.0.bind(py)?, (event,)).map(drop));
            handled.inspect_err(|exception| log(scope, py, "observer", exception))
        });
    }
}

/// Logs an exception that does not fail the call.
pub(crate) fn log(scope: Option<&Scope>, py: Python<'_>, what: &str, exception: &PyErr) {
    let logged = py
        .import("libpayments._callbacks")
        .and_then(|module| module.getattr("log_failure"))
        .and_then(|log_failure| call_back(scope, &log_failure, (what, exception.value(py))));
    if let Err(failure) = logged {
        failure.write_unraisable(py, None);
    }
}
