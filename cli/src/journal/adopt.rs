//! `payments journal adopt`: lets calls write to a copy of a journal, after a
//! person settled the later calls.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use payments_base::utc::iso_8601;
use payments_core::ErrorCode;
use payments_core::journal::JournalCopy;
use payments_core::json::{Json, Members};
use payments_core::rules::Rules;
use payments_host::commands::list_text;
use payments_host::journal::file;

use crate::args::Global;
use crate::journal::list::PROGRAM;
use crate::output;
use crate::output::confirm::{can_ask, is_confirmed};
use crate::process::failure::Failure;
use crate::settings;

/// Lists the calls that the copy may lack and its open entries, asks, and
/// adopts it. A configuration, if there is one, says what is queried.
///
/// # Errors
/// `usage` without a confirmation, `journal` if the file cannot be used, `config`
/// if the configuration cannot be.
pub(crate) fn adopt(global: &Global, path: &Path, is_sure: bool) -> Result<ExitCode, Failure> {
    let Some(copy) = file::copy(path)? else {
        let text = format!("{} is no copy, or was adopted; nothing changed", path.display());
        return print(global, path, None, &text);
    };
    let sources = settings::sources(global);
    let is_configured = sources.file.is_some() || !sources.variables.is_empty();
    let rules =
        if is_configured { settings::client(global)?.rules().clone() } else { Rules::default() };
    let open = open_entries(&copy, &rules);
    let warning = warning_of(path, &copy);
    if is_sure {
        output::note(&warning);
    } else if let Err(failure) = confirm(&copy, &rules, is_configured, &warning) {
        return Err(failure.with_member("newest_at", copy.newest).with_member("open", open));
    }
    file::adopt(path)?;
    let text = format!("Adopted {}. Calls write to it from now on.", path.display());
    print(global, path, Some((copy.newest, open)), &text)
}

/// Asks on a terminal.
fn confirm(
    copy: &JournalCopy,
    rules: &Rules,
    is_configured: bool,
    warning: &str,
) -> Result<(), Failure> {
    let not_confirmed = |message: &str| Err(Failure::usage(ErrorCode::NOT_CONFIRMED, message));
    if !can_ask() {
        return not_confirmed(&format!(
            "{warning}; nobody can confirm here that this is done; give --yes if it is"
        ));
    }
    output::note(warning);
    let heading = if is_configured { "Open:" } else { "Open, if payout_query is off:" };
    let open = if copy.open.entries.is_empty() {
        "No entry is open.\n".to_owned()
    } else {
        format!("{heading}\n{}", list_text(&copy.open, rules, PROGRAM))
    };
    // Without a terminal, there is no yes.
    let _ = std::io::stderr().write_all(open.as_bytes());
    if is_confirmed("Adopt the copy?") {
        Ok(())
    } else {
        not_confirmed("not confirmed; nothing changed")
    }
}

/// The calls that the copy may lack.
fn warning_of(path: &Path, copy: &JournalCopy) -> String {
    let path = path.display();
    let open = copy.open.entries.len();
    let after = match copy.newest {
        Some(newest) => format!("after its newest entry, of {}", iso_8601(newest)),
        None => "after it, and has no entry".to_owned(),
    };
    format!(
        "{path} is a copy of a journal, with {open} open entries; it does not know what was sent \
         {after}, and would let it be sent again; look that up on the provider's platform, and \
         send none of it again"
    )
}

fn print(
    global: &Global,
    path: &Path,
    adopted: Option<(Option<u64>, Vec<Json>)>,
    text: &str,
) -> Result<ExitCode, Failure> {
    if output::is_for_people(global) {
        let text = output::without_controls(text) + "\n";
        return output::write_text(&text).map(|()| ExitCode::SUCCESS);
    }
    let mut members = Members::from([("journal", super::member_of(path))]);
    members.push("adopted", adopted.is_some());
    let (newest, open) = adopted.unwrap_or_default();
    members.push("newest_at", newest);
    members.push("open", open);
    output::write_text(&output::json_text(&members.into())).map(|()| ExitCode::SUCCESS)
}

fn open_entries(copy: &JournalCopy, rules: &Rules) -> Vec<Json> {
    let now = copy.open.now;
    copy.open.entries.iter().map(|entry| entry.to_json_at(now, rules)).collect()
}
