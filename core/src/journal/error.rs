//! Why a journal does not work, and why it refuses a call.

use std::fmt;

use payments_base::utc::iso_8601;

use super::entry::{Entry, EntryState, RecordedAs};
use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome, Reason};
use crate::model::json::{Json, Members};

/// Why a journal does not work. The text must not contain secrets.
#[derive(Clone, Debug)]
pub struct JournalError {
    code: ErrorCode,
    reason: Option<Reason>,
    message: String,
    commit: Commit,
    /// Whether the next attempt may work, without anybody's help.
    may_pass: bool,
}

/// The state of the transaction of a failed action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Commit {
    /// It changed nothing, and never will.
    NotBegun,
    /// It has ended: a change that is not stored never will be.
    Over,
    /// The journal does not say.
    Unknown,
    /// Its change may appear later.
    UnderWay,
}

impl JournalError {
    /// An error with the code `unavailable` and a text for the caller and the
    /// observer.
    pub fn new(message: impl Into<String>) -> Self {
        Self { may_pass: true, ..Self::with_code(ErrorCode::UNAVAILABLE, message) }
    }

    /// The same error of an action that did not reach its commit: it changed
    /// nothing, and never will.
    #[must_use]
    pub fn before_commit(self) -> Self {
        Self { commit: Commit::NotBegun, ..self }
    }

    /// The same error of a transaction that has ended.
    #[cfg_attr(not(all(unix, feature = "journal-sqlite")), allow(dead_code))]
    pub(crate) fn after_transaction(self) -> Self {
        Self { commit: Commit::Over, ..self }
    }

    /// The same error of an action whose commit was under way, for example when
    /// the connection was lost: its change may appear later.
    #[must_use]
    pub fn during_commit(self) -> Self {
        Self { commit: Commit::UnderWay, ..self }
    }

    pub(crate) fn commit(&self) -> Commit {
        self.commit
    }

    pub(crate) fn with_code(code: ErrorCode, message: impl Into<String>) -> Self {
        let (message, commit) = (message.into(), Commit::Unknown);
        Self { code, reason: None, message, commit, may_pass: false }
    }

    pub(crate) fn may_pass(&self) -> bool {
        self.may_pass
    }

    /// Says why, for code that decides by it.
    pub(crate) fn because(self, reason: Reason) -> Self {
        Self { reason: Some(reason), ..self }
    }

    pub(crate) fn of_missing_entry(id: &str) -> Self {
        let message = format!("the entry {id} is not in the journal; check who deleted it");
        Self::with_code(ErrorCode::ENTRY_MISSING, message).because(Reason::NoEntry)
    }

    /// Whether the journal is a copy that was not adopted: it is read, and not
    /// written.
    pub(crate) fn is_of_copy(&self) -> bool {
        self.reason == Some(Reason::Copy)
    }

    pub(crate) fn is_of_missing_entry(&self) -> bool {
        self.reason == Some(Reason::NoEntry)
    }

    /// The error of a call that was not made because its entry could not be
    /// written.
    pub(crate) fn before_sending(&self) -> Error {
        let message = format!("{}; nothing was sent", self.message);
        self.with_message(&message)
    }

    /// The error of reading or changing a journal.
    #[doc(hidden)]
    pub fn outside_of_calls(&self) -> Error {
        self.with_message(&self.message)
    }

    fn with_message(&self, message: &str) -> Error {
        Error::new(ErrorKind::Journal, Outcome::NotExecuted, self.code, message)
            .with_reason(self.reason)
    }

    /// The error of a client whose journal cannot be used.
    #[cfg_attr(not(all(unix, feature = "journal-sqlite")), allow(dead_code))]
    pub(crate) fn in_configuration(&self) -> Error {
        Error::config("journal", self.code, &*self.message).with_reason(self.reason)
    }
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for JournalError {}

/// The error of `call`, which `earlier` blocks at `now`.
pub(crate) fn blocked(call: &Entry, earlier: &Entry, now: u64) -> Error {
    blocked_by(earlier, earlier.records(call), now)
}

/// The error of a call that the entry `earlier` blocks, which records another call as
/// this one, or not.
pub fn blocked_by(earlier: &Entry, recorded: RecordedAs, now: u64) -> Error {
    let id = &earlier.id;
    let is_other = recorded == RecordedAs::Other;
    let (outcome, code, message) = match earlier.state_at(now) {
        EntryState::InProgress => (
            Outcome::Unknown,
            ErrorCode::IN_PROGRESS,
            format!(
                "a call with this reference is in progress, and ends by {} at the latest",
                iso_8601(earlier.deadline_at)
            ),
        ),
        EntryState::Done if !is_other && earlier.cancelled_with().is_some() => (
            Outcome::Executed,
            ErrorCode::ALREADY_DONE,
            "the journal says that the service created this payout and cancelled it; correct the \
             payee, and use a new reference"
                .to_owned(),
        ),
        EntryState::Done if !is_other => (
            Outcome::Executed,
            ErrorCode::ALREADY_DONE,
            "the journal says that this was executed; use a new reference for something new"
                .to_owned(),
        ),
        EntryState::Done => (
            Outcome::Unknown,
            ErrorCode::REFERENCE_USED,
            "the journal says that something else was executed with this reference".to_owned(),
        ),
        EntryState::Unknown | EntryState::Failed => (
            Outcome::Unknown,
            ErrorCode::UNRESOLVED,
            format!(
                "an earlier call with this reference may have been executed; run `payments journal \
                 recover`, and what stays open then needs a person: `payments journal show {id}`"
            ),
        ),
    };
    let body = match recorded {
        RecordedAs::Same => "the same body",
        RecordedAs::Unchecked => "a body that is not known",
        RecordedAs::Other => "a different body",
    };
    let message = format!("{message} (entry {id}, with {body})");
    let reason = match earlier.state_at(now) {
        EntryState::InProgress => Some(Reason::InProgress),
        EntryState::Done if is_other => Some(Reason::ReferenceTaken),
        _ => None,
    };
    Error::new(ErrorKind::Journal, outcome, code, message)
        .with_reason(reason)
        .with_payment_hash(earlier.hash.as_deref())
        .with_journal_entry(summary(earlier, recorded, now))
}

/// The error with the entry that its reference has.
pub fn with_entry(error: Error, entry: &Entry, recorded: RecordedAs, now: u64) -> Error {
    let hash = error.payment_hash().map(str::to_owned).or_else(|| entry.hash.clone());
    error.with_payment_hash(hash.as_deref()).with_journal_entry(summary(entry, recorded, now))
}

/// The entry that blocks a call, as an error shows it.
pub(crate) fn summary(earlier: &Entry, recorded: RecordedAs, now: u64) -> Json {
    let mut entry = Members::new();
    entry.push("id", earlier.id.as_str());
    entry.push("state", earlier.state_at(now).as_str());
    entry.push("hash", earlier.hash.as_deref());
    entry.push("uid", earlier.uid.as_deref());
    let has_same_body = match recorded {
        RecordedAs::Same => Some(true),
        RecordedAs::Unchecked => None,
        RecordedAs::Other => Some(false),
    };
    entry.push("has_same_body", has_same_body);
    entry.push("created_at", earlier.created_at);
    Json::Object(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blocked_call_gets_the_blocking_entry() {
        let done = Entry {
            state: EntryState::Done,
            hash: Some("5a4f".to_owned()),
            uid: Some("u-1".to_owned()),
            ..Entry::of_test("order-1")
        };
        let same = Entry { id: "2".to_owned(), ..done.clone() };
        let different = Entry { body_sha256: "11".repeat(32), ..same.clone() };
        for (call, code, said) in [
            (same, ErrorCode::ALREADY_DONE, "with the same body"),
            (different, ErrorCode::REFERENCE_USED, "with a different body"),
        ] {
            let error = blocked(&call, &done, 2_000);
            assert_eq!(error.code(), code);
            assert!(error.message().contains(said), "{error}");
            let entry = error.journal_entry().map(Json::to_text).unwrap_or_default();
            let begin = format!(
                r#"{{"id":"{}","state":"done","hash":"5a4f","uid":"u-1","has_same_body":"#,
                done.id
            );
            assert!(entry.starts_with(&begin), "{entry}");
            assert!(entry.ends_with(r#""created_at":1000}"#), "{entry}");
        }
    }
}
