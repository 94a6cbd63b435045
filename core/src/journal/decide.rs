//! The allowed changes of an entry: by its call, by recovery, by a person.
//!
//! The order of precedence:
//!
//! 1. The call's own `done` wins over every `failed`. If the reference belongs to
//!    another entry by then, the entry stays `failed` and names that rival.
//! 2. The call's own `failed` never changes a `done`; the entry notes it.
//! 3. Recovery changes open entries only.
//! 4. A person decides open entries, settles those with a rival, and may change
//!    only their own `no` to `yes`.
//! 5. Otherwise the first decision stays.

use super::entry::{DecidedBy, Entry, EntryState};

/// How a call ended, as its entry records it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CallEnd {
    pub(crate) state: EntryState,
    pub(crate) hash: Option<String>,
    pub(crate) uid: Option<String>,
    pub(crate) kind: Option<&'static str>,
    /// The code of the error, or the service's code for a payout that it
    /// cancelled.
    pub(crate) code: Option<String>,
}

/// The outcome of an operation that a query found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundOutcome {
    /// `done` or `failed`.
    pub state: EntryState,
    /// The payment hash.
    pub hash: Option<String>,
    /// The service's id of the payout or of the refund.
    pub uid: Option<String>,
    /// Of a payout that the service cancelled, its code, or `CA`.
    pub cancelled_with: Option<String>,
}

impl Entry {
    /// The entry after its own call ended; `None` if it stays as it is.
    pub(crate) fn ended(&self, ending: &CallEnd) -> Option<Self> {
        let mut after = self.with_identifiers(ending.hash.as_deref(), ending.uid.as_deref());
        let (kind, code) = (ending.kind.map(str::to_owned), ending.code.clone());
        match (ending.state, self.state) {
            // The first attempt to record this end found the rival.
            (EntryState::Done, EntryState::Failed) if self.rival.is_some() => {}
            (EntryState::Done, EntryState::Failed) => {
                after = Self { kind, code, ..after.decided(EntryState::Done, DecidedBy::Call) };
            }
            (EntryState::Failed, EntryState::Done) => after = Self { kind, code, ..after },
            (state, EntryState::InProgress | EntryState::Unknown) => {
                after = Self { kind, code, ..after.decided(state, DecidedBy::Call) };
            }
            _ => {}
        }
        (after != *self).then_some(after)
    }

    /// The open entry with the hash that the service gave its payment.
    pub(crate) fn with_hash(&self, hash: &str) -> Option<Self> {
        let is_new = !self.state.is_definite() && self.hash.as_deref() != Some(hash);
        is_new.then(|| self.with_identifiers(Some(hash), None))
    }

    /// The entry after recovery found the outcome of the operation. `None` if
    /// the outcome was known before.
    pub fn recovered(&self, found: &FoundOutcome) -> Option<Self> {
        let FoundOutcome { state, hash, uid, cancelled_with } = found;
        let is_undecided = !self.state.is_definite();
        is_undecided.then(|| {
            let after = self.with_identifiers(hash.as_deref(), uid.as_deref());
            let mut after = after.decided(*state, DecidedBy::Recovery);
            if cancelled_with.is_some() {
                // The code of the error goes, and its kind with it.
                (after.kind, after.code) = (None, cancelled_with.clone());
            }
            after
        })
    }

    /// The entry after a person decided. `None` if they cannot.
    pub fn resolved(&self, executed: bool, note: &str) -> Option<Self> {
        let is_own_no =
            self.state == EntryState::Failed && self.decided_by == Some(DecidedBy::Person);
        (self.is_open() || (executed && is_own_no)).then(|| Self {
            note: Some(note.to_owned()),
            rival: None,
            ..self.decided(
                if executed { EntryState::Done } else { EntryState::Failed },
                DecidedBy::Person,
            )
        })
    }

    /// The state of the entry instead of `done`, since `id` has taken its
    /// reference: it needs a person, or a person has already settled it.
    pub(crate) fn taken(&self, done: Self, id: String) -> Self {
        let done = Self { state: EntryState::Failed, ..done };
        match (&self.rival, &done.note) {
            (Some(_), Some(note)) => {
                let note = format!("{note} (executed beside the entry {id})");
                Self { note: Some(note), ..done }
            }
            _ => Self { rival: Some(id), ..done },
        }
    }

    fn decided(&self, state: EntryState, by: DecidedBy) -> Self {
        Self { state, decided_by: Some(by), ..self.clone() }
    }

    fn with_identifiers(&self, hash: Option<&str>, uid: Option<&str>) -> Self {
        Self {
            hash: hash.map(str::to_owned).or_else(|| self.hash.clone()),
            uid: uid.map(str::to_owned).or_else(|| self.uid.clone()),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use EntryState::{Done, Failed, InProgress, Unknown};

    const EVERYBODY: [DecidedBy; 3] = DecidedBy::ALL;

    fn ending(state: EntryState) -> CallEnd {
        let hash = (state == Done).then(|| "5a".to_owned());
        let code = (state != Done).then(|| "refused".to_owned());
        CallEnd { state, hash, uid: None, kind: code.as_ref().map(|_| "rejected"), code }
    }

    fn decided(state: EntryState, by: DecidedBy) -> Entry {
        Entry { state, decided_by: Some(by), ..Entry::of_test("order-1") }
    }

    fn state_and_source(entry: &Entry) -> (EntryState, Option<DecidedBy>) {
        (entry.state, entry.decided_by)
    }

    #[test]
    fn an_open_entry_ends_as_its_call_says() {
        for open in [InProgress, Unknown] {
            for state in [Done, Failed, Unknown] {
                let open = Entry { state: open, ..Entry::of_test("order-1") };
                let after = open.ended(&ending(state)).unwrap();
                assert_eq!(state_and_source(&after), (state, Some(DecidedBy::Call)));
            }
        }
    }

    #[test]
    fn the_calls_own_done_overrides_every_failed() {
        for by in EVERYBODY {
            let after = decided(Failed, by).ended(&ending(Done)).unwrap();
            assert_eq!(state_and_source(&after), (Done, Some(DecidedBy::Call)), "{by:?}");
            assert_eq!(after.hash.as_deref(), Some("5a"));
        }
    }

    #[test]
    fn a_done_of_a_cancelled_payout_keeps_its_code() {
        let cancelled = CallEnd { code: Some("BANK_INFO".to_owned()), ..ending(Done) };
        let by_person = decided(Failed, DecidedBy::Person);
        for before in [Entry::of_test("payout-1"), by_person] {
            let after = before.ended(&cancelled).unwrap();
            assert_eq!(after.cancelled_with(), Some("BANK_INFO"));
            let taken = before.taken(after, "2".to_owned());
            assert_eq!((taken.state, taken.cancelled_with()), (Failed, None));
            let settled = taken.resolved(true, "it is there").unwrap();
            assert_eq!(settled.cancelled_with(), Some("BANK_INFO"));
        }
    }

    #[test]
    fn the_calls_own_failed_never_changes_a_done_but_is_noted() {
        for by in EVERYBODY {
            let after = decided(Done, by).ended(&ending(Failed)).unwrap();
            assert_eq!(
                (state_and_source(&after), after.code.as_deref()),
                ((Done, Some(by)), Some("refused"))
            );
            assert_eq!(after.ended(&ending(Failed)), None, "it is noted once");
        }
    }

    #[test]
    fn otherwise_the_first_decision_stays() {
        for by in EVERYBODY {
            assert_eq!(decided(Done, by).ended(&ending(Unknown)), None);
            assert_eq!(decided(Failed, by).ended(&ending(Unknown)), None);
            assert_eq!(decided(Failed, by).ended(&ending(Failed)), None);
            let more = decided(Done, by).ended(&ending(Done)).unwrap();
            assert_eq!(
                (state_and_source(&more), more.hash.as_deref()),
                ((Done, Some(by)), Some("5a"))
            );
        }
    }

    #[test]
    fn recovery_changes_open_entries_only() {
        let outcome = FoundOutcome {
            state: Done,
            hash: Some("5a".to_owned()),
            uid: None,
            cancelled_with: None,
        };
        let found = Entry::of_test("order-1").recovered(&outcome).unwrap();
        assert_eq!(state_and_source(&found), (Done, Some(DecidedBy::Recovery)));
        assert_eq!(found.hash.as_deref(), Some("5a"));
        for state in [Done, Failed] {
            for by in EVERYBODY {
                assert_eq!(decided(state, by).recovered(&outcome), None);
            }
        }
        let rival = Entry { rival: Some("2".to_owned()), ..decided(Failed, DecidedBy::Call) };
        assert_eq!(rival.recovered(&outcome), None);
        let lost = Entry::of_test("payout-1").ended(&ending(Unknown)).unwrap();
        assert_eq!(lost.recovered(&outcome).unwrap().cancelled_with(), None);
        let cancelled = FoundOutcome { cancelled_with: Some("BANK_INFO".to_owned()), ..outcome };
        let found = lost.recovered(&cancelled).unwrap();
        assert_eq!((found.state, found.cancelled_with()), (Done, Some("BANK_INFO")));
    }

    #[test]
    fn a_person_decides_open_entries_and_may_change_no_to_yes() {
        for executed in [true, false] {
            let resolved = Entry::of_test("order-1").resolved(executed, "seen").unwrap();
            let state = if executed { Done } else { Failed };
            assert_eq!(state_and_source(&resolved), (state, Some(DecidedBy::Person)));
            assert_eq!(resolved.resolved(false, "again"), None, "{executed}");
            assert_eq!(resolved.resolved(true, "again").is_some(), !executed);
            for by in [DecidedBy::Call, DecidedBy::Recovery] {
                assert_eq!(decided(Done, by).resolved(executed, "seen"), None);
                assert_eq!(decided(Failed, by).resolved(executed, "seen"), None);
            }
        }
    }

    #[test]
    fn an_entry_whose_reference_was_taken_needs_a_person() {
        let no = decided(Failed, DecidedBy::Person);
        let rival = no.taken(no.ended(&ending(Done)).unwrap(), "2".to_owned());
        assert_eq!(state_and_source(&rival), (Failed, Some(DecidedBy::Call)));
        assert!(rival.is_open() && !rival.blocks(&Entry::of_test("order-1")));
        assert_eq!(rival.ended(&ending(Done)), None, "recorded once");
        let settled = rival.resolved(false, "reversed").unwrap();
        assert!(!settled.is_open() && settled.state == Failed);
        let settled = rival.taken(rival.resolved(true, "kept").unwrap(), "2".to_owned());
        assert!(!settled.is_open() && settled.state == Failed);
        assert_eq!(settled.note.as_deref(), Some("kept (executed beside the entry 2)"));
    }
}
