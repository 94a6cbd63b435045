//! Why a document cannot be parsed.

use std::error::Error as StdError;
use std::fmt;

use serde_json::error::Category;

use crate::model::error_code::ErrorCode;

/// A mistake in a document.
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
    /// It is nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
    TooDeep,
    /// It has more values than are accepted.
    TooManyValues,
    /// The call for which it was read has ended.
    Stopped,
}

impl JsonErrorKind {
    /// A stable code.
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::Empty
            | Self::Incomplete
            | Self::ByteOrderMark
            | Self::Syntax
            | Self::Unicode
            | Self::DuplicateMember => ErrorCode::JSON_INVALID,
            Self::TooDeep | Self::TooManyValues | Self::Stopped => ErrorCode::JSON_TOO_LARGE,
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Empty => "is empty; JSON was expected",
            Self::Incomplete => "is incomplete JSON; it ends too early",
            Self::ByteOrderMark => "begins with a byte order mark (BOM)",
            Self::Syntax => "is not JSON",
            Self::Unicode => "is not UTF-8",
            Self::DuplicateMember => "has a duplicate member",
            Self::TooDeep => "is nested more than 128 levels deep",
            Self::TooManyValues => "has more values than are accepted",
            Self::Stopped => "could not be read before the call ended",
        }
    }
}

/// Why a document cannot be parsed. It says where and why, and never shows a
/// value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError {
    kind: JsonErrorKind,
    path: String,
    position: Option<(usize, usize)>,
    /// The token that the grammar expects at the position, or the fault of a
    /// text.
    expected: String,
}

impl JsonError {
    /// An error of the document as a whole.
    pub(super) fn new(kind: JsonErrorKind) -> Self {
        Self { kind, path: String::new(), position: None, expected: String::new() }
    }

    /// An error at a member.
    pub(super) fn at(kind: JsonErrorKind, path: String) -> Self {
        Self { path, ..Self::new(kind) }
    }

    /// Half of a surrogate pair, as an escape.
    pub(super) fn of_surrogate(path: String) -> Self {
        let expected = "has half of a surrogate pair".to_owned();
        Self { expected, ..Self::at(JsonErrorKind::Unicode, path) }
    }

    /// Whether it is half of a surrogate pair, and not bytes that are not
    /// UTF-8.
    pub(crate) fn is_of_surrogate(&self) -> bool {
        self.kind == JsonErrorKind::Unicode && !self.expected.is_empty()
    }

    /// The grammar errors of serde_json, in words for people.
    pub(super) fn of_syntax(text: &str, error: &serde_json::Error) -> Self {
        let kind = match error.classify() {
            Category::Eof if text.trim_ascii().is_empty() => JsonErrorKind::Empty,
            Category::Eof => JsonErrorKind::Incomplete,
            _ if text.starts_with('\u{feff}') => JsonErrorKind::ByteOrderMark,
            _ => JsonErrorKind::Syntax,
        };
        // serde_json names the place where it noticed, which may be lines later.
        let noticed = (error.line(), error.column());
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        let (expected, is_before) = match reason {
            "expected `,` or `}`" => ("a comma or } is missing", true),
            "expected `,` or `]`" => ("a comma or ] is missing", true),
            "expected `:`" => ("a colon is missing", true),
            "key must be a string" if at(text, noticed) == Some('}') => {
                ("a comma before } or ] is too many", true)
            }
            "key must be a string" => ("the name of a member must be in double quotes", false),
            "trailing characters" => ("something follows its end", false),
            "expected value" if at(text, noticed) == Some(']') => {
                ("a comma before } or ] is too many", true)
            }
            "expected value" => ("a JSON value is expected", false),
            other => (other, false),
        };
        let position = if kind == JsonErrorKind::Incomplete {
            end_of(text)
        } else if is_before {
            end_of(&text[..offset_of(text, noticed)])
        } else {
            noticed
        };
        Self { position: Some(position), expected: expected.to_owned(), ..Self::new(kind) }
    }

    /// The mistake.
    pub fn kind(&self) -> JsonErrorKind {
        self.kind
    }

    /// A stable code: `json_invalid` or `json_too_large`.
    pub fn code(&self) -> ErrorCode {
        self.kind.code()
    }

    /// The path of the member at fault, for example `payment.name`; empty for
    /// the document as a whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Line and column of a syntax error, both from one.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.position
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == JsonErrorKind::DuplicateMember {
            return write!(f, "has the duplicate member {}", self.path);
        }
        if self.is_of_surrogate() {
            return f.write_str(&self.expected);
        }
        f.write_str(self.kind.text())?;
        match self.position {
            Some((line, column)) if self.kind == JsonErrorKind::Syntax => {
                write!(f, ": {} (line {line}, column {column})", self.expected)
            }
            Some((line, column)) if self.kind == JsonErrorKind::Incomplete => {
                write!(f, " (line {line}, column {column})")
            }
            _ => Ok(()),
        }
    }
}

impl StdError for JsonError {}

/// Where a place of a text is, in bytes.
fn offset_of(text: &str, (line, column): (usize, usize)) -> usize {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
    let offset = lines.map(str::len).sum::<usize>() + column.saturating_sub(1);
    if text.is_char_boundary(offset) { offset } else { text.len() }
}

fn at(text: &str, place: (usize, usize)) -> Option<char> {
    text[offset_of(text, place)..].chars().next()
}

/// The place of the last character of a text that is not white space.
fn end_of(text: &str) -> (usize, usize) {
    let text = text.trim_ascii_end();
    (text.matches('\n').count() + 1, text.rsplit('\n').next().unwrap_or_default().len())
}

#[cfg(test)]
mod tests {
    use crate::model::json::Json;

    #[test]
    fn a_mistake_has_the_position_that_people_see() {
        for (text, expected) in [
            ("{\n \"a\": 1\n \"b\": 2\n}", "a comma or } is missing (line 2, column 7)"),
            ("{\n \"a\": [1,\n 2 3]}", "a comma or ] is missing (line 3, column 2)"),
            ("{\n \"a\": 1,\n}", "a comma before } or ] is too many (line 2, column 8)"),
            ("[1,\n\n ]", "a comma before } or ] is too many (line 1, column 3)"),
            ("{\"a\"\n 1}", "a colon is missing (line 1, column 4)"),
            ("{'a': 1}", "the name of a member must be in double quotes (line 1, column 2)"),
            ("{\"a\": x}", "a JSON value is expected (line 1, column 7)"),
            ("{} {", "something follows its end (line 1, column 4)"),
        ] {
            let error = Json::parse(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), format!("is not JSON: {expected}"), "{text}");
        }
        for (text, position) in [("{\n \"a\": 1,\n\n", (2, 8)), ("[", (1, 1))] {
            let error = Json::parse(text.as_bytes()).unwrap_err();
            let position = format!("(line {}, column {})", position.0, position.1);
            let expected = format!("is incomplete JSON; it ends too early {position}");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn a_duplicate_member_is_named() {
        let error = Json::parse(br#"{"a":{"b":1,"b":2}}"#).unwrap_err();
        assert_eq!(error.to_string(), "has the duplicate member a.b");
    }
}
