//! Work with a journal, with JSON in and out. `input` is the JSON text of an object,
//! and may be empty.
//!
//! Each entry of `entries` and `recovered` also says what it `needs`: `time`,
//! `query`, `person` or null. In `open`, that is next to the `entry`, with a
//! `reason`.

use super::caught;
use super::input::Input;
use crate::by_name::HostClient;
use crate::commands::command_output;
use crate::journal::{adopt, entries_of, list, milliseconds_of, prune, resolve, resolved, show};
use crate::recovery::recover;
use crate::waiting::difference;
use payments_core::CallContext;
use payments_core::error::Error;
use payments_core::json::{Json, Members};

/// Reads a page of entries. The result has `entries`, at most 1,000, and `now`.
/// `input` may have `only_open` (a flag) and `after` (an id).
///
/// # Errors
/// Those of [`list`](crate::journal::list).
pub fn journal_list(
    client: &HostClient,
    input: &[u8],
    context: &CallContext,
) -> Result<Json, Error> {
    caught(context, || {
        let input = Input::of_members(&["only_open", "after"], input)?;
        let (only_open, after) = (input.flag("only_open")?, input.text("after")?);
        let found = list(client, only_open.unwrap_or(false), after, context)?;
        Ok(entries_of(&found, client.rules()))
    })
}

/// Reads the entries of a `reference` (or an id). The result has `entries` and
/// `now`.
///
/// # Errors
/// Those of [`show`](crate::journal::show).
pub fn journal_show(
    client: &HostClient,
    input: &[u8],
    context: &CallContext,
) -> Result<Json, Error> {
    caught(context, || {
        let input = Input::of_members(&["reference"], input)?;
        let reference = input.required("reference", input.text("reference")?)?;
        show(client, reference, context).map(|found| entries_of(&found, client.rules()))
    })
}

/// Recovers open entries. The result has `recovered`, `open` and `now`.
///
/// # Errors
/// Those of [`recover`].
pub fn journal_recover(
    client: &HostClient,
    input: &[u8],
    context: &CallContext,
) -> Result<Json, Error> {
    caught(context, || {
        Input::of_members(&[], input)?;
        recover(client, context).map(|recovery| recovery.to_json())
    })
}

/// Records a decision: `entry` (an id or a reference), `executed` (a flag) and
/// `note`. The result has `entries`, the one that changed.
///
/// # Errors
/// Those of [`resolve`](crate::journal::resolve).
pub fn journal_resolve(
    client: &HostClient,
    input: &[u8],
    context: &CallContext,
) -> Result<Json, Error> {
    caught(context, || {
        let input = Input::of_members(&["entry", "executed", "note"], input)?;
        let entry = input.required("entry", input.text("entry")?)?;
        let executed = input.required("executed", input.flag("executed")?)?;
        let note = input.required("note", input.text("note")?)?;
        resolve(client, entry, executed, note, context).map(|it| resolved(&it))
    })
}

/// Deletes entries from before `before` (a date or an ISO 8601 time), with the
/// optional flags `recent` and `dry_run`. The result has `dry_run`, `done`,
/// `failed` and `open`.
///
/// # Errors
/// Those of [`prune`](crate::journal::prune).
pub fn journal_prune(
    client: &HostClient,
    input: &[u8],
    context: &CallContext,
) -> Result<Json, Error> {
    caught(context, || {
        let input = Input::of_members(&["before", "recent", "dry_run"], input)?;
        let before = milliseconds_of(input.required("before", input.text("before")?)?)?;
        let (recent, dry_run) = (input.flag("recent")?, input.flag("dry_run")?);
        let (recent, dry_run) = (recent.unwrap_or(false), dry_run.unwrap_or(false));
        prune(client, before, recent, dry_run, context).map(|it| it.to_json())
    })
}

/// Compares a payment with the journal's entry, and with `amount` and `currency` of
/// an order, if they are given: `payment` is the body of the response to a query by
/// `reference`. In the result, `difference` is null if the payment is not paid, or
/// agrees with both.
///
/// # Errors
/// `journal` if it does not work, `validation`.
pub fn journal_compare(
    client: &HostClient,
    input: &[u8],
    context: &CallContext,
) -> Result<Json, Error> {
    caught(context, || {
        let input = Input::of_members(&["reference", "payment", "amount", "currency"], input)?;
        let reference = input.required("reference", input.text("reference")?)?;
        let payment = input.required("payment", input.text("payment")?)?;
        let order = match (input.text("amount")?, input.text("currency")?) {
            (None, None) => None,
            (amount, currency) => {
                Some((input.required("amount", amount)?, input.required("currency", currency)?))
            }
        };
        let difference = difference(client, reference, payment.as_bytes(), order, context)?;
        Ok(Members::from([("difference", difference)]).into())
    })
}

/// Lets calls write to the journal of the client, if it is a copy of a file.
/// The result has `adopted`, which is false if there was nothing to adopt.
///
/// # Errors
/// Those of [`adopt`].
pub fn journal_adopt(
    client: &HostClient,
    input: &[u8],
    context: &CallContext,
) -> Result<Json, Error> {
    caught(context, || {
        Input::of_members(&[], input)?;
        Ok(Members::from([("adopted", adopt(client)?)]).into())
    })
}

/// Runs the command `payments journal`, with `program`, `arguments` (an array of texts),
/// `is_terminal` (a flag), and `explain`, as for [`command_plan`](super::command_plan).
/// The result has `stdout`, `stderr` and `exit_code`.
///
/// # Errors
/// `validation` for a wrong input; other errors are printed.
pub fn journal_command(
    client: &HostClient,
    input: &[u8],
    context: &CallContext,
) -> Result<Json, Error> {
    caught(context, || {
        let input = Input::of_members(&["program", "arguments", "is_terminal", "explain"], input)?;
        let program = input.required("program", input.text("program")?)?;
        let arguments = input.texts("arguments")?;
        let is_terminal = input.flag("is_terminal")?.unwrap_or(false);
        let explain = input.text("explain")?;
        Ok(command_output(client, program, &arguments, is_terminal, explain, context))
    })
}

#[cfg(test)]
mod tests {
    use payments_core::{Client, Config};

    use super::super::{follow_begin, work_of};
    use super::*;

    #[test]
    fn inputs_are_checked() {
        let client = HostClient::new(
            Client::new(Config::new("http://127.0.0.1:1").integration_key("k")).unwrap(),
        );
        let refusal = |action: &str, input: &str| {
            let error = work_of(action)
                .and_then(|run| run(&client, input.as_bytes(), &client.context()))
                .unwrap_err();
            (error.code().as_str(), error.path().unwrap_or_default().to_owned())
        };
        let begun = follow_begin(&client, b"", &client.context()).unwrap();
        let following = begun.to_text();
        for (action, input, code, path) in [
            ("forget", "", "value_invalid", "action"),
            ("journal_list", "[]", "wrong_type", "input"),
            ("journal_list", r#"{"only_opn":true}"#, "member_unknown", "only_opn"),
            ("journal_list", r#"{"only_open":1}"#, "wrong_type", "only_open"),
            ("journal_show", "", "required", "reference"),
            ("journal_resolve", r#"{"entry":"a","executed":true}"#, "required", "note"),
            ("journal_resolve", r#"{"entry":7}"#, "wrong_type", "entry"),
            ("journal_recover", "", "required", "journal"),
            ("journal_prune", "", "required", "before"),
            ("journal_prune", r#"{"before":"31/01/2026"}"#, "value_invalid", "before"),
            ("journal_prune", r#"{"before":"2026-01-31","dry_run":1}"#, "wrong_type", "dry_run"),
            ("journal_compare", r#"{"reference":"order-1"}"#, "required", "payment"),
            (
                "journal_compare",
                r#"{"reference":"order-1","payment":"{}","amount":"1.00"}"#,
                "required",
                "currency",
            ),
            ("journal_command", r#"{"program":"p","arguments":"list"}"#, "wrong_type", "arguments"),
            ("follow_begin", r#"{"references":"order-1"}"#, "wrong_type", "references"),
            ("follow_begin", r#"{"since_ms":-1}"#, "wrong_type", "since_ms"),
            ("follow_next", "", "required", "follow"),
            ("follow_next", r#"{"follow":7}"#, "value_invalid", "follow"),
            ("follow_next", &following, "required", "journal"),
            ("follow_command", "", "wrong_type", "arguments"),
        ] {
            assert_eq!(refusal(action, input), (code, path.to_owned()), "{action} {input}");
        }
    }
}
