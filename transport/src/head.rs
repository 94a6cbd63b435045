//! The head of a response: its status line and headers.
//!
//! Only what frames the response is read strictly. Odd lines are passed over,
//! unless another program could find one of the framing headers in them.

use crate::failure::{FailureKind, TransportFailure};

// docs/deadlines.md, "Limits", states these.

/// The maximum length of a head: status line, headers and the empty line.
pub(super) const MAX_HEAD_BYTES: usize = 64 * 1024;
/// The maximum number of header lines in a head.
const MAX_HEADERS: usize = 128;
/// The maximum number of interim (1xx) responses before the final one.
const MAX_INTERIM_RESPONSES: u32 = 16;

/// The headers that say where a response ends, and what follows it.
const FRAMING: [&str; 3] = ["content-length", "transfer-encoding", "connection"];

#[derive(Default, Debug)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) is_http_1_1: bool,
    pub(super) headers: Vec<(String, String)>,
    /// Whether a line was passed over.
    pub(super) has_odd_line: bool,
    /// The framing header in a line that programs read differently.
    pub(super) ambiguous: Option<&'static str>,
}

/// Reads the head of the final response from `bytes`, with its length. `None`
/// if it is incomplete.
///
/// # Errors
/// The bytes do not begin a response of HTTP/1.1, or one that was asked for.
pub(super) fn read(bytes: &[u8]) -> Result<Option<(Head, usize)>, TransportFailure> {
    let mut rest = bytes;
    let mut has_odd_line = false;
    for _ in 0..=MAX_INTERIM_RESPONSES {
        let Some((head, length)) = read_one(rest)? else { return Ok(None) };
        rest = &rest[length..];
        has_odd_line |= head.has_odd_line;
        match head.status {
            101 => {
                return Err(not_http(
                    "the response switches to another protocol (101), which was not asked for; \
                     check any proxy in between",
                ));
            }
            100..=199 => {}
            _ => return Ok(Some((Head { has_odd_line, ..head }, bytes.len() - rest.len()))),
        }
    }
    Err(not_http(&format!(
        "there were more than {MAX_INTERIM_RESPONSES} interim responses (1xx) and no final one; \
         check any proxy in between"
    )))
}

/// Reads one head.
fn read_one(bytes: &[u8]) -> Result<Option<(Head, usize)>, TransportFailure> {
    let start = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(bytes.len());
    let mut rest = &bytes[start..];
    check_beginning(rest)?;
    let incomplete = || if bytes.len() > MAX_HEAD_BYTES { Err(too_long()) } else { Ok(None) };
    let Some(line) = take_line(&mut rest) else { return incomplete() };
    let (is_http_1_1, status) = status_line(line)?;
    let mut head = Head { status, is_http_1_1, ..Head::default() };
    let (mut lines, mut continues) = (0, false);
    loop {
        let Some(line) = take_line(&mut rest) else { return incomplete() };
        if line.is_empty() {
            break;
        }
        lines += 1;
        if lines > MAX_HEADERS {
            return Err(not_http(&format!("the response has more than {MAX_HEADERS} headers")));
        }
        continues = head.take(line, continues);
    }
    let length = bytes.len() - rest.len();
    if length > MAX_HEAD_BYTES { Err(too_long()) } else { Ok(Some((head, length))) }
}

impl Head {
    /// Takes a header line. `continues` is whether a folded line continues the
    /// last header, and so is the result.
    fn take(&mut self, line: &[u8], continues: bool) -> bool {
        let is_folded = line.starts_with(b" ") || line.starts_with(b"\t");
        let (name, value) = split(line).unwrap_or((line, b""));
        let has_space = name.ends_with(b" ") || name.ends_with(b"\t");
        let is_plain = !line.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t');
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
        let last = self.headers.last_mut().filter(|_| is_folded && continues && is_plain);
        let is_read = if let Some((name, value)) = last {
            self.ambiguous = self.ambiguous.or(framing(name.as_bytes()));
            value.extend((!value.is_empty()).then_some(' '));
            value.push_str(&text(line));
            true
        } else if name.len() < line.len() && is_token(name.trim_ascii_end()) && is_plain {
            self.headers.push((text(name), text(value)));
            true
        } else {
            self.has_odd_line = true;
            false
        };
        if is_folded || has_space || !is_read {
            // To some programs, a bare CR ends a line.
            let parts = line.split(|byte| *byte == b'\r');
            let hidden = parts.filter(|part| !is_read || part.contains(&b':')).find_map(framing);
            self.ambiguous = self.ambiguous.or(hidden);
        }
        is_read
    }
}

/// Takes a line without its end.
fn take_line<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let line = &rest[..end];
    *rest = &rest[end + 1..];
    Some(line.strip_suffix(b"\r").unwrap_or(line))
}

/// The version and the status.
fn status_line(line: &[u8]) -> Result<(bool, u16), TransportFailure> {
    let parts = line.strip_prefix(b"HTTP/1.").and_then(|it| it.split_first());
    let Some((version @ (b'0' | b'1'), rest)) = parts else { return Err(is_not_http()) };
    let status = rest.trim_ascii_start();
    let (digits, reason) = status.split_at(status.len().min(3));
    let status = str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    let is_apart = |text: &[u8]| text.first().is_none_or(u8::is_ascii_whitespace);
    match status {
        Some(status @ 100..=999) if is_apart(rest) && is_apart(reason) => {
            Ok((*version == b'1', status))
        }
        _ => Err(not_http(
            "the response has no status between 100 and 999; check that the port speaks HTTP/1.1",
        )),
    }
}

/// Refuses bytes that cannot begin a status line.
fn check_beginning(bytes: &[u8]) -> Result<(), TransportFailure> {
    const START: &[u8] = b"HTTP/1.";
    // An alert of TLS, the response to bytes that are not TLS.
    if bytes.starts_with(b"\x15\x03") {
        return Err(not_http("the response is TLS, not HTTP; write https:// in the address"));
    }
    let length = bytes.len().min(START.len());
    if bytes[..length] == START[..length] { Ok(()) } else { Err(is_not_http()) }
}

/// Name and value.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    Some((&line[..colon], &line[colon + 1..]))
}

fn is_token(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| is_token_byte(*byte))
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// The framing header that `line` has for a program that ignores the odd
/// characters of its name.
fn framing(line: &[u8]) -> Option<&'static str> {
    let name = split(line).map_or(line, |(name, _)| name);
    let name = name.iter().filter(|byte| is_token_byte(**byte)).map(u8::to_ascii_lowercase);
    FRAMING.into_iter().find(|known| name.clone().eq(known.bytes()))
}

fn is_not_http() -> TransportFailure {
    not_http("the response is not HTTP/1.1; check that the port speaks HTTP/1.1")
}

fn too_long() -> TransportFailure {
    not_http(&format!("the head of the response is longer than {} KiB", MAX_HEAD_BYTES / 1024))
}

/// A response with the framing header `name` in a line that programs read
/// differently.
pub(super) fn is_ambiguous(name: &str) -> TransportFailure {
    not_http(&format!(
        "the response has the header {name} in a form that programs read differently, so its end \
         is not certain; check any proxy in between"
    ))
}

pub(super) fn not_http(message: &str) -> TransportFailure {
    TransportFailure::new(FailureKind::Protocol, message)
}
