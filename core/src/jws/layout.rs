//! A JSON document written with other white space and other escapes.

use serde_json::value::RawValue;

use super::members::Members;

/// How the white space between tokens is laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    AsIs,
    Compact,
    /// A space after each comma and colon.
    Spaced,
    Indented(usize),
}

/// How characters beyond ASCII are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NonAscii {
    AsIs,
    Raw,
    EscapedLowerCase,
    EscapedUpperCase,
}

/// How slashes are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Slashes {
    AsIs,
    Raw,
    Escaped,
}

/// A JSON value; strings, numbers and names stay as they are written.
pub(super) enum Node<'a> {
    Scalar(&'a str),
    Array(Vec<Self>),
    Object(Vec<(&'a str, Self)>),
}

impl<'a> Node<'a> {
    /// The value of a whole text, if it is JSON and at most `depth` deep.
    pub(super) fn read(text: &'a str, depth: usize) -> Option<Self> {
        let deeper = depth.checked_sub(1)?;
        let text = text.trim();
        match text.as_bytes().first()? {
            b'{' => {
                let Members(members) = serde_json::from_str(text).ok()?;
                let members = members
                    .into_iter()
                    .map(|(name, value)| Some((name.get(), Self::read(value.get(), deeper)?)));
                members.collect::<Option<_>>().map(Self::Object)
            }
            b'[' => {
                let values: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                let values = values.into_iter().map(|value| Self::read(value.get(), deeper));
                values.collect::<Option<_>>().map(Self::Array)
            }
            _ => {
                serde_json::from_str::<&RawValue>(text).ok().map(|value| Self::Scalar(value.get()))
            }
        }
    }

    /// Writes the value out, starting at `level` of indentation.
    pub(super) fn write(&self, layout: Layout, sorted: bool, level: usize, out: &mut String) {
        match self {
            Self::Scalar(text) => out.push_str(text),
            Self::Array(values) => {
                let mut list = List::start('[', layout, level, out);
                for value in values {
                    list.item(out);
                    value.write(layout, sorted, level + 1, out);
                }
                list.end(']', out);
            }
            Self::Object(members) => {
                let mut order: Vec<_> = members.iter().collect();
                if sorted {
                    order.sort_by_key(|(name, _)| *name);
                }
                let mut list = List::start('{', layout, level, out);
                for (name, value) in order {
                    list.item(out);
                    out.push_str(name);
                    out.push_str(if layout == Layout::Compact { ":" } else { ": " });
                    value.write(layout, sorted, level + 1, out);
                }
                list.end('}', out);
            }
        }
    }
}

/// The commas and white space of an array or object.
struct List {
    layout: Layout,
    level: usize,
    empty: bool,
}

impl List {
    fn start(opening: char, layout: Layout, level: usize, out: &mut String) -> Self {
        out.push(opening);
        Self { layout, level, empty: true }
    }

    fn item(&mut self, out: &mut String) {
        if !self.empty {
            out.push_str(if self.layout == Layout::Spaced { ", " } else { "," });
        }
        self.empty = false;
        self.break_line(self.level + 1, out);
    }

    fn end(self, closing: char, out: &mut String) {
        if !self.empty {
            self.break_line(self.level, out);
        }
        out.push(closing);
    }

    fn break_line(&self, level: usize, out: &mut String) {
        if let Layout::Indented(width) = self.layout {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', level * width));
        }
    }
}

/// Rewrites escapes. What is looked for stands in strings only, so that they
/// need not be told from the rest of a valid document.
pub(super) fn rewrite_strings(text: &str, non_ascii: NonAscii, slashes: Slashes) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let mut length = character.len_utf8();
        match character {
            '\\' if rest.starts_with("\\/") && slashes == Slashes::Raw => {
                out.push('/');
                length = 2;
            }
            '\\' => match escaped_non_ascii(rest).filter(|_| non_ascii == NonAscii::Raw) {
                Some((unescaped, taken)) => {
                    out.push(unescaped);
                    length = taken;
                }
                None => {
                    // A backslash and what it escapes go over together.
                    length += rest[1..].chars().next().map_or(0, char::len_utf8);
                    out.push_str(&rest[..length]);
                }
            },
            '/' if slashes == Slashes::Escaped => out.push_str("\\/"),
            _ if character.is_ascii() => out.push(character),
            _ => match non_ascii {
                NonAscii::EscapedLowerCase | NonAscii::EscapedUpperCase => {
                    push_escaped(character, non_ascii, &mut out);
                }
                NonAscii::AsIs | NonAscii::Raw => out.push(character),
            },
        }
        rest = &rest[length..];
    }
    out
}

fn push_escaped(character: char, case: NonAscii, out: &mut String) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        out.push_str(&match case {
            NonAscii::EscapedUpperCase => format!("\\u{unit:04X}"),
            _ => format!("\\u{unit:04x}"),
        });
    }
}

/// The character beyond ASCII whose escape `text` starts with, and the length
/// of that escape.
fn escaped_non_ascii(text: &str) -> Option<(char, usize)> {
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let first = unit(text)?;
    let second = unit(&text[6..]);
    let units = [first, second.unwrap_or(0)];
    let character = char::decode_utf16(units).next()?.ok()?;
    (!character.is_ascii()).then_some((character, character.len_utf16() * 6))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = r#"{ "b":[1.50,{}], "a":{"x":"é/😀\n","y":[ ]} }"#;

    fn rewritten(layout: Layout, sorted: bool) -> String {
        let mut out = String::new();
        Node::read(BODY, 3).unwrap().write(layout, sorted, 0, &mut out);
        out
    }

    #[test]
    fn layouts() {
        assert!(Node::read(BODY, 2).is_none());
        assert_eq!(
            rewritten(Layout::Compact, false),
            r#"{"b":[1.50,{}],"a":{"x":"é/😀\n","y":[]}}"#
        );
        assert_eq!(
            rewritten(Layout::Spaced, true),
            r#"{"a": {"x": "é/😀\n", "y": []}, "b": [1.50, {}]}"#
        );
        assert_eq!(
            rewritten(Layout::Indented(2), false),
            "{\n  \"b\": [\n    1.50,\n    {}\n  ],\n  \"a\": {\n    \"x\": \"é/😀\\n\",\n    \"y\": []\n  }\n}"
        );
    }

    #[test]
    fn escapes_go_both_ways() {
        let escaped = rewrite_strings("é/😀\\\"", NonAscii::EscapedLowerCase, Slashes::Escaped);
        assert_eq!(escaped, "\\u00e9\\/\\ud83d\\ude00\\\"");
        assert_eq!(rewrite_strings(&escaped, NonAscii::Raw, Slashes::Raw), "é/😀\\\"");
        // An escaped backslash before a u is no escape of a character.
        assert_eq!(rewrite_strings("\\\\u00e9", NonAscii::Raw, Slashes::Raw), "\\\\u00e9");
        // ASCII that someone escaped, and half a pair, stay as they are.
        for kept in ["\\u0041", "\\ud83d", "\\ud83dx", "\\u00"] {
            assert_eq!(rewrite_strings(kept, NonAscii::Raw, Slashes::Raw), kept);
        }
    }
}
