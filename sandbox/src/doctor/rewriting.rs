//! Ways to write the same content in other bytes.

use payments_core::json::Json;

use super::SignatureFinding;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A difference from the body as sent: the finding, and how the payload was
/// written.
type Change = (SignatureFinding, &'static str);

/// What a serializer writes after commas and colons, and its indentation.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Layout(&'static str, &'static str, Option<&'static str>);

const LAYOUTS: [(Layout, Change); 4] = [
    (Layout(",", ":", None), (SignatureFinding::BodyReserialized, "as compact JSON")),
    (
        Layout(", ", ": ", None),
        (SignatureFinding::BodyReserialized, "as JSON with a space after each comma and colon"),
    ),
    (
        Layout(",", ": ", Some("  ")),
        (SignatureFinding::BodyPrettyPrinted, "as JSON indented by 2 spaces"),
    ),
    (
        Layout(",", ": ", Some("    ")),
        (SignatureFinding::BodyPrettyPrinted, "as JSON indented by 4 spaces"),
    ),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum NonAscii {
    Raw,
    Lower,
    Upper,
}

const NON_ASCII: [(NonAscii, &str); 3] = [
    (NonAscii::Raw, "with non-ASCII characters in place of their escapes"),
    (NonAscii::Lower, "with non-ASCII characters escaped (lower-case digits)"),
    (NonAscii::Upper, "with non-ASCII characters escaped (upper-case digits)"),
];

const SLASHES: [(bool, &str); 2] =
    [(false, "with slashes in place of their escapes"), (true, "with slashes escaped")];

/// How a serializer writes a document.
#[derive(Clone, Copy, PartialEq, Eq)]
struct JsonStyle {
    /// `None` if it is none of [`LAYOUTS`].
    layout: Option<Layout>,
    is_sorted: bool,
    non_ascii: NonAscii,
    escapes_slashes: bool,
}

/// A change to the whole text. `None` if it changes nothing.
type Edge = (Change, fn(&[u8]) -> Option<Vec<u8>>);

static EDGES: [Edge; 7] = [
    ((SignatureFinding::TrailingNewline, "with a line feed at its end"), |body| {
        Some([body, b"\n"].concat())
    }),
    ((SignatureFinding::TrailingNewline, "with CR LF at its end"), |body| {
        Some([body, b"\r\n"].concat())
    }),
    ((SignatureFinding::TrailingNewline, "without the line end at its end"), |body| {
        let without = body.strip_suffix(b"\n")?;
        Some(without.strip_suffix(b"\r").unwrap_or(without).to_vec())
    }),
    ((SignatureFinding::ByteOrderMark, "with a byte order mark before it"), |body| {
        Some([BYTE_ORDER_MARK, body].concat())
    }),
    ((SignatureFinding::ByteOrderMark, "without its byte order mark"), |body| {
        body.strip_prefix(BYTE_ORDER_MARK).map(<[u8]>::to_vec)
    }),
    ((SignatureFinding::LineEnds, "with LF in place of each CR LF"), |body| {
        let text = std::str::from_utf8(body).ok().filter(|text| text.contains("\r\n"))?;
        Some(text.replace("\r\n", "\n").into_bytes())
    }),
    ((SignatureFinding::LineEnds, "with CR LF in place of each LF"), |body| {
        let text = std::str::from_utf8(body).ok().filter(|text| text.contains('\n'))?;
        Some(text.replace("\r\n", "\n").replace('\n', "\r\n").into_bytes())
    }),
];

/// One way to rewrite a body.
pub(super) struct Rewriting {
    style: Option<JsonStyle>,
    edge: Option<&'static Edge>,
    /// The largest change first.
    pub(super) changes: Vec<Change>,
}

/// A body to rewrite.
pub(super) struct OriginalBody<'a> {
    bytes: &'a [u8],
    /// The body as JSON, and its style.
    document: Option<(Json, JsonStyle)>,
}

impl<'a> OriginalBody<'a> {
    /// `take_apart` says whether to parse the body as JSON. Without JSON, only
    /// its ends can be rewritten.
    pub(super) fn new(bytes: &'a [u8], take_apart: bool) -> Self {
        let content = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        let text = std::str::from_utf8(content).ok().filter(|_| take_apart);
        let document = text.and_then(|text| {
            let json = Json::parse_keeping_duplicates(content).ok()?;
            let style = JsonStyle::of(text.trim(), &json);
            Some((json, style))
        });
        Self { bytes, document }
    }

    /// Every rewriting that makes a difference, fewest changes first.
    pub(super) fn rewritings(&self) -> Vec<Rewriting> {
        let mut all = Vec::new();
        for edge in std::iter::once(None).chain(EDGES.iter().map(Some)) {
            let mut push = |style, mut changes: Vec<Change>| {
                changes.extend(edge.map(|(change, _)| *change));
                all.push(Rewriting { style, edge, changes });
            };
            push(None, Vec::new());
            if let Some((_, own)) = &self.document {
                own.others().into_iter().for_each(|(style, changes)| push(Some(style), changes));
            }
        }
        // An extra line end is a likelier cause than a reformatted document.
        all.sort_by_key(|it| (it.changes.len(), it.style.is_some()));
        all
    }

    /// The rewritten body, if the rewriting applies.
    pub(super) fn rewritten(&self, rewriting: &Rewriting) -> Option<Vec<u8>> {
        let content = match (rewriting.style, &self.document) {
            (Some(style), Some((json, _))) => style.written(json).into_bytes(),
            _ => self.bytes.to_vec(),
        };
        match rewriting.edge {
            Some((_, apply)) => apply(&content),
            None => Some(content),
        }
    }
}

impl JsonStyle {
    /// Detects the style of `text`, the source of `json`.
    fn of(text: &str, json: &Json) -> Self {
        let has_upper = |escape: &str| {
            escape.get(..4).is_some_and(|digits| digits.bytes().any(|it| it.is_ascii_uppercase()))
        };
        let own = Self {
            layout: None,
            is_sorted: false,
            non_ascii: match text.is_ascii() {
                false => NonAscii::Raw,
                true if text.split("\\u").skip(1).any(has_upper) => NonAscii::Upper,
                true => NonAscii::Lower,
            },
            escapes_slashes: text.contains("\\/"),
        };
        let layouts = LAYOUTS.map(|(layout, _)| Self { layout: Some(layout), ..own });
        layouts.into_iter().find(|style| style.written(json) == text).unwrap_or(own)
    }

    /// All other styles, with what they change.
    fn others(self) -> Vec<(Self, Vec<Change>)> {
        let mut all = Vec::new();
        for (layout, laid_out) in LAYOUTS {
            for is_sorted in [false, true] {
                for (non_ascii, characters) in NON_ASCII {
                    for (escapes_slashes, slashes) in SLASHES {
                        let layout = Some(layout);
                        let style = Self { layout, is_sorted, non_ascii, escapes_slashes };
                        let changes = [
                            (layout != self.layout).then_some(laid_out),
                            is_sorted.then_some((
                                SignatureFinding::BodyReserialized,
                                "with its members sorted by name",
                            )),
                            (non_ascii != self.non_ascii)
                                .then_some((SignatureFinding::EscapedNonAscii, characters)),
                            (escapes_slashes != self.escapes_slashes)
                                .then_some((SignatureFinding::EscapedSlashes, slashes)),
                        ];
                        all.push((style, changes.into_iter().flatten().collect()));
                    }
                }
            }
        }
        all.retain(|(style, _)| *style != self);
        all
    }

    fn written(self, json: &Json) -> String {
        let mut out = String::new();
        self.write(json, 0, &mut out);
        out
    }

    fn write(self, json: &Json, level: usize, out: &mut String) {
        match json {
            Json::Array(elements) => {
                let elements = elements.iter().map(|element| (None, element)).collect();
                self.write_list(['[', ']'], elements, level, out);
            }
            Json::Object(members) => {
                let mut members: Vec<_> =
                    members.iter().map(|(name, value)| (Some(name), value)).collect();
                if self.is_sorted {
                    members.sort_by_key(|(name, _)| *name);
                }
                self.write_list(['{', '}'], members, level, out);
            }
            Json::String(text) => self.write_text(text, out),
            scalar => out.push_str(&scalar.to_text()),
        }
    }

    fn write_list(
        self,
        [opening, closing]: [char; 2],
        items: Vec<(Option<&str>, &Json)>,
        level: usize,
        out: &mut String,
    ) {
        let Layout(comma, colon, indent) = self.layout.unwrap_or(LAYOUTS[0].0);
        let break_line = |level, out: &mut String| {
            if let Some(indent) = indent {
                out.push('\n');
                out.push_str(&indent.repeat(level));
            }
        };
        out.push(opening);
        for (index, (name, value)) in items.iter().enumerate() {
            if index > 0 {
                out.push_str(comma);
            }
            break_line(level + 1, out);
            if let Some(name) = name {
                self.write_text(name, out);
                out.push_str(colon);
            }
            self.write(value, level + 1, out);
        }
        if !items.is_empty() {
            break_line(level, out);
        }
        out.push(closing);
    }

    fn write_text(self, text: &str, out: &mut String) {
        for character in Json::from(text).to_text().chars() {
            match character {
                '/' if self.escapes_slashes => out.push_str("\\/"),
                _ if character.is_ascii() || self.non_ascii == NonAscii::Raw => out.push(character),
                _ => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        out.push_str(&match self.non_ascii {
                            NonAscii::Upper => format!("\\u{unit:04X}"),
                            _ => format!("\\u{unit:04x}"),
                        });
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = r#"{ "b":[1.50,{}], "a":{"x":"é/😀\n","y":[ ]} }"#;

    fn written(
        layout: usize,
        is_sorted: bool,
        non_ascii: NonAscii,
        escapes_slashes: bool,
    ) -> String {
        let json = Json::parse(BODY.as_bytes()).unwrap();
        let style =
            JsonStyle { layout: Some(LAYOUTS[layout].0), is_sorted, non_ascii, escapes_slashes };
        let text = style.written(&json);
        assert!(is_sorted || JsonStyle::of(&text, &json) == style);
        text
    }

    #[test]
    fn styles() {
        assert_eq!(
            written(0, false, NonAscii::Raw, false),
            r#"{"b":[1.50,{}],"a":{"x":"é/😀\n","y":[]}}"#
        );
        assert_eq!(
            written(1, true, NonAscii::Lower, true),
            "{\"a\": {\"x\": \"\\u00e9\\/\\ud83d\\ude00\\n\", \"y\": []}, \"b\": [1.50, {}]}"
        );
        assert_eq!(
            written(2, false, NonAscii::Upper, false),
            "{\n  \"b\": [\n    1.50,\n    {}\n  ],\n  \"a\": {\n    \"x\": \"\\u00E9/\\uD83D\\uDE00\\n\",\n    \"y\": []\n  }\n}"
        );
    }

    #[test]
    fn what_is_not_json_has_edges_only() {
        for bytes in [&b"{"[..], b"", b"\xff", b"{} {}", &[b'['; 1000]] {
            let source = OriginalBody::new(bytes, true);
            assert!(source.rewritings().iter().all(|it| it.style.is_none()));
        }
    }
}
