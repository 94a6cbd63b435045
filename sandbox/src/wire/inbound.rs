//! Reads requests from a connection.

use std::io::{self, Read as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::halt::Halt;
use crate::http::{ChunkDecoder, Framing, HEAD_LIMIT, Malformed, RequestHead, parse_head};
use crate::wire;

const READ_SIZE: usize = 16 * 1024;
/// For how long a read may miss that the sandbox stops. Elsewhere, shutting the
/// socket down ends it.
const SLICE: Duration = if cfg!(windows) { Duration::from_millis(100) } else { Duration::MAX };

/// Why no request was read.
#[derive(Debug)]
pub(crate) enum InboundEnd {
    /// The connection closed or was idle for too long.
    Silent,
    /// The bytes are not a valid request.
    Malformed(Malformed),
}

impl From<io::Error> for InboundEnd {
    fn from(_: io::Error) -> Self {
        Self::Silent
    }
}

impl From<Malformed> for InboundEnd {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

/// The bytes received on a connection and not yet consumed.
#[derive(Debug)]
pub(crate) struct Inbound<'a> {
    stream: &'a TcpStream,
    halt: &'a Halt,
    bytes: Vec<u8>,
    /// For how long a read waits. Set on the socket only when it changes.
    limit: Option<Duration>,
}

impl<'a> Inbound<'a> {
    pub(crate) fn new(stream: &'a TcpStream, halt: &'a Halt) -> Self {
        Self { stream, halt, bytes: Vec::new(), limit: None }
    }

    /// Each read from now on waits for at most `limit`.
    pub(crate) fn wait_at_most(&mut self, limit: Duration) {
        // The socket rejects a timeout of zero.
        let limit = limit.max(Duration::from_millis(1));
        if self.limit != Some(limit) {
            let _ = self.stream.set_read_timeout(Some(limit.min(SLICE)));
            self.limit = Some(limit);
        }
    }

    /// Whether a read that began at `began`, and waited for a slice, may wait longer.
    fn may_still_wait(&self, began: Instant) -> bool {
        let limit = self.limit.unwrap_or_default();
        limit > SLICE && began.elapsed() < limit && !self.halt.is_stopped()
    }

    pub(crate) fn read_head(&mut self) -> Result<RequestHead, InboundEnd> {
        // Each attempt parses from the start. Once the bytes are known to be
        // HTTP, only an empty line justifies another attempt.
        let mut parsed_up_to = 0;
        loop {
            if self.is_worth_parsing(parsed_up_to) {
                if let Some((head, length)) = parse_head(&self.bytes)? {
                    self.bytes.drain(..length);
                    return Ok(head);
                }
                parsed_up_to = self.bytes.len();
            }
            self.receive()?;
        }
    }

    fn is_worth_parsing(&self, parsed_up_to: usize) -> bool {
        if self.bytes.is_empty() {
            return false;
        }
        let new = &self.bytes[parsed_up_to.saturating_sub(3).min(self.bytes.len())..];
        parsed_up_to == 0
            || self.bytes.len() >= HEAD_LIMIT
            || self.bytes.len() >= parsed_up_to * 2
            || new.windows(2).any(|pair| pair == b"\n\n")
            || new.windows(3).any(|three| three == b"\n\r\n")
    }

    /// Reads the body to the end of its framing, first sending `100 Continue`
    /// if the client expects it.
    pub(crate) fn read_body(&mut self, head: &RequestHead) -> Result<Vec<u8>, InboundEnd> {
        if head.expects_continue && head.framing != Framing::Length(0) && self.bytes.is_empty() {
            wire::write(self.stream, b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        match head.framing {
            Framing::Length(length) => {
                while self.bytes.len() < length {
                    self.receive()?;
                }
                let rest = self.bytes.split_off(length);
                Ok(std::mem::replace(&mut self.bytes, rest))
            }
            Framing::Chunked => {
                let mut decoder = ChunkDecoder::new();
                loop {
                    let taken = decoder.feed(&self.bytes)?;
                    self.bytes.drain(..taken);
                    if decoder.is_done() {
                        return Ok(decoder.into_body());
                    }
                    self.receive()?;
                }
            }
        }
    }

    fn receive(&mut self) -> io::Result<()> {
        let mut buffer = [0; READ_SIZE];
        let mut stream = self.stream;
        let began = Instant::now();
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    self.bytes.extend_from_slice(&buffer[..count]);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
                Err(error) if wire::is_timeout(&error) && self.may_still_wait(began) => {}
                Err(error) => return Err(error),
            }
        }
    }
}
