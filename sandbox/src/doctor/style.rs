//! The texts that serializers write for one document.

use payments_core::json::Json;

use super::finding::Change;
use super::finding::SignatureFinding::{
    BodyPrettyPrinted as PrettyPrinted, BodyReserialized as Reserialized,
    EscapedNonAscii as NonAscii, EscapedSlashes as Slashes, NumbersRewritten as Numbers,
};
use super::interface::{is_amount, sort_as_in_the_interface};

/// How a serializer writes a document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    order: Order,
    /// `None` if it is none of those known here.
    layout: Option<Layout>,
    digits: Digits,
    escapes_letters: bool,
    escapes_slashes: bool,
}

/// The order of the members of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    AsRead,
    Sorted,
    Interface,
}

/// The text after commas and colons, and the indentation.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Layout(&'static str, &'static str, Option<&'static str>);

const COMPACT: Layout = Layout(",", ":", None);
const SPACED: Layout = Layout(", ", ": ", None);
const INDENTED_BY_2: Layout = Layout(",", ": ", Some("  "));
const INDENTED_BY_4: Layout = Layout(",", ": ", Some("    "));

/// The digits of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Digits {
    AsRead,
    ShortestWithZero,
    Shortest,
    Amount,
}

/// A change to a style.
type Choice = (fn(&mut Style), Change);

/// The choices of which a serializer makes at most one each, the largest change first.
const CHOICES: [&[Choice]; 5] = [
    &[
        (|it| it.order = Order::Sorted, (Reserialized, "with its members sorted by name")),
        (
            |it| it.order = Order::Interface,
            (Reserialized, "with its members in the interface's order"),
        ),
    ],
    &[
        (|it| it.layout = Some(COMPACT), (Reserialized, "as compact JSON")),
        (
            |it| it.layout = Some(SPACED),
            (Reserialized, "as JSON with a space after each comma and colon"),
        ),
        (|it| it.layout = Some(INDENTED_BY_2), (PrettyPrinted, "as JSON indented by 2 spaces")),
        (|it| it.layout = Some(INDENTED_BY_4), (PrettyPrinted, "as JSON indented by 4 spaces")),
    ],
    &[
        (
            |it| it.digits = Digits::ShortestWithZero,
            (Numbers, "with its numbers as Python and Rust write them (100.1, 100.0)"),
        ),
        (
            |it| it.digits = Digits::Shortest,
            (Numbers, "with its numbers as JavaScript and PHP write them (100.1, 100)"),
        ),
        (|it| it.digits = Digits::Amount, (Numbers, "with two decimals in its amounts (100.10)")),
    ],
    &[
        (|it| it.escapes_letters = true, (NonAscii, "with non-ASCII characters escaped")),
        (
            |it| it.escapes_letters = false,
            (NonAscii, "with non-ASCII characters in place of their escapes"),
        ),
    ],
    &[
        (|it| it.escapes_slashes = true, (Slashes, "with slashes escaped")),
        (|it| it.escapes_slashes = false, (Slashes, "with slashes in place of their escapes")),
    ],
];

impl Style {
    /// The style of `text`, the source of `json`.
    pub(super) fn of(text: &str, json: &Json) -> Self {
        let own = |layout| Self {
            order: Order::AsRead,
            layout,
            digits: Digits::AsRead,
            escapes_letters: text.contains("\\u"),
            escapes_slashes: text.contains("\\/"),
        };
        let known = [COMPACT, SPACED, INDENTED_BY_2, INDENTED_BY_4].map(|it| own(Some(it)));
        known.into_iter().find(|it| it.written(json) == text).unwrap_or(own(None))
    }

    /// The other styles, each with its changes.
    pub(super) fn others(self) -> Vec<(Self, Vec<Change>)> {
        let mut all = vec![(self, Vec::new())];
        for choices in CHOICES {
            for (style, changes) in all.clone() {
                for (choose, change) in choices {
                    let mut other = style;
                    choose(&mut other);
                    if other != style {
                        all.push((other, [changes.as_slice(), &[*change]].concat()));
                    }
                }
            }
        }
        all.retain(|(style, _)| *style != self && style.layout.is_some());
        all
    }

    pub(super) fn written(self, json: &Json) -> String {
        self.value(json, "", 0)
    }

    /// `name` is that of the member which holds `json`, directly or in arrays.
    fn value(self, json: &Json, name: &str, level: usize) -> String {
        let Layout(_, colon, _) = self.layout.unwrap_or(COMPACT);
        match json {
            Json::Array(elements) => {
                let elements = elements.iter().map(|it| self.value(it, name, level + 1));
                format!("[{}]", self.list(elements.collect(), level))
            }
            Json::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                match self.order {
                    Order::AsRead => {}
                    Order::Sorted => members.sort_by_key(|(name, _)| *name),
                    Order::Interface => sort_as_in_the_interface(&mut members),
                }
                let members = members.into_iter().map(|(name, value)| {
                    format!("{}{colon}{}", self.string(name), self.value(value, name, level + 1))
                });
                format!("{{{}}}", self.list(members.collect(), level))
            }
            Json::String(text) => self.string(text),
            Json::Number(text) => self.digits.rewritten(text, name).unwrap_or_else(|| text.clone()),
            scalar => scalar.to_text(),
        }
    }

    /// The inside of an array or object.
    fn list(self, items: Vec<String>, level: usize) -> String {
        let Layout(comma, _, indent) = self.layout.unwrap_or(COMPACT);
        match indent {
            Some(indent) if !items.is_empty() => {
                let [outer, inner] =
                    [level, level + 1].map(|level| format!("\n{}", indent.repeat(level)));
                format!("{inner}{}{outer}", items.join(&format!("{comma}{inner}")))
            }
            _ => items.join(comma),
        }
    }

    fn string(self, text: &str) -> String {
        let mut out = String::new();
        for character in Json::from(text).to_text().chars() {
            match character {
                '/' if self.escapes_slashes => out.push_str("\\/"),
                _ if character.is_ascii() || !self.escapes_letters => out.push(character),
                _ => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
            }
        }
        out
    }
}

impl Digits {
    /// The number in these digits, for the member `name`. `None` leaves it: where an
    /// exponent would be written, too.
    fn rewritten(self, text: &str, name: &str) -> Option<String> {
        let keeps_zero = match self {
            Self::AsRead => return None,
            Self::Amount => {
                let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
                let fits = is_amount(name) && decimals.len() <= 2 && !text.contains(['e', 'E']);
                return fits.then(|| format!("{whole}.{decimals:0<2}"));
            }
            Self::ShortestWithZero => true,
            Self::Shortest => false,
        };
        // JavaScript does the same to integers, which changes large ones.
        if keeps_zero && !text.contains(['.', 'e', 'E']) {
            return None;
        }
        let number: f64 = text.parse().ok()?;
        let exponent_from = if keeps_zero { 1e16 } else { 1e21 };
        if number != 0.0 && !(1e-4..exponent_from).contains(&number.abs()) {
            return None;
        }
        let digits = number.to_string();
        let is_whole = !digits.contains('.');
        Some(if is_whole && keeps_zero { format!("{digits}.0") } else { digits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_written_and_detected() {
        const BODY: &str = r#"{ "b":[1.50,{}], "a":{"x":"é/😀\n","y":[ ]} }"#;
        let json = Json::parse(BODY.as_bytes()).unwrap();
        assert!(Style::of(BODY, &json).layout.is_none());
        for (layout, escapes, expected) in [
            (COMPACT, false, r#"{"b":[1.50,{}],"a":{"x":"é/😀\n","y":[]}}"#),
            (
                SPACED,
                true,
                "{\"b\": [1.50, {}], \"a\": {\"x\": \"\\u00e9\\/\\ud83d\\ude00\\n\", \"y\": []}}",
            ),
            (
                INDENTED_BY_2,
                false,
                "{\n  \"b\": [\n    1.50,\n    {}\n  ],\n  \"a\": {\n    \"x\": \"é/😀\\n\",\n    \"y\": []\n  }\n}",
            ),
        ] {
            let own = Style::of(expected, &json);
            assert!(own.layout == Some(layout));
            assert_eq!((own.escapes_letters, own.escapes_slashes), (escapes, escapes));
            assert_eq!(own.written(&json), expected);
        }
    }

    #[test]
    fn numbers_are_written_in_other_digits() {
        for (text, with_zero, without, as_amount) in [
            ("100.10", Some("100.1"), Some("100.1"), Some("100.10")),
            ("100.00", Some("100.0"), Some("100"), Some("100.00")),
            ("1e2", Some("100.0"), Some("100"), None),
            ("100", None, Some("100"), Some("100.00")),
            ("0.123", Some("0.123"), Some("0.123"), None),
            (
                "12345678901234567890",
                None,
                Some("12345678901234567000"),
                Some("12345678901234567890.00"),
            ),
            ("0.00001", None, None, None),
            ("1e16", None, Some("10000000000000000"), None),
            ("1e400", None, None, None),
        ] {
            let written = |digits: Digits, name| digits.rewritten(text, name);
            assert_eq!(written(Digits::ShortestWithZero, "").as_deref(), with_zero, "{text}");
            assert_eq!(written(Digits::Shortest, "").as_deref(), without, "{text}");
            assert_eq!(written(Digits::Amount, "amount_total").as_deref(), as_amount, "{text}");
            assert_eq!(written(Digits::Amount, "installments"), None);
        }
    }
}
