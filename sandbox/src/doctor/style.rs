//! How a serializer lays out a document.

use payments_core::json::Json;

use super::finding::{Change, SignatureFinding};

/// A serializer's text after commas and colons, and its indentation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout(&'static str, &'static str, Option<&'static str>);

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
pub(super) enum NonAscii {
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
pub(super) struct JsonStyle {
    /// `None` if it is none of [`LAYOUTS`].
    layout: Option<Layout>,
    is_sorted: bool,
    non_ascii: NonAscii,
    escapes_slashes: bool,
}

impl JsonStyle {
    /// Detects the style of `text`, the source of `json`.
    pub(super) fn of(text: &str, json: &Json) -> Self {
        let has_upper = |escape: &str| {
            escape.get(..4).is_some_and(|digits| digits.bytes().any(|it| it.is_ascii_uppercase()))
        };
        let own = Self {
            layout: None,
            is_sorted: false,
            non_ascii: if !text.is_ascii() {
                NonAscii::Raw
            } else if text.split("\\u").skip(1).any(has_upper) {
                NonAscii::Upper
            } else {
                NonAscii::Lower
            },
            escapes_slashes: text.contains("\\/"),
        };
        let layouts = LAYOUTS.map(|(layout, _)| Self { layout: Some(layout), ..own });
        layouts.into_iter().find(|style| style.written(json) == text).unwrap_or(own)
    }

    /// This style and every other that makes a difference to `json`, the tree of
    /// `text`, with the changes of each.
    pub(super) fn all(self, text: &str, json: &Json) -> Vec<(Self, Vec<Change>)> {
        let orders: &[bool] = if is_sorted(json) { &[false] } else { &[false, true] };
        let has_letters = !text.is_ascii() || text.contains("\\u");
        let has_slashes = text.contains('/');
        let layouts = LAYOUTS.map(|(layout, change)| (Some(layout), change));
        let characters = NON_ASCII.iter().filter(|(it, _)| has_letters || *it == self.non_ascii);
        let slashes = SLASHES.iter().filter(|(it, _)| has_slashes || *it == self.escapes_slashes);
        let mut all = Vec::new();
        for (layout, laid_out) in layouts {
            for &is_sorted in orders {
                for &(non_ascii, letters) in characters.clone() {
                    for &(escapes_slashes, slashed) in slashes.clone() {
                        let style = Self { layout, is_sorted, non_ascii, escapes_slashes };
                        let changes = [
                            (layout != self.layout).then_some(laid_out),
                            is_sorted.then_some((
                                SignatureFinding::BodyReserialized,
                                "with its members sorted by name",
                            )),
                            (non_ascii != self.non_ascii)
                                .then_some((SignatureFinding::EscapedNonAscii, letters)),
                            (escapes_slashes != self.escapes_slashes)
                                .then_some((SignatureFinding::EscapedSlashes, slashed)),
                        ];
                        all.push((style, changes.into_iter().flatten().collect()));
                    }
                }
            }
        }
        all
    }

    pub(super) fn written(self, json: &Json) -> String {
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

/// Whether the members of every object are sorted by name.
pub(super) fn is_sorted(json: &Json) -> bool {
    match json {
        Json::Array(elements) => elements.iter().all(is_sorted),
        Json::Object(members) => {
            members.iter().is_sorted_by_key(|(name, _)| name)
                && members.iter().all(|(_, value)| is_sorted(value))
        }
        _ => true,
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
    fn styles_are_detected() {
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
}
