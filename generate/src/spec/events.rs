//! `spec/events.toml`.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::members::{self, Member};
use super::{Mistakes, Text};

#[derive(Default, Serialize)]
pub(super) struct Events {
    /// The members of every event.
    every_event: IndexMap<String, Member>,
    events: IndexMap<String, Event>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Event {
    /// When it happens, in one sentence.
    doc: String,
    #[serde(default)]
    members: IndexMap<String, Member>,
    /// The values of `with`.
    #[serde(skip_deserializing)]
    groups: BTreeSet<String>,
}

/// The table of what every event has.
const EVERY: &str = "every_event";

pub(super) fn read(file: &Text, mistakes: &mut Mistakes) -> Events {
    let mut events: IndexMap<String, Event> = file.parsed(mistakes).unwrap_or_default();
    for (name, event) in &mut events {
        event.groups = event.members.values().filter_map(|member| member.with.clone()).collect();
        let place = file.place(&format!("[{name}]"));
        if !event.doc.ends_with('.') {
            mistakes.add(&place, format!("the doc of {name} is no sentence"));
        }
        let place = file.place(&format!("[{name}.members]"));
        for (name, member) in &event.members {
            members::check(name, member, &place, mistakes);
        }
    }
    let every_event = events.shift_remove(EVERY).map(|every| every.members).unwrap_or_default();
    Events { every_event, events }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_named_with_its_line() {
        let mistakes = |text: &str| {
            let mut mistakes = Mistakes::default();
            read(&Text { path: "file".to_owned(), text: text.to_owned() }, &mut mistakes);
            mistakes.0.join("\n")
        };
        let event = "[one]\ndoc = 'It is.'\n[one.members]\nwait_us = { type = 'microseconds' }\n";
        assert_eq!(mistakes(event), "");
        let unended = mistakes(&event.replace("is.", "is"));
        assert_eq!(unended, "file:1: the doc of one is no sentence");
        let unnamed = mistakes(&event.replace("wait_us", "wait"));
        assert_eq!(unnamed, "file:3: wait ends in _us, or is microseconds, but not both");
        let again = mistakes(&format!("{event}wait_us = 1\n"));
        assert_eq!(again, "file:5: duplicate key");
    }
}
