//! Reads one HTTP/1.1 answer, as RFC 9112 frames it.
//!
//! ureq could do this, but it logs every byte of an answer at trace level,
//! and the token server's answer is a secret.

use std::time::Duration;

use zeroize::{Zeroize as _, Zeroizing};

use super::pool::MAX_IDLE;
use super::{FailureKind, HttpResponse, TransportFailure};

const MAX_HEAD_BYTES: usize = 64 * 1024;
const MAX_HEADERS: usize = 128;
/// How many answers of status 1xx may come before the real one.
const MAX_INTERIM_ANSWERS: u32 = 16;
/// How long the line of a chunk's size, or all of the trailer, may be.
const MAX_CHUNK_LINE: usize = 16 * 1024;
/// How long before the stated end a connection counts as closed.
const KEEP_ALIVE_MARGIN: Duration = Duration::from_secs(1);
/// How much of the body of an answer other than 2xx is read: its status has
/// said everything that counts.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// An answer in the making. Bytes go in as they arrive, in any portions.
pub(super) struct AnswerReader {
    /// Whether the request was a HEAD, whose answer has no body.
    answers_head: bool,
    max_body: usize,
    state: State,
    /// Bytes that came and mean nothing yet.
    pending: Zeroizing<Vec<u8>>,
    interim_answers: u32,
    response: HttpResponse,
    keeps_connection: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Head,
    Length(u64),
    ChunkSize,
    ChunkData(u64),
    ChunkEnd,
    Trailer,
    UntilClose,
    Done,
}

impl AnswerReader {
    pub(super) fn new(answers_head: bool, max_body: usize) -> Self {
        Self {
            answers_head,
            max_body,
            state: State::Head,
            pending: Zeroizing::default(),
            interim_answers: 0,
            response: HttpResponse::default(),
            keeps_connection: false,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Whether the status is known and says that nothing was done as asked.
    pub(super) fn is_refusal(&self) -> bool {
        self.state != State::Head && self.has_refusal_status()
    }

    /// Takes what arrived.
    ///
    /// # Errors
    /// The answer is not HTTP. Once its status is known nothing is an error
    /// any more: what is wrong with the body is kept beside it.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), TransportFailure> {
        append(&mut self.pending, bytes);
        // A head that drips in is parsed when a line has come to its end.
        while self.state == State::Head && self.pending.contains(&b'\n') {
            if !self.read_head()? {
                break;
            }
        }
        if self.state == State::Head {
            return match self.pending.len() {
                0..=MAX_HEAD_BYTES if may_become_http(&self.pending) => Ok(()),
                0..=MAX_HEAD_BYTES => Err(not_http()),
                _ => Err(not_http_because("the head of the answer has no end")),
            };
        }
        let bytes = std::mem::take(&mut self.pending);
        let used = self.read_body(&bytes);
        append(&mut self.pending, &bytes[used..]);
        Ok(())
    }

    /// The connection ended, by `failure` or in order.
    ///
    /// # Errors
    /// `failure`, or that the connection broke, when no status has come.
    pub(super) fn end(
        &mut self,
        failure: Option<TransportFailure>,
    ) -> Result<(), TransportFailure> {
        self.keeps_connection = false;
        let is_whole = match self.state {
            // After the last chunk only trailers can be missing.
            State::Done | State::Trailer => true,
            State::UntilClose => failure.is_none(),
            _ => false,
        };
        if is_whole {
            self.state = State::Done;
            return Ok(());
        }
        let failure = failure.unwrap_or_else(TransportFailure::broken);
        if self.state == State::Head {
            return Err(failure);
        }
        self.fail(failure);
        Ok(())
    }

    /// The answer, and how long its connection may be idle before it carries
    /// another request; `None` if it must not.
    pub(super) fn finish(self) -> (HttpResponse, Option<Duration>) {
        let is_clean = self.state == State::Done && self.pending.is_empty();
        let may_idle = (self.keeps_connection && is_clean).then(|| may_idle(&self.response));
        (self.response, may_idle)
    }

    /// Reads a head off the pending bytes. `false` when it is not all there.
    fn read_head(&mut self) -> Result<bool, TransportFailure> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Response::new(&mut headers);
        let length = match head.parse(&self.pending) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return Ok(false),
            Err(httparse::Error::TooManyHeaders) => {
                return Err(not_http_because("the answer has too many headers"));
            }
            Err(_) => return Err(not_http()),
        };
        let status = head.code.unwrap_or_default();
        let is_http_1_1 = head.version == Some(1);
        let headers = head
            .headers
            .iter()
            .map(|header| {
                (header.name.to_owned(), String::from_utf8_lossy(header.value).into_owned())
            })
            .collect();
        self.pending.drain(..length);
        match status {
            // 101 would change the protocol, which nobody asked for.
            100 | 102..=199 if self.interim_answers < MAX_INTERIM_ANSWERS => {
                self.interim_answers += 1;
                return Ok(!self.pending.is_empty());
            }
            200..=999 => {}
            _ => return Err(not_http()),
        }
        self.response = HttpResponse::new(status, headers, Vec::new());
        self.keeps_connection = is_http_1_1 && !self.names("connection", "close");
        if self.has_refusal_status() {
            self.max_body = self.max_body.min(MAX_REFUSAL_BYTES);
        }
        self.begin_body();
        Ok(false)
    }

    fn has_refusal_status(&self) -> bool {
        !matches!(self.response.status, 200..=299)
    }

    /// Whether a header that is a list holds `word`.
    fn names(&self, header: &str, word: &str) -> bool {
        self.response
            .headers_named(header)
            .flat_map(|value| value.split(','))
            .any(|part| part.trim().eq_ignore_ascii_case(word))
    }

    fn begin_body(&mut self) {
        self.state = State::Done;
        if self.answers_head || matches!(self.response.status, 204 | 304) {
            return;
        }
        let is_coded = self.response.header("transfer-encoding").is_some();
        let length = length_of(&self.response);
        self.keeps_connection &= !(is_coded && length != Ok(None));
        if is_coded {
            if is_chunked(&self.response) {
                self.state = State::ChunkSize;
            } else {
                self.fail(not_http_because("the answer has an unknown transfer encoding"));
            }
            return;
        }
        match length {
            Ok(Some(0)) => {}
            // Of a refusal the beginning may say why.
            Ok(Some(length)) if length > self.max_body as u64 && !self.has_refusal_status() => {
                self.fail(too_large());
            }
            Ok(Some(length)) => self.state = State::Length(length),
            Ok(None) => {
                self.keeps_connection = false;
                self.state = State::UntilClose;
            }
            Err(()) => self.fail(not_http_because("the answer has no valid content-length")),
        }
    }

    /// Reads as much as it can, and says how many bytes that were.
    fn read_body(&mut self, bytes: &[u8]) -> usize {
        let mut used = 0;
        while self.state != State::Done {
            let rest = &bytes[used..];
            let step = match self.state {
                before @ (State::Length(left) | State::ChunkData(left)) => {
                    let taken = self.take(rest, left);
                    if self.state != State::Done {
                        self.state = match (before, left - taken as u64) {
                            (State::Length(_), 0) => State::Done,
                            (State::Length(_), left) => State::Length(left),
                            (_, 0) => State::ChunkEnd,
                            (_, left) => State::ChunkData(left),
                        };
                    }
                    taken
                }
                State::UntilClose => self.take(rest, u64::MAX),
                State::ChunkSize => self.read_chunk_size(rest),
                State::ChunkEnd => self.read_chunk_end(rest),
                State::Trailer => self.read_trailer_line(rest),
                State::Head | State::Done => 0,
            };
            used += step;
            if step == 0 {
                break;
            }
        }
        used
    }

    /// Adds at most `left` of `bytes` to the body; ends it at the limit.
    fn take(&mut self, bytes: &[u8], left: u64) -> usize {
        let amount = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
        let room = self.max_body - self.response.body.len();
        append(&mut self.response.body, &bytes[..amount.min(room)]);
        if amount > room {
            self.fail(too_large());
        }
        amount
    }

    fn read_chunk_size(&mut self, bytes: &[u8]) -> usize {
        // An empty line would be read as a last chunk.
        if bytes.first().is_some_and(|byte| !byte.is_ascii_hexdigit()) {
            return self.broken_chunk();
        }
        match httparse::parse_chunk_size(bytes) {
            Ok(httparse::Status::Complete((length, 0))) => {
                self.state = State::Trailer;
                length
            }
            Ok(httparse::Status::Complete((length, size))) => {
                self.state = State::ChunkData(size);
                length
            }
            Ok(httparse::Status::Partial) if bytes.len() <= MAX_CHUNK_LINE => 0,
            Ok(httparse::Status::Partial) | Err(_) => self.broken_chunk(),
        }
    }

    fn read_chunk_end(&mut self, bytes: &[u8]) -> usize {
        match bytes {
            [b'\r', b'\n', ..] => {
                self.state = State::ChunkSize;
                2
            }
            [] | [b'\r'] => 0,
            _ => self.broken_chunk(),
        }
    }

    /// Trailers say nothing that is needed; an empty line ends them.
    fn read_trailer_line(&mut self, bytes: &[u8]) -> usize {
        match bytes.iter().position(|byte| *byte == b'\n') {
            None if bytes.len() <= MAX_CHUNK_LINE => 0,
            None => self.broken_chunk(),
            Some(end) => {
                if matches!(&bytes[..end], [] | [b'\r']) {
                    self.state = State::Done;
                }
                end + 1
            }
        }
    }

    fn broken_chunk(&mut self) -> usize {
        self.fail(not_http_because("the chunks of the answer are broken"));
        0
    }

    /// The body ends here, and why.
    fn fail(&mut self, failure: TransportFailure) {
        self.state = State::Done;
        self.keeps_connection = false;
        self.response.body_failure = Some(failure);
    }
}

/// Appends bytes that may hold a token: a buffer that grows into another one
/// is wiped.
fn append(buffer: &mut Vec<u8>, bytes: &[u8]) {
    let length = buffer.len() + bytes.len();
    if length > buffer.capacity() {
        let mut larger = Vec::with_capacity(length.max(2 * buffer.capacity()));
        larger.extend_from_slice(buffer);
        std::mem::replace(buffer, larger).zeroize();
    }
    buffer.extend_from_slice(bytes);
}

/// Whether chunks are the only transfer coding.
fn is_chunked(response: &HttpResponse) -> bool {
    let mut codings = response.headers_named("transfer-encoding");
    codings.next().is_some_and(|coding| coding.trim().eq_ignore_ascii_case("chunked"))
        && codings.next().is_none()
}

/// How long the service keeps an idle connection, less a margin for the way:
/// `Keep-Alive: timeout=SECONDS`.
fn may_idle(response: &HttpResponse) -> Duration {
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
fn length_of(response: &HttpResponse) -> Result<Option<u64>, ()> {
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

/// Whether `bytes`, line ends before them aside, can begin a status line.
fn may_become_http(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(bytes.len());
    let bytes = &bytes[start..];
    let length = bytes.len().min(b"HTTP/1.".len());
    bytes[..length] == b"HTTP/1."[..length]
}

fn not_http() -> TransportFailure {
    not_http_because("the answer is not HTTP/1.1")
}

fn not_http_because(message: &str) -> TransportFailure {
    TransportFailure::new(FailureKind::Protocol, message)
}

fn too_large() -> TransportFailure {
    TransportFailure::new(FailureKind::TooLarge, "the answer is larger than max_response_bytes")
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
