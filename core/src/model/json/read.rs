//! Parses documents with serde_json's reader.
//!
//! First, serde_json checks the grammar of the whole document. Then values are
//! cut out of the text: so a number always stays text, and reading stops at the
//! limits.

use serde_json::value::RawValue;

use super::error::{JsonError, JsonErrorKind};
use super::path::Path;
use super::{Json, MAX_DEPTH, Members};

impl Json {
    /// Parses a document.
    ///
    /// # Errors
    /// If it is not UTF-8 or not JSON, is nested deeper than [`MAX_DEPTH`], or
    /// has a duplicate member.
    pub fn parse(text: &[u8]) -> Result<Self, JsonError> {
        Self::parse_with(text, ParseOptions::new())
    }

    /// Like [`parse`](Self::parse), with other options.
    ///
    /// # Errors
    /// Those of [`parse`](Self::parse), as far as the options refuse it.
    pub fn parse_with(text: &[u8], options: ParseOptions<'_>) -> Result<Self, JsonError> {
        let text = std::str::from_utf8(text).map_err(|_| JsonError::new(JsonErrorKind::Unicode))?;
        let raw: &RawValue =
            serde_json::from_str(text).map_err(|error| JsonError::of_syntax(text, &error))?;
        let mut reader = Reader { rest: raw.get(), options, values: 0, since_asked: 0 };
        reader.value(Path::Root, 0)
    }
}

/// How to parse a document. The default refuses duplicate members, and has no limit
/// but [`MAX_DEPTH`].
#[derive(Clone, Copy)]
pub struct ParseOptions<'a> {
    keeps_duplicates: bool,
    max_values: usize,
    should_continue: &'a dyn Fn() -> bool,
}

impl ParseOptions<'static> {
    /// The default.
    pub const fn new() -> Self {
        Self { keeps_duplicates: false, max_values: usize::MAX, should_continue: &|| true }
    }
}

impl Default for ParseOptions<'static> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> ParseOptions<'a> {
    /// Keeps duplicate members.
    #[must_use]
    pub const fn keeping_duplicates(mut self) -> Self {
        self.keeps_duplicates = true;
        self
    }

    /// Refuses a document with more than `count` values.
    #[must_use]
    pub const fn max_values(mut self, count: usize) -> Self {
        self.max_values = count;
        self
    }

    /// Asks from time to time whether to continue.
    #[must_use]
    pub const fn should_continue(mut self, should_continue: &'a dyn Fn() -> bool) -> Self {
        self.should_continue = should_continue;
        self
    }
}

/// Whether the text is a valid JSON number.
pub(super) fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && text.ends_with(|last: char| last.is_ascii_digit())
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// Reads a document once, from start to end. Its grammar has been checked.
struct Reader<'a> {
    rest: &'a str,
    options: ParseOptions<'a>,
    values: usize,
    /// Bytes read since `should_continue` was last asked.
    since_asked: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, path: Path<'_>, depth: usize) -> Result<Json, JsonError> {
        let fail = |kind| JsonError::at(kind, path.to_string());
        self.values += 1;
        if self.values > self.options.max_values {
            return Err(JsonError::new(JsonErrorKind::TooManyValues));
        }
        self.go_on()?;
        let first = self.next_byte();
        if matches!(first, b'{' | b'[') && depth >= MAX_DEPTH {
            return Err(fail(JsonErrorKind::TooDeep));
        }
        Ok(match first {
            b'n' => self.word("null", Json::Null),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'"' => Json::String(self.text(path)?),
            b'[' => {
                let mut elements = Vec::new();
                while self.has_next(b']') {
                    elements.push(self.value(path.element(elements.len()), depth + 1)?);
                }
                Json::Array(elements)
            }
            b'{' => {
                let mut members = Members::new();
                while self.has_next(b'}') {
                    let name = self.text(path)?;
                    self.next_byte();
                    self.take(1);
                    let value = self.value(path.member(&name), depth + 1)?;
                    members.push(name, value);
                }
                if !self.options.keeps_duplicates
                    && let Some(name) = members.first_duplicate()
                {
                    let path = path.member(name).to_string();
                    return Err(JsonError::at(JsonErrorKind::DuplicateMember, path));
                }
                Json::Object(members)
            }
            _ => {
                let is_part = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
                let length = self.rest.bytes().take_while(|byte| is_part(*byte)).count();
                Json::Number(self.take(length.max(1)).to_owned())
            }
        })
    }

    /// Whether another element or member follows, in an array or object that
    /// ends with `end`. The next byte is then its first one.
    fn has_next(&mut self, end: u8) -> bool {
        // Consumes the comma, or the end after the last one.
        let is_at_end = self.next_byte() == end;
        self.take(1);
        !is_at_end && {
            let is_empty = self.next_byte() == end;
            if is_empty {
                self.take(1);
            }
            !is_empty
        }
    }

    /// Skips white space.
    fn next_byte(&mut self) -> u8 {
        let trimmed = self.rest.trim_ascii_start();
        self.take(self.rest.len() - trimmed.len());
        self.rest.bytes().next().unwrap_or_default()
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        self.since_asked += length;
        taken
    }

    fn word(&mut self, word: &str, value: Json) -> Json {
        self.take(word.len());
        value
    }

    /// A string, without escapes.
    fn text(&mut self, path: Path<'_>) -> Result<String, JsonError> {
        let bytes = self.rest.as_bytes();
        let mut end = 1;
        while let Some(byte) = bytes.get(end)
            && *byte != b'"'
        {
            end += if *byte == b'\\' { 2 } else { 1 };
        }
        let quoted = self.take(end + 1);
        // The grammar has been checked, so this can only be half of a surrogate
        // pair.
        unescape(&quoted[1..quoted.len() - 1])
            .map_err(|_| JsonError::of_surrogate(path.to_string()))
    }

    fn go_on(&mut self) -> Result<(), JsonError> {
        const OFTEN: usize = 64 * 1024;
        if self.since_asked < OFTEN {
            return Ok(());
        }
        self.since_asked = 0;
        if (self.options.should_continue)() {
            Ok(())
        } else {
            Err(JsonError::new(JsonErrorKind::Stopped))
        }
    }
}

/// Unescapes the contents of a string. serde_json would use a buffer that it
/// does not wipe, so it receives one escape at a time.
fn unescape(mut rest: &str) -> Result<String, serde_json::Error> {
    let mut text = String::with_capacity(rest.len());
    while let Some(start) = rest.find('\\') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        // The first half of a surrogate pair.
        let hex = rest.get(2..4).unwrap_or_default().to_ascii_lowercase();
        let is_high = ("d8"..="db").contains(&hex.as_str());
        let length = match rest.as_bytes().get(1) {
            Some(b'u') if is_high && rest[6..].starts_with("\\u") => 12,
            Some(b'u') => 6,
            _ => 2,
        };
        let escape: String = serde_json::from_str(&format!("\"{}\"", &rest[..length]))?;
        text.push_str(&escape);
        rest = &rest[length..];
    }
    text.push_str(rest);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn kind_of(text: &str, values: usize) -> Option<JsonErrorKind> {
        let options = ParseOptions::new().max_values(values);
        Json::parse_with(text.as_bytes(), options).err().map(|it| it.kind())
    }

    #[test]
    fn every_value_counts_at_any_depth() {
        for (text, values) in [
            ("1", 1),
            ("[]", 1),
            ("[ ]", 1),
            ("[1,2 , 3]", 4),
            (r#"{"a":{"b":[null,true,"x",{}]},"c":[[]]}"#, 9),
            (r#""[1,2,3]""#, 1),
            (r#"["\"],[","\\",1]"#, 4),
        ] {
            assert_eq!(kind_of(text, values), None, "{text}");
            assert_eq!(kind_of(text, values - 1), Some(JsonErrorKind::TooManyValues), "{text}");
        }
    }

    #[test]
    fn too_many_values_are_refused_anywhere() {
        let numbers = format!("[{}0]", "0,".repeat(50_000));
        let names: Vec<_> = (0..50_000).map(|index| format!("\"{index}\":0")).collect();
        let names = format!("{{{}}}", names.join(","));
        for text in [numbers, names] {
            assert_eq!(kind_of(&text, 50_000), Some(JsonErrorKind::TooManyValues));
            assert_eq!(kind_of(&text, 50_002), None);
        }
    }

    #[test]
    fn reading_stops_on_request() {
        let asked = Cell::new(0);
        let should_continue = || {
            asked.set(asked.get() + 1);
            asked.get() < 3
        };
        let text = format!("[{}0]", "0,".repeat(1 << 20));
        let options = ParseOptions::new().should_continue(&should_continue);
        let error = Json::parse_with(text.as_bytes(), options).unwrap_err();
        assert_eq!((error.kind(), asked.get()), (JsonErrorKind::Stopped, 3));
    }

    /// Asking costs more than reading a value.
    #[test]
    fn reading_asks_now_and_then_whether_to_continue() {
        let asked = Cell::new(0);
        let should_continue = || {
            asked.set(asked.get() + 1);
            true
        };
        let options = ParseOptions::new().should_continue(&should_continue);
        Json::parse_with(br#"{"hash":"5a","status":"PE"}"#, options).unwrap();
        assert_eq!(asked.get(), 0);
        let text = format!("[{}0]", "0,".repeat(1 << 19));
        Json::parse_with(text.as_bytes(), options).unwrap();
        assert!((8..=16).contains(&asked.get()), "{}", asked.get());
    }
}
