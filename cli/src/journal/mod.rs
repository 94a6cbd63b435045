//! `payments journal`.

mod adopt;
mod list;

use std::path::Path;
use std::process::ExitCode;

use payments_core::json::Members;
use payments_core::{CallContext, Client, Error};
use payments_host::commands::{JournalAnswer, JournalRequest, answer_journal, answer_recovery};
use payments_host::journal::file;

use crate::args::Global;
use crate::args::journal::{Executed, JournalCommand};
use crate::journal::list::{JournalList, PROGRAM};
use crate::process::failure::Failure;
use crate::process::{in_own_words, interruption, startup};
use crate::{output, settings};

/// Runs an action on the configured journal.
///
/// # Errors
/// Those of the client's methods; `io` if a file cannot be written.
pub(crate) fn run(global: &Global, command: &JournalCommand) -> Result<ExitCode, Failure> {
    startup::check_output("what it reports")?;
    match command {
        JournalCommand::Create { path } => return create(global, path),
        JournalCommand::Upgrade { path } => return upgrade(global, path),
        JournalCommand::Adopt { path, yes } => return adopt::adopt(global, path, *yes),
        _ => {}
    }
    let client = settings::client(global)?;
    let context = interruption::context(&client)?;
    let request = match command.clone() {
        JournalCommand::Create { .. }
        | JournalCommand::Upgrade { .. }
        | JournalCommand::Adopt { .. } => return Ok(ExitCode::SUCCESS),
        JournalCommand::List { open, export } => {
            let list = JournalList { client: &client, is_open: open, context: &context };
            let listed = match export {
                Some(path) => list.export(&path),
                None => list.print(global),
            };
            return listed.map(|()| ExitCode::SUCCESS);
        }
        JournalCommand::Show { reference } => JournalRequest::Show(reference),
        JournalCommand::Recover { parallel } => {
            let recovery = recover(&client, parallel, &context)?;
            return print(global, &recovery, output::write_text);
        }
        JournalCommand::Resolve { from: Some(path), .. } => JournalRequest::ResolveFrom(path),
        JournalCommand::Resolve { entry, executed, note, from: None } => JournalRequest::Resolve {
            // clap requires them without a file.
            entry: entry.unwrap_or_default(),
            executed: executed.is_some_and(Executed::is_yes),
            note: note.unwrap_or_default(),
        },
        JournalCommand::Prune { before, dry_run, yes } => {
            JournalRequest::Prune { before, dry_run, recent: yes }
        }
    };
    let answer = answer_journal(&client, &request, PROGRAM, &context)?;
    print(global, &answer, if request.is_list() { output::write_list } else { output::write_text })
}

/// The member `journal` of a configuration for the journal at `path`.
fn member_of(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    format!("file:{}", path.display())
}

fn upgrade(global: &Global, path: &Path) -> Result<ExitCode, Failure> {
    let entries = file::upgrade(path)?;
    let text = if output::is_for_people(global) {
        let path = path.display();
        let text = match entries {
            Some(entries) => format!("Upgraded {path}. All {entries} entries are kept."),
            None => format!("{path} has the format of this version; nothing changed."),
        };
        output::without_controls(&text) + "\n"
    } else {
        let mut members = Members::from([("journal", member_of(path))]);
        members.push("upgraded", entries.is_some());
        members.push("entries", entries);
        output::json_text(&members.into())
    };
    output::write_text(&text).map(|()| ExitCode::SUCCESS)
}

fn create(global: &Global, path: &Path) -> Result<ExitCode, Failure> {
    file::create(path)?;
    let member = member_of(path);
    let text = if output::is_for_people(global) {
        format!("Made the journal. Set \"journal\" to \"{member}\".\n")
    } else {
        output::json_text(&Members::from([("journal", member)]).into())
    };
    output::write_text(&text).map(|()| ExitCode::SUCCESS)
}

/// Queries `parallel` entries at a time.
fn recover(client: &Client, parallel: u16, context: &CallContext) -> Result<JournalAnswer, Error> {
    let recovery = payments_host::recovery::begin(client, context)?;
    std::thread::scope(|scope| {
        let work = || recovery.work(context);
        let threads: Vec<_> = (0..parallel).map(|_| scope.spawn(work)).collect();
        let ended = threads.into_iter().filter_map(|thread| thread.join().ok());
        ended.collect::<Result<(), Error>>()
    })?;
    Ok(answer_recovery(&recovery.end(), PROGRAM))
}

fn print(
    global: &Global,
    answer: &JournalAnswer,
    write: fn(&str) -> Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    let text = if output::is_for_people(global) {
        answer.text.clone()
    } else {
        output::json_text(&answer.json)
    };
    write(&in_own_words(&text)).map(|()| ExitCode::from(answer.exit_code))
}
