//! One request and its response on a connection.

use std::time::Duration;

use crate::call::context::{CallContext, Ended};
use crate::connection::Connection;
use crate::failure::TransportFailure;
use crate::request::Framed;
use crate::response::ResponseReader;
use crate::transport::Received;

/// The result of a request.
pub(super) struct Exchanged {
    pub(super) response: Received,
    /// How long the connection may be idle before the next request; `None` if
    /// it must not be reused.
    pub(super) may_idle: Option<Duration>,
}

/// Sends `request` and reads the response. Sets the byte record before writing
/// the first byte: that record, and not the kind of a failure, decides whether
/// the request may have been executed. If the kernel took no byte, the failure
/// shows it.
///
/// # Errors
/// If no status arrived, or if the process was frozen until after the deadline.
pub(super) fn exchange(
    connection: &mut Connection,
    context: &CallContext,
    request: &Framed,
) -> Result<Exchanged, TransportFailure> {
    if context.is_first_byte_overdue() {
        return Err(TransportFailure::ended(Ended::Deadline));
    }
    let may_have_sent_before = context.may_have_sent();
    context.set_may_have_sent();
    // The service may respond before it has read the whole request. Then its
    // response counts.
    let write_failure = connection.write(&[&request.head, request.body.payload()]).err();
    if let Some(failure) = &write_failure {
        // Nothing that arrives is a response to this request.
        if !connection.wire().has_taken() && !may_have_sent_before {
            return Err(failure.clone().nothing_taken());
        }
        if !connection.wire().has_taken() || failure.ends_the_call() {
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::TcpStream;

    use super::*;
    use crate::connection::tests;
    use crate::inside::SignedBody;
    use crate::pace::Pace;
    use crate::request::PreparedRequest;
    use crate::request::frame;

    const LONG: Duration = Duration::from_secs(60);

    /// A connection, the server's end of it, and a request for it.
    fn connect() -> (Connection, TcpStream, Framed) {
        let (connection, server) = tests::connect();
        let url = "http://service.test";
        let body = SignedBody::new(b"{}".to_vec(), 0);
        let request = PreparedRequest::new("POST", url.into(), body, 1024, false);
        (connection, server, frame(&request).unwrap())
    }

    fn may_have_sent_after(connection: &mut Connection, framed: &Framed, limit: Duration) -> bool {
        let context = CallContext::with_timeout(limit);
        connection.begin(Pace::new(&context, LONG));
        let failure = exchange(connection, &context, framed).err().unwrap();
        !failure.proves_nothing_sent(&context)
    }

    #[test]
    fn a_deadline_before_the_first_byte_leaves_the_record_clear() {
        let (mut connection, _server, framed) = connect();
        assert!(!may_have_sent_after(&mut connection, &framed, Duration::ZERO));
    }

    #[test]
    fn a_socket_that_takes_no_byte_leaves_the_record_clear() {
        let (mut connection, server, framed) = connect();
        socket2::SockRef::from(&server).set_linger(Some(Duration::ZERO)).unwrap();
        drop(server);
        while connection.is_silent(false) {
            std::thread::yield_now();
        }
        assert!(!may_have_sent_after(&mut connection, &framed, LONG));
    }

    #[test]
    fn a_socket_that_takes_a_byte_marks_the_record() {
        let (mut connection, server, framed) = connect();
        server.shutdown(std::net::Shutdown::Write).unwrap();
        assert!(may_have_sent_after(&mut connection, &framed, LONG));
    }

    #[test]
    #[cfg(unix)]
    fn a_partly_written_request_does_not_wait_for_the_deadline() {
        let (mut connection, server, mut framed) = connect();
        framed.body = SignedBody::new(vec![b' '; 16 * 1024 * 1024], 0);
        let stream = connection.wire().stream().unwrap();
        let closing = std::thread::spawn(move || {
            server.peek(&mut [0]).unwrap();
            stream.tcp().unwrap().shutdown(std::net::Shutdown::Write).unwrap();
            server
        });
        let context = CallContext::with_timeout(LONG);
        connection.begin(Pace::new(&context, LONG));
        assert!(exchange(&mut connection, &context, &framed).is_err());
        assert!(context.may_have_sent() && context.ended().is_none());
        closing.join().unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn bytes_before_the_request_are_not_its_response() {
        let (mut connection, mut server, framed) = connect();
        server.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").unwrap();
        socket2::SockRef::from(&server).set_linger(Some(Duration::ZERO)).unwrap();
        drop(server);
        let stream = connection.wire().stream().unwrap();
        while socket2::SockRef::from(stream.tcp().unwrap()).take_error().unwrap().is_none() {
            std::thread::yield_now();
        }
        assert!(!may_have_sent_after(&mut connection, &framed, LONG));
    }

    #[test]
    fn an_endless_refusal_does_not_wait_for_the_deadline() {
        let (mut connection, mut server, framed) = connect();
        server.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 100\r\n\r\n{").unwrap();
        let context = CallContext::with_timeout(LONG);
        connection.begin(Pace::new(&context, LONG));
        let exchanged = exchange(&mut connection, &context, &framed).unwrap();
        assert!(exchanged.response.body_failure.is_some() && exchanged.may_idle.is_none());
        assert!(context.ended().is_none());
    }
}
