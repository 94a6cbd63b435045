//! The books of a journal, with JSON in and out.

use super::input::Input;
use super::{caught, following};
use crate::by_name::HostClient;
use crate::commands::command_output;
use crate::journal::{entries_of, list, milliseconds_of, prune, resolve, resolved, show};
use crate::recovery::recover;
use crate::waiting::difference;
use payments_core::CallContext;
use payments_core::error::{Error, ErrorCode};
use payments_core::for_host::ErrorParts as _;
use payments_core::json::{Json, Members};

/// What can be done with a journal, and the members of each input.
const ACTIONS: [(&str, &[&str]); 11] = [
    ("list", &["only_open", "after"]),
    ("show", &["reference"]),
    ("recover", &[]),
    ("resolve", &["entry", "executed", "note"]),
    ("prune", &["before", "recent", "dry_run"]),
    ("compare", &["reference", "payment"]),
    ("command", &["program", "arguments", "is_terminal"]),
    ("follow", following::OPTIONS),
    ("next_end", &["follow", "confirmed", "wait_ms"]),
    ("end_follow", &["follow"]),
    (
        "follow_command",
        &["arguments", "follow", "confirmed", "wait_ms", "is_terminal", "interrupted"],
    ),
];

/// Works with the journal of this client, or follows payments. `input` is the JSON text of an object:
///
/// | Action | Input | Result |
/// |---|---|---|
/// | `list` | `only_open` (a flag) and `after` (an id), both optional | `entries`, at most 1,000, and `now` |
/// | `show` | `reference` (or an id) | `entries` and `now` |
/// | `recover` | nothing | `recovered`, `open` and `now` |
/// | `resolve` | `entry` (an id or a reference), `executed` (a flag), `note` | `entries`, the one that changed |
/// | `prune` | `before` (a date or an ISO 8601 time), `recent` and `dry_run` (flags, optional) | `dry_run`, `done`, `failed` and `open` |
/// | `compare` | `reference` and `payment`, the body of the response to a query by it | `difference`, or null if the payment is not paid, or is what the journal has |
/// | `command` | `program`, `arguments` (an array of texts), `is_terminal` (a flag) | `stdout`, `stderr` and `exit_code` of the command `payments journal` |
/// | `follow` | `references` (an array of texts; without it, the journal says what to follow), `by_hash` (a flag), `state` (a path), `since_ms`, `give_up_after_ms`, `forget_after_ms` and `per_second`, all optional | `follow`, a number |
/// | `next_end` | `follow`, `confirmed` (whether the end before was handled; otherwise it comes again) and `wait_ms` (optional) | `end`, or null if there is none yet, and `is_over` |
/// | `end_follow` | `follow` | null; the state file is free |
/// | `follow_command` | `arguments`, or to go on `follow`, `confirmed`, `wait_ms` and `is_terminal` | `stdout`, `stderr`, `follow`, and `exit_code` or null of the command `payments follow` |
/// | | `follow`, `confirmed` and `interrupted` (a flag): a signal ends it | `exit_code`, or null to end by the signal |
///
/// Each entry of `entries` and `recovered` also says what it `needs`: `time`,
/// `query`, `person` or null. In `open`, that is beside the `entry`, with a
/// `reason`.
///
/// # Errors
/// `validation` for an unknown action or member, and as
/// [`list`] and its siblings.
pub fn journal(
    client: &HostClient,
    action: &str,
    input: &[u8],
    context: &CallContext,
) -> Result<Json, Error> {
    caught(context, || {
        let input = read(action, input)?;
        match action {
            "list" => {
                let (only_open, after) = (input.flag("only_open")?, input.text("after")?);
                let found = list(client, only_open.unwrap_or(false), after, context)?;
                Ok(entries_of(&found))
            }
            "show" => {
                let reference = input.required("reference", input.text("reference")?)?;
                show(client, reference, context).map(|found| entries_of(&found))
            }
            "resolve" => {
                let entry = input.required("entry", input.text("entry")?)?;
                let executed = input.required("executed", input.flag("executed")?)?;
                let note = input.required("note", input.text("note")?)?;
                resolve(client, entry, executed, note, context).map(|it| resolved(&it))
            }
            "prune" => {
                let before = milliseconds_of(input.required("before", input.text("before")?)?)?;
                let (recent, dry_run) = (input.flag("recent")?, input.flag("dry_run")?);
                let (recent, dry_run) = (recent.unwrap_or(false), dry_run.unwrap_or(false));
                prune(client, before, recent, dry_run, context).map(|it| it.to_json())
            }
            "compare" => {
                let reference = input.required("reference", input.text("reference")?)?;
                let payment = input.required("payment", input.text("payment")?)?;
                let difference = difference(client, reference, payment.as_bytes(), context)?;
                Ok(Members::from([("difference", difference)]).into())
            }
            "command" => {
                let program = input.required("program", input.text("program")?)?;
                let arguments = input.texts("arguments")?;
                let is_terminal = input.flag("is_terminal")?.unwrap_or(false);
                Ok(command_output(client, program, &arguments, is_terminal, context))
            }
            "follow" => following::begin(client, &input, context),
            "next_end" => following::next(client, &input, context),
            "end_follow" => following::end(client, &input),
            "follow_command" => following::command(client, &input, context),
            _ => recover(client, context).map(|recovery| recovery.to_json()),
        }
    })
}

fn read(action: &str, input: &[u8]) -> Result<Input, Error> {
    let Some((_, known)) = ACTIONS.iter().find(|(name, _)| *name == action) else {
        let names = ACTIONS.map(|(name, _)| name).join(", ");
        let message = format!("unknown action; the actions are {names}");
        return Err(Error::validation("action", ErrorCode::OPERATION_UNKNOWN, message));
    };
    Input::of_members(known, input)
}

#[cfg(test)]
mod tests {
    use payments_core::{Client, Config};

    use super::*;

    #[test]
    fn inputs_are_checked() {
        let client = HostClient::new(
            Client::new(Config::new("http://127.0.0.1:1").integration_key("k")).unwrap(),
        );
        let told = |action: &str, input: &str| {
            let error = journal(&client, action, input.as_bytes(), &client.context()).unwrap_err();
            (error.code().as_str(), error.path().unwrap_or_default().to_owned())
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
            ("prune", "", "required", "before"),
            ("prune", r#"{"before":"31/01/2026"}"#, "value_invalid", "before"),
            ("prune", r#"{"before":"2026-01-31","dry_run":1}"#, "wrong_type", "dry_run"),
            ("compare", r#"{"reference":"order-1"}"#, "required", "payment"),
            ("command", r#"{"program":"p","arguments":"list"}"#, "wrong_type", "arguments"),
            ("follow", r#"{"references":"order-1"}"#, "wrong_type", "references"),
            ("follow", r#"{"since_ms":-1}"#, "wrong_type", "since_ms"),
            ("follow", "", "required", "journal"),
            ("next_end", "", "required", "follow"),
            ("next_end", r#"{"follow":7}"#, "value_invalid", "follow"),
            ("follow_command", "", "wrong_type", "arguments"),
        ] {
            assert_eq!(told(action, input), (code, path.to_owned()), "{action} {input}");
        }
    }
}
