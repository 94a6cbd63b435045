//! Reading a journal, and the decisions of a person.

mod decisions;
pub mod file;
mod forms;
mod prune;

use payments_base::utc::wait;
use payments_core::error::{Error, ErrorCode};
use payments_core::journal::{DecidedBy, Entry, EntryState, Filter, Found};
use payments_core::{CallContext, Client};

pub use self::decisions::{Decision, DecisionEffect, plan};
pub(crate) use self::forms::{decided, entries_of, milliseconds_of, resolved};
pub(crate) use self::prune::newest_entry;
pub use self::prune::{Pruned, prune};

/// Reads entries of this client's scope, by their ids, the oldest first: at
/// most 1,000, with ids after `after`. Also returns the journal's clock.
///
/// # Errors
/// `config` without a journal, `journal` if it does not work.
pub fn list(
    client: &Client,
    only_open: bool,
    after: Option<&str>,
    context: &CallContext,
) -> Result<Found, Error> {
    let journal = client.client_journal()?;
    let after = after.map(str::to_owned);
    let filter = Filter { is_open: only_open, after, ..journal.filter() };
    client.read(context, |context| journal.with(|it| it.find(context, &filter)))
}

/// Like [`list`], only those that ended at `from` or later. A journal may
/// return others too.
pub(crate) fn list_ended(
    client: &Client,
    from: u64,
    after: &str,
    context: &CallContext,
) -> Result<Found, Error> {
    let journal = client.client_journal()?;
    let after = Some(after.to_owned()).filter(|after| !after.is_empty());
    let filter = Filter { ended_from: Some(from), after, ..journal.filter() };
    client.read(context, |context| journal.with(|it| it.find(context, &filter)))
}

/// Like [`list`], however many entries there are.
///
/// # Errors
/// Those of [`list`].
pub fn list_whole(client: &Client, only_open: bool, context: &CallContext) -> Result<Found, Error> {
    let mut all = Found { now: 0, entries: Vec::new() };
    loop {
        let after = all.entries.last().map(|entry| entry.id.as_str());
        let Found { now, entries } = list(client, only_open, after, context)?;
        all.now = all.now.max(now);
        if entries.is_empty() {
            return Ok(all);
        }
        all.entries.extend(entries);
    }
}

/// Whether the journal takes entries: a copy of a file does not, until
/// `payments journal adopt` has adopted it.
///
/// # Errors
/// `config` without a journal, `journal` if it does not, or does not work.
pub fn check(client: &Client, context: &CallContext) -> Result<(), Error> {
    let journal = client.client_journal()?;
    client.read(context, |context| journal.with(|it| it.check_adopted(context)))
}

/// Lets calls write to the journal of the client, if it is the copy of a file, on a
/// person's word. Returns whether it was one.
///
/// # Errors
/// `config` if the journal is not a file, `journal` if the file cannot be used.
pub fn adopt(client: &Client) -> Result<bool, Error> {
    client.client_journal()?;
    let Some(path) = client.journal_file() else {
        let message = "is no file; only copies of files are adopted";
        return Err(Error::config("journal", ErrorCode::VALUE_INVALID, message));
    };
    let is_copy = file::copy(path)?.is_some();
    if is_copy {
        file::adopt(path)?;
    }
    Ok(is_copy)
}

/// Reads the entries with this reference or id. Also returns the journal's
/// clock.
///
/// # Errors
/// `config` without a journal, `journal` if it does not work.
pub fn show(client: &Client, reference: &str, context: &CallContext) -> Result<Found, Error> {
    let journal = client.client_journal()?;
    if Entry::may_be_id(reference) {
        let by_id = Filter { id: Some(reference.to_owned()), ..journal.filter() };
        let found = client.read(context, |it| journal.with(|journal| journal.find(it, &by_id)))?;
        if !found.entries.is_empty() {
            return Ok(found);
        }
    }
    client.read(context, |context| journal.find_reference(context, reference))
}

/// Reads the entries with each of these references, and the journal's clock.
///
/// # Errors
/// `config` without a journal, `journal` if it does not work.
pub fn of_references(
    client: &Client,
    references: &[&str],
    context: &CallContext,
) -> Result<Vec<Found>, Error> {
    let journal = client.client_journal()?;
    client.read(context, |context| journal.find_references(context, references))
}

/// Records a person's decision about an entry, given by its id, or by its
/// reference if only one entry of it needs a person. Returns the entry as it
/// is stored: if another entry has taken the reference of one that was
/// executed, it is `failed` with a [`rival`](Entry::rival).
///
/// # Errors
/// `validation` if there is no such entry or it cannot be resolved now,
/// `config` without a journal, `journal` if it does not work.
pub fn resolve(
    client: &Client,
    entry: &str,
    executed: bool,
    note: &str,
    context: &CallContext,
) -> Result<Entry, Error> {
    if note.trim().is_empty() {
        let message = "must say how the decision was reached";
        return Err(Error::validation("note", ErrorCode::REQUIRED, message));
    }
    let journal = client.client_journal()?;
    let Found { now, entries } = show(client, entry, context)?;
    let entry = one_to_resolve(entries, executed)?;
    check_time(&entry, executed, now)?;
    // The decision is about this one, whatever else comes to be open.
    let decide = |stored: &Entry| stored.resolved(executed, note);
    let changed = client.read(context, |context| journal.change(context, &entry, decide))?;
    changed.ok_or_else(|| not_open(&entry.id))
}

fn refused(code: ErrorCode, message: String) -> Error {
    Error::validation("entry", code, message)
}

fn not_open(id: &str) -> Error {
    let message = format!(
        "the entry {id} is decided, and a person may change only their own no to yes; see it with \
         `payments journal show {id}`"
    );
    refused(ErrorCode::ENTRY_NOT_OPEN, message)
}

/// The one of `entries` that a person decides about.
pub(super) fn one_to_resolve(entries: Vec<Entry>, executed: bool) -> Result<Entry, Error> {
    if entries.is_empty() {
        let message = "the journal has no entry with this id or reference";
        return Err(refused(ErrorCode::ENTRY_UNKNOWN, message.to_owned()));
    }
    let last = entries.last().map(|entry| entry.id.clone()).unwrap_or_default();
    let (mut open, closed): (Vec<_>, Vec<_>) = entries.into_iter().partition(Entry::is_open);
    if open.is_empty() && executed {
        let was_denied =
            |it: &Entry| it.state == EntryState::Failed && it.decided_by == Some(DecidedBy::Person);
        open = closed.into_iter().filter(was_denied).collect();
    }
    match <[Entry; 1]>::try_from(open) {
        Ok([entry]) => Ok(entry),
        Err(none) if none.is_empty() => Err(not_open(&last)),
        Err(several) => {
            let ids: Vec<_> = several.iter().map(|entry| entry.id.as_str()).collect();
            let message = format!(
                "several entries with this reference can be resolved; give the id of one: {}",
                ids.join(", ")
            );
            Err(refused(ErrorCode::ENTRY_AMBIGUOUS, message))
        }
    }
}

/// Refuses a decision about a call that may still be executed.
pub(super) fn check_time(entry: &Entry, executed: bool, now: u64) -> Result<(), Error> {
    if entry.state.is_definite() {
        return Ok(());
    }
    let until = entry.waits_until(now);
    if entry.state_at(now) == EntryState::InProgress {
        let message =
            format!("the call may still be running; resolve its entry after {}", wait(until, now));
        return Err(refused(ErrorCode::ENTRY_TOO_EARLY, message));
    }
    if !executed && now < entry.settles_at {
        let message = format!(
            "what was sent may still be executed; say no after {}",
            wait(entry.settles_at, now)
        );
        return Err(refused(ErrorCode::ENTRY_TOO_EARLY, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, state: EntryState, by: Option<DecidedBy>) -> Entry {
        Entry { id: id.to_owned(), state, decided_by: by, ..Entry::of_test("payout-1") }
    }

    #[test]
    fn a_reference_names_the_one_entry_that_a_person_may_decide() {
        use EntryState::{Done, Failed, Unknown};

        let open = || entry("1", Unknown, None);
        let denied = || entry("2", Failed, Some(DecidedBy::Person));
        let failed = || entry("3", Failed, Some(DecidedBy::Call));
        let granted = || entry("4", Done, Some(DecidedBy::Person));
        for (entries, executed, expected) in [
            (vec![], true, Err(ErrorCode::ENTRY_UNKNOWN)),
            (vec![denied(), open(), failed()], false, Ok("1")),
            (vec![denied(), open(), failed()], true, Ok("1")),
            (vec![failed(), denied(), granted()], true, Ok("2")),
            (vec![failed(), denied(), granted()], false, Err(ErrorCode::ENTRY_NOT_OPEN)),
            (vec![failed(), granted()], true, Err(ErrorCode::ENTRY_NOT_OPEN)),
            (vec![open(), open()], true, Err(ErrorCode::ENTRY_AMBIGUOUS)),
            (vec![denied(), denied()], true, Err(ErrorCode::ENTRY_AMBIGUOUS)),
        ] {
            let found = one_to_resolve(entries, executed);
            let found = found.as_ref().map(|it| it.id.as_str()).map_err(|error| error.code());
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_person_says_no_after_nothing_can_be_executed() {
        let entry = entry("1", EntryState::Unknown, None);
        let at = |executed, now| check_time(&entry, executed, now).map_err(|error| error.code());
        assert_eq!(at(true, entry.settles_at - 1), Ok(()));
        assert_eq!(at(false, entry.settles_at - 1), Err(ErrorCode::ENTRY_TOO_EARLY));
        assert_eq!(at(false, entry.settles_at), Ok(()));
    }
}
