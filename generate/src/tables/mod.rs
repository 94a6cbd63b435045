//! Error kinds, the members of errors and of the configuration, and events, as
//! other languages repeat them.

mod c;
mod node;
mod pages;
mod php;
mod python;

use payments_core::ErrorKind;
use payments_core::error::MEMBERS;

use crate::File;

/// All files generated from these tables.
pub(crate) fn files() -> Vec<File> {
    [c::files(), python::files(), node::files(), php::files(), pages::files()].concat()
}

/// Members of an error that are not part of its report.
const DETAILS: [&str; 3] = ["response", "request_body", "response_body"];

/// Additional documentation of a kind; `named` spells members of an error in
/// the target language.
fn more_of(kind: ErrorKind, named: impl Fn(&str) -> String) -> String {
    let is_member =
        |name: &str| MEMBERS.iter().any(|it| it.name == name) || DETAILS.contains(&name);
    let parts = kind.more().split('`').enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => part.to_owned(),
        _ if is_member(part) => named(part),
        _ => format!("`{part}`"),
    });
    parts.collect()
}

/// The meaning, a space, and the additional documentation.
fn doc_of(kind: ErrorKind, named: impl Fn(&str) -> String) -> String {
    format!("{} {}", kind.meaning(), more_of(kind, named)).trim_end().to_owned()
}

/// The kind's name within class names, for example `TooLarge`.
fn class_of(kind: ErrorKind) -> String {
    format!("{kind:?}")
}

/// `retry_after` as `RetryAfter`.
fn in_pascal(name: &str) -> String {
    name.split('_').map(in_capital).collect()
}

/// `retry_after` as `retryAfter`.
fn in_camel(name: &str) -> String {
    let (first, rest) = name.split_once('_').unwrap_or((name, ""));
    format!("{first}{}", in_pascal(rest))
}

/// Capitalizes the first letter.
fn in_capital(text: &str) -> String {
    let mut text = text.to_owned();
    text.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
    text
}

/// Turns a sentence into a phrase: no capital, no final period.
fn in_a_phrase(sentence: &str) -> String {
    let sentence = sentence.strip_suffix('.').unwrap_or(sentence);
    let is_abbreviation = sentence.chars().nth(1).is_some_and(char::is_uppercase);
    let mut text = sentence.to_owned();
    if !is_abbreviation {
        text.get_mut(..1).into_iter().for_each(str::make_ascii_lowercase);
    }
    text
}

/// Wraps text into lines of at most `width` characters, each indented.
fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let mut lines = vec![indent.to_owned()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().filter(|it| {
            it.len() == indent.len() || it.chars().count() + 1 + word.chars().count() <= width
        });
        match line {
            Some(line) => {
                if line.len() > indent.len() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            None => lines.push(format!("{indent}{word}")),
        }
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_fitted_to_their_place() {
        assert_eq!(in_a_phrase("The TLS handshake failed."), "the TLS handshake failed");
        assert_eq!(in_a_phrase("A bug."), "a bug");
        assert_eq!(in_a_phrase("TLS failed."), "TLS failed");
        assert_eq!(wrapped("one two three", 9, "  "), "  one two\n  three\n");
        assert_eq!(
            (in_camel("http_status"), in_camel("kind")),
            ("httpStatus".into(), "kind".into())
        );
    }
}
