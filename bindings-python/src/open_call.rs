//! Calls whose request the host sends.

use std::sync::Arc;

use payments_core::bridge;
use payments_core::transport::Received;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The request that a call was begun with, as JSON and as bytes.
pub(crate) struct Begun {
    pub(crate) operation: String,
    pub(crate) input: Vec<u8>,
    pub(crate) body: Vec<u8>,
}

/// An open call of the core.
#[pyclass(frozen, module = "libpayments._native")]
#[derive(Clone)]
pub(crate) struct NativeCall {
    pub(crate) call: Arc<bridge::OpenCall>,
    pub(crate) begun: Arc<Begun>,
}

/// What the host tells of a request that it has sent.
pub(crate) enum Told {
    Response { received: Box<Received>, is_complete: bool },
    Failure { nothing_left: bool },
}

/// Method, URL, headers and body of a request.
type Parts<'py> = (String, String, Vec<(String, String)>, Bound<'py, PyBytes>);

#[pymethods]
impl NativeCall {
    /// The request to send.
    #[getter]
    fn request<'py>(&self, py: Python<'py>) -> Parts<'py> {
        let request = self.call.request();
        let text = str::to_owned;
        let headers = request.headers().map(|(name, value)| (text(name), text(value)));
        let body = PyBytes::new(py, request.body());
        (text(request.method()), text(request.url()), headers.collect(), body)
    }

    #[getter]
    fn max_response_bytes(&self) -> usize {
        self.call.request().max_response_bytes()
    }

    /// The seconds left for the request.
    #[getter]
    fn remaining(&self) -> f64 {
        self.call.remaining().as_secs_f64()
    }
}
