//! What a journal knows of one call.

use crate::base::debug::debug_shows;
use crate::model::json::{Json, Members};
use crate::model::operation::Operation;

/// How far a call has come, as its entry says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum State {
    /// The call began, and nobody recorded its end. A minute after its deadline
    /// it counts as [`Unknown`](Self::Unknown).
    InProgress,
    /// The operation was executed.
    Done,
    /// The operation was not executed.
    Failed,
    /// The operation may have been executed.
    Unknown,
}

impl State {
    /// All states.
    pub const ALL: [Self; 4] = [Self::InProgress, Self::Done, Self::Failed, Self::Unknown];

    /// Its name in every language and in a journal: `in_progress`, `done`,
    /// `failed` or `unknown`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }

    /// The state of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Whether it says what became of the operation.
    pub const fn is_definite(self) -> bool {
        matches!(self, Self::Done | Self::Failed)
    }
}

/// Who recorded the state of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DecidedBy {
    /// The call itself, by its end.
    Call,
    /// Recovery, by a query.
    Recovery,
    /// A person.
    Person,
}

impl DecidedBy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Call, Self::Recovery, Self::Person];

    /// Its name in every language and in a journal: `call`, `recovery` or
    /// `person`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Recovery => "recovery",
            Self::Person => "person",
        }
    }

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.as_str() == name)
    }
}

/// One call in a journal. It holds no payer data, key, token or body. Times are
/// milliseconds since 1970 UTC by the journal's clock.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// 32 lower-case hexadecimal digits. Later entries have larger ids.
    pub id: String,
    /// Counts the changes of the entry, from 1.
    pub version: u64,
    /// Which service and merchant the entry belongs to: `journal_scope`.
    pub scope: String,
    /// `create_payment`, `create_payout`, `refund_payment` or `send`.
    pub operation: Operation,
    /// The merchant's reference; for a refund the payment hash.
    pub reference: String,
    /// The `merchant_refund_code` of a refund.
    pub refund_code: Option<String>,
    /// The amount as it is sent. A refund without one is a full refund.
    pub amount: Option<String>,
    /// Three-letter currency code.
    pub currency: Option<String>,
    /// SHA-256 of the body without `integration_key`, in hexadecimal.
    pub body_sha256: String,
    /// The host that made the call; for people only.
    pub host: String,
    /// The process that made the call; for people only.
    pub process: String,
    /// When the entry was written.
    pub created_at: u64,
    /// When the call ends at the latest.
    pub deadline_at: u64,
    /// When a person may say that the call was not executed.
    pub settles_at: u64,
    /// When the state was last changed.
    pub ended_at: Option<u64>,
    /// How far the call has come.
    pub state: State,
    /// Who recorded the state; `None` while the call is in progress.
    pub decided_by: Option<DecidedBy>,
    /// The hash of the payment.
    pub hash: Option<String>,
    /// The service's id of the payout or of the refund.
    pub uid: Option<String>,
    /// The kind of the call's error.
    pub kind: Option<String>,
    /// The code of the call's error.
    pub code: Option<String>,
    /// What a person noted.
    pub note: Option<String>,
    /// The id of the entry that took the reference after a person's `no`, if
    /// this call was executed all the same.
    pub rival: Option<String>,
}

debug_shows!(
    Entry,
    |it| id = it.id,
    operation = it.operation.name(),
    reference = it.reference,
    state = it.state
);

/// How long after its deadline an entry without an end counts as unknown.
pub(crate) const ABANDONED_AFTER_MS: u64 = 60_000;

impl Entry {
    /// The state at `now`, in milliseconds since 1970 UTC: an abandoned call is
    /// unknown.
    pub fn state_at(&self, now: u64) -> State {
        match self.state {
            State::InProgress if now > self.abandoned_at() => State::Unknown,
            state => state,
        }
    }

    /// When a call without an end can no longer be running.
    pub(crate) fn abandoned_at(&self) -> u64 {
        self.deadline_at.saturating_add(ABANDONED_AFTER_MS)
    }

    /// Whether an entry can have this id.
    pub(crate) fn may_be_id(text: &str) -> bool {
        text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    }

    /// Whether it needs something: nobody knows yet what became of the
    /// operation, or it has a [`rival`](Self::rival).
    pub fn is_open(&self) -> bool {
        !self.state.is_definite() || self.rival.is_some()
    }

    /// Whether the journal refuses a call because of this entry. The unique
    /// indexes of a journal say the same.
    pub fn blocks(&self, call: &Self) -> bool {
        let is_about_the_same = self.scope == call.scope
            && self.operation == call.operation
            && self.reference == call.reference;
        if !is_about_the_same || self.state == State::Failed {
            return false;
        }
        let has_same_code = self.refund_code.is_some() && self.refund_code == call.refund_code;
        let are_full = self.amount.is_none() && call.amount.is_none();
        let is_undecided = !self.state.is_definite();
        self.operation != Operation::RefundPayment || is_undecided || has_same_code || are_full
    }

    /// The entry as an object, as a journal of your own stores it.
    pub fn to_json(&self) -> Json {
        let mut entry = Members::new();
        entry.push("id", self.id.as_str());
        entry.push("version", self.version);
        entry.push("scope", self.scope.as_str());
        entry.push("operation", self.operation.name());
        entry.push("reference", self.reference.as_str());
        entry.push("refund_code", self.refund_code.as_deref());
        entry.push("amount", self.amount.as_deref());
        entry.push("currency", self.currency.as_deref());
        entry.push("body_sha256", self.body_sha256.as_str());
        entry.push("host", self.host.as_str());
        entry.push("process", self.process.as_str());
        entry.push("created_at", self.created_at);
        entry.push("deadline_at", self.deadline_at);
        entry.push("settles_at", self.settles_at);
        entry.push("ended_at", self.ended_at);
        entry.push("state", self.state.as_str());
        entry.push("decided_by", self.decided_by.map(DecidedBy::as_str));
        entry.push("hash", self.hash.as_deref());
        entry.push("uid", self.uid.as_deref());
        entry.push("kind", self.kind.as_deref());
        entry.push("code", self.code.as_deref());
        entry.push("note", self.note.as_deref());
        entry.push("rival", self.rival.as_deref());
        Json::Object(entry)
    }

    /// Reads an entry that [`to_json`](Self::to_json) wrote. `None` if a member
    /// is missing or is not what it must be.
    pub fn from_json(json: &Json) -> Option<Self> {
        // Nothing is read as null that is not: a refund without an amount is a full one.
        let perhaps = |name: &str| match json.get(name)? {
            value if value.is_null() => Some(None),
            value => value.as_str().map(|text| Some(text.to_owned())),
        };
        let text = |name: &str| perhaps(name)?;
        let number = |name: &str| json.get(name)?.as_number_text()?.parse().ok();
        Some(Self {
            id: text("id")?,
            version: number("version")?,
            scope: text("scope")?,
            operation: Operation::from_name(&text("operation")?)?,
            reference: text("reference")?,
            refund_code: perhaps("refund_code")?,
            amount: perhaps("amount")?,
            currency: perhaps("currency")?,
            body_sha256: text("body_sha256")?,
            host: text("host")?,
            process: text("process")?,
            created_at: number("created_at")?,
            deadline_at: number("deadline_at")?,
            settles_at: number("settles_at")?,
            ended_at: match json.get("ended_at")? {
                value if value.is_null() => None,
                _ => Some(number("ended_at")?),
            },
            state: State::from_name(&text("state")?)?,
            decided_by: named(perhaps("decided_by")?, DecidedBy::from_name)?,
            hash: perhaps("hash")?,
            uid: perhaps("uid")?,
            kind: perhaps("kind")?,
            code: perhaps("code")?,
            note: perhaps("note")?,
            rival: perhaps("rival")?,
        })
    }
}

/// What a name stands for. `None` if it is unknown.
fn named<T>(name: Option<String>, from_name: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    match name {
        Some(name) => from_name(&name).map(Some),
        None => Some(None),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An entry of a payment in progress.
    pub(crate) fn entry(reference: &str) -> Entry {
        Entry {
            id: format!("{:032x}", 1),
            version: 1,
            scope: "api.example".to_owned(),
            operation: Operation::CreatePayment,
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
            state: State::InProgress,
            decided_by: None,
            hash: None,
            uid: None,
            kind: None,
            code: None,
            note: None,
            rival: None,
        }
    }

    #[test]
    fn an_entry_survives_the_round_trip() {
        let ended = Entry {
            version: 2,
            refund_code: Some("refund-1".to_owned()),
            ended_at: Some(2_000),
            state: State::Failed,
            decided_by: Some(DecidedBy::Person),
            hash: Some("5a".to_owned()),
            uid: Some("7".to_owned()),
            kind: Some("status".to_owned()),
            code: Some("refused".to_owned()),
            note: Some("looked \"it\" up".to_owned()),
            rival: Some("ff".to_owned()),
            ..entry("order-1")
        };
        for entry in [entry("order-1"), ended] {
            assert!(Entry::from_json(&entry.to_json()).unwrap() == entry);
        }
        assert!(Entry::from_json(&Members::new().into()).is_none());
    }

    #[test]
    fn an_entry_with_a_member_that_is_not_what_it_must_be_is_unreadable() {
        for (name, wrong) in [
            ("amount", Json::from(100_u64)),
            ("decided_by", Json::from("nobody")),
            ("rival", Json::from(7_u64)),
            ("ended_at", Json::from("noon")),
            ("version", Json::Null),
        ] {
            let Json::Object(mut members) = entry("order-1").to_json() else { unreachable!() };
            members.set(name, wrong);
            assert!(Entry::from_json(&members.into()).is_none(), "{name}");
        }
        let Json::Object(all) = entry("order-1").to_json() else { unreachable!() };
        for (missing, _) in all.iter() {
            let rest = all.iter().filter(|(name, _)| *name != missing);
            let mut members = Members::new();
            rest.for_each(|(name, value)| members.push(name, value.clone()));
            assert!(Entry::from_json(&members.into()).is_none(), "{missing}");
        }
    }

    #[test]
    fn an_abandoned_call_is_unknown_a_minute_after_its_deadline() {
        let entry = entry("order-1");
        assert_eq!(entry.state_at(91_000), State::InProgress);
        assert_eq!(entry.state_at(91_001), State::Unknown);
        let done = Entry { state: State::Done, ..entry };
        assert_eq!(done.state_at(u64::MAX), State::Done);
    }

    #[test]
    fn a_reference_blocks_until_its_call_failed() {
        let earlier = |state| Entry { state, ..entry("order-1") };
        for (state, blocks) in [
            (State::InProgress, true),
            (State::Unknown, true),
            (State::Done, true),
            (State::Failed, false),
        ] {
            assert_eq!(earlier(state).blocks(&entry("order-1")), blocks, "{state:?}");
            assert!(!earlier(state).blocks(&entry("order-2")));
            let elsewhere = Entry { scope: "other.example".to_owned(), ..entry("order-1") };
            assert!(!earlier(state).blocks(&elsewhere));
            let payout = Entry { operation: Operation::CreatePayout, ..entry("order-1") };
            assert!(!earlier(state).blocks(&payout));
        }
    }

    #[test]
    fn a_refund_blocks_what_may_be_the_same_refund() {
        let refund = |state, amount: Option<&str>, named: Option<&str>| Entry {
            operation: Operation::RefundPayment,
            state,
            amount: amount.map(str::to_owned),
            refund_code: named.map(str::to_owned),
            ..entry("5a4f")
        };
        let next = |amount, named| refund(State::InProgress, amount, named);
        for state in [State::InProgress, State::Unknown] {
            assert!(refund(state, Some("1"), Some("a")).blocks(&next(Some("2"), Some("b"))));
        }
        let part = refund(State::Done, Some("1"), None);
        assert!(!part.blocks(&next(Some("1"), None)) && !part.blocks(&next(None, None)));
        let coded = refund(State::Done, Some("1"), Some("a"));
        assert!(coded.blocks(&next(Some("2"), Some("a"))));
        assert!(!coded.blocks(&next(Some("1"), Some("b"))));
        let full = refund(State::Done, None, None);
        assert!(full.blocks(&next(None, Some("b"))) && !full.blocks(&next(Some("1"), None)));
        assert!(!refund(State::Failed, None, Some("a")).blocks(&next(None, Some("a"))));
    }
}
