//! JSON for people, with indentation.

use payments_core::json::{Json, Members};

/// The tree with two spaces per level. Numbers keep their exact text.
pub(crate) fn indented(json: &Json) -> String {
    let mut text = String::new();
    push(&mut text, json, 0);
    text
}

/// Like [`indented`], without null members of the outermost object.
pub(crate) fn without_nulls(json: &Json) -> String {
    match json {
        Json::Object(members) => {
            let shown = members.iter().filter(|(_, value)| !value.is_null());
            let shown: Members = shown.map(|(name, value)| (name, value.clone())).collect();
            indented(&Json::Object(shown))
        }
        other => indented(other),
    }
}

fn push(text: &mut String, json: &Json, depth: usize) {
    match json {
        Json::Array(elements) if !elements.is_empty() => {
            text.push('[');
            for (index, element) in elements.iter().enumerate() {
                begin_line(text, index, depth + 1);
                push(text, element, depth + 1);
            }
            end(text, ']', depth);
        }
        Json::Object(members) if !members.is_empty() => {
            text.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                begin_line(text, index, depth + 1);
                text.push_str(&Json::from(name).to_text());
                text.push_str(": ");
                push(text, value, depth + 1);
            }
            end(text, '}', depth);
        }
        other => text.push_str(&other.to_text()),
    }
}

fn begin_line(text: &mut String, index: usize, depth: usize) {
    text.push_str(if index == 0 { "\n" } else { ",\n" });
    text.push_str(&"  ".repeat(depth));
}

fn end(text: &mut String, bracket: char, depth: usize) {
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
    text.push(bracket);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indented_text_reads_back_as_the_same_tree() {
        let json = Json::parse(br#"{"a":[1.10,{"b":"\"x"}],"c":{},"d":[],"e":null}"#).unwrap();
        let text = indented(&json);
        assert!(text.contains("\n    1.10,\n"));
        assert_eq!(Json::parse(text.as_bytes()).unwrap(), json);
        assert!(!without_nulls(&json).contains("null"));
    }
}
