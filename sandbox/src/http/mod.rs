//! A parser for HTTP/1.1 requests, without I/O. Never panics, whatever the
//! input.

pub(crate) mod json_form;
pub(crate) mod origin;
pub(crate) mod parameters;
pub(crate) mod response;

/// The limit on the head; longer ones are refused with 431.
pub(crate) const HEAD_LIMIT: usize = 64 * 1024;
/// The limit on the body; longer ones are refused with 413.
pub(crate) const BODY_LIMIT: usize = 16 * 1024 * 1024;
/// The limit on the number of headers; more are refused with 431.
const HEADER_LIMIT: usize = 128;
/// The limit on a chunk-size line, extensions included.
const CHUNK_LINE_LIMIT: usize = 1024;
/// The limit on the trailer section of a chunked body.
const TRAILER_LIMIT: usize = 8 * 1024;

/// Why the bytes are not a valid request, and the status to respond with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Malformed {
    pub(crate) status: u16,
    pub(crate) reason: String,
}

impl Malformed {
    fn new(status: u16, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into() }
    }
}

/// How the end of a request body is determined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Framing {
    Length(usize),
    Chunked,
}

/// The head of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RequestHead {
    pub(crate) method: String,
    /// The request target as received.
    pub(crate) target: String,
    /// The host of an absolute-form target, as sent to a proxy.
    pub(crate) authority: Option<String>,
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) framing: Framing,
    pub(crate) keep_alive: bool,
    pub(crate) expects_continue: bool,
}

impl RequestHead {
    /// The first header of that name, case-insensitively.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        find_header(&self.headers, name)
    }

    /// Whether `Content-Type` is this media type.
    pub(crate) fn has_media_type(&self, wanted: &str) -> bool {
        let content_type = self.header("content-type").unwrap_or("");
        let media_type = content_type.split(';').next().unwrap_or("").trim();
        media_type.eq_ignore_ascii_case(wanted)
    }

    /// The values of all headers of that name, case-insensitively.
    pub(crate) fn headers_named(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers
            .iter()
            .filter(move |(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// The first header of that name, case-insensitively.
pub(crate) fn find_header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}

/// Parses the head at the start of `bytes`. Returns it with its length, or
/// `None` if more bytes are needed.
pub(crate) fn parse_head(bytes: &[u8]) -> Result<Option<(RequestHead, usize)>, Malformed> {
    let mut storage = [httparse::EMPTY_HEADER; HEADER_LIMIT];
    let mut request = httparse::Request::new(&mut storage);
    let too_large = || Malformed::new(431, "the head is too large");
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) if length <= HEAD_LIMIT => length,
        Ok(httparse::Status::Complete(_)) | Err(httparse::Error::TooManyHeaders) => {
            return Err(too_large());
        }
        Ok(httparse::Status::Partial) if bytes.len() >= HEAD_LIMIT => return Err(too_large()),
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(error) => return Err(Malformed::new(400, format!("not HTTP: {error}"))),
    };
    let (Some(method), Some(target), Some(version)) =
        (request.method, request.path, request.version)
    else {
        return Err(Malformed::new(400, "the request line is incomplete"));
    };
    let headers: Vec<(String, String)> = request
        .headers
        .iter()
        .map(|header| (header.name.to_owned(), String::from_utf8_lossy(header.value).into_owned()))
        .collect();
    if version == 1 && find_header(&headers, "host").is_none() {
        return Err(Malformed::new(400, "no Host header"));
    }
    let (authority, path, query) = split_target(target)?;
    let framing = framing_of(&headers)?;
    let connection = find_header(&headers, "connection").unwrap_or("");
    let says =
        |token: &str| connection.split(',').any(|option| option.trim().eq_ignore_ascii_case(token));
    let keep_alive = if version == 1 { !says("close") } else { says("keep-alive") };
    let expects_continue = find_header(&headers, "expect")
        .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"));
    let head = RequestHead {
        method: method.to_owned(),
        target: target.to_owned(),
        authority: authority.map(str::to_owned),
        path: path.to_owned(),
        query: query.map(str::to_owned),
        headers,
        framing,
        keep_alive,
        expects_continue,
    };
    Ok(Some((head, length)))
}

/// The authority, path, and query of a target.
type UrlParts<'a> = (Option<&'a str>, &'a str, Option<&'a str>);

/// Splits a target in origin form, or in absolute form as sent to a proxy.
fn split_target(target: &str) -> Result<UrlParts<'_>, Malformed> {
    let (authority, local) = match target.strip_prefix("http://") {
        Some(rest) => {
            let (authority, local) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            (Some(authority), if local.is_empty() { "/" } else { local })
        }
        None => (None, target),
    };
    if !local.starts_with('/') {
        return Err(Malformed::new(400, "the target is not a path"));
    }
    Ok(match local.split_once('?') {
        Some((path, query)) => (authority, path, Some(query)),
        None => (authority, local, None),
    })
}

/// Refuses a request with ambiguous framing: parties that disagree on where a
/// body ends disagree on what was signed.
fn framing_of(headers: &[(String, String)]) -> Result<Framing, Malformed> {
    let mut length: Option<usize> = None;
    let mut chunked = false;
    for (name, value) in headers {
        if name.eq_ignore_ascii_case("content-length") {
            let digits = value.trim();
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(Malformed::new(400, "Content-Length is not a number"));
            }
            let given = match digits.parse::<usize>() {
                Ok(given) if given <= BODY_LIMIT => given,
                _ => return Err(Malformed::new(413, "the body is too large")),
            };
            if length.is_some_and(|known| known != given) {
                return Err(Malformed::new(400, "two Content-Lengths that differ"));
            }
            length = Some(given);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            if chunked || !value.trim().eq_ignore_ascii_case("chunked") {
                return Err(Malformed::new(501, "Transfer-Encoding is not chunked"));
            }
            chunked = true;
        }
    }
    match (length, chunked) {
        (Some(_), true) => Err(Malformed::new(400, "both Content-Length and Transfer-Encoding")),
        (_, true) => Ok(Framing::Chunked),
        (length, false) => Ok(Framing::Length(length.unwrap_or(0))),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ChunkState {
    Size,
    Content(usize),
    ContentEnd,
    Trailer,
    Done,
}

/// An incremental decoder of chunked bodies.
#[derive(Debug)]
pub(crate) struct ChunkDecoder {
    state: ChunkState,
    trailer: usize,
    body: Vec<u8>,
}

impl ChunkDecoder {
    pub(crate) fn new() -> Self {
        Self { state: ChunkState::Size, trailer: 0, body: Vec::new() }
    }

    /// Whether the last chunk and the trailer were read.
    pub(crate) fn is_done(&self) -> bool {
        self.state == ChunkState::Done
    }

    /// The body without its framing.
    pub(crate) fn into_body(self) -> Vec<u8> {
        self.body
    }

    /// Decodes as much of `bytes` as possible and returns how many were
    /// consumed. Pass the rest again once more bytes have arrived.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        let mut taken = 0;
        loop {
            let rest = &bytes[taken..];
            match self.state {
                ChunkState::Size => match httparse::parse_chunk_size(rest) {
                    Ok(httparse::Status::Complete((line, size))) => {
                        taken += line;
                        let size = usize::try_from(size).unwrap_or(usize::MAX);
                        if size > BODY_LIMIT - self.body.len() {
                            return Err(Malformed::new(413, "the body is too large"));
                        }
                        self.state =
                            if size == 0 { ChunkState::Trailer } else { ChunkState::Content(size) };
                    }
                    Ok(httparse::Status::Partial) if rest.len() < CHUNK_LINE_LIMIT => {
                        return Ok(taken);
                    }
                    _ => return Err(Malformed::new(400, "a chunk's size is malformed")),
                },
                ChunkState::Content(0) => self.state = ChunkState::ContentEnd,
                ChunkState::Content(left) => {
                    let now = left.min(rest.len());
                    if now == 0 {
                        return Ok(taken);
                    }
                    self.body.extend_from_slice(&rest[..now]);
                    taken += now;
                    self.state = ChunkState::Content(left - now);
                }
                ChunkState::ContentEnd => match rest {
                    [b'\r', b'\n', ..] => {
                        taken += 2;
                        self.state = ChunkState::Size;
                    }
                    [] | [b'\r'] => return Ok(taken),
                    _ => return Err(Malformed::new(400, "a chunk is longer than it says")),
                },
                ChunkState::Trailer => match rest.iter().position(|&byte| byte == b'\n') {
                    Some(end) => {
                        let line = &rest[..end];
                        taken += end + 1;
                        self.trailer += end + 1;
                        if self.trailer > TRAILER_LIMIT {
                            return Err(Malformed::new(431, "the trailer is too large"));
                        }
                        if line.is_empty() || line == b"\r" {
                            self.state = ChunkState::Done;
                        }
                    }
                    None if rest.len() > TRAILER_LIMIT => {
                        return Err(Malformed::new(431, "the trailer is too large"));
                    }
                    None => return Ok(taken),
                },
                ChunkState::Done => return Ok(taken),
            }
        }
    }
}

#[cfg(test)]
mod tests;
