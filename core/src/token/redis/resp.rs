//! The part of the Redis protocol (RESP2) that the store needs.

use zeroize::Zeroizing;

/// The largest reply accepted. A reply contains at most one entry.
const LARGEST_RESPONSE: usize = 1024 * 1024;
/// The maximum number of values in a reply.
const MOST_VALUES: usize = 16;

/// A command with its arguments. Wiped when dropped.
pub(super) struct RedisCommand {
    words: usize,
    packed: Zeroizing<Vec<u8>>,
}

impl RedisCommand {
    pub(super) fn new(name: &str) -> Self {
        Self { words: 0, packed: Zeroizing::default() }.word(name)
    }

    /// Appends an argument.
    pub(super) fn word(mut self, word: impl AsRef<[u8]>) -> Self {
        let word = word.as_ref();
        self.words += 1;
        self.packed.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        self.packed.extend_from_slice(word);
        self.packed.extend_from_slice(b"\r\n");
        self
    }

    pub(super) fn number(self, number: u64) -> Self {
        self.word(number.to_string())
    }

    pub(super) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let head = format!("*{}\r\n", self.words);
        Zeroizing::new([head.as_bytes(), &self.packed].concat())
    }
}

/// A reply of the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::token) enum RedisReply {
    Nothing,
    Number(i64),
    Text(Vec<u8>),
    Several(Vec<RedisReply>),
    /// The name of an error. The text after it is dropped, since it may echo
    /// what the server was sent.
    Refusal(String),
}

impl RedisReply {
    pub(super) fn is_one(&self) -> bool {
        *self == Self::Number(1)
    }

    pub(super) fn number(self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Text(text) => std::str::from_utf8(&text).ok()?.parse().ok(),
            _ => None,
        }
    }
}

/// The state of the bytes received so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::token) enum ParsedReply {
    RedisReply(RedisReply),
    /// The beginning of a reply.
    Incomplete,
    /// Not a Redis reply, or more than one.
    Foreign,
}

/// Parses the reply to one command.
pub(in crate::token) fn parse_reply(response: &[u8]) -> ParsedReply {
    match parse(response) {
        Ok((reply, [])) => ParsedReply::RedisReply(reply),
        Err(Unreadable::Incomplete) if response.len() < LARGEST_RESPONSE => ParsedReply::Incomplete,
        _ => ParsedReply::Foreign,
    }
}

enum Unreadable {
    Incomplete,
    Foreign,
}

/// Parses the reply at the start of `bytes`. Returns it with the remaining
/// bytes.
fn parse(bytes: &[u8]) -> Result<(RedisReply, &[u8]), Unreadable> {
    if bytes.first() != Some(&b'*') {
        return parse_value(bytes);
    }
    let (count, mut rest) = parse_line(&bytes[1..])?;
    let Some(count) = parse_length(count, MOST_VALUES)? else {
        return Ok((RedisReply::Nothing, rest));
    };
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        let (value, after) = parse_value(rest)?;
        values.push(value);
        rest = after;
    }
    Ok((RedisReply::Several(values), rest))
}

fn parse_value(bytes: &[u8]) -> Result<(RedisReply, &[u8]), Unreadable> {
    let (kind, rest) = bytes.split_first().ok_or(Unreadable::Incomplete)?;
    if !b"+-:$".contains(kind) {
        return Err(Unreadable::Foreign);
    }
    let (line, rest) = parse_line(rest)?;
    let reply = match kind {
        b'+' => RedisReply::Text(line.to_vec()),
        b'-' => RedisReply::Refusal(code_of(line)),
        b':' => RedisReply::Number(text(line)?.parse().map_err(|_| Unreadable::Foreign)?),
        _ => {
            let Some(length) = parse_length(line, LARGEST_RESPONSE)? else {
                return Ok((RedisReply::Nothing, rest));
            };
            let (value, rest) = rest.split_at_checked(length).ok_or(Unreadable::Incomplete)?;
            let (end, rest) = rest.split_at_checked(2).ok_or(Unreadable::Incomplete)?;
            if end != b"\r\n" {
                return Err(Unreadable::Foreign);
            }
            return Ok((RedisReply::Text(value.to_vec()), rest));
        }
    };
    Ok((reply, rest))
}

fn parse_line(bytes: &[u8]) -> Result<(&[u8], &[u8]), Unreadable> {
    let end = bytes.windows(2).position(|pair| pair == b"\r\n").ok_or(Unreadable::Incomplete)?;
    Ok((&bytes[..end], &bytes[end + 2..]))
}

/// Parses a length of at most `limit`. `None` for -1, which means nil.
fn parse_length(line: &[u8], limit: usize) -> Result<Option<usize>, Unreadable> {
    match text(line)? {
        "-1" => Ok(None),
        length => {
            let length = length.parse().ok().filter(|length| *length <= limit);
            length.map(Some).ok_or(Unreadable::Foreign)
        }
    }
}

fn text(line: &[u8]) -> Result<&str, Unreadable> {
    std::str::from_utf8(line).map_err(|_| Unreadable::Foreign)
}

fn code_of(line: &[u8]) -> String {
    line.iter().take_while(|byte| byte.is_ascii_uppercase()).map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_packed_with_their_lengths() {
        let command = RedisCommand::new("SET").word("a\r\nb").word([0xff]).number(15);
        let packed = b"*4\r\n$3\r\nSET\r\n$4\r\na\r\nb\r\n$1\r\n\xff\r\n$2\r\n15\r\n";
        assert_eq!(command.to_bytes().as_slice(), packed);
    }

    #[test]
    fn every_kind_of_reply_is_read_and_none_before_its_end() {
        let text = |text: &str| RedisReply::Text(text.into());
        for (bytes, reply) in [
            ("+OK\r\n", text("OK")),
            ("-NOAUTH Authentication required.\r\n", RedisReply::Refusal("NOAUTH".into())),
            ("-hunter2\r\n", RedisReply::Refusal(String::new())),
            (":-7\r\n", RedisReply::Number(-7)),
            ("$-1\r\n", RedisReply::Nothing),
            ("*-1\r\n", RedisReply::Nothing),
            ("$0\r\n\r\n", text("")),
            ("$4\r\na\r\nb\r\n", text("a\r\nb")),
            ("*2\r\n$1\r\na\r\n$-1\r\n", RedisReply::Several(vec![text("a"), RedisReply::Nothing])),
        ] {
            assert_eq!(parse_reply(bytes.as_bytes()), ParsedReply::RedisReply(reply), "{bytes:?}");
            for end in 0..bytes.len() {
                let parsed = parse_reply(&bytes.as_bytes()[..end]);
                assert_eq!(parsed, ParsedReply::Incomplete, "{bytes:?} {end}");
            }
        }
    }

    #[test]
    fn a_reply_has_at_most_16_values() {
        let reply = format!("*16\r\n{}", ":1\r\n".repeat(16));
        let values = RedisReply::Several(vec![RedisReply::Number(1); MOST_VALUES]);
        assert_eq!(parse_reply(reply.as_bytes()), ParsedReply::RedisReply(values));
    }

    #[test]
    fn a_script_returns_1_if_it_did_something() {
        assert!(RedisReply::Number(1).is_one());
        for other in [RedisReply::Number(0), RedisReply::Text(b"1".to_vec()), RedisReply::Nothing] {
            assert!(!other.is_one(), "{other:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_one_reply_are_refused_at_once() {
        for bytes in [
            "HTTP/1.1",
            ":x\r\n",
            "$x\r\n",
            "$-2\r\n",
            "$1048577\r\n",
            "$1\r\nabc",
            "*17\r\n",
            "*1\r\n*1\r\n",
            "+OK\r\n+OK\r\n",
            "+OK\r\nx",
            "%1\r\n",
        ] {
            assert_eq!(parse_reply(bytes.as_bytes()), ParsedReply::Foreign, "{bytes:?}");
        }
        assert_eq!(parse_reply(&vec![b'+'; LARGEST_RESPONSE]), ParsedReply::Foreign);
    }
}
