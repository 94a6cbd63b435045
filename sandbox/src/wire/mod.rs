//! Writes responses to the socket, intact or with a fault.

pub(crate) mod inbound;

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use crate::faults::{EndlessFraming, FaultKind};
use crate::halt::Halt;
use crate::http::response::Response;

/// How often a silent connection checks whether the client is still connected.
const HANG_SLICE: Duration = Duration::from_millis(50);
/// The content of endless responses.
const FILLER: [u8; 8192] = [b'x'; 8192];
/// How much of a refused request to read and discard before the close, so that
/// a reset does not destroy the response.
const DRAIN_LIMIT: usize = 1024 * 1024;
const DRAIN_TIMEOUT: Duration = Duration::from_millis(200);

/// The fate of the connection after a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AfterResponse {
    /// Wait for another request.
    KeepAlive,
    /// Wait for another request, at most this long.
    KeepAliveFor(Duration),
    /// Close the connection.
    Close,
}

/// How to send a response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SendMode {
    /// Whether to omit the body, as in the response to a `HEAD`.
    pub(crate) head_only: bool,
    /// Whether the connection may stay open.
    pub(crate) keep_alive: bool,
}

/// Sends `response` intact.
pub(crate) fn send(stream: &TcpStream, response: &Response, mode: SendMode) -> AfterResponse {
    let keep_alive = mode.keep_alive && !response.closes_connection();
    match write(stream, &response.to_bytes(mode.head_only, keep_alive)) {
        Ok(()) if keep_alive => AfterResponse::KeepAlive,
        _ => AfterResponse::Close,
    }
}

/// Sends `response` as the fault requires.
pub(crate) fn send_harmed(
    stream: &TcpStream,
    fault: &FaultKind,
    response: &Response,
    mode: SendMode,
    halt: &Halt,
) -> AfterResponse {
    let harmed = match fault {
        FaultKind::Pass
        | FaultKind::Edit(_)
        | FaultKind::Decline(_)
        | FaultKind::Unauthorized(_) => {
            return send(stream, response, mode);
        }
        FaultKind::ConnectionClose => {
            return send(stream, response, SendMode { keep_alive: false, ..mode });
        }
        FaultKind::CloseIdle(limit) => {
            return match send(stream, response, mode) {
                AfterResponse::KeepAlive => AfterResponse::KeepAliveFor(*limit),
                ended => ended,
            };
        }
        FaultKind::Drip(pause) => {
            let bytes = response.to_bytes(mode.head_only, mode.keep_alive);
            let dripped = drip(stream, &bytes, *pause, halt);
            return if dripped.is_ok() && mode.keep_alive {
                AfterResponse::KeepAlive
            } else {
                AfterResponse::Close
            };
        }
        FaultKind::Close => Ok(()),
        FaultKind::Reset => socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO)),
        FaultKind::Hang => {
            hang(stream, halt);
            Ok(())
        }
        FaultKind::PartialStatusLine => write(stream, b"HTTP/1.1 20"),
        FaultKind::CutResponse(after) => {
            let bytes = response.to_bytes(false, mode.keep_alive);
            let half = bytes.len() - response.body.len().div_ceil(2);
            write(stream, &bytes[..after.unwrap_or(half).min(bytes.len())])
        }
        FaultKind::EndlessBody(framing) => endless_body(stream, response, *framing),
        FaultKind::EndlessHead => endless_head(stream, response),
        FaultKind::GiantBody(bytes) => giant_body(stream, response, *bytes),
        FaultKind::BrokenChunks => {
            let head = response.head_with("Transfer-Encoding", "chunked");
            write(stream, &[&head, &b"5\r\n{\"pay\r\nno size\r\n"[..]].concat())
        }
        FaultKind::LongContentLength(extra) => {
            let length = response.body.len().saturating_add(*extra).to_string();
            let head = response.head_with("Content-Length", &length);
            write(stream, &[head, response.body.clone()].concat())
        }
        FaultKind::Raw(bytes) => write(stream, bytes),
    };
    // Any outcome is fine, since the client may have disconnected.
    drop(harmed);
    AfterResponse::Close
}

/// Closes the sending side and reads what is still arriving, so that the client
/// receives the response even though its request was not fully read.
pub(crate) fn close_gently(stream: &TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(DRAIN_TIMEOUT));
    let mut sink = [0; 8192];
    let mut drained = 0;
    while drained < DRAIN_LIMIT {
        match (&*stream).read(&mut sink) {
            Ok(0) | Err(_) => break,
            Ok(count) => drained += count,
        }
    }
}

/// Writes all bytes. Stopping the sandbox shuts the socket down, which unblocks
/// a write that is not read.
pub(crate) fn write(mut stream: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes)
}

fn drip(stream: &TcpStream, bytes: &[u8], pause: Duration, halt: &Halt) -> io::Result<()> {
    for byte in bytes {
        write(stream, std::slice::from_ref(byte))?;
        if halt.wait_for(pause) {
            return Err(io::ErrorKind::Interrupted.into());
        }
    }
    Ok(())
}

/// Waits until the client disconnects or the sandbox stops.
fn hang(stream: &TcpStream, halt: &Halt) {
    let _ = stream.set_read_timeout(Some(HANG_SLICE));
    let mut next = [0];
    while !halt.is_stopped() {
        match stream.peek(&mut next) {
            Ok(0) => break,
            // With unread bytes, peeking returns immediately.
            Ok(_) => {
                halt.wait_for(HANG_SLICE);
            }
            Err(error) if is_timeout(&error) => {}
            Err(_) => break,
        }
    }
}

pub(crate) fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

fn endless_body(
    stream: &TcpStream,
    response: &Response,
    framing: EndlessFraming,
) -> io::Result<()> {
    match framing {
        EndlessFraming::Chunked => {
            write(stream, &response.head_with("Transfer-Encoding", "chunked"))?;
            let chunk = [b"2000\r\n", &FILLER[..], b"\r\n"].concat();
            loop {
                write(stream, &chunk)?;
            }
        }
        EndlessFraming::Close => {
            write(stream, &response.unframed_head())?;
            loop {
                write(stream, &FILLER)?;
            }
        }
    }
}

fn endless_head(stream: &TcpStream, response: &Response) -> io::Result<()> {
    let mut head = response.unframed_head();
    head.truncate(head.len() - 2);
    write(stream, &head)?;
    let line = [b"X-Filler: ", &FILLER[..1024], b"\r\n"].concat();
    loop {
        write(stream, &line)?;
    }
}

fn giant_body(stream: &TcpStream, response: &Response, bytes: u64) -> io::Result<()> {
    write(stream, &response.head_with("Content-Length", &bytes.to_string()))?;
    let mut left = bytes;
    while left > 0 {
        let now = usize::try_from(left).unwrap_or(usize::MAX).min(FILLER.len());
        write(stream, &FILLER[..now])?;
        left -= now as u64;
    }
    Ok(())
}
