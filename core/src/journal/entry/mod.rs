//! An entry of a journal: one call.

mod generated;

pub use generated::{DecidedBy, Entry, EntryState, Needs};
use payments_base::debug_shows;

use crate::model::amount::same_amount;

impl EntryState {
    /// Whether the state says the outcome of the operation.
    pub const fn is_definite(self) -> bool {
        matches!(self, Self::Done | Self::Failed)
    }
}

debug_shows!(
    Entry,
    |it| id = it.id,
    operation = it.operation.name(),
    reference = it.reference,
    state = it.state
);

/// How a request compares with the one that an entry records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordedAs {
    /// It has the same body.
    Same,
    /// The body of the entry is not known, since a query found its payment; the
    /// amount and the currency are the same.
    Unchecked,
    /// It has another body.
    Other,
}

/// How long after its deadline an entry without an end counts as unknown.
pub(crate) const ABANDONED_AFTER_MS: u64 = 60_000;

impl Entry {
    /// The service's code for a payout that it created and cancelled at once, or
    /// `CA`; `None` for any other entry.
    pub fn cancelled_with(&self) -> Option<&str> {
        // An entry with the code of an error has its kind too.
        let has_succeeded = self.state == EntryState::Done && self.kind.is_none();
        self.code.as_deref().filter(|_| has_succeeded)
    }

    /// The state at `now`, in milliseconds since 1970 UTC: an abandoned call is
    /// unknown. So is one that began later than now: a clock was ahead, so no time
    /// says whether it still runs.
    pub fn state_at(&self, now: u64) -> EntryState {
        let may_run = (self.created_at..=self.abandoned_at()).contains(&now);
        match self.state {
            EntryState::InProgress if !may_run => EntryState::Unknown,
            state => state,
        }
    }

    /// Whether the body of its request is known: an entry of a payment that a query
    /// found has none.
    pub fn has_known_body(&self) -> bool {
        !self.body_sha256.is_empty()
    }

    /// How the request of `call` compares with that of this entry.
    pub(crate) fn records(&self, call: &Self) -> RecordedAs {
        if self.has_known_body() && self.body_sha256 == call.body_sha256 {
            return RecordedAs::Same;
        }
        self.records_money(call.amount.as_deref(), call.currency.as_deref())
    }

    /// Like [`records`](Self::records), for a request that has another body.
    pub(crate) fn records_money(&self, amount: Option<&str>, currency: Option<&str>) -> RecordedAs {
        let same = |ours: &Option<String>, other: Option<&str>, same: fn(&str, &str) -> bool| {
            ours.as_deref().zip(other).is_some_and(|(ours, other)| same(ours, other))
        };
        let is_same = same(&self.amount, amount, same_amount)
            && same(&self.currency, currency, |one, other| one.eq_ignore_ascii_case(other));
        if is_same && !self.has_known_body() { RecordedAs::Unchecked } else { RecordedAs::Other }
    }

    /// When a call without an end can no longer be running.
    pub(crate) fn abandoned_at(&self) -> u64 {
        self.deadline_at.saturating_add(ABANDONED_AFTER_MS)
    }

    /// Whether an entry can have this id.
    pub fn may_be_id(text: &str) -> bool {
        text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    }

    /// Whether it needs something: the outcome of the operation is not known
    /// yet, or it has a [`rival`](Self::rival).
    pub fn is_open(&self) -> bool {
        !self.state.is_definite() || self.rival.is_some()
    }

    /// Whether the journal refuses a call because of this entry. The unique
    /// indexes of a journal say the same, except about a refund while a cancellation
    /// is open.
    pub fn blocks(&self, call: &Self) -> bool {
        let has_same_reference = self.scope == call.scope && self.reference == call.reference;
        if !has_same_reference || self.state == EntryState::Failed {
            return false;
        }
        let is_undecided = !self.state.is_definite();
        if self.operation.is_cancellation() {
            return is_undecided && call.operation.is_repeatable();
        }
        let has_same_code = self.refund_code.is_some() && self.refund_code == call.refund_code;
        let are_full = self.amount.is_none() && call.amount.is_none();
        let is_only_one = !self.operation.is_repeatable();
        self.operation == call.operation
            && (is_only_one || is_undecided || has_same_code || are_full)
    }

    /// The entry of a payment in progress.
    #[cfg(any(test, feature = "testing"))]
    pub fn of_test(reference: &str) -> Self {
        Self {
            id: format!("{:032x}", 1),
            version: 1,
            scope: "api.example".to_owned(),
            operation: crate::model::operation::Operation::CreatePayment,
            reference: reference.to_owned(),
            refund_code: None,
            amount: Some("100.10".to_owned()),
            currency: Some("BRL".to_owned()),
            body_sha256: "00".repeat(32),
            host: "shop-1".to_owned(),
            process: "7".to_owned(),
            created_at: 1_000,
            deadline_at: 31_000,
            settles_at: 931_000,
            ended_at: None,
            state: EntryState::InProgress,
            decided_by: None,
            hash: None,
            uid: None,
            kind: None,
            code: None,
            note: None,
            rival: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::json::{Json, Members};
    use crate::model::operation::Operation;

    #[test]
    fn an_id_has_32_hexadecimal_digits_in_lower_case() {
        assert!(Entry::may_be_id(&"0a".repeat(16)));
        for text in ["order-1", "", "0a", &"0A".repeat(16), &"0g".repeat(16), &"0a".repeat(17)] {
            assert!(!Entry::may_be_id(text), "{text}");
        }
    }

    #[test]
    fn an_entry_survives_the_round_trip() {
        let ended = Entry {
            version: 2,
            refund_code: Some("refund-1".to_owned()),
            ended_at: Some(2_000),
            state: EntryState::Failed,
            decided_by: Some(DecidedBy::Person),
            hash: Some("5a".to_owned()),
            uid: Some("7".to_owned()),
            kind: Some("status".to_owned()),
            code: Some("refused".to_owned()),
            note: Some("looked \"it\" up".to_owned()),
            rival: Some("ff".to_owned()),
            ..Entry::of_test("order-1")
        };
        for entry in [Entry::of_test("order-1"), ended] {
            assert!(Entry::from_json(&entry.to_json()).unwrap() == entry);
        }
        assert!(Entry::from_json(&Members::new().into()).is_none());
    }

    #[test]
    fn an_entry_with_an_invalid_member_is_unreadable() {
        for (name, wrong) in [
            ("amount", Json::from(100_u64)),
            ("decided_by", Json::from("nobody")),
            ("rival", Json::from(7_u64)),
            ("ended_at", Json::from("noon")),
            ("version", Json::Null),
        ] {
            let Json::Object(mut members) = Entry::of_test("order-1").to_json() else {
                unreachable!()
            };
            members.set(name, wrong);
            assert!(Entry::from_json(&members.into()).is_none(), "{name}");
        }
        let Json::Object(all) = Entry::of_test("order-1").to_json() else { unreachable!() };
        for (missing, _) in all.iter() {
            let rest = all.iter().filter(|(name, _)| *name != missing);
            let mut members = Members::new();
            rest.for_each(|(name, value)| members.push(name, value.clone()));
            assert!(Entry::from_json(&members.into()).is_none(), "{missing}");
        }
    }

    #[test]
    fn an_abandoned_call_is_unknown_a_minute_after_its_deadline() {
        let entry = Entry::of_test("order-1");
        assert_eq!(entry.state_at(91_000), EntryState::InProgress);
        assert_eq!(entry.state_at(91_001), EntryState::Unknown);
        assert_eq!(entry.state_at(entry.created_at), EntryState::InProgress);
        assert_eq!(entry.state_at(entry.created_at - 1), EntryState::Unknown);
        let done = Entry { state: EntryState::Done, ..entry };
        assert_eq!(done.state_at(u64::MAX), EntryState::Done);
    }

    #[test]
    fn a_reference_blocks_until_its_call_failed() {
        let earlier = |state| Entry { state, ..Entry::of_test("order-1") };
        for (state, blocks) in [
            (EntryState::InProgress, true),
            (EntryState::Unknown, true),
            (EntryState::Done, true),
            (EntryState::Failed, false),
        ] {
            assert_eq!(earlier(state).blocks(&Entry::of_test("order-1")), blocks, "{state:?}");
            assert!(!earlier(state).blocks(&Entry::of_test("order-2")));
            let elsewhere =
                Entry { scope: "other.example".to_owned(), ..Entry::of_test("order-1") };
            assert!(!earlier(state).blocks(&elsewhere));
            let payout = Entry { operation: Operation::CreatePayout, ..Entry::of_test("order-1") };
            assert!(!earlier(state).blocks(&payout));
        }
    }

    #[test]
    fn a_refund_blocks_possible_duplicates() {
        let refund = |state, amount: Option<&str>, named: Option<&str>| Entry {
            operation: Operation::RefundPayment,
            state,
            amount: amount.map(str::to_owned),
            refund_code: named.map(str::to_owned),
            ..Entry::of_test("5a4f")
        };
        let next = |amount, named| refund(EntryState::InProgress, amount, named);
        for state in [EntryState::InProgress, EntryState::Unknown] {
            assert!(refund(state, Some("1"), Some("a")).blocks(&next(Some("2"), Some("b"))));
        }
        let part = refund(EntryState::Done, Some("1"), None);
        assert!(!part.blocks(&next(Some("1"), None)) && !part.blocks(&next(None, None)));
        let coded = refund(EntryState::Done, Some("1"), Some("a"));
        assert!(coded.blocks(&next(Some("2"), Some("a"))));
        assert!(!coded.blocks(&next(Some("1"), Some("b"))));
        let full = refund(EntryState::Done, None, None);
        assert!(full.blocks(&next(None, Some("b"))) && !full.blocks(&next(Some("1"), None)));
        assert!(!refund(EntryState::Failed, None, Some("a")).blocks(&next(None, Some("a"))));
    }
}
