//! Texts of a request that look like other texts.

use std::collections::HashMap;

use payments_base::invisible::is_invisible;
use payments_core::json::{Json, Members};
use unicode_normalization::UnicodeNormalization as _;

/// The message for a text that has a control character.
pub(super) fn control_in(text: &str) -> Option<&'static str> {
    if text.contains(['\n', '\r']) {
        Some("contains a line break; remove it")
    } else if text.contains(char::is_control) {
        Some("contains a control character; remove it")
    } else {
        None
    }
}

/// The members of a request that have control characters, with a message for
/// each.
pub(super) fn controls_in(members: &Members) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    for (name, value) in members.iter() {
        let path = shown(name);
        found.extend(control_in(name).map(|message| (path.clone(), message)));
        collect(value, path, &mut found);
    }
    found
}

fn collect(value: &Json, path: String, found: &mut Vec<(String, &'static str)>) {
    match value {
        Json::String(text) => found.extend(control_in(text).map(|message| (path, message))),
        Json::Object(members) => {
            let inner = controls_in(members).into_iter();
            found.extend(inner.map(|(inner, message)| (format!("{path}.{inner}"), message)));
        }
        Json::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                collect(element, format!("{path}[{index}]"), found);
            }
        }
        _ => {}
    }
}

/// A name, unless it may be data of a person.
fn shown(name: &str) -> String {
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
    if name.chars().all(is_name) { name.to_owned() } else { "?".to_owned() }
}

/// References that look alike: the later one, with the first.
pub(super) fn similar<'r, L: Copy>(references: impl Iterator<Item = (L, &'r str)>) -> Vec<(L, L)> {
    let mut first: HashMap<String, L> = HashMap::new();
    let mut similar = Vec::new();
    for (line, reference) in references {
        match first.get(&folded(reference)) {
            Some(before) => similar.push((line, *before)),
            None => drop(first.insert(folded(reference), line)),
        }
    }
    similar
}

/// A reference without case, normal form, and invisible characters.
fn folded(reference: &str) -> String {
    let seen = reference.nfkc().filter(|it| !is_invisible(*it));
    // By way of capitals, which `ß` and a final sigma share with other letters.
    let folded: String =
        seen.flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect();
    folded.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_found_at_any_depth() {
        let request = br#"{"external_reference":"p\u0000","payee":{"name":"a\nb","email":"a"},
            "extra":{"list":["x",{"y":"\t"}],"maria@example.com":"\u007f"},"amount":1}"#;
        let Ok(Json::Object(members)) = Json::parse(request) else { panic!("an object") };
        let (control, line_break) =
            ("contains a control character; remove it", "contains a line break; remove it");
        let expected = [
            ("external_reference", control),
            ("payee.name", line_break),
            ("extra.list[1].y", control),
            ("extra.?", control),
        ];
        let expected = expected.map(|(path, message)| (path.to_owned(), message));
        assert_eq!(controls_in(&members), expected);
    }

    #[test]
    fn references_that_look_the_same_are_similar() {
        let similar = |texts: &[&str]| similar(texts.iter().copied().enumerate());
        for other in ["Z-1", "z-1\u{200b}", "z\u{ad}-1", "ｚ-1", " z-1", "z-１"] {
            assert_eq!(similar(&["z-1", other]), [(1, 0)], "{other:?}");
        }
        assert_eq!(similar(&["ação-1", "a", "ac\u{327}a\u{303}o-1", "AÇÃO-1"]), [(2, 0), (3, 0)]);
        assert_eq!(
            similar(&["stra\u{df}e-1", "STRASSE-1", "\u{3c2}-1", "\u{3c3}-1"]),
            [(1, 0), (3, 2)]
        );
        assert_eq!(similar(&["z-1", "z-2", "z1", "z--1", "z-\u{661}"]), []);
    }
}
