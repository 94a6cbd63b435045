//! Text for people: wrapped lines, and JSON with indentation.

use payments_core::json::{Json, Members};

/// The maximum width of text for people.
pub(crate) const WIDTH: usize = 80;

/// Wraps text at spaces into lines of at most `width` characters. Longer words
/// are split.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        for (index, piece) in pieces(word, width).into_iter().enumerate() {
            let length = piece.chars().count();
            let gap = usize::from(index == 0 && used > 0);
            if used + gap + length > width {
                lines.push(String::new());
                used = 0;
            }
            if let Some(line) = lines.last_mut() {
                if used > 0 && gap > 0 {
                    line.push(' ');
                    used += 1;
                }
                line.push_str(&piece);
                used += length;
            }
        }
    }
    lines
}

/// Appends wrapped text after `first`. Its other lines begin at column `start`.
pub(crate) fn push_hanging(text: &mut String, first: &str, start: usize, message: &str) {
    let mut indent = first.to_owned();
    for line in wrapped(message, WIDTH - start) {
        text.push_str(&format!("{indent}{line}\n"));
        indent = " ".repeat(start);
    }
}

fn pieces(word: &str, width: usize) -> Vec<String> {
    let characters: Vec<char> = word.chars().collect();
    characters.chunks(width.max(1)).map(|piece| piece.iter().collect()).collect()
}

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
    fn lines_are_broken_at_spaces_and_long_words_within() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("ab cdefghij k", 4), ["ab", "cdef", "ghij", "k"]);
        assert_eq!(wrapped("", 4), [""]);
        assert_eq!(wrapped("áé íó", 5), ["áé íó"]);
    }

    #[test]
    fn indented_text_reads_back_as_the_same_tree() {
        let json = Json::parse(br#"{"a":[1.10,{"b":"\"x"}],"c":{},"d":[],"e":null}"#).unwrap();
        let text = indented(&json);
        assert!(text.contains("\n    1.10,\n"));
        assert_eq!(Json::parse(text.as_bytes()).unwrap(), json);
        assert!(!without_nulls(&json).contains("null"));
    }
}
