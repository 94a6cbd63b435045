//! Reads one HTTP/1.1 response, framed as in RFC 9112.
//!
//! This does not use ureq, which logs every byte of a response at trace level,
//! including tokens.

use std::time::Duration;

use zeroize::{Zeroize as _, Zeroizing};

use crate::failure::TransportFailure;
use crate::head::{self, Head, is_ambiguous, not_http};
use crate::pool::MAX_IDLE;
use crate::response_bytes::ResponseBytes;
use crate::transport::Received;

// docs/deadlines.md, "Limits", states these.

/// The maximum length of a chunk-size line with its extensions.
const MAX_CHUNK_LINE: usize = 16 * 1024;
/// The maximum length of all trailers, with the empty line.
const MAX_TRAILER_BYTES: usize = 16 * 1024;
/// How much of the body of a response other than 2xx is read. Only its status
/// matters.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// How long before the announced timeout a connection counts as closed.
const KEEP_ALIVE_MARGIN: Duration = Duration::from_secs(1);

/// A response being received. Takes bytes in any portions.
pub(super) struct ResponseReader {
    /// Whether the request was a HEAD, whose response has no body.
    is_to_head: bool,
    max_body: usize,
    state: ReaderState,
    /// Bytes received but not parsed yet.
    pending: Zeroizing<Vec<u8>>,
    response: Received,
    keeps_connection: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReaderState {
    Head,
    Length(u64),
    ChunkSize,
    ChunkData(u64),
    ChunkEnd,
    /// The trailers after the last chunk, of which this many bytes were read.
    Trailer(usize),
    UntilClose,
    Done,
}

impl ResponseReader {
    pub(super) fn new(is_to_head: bool, max_body: usize) -> Self {
        Self {
            is_to_head,
            max_body,
            state: ReaderState::Head,
            pending: Zeroizing::default(),
            response: Received::new(0, Vec::new(), Vec::new()),
            keeps_connection: false,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.state == ReaderState::Done
    }

    /// Whether the status has arrived and is not 2xx.
    pub(super) fn is_refusal(&self) -> bool {
        self.state != ReaderState::Head && self.has_refusal_status()
    }

    /// Takes the bytes received.
    ///
    /// # Errors
    /// The response is not HTTP. Once the status is known, there are no errors:
    /// a failure of the body is kept with it.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), TransportFailure> {
        append(&mut self.pending, bytes);
        if self.state == ReaderState::Head {
            let Some((head, length)) = head::read(&self.pending)? else { return Ok(()) };
            self.pending.drain(..length);
            self.begin(head);
        }
        let bytes = std::mem::take(&mut self.pending);
        let used = self.read_body(&bytes);
        append(&mut self.pending, &bytes[used..]);
        Ok(())
    }

    /// Ends the response: the connection failed with `failure`, or was closed
    /// cleanly.
    ///
    /// # Errors
    /// `failure`, or that the connection broke, if no status has arrived.
    pub(super) fn end(
        &mut self,
        failure: Option<TransportFailure>,
    ) -> Result<(), TransportFailure> {
        self.keeps_connection = false;
        let is_whole = match self.state {
            // Only trailers can be missing after the last chunk.
            ReaderState::Done | ReaderState::Trailer(_) => true,
            ReaderState::UntilClose => failure.is_none(),
            _ => false,
        };
        if is_whole {
            self.state = ReaderState::Done;
            return Ok(());
        }
        let failure = failure.unwrap_or_else(TransportFailure::broken);
        if self.state == ReaderState::Head {
            return Err(failure);
        }
        self.fail(failure);
        Ok(())
    }

    /// Returns the response, and how long its connection may be idle before the
    /// next request; `None` if it must not be reused.
    pub(super) fn finish(self) -> (Received, Option<Duration>) {
        let is_clean = self.state == ReaderState::Done && self.pending.is_empty();
        let may_idle = (self.keeps_connection && is_clean).then(|| may_idle(&self.response.raw));
        (self.response, may_idle)
    }

    fn begin(&mut self, head: Head) {
        let Head { status, is_http_1_1, headers, has_odd_line, ambiguous } = head;
        self.response = Received::new(status, headers, Vec::new());
        self.keeps_connection = is_http_1_1
            && !has_odd_line
            && !header_has_token(&self.response.raw, "connection", "close");
        if self.has_refusal_status() {
            self.max_body = self.max_body.min(MAX_REFUSAL_BYTES);
        }
        self.begin_body();
        if let Some(name) = ambiguous {
            self.fail(is_ambiguous(name));
        }
    }

    fn has_refusal_status(&self) -> bool {
        !matches!(self.response.raw.status, 200..=299)
    }

    fn begin_body(&mut self) {
        self.state = ReaderState::Done;
        if self.is_to_head || matches!(self.response.raw.status, 204 | 304) {
            return;
        }
        let length = length_of(&self.response.raw);
        let codings = self.response.raw.headers_named("transfer-encoding");
        match codings.map(str::to_ascii_lowercase).collect::<Vec<_>>().as_slice() {
            [] => {}
            // An older standard's name for none.
            [coding] if coding == "identity" => self.keeps_connection = false,
            [coding] if coding == "chunked" => {
                self.keeps_connection &= length == Ok(None);
                self.state = ReaderState::ChunkSize;
                return;
            }
            _ => {
                return self.fail(not_http(
                    "the response has a transfer encoding other than chunked, which was not asked \
                     for; check any proxy in between",
                ));
            }
        }
        match length {
            Ok(Some(0)) => {}
            // The start of a refusal may still say why.
            Ok(Some(length)) if length > self.max_body as u64 && !self.has_refusal_status() => {
                self.fail(TransportFailure::too_large());
            }
            Ok(Some(length)) => self.state = ReaderState::Length(length),
            Ok(None) => {
                self.keeps_connection = false;
                self.state = ReaderState::UntilClose;
            }
            Err(()) => self.fail(not_http(
                "the response has an invalid content-length; check any proxy in between",
            )),
        }
    }

    /// Reads as much as possible and returns the number of bytes.
    fn read_body(&mut self, bytes: &[u8]) -> usize {
        let mut used = 0;
        while self.state != ReaderState::Done {
            let rest = &bytes[used..];
            let step = match self.state {
                before @ (ReaderState::Length(left) | ReaderState::ChunkData(left)) => {
                    let taken = self.take(rest, left);
                    if self.state != ReaderState::Done {
                        self.state = match (before, left - taken as u64) {
                            (ReaderState::Length(_), 0) => ReaderState::Done,
                            (ReaderState::Length(_), left) => ReaderState::Length(left),
                            (_, 0) => ReaderState::ChunkEnd,
                            (_, left) => ReaderState::ChunkData(left),
                        };
                    }
                    taken
                }
                ReaderState::UntilClose => self.take(rest, u64::MAX),
                ReaderState::ChunkSize => self.read_chunk_size(rest),
                ReaderState::ChunkEnd => self.read_chunk_end(rest),
                ReaderState::Trailer(before) => self.read_trailer_line(rest, before),
                ReaderState::Head | ReaderState::Done => 0,
            };
            used += step;
            if step == 0 {
                break;
            }
        }
        used
    }

    /// Appends at most `left` of `bytes` to the body, and ends it at the limit.
    fn take(&mut self, bytes: &[u8], left: u64) -> usize {
        let amount = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
        let room = self.max_body - self.response.raw.body.len();
        append(&mut self.response.raw.body, &bytes[..amount.min(room)]);
        if amount > room {
            self.fail(TransportFailure::too_large());
        }
        amount
    }

    fn read_chunk_size(&mut self, bytes: &[u8]) -> usize {
        // An empty line would parse as a last chunk.
        if bytes.first().is_some_and(|byte| !byte.is_ascii_hexdigit()) {
            return self.broken_chunk();
        }
        match httparse::parse_chunk_size(bytes) {
            Ok(httparse::Status::Complete((length, _))) if length > MAX_CHUNK_LINE => {
                self.broken_chunk()
            }
            Ok(httparse::Status::Complete((length, 0))) => {
                self.state = ReaderState::Trailer(0);
                length
            }
            Ok(httparse::Status::Complete((length, size))) => {
                self.state = ReaderState::ChunkData(size);
                length
            }
            Ok(httparse::Status::Partial) if bytes.len() <= MAX_CHUNK_LINE => 0,
            Ok(httparse::Status::Partial) | Err(_) => self.broken_chunk(),
        }
    }

    fn read_chunk_end(&mut self, bytes: &[u8]) -> usize {
        match bytes {
            [b'\r', b'\n', ..] => {
                self.state = ReaderState::ChunkSize;
                2
            }
            [] | [b'\r'] => 0,
            _ => self.broken_chunk(),
        }
    }

    /// Skips a trailer line; an empty line ends the trailers. The body is whole
    /// without them, so trailers that are too long only cost the connection.
    fn read_trailer_line(&mut self, bytes: &[u8], before: usize) -> usize {
        let end = bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        if before + end.unwrap_or(bytes.len()) > MAX_TRAILER_BYTES {
            self.keeps_connection = false;
            self.state = ReaderState::Done;
            return 0;
        }
        let Some(end) = end else { return 0 };
        self.state = match &bytes[..end] {
            b"\n" | b"\r\n" => ReaderState::Done,
            _ => ReaderState::Trailer(before + end),
        };
        end
    }

    fn broken_chunk(&mut self) -> usize {
        self.fail(not_http("the response has malformed chunks; check any proxy in between"));
        0
    }

    /// Ends the body with `failure`.
    fn fail(&mut self, failure: TransportFailure) {
        self.state = ReaderState::Done;
        self.keeps_connection = false;
        self.response.body_failure = Some(failure);
    }
}

/// Appends bytes that may contain a token: wipes the old buffer when it has to
/// grow.
fn append(buffer: &mut Vec<u8>, bytes: &[u8]) {
    let length = buffer.len() + bytes.len();
    if length > buffer.capacity() {
        let mut larger = Vec::with_capacity(length.max(2 * buffer.capacity()));
        larger.extend_from_slice(buffer);
        std::mem::replace(buffer, larger).zeroize();
    }
    buffer.extend_from_slice(bytes);
}

/// Whether a list header contains `word`.
fn header_has_token(response: &ResponseBytes, header: &str, word: &str) -> bool {
    response
        .headers_named(header)
        .flat_map(|value| value.split(','))
        .any(|part| part.trim().eq_ignore_ascii_case(word))
}

/// How long the service keeps an idle connection (`Keep-Alive:
/// timeout=SECONDS`), less a margin.
fn may_idle(response: &ResponseBytes) -> Duration {
    let parameters = response.headers_named("keep-alive").flat_map(|value| value.split(','));
    let named = parameters.filter_map(|parameter| parameter.split_once('='));
    let seconds = named
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("timeout"))
        .find_map(|(_, seconds)| seconds.trim().trim_matches('"').parse().ok());
    seconds.map_or(MAX_IDLE, |seconds| {
        let stated = Duration::from_secs(seconds);
        stated.saturating_sub(KEEP_ALIVE_MARGIN).max(stated / 2).min(MAX_IDLE)
    })
}

/// Several equal lengths count as one.
fn length_of(response: &ResponseBytes) -> Result<Option<u64>, ()> {
    let mut length = None;
    for part in response.headers_named("content-length").flat_map(|value| value.split(',')) {
        let part = part.trim();
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(());
        }
        let value = part.parse::<u64>().map_err(|_| ())?;
        if length.is_some_and(|known| known != value) {
            return Err(());
        }
        length = Some(value);
    }
    Ok(length)
}

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;
