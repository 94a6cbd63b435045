//! The members of a request body, with numbers as the text they were sent as.

use std::collections::HashMap;

use serde_json::value::RawValue;

/// The members of one JSON object.
#[derive(Default, Debug)]
pub(crate) struct Members<'a>(HashMap<String, &'a RawValue>);

impl<'a> Members<'a> {
    /// The members of `json`, or `None` when it is not an object.
    pub(crate) fn parse(json: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(json).ok().map(Self)
    }

    /// The text of a string member.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.0.get(name)?.get()).ok()
    }

    /// A number as it was written, or a string that holds one.
    pub(crate) fn number_text(&self, name: &str) -> Option<String> {
        let json = self.0.get(name)?.get();
        let text = match serde_json::from_str::<String>(json) {
            Ok(text) => text,
            Err(_) => json.to_owned(),
        };
        is_number(&text).then_some(text)
    }

    /// Whether the member is a JSON number.
    pub(crate) fn is_number(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|json| is_number(json.get()))
    }

    /// The members of an object member.
    pub(crate) fn object(&self, name: &str) -> Option<Self> {
        Self::parse(self.0.get(name)?.get().as_bytes())
    }

    /// The elements of an array member.
    pub(crate) fn array(&self, name: &str) -> Option<Vec<&'a RawValue>> {
        serde_json::from_str(self.0.get(name)?.get()).ok()
    }
}

fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The value of a query or form parameter, percent-decoded.
pub(crate) fn parameter(encoded: &str, name: &str) -> Option<String> {
    encoded.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(key) == name).then(|| decode(value))
    })
}

/// Undoes percent-encoding and `+` for a space; a stray `%` stands for itself.
pub(crate) fn decode(encoded: &str) -> String {
    let bytes = encoded.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = match byte {
            b'%' => bytes.get(at + 1..at + 3).and_then(hex_byte),
            _ => None,
        };
        decoded.push(match (byte, escaped) {
            (_, Some(escaped)) => escaped,
            (b'+', None) => b' ',
            (other, None) => other,
        });
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn hex_byte(digits: &[u8]) -> Option<u8> {
    let mut value = 0;
    for &digit in digits {
        value = value * 16 + char::from(digit).to_digit(16)?;
    }
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_text() {
        let members = Members::parse(br#"{"a":100.10,"b":"7.0","c":"x","d":[1],"e":1e2}"#).unwrap();
        assert_eq!(members.number_text("a").as_deref(), Some("100.10"));
        assert_eq!(members.number_text("b").as_deref(), Some("7.0"));
        assert_eq!(members.number_text("c"), None);
        assert_eq!(members.number_text("d"), None);
        assert_eq!(members.number_text("e").as_deref(), Some("1e2"));
        assert!(members.is_number("a") && !members.is_number("b") && !members.is_number("d"));
        assert!(Members::parse(b"[1]").is_none());
        assert!(Members::parse(b"").is_none());
    }

    #[test]
    fn parameters_are_decoded() {
        let query = "hash=a%20b+c&integration_key=%C3%A9%zz%";
        assert_eq!(parameter(query, "hash").as_deref(), Some("a b c"));
        assert_eq!(parameter(query, "integration_key").as_deref(), Some("é%zz%"));
        assert_eq!(parameter(query, "other"), None);
    }
}
