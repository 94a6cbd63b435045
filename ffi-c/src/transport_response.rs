//! The response that a transport callback fills in.

use std::ffi::c_char;

use payments_core::transport::{FailureKind, Received, TransportFailure};

use crate::boundary;
use crate::failure::CallFailure;
use crate::input;
use crate::status::payments_status;

/// The response of a transport callback. It belongs to the library and is valid
/// until the callback returns.
#[derive(Default)]
pub struct payments_transport_response {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    failure: Option<TransportFailure>,
}

impl input::Handle for payments_transport_response {
    type Owner = input::Library;
}

impl payments_transport_response {
    /// Returns the response, or why there is none.
    pub(crate) fn into_result(self) -> Result<Received, TransportFailure> {
        match (self.status, self.failure) {
            (0, None) => Err(TransportFailure::new(
                FailureKind::Broken,
                "the transport's callback returned neither a response nor a failure",
            )),
            (0, Some(failure)) => Err(failure),
            (status, failure) => {
                let response = Received::new(status, self.headers, self.body);
                Ok(match failure {
                    Some(failure) => response.with_body_failure(failure),
                    None => response,
                })
            }
        }
    }
}

unsafe fn change(
    response: *mut payments_transport_response,
    body: impl FnOnce(&mut payments_transport_response) -> Result<(), CallFailure>,
) -> payments_status {
    // SAFETY: the caller passes the response of this callback.
    unsafe {
        boundary::status(std::ptr::null_mut(), || body(input::handle_mut("response", response)?))
    }
}

/// Sets the HTTP status of the response, 100 to 599.
///
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for NULL or another number.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_transport_response_set_status(
    response: *mut payments_transport_response,
    http_status: i32,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        change(response, |response| match u16::try_from(http_status) {
            Ok(status @ 100..=599) => {
                response.status = status;
                Ok(())
            }
            _ => Err(CallFailure::Argument {
                name: "http_status",
                problem: "is not from 100 to 599",
            }),
        })
    }
}

/// Adds a header to the response. Names may repeat.
///
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for NULL or text that is not UTF-8.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_transport_response_add_header(
    response: *mut payments_transport_response,
    name: *const c_char,
    name_length: usize,
    value: *const c_char,
    value_length: usize,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract and passes readable
    // texts.
    unsafe {
        change(response, |response| {
            let name = input::text("name", name, name_length)?;
            let value = input::text("value", value, value_length)?;
            response.headers.push((name.to_owned(), value.to_owned()));
            Ok(())
        })
    }
}

/// Appends bytes to the body of the response. Stop after `max_response_bytes`
/// of the configuration.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_transport_response_write_body(
    response: *mut payments_transport_response,
    data: *const u8,
    length: usize,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract and passes readable
    // bytes.
    unsafe {
        change(response, |response| {
            response.body.extend_from_slice(input::bytes("data", data, length)?);
            Ok(())
        })
    }
}

/// Reports that there is no response, or, after a status was set, that its body
/// is incomplete.
///
/// `kind` is PAYMENTS_STATUS_CONNECT, _TLS, _TRANSPORT, _TIMEOUT, _CANCELLED,
/// _PROTOCOL or _TOO_LARGE. `message` appears in the error and must not contain
/// secrets.
///
/// Set `nothing_sent` to 1 only with proof that no byte of the request was
/// sent: the operation then counts as not executed. Proof is
///
/// - that the name was not found;
/// - that the connection opened for this request was never established: the
///   host, the proxy or the TLS handshake (without early data) failed;
/// - that the callback refused the request before it wrote, because its URL is
///   invalid, or because there was no connection within the deadline.
///
/// Everything else counts as sent: a failed write, a reset or a timeout on a
/// connection that was established or used before, and an error that does not
/// say which step failed. So does every failure of an HTTP client that may have
/// repeated or redirected the request on its own: its error is about the last
/// attempt. Set `nothing_sent` to 0 then.
///
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for NULL, another `kind` or
/// `nothing_sent`, or text that is not UTF-8; nothing is changed then.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_transport_response_fail(
    response: *mut payments_transport_response,
    kind: i32,
    nothing_sent: i32,
    message: *const c_char,
    message_length: usize,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract and passes a readable
    // text.
    unsafe {
        change(response, |response| {
            let message = input::text("message", message, message_length)?;
            let kind = failure_kind(kind)?;
            let nothing_sent = match nothing_sent {
                0 => false,
                1 => true,
                _ => {
                    let problem = "is neither 0 nor 1";
                    return Err(CallFailure::Argument { name: "nothing_sent", problem });
                }
            };
            let message = if message.is_empty() { "the transport failed" } else { message };
            let failure = TransportFailure::new(kind, message);
            response.failure = Some(if nothing_sent { failure.nothing_sent() } else { failure });
            Ok(())
        })
    }
}

fn failure_kind(kind: i32) -> Result<FailureKind, CallFailure> {
    const PAIRS: [(payments_status, FailureKind); 7] = [
        (payments_status::PAYMENTS_STATUS_CONNECT, FailureKind::Connect),
        (payments_status::PAYMENTS_STATUS_TLS, FailureKind::Tls),
        (payments_status::PAYMENTS_STATUS_TRANSPORT, FailureKind::Broken),
        (payments_status::PAYMENTS_STATUS_TIMEOUT, FailureKind::Timeout),
        (payments_status::PAYMENTS_STATUS_PROTOCOL, FailureKind::Protocol),
        (payments_status::PAYMENTS_STATUS_TOO_LARGE, FailureKind::TooLarge),
        (payments_status::PAYMENTS_STATUS_CANCELLED, FailureKind::Cancelled),
    ];
    let found = PAIRS.into_iter().find(|(status, _)| *status as i32 == kind);
    let problem = "is not a status that a transport may return";
    found.map(|(_, kind)| kind).ok_or(CallFailure::Argument { name: "kind", problem })
}
