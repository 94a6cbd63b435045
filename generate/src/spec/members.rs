//! `spec/error_members.toml`, and members of errors and events.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Mistakes, Text};

/// The type of a member, in every language.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Type {
    Text,
    Integer,
    /// The number of a call.
    Call,
    Microseconds,
    Seconds,
    HttpStatus,
    Kind,
    Outcome,
    Operation,
    Diagnosis,
    JournalEntry,
}

/// A member of an error's report or of an event.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Member {
    #[serde(rename = "type")]
    pub(super) holds: Type,
    /// Every text that it can be.
    pub(super) one_of: Option<Vec<String>>,
    #[serde(default)]
    pub(super) may_be_null: bool,
    /// The group that it belongs to: all are there, or none is.
    pub(super) with: Option<String>,
    /// A phrase; empty if the name is enough.
    #[serde(default)]
    pub(super) doc: String,
    /// Further sentences, where there is room.
    #[serde(default)]
    more: String,
}

/// `spec/error_members.toml`.
#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErrorMembers {
    explain: Explain,
    members: IndexMap<String, Member>,
    /// The members of an error outside of its report.
    details: IndexMap<String, Detail>,
}

/// The command that explains a code, in each language.
#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Explain {
    command: String,
    python: String,
    node: String,
    php: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Detail {
    doc: String,
}

impl ErrorMembers {
    pub(super) fn has(&self, name: &str) -> bool {
        self.members.contains_key(name) || self.details.contains_key(name)
    }
}

pub(super) fn read(file: &Text, mistakes: &mut Mistakes) -> ErrorMembers {
    let error: ErrorMembers = file.parsed(mistakes).unwrap_or_default();
    for (name, member) in &error.members {
        let place = file.place(&format!("{name} = "));
        check(name, member, &place, mistakes);
        if member.doc.is_empty() {
            mistakes.add(&place, format!("{name} has no doc"));
        }
    }
    error
}

/// Notes the mistakes of a member, in any file.
pub(super) fn check(name: &str, member: &Member, place: &str, mistakes: &mut Mistakes) {
    if member.doc.ends_with('.') || member.doc.starts_with(char::is_uppercase) {
        mistakes.add(place, format!("the doc of {name} is no phrase: no capital, no full stop"));
    }
    if name.ends_with("_us") != (member.holds == Type::Microseconds) {
        mistakes.add(place, format!("{name} ends in _us, or is microseconds, but not both"));
    }
    if member.one_of.is_some() && member.holds != Type::Text {
        mistakes.add(place, format!("{name} has one_of, and is no text"));
    }
    if member.with.is_some() && !member.may_be_null {
        mistakes.add(place, format!("{name} has `with`, and is always there"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_named_with_its_line() {
        let mistakes = |line: &str| {
            let text = format!(
                "explain = {{ command = '', python = '', node = '', php = '' }}\n[members]\ncode = {{ {line} }}\n[details]\n"
            );
            let mut mistakes = Mistakes::default();
            read(&Text { path: "file".to_owned(), text }, &mut mistakes);
            mistakes.0.join("\n")
        };
        assert_eq!(mistakes("type = 'text', doc = 'what'"), "");
        assert_eq!(mistakes("type = 'text'"), "file:3: code has no doc");
        assert!(mistakes("type = 'txt', doc = 'a'").starts_with("file:3: unknown variant `txt`"));
        assert!(mistakes("type = 'text', doc = 'What.'").contains("is no phrase"));
        assert!(mistakes("type = 'microseconds', doc = 'a'").contains("ends in _us, or"));
        assert!(mistakes("type = 'kind', one_of = [], doc = 'a'").contains("is no text"));
        assert!(mistakes("type = 'text', with = 'a', doc = 'a'").contains("always there"));
    }
}
