//! The commands of the packages, with JSON in and out.

use std::sync::Arc;

use super::input::Input;
use super::own_journal::OwnJournal;
use crate::commands::{Problem, Started, printed_report};
use payments_core::CallContext;
use payments_core::error::{Error, ErrorCode};
use payments_core::for_host::ErrorParts as _;
use payments_core::json::Json;

/// What a package does that was started as the command `journal` or `follow`.
/// `input` is an object with `program` (the command as people type it),
/// `arguments` (an array of texts), `database` (how this package names one, for
/// help), and `is_terminal` (a flag) of standard output.
/// Without `database`, a framework has the client, and `program` is its command
/// for the journal.
///
/// The result has `stdout`, `stderr` and `exit_code`: print these. Or its
/// `exit_code` is null, and `action` says what to do:
///
/// - `create`: make the table in `database`, then print `stdout`.
/// - `journal`: open `database`, make a client with it, and give `program`,
///   `arguments` and `is_terminal` to [`journal_command`](super::journal_command).
/// - `follow`: the same with [`follow_command`](super::follow_command);
///   `database` may be null.
///
/// The client is that of the configuration in `file`, or null, which the
/// environment overrides if `with_env` says so.
///
/// # Errors
/// `validation` if the input has other members.
pub fn command_plan(input: &[u8]) -> Result<Json, Error> {
    const KNOWN: &[&str] = &["program", "arguments", "database", "is_terminal"];
    let input = Input::of_members(KNOWN, input)?;
    // It is opened after this.
    let journal = OwnJournal::new(|_: &CallContext, _: &str, _: &Json| {
        Err("the database is not open".to_owned().into())
    });
    let started = Started {
        program: input.required("program", input.text("program")?)?,
        arguments: input.texts("arguments")?,
        database: input.text("database")?,
        journal: Arc::new(journal),
        is_terminal: input.flag("is_terminal")?.unwrap_or(false),
    };
    Ok(started.plan())
}

/// What a command prints that failed in its package: `stdout`, `stderr` and
/// `exit_code`. `input` is an object with `report`, an error's, or with `problem`
/// and its `message`:
///
/// - `database`: it is none that the package can open.
/// - `driver`: its driver is not installed.
/// - `journal`: it does not work.
/// - `output`: standard output did not take what was printed.
///
/// # Errors
/// `validation` if the input has other members.
pub fn command_failure(input: &[u8]) -> Result<Json, Error> {
    let input = Input::of_members(&["report", "problem", "message"], input)?;
    if let Some(report) = input.object("report")? {
        return Ok(printed_report(report));
    }
    let message = input.required("message", input.text("message")?)?;
    let problem = match input.required("problem", input.text("problem")?)? {
        "database" => Problem::Database(message),
        "driver" => Problem::Driver(message),
        "journal" => Problem::Journal(message),
        "output" => Problem::Output(message),
        _ => {
            let message = "must be one of database, driver, journal and output";
            return Err(Error::validation("problem", ErrorCode::VALUE_INVALID, message));
        }
    };
    Ok(problem.printed())
}
