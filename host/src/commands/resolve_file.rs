//! `journal resolve --from`: the decisions of a file, all or none.

use std::collections::HashMap;
use std::path::Path;

use payments_core::error::{Error, ErrorCode, ErrorKind};
use payments_core::journal::Entry;
use payments_core::json::{Json, Members};
use payments_core::{CallContext, Client};

use super::command_failure::CommandFailure;
use super::decisions_file::{DecisionsFile, Line, Problem};
use super::journal_text::resolve_text;
use super::printed::JournalAnswer;
use super::protected_cell::unprotected;
use crate::journal::{Decision, DecisionEffect, decided, plan, resolve, show};

/// Checks every line first, and records nothing if one of them cannot be
/// recorded. Recorded decisions are reported, so that a second run after a
/// crash continues.
///
/// # Errors
/// `usage` for a file with problems, and those of [`resolve`].
pub(super) fn resolve_file(
    client: &Client,
    path: &Path,
    program: &str,
    context: &CallContext,
) -> Result<JournalAnswer, CommandFailure> {
    let DecisionsFile { lines, mut problems } = DecisionsFile::read(path)?;
    let mut plan = Vec::new();
    for line @ Line { number, decision } in &lines {
        match planned(client, decision, context) {
            Ok(planned) => plan.push((line, planned)),
            Err(error) if error.kind() == ErrorKind::Validation => {
                let message = format!("{} ({})", error.message(), error.code().as_str());
                problems.push(Problem::new(*number, Some("reference"), message));
            }
            Err(error) => return Err(error.into()),
        }
    }
    problems.extend(same_entries(&plan));
    if !problems.is_empty() {
        problems.sort_by_key(|problem| problem.line);
        return Err(refused(&problems));
    }
    let (mut resolved, mut recorded) = (Vec::new(), Vec::new());
    for (Line { decision, .. }, planned) in plan {
        let entry = match planned {
            DecisionEffect::Recorded(entry) => {
                recorded.push(entry);
                continue;
            }
            DecisionEffect::Resolve(entry) => entry,
        };
        match resolve(client, &entry.id, decision.executed, &decision.note, context) {
            Ok(entry) => resolved.push(entry),
            Err(error) => return Err(interrupted(error, resolved.len(), lines.len())),
        }
    }
    Ok(answer(&resolved, &recorded, program))
}

/// Finds the entry of a reference as the file writes it or, if there is none,
/// without the apostrophe that protects a cell.
fn planned(
    client: &Client,
    decision: &Decision,
    context: &CallContext,
) -> Result<DecisionEffect, Error> {
    let Some(plain) = unprotected(&decision.entry) else {
        return plan(client, decision, context);
    };
    let is_known = |reference: &str| -> Result<bool, Error> {
        Ok(!show(client, reference, context)?.entries.is_empty())
    };
    match (is_known(&decision.entry)?, is_known(plain)?) {
        (true, true) => {
            let message = "the journal has this reference with and without the apostrophe; give \
                           the id of the entry instead";
            Err(Error::validation("entry", ErrorCode::ENTRY_AMBIGUOUS, message))
        }
        (false, true) => {
            let decision = Decision { entry: plain.to_owned(), ..decision.clone() };
            plan(client, &decision, context)
        }
        (_, false) => plan(client, decision, context),
    }
}

/// Lines that mean the entry of an earlier one by another name. The file itself
/// shows those with the same name.
fn same_entries(plan: &[(&Line, DecisionEffect)]) -> Vec<Problem> {
    let mut first: HashMap<&str, &Line> = HashMap::new();
    let repeated = plan.iter().filter_map(|(line, planned)| {
        let (DecisionEffect::Resolve(entry) | DecisionEffect::Recorded(entry)) = planned;
        let before = *first.entry(&entry.id).or_insert(line);
        let is_same_name = before.decision.entry == line.decision.entry;
        let message = format!("means the entry of line {} too; remove one", before.number);
        (!is_same_name).then(|| Problem::new(line.number, Some("reference"), message))
    });
    repeated.collect()
}

/// Recorded decisions stay.
fn interrupted(error: Error, done: usize, all: usize) -> CommandFailure {
    let message = format!(
        "{}; {done} of {all} lines were recorded before, so run the same command again",
        error.message()
    );
    let mut failure = CommandFailure::from(error);
    failure.report.set("message", message);
    failure
}

fn answer(resolved: &[Entry], recorded: &[Entry], program: &str) -> JournalAnswer {
    let mut json = Members::new();
    for (name, entries) in [("resolved", resolved), ("recorded", recorded)] {
        let entries: Vec<Json> = entries.iter().map(decided).collect();
        json.push(name, entries);
    }
    let mut text: String = resolved.iter().map(|entry| resolve_text(entry, program)).collect();
    let (new, old) = (resolved.len(), recorded.len());
    text.push_str(&format!("{new} resolved, {old} recorded already\n"));
    JournalAnswer { json: json.into(), text, exit_code: 0 }
}

fn refused(problems: &[Problem]) -> CommandFailure {
    let counted = if problems.len() == 1 { "problem" } else { "problems" };
    let message = format!("{} {counted} in the file; nothing was recorded", problems.len());
    let mut failure = CommandFailure::usage(ErrorCode::BATCH_INVALID, message);
    let problems: Vec<_> = problems.iter().map(Problem::to_json).collect();
    failure.report.push("problems", problems);
    failure
}
