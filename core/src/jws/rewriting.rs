//! The ways in which a body gets other bytes for the same content.

use serde_json::value::RawValue;

use super::members::Members;

/// Deeper documents are not taken apart: each level is read once more.
const DEEPEST: usize = 32;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

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

/// What is done to the text as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    AsIs,
    LineFeedAdded,
    CrLfAdded,
    LineEndRemoved,
    MarkAdded,
    MarkRemoved,
    CrLfMadeLineFeed,
    LineFeedMadeCrLf,
}

/// One way of rewriting a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Rewriting {
    pub(super) layout: Layout,
    pub(super) sorted: bool,
    pub(super) non_ascii: NonAscii,
    pub(super) slashes: Slashes,
    pub(super) edge: Edge,
}

/// A body that is to be rewritten.
pub(super) struct Source<'a> {
    bytes: &'a [u8],
    json: Option<(&'a str, Node<'a>)>,
}

impl<'a> Source<'a> {
    /// `take_apart` is whether the body is read as JSON; if not, or if it is
    /// none, only its edges can be rewritten.
    pub(super) fn new(bytes: &'a [u8], take_apart: bool) -> Self {
        let content = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        let text = std::str::from_utf8(content).ok().filter(|_| take_apart);
        let json = text.and_then(|text| Node::read(text, DEEPEST).map(|node| (text, node)));
        Self { bytes, json }
    }

    /// Every rewriting that can make a difference, least changes first.
    pub(super) fn rewritings(&self) -> Vec<Rewriting> {
        let mut layouts = vec![(Layout::AsIs, false)];
        let mut non_ascii = vec![NonAscii::AsIs];
        let mut slashes = vec![Slashes::AsIs];
        if let Some((text, _)) = &self.json {
            for sorted in [false, true] {
                layouts.extend(
                    [Layout::Compact, Layout::Spaced, Layout::Indented(2), Layout::Indented(4)]
                        .map(|layout| (layout, sorted)),
                );
            }
            if !text.is_ascii() {
                non_ascii.extend([NonAscii::EscapedLowerCase, NonAscii::EscapedUpperCase]);
            }
            if text.contains("\\u") {
                non_ascii.push(NonAscii::Raw);
            }
            if text.contains('/') {
                slashes.push(Slashes::Escaped);
            }
            if text.contains("\\/") {
                slashes.push(Slashes::Raw);
            }
        }
        let edges = [
            Edge::AsIs,
            Edge::LineFeedAdded,
            Edge::CrLfAdded,
            Edge::LineEndRemoved,
            Edge::MarkAdded,
            Edge::MarkRemoved,
            Edge::CrLfMadeLineFeed,
            Edge::LineFeedMadeCrLf,
        ];
        let mut all = Vec::new();
        for edge in edges {
            for &slashes in &slashes {
                for &non_ascii in &non_ascii {
                    for &(layout, sorted) in &layouts {
                        all.push(Rewriting { layout, sorted, non_ascii, slashes, edge });
                    }
                }
            }
        }
        all.sort_by_key(Rewriting::changes);
        all
    }

    /// The body rewritten, if it can be.
    pub(super) fn rewritten(&self, rewriting: Rewriting) -> Option<Vec<u8>> {
        let Rewriting { layout, sorted, non_ascii, slashes, edge } = rewriting;
        let unchanged =
            (layout, non_ascii, slashes) == (Layout::AsIs, NonAscii::AsIs, Slashes::AsIs);
        let content = if unchanged {
            self.bytes.to_vec()
        } else {
            let (text, node) = self.json.as_ref()?;
            let mut laid_out = String::with_capacity(text.len() * 2);
            match layout {
                Layout::AsIs => laid_out.push_str(text),
                _ => node.write(layout, sorted, 0, &mut laid_out),
            }
            rewrite_strings(&laid_out, non_ascii, slashes).into_bytes()
        };
        edge.applied(content)
    }
}

impl Rewriting {
    fn changes(&self) -> usize {
        usize::from(self.layout != Layout::AsIs)
            + usize::from(self.sorted)
            + usize::from(self.non_ascii != NonAscii::AsIs)
            + usize::from(self.slashes != Slashes::AsIs)
            + usize::from(self.edge != Edge::AsIs)
    }
}

impl Edge {
    /// `None` if there is nothing to do it to.
    fn applied(self, mut content: Vec<u8>) -> Option<Vec<u8>> {
        match self {
            Self::AsIs => {}
            Self::LineFeedAdded => content.push(b'\n'),
            Self::CrLfAdded => content.extend_from_slice(b"\r\n"),
            Self::LineEndRemoved => {
                let without = content.strip_suffix(b"\n")?;
                let length = without.strip_suffix(b"\r").unwrap_or(without).len();
                content.truncate(length);
            }
            Self::MarkAdded => {
                content.splice(0..0, BYTE_ORDER_MARK.iter().copied());
            }
            Self::MarkRemoved => content = content.strip_prefix(BYTE_ORDER_MARK)?.to_vec(),
            Self::CrLfMadeLineFeed => {
                let text = String::from_utf8(content).ok().filter(|text| text.contains("\r\n"))?;
                content = text.replace("\r\n", "\n").into_bytes();
            }
            Self::LineFeedMadeCrLf => {
                let text = String::from_utf8(content).ok().filter(|text| text.contains('\n'))?;
                content = text.replace("\r\n", "\n").replace('\n', "\r\n").into_bytes();
            }
        }
        Some(content)
    }
}

/// A JSON value; strings, numbers and names stay as they are written.
enum Node<'a> {
    Scalar(&'a str),
    Array(Vec<Self>),
    Object(Vec<(&'a str, Self)>),
}

impl<'a> Node<'a> {
    fn read(text: &'a str, depth: usize) -> Option<Self> {
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

    fn write(&self, layout: Layout, sorted: bool, level: usize, out: &mut String) {
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
fn rewrite_strings(text: &str, non_ascii: NonAscii, slashes: Slashes) -> String {
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
        let rewriting = Rewriting {
            layout,
            sorted,
            non_ascii: NonAscii::AsIs,
            slashes: Slashes::AsIs,
            edge: Edge::AsIs,
        };
        let bytes = Source::new(BODY.as_bytes(), true).rewritten(rewriting).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn layouts() {
        assert_eq!(rewritten(Layout::AsIs, false), BODY);
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

    #[test]
    fn what_is_not_json_has_edges_only() {
        for bytes in [&b"{"[..], b"", b"\xff", b"{} {}", &[b'['; 1000]] {
            let source = Source::new(bytes, true);
            assert!(source.rewritings().iter().all(|it| it.layout == Layout::AsIs));
        }
    }
}
