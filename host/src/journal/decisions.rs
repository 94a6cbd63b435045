//! Many decisions of a person at once.

use payments_core::error::Error;
use payments_core::journal::{DecidedBy, Entry, EntryState, Found};
use payments_core::{CallContext, Client};

use super::{check_time, one_to_resolve, show};

/// A person's findings about an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Its id, or its reference if no other entry of it is open.
    pub entry: String,
    /// Whether the operation was executed.
    pub executed: bool,
    /// How the person found out.
    pub note: String,
}

/// The effect of a decision.
#[derive(Clone, Debug)]
pub enum DecisionEffect {
    /// It can be recorded for this entry.
    Resolve(Entry),
    /// This entry says so already.
    Recorded(Entry),
}

/// Whether the decision can be recorded now, or is recorded already; changes
/// nothing.
///
/// # Errors
/// Those of [`resolve`](super::resolve).
pub fn plan(
    client: &Client,
    decision: &Decision,
    context: &CallContext,
) -> Result<DecisionEffect, Error> {
    let Found { now, entries } = show(client, &decision.entry, context)?;
    if let Some(entry) = recorded(&entries, decision) {
        return Ok(DecisionEffect::Recorded(entry.clone()));
    }
    let entry = one_to_resolve(entries, decision.executed)?;
    check_time(&entry, decision.executed, now)?;
    Ok(DecisionEffect::Resolve(entry))
}

/// The entry that already agrees with the decision. A person's own decision
/// counts even if a later attempt is open: that one is not what they looked up.
fn recorded<'e>(entries: &'e [Entry], decision: &Decision) -> Option<&'e Entry> {
    let state = if decision.executed { EntryState::Done } else { EntryState::Failed };
    let is_own = |it: &&Entry| {
        it.state == state
            && it.decided_by == Some(DecidedBy::Person)
            && it.note.as_deref() == Some(&decision.note)
            && !it.is_open()
    };
    let last = || {
        let is_settled = entries.iter().all(|it| !it.is_open());
        let done = entries.iter().rev().find(|it| it.state == EntryState::Done);
        match (is_settled, decision.executed) {
            (false, _) => None,
            (true, true) => done,
            (true, false) if done.is_some() => None,
            (true, false) => entries.last(),
        }
    };
    entries.iter().rev().find(is_own).or_else(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, state: EntryState, by: DecidedBy, note: Option<&str>) -> Entry {
        let (id, note) = (id.to_owned(), note.map(str::to_owned));
        Entry { id, state, decided_by: Some(by), note, ..Entry::of_test("payout-1") }
    }

    #[test]
    fn a_second_run_finds_what_the_first_one_recorded() {
        use DecidedBy::{Call, Person};
        use EntryState::{Done, Failed, Unknown};

        let own_no = || entry("1", Failed, Person, Some("not listed"));
        let own_yes = || entry("2", Done, Person, Some("listed"));
        let open = || entry("3", Unknown, Call, None);
        let done = || entry("4", Done, Call, None);
        let failed = || entry("5", Failed, Call, None);
        for (entries, executed, note, expected) in [
            (vec![own_no()], false, "not listed", Some("1")),
            (vec![own_no(), open()], false, "not listed", Some("1")),
            (vec![own_no(), done()], false, "not listed", Some("1")),
            (vec![own_no(), open()], false, "still not", None),
            (vec![own_no(), done()], false, "still not", None),
            (vec![own_no()], false, "still not", Some("1")),
            (vec![own_no()], true, "listed", None),
            (vec![own_no()], true, "not listed", None),
            (vec![own_yes()], true, "listed", Some("2")),
            (vec![own_no(), done()], true, "listed", Some("4")),
            (vec![done(), open()], true, "listed", None),
            (vec![failed()], false, "not listed", Some("5")),
            (vec![failed(), open()], false, "not listed", None),
            (vec![], false, "not listed", None),
        ] {
            let decision =
                Decision { entry: "payout-1".to_owned(), executed, note: note.to_owned() };
            let found = recorded(&entries, &decision).map(|it| &*it.id);
            assert_eq!(found, expected, "{executed} {note} {entries:?}");
        }
    }
}
