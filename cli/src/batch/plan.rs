//! The journal's entry of each line before anything is sent.

use payments_core::error::Reason;
use payments_core::journal::{self, Entry, Found, Needs, RecordedAs};
use payments_core::json::Json;
use payments_core::request::CANCELLED;
use payments_core::{CallContext, Client, Error, ErrorCode, Operation};

use super::change::Change;
use super::file::{Line, Problem};
use super::line::{LineResult, LineState, ReportedLine};
use super::{texts, totals};
use crate::process::failure::Failure;
use crate::process::progress;

/// The lines of a file, and the results of earlier runs.
pub(super) struct Plan<'b> {
    pub(super) lines: &'b [Line],
    /// For each line; `None` if no run has sent it.
    pub(super) known: Vec<Option<LineResult>>,
    /// Whether the lines were compared with a journal.
    is_compared: bool,
}

impl<'b> Plan<'b> {
    /// Compares the lines with the journal. Sends nothing.
    ///
    /// # Errors
    /// `config` without a journal, `journal` if it cannot be read, or is a copy that
    /// was not adopted.
    pub(super) fn compared(client: &Client, lines: &'b [Line]) -> Result<Self, Error> {
        payments_host::journal::check(client, &client.context())?;
        let progress = progress::bar(lines.len());
        progress.set_message("compared with the journal");
        let mut known = Vec::new();
        for lines in lines.chunks(LINES_AT_ONCE) {
            known.extend(known_of(client, lines)?);
            progress.inc(lines.len() as u64);
        }
        Ok(Self { lines, known, is_compared: true })
    }

    /// Queries the payouts that are open, where that query is on.
    ///
    /// # Errors
    /// `journal` if it does not work.
    pub(super) fn query_open(&mut self, client: &Client) -> Result<(), Error> {
        if !client.rules().queries(Operation::CreatePayout) {
            return Ok(());
        }
        let is_open = |sent: &LineResult| sent.state == LineState::Unknown;
        let mut failures = 0;
        for (line, known) in self.lines.iter().zip(&mut self.known) {
            if !known.as_ref().is_some_and(is_open) || failures >= MOST_FAILURES {
                continue;
            }
            let sent = queried(client, line, &client.context())?;
            let has_failed = sent.open.as_ref().is_some_and(|it| it.needs == Needs::Query);
            failures = if has_failed { failures + 1 } else { 0 };
            *known = Some(sent);
        }
        Ok(())
    }

    /// Treats every line as new.
    pub(super) fn without_journal(lines: &'b [Line]) -> Self {
        Self { lines, known: vec![None; lines.len()], is_compared: false }
    }

    fn each(&self) -> impl Iterator<Item = (&'b Line, Option<&LineResult>)> {
        self.lines.iter().zip(self.known.iter().map(Option::as_ref))
    }

    /// The lines to send.
    pub(super) fn new_lines(&self) -> impl Iterator<Item = &'b Line> {
        self.each().filter(|(_, known)| known.is_none()).map(|(line, _)| line)
    }

    /// Lines whose references look alike, if one of the two is to be sent.
    pub(super) fn similar_references(&self) -> impl Iterator<Item = (&'b Line, &'b Line)> {
        let places = self.lines.iter().map(|line| line.reference.as_str()).enumerate();
        let is_new = |place: usize| self.known[place].is_none();
        let similar = texts::similar(places).into_iter();
        similar
            .filter(move |(place, before)| is_new(*place) || is_new(*before))
            .map(|(place, before)| (&self.lines[place], &self.lines[before]))
    }

    /// Refuses lines that differ from the payout that an earlier run sent.
    ///
    /// # Errors
    /// `usage`, with their numbers.
    pub(super) fn refuse_changed(&self) -> Result<(), Failure> {
        let is_changed = |sent: &&LineResult| sent.state == LineState::Changed;
        let changed =
            self.each().filter_map(|(line, known)| Some((line, known.filter(is_changed)?)));
        let (mut lines, mut problems) = (Vec::new(), Vec::new());
        for (line, sent) in changed {
            lines.push(Json::from(line.number));
            problems.extend(sent.change.iter().flat_map(|change| change.problems(line.number)));
        }
        if lines.is_empty() {
            return Ok(());
        }
        let message = "lines differ from what was sent under their references earlier; restore \
                       them, or use new references for new payouts";
        Err(Failure::usage(ErrorCode::BATCH_CHANGED, message)
            .with_member("lines", lines)
            .with_member("problems", problems.iter().map(Problem::to_json).collect::<Vec<_>>()))
    }

    /// The lines with the states that a dry run shows.
    pub(super) fn states(&self) -> impl Iterator<Item = ReportedLine<'_>> {
        self.each().map(|(line, known)| {
            let state = match known.map(|sent| sent.state) {
                None if self.is_compared => "new",
                None => "valid",
                Some(LineState::Unknown) => "open",
                Some(state) => state.as_str(),
            };
            (line, state, known)
        })
    }

    /// The number of payouts in each state, and the totals.
    pub(super) fn summary(&self) -> String {
        let count = totals::counted(self.lines.len());
        let mut text = format!("{count}: {}\n", totals::shown(self.lines));
        if !self.is_compared {
            text.push_str("  not compared with a journal, because none is configured\n");
        }
        for state in ["new", "done", "cancelled", "open", "changed"] {
            let lines = self.states().filter(|(_, of, _)| *of == state).map(|(line, ..)| line);
            let lines: Vec<_> = lines.collect();
            if !lines.is_empty() {
                let count = lines.len();
                text.push_str(&format!("  {count} {state}: {}\n", totals::shown(lines)));
            }
        }
        text
    }
}

/// After this many failed queries in a row, the others are not made.
const MOST_FAILURES: u32 = 3;

/// The most lines that are looked up in one transaction.
const LINES_AT_ONCE: usize = 500;

/// The result of an earlier run for each line.
fn known_of(client: &Client, lines: &[Line]) -> Result<Vec<Option<LineResult>>, Error> {
    let references: Vec<_> = lines.iter().map(|line| line.reference.as_str()).collect();
    let found = payments_host::journal::of_references(client, &references, &client.context())?;
    let known = lines.iter().zip(found).map(|(line, found)| {
        let entry = entry_that_counts(line, found);
        entry.map(|(now, entry)| sent_as(client, line, now, entry)).transpose()
    });
    known.collect()
}

/// The result of an earlier run for a line.
pub(super) fn known(client: &Client, line: &Line) -> Result<Option<LineResult>, Error> {
    known_of(client, std::slice::from_ref(line)).map(|known| known.into_iter().flatten().next())
}

/// Like [`known`], after the query of a payout that is open.
pub(super) fn queried(
    client: &Client,
    line: &Line,
    context: &CallContext,
) -> Result<LineResult, Error> {
    let found =
        payments_host::journal::of_references(client, &[&line.reference], &client.context())?;
    let counting = found.into_iter().find_map(|found| entry_that_counts(line, found));
    let Some((now, entry)) = counting else { return Ok(LineResult::default()) };
    let open = payments_host::recovery::recover_one(client, &entry, now, context)?;
    let sent = known(client, line)?.unwrap_or_default();
    let is_open = sent.state == LineState::Unknown;
    Ok(LineResult { open: open.filter(|_| is_open), ..sent })
}

/// The entry of a line that counts, and the journal's clock.
fn entry_that_counts(line: &Line, Found { now, entries }: Found) -> Option<(u64, Entry)> {
    let is_of_line = |entry: &Entry| {
        entry.operation == Operation::CreatePayout && entry.reference == line.reference
    };
    let counts = |entry: &Entry| entry.state != journal::EntryState::Failed || entry.is_open();
    let entries = entries.into_iter().filter(|entry| is_of_line(entry) && counts(entry));
    // Where there are several, one that needs a person.
    entries.max_by_key(Entry::is_open).map(|entry| (now, entry))
}

/// The result of a line by its entry.
fn sent_as(client: &Client, line: &Line, now: u64, entry: Entry) -> Result<LineResult, Error> {
    let is_same = client.recorded_as(&line.request, &entry)? == RecordedAs::Same;
    let change = (!is_same).then(|| Change::of(line, &entry));
    let mut reason = None;
    let (state, code) = match entry.state_at(now) {
        // Its reference was used again, and both were executed.
        _ if entry.rival.is_some() => (LineState::Unknown, Some(ErrorCode::UNRESOLVED)),
        _ if change.is_some() => (LineState::Changed, None),
        journal::EntryState::Done if entry.cancelled_with().is_some() => {
            (LineState::Cancelled, Some(ErrorCode::ALREADY_DONE))
        }
        journal::EntryState::Done => (LineState::Done, Some(ErrorCode::ALREADY_DONE)),
        journal::EntryState::InProgress => {
            reason = Some(Reason::InProgress);
            (LineState::Unknown, Some(ErrorCode::IN_PROGRESS))
        }
        journal::EntryState::Unknown | journal::EntryState::Failed => {
            (LineState::Unknown, Some(ErrorCode::UNRESOLVED))
        }
    };
    let service_code = match state {
        LineState::Cancelled => entry.cancelled_with().map(str::to_owned),
        _ => None,
    };
    let status = service_code.as_ref().map(|_| CANCELLED.to_owned());
    let id = Some(entry.id);
    let uid = entry.uid;
    Ok(LineResult { state, uid, status, code, reason, service_code, id, change, open: None })
}
