//! `payments create-payouts`: sends each payout in a file once.

mod file;
mod pace;
mod report;
mod run;
mod signals;
mod totals;

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use payments_core::json::{Json, Members};
use payments_core::{Error, Operation};

use crate::args::Global;
use crate::failure::{EXIT_FAILED, EXIT_UNKNOWN, Failure};
use crate::journal_args::BatchArgs;
use crate::{output, settings, startup};
use file::{Batch, Problem};
use run::State;

/// Sends the payouts in a file that are not in the journal yet, and prints a
/// report.
///
/// # Errors
/// `usage` if any line is invalid; then nothing is sent.
pub(crate) fn run(global: &Global, args: &BatchArgs) -> Result<ExitCode, Failure> {
    startup::check_output_for(Operation::CreatePayout)?;
    let client = settings::client_with(global, |config| match &args.journal {
        Some(path) => config.journal_file(path),
        None => config,
    })?;
    // Without a journal, an earlier run leaves no trace.
    client.list_journal(true, None, &client.context()).map_err(with_journal_option)?;
    let batch = Batch::read(&args.file)?;
    if !batch.problems.is_empty() {
        return Err(refused(&batch.problems));
    }
    let totals = totals::of(&batch.lines);
    let summary = format!("{} payouts: {}", batch.lines.len(), totals.join(", "));
    if args.dry_run {
        output::write_text(&format!("{summary}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    confirm(args, &summary)?;
    let results = run::send_all(&client, &batch.lines, args)?;
    report::write(&batch.lines, &results)?;
    let any = |state: State| results.iter().any(|result| result.state == state);
    Ok(match () {
        () if any(State::Unknown) || any(State::Changed) => ExitCode::from(EXIT_UNKNOWN),
        () if any(State::Failed) || any(State::Unsent) => ExitCode::from(EXIT_FAILED),
        () => ExitCode::SUCCESS,
    })
}

/// Without a configured journal, names the option as well.
fn with_journal_option(error: Error) -> Failure {
    let needs_journal = (error.path(), error.code()) == (Some("journal"), "required");
    let message = format!("{}, or give --journal PATH", error.message());
    let failure = Failure::from(error);
    if needs_journal { failure.with_message(&message) } else { failure }
}

/// Reports all problems together.
fn refused(problems: &[Problem]) -> Failure {
    let shown = |problem: &Problem| {
        Json::Object(Members::from([
            ("line", Json::from(problem.line)),
            ("column", Json::from(problem.column.as_deref())),
            ("message", Json::from(problem.message.as_str())),
        ]))
    };
    let problem = if problems.len() == 1 { "problem" } else { "problems" };
    let message = format!("{} {problem} in the file; nothing was sent", problems.len());
    Failure::usage("batch_invalid", message)
        .with_member("problems", problems.iter().map(shown).collect::<Vec<_>>())
}

/// Asks on a terminal whether to go ahead.
fn confirm(args: &BatchArgs, summary: &str) -> Result<(), Failure> {
    if args.yes {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        let message = "nobody can confirm the payouts here; check them with --dry-run, and give \
                       --yes";
        return Err(Failure::usage("not_confirmed", message));
    }
    let mut stderr = std::io::stderr();
    let _ = write!(stderr, "Send {summary}? [y/N] ");
    let _ = stderr.flush();
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    match read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes") {
        true => Ok(()),
        false => Err(Failure::usage("not_confirmed", "not confirmed; nothing was sent")),
    }
}
