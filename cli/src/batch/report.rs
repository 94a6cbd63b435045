//! The result of each line: as CSV on standard output, with the remedy on
//! standard error.

use std::collections::BTreeMap;
use std::io;

use super::file::Line;
use super::line::{LineResult, LineState, NEED_A_PERSON, ReportedLine, Stop};
use crate::args::journal::BatchArgs;
use crate::output;
use crate::process::{in_own_words, shell};
use payments_core::Operation;
use payments_core::error::Reason;
use payments_core::journal::Needs;
use payments_core::rules::Rules;
use payments_host::commands::{SHOWN, protected_cell};
use payments_host::recovery::{OpenEntry, query_to_turn_on};

const COLUMNS: [&str; 10] = [
    "line",
    "reference",
    "state",
    "status",
    "uid",
    "code",
    "id",
    "amount",
    "currency",
    "payee.name",
];

/// Writes the outcome of every payout to standard output, with the delimiter of
/// the file. It has neither the document nor the account of a payee.
///
/// # Errors
/// If it cannot be written; the journal has it too.
pub(super) fn write<'a>(
    delimiter: u8,
    results: impl Iterator<Item = ReportedLine<'a>>,
) -> io::Result<()> {
    let out = io::stdout().lock();
    let mut table = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    let write = || -> Result<(), csv::Error> {
        table.write_record(COLUMNS)?;
        for (line, state, sent) in results {
            let text = |of: fn(&LineResult) -> Option<&str>| sent.and_then(of).unwrap_or_default();
            let cells: [&str; COLUMNS.len()] = [
                &line.number.to_string(),
                &line.reference,
                state,
                text(|sent| sent.status.as_deref()),
                text(|sent| sent.uid.as_deref()),
                text(LineResult::code_shown),
                text(|sent| sent.id.as_deref()),
                &line.amount,
                &line.currency,
                &line.payee,
            ];
            table.write_record(cells.map(protected_cell))?;
        }
        table.flush().map_err(csv::Error::from)
    };
    write().map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        _ => io::ErrorKind::InvalidData.into(),
    })
}

/// Says on standard error what to do about lines that need a person. On a terminal,
/// those with one state and code are counted after the first ones.
pub(super) fn note_open<'a>(
    rules: &Rules,
    args: &BatchArgs,
    results: impl Iterator<Item = ReportedLine<'a>>,
) {
    let mut counts = BTreeMap::new();
    let mut is_open = false;
    for (line, state, sent) in results {
        let Some(sent) = sent.filter(|it| NEED_A_PERSON.contains(&it.state)) else {
            continue;
        };
        is_open |= sent.state == LineState::Unknown;
        let code = sent.code_shown().map(|code| format!(" ({code})")).unwrap_or_default();
        let count = counts.entry(format!("{state}{code}")).or_insert(0_usize);
        *count += 1;
        if *count <= SHOWN || !output::is_stderr_terminal() {
            let Line { number, reference, .. } = line;
            let advice = remedy(args, reference, sent);
            output::note(&format!("line {number}, {reference}: {state}{code}; {advice}"));
        }
    }
    for (state, count) in counts.iter().filter(|_| output::is_stderr_terminal()) {
        if let more @ 1.. = count.saturating_sub(SHOWN) {
            output::note(&format!("and {more} more lines: {state}; the report has all"));
        }
    }
    if is_open && let Some(way) = query_to_turn_on(rules, Operation::CreatePayout) {
        output::note(&format!("payouts are not queried; {way}, and run the command again"));
    }
}

/// The remedy for a line that needs a person.
fn remedy(args: &BatchArgs, reference: &str, sent: &LineResult) -> String {
    match sent.reason {
        _ if sent.state == LineState::Changed => {
            let how = sent.change.as_ref().map(|it| format!(": {}", it.summary()));
            format!(
                "the journal has another request under this reference{}; restore the line, or give \
                 a new payout a new reference",
                how.unwrap_or_default()
            )
        }
        _ if sent.state == LineState::Cancelled => {
            "the service created it and cancelled it, so the payee gets no money; correct the \
             payee, and give the payout a new reference"
                .to_owned()
        }
        Some(Reason::InProgress) => {
            "another process is sending it; wait until that ends, then run the command again"
                .to_owned()
        }
        _ if sent.open.is_some() => still_open(args, reference, sent.open.as_ref()),
        Some(Reason::ReferenceKnown) => format!(
            "the service knows this reference, so this payout may have been executed earlier; look \
             it up on the provider's platform, then run {}",
            resolve(args, reference)
        ),
        _ => {
            format!("look it up on the provider's platform, then run {}", resolve(args, reference))
        }
    }
}

/// The remedy for a payout that a query left open.
fn still_open(args: &BatchArgs, reference: &str, open: Option<&OpenEntry>) -> String {
    match open {
        Some(OpenEntry { needs: Needs::Time | Needs::Query, reason, .. }) => {
            format!("{reason}; run the command again, which queries it again")
        }
        open => {
            let reason = open.map(|it| format!("{}; ", it.reason)).unwrap_or_default();
            let settle = resolve(args, reference);
            format!("{reason}look it up on the provider's platform, then run {settle}")
        }
    }
}

/// The command that settles a payout in the journal of this run.
fn resolve(args: &BatchArgs, reference: &str) -> String {
    let journal = args.journal.as_ref().map(|path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        format!("PAYMENTS_JOURNAL={} ", shell::word(&format!("file:{}", path.display())))
    });
    let journal = journal.unwrap_or_default();
    let word = shell::word(reference);
    let options = "--executed yes|no --note TEXT";
    if reference.starts_with('-') {
        // Else it would be taken for an option.
        format!("{journal}payments journal resolve {options} -- {word}")
    } else {
        format!("{journal}payments journal resolve {word} {options}")
    }
}

/// Says on standard error why a batch stopped early, and how to continue.
pub(super) fn note_stop(stop: &Stop, results: &[LineResult]) {
    let unsent = results.iter().filter(|sent| sent.state == LineState::Unsent).count();
    if unsent == 0 {
        return;
    }
    let (why, advice) = match stop {
        Stop::Signal => ("interrupted by a signal".to_owned(), ""),
        Stop::Unknown => ("stopped after an unknown payout".to_owned(), ""),
        Stop::Failure(error) => {
            let code = error.code();
            let message = in_own_words(error.message());
            (format!("stopped: {message} ({code})"), "correct that, and ")
        }
    };
    output::note(&format!(
        "{why}; {unsent} of {} payouts were not sent; to go on, {advice}run the same command with \
         the same file",
        results.len()
    ));
}
