//! A journal of calls that move money. The entry of a call is on disk before the
//! first byte of its request leaves: nothing is paid twice, even after a crash.
//!
//! A [`Journal`] stores entries and decides nothing. The client writes an entry
//! before the transport is called, and its end afterwards. Open entries are
//! settled by recovery, which is in the crate `payments-host`, or by a person.

// - `entry/`: an entry, and which of them block a call
// - `decide.rs`: who may change one, in one order of precedence
// - `needs.rs`: the needs of an open one
// - `error.rs`: why a journal does not work, and why it refuses a call
// - `sql/`: the schema, the statements and the check of a table
// - `sqlite/`: the journal in an SQLite file

mod decide;
mod entry;
mod error;
mod needs;
pub mod sql;
#[cfg(all(unix, feature = "journal-sqlite"))]
mod sqlite;

use std::any::Any;

pub(crate) use decide::CallEnd;
pub use decide::FoundOutcome;
pub(crate) use entry::ABANDONED_AFTER_MS;
pub use entry::{DecidedBy, Entry, EntryState, Needs, RecordedAs};
pub use error::JournalError;
pub(crate) use error::{Commit, blocked};
#[doc(hidden)]
pub use error::{blocked_by, with_entry};
#[cfg(all(unix, feature = "journal-sqlite"))]
pub use sqlite::SqliteJournal;

use payments_transport::context::CallContext;

use crate::model::json::{Json, Members};

/// The entries to read. At most one of `id`, `reference` or `hash`, `is_open` and
/// `ended_from` is set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Filter {
    /// The scope of the entries.
    pub scope: String,
    /// The id of the entry.
    pub id: Option<String>,
    /// The reference of the entries.
    pub reference: Option<String>,
    /// The hash of the entries. With a reference too, they have either.
    pub hash: Option<String>,
    /// Whether to read open entries only: in progress or unknown, or with a
    /// rival.
    pub is_open: bool,
    /// Only entries whose state was last changed at this time or later, in
    /// milliseconds since 1970 UTC. A journal may read more.
    pub ended_from: Option<u64>,
    /// Only entries with larger ids.
    pub after: Option<String>,
    /// The most entries to read.
    pub limit: u32,
}

impl Filter {
    /// The entries of a scope, at most 1,000.
    pub fn of_scope(scope: impl Into<String>) -> Self {
        Self {
            scope: scope.into(),
            id: None,
            reference: None,
            hash: None,
            is_open: false,
            ended_from: None,
            after: None,
            limit: 1_000,
        }
    }

    /// Whether the entry has the id that the filter names, and the reference or the
    /// hash.
    pub fn names(&self, entry: &Entry) -> bool {
        let has_reference = self.reference.as_ref() == Some(&entry.reference);
        let has_hash = self.hash.is_some() && self.hash == entry.hash;
        let is_any = self.reference.is_none() && self.hash.is_none();
        self.id.as_ref().is_none_or(|id| *id == entry.id) && (is_any || has_reference || has_hash)
    }

    /// The filter as an object; members without a value are null, but
    /// `ended_from` is left out.
    pub fn to_members(&self) -> Members {
        let mut members = Members::from([("scope", self.scope.as_str())]);
        members.push("id", self.id.as_deref());
        members.push("reference", self.reference.as_deref());
        members.push("hash", self.hash.as_deref());
        members.push("is_open", self.is_open);
        if self.ended_from.is_some() {
            members.push("ended_from", self.ended_from);
        }
        members.push("after", self.after.as_deref());
        members.push("limit", u64::from(self.limit));
        members
    }
}

/// Entries, and when they were read.
#[derive(Clone, Debug)]
pub struct Found {
    /// The journal's clock, in milliseconds since 1970 UTC.
    pub now: u64,
    /// By their ids, the smallest first.
    pub entries: Vec<Entry>,
}

/// The result of an update.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Updated {
    /// It is stored.
    Changed,
    /// Nothing changed: the stored entry has another version by now.
    ChangedMeanwhile,
    /// Nothing changed: the entry with this id has taken the reference, and a
    /// unique index allows one entry that is not `failed`.
    TakenBy(String),
}

/// The extent of a copy of a journal's file: it lacks all later entries.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct JournalCopy {
    /// When its newest entry was created, in milliseconds since 1970 UTC.
    pub newest: Option<u64>,
    /// Its open entries, of all scopes.
    pub open: Found,
}

/// How many entries were created before a moment.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counted {
    /// The journal's clock, in milliseconds since 1970 UTC.
    pub now: u64,
    /// When the newest entry of the scope was created.
    pub newest: Option<u64>,
    /// Those that are `done`.
    pub done: u64,
    /// Those that are `failed` and have no rival.
    pub failed: u64,
    /// Those that are open.
    pub open: u64,
}

impl Counted {
    /// Reads an object with these members.
    pub fn from_json(json: &Json) -> Option<Self> {
        let number = |name: &str| json.get(name)?.as_u64();
        Some(Self {
            now: number("now")?,
            newest: match json.get("newest")? {
                newest if newest.is_null() => None,
                newest => Some(newest.as_u64()?),
            },
            done: number("done")?,
            failed: number("failed")?,
            open: number("open")?,
        })
    }
}

/// Stores the entries of calls, durably and for all processes that share it.
///
/// Each method is one committed transaction. A journal never decides on its own:
/// [`sql::SCHEMA`] has the unique indexes that do. The crate holds no lock while it
/// calls these methods, and several threads may call them at once. A method that
/// waits must ask `context` at least every 100 ms.
pub trait Journal: Send + Sync {
    /// Inserts `entry`, unless an index refuses it. Returns `false`, and changes
    /// nothing, if one does.
    ///
    /// The journal's clock gives the times: `created_at` becomes now, and
    /// `deadline_at` and `settles_at` move by the same amount. The entry must
    /// survive a power failure when this returns.
    ///
    /// # Errors
    /// If it is not certain that the entry is stored.
    fn insert(&self, context: &CallContext, entry: &Entry) -> Result<bool, JournalError>;

    /// Stores `state` of `entry` and the members after it, sets `ended_at` to now,
    /// and adds one to the version.
    ///
    /// # Errors
    /// If it is not certain that the entry was changed.
    fn update(&self, context: &CallContext, entry: &Entry) -> Result<Updated, JournalError>;

    /// Reads entries by their ids, the smallest first.
    ///
    /// # Errors
    /// If the journal cannot be read.
    fn find(&self, context: &CallContext, filter: &Filter) -> Result<Found, JournalError>;

    /// [`find`](Self::find) for each filter, with the results in their order. The default
    /// asks for one after the other.
    ///
    /// # Errors
    /// If the journal cannot be read.
    fn find_each(
        &self,
        context: &CallContext,
        filters: &[Filter],
    ) -> Result<Vec<Found>, JournalError> {
        filters.iter().map(|filter| self.find(context, filter)).collect()
    }

    /// Counts the entries of `scope` that were created before `before`, in
    /// milliseconds since 1970 UTC.
    ///
    /// # Errors
    /// If the journal cannot be read.
    fn count(
        &self,
        context: &CallContext,
        scope: &str,
        before: u64,
    ) -> Result<Counted, JournalError>;

    /// Deletes at most `limit` entries of `scope` that were created before
    /// `before` and are not open. Returns their number.
    ///
    /// # Errors
    /// If the journal cannot be written.
    fn prune(
        &self,
        context: &CallContext,
        scope: &str,
        before: u64,
        limit: u32,
    ) -> Result<u64, JournalError>;

    /// Keeps other recoveries of this journal from starting until the result is
    /// dropped. The default keeps none: two at once do no harm, but query
    /// everything twice.
    ///
    /// # Errors
    /// If another one is running.
    fn lock_recovery(&self) -> Result<Box<dyn Any + Send + Sync>, JournalError> {
        Ok(Box::new(()))
    }

    /// Whether the journal takes entries. A copy of a file does not, until a
    /// person has adopted it. The default says that it does.
    ///
    /// # Errors
    /// If it does not, or cannot be read.
    fn check_adopted(&self, context: &CallContext) -> Result<(), JournalError> {
        let _ = context;
        Ok(())
    }
}
