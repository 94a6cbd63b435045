//! Which changes of an entry are allowed: by its call, by recovery, by a person.

use super::entry::{DecidedBy, Entry, State};

/// How a call ended, as its entry records it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ending {
    pub(crate) state: State,
    pub(crate) hash: Option<String>,
    pub(crate) uid: Option<String>,
    pub(crate) kind: Option<&'static str>,
    pub(crate) code: Option<&'static str>,
}

/// What to do about the end of a call.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Store this entry.
    Change(Entry),
    /// The entry stays as it is.
    Keep,
    /// A person decided otherwise. Store this entry, which says so.
    Conflict(Entry),
}

impl Entry {
    /// The entry after its own call ended. A definite end wins over recovery; a
    /// person's decision stays.
    pub(crate) fn ended(&self, ending: &Ending) -> Decision {
        let is_news = ending.state.is_definite();
        if self.decided_by == Some(DecidedBy::Person) {
            return match is_news && ending.state != self.state {
                true => Decision::Conflict(Self { conflict: Some(ending.state), ..self.clone() }),
                false => Decision::Keep,
            };
        }
        if self.state.is_definite() && !is_news {
            return Decision::Keep;
        }
        Decision::Change(Self {
            state: ending.state,
            decided_by: Some(DecidedBy::Call),
            hash: ending.hash.clone().or_else(|| self.hash.clone()),
            uid: ending.uid.clone().or_else(|| self.uid.clone()),
            kind: ending.kind.map(str::to_owned),
            code: ending.code.map(str::to_owned),
            ..self.clone()
        })
    }

    /// The entry after recovery found that the operation was executed. `None`
    /// if somebody knew before.
    pub(crate) fn found(&self, hash: Option<&str>, uid: Option<&str>) -> Option<Self> {
        self.is_open().then(|| Self {
            state: State::Done,
            decided_by: Some(DecidedBy::Recovery),
            hash: hash.map(str::to_owned).or_else(|| self.hash.clone()),
            uid: uid.map(str::to_owned).or_else(|| self.uid.clone()),
            ..self.clone()
        })
    }

    /// The entry after a person decided. `None` if it is not open.
    pub(crate) fn resolved(&self, executed: bool, note: &str) -> Option<Self> {
        self.is_open().then(|| Self {
            state: if executed { State::Done } else { State::Failed },
            decided_by: Some(DecidedBy::Person),
            note: Some(note.to_owned()),
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::entry::tests::entry;

    fn ending(state: State) -> Ending {
        let hash = (state == State::Done).then(|| "5a".to_owned());
        Ending { state, hash, uid: None, kind: None, code: None }
    }

    fn decided(state: State, by: DecidedBy) -> Entry {
        Entry { state, decided_by: Some(by), ..entry("order-1") }
    }

    fn change(decision: Decision) -> (State, Option<DecidedBy>) {
        match decision {
            Decision::Change(entry) => (entry.state, entry.decided_by),
            _ => panic!("the entry must change"),
        }
    }

    #[test]
    fn a_call_in_progress_ends_as_it_says() {
        for state in [State::Done, State::Failed, State::Unknown] {
            let after = change(entry("order-1").ended(&ending(state)));
            assert_eq!(after, (state, Some(DecidedBy::Call)));
        }
    }

    #[test]
    fn a_definite_end_wins_over_recovery_and_a_doubt_does_not() {
        let recovered = decided(State::Done, DecidedBy::Recovery);
        let failed = change(recovered.ended(&ending(State::Failed)));
        assert_eq!(failed, (State::Failed, Some(DecidedBy::Call)));
        assert!(recovered.ended(&ending(State::Unknown)) == Decision::Keep);
    }

    #[test]
    fn a_conflict_with_a_person_is_kept() {
        let by_person = decided(State::Failed, DecidedBy::Person);
        let Decision::Conflict(kept) = by_person.ended(&ending(State::Done)) else {
            panic!("a conflict");
        };
        assert_eq!((kept.state, kept.conflict), (State::Failed, Some(State::Done)));
        assert!(by_person.ended(&ending(State::Failed)) == Decision::Keep);
        assert!(by_person.ended(&ending(State::Unknown)) == Decision::Keep);
    }

    #[test]
    fn only_open_entries_are_recovered_or_resolved() {
        let open = entry("order-1");
        let found = open.found(Some("5a"), None).unwrap();
        assert_eq!((found.state, found.hash.as_deref()), (State::Done, Some("5a")));
        let resolved = open.resolved(false, "not on the platform").unwrap();
        assert_eq!((resolved.state, resolved.decided_by), (State::Failed, Some(DecidedBy::Person)));
        for state in [State::Done, State::Failed] {
            let decided = decided(state, DecidedBy::Call);
            assert!(decided.found(None, None).is_none() && decided.resolved(true, "").is_none());
        }
    }
}
