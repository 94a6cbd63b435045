//! Tables in the documentation.

use payments_core::ErrorKind;
use payments_core::config::{FIELDS, Field, Unset};
use payments_core::observer::{Description, EVENTS};

use super::{class_of, in_a_phrase, in_capital, more_of, python};
use crate::File;

pub(super) fn files() -> Vec<File> {
    vec![
        File::with_parts("docs/concepts.md", &[("errors", in_docs(table(errors())))]),
        File::with_parts(
            "docs/configuration.md",
            &[("configuration", in_docs(table(configuration())))],
        ),
        File::with_parts("docs/operations.md", &[("events", table(events(|_| None, "Event")))]),
        File::with_parts(
            "bindings-python/README.md",
            &[
                ("errors", table(python_errors())),
                ("events", table(events(|name| Some(python::event_class(name)), "`event`"))),
            ],
        ),
        File::with_parts(
            "bindings-node/README.md",
            &[
                ("kinds", names(ErrorKind::ALL.map(|kind| kind.as_str().to_owned()).to_vec())),
                ("events", table(events(|_| None, "Event"))),
            ],
        ),
        File::with_parts(
            "bindings-php/README.md",
            &[
                ("errors", table(php_errors())),
                ("events", names(EVENTS.iter().map(|it| it.name.to_owned()).collect())),
            ],
        ),
    ]
}

/// Joins rows; blank lines separate the table from the markers.
fn table(rows: Vec<String>) -> String {
    format!("\n\n{}\n\n", rows.join("\n"))
}

/// Rewrites the core's links, which start at the repository root, for docs/.
fn in_docs(text: String) -> String {
    text.replace("](docs/", "](")
}

fn names(names: Vec<String>) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn errors() -> Vec<String> {
    let mut rows =
        vec!["| Kind | What happened | Outcome |".to_owned(), "|---|---|---|".to_owned()];
    for kind in ErrorKind::ALL {
        let outcome = kind.usual_outcome().words;
        rows.push(format!("| `{kind}` | {} | {outcome} |", meaning_of(kind)));
    }
    rows
}

fn python_errors() -> Vec<String> {
    let mut rows = vec!["| Class | Meaning |".to_owned(), "|---|---|".to_owned()];
    for kind in ErrorKind::ALL {
        rows.push(format!("| `{}` | {} |", python::error_class(kind), meaning_of(kind)));
    }
    rows
}

fn php_errors() -> Vec<String> {
    let mut rows = vec!["| Class | Meaning |".to_owned(), "|---|---|".to_owned()];
    for kind in ErrorKind::ALL {
        rows.push(format!("| `{}Exception` | {} |", class_of(kind), in_a_phrase(kind.meaning())));
    }
    rows
}

fn meaning_of(kind: ErrorKind) -> String {
    let more = more_of(kind, |name| format!("`{name}`"));
    let meaning = in_a_phrase(kind.meaning());
    if more.is_empty() { meaning } else { format!("{meaning}; {}", in_a_phrase(&more)) }
}

/// One row per member; a member shares its row with its `_file` form.
fn configuration() -> Vec<String> {
    let mut rows = vec!["| Member | Default | Meaning |".to_owned(), "|---|---|---|".to_owned()];
    let is_file_of = |field: &Field, text: &Field| {
        field.name.strip_suffix("_file").is_some_and(|name| name == text.name)
    };
    for (index, field) in FIELDS.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| FIELDS.get(before));
        if before.is_some_and(|before| is_file_of(field, before)) {
            continue;
        }
        let file = FIELDS.get(index + 1).filter(|next| is_file_of(next, field));
        let file = file.map(|file| format!(", `{}`", file.name)).unwrap_or_default();
        let default = match field.unset {
            _ if field.is_required => "required".to_owned(),
            Unset::Nothing => "none".to_owned(),
            Unset::Value(value) => format!("`{value}`"),
            Unset::Words(words) => words.to_owned(),
        };
        let doc = format!("{}. {}", in_capital(field.doc), field.more);
        rows.push(format!("| `{}`{file} | {default} | {} |", field.name, doc.trim_end()));
    }
    rows
}

/// The table of events, with each event's type if the language has one.
fn events(type_of: impl Fn(&str) -> Option<String>, head: &str) -> Vec<String> {
    let of = |event: &Description| {
        type_of(event.name).map(|name| format!(" `{name}` |")).unwrap_or_default()
    };
    let has_types = EVENTS.first().is_some_and(|event| !of(event).is_empty());
    let (types, line) = if has_types { (" Type |", "---|") } else { ("", "") };
    let mut rows =
        vec![format!("| {head} |{types} Members | When |"), format!("|---|{line}---|---|")];
    for event in EVENTS {
        let mark = |may_be_null: bool| if may_be_null { "?" } else { "" };
        let members = event.members.iter();
        let members: Vec<_> =
            members.map(|it| format!("`{}`{}", it.name, mark(it.may_be_null))).collect();
        let members = match members.is_empty() {
            true => " ".to_owned(),
            false => format!(" {} ", members.join(", ")),
        };
        rows.push(format!("| `{}` |{}{members}| {} |", event.name, of(event), when(event)));
    }
    rows
}

/// When the event occurs, with the notes on its members.
fn when(event: &Description) -> String {
    let noted = event.members.iter().filter(|member| !member.doc.is_empty());
    let notes = noted.map(|member| format!("; `{}`: {}", member.name, member.doc));
    in_a_phrase(event.doc) + &notes.collect::<String>()
}
