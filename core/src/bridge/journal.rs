//! The books of a journal, with JSON in and out.

use std::path::Path;

use super::caught;
use crate::client::Client;
use crate::context::CallContext;
use crate::error::Error;
use crate::journal::Entry;
use crate::json::{Json, Members};
use crate::near::nearest;

/// What can be done with a journal, and the members of each input.
const ACTIONS: [(&str, &[&str]); 4] = [
    ("list", &["only_open", "after"]),
    ("show", &["reference"]),
    ("recover", &[]),
    ("resolve", &["entry", "executed", "note"]),
];

/// Works with the journal of this client. `input` is the JSON text of an object:
///
/// | Action | Input | Result |
/// |---|---|---|
/// | `list` | `only_open` (a flag) and `after` (an id), both optional | `entries`, at most 1,000 |
/// | `show` | `reference` (or an id) | `entries` |
/// | `recover` | nothing | `recovered`, `open` and `deleted` |
/// | `resolve` | `entry` (an id or a reference), `executed` (a flag), `note` | `entries`, the one that changed |
///
/// # Errors
/// `validation` for an unknown action or member, and as
/// [`Client::list_journal`] and its siblings.
pub fn journal(
    client: &Client,
    action: &str,
    input: &[u8],
    context: &CallContext,
) -> Result<Json, Error> {
    caught(context, || {
        let input = Input::read(action, input)?;
        match action {
            "list" => {
                let (only_open, after) = (input.flag("only_open")?, input.text("after")?);
                client.list_journal(only_open.unwrap_or(false), after, context).map(entries)
            }
            "show" => {
                let reference = input.required("reference", input.text("reference")?)?;
                client.show_journal(reference, context).map(entries)
            }
            "resolve" => {
                let entry = input.required("entry", input.text("entry")?)?;
                let executed = input.required("executed", input.flag("executed")?)?;
                let note = input.required("note", input.text("note")?)?;
                client.resolve_journal(entry, executed, note, context).map(|it| entries(vec![it]))
            }
            _ => client.recover_journal(context).map(|recovery| recovery.to_json()),
        }
    })
}

/// Makes the file of a journal.
///
/// # Errors
/// `journal` if it cannot be made there, `config` if this build has no journals
/// in files.
pub fn create_journal(path: &Path) -> Result<(), Error> {
    #[cfg(all(unix, feature = "journal-sqlite"))]
    return crate::journal::SqliteJournal::create(path).map(drop);
    #[cfg(not(all(unix, feature = "journal-sqlite")))]
    return Err(crate::config::journals_unsupported(path));
}

fn entries(entries: Vec<Entry>) -> Json {
    let entries: Vec<_> = entries.iter().map(Entry::to_json).collect();
    Json::Object(Members::from([("entries", entries)]))
}

struct Input(Members);

impl Input {
    fn read(action: &str, input: &[u8]) -> Result<Self, Error> {
        let Some((_, known)) = ACTIONS.iter().find(|(name, _)| *name == action) else {
            let names = ACTIONS.map(|(name, _)| name).join(", ");
            let message = format!("unknown action; the actions are {names}");
            return Err(Error::validation("action", "operation_unknown", message));
        };
        let json = if input.is_empty() { Members::new().into() } else { Json::parse(input)? };
        let Json::Object(members) = json else {
            return Err(Error::validation("input", "wrong_type", "must be an object"));
        };
        if let Some((name, _)) = members.iter().find(|(name, _)| !known.contains(name)) {
            let meant = nearest(name, known.iter().copied());
            let meant = meant.map(|it| format!("; did you mean {it}?")).unwrap_or_default();
            let message = format!("unknown member{meant}");
            return Err(Error::validation(name, "member_unknown", message));
        }
        Ok(Self(members))
    }

    fn given(&self, name: &str) -> Option<&Json> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Result<Option<&str>, Error> {
        let wrong = || Error::validation(name, "wrong_type", "must be a string");
        self.given(name).map(|value| value.as_str().ok_or_else(wrong)).transpose()
    }

    fn flag(&self, name: &str) -> Result<Option<bool>, Error> {
        let wrong = || Error::validation(name, "wrong_type", "must be true or false");
        self.given(name).map(|value| value.as_bool().ok_or_else(wrong)).transpose()
    }

    fn required<T>(&self, name: &str, value: Option<T>) -> Result<T, Error> {
        value.ok_or_else(|| Error::validation(name, "required", "required"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn inputs_are_checked() {
        let client = Client::new(Config::new("http://127.0.0.1:1")).unwrap();
        let told = |action: &str, input: &str| {
            let error = journal(&client, action, input.as_bytes(), &client.context()).unwrap_err();
            (error.code(), error.path().unwrap_or_default().to_owned())
        };
        for (action, input, code, path) in [
            ("forget", "", "operation_unknown", "action"),
            ("list", "[]", "wrong_type", "input"),
            ("list", r#"{"only_opn":true}"#, "member_unknown", "only_opn"),
            ("list", r#"{"only_open":1}"#, "wrong_type", "only_open"),
            ("show", "", "required", "reference"),
            ("resolve", r#"{"entry":"a","executed":true}"#, "required", "note"),
            ("resolve", r#"{"entry":7}"#, "wrong_type", "entry"),
            ("recover", "", "required", "journal"),
        ] {
            assert_eq!(told(action, input), (code, path.to_owned()), "{action} {input}");
        }
    }
}
