//! Functions for keys, tokens and JSON trees that need no client.

use payments_core::json::Json;
use payments_core::signer::{self, GeneratedKey};
use payments_core::{Error, RawResponse};
use payments_host::by_name;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes};

use crate::calls::work::input_of;
use crate::values::errors::{exception_of, guarded};
use crate::values::from_json::from_json;

/// The tree of a response's body, with amounts as `Decimal`.
#[pyfunction]
pub(crate) fn parse_response<'py>(
    py: Python<'py>,
    body: &[u8],
    max_values: usize,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(py, None, || {
        let json = py
            .detach(|| RawResponse::read_body(body, max_values))
            .map_err(|error| PyValueError::new_err(format!("the body of the response {error}")))?;
        from_json(py, &json)
    })
}

/// Checks a detached token over a body.
#[pyfunction]
pub(crate) fn verify<'py>(
    py: Python<'py>,
    public_key: &str,
    token: Option<&str>,
    body: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    guarded(py, None, || {
        let report = py.detach(|| by_name::verify_report(public_key, token, body));
        from_json(py, &report.map_err(|error| exception_of(py, &error))?)
    })
}

/// Likely mistakes in a request: `path`, `code` and `message` of each.
#[pyfunction]
pub(crate) fn lint<'py>(
    py: Python<'py>,
    request: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(py, None, || {
        let report = by_name::lint_report(&input_of(request, "lint")?);
        from_json(py, &report.map_err(|error| exception_of(py, &error))?)
    })
}

/// The plan of a command.
#[pyfunction]
pub(crate) fn command_plan<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    made_of(by_name::command_plan, input, py)
}

/// The output of a command that failed.
#[pyfunction]
pub(crate) fn command_failure<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    made_of(by_name::command_failure, input, py)
}

fn made_of<'py>(
    make: fn(&[u8]) -> Result<Json, Error>,
    input: &Bound<'py, PyAny>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(py, None, || {
        let made = make(&input_of(input, "journal")?);
        from_json(py, &made.map_err(|error| exception_of(py, &error))?)
    })
}

/// A text as a QR code: an SVG document.
#[pyfunction]
pub(crate) fn qr_svg(py: Python<'_>, text: &str) -> PyResult<Option<String>> {
    guarded(py, None, || Ok(payments_core::qr_svg(text)))
}

/// A text as a QR code: a PNG file.
#[pyfunction]
pub(crate) fn qr_png<'py>(
    py: Python<'py>,
    text: &str,
    module_size: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    guarded(py, None, || {
        let is_number = !module_size.is_instance_of::<PyBool>();
        // The core's message for zero fits everything that is not such a number.
        let size = is_number.then(|| module_size.extract().ok()).flatten().unwrap_or(0);
        let picture = py.detach(|| payments_core::qr_png(text, size));
        let picture = picture.map_err(|error| exception_of(py, &error))?;
        Ok(picture.map(|bytes| PyBytes::new(py, &bytes)))
    })
}

/// A new key pair: private and public PEM.
#[pyfunction]
pub(crate) fn generate_key(py: Python<'_>) -> PyResult<(String, String)> {
    guarded(py, None, || {
        let key = py.detach(signer::generate_key).map_err(|error| exception_of(py, &error))?;
        let GeneratedKey { private_key_pem, public_key_pem, .. } = key;
        Ok((private_key_pem.expose().to_owned(), public_key_pem))
    })
}

/// Makes the file of a journal.
#[pyfunction]
pub(crate) fn create_journal(py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
    guarded(py, None, || {
        py.detach(|| payments_host::journal::file::create(&path))
            .map_err(|error| exception_of(py, &error))
    })
}

/// Panics inside the boundary.
#[cfg(feature = "test-hooks")]
#[pyfunction]
#[expect(clippy::panic, reason = "what the boundary is for")]
pub(crate) fn panic_inside(py: Python<'_>) -> PyResult<()> {
    guarded(py, None, || panic!("on purpose"))
}
