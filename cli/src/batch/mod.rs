//! `payments create-payouts`: sends each payout in a file once.

mod change;
mod columns;
mod decimal;
mod expectations;
mod file;
mod line;
mod plan;
mod questions;
mod report;
mod run;
mod signals;
mod texts;
mod totals;

use std::io::Write as _;
use std::process::ExitCode;

use payments_core::ErrorCode;
use payments_core::error::Reason;
use payments_core::rules::Rules;
use payments_core::{Client, Error, Operation};
use payments_host::commands::grouped;
use payments_host::{Certainty, LintWarning};

use crate::args::Global;
use crate::args::journal::{BatchArgs, Lint};
use crate::process::failure::{EXIT_FAILED, EXIT_UNKNOWN, Failure};
use crate::process::startup;
use crate::{output, settings};
use file::{Batch, Line, Problem};
use line::{LineState, NEED_A_PERSON};
use plan::Plan;

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
    let rules = client.rules();
    expectations::refuse_ambiguous(args, rules)?;
    let batch = Batch::read(&args.file, args.decimal, rules)?;
    if !batch.problems.is_empty() {
        return Err(refused(&batch.problems, ""));
    }
    expectations::check(args, &batch.lines)?;
    let mut plan = plan(&client, &batch.lines, args.dry_run)?;
    if !args.dry_run {
        plan.query_open(&client)?;
        plan.refuse_changed()?;
    }
    lint(args.lint, &plan)?;
    questions::confirm_last_line(args, &batch, &plan)?;
    if args.dry_run {
        show(global, args, rules, &plan, batch.delimiter())?;
        return plan.refuse_changed().map(|()| ExitCode::SUCCESS);
    }
    questions::confirm(args, &plan)?;
    send(&client, plan, args, batch.delimiter())
}

/// Compares the lines with the journal. Only a dry run works without one: an
/// earlier run leaves no trace elsewhere.
fn plan<'b>(client: &Client, lines: &'b [Line], is_dry: bool) -> Result<Plan<'b>, Failure> {
    let needs_journal =
        |error: &Error| (error.path(), error.reason()) == (Some("journal"), Some(Reason::Required));
    match Plan::compared(client, lines) {
        Err(error) if needs_journal(&error) && is_dry => Ok(Plan::without_journal(lines)),
        Err(error) if needs_journal(&error) => {
            let message = format!("{}, or give --journal PATH", error.message());
            Err(Failure::from(error).with_message(&message))
        }
        other => other.map_err(Failure::from),
    }
}

/// Also for a file whose findings are not certain, and would not be refused alone.
const WAY_OUT: &str =
    "; correct what is certain, or give --lint warn to send these values as they are";

/// Reports all problems together.
fn refused(problems: &[Problem], advice: &str) -> Failure {
    let problem = if problems.len() == 1 { "problem" } else { "problems" };
    let message = format!("{} {problem} in the file; nothing was sent{advice}", problems.len());
    Failure::usage(ErrorCode::BATCH_INVALID, message)
        .with_member("problems", problems.iter().map(Problem::to_json).collect::<Vec<_>>())
}

/// Reports everything that is probably wrong with the lines to send, or refuses the file.
fn lint(lint: Lint, plan: &Plan<'_>) -> Result<(), Failure> {
    if lint == Lint::Off {
        return Ok(());
    }
    let warnings = plan.new_lines().flat_map(|line| line.warnings.iter().map(move |it| (line, it)));
    let warnings = warnings.map(|(line, LintWarning { path, code, certainty, message, .. })| {
        let message = format!("{message} ({code}, {})", certainty.as_str());
        (*certainty, Problem { line: line.number, column: Some((*path).to_owned()), message })
    });
    let similar = plan.similar_references().map(|(line, before)| {
        let message = format!(
            "differs from the reference of line {} only in case, in its Unicode form or in \
             characters that nobody sees; compare the two payouts",
            before.number
        );
        let column = Some("external_reference".to_owned());
        (Certainty::Perhaps, Problem { line: line.number, column, message })
    });
    let is_refused = |certainty| match lint {
        Lint::Off | Lint::Warn => false,
        Lint::Refuse => certainty == Certainty::Certain,
        Lint::Strict => true,
    };
    let (certainties, found): (Vec<_>, Vec<_>) = warnings.chain(similar).unzip();
    if certainties.into_iter().any(is_refused) {
        return Err(refused(&found, WAY_OUT));
    }
    if output::is_stderr_terminal() {
        let problems: Vec<_> = found.iter().map(Problem::to_json).collect();
        grouped(&problems).iter().for_each(|text| output::note(text));
        return Ok(());
    }
    for Problem { line, column, message } in found {
        output::note(&format!("line {line}, {}: {message}", column.unwrap_or_default()));
    }
    Ok(())
}

/// Prints what a run would do: on a terminal in short, elsewhere as a report.
fn show(
    global: &Global,
    args: &BatchArgs,
    rules: &Rules,
    plan: &Plan<'_>,
    delimiter: u8,
) -> Result<(), Failure> {
    if output::is_for_people(global) {
        output::write_list(&plan.summary())?;
    } else {
        report::write(delimiter, plan.states()).map_err(|error| {
            output::not_listed(&error, |error| {
                let message =
                    format!("could not write the report ({error}); run the command again");
                Failure::io(ErrorCode::OUTPUT_FAILED, message)
            })
        })?;
        let _ = write!(std::io::stderr(), "{}", plan.summary());
    }
    report::note_open(rules, args, plan.states());
    Ok(())
}

/// Sends the new lines, and reports on all of them.
fn send(
    client: &Client,
    plan: Plan<'_>,
    args: &BatchArgs,
    delimiter: u8,
) -> Result<ExitCode, Failure> {
    let lines = plan.lines;
    let (results, stop) = run::send_all(client, plan, args)?;
    let states =
        || lines.iter().zip(&results).map(|(line, it)| (line, it.state.as_str(), Some(it)));
    let written = report::write(delimiter, states());
    report::note_open(client.rules(), args, states());
    if let Some(stop) = stop {
        report::note_stop(&stop, &results);
    }
    written.map_err(|error| Failure::report_lost(line::outcome(&results), &error))?;
    let any = |state: LineState| results.iter().any(|result| result.state == state);
    Ok(if NEED_A_PERSON.into_iter().any(any) {
        ExitCode::from(EXIT_UNKNOWN)
    } else if any(LineState::Failed) || any(LineState::Unsent) {
        ExitCode::from(EXIT_FAILED)
    } else {
        ExitCode::SUCCESS
    })
}
