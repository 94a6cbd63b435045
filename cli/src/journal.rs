//! `payments journal`.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use payments_core::ErrorCode;
use payments_core::bridge::{
    JournalAnswer, JournalRequest, LineFormat, answer_journal, answer_recovery, create_journal,
    protected_cell,
};
use payments_core::journal::Entry;
use payments_core::json::{Json, Members};
use payments_core::{CallContext, Client, Error};

use crate::args::Global;
use crate::failure::Failure;
use crate::journal_args::{Executed, JournalCommand};
#[cfg(windows)]
use crate::keygen;
use crate::{interruption, output, settings};

/// Runs an action on the configured journal.
///
/// # Errors
/// As the methods of the client; `io` if a file cannot be written.
pub(crate) fn run(global: &Global, command: &JournalCommand) -> Result<ExitCode, Failure> {
    if let JournalCommand::Create { path } = command {
        return create(global, path);
    }
    let client = settings::client(global)?;
    let context = interruption::context(&client)?;
    let request = match command.clone() {
        JournalCommand::Create { .. } => return Ok(ExitCode::SUCCESS),
        JournalCommand::List { open, export: Some(path) } => {
            let found = client.list_whole_journal(open, &context)?;
            return write_export(&path, &found.entries).map(|()| ExitCode::SUCCESS);
        }
        JournalCommand::List { open, export: None } => JournalRequest::List { open },
        JournalCommand::Show { reference } => JournalRequest::Show(reference),
        JournalCommand::Recover { parallel } => {
            let recovery = recover(&client, parallel, &context)?;
            return print(global, &recovery);
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
    print(global, &answer_journal(&client, &request, PROGRAM, &context)?)
}

/// The name of this command, in the commands that it tells to run next.
const PROGRAM: &str = "payments";

fn create(global: &Global, path: &Path) -> Result<ExitCode, Failure> {
    create_journal(path)?;
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let member = format!("file:{}", path.display());
    let text = match output::is_for_people(global) {
        true => format!("Made the journal. Set \"journal\" to \"{member}\".\n"),
        false => output::json_text(&Members::from([("journal", member)]).into()),
    };
    output::write_text(&text).map(|()| ExitCode::SUCCESS)
}

/// Queries `parallel` entries at a time.
fn recover(client: &Client, parallel: u16, context: &CallContext) -> Result<JournalAnswer, Error> {
    let recovery = client.begin_recovery(context)?;
    std::thread::scope(|scope| {
        let work = || recovery.work(context);
        let threads: Vec<_> = (0..parallel).map(|_| scope.spawn(work)).collect();
        let ended = threads.into_iter().filter_map(|thread| thread.join().ok());
        ended.collect::<Result<(), Error>>()
    })?;
    Ok(answer_recovery(&recovery.end(), PROGRAM))
}

fn print(global: &Global, answer: &JournalAnswer) -> Result<ExitCode, Failure> {
    let text = match output::is_for_people(global) {
        true => answer.text.clone(),
        false => output::json_text(&answer.json),
    };
    output::write_text(&text).map(|()| ExitCode::from(answer.exit_code))
}

/// Writes the entries to a new file that only this user can read.
fn write_export(path: &Path, entries: &[Entry]) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::io(
            ErrorCode::OUTPUT_FAILED,
            format!("could not write {}: {error}", path.display()),
        )
    };
    #[cfg(windows)]
    keygen::refuse_shared(path)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(|error| failed(&error))?;
    if LineFormat::of(path) == Some(LineFormat::JsonLines) {
        let lines = entries.iter().map(|entry| entry.to_json().to_text() + "\n");
        let text: String = lines.collect();
        return file.write_all(text.as_bytes()).map_err(|error| failed(&error));
    }
    let mut table = csv::Writer::from_writer(file);
    for (index, entry) in entries.iter().enumerate() {
        let Json::Object(members) = entry.to_json() else { continue };
        if index == 0 {
            let names = members.iter().map(|(name, _)| name);
            table.write_record(names).map_err(|error| failed(&error))?;
        }
        let values = members
            .iter()
            .map(|(_, value)| protected_cell(value.as_text_or_number().unwrap_or_default()));
        table.write_record(values).map_err(|error| failed(&error))?;
    }
    table.flush().map_err(|error| failed(&error))
}
