//! One request and its response on a connection.

use std::time::Duration;

use super::connection::Connection;
use super::frame::Framed;
use super::response::ResponseReader;
use super::{HttpResponse, TransportFailure};
use crate::call::context::{CallContext, Ended};

/// The result of a request.
pub(super) struct Exchanged {
    pub(super) response: HttpResponse,
    /// How long the connection may be idle before the next request; `None` if
    /// it must not be reused.
    pub(super) may_idle: Option<Duration>,
}

/// Sends `request` and reads the response. Marks the byte record before writing
/// the first byte: that record, and not the kind of a failure, decides whether
/// the request may have been executed.
///
/// # Errors
/// If no status arrived, or if the process was frozen until after the deadline.
pub(super) fn exchange(
    connection: &mut Connection,
    context: &CallContext,
    request: &Framed,
) -> Result<Exchanged, TransportFailure> {
    if context.has_missed_departure() {
        return Err(TransportFailure::ended(Ended::Deadline));
    }
    context.mark_bytes_left();
    // The service may respond before it has read the whole request. Then its
    // response counts.
    let write_failure = connection.write(&[&request.head, request.body.payload()]).err();
    if let Some(failure) = &write_failure {
        if failure.ends_the_call() {
            return Err(failure.clone());
        }
        connection.wire().limit_refusal();
    }
    let mut reader = ResponseReader::new(request.is_head, request.max_response_bytes);
    let read = read_response(connection, &mut reader);
    connection.wipe_input();
    if let Err(failure) = read {
        return Err(write_failure.unwrap_or(failure));
    }
    let (response, may_idle) = reader.finish();
    let may_idle = may_idle.filter(|_| write_failure.is_none());
    if may_idle.is_none() && write_failure.is_none() && response.body_failure.is_none() {
        // The exchange is complete, so the connection may close normally.
        connection.rest();
    }
    Ok(Exchanged { response, may_idle })
}

/// Reads until the response is complete or the connection ends.
fn read_response(
    connection: &mut Connection,
    reader: &mut ResponseReader,
) -> Result<(), TransportFailure> {
    let mut is_limited = false;
    while !reader.is_done() {
        match connection.read(|bytes| reader.push(bytes)) {
            Ok(Some(taken)) => taken?,
            Ok(None) => reader.end(None)?,
            Err(failure) => reader.end(Some(failure))?,
        }
        if reader.is_refusal() && !is_limited {
            connection.wire().limit_refusal();
            is_limited = true;
        }
    }
    Ok(())
}
