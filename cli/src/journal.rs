//! `payments journal`.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use payments_core::journal::{Entry, SqliteJournal};
use payments_core::json::{Json, Members};
use payments_core::recovery::Recovery;
use payments_core::{CallContext, Client};

use crate::args::Global;
use crate::failure::{EXIT_UNKNOWN, Failure};
use crate::journal_args::JournalCommand;
use crate::{formula, interruption, output, settings};

/// Runs an action on the configured journal.
///
/// # Errors
/// As the methods of the client; `io` if a file cannot be written.
pub(crate) fn run(global: &Global, command: &JournalCommand) -> Result<ExitCode, Failure> {
    if let JournalCommand::Create { path } = command {
        SqliteJournal::create(path)?;
        let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let member = format!("file:{}", path.display());
        let text = match output::is_for_people(global) {
            true => format!("Made the journal. Set \"journal\" to \"{member}\".\n"),
            false => output::json_text(&Members::from([("journal", member)]).into()),
        };
        return output::write_text(&text).map(|()| ExitCode::SUCCESS);
    }
    let client = settings::client(global)?;
    let context = interruption::context(&client)?;
    match command {
        JournalCommand::Create { .. } => {}
        JournalCommand::List { open, export } => {
            let entries = all(&client, *open, &context)?;
            match export {
                Some(path) => write_export(path, &entries)?,
                None => print(global, &entries)?,
            }
        }
        JournalCommand::Show { reference } => {
            let entries = client.show_journal(reference, &context)?;
            if entries.is_empty() {
                let message = "the journal has no entry with this id or reference";
                return Err(Failure::usage("entry_unknown", message));
            }
            let entries: Vec<_> = entries.iter().map(Entry::to_json).collect();
            output::write_text(&output::json_text(&Members::from([("entries", entries)]).into()))?;
        }
        JournalCommand::Recover => {
            let recovery = client.recover_journal(&context)?;
            print_recovery(global, &recovery)?;
            if !recovery.open.is_empty() {
                return Ok(ExitCode::from(EXIT_UNKNOWN));
            }
        }
        JournalCommand::Resolve { entry, executed, note } => {
            let resolved = client.resolve_journal(entry, executed.is_yes(), note, &context)?;
            print(global, &[resolved])?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// All entries of the scope, page by page.
fn all(client: &Client, only_open: bool, context: &CallContext) -> Result<Vec<Entry>, Failure> {
    let mut entries: Vec<Entry> = Vec::new();
    loop {
        let after = entries.last().map(|entry| entry.id.clone());
        let page = client.list_journal(only_open, after.as_deref(), context)?;
        if page.is_empty() {
            return Ok(entries);
        }
        entries.extend(page);
    }
}

fn print(global: &Global, entries: &[Entry]) -> Result<(), Failure> {
    let text = match output::is_for_people(global) {
        true => entries.iter().map(line_of).collect(),
        false => {
            let entries: Vec<_> = entries.iter().map(Entry::to_json).collect();
            output::json_text(&Members::from([("entries", entries)]).into())
        }
    };
    output::write_text(&text)
}

fn line_of(entry: &Entry) -> String {
    let amount = entry.amount.as_deref().unwrap_or("-");
    let currency = entry.currency.as_deref().unwrap_or("");
    let line = format!(
        "{:11}  {:14}  {}  {amount} {currency}  {}",
        entry.state.as_str(),
        entry.operation.name(),
        entry.reference,
        entry.id
    );
    output::without_controls(&line) + "\n"
}

fn print_recovery(global: &Global, recovery: &Recovery) -> Result<(), Failure> {
    if !output::is_for_people(global) {
        return output::write_text(&output::json_text(&recovery.to_json()));
    }
    let mut text: String = recovery.recovered.iter().map(line_of).collect();
    for open in &recovery.open {
        text.push_str(&line_of(&open.entry));
        text.push_str(&format!("             needs {}: {}\n", open.needs.as_str(), open.reason));
    }
    let counts = (recovery.recovered.len(), recovery.open.len(), recovery.deleted);
    text.push_str(&format!("{} recovered, {} open, {} deleted\n", counts.0, counts.1, counts.2));
    output::write_text(&text)
}

/// Writes the entries to a new file that only this user can read.
fn write_export(path: &Path, entries: &[Entry]) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::io("output_failed", format!("could not write {}: {error}", path.display()))
    };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(|error| failed(&error))?;
    if path.extension().is_some_and(|extension| extension == "jsonl") {
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
            .map(|(_, value)| formula::harmless(value.as_text_or_number().unwrap_or_default()));
        table.write_record(values).map_err(|error| failed(&error))?;
    }
    table.flush().map_err(|error| failed(&error))
}
