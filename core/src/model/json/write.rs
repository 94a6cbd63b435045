//! Writes a tree compactly.

use super::{Json, Members};

impl Json {
    /// The tree as compact JSON: no white space, numbers as they are, members
    /// in order.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        write_value(self, &mut out);
        out
    }

    /// Like [`to_bytes`](Self::to_bytes), as text.
    pub fn to_text(&self) -> String {
        // Numbers and texts are `String`s; the rest is ASCII.
        String::from_utf8(self.to_bytes()).unwrap_or_default()
    }
}

impl Members {
    /// The members as an object in compact JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(512);
        self.write_to(&mut out);
        out
    }

    /// The most bytes that [`write_to`](Self::write_to) appends. A buffer with
    /// that much room does not grow and leave a copy behind.
    pub(crate) fn longest_written(&self) -> usize {
        self.iter()
            .map(|(name, value)| 2 + longest_text(name) + longest_value(value))
            .sum::<usize>()
            + 2
    }

    /// Appends the members as an object in compact JSON.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        write_members(self, out);
    }
}

fn longest_value(value: &Json) -> usize {
    match value {
        Json::Null | Json::Bool(_) => 5,
        Json::Number(text) => text.len(),
        Json::String(text) => longest_text(text),
        Json::Array(elements) => {
            2 + elements.iter().map(|element| 1 + longest_value(element)).sum::<usize>()
        }
        Json::Object(members) => members.longest_written(),
    }
}

/// An escaped character takes at most six bytes.
fn longest_text(text: &str) -> usize {
    let escaped = text.bytes().filter(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'));
    text.len() + 5 * escaped.count() + 2
}

fn write_value(value: &Json, out: &mut Vec<u8>) {
    match value {
        Json::Null => out.extend_from_slice(b"null"),
        Json::Bool(true) => out.extend_from_slice(b"true"),
        Json::Bool(false) => out.extend_from_slice(b"false"),
        Json::Number(text) => out.extend_from_slice(text.as_bytes()),
        Json::String(text) => write_text(text, out),
        Json::Array(elements) => {
            out.push(b'[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_value(element, out);
            }
            out.push(b']');
        }
        Json::Object(members) => write_members(members, out),
    }
}

fn write_members(members: &Members, out: &mut Vec<u8>) {
    out.push(b'{');
    for (index, (name, value)) in members.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_text(name, out);
        out.push(b':');
        write_value(value, out);
    }
    out.push(b'}');
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let written = serde_json::to_writer(&mut *out, text);
    debug_assert!(written.is_ok());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A buffer that grows leaves a copy of its contents.
    #[test]
    fn a_written_document_fits_into_its_buffer() {
        for text in [
            "{}",
            r#"{"a":[]}"#,
            r#"{"a":null,"b":true,"c":false}"#,
            r#"{"amount":12345678901234567890.10}"#,
            r#"{"name":"\u0001\"\\é😀"}"#,
            r#"{"\u0001\u0002":1}"#,
            r#"{"list":[1,[2,3],{},{"inner":[false,null,"x"]}]}"#,
            r#"{"payment":{"payee":{"name":"Maria"},"codes":["AB1","AB2"]}}"#,
        ] {
            let tree = Json::parse(text.as_bytes()).unwrap();
            let members = tree.as_object().unwrap();
            let written = members.to_bytes();
            assert_eq!(written, text.as_bytes());
            assert!(written.len() <= members.longest_written(), "{text}");
        }
    }
}
