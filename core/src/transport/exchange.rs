//! One request and its answer on a connection.

use std::time::Duration;

use super::answer::AnswerReader;
use super::connection::Connection;
use super::frame::Framed;
use super::{HttpResponse, TransportFailure};
use crate::context::CallContext;

/// What came of a request.
pub(super) struct Exchanged {
    pub(super) response: HttpResponse,
    /// How long the connection may be idle before it carries another request;
    /// `None` if it must not.
    pub(super) may_idle: Option<Duration>,
}

/// Sends `request` and reads the answer. The byte record is marked before the
/// first byte is written: that fact, and not the kind of a failure, decides
/// whether the request may have been executed.
///
/// # Errors
/// There is no answer with a status.
pub(super) fn exchange(
    connection: &mut Connection,
    context: &CallContext,
    request: &Framed,
) -> Result<Exchanged, TransportFailure> {
    context.mark_bytes_left();
    // The service may have answered before it stopped reading, and then that
    // answer counts.
    let write_failure = connection.write(&[&request.head, request.body.payload()]).err();
    if let Some(failure) = &write_failure {
        if failure.ends_the_call() {
            return Err(failure.clone());
        }
        connection.wire().limit_refusal();
    }
    let mut answer = AnswerReader::new(request.is_head, request.max_response_bytes);
    let read = read_answer(connection, &mut answer);
    connection.wipe_input();
    if let Err(failure) = read {
        return Err(write_failure.unwrap_or(failure));
    }
    let (response, may_idle) = answer.finish();
    Ok(Exchanged { response, may_idle: may_idle.filter(|_| write_failure.is_none()) })
}

/// Reads until the answer is complete, or as complete as it gets.
fn read_answer(
    connection: &mut Connection,
    answer: &mut AnswerReader,
) -> Result<(), TransportFailure> {
    let mut is_limited = false;
    while !answer.is_done() {
        match connection.read(|bytes| answer.push(bytes)) {
            Ok(Some(taken)) => taken?,
            Ok(None) => answer.end(None)?,
            Err(failure) => answer.end(Some(failure))?,
        }
        if answer.is_refusal() && !is_limited {
            connection.wire().limit_refusal();
            is_limited = true;
        }
    }
    Ok(())
}
