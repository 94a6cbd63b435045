//! Reads a tree with serde_json's reader.
//!
//! Each array or object is read as a list of raw values, and each of those
//! again by its first byte: that way a number is never anything but its text.
//! The whole document is checked before the first value is taken.

use std::error::Error as StdError;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::path::Path;
use super::{Json, MAX_DEPTH, Members};
use crate::error::{Error, ErrorKind, Outcome};

impl Json {
    /// Reads a document.
    ///
    /// # Errors
    /// If it is not UTF-8, not JSON, nested deeper than [`MAX_DEPTH`], or an
    /// object has two members of one name.
    pub fn parse(text: &[u8]) -> Result<Self, JsonError> {
        read_document(text, Duplicates::Refused)
    }

    /// Reads a document as [`parse`](Self::parse) does, but keeps every
    /// member of a name that stands more than once.
    ///
    /// # Errors
    /// If it is not UTF-8, not JSON, or nested deeper than [`MAX_DEPTH`].
    pub fn parse_keeping_duplicates(text: &[u8]) -> Result<Self, JsonError> {
        read_document(text, Duplicates::Kept)
    }
}

/// What is wrong with a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// There is nothing but white space.
    Empty,
    /// It ends too early.
    Incomplete,
    /// It begins with a byte order mark, which JSON may not.
    ByteOrderMark,
    /// It breaks JSON's grammar.
    Syntax,
    /// It is not UTF-8, or an escape is half a character.
    Unicode,
    /// An object has two members of one name.
    DuplicateMember,
    /// It is nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

/// A document that cannot be read. It says where and why, and never repeats
/// a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError {
    kind: JsonErrorKind,
    path: String,
    position: Option<(usize, usize)>,
}

impl JsonError {
    /// What is wrong.
    pub fn kind(&self) -> JsonErrorKind {
        self.kind
    }

    /// A stable code: `json_empty`, `json_incomplete`, `json_syntax`,
    /// `json_unicode`, `json_duplicate_member` or `json_too_deep`.
    pub fn code(&self) -> &'static str {
        match self.kind {
            JsonErrorKind::Empty => "json_empty",
            JsonErrorKind::Incomplete => "json_incomplete",
            JsonErrorKind::ByteOrderMark => "json_byte_order_mark",
            JsonErrorKind::Syntax => "json_syntax",
            JsonErrorKind::Unicode => "json_unicode",
            JsonErrorKind::DuplicateMember => "json_duplicate_member",
            JsonErrorKind::TooDeep => "json_too_deep",
        }
    }

    /// The member at fault, for example `payment.name`; empty for the
    /// document as a whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Line and column, both counted from one, of what breaks the grammar.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.position
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            JsonErrorKind::Empty => "is empty, and JSON was expected",
            JsonErrorKind::Incomplete => "is not complete JSON: it ends too early",
            JsonErrorKind::ByteOrderMark => {
                return f.write_str(
                    "begins with a byte order mark (BOM); save it as UTF-8 without one",
                );
            }
            JsonErrorKind::Syntax => "is not JSON",
            JsonErrorKind::Unicode => "is not valid Unicode",
            JsonErrorKind::DuplicateMember => "is a duplicate member",
            JsonErrorKind::TooDeep => "is nested more than 128 levels deep",
        })?;
        match self.position {
            Some((line, column)) => write!(f, " (line {line}, column {column})"),
            None => Ok(()),
        }
    }
}

impl StdError for JsonError {}

/// A request that cannot be read: `validation`.
impl From<JsonError> for Error {
    fn from(error: JsonError) -> Self {
        let message = error.to_string();
        if error.path.is_empty() {
            return Self::new(
                ErrorKind::Validation,
                Outcome::NotExecuted,
                error.code(),
                format!("the request {message}"),
            );
        }
        Self::validation(error.path.clone(), error.code(), message)
    }
}

/// Whether the text is a number as JSON writes it.
pub(super) fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && text.ends_with(|last: char| last.is_ascii_digit())
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

#[derive(Clone, Copy, PartialEq)]
enum Duplicates {
    Refused,
    Kept,
}

fn read_document(text: &[u8], duplicates: Duplicates) -> Result<Json, JsonError> {
    let text = std::str::from_utf8(text).map_err(|_| JsonError {
        kind: JsonErrorKind::Unicode,
        path: String::new(),
        position: None,
    })?;
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| JsonError {
        kind: match error.classify() {
            Category::Eof if text.trim_ascii().is_empty() => JsonErrorKind::Empty,
            Category::Eof => JsonErrorKind::Incomplete,
            _ if text.starts_with('\u{feff}') => JsonErrorKind::ByteOrderMark,
            _ => JsonErrorKind::Syntax,
        },
        path: String::new(),
        position: Some((error.line(), error.column())),
    })?;
    read_value(raw.get(), duplicates, Path::Root, 0)
}

/// Reads one value of a document whose grammar is known to be right.
fn read_value(
    raw: &str,
    duplicates: Duplicates,
    path: Path<'_>,
    depth: usize,
) -> Result<Json, JsonError> {
    let fail = |kind, path: Path<'_>| JsonError { kind, path: path.to_string(), position: None };
    // The grammar is known to be right, so what fails below can only be an
    // escape that is half a character.
    let broken = |_| fail(JsonErrorKind::Unicode, path);
    let first = raw.bytes().next().unwrap_or_default();
    if matches!(first, b'{' | b'[') && depth >= MAX_DEPTH {
        return Err(fail(JsonErrorKind::TooDeep, path));
    }
    Ok(match first {
        b'n' => Json::Null,
        b't' => Json::Bool(true),
        b'f' => Json::Bool(false),
        b'"' => Json::String(read_text(raw).map_err(broken)?),
        b'[' => {
            let mut reader = serde_json::Deserializer::from_str(raw);
            let raws = reader.deserialize_seq(RawElements).map_err(broken)?;
            let mut elements = Vec::with_capacity(raws.len());
            for (index, raw) in raws.into_iter().enumerate() {
                elements.push(read_value(raw, duplicates, path.element(index), depth + 1)?);
            }
            Json::Array(elements)
        }
        b'{' => {
            let mut reader = serde_json::Deserializer::from_str(raw);
            let raws = reader.deserialize_map(RawMembers).map_err(broken)?;
            let mut members = Members::with_capacity(raws.len());
            for (name, raw) in raws {
                let value = read_value(raw, duplicates, path.member(&name), depth + 1)?;
                members.push(name, value);
            }
            if duplicates == Duplicates::Refused
                && let Some(name) = members.first_duplicate()
            {
                return Err(fail(JsonErrorKind::DuplicateMember, path.member(name)));
            }
            Json::Object(members)
        }
        _ => Json::Number(raw.to_owned()),
    })
}

/// Reads a string. serde_json would put one that has escapes together in a
/// buffer that it does not wipe, so it is given one escape at a time.
fn read_text(raw: &str) -> Result<String, serde_json::Error> {
    let mut rest = &raw[1..raw.len() - 1];
    let mut text = String::with_capacity(rest.len());
    while let Some(start) = rest.find('\\') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        // The first half of a character that is written in two.
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

struct RawElements;

impl<'de> Visitor<'de> for RawElements {
    type Value = Vec<&'de str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(raw) = access.next_element::<&RawValue>()? {
            elements.push(raw.get());
        }
        Ok(elements)
    }
}

struct RawMembers;

impl<'de> Visitor<'de> for RawMembers {
    type Value = Vec<(String, &'de str)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((name, raw)) = access.next_entry::<String, &RawValue>()? {
            members.push((name, raw.get()));
        }
        Ok(members)
    }
}
