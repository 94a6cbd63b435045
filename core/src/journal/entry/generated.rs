// Generated from spec/journal.toml by generate/templates/journal_entry.rs.jinja; do not edit. To update: cargo xtask generate

//! The columns of a journal, and their values.

use crate::model::json::{Json, Members};
use crate::model::operation::Operation;

/// The progress of a call, as its entry says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EntryState {
    /// The call began, and nobody recorded its end. A minute after its deadline it counts as
    /// `unknown`.
    InProgress,
    /// The operation was executed.
    Done,
    /// The operation was not executed. Its reference can be used again.
    Failed,
    /// The operation may have been executed.
    Unknown,
}

impl EntryState {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::InProgress, Self::Done, Self::Failed, Self::Unknown];

    /// Its name in every language and in a journal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }

    /// The one with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }
}

/// The recorder of the state of an entry.
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

    /// Its name in every language and in a journal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Recovery => "recovery",
            Self::Person => "person",
        }
    }

    /// The one with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }
}

/// The next step that an open entry needs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Needs {
    /// The call may still run, or its effect may still appear. Recover again later.
    Time,
    /// A query that works: recover again.
    Query,
    /// A person who looks it up on the provider's platform and resolves the entry.
    Person,
}

impl Needs {
    /// Its name in every language and in a journal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Query => "query",
            Self::Person => "person",
        }
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
    /// `cancel_refund`, `create_payment`, `create_payout`, `refund_payment` or `send`.
    pub operation: Operation,
    /// The merchant's reference; for a refund and its cancellation the payment hash.
    pub reference: String,
    /// The `merchant_refund_code` of a refund, or of the refund that is cancelled.
    pub refund_code: Option<String>,
    /// The amount as it is sent: 10.50, not 1050 cents. A refund without one is a full refund.
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
    /// The latest moment at which the call ends.
    pub deadline_at: u64,
    /// When a person may say that the call was not executed.
    pub settles_at: u64,
    /// When the state was last changed.
    pub ended_at: Option<u64>,
    /// How far the call has come.
    pub state: EntryState,
    /// The recorder of the state; none while the call is in progress.
    pub decided_by: Option<DecidedBy>,
    /// The hash of the payment.
    pub hash: Option<String>,
    /// The service's id of the payout or of the refund.
    pub uid: Option<String>,
    /// The kind of the call's error.
    pub kind: Option<String>,
    /// The code of the call's error. Without a kind, the service's code for a payout that it
    /// created and cancelled at once, or `CA`.
    pub code: Option<String>,
    /// The note of a person.
    pub note: Option<String>,
    /// The id of the entry that took the reference after a person's `no`. It is there if this call
    /// was executed after all: both may have moved money.
    pub rival: Option<String>,
}

impl Entry {
    /// The entry as an object, for your own journal.
    pub fn to_json(&self) -> Json {
        self.to_members().into()
    }

    pub(crate) fn to_members(&self) -> Members {
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
        entry
    }

    /// Reads an entry that [`to_json`](Self::to_json) wrote. `None` if a member
    /// is missing or invalid.
    pub fn from_json(json: &Json) -> Option<Self> {
        // Only null is read as null: a refund without an amount is a full one.
        let perhaps = |name: &str| match json.get(name)? {
            value if value.is_null() => Some(None),
            value => value.as_str().map(|text| Some(text.to_owned())),
        };
        let text = |name: &str| perhaps(name)?;
        let number = |name: &str| json.get(name)?.as_u64();
        let perhaps_number = |name: &str| match json.get(name)? {
            value if value.is_null() => Some(None),
            value => value.as_u64().map(Some),
        };
        Some(Self {
            id: text("id")?,
            version: number("version")?,
            scope: text("scope")?,
            operation: Operation::of_entry(&text("operation")?)?,
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
            ended_at: perhaps_number("ended_at")?,
            state: EntryState::from_name(&text("state")?)?,
            decided_by: match perhaps("decided_by")? {
                Some(name) => Some(DecidedBy::from_name(&name)?),
                None => None,
            },
            hash: perhaps("hash")?,
            uid: perhaps("uid")?,
            kind: perhaps("kind")?,
            code: perhaps("code")?,
            note: perhaps("note")?,
            rival: perhaps("rival")?,
        })
    }
}
