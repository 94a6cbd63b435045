//! Tasks of a client, with requests as JSON, and their results. Apart from the work,
//! because a task holds nothing of Python: any thread performs it without the GIL.

use std::time::Duration;

use payments_core::json::{Json, Members};
use payments_core::transport::PreparedRequest;
use payments_core::{CallContext, CallOptions as _, CallResponse, Client, Error};
use payments_host::by_name::{self, HostClient};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::values::errors::try_exception_of;
use crate::values::from_json::from_json;

pub(crate) enum Task {
    Call { operation: String, input: Vec<u8>, ensure_wait: Option<Duration> },
    Send { head: Vec<u8>, body: Vec<u8> },
    Prepare { operation: String, input: Vec<u8>, body: Vec<u8> },
    TokenStatus,
    ForgetToken,
    WarmUp,
    Journal { action: String, input: Vec<u8> },
}

/// The result of a task. The thread that performs the task does the expensive
/// part of the conversion, to keep the work of an event loop small.
pub(crate) struct TaskResult {
    pub(crate) result: Result<Product, Error>,
    /// The parts of the response, which an error may have as well.
    pub(crate) texts: PartTexts,
}

/// The arrays and objects of a view by their names, as JSON text.
pub(crate) type PartTexts = Vec<(String, Vec<u8>)>;

pub(crate) enum Product {
    Response(CallResponse),
    Prepared(Box<PreparedRequest>),
    Status(Json),
}

/// Values that turn an error into an exception.
pub(crate) struct CallError {
    error: Error,
    texts: PartTexts,
}

impl Task {
    /// Performs the work on this thread, which must not hold the GIL.
    pub(crate) fn perform(&self, client: &HostClient, context: &CallContext) -> TaskResult {
        let mut result = self.result(client, context);
        let texts = match &mut result {
            Ok(Product::Response(response)) => {
                let texts = texts_of(&response.view);
                keep_scalars(&mut response.view);
                texts
            }
            Ok(_) => PartTexts::new(),
            Err(error) => {
                error.response().map(|response| texts_of(&response.view)).unwrap_or_default()
            }
        };
        TaskResult { result, texts }
    }

    fn result(&self, client: &HostClient, context: &CallContext) -> Result<Product, Error> {
        match self {
            Self::Call { operation, input, ensure_wait } => {
                let waiting = ensure_wait.map(|wait| context.clone().with_ensure_wait(wait));
                let context = waiting.as_ref().unwrap_or(context);
                by_name::call(client, operation, input, context).map(Product::Response)
            }
            Self::Send { head, body } => {
                by_name::send(client, head, body, context).map(Product::Response)
            }
            Self::Prepare { operation, input, body } => {
                by_name::prepare(client, operation, input, body, context)
                    .map(|request| Product::Prepared(Box::new(request)))
            }
            Self::Journal { action, input } => by_name::work_of(action)
                .and_then(|work| work(client, input, context))
                .map(Product::Status),
            Self::TokenStatus => by_name::token_status(client, context).map(Product::Status),
            Self::ForgetToken => by_name::forget_token(client, context).map(Product::Status),
            Self::WarmUp => by_name::warm_up(client, context).map(Product::Status),
        }
    }

    /// The error of the task if it was cancelled before it began, without its reference.
    pub(crate) fn cancelled_before_begin(&self) -> Error {
        by_name::cancelled_before_begin(self.operation())
    }

    /// The same error with the operation and the reference of the request.
    pub(crate) fn with_reference(&self, error: Error, client: &Client) -> Error {
        let (operation, input, body) = self.request();
        by_name::with_reference(error, client, operation, input, body)
    }

    /// The name of the operation.
    pub(crate) fn operation(&self) -> &str {
        self.request().0
    }

    /// The name of the operation, and its request as JSON and as bytes.
    fn request(&self) -> (&str, &[u8], &[u8]) {
        match self {
            Self::Call { operation, input, .. } => (operation, input, &[]),
            Self::Send { head, body } => ("send", head, body),
            Self::Prepare { operation, input, body } => (operation, input, body),
            Self::TokenStatus => ("token_status", &[], &[]),
            Self::ForgetToken => ("forget_token", &[], &[]),
            Self::WarmUp => ("warm_up", &[], &[]),
            Self::Journal { .. } => ("journal", &[], &[]),
        }
    }
}

impl TaskResult {
    /// The error of a call that failed, or that was interrupted after it was
    /// completed: then only the error can hold the response.
    pub(crate) fn into_error(self, client: &Client, task: &Task) -> CallError {
        let error = self.result.map_or_else(
            |error| error,
            |product| {
                let (operation, input, body) = task.request();
                let response =
                    if let Product::Response(response) = product { Some(response) } else { None };
                by_name::interrupted_after_response(client, operation, input, body, response)
            },
        );
        CallError { error, texts: self.texts }
    }
}

impl CallError {
    /// The exception, with the response of a completed call.
    ///
    /// # Errors
    /// The exception of a signal handler in the meantime.
    pub(crate) fn to_exception(&self, py: Python<'_>) -> PyResult<PyErr> {
        let Self { error, texts } = self;
        let exception = try_exception_of(py, error)?;
        if let (Some(operation), Some(response)) = (error.operation(), error.response()) {
            let parts = parts_of(py, response, texts)?;
            exception.value(py).setattr("_parts", (operation.name(), parts))?;
        }
        Ok(exception)
    }
}

impl Product {
    /// A response becomes a tuple of status, headers, body, the typed members and
    /// the limit on values of its body. A prepared request becomes a tuple of
    /// method, URL, headers and body.
    pub(crate) fn to_python(&self, py: Python<'_>, texts: &PartTexts) -> PyResult<Py<PyAny>> {
        match self {
            Self::Response(response) => parts_of(py, response, texts).map(Bound::unbind),
            Self::Prepared(request) => {
                let headers: Vec<_> = request.headers().collect();
                let body = PyBytes::new(py, request.body());
                let parts = (request.method(), request.url(), headers, body);
                Ok(parts.into_pyobject(py)?.into_any().unbind())
            }
            Self::Status(status) => from_json(py, status).map(Bound::unbind),
        }
    }
}

/// Whether Python parses the member on first use.
fn is_long(value: &Json) -> bool {
    matches!(value, Json::Array(_) | Json::Object(_))
}

/// The arrays and objects of a view, except the whole response, which is parsed
/// from the body.
fn texts_of(view: &Json) -> PartTexts {
    let members = view.as_object().into_iter().flat_map(Members::iter);
    let long = members.filter(|(name, value)| is_long(value) && *name != "response");
    long.map(|(name, value)| (name.to_owned(), value.to_bytes())).collect()
}

fn keep_scalars(view: &mut Json) {
    if let Json::Object(members) = std::mem::take(view) {
        *view =
            members.into_iter().filter(|(_, value)| !is_long(value)).collect::<Members>().into();
    }
}

/// A tuple of status, headers, body and typed members of a response, and the limit
/// on values of its body.
fn parts_of<'py>(
    py: Python<'py>,
    response: &CallResponse,
    texts: &PartTexts,
) -> PyResult<Bound<'py, PyAny>> {
    let view = PyDict::new(py);
    let members = response.view.as_object().into_iter().flat_map(Members::iter);
    for (name, value) in members.filter(|(_, value)| !is_long(value)) {
        view.set_item(name, from_json(py, value)?)?;
    }
    for (name, text) in texts {
        view.set_item(name, PyBytes::new(py, text))?;
    }
    let raw = &response.raw;
    let body = PyBytes::new(py, raw.body());
    let parts = (raw.status(), raw.headers(), body, view, raw.max_values());
    Ok(parts.into_pyobject(py)?.into_any())
}
