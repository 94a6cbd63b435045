//! A journal of calls that move money: what was begun is on disk before the
//! first byte of its request leaves, so that nothing is paid twice, even after a
//! crash.
//!
//! A [`Journal`] stores entries and decides nothing. The client writes an entry
//! before the transport is called, and its end afterwards. What stays open is
//! settled by [recovery](crate::Client::recover_journal) or by a person.

mod decide;
mod entry;
mod error;
pub mod sql;
#[cfg(all(unix, feature = "journal-sqlite"))]
mod sqlite;

use std::time::Duration;

pub(crate) use decide::{Decision, Ending};
#[cfg(test)]
pub(crate) use entry::tests::entry as test_entry;
pub use entry::{DecidedBy, Entry, State};
pub use error::JournalError;
pub(crate) use error::blocked;
#[cfg(all(unix, feature = "journal-sqlite"))]
pub use sqlite::SqliteJournal;

use crate::context::CallContext;

/// Which entries to read. All conditions must hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Filter {
    /// The scope of the entries.
    pub scope: String,
    /// The id of the entry.
    pub id: Option<String>,
    /// The reference of the entries.
    pub reference: Option<String>,
    /// Whether to read open entries only: in progress or unknown, and not
    /// superseded.
    pub is_open: bool,
    /// Entries with larger ids only.
    pub after: Option<String>,
    /// The most entries to read.
    pub limit: u32,
}

impl Filter {
    /// The entries of a scope, at most 1,000.
    pub fn of_scope(scope: impl Into<String>) -> Self {
        let (id, reference, after) = (None, None, None);
        Self { scope: scope.into(), id, reference, is_open: false, after, limit: 1_000 }
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

/// Stores the entries of calls, durably and for all processes that share it.
///
/// Each method is one committed transaction of its own. A journal never decides
/// by itself: [`sql::SCHEMA`] has the unique indexes that do. The crate holds none of
/// its own locks while it calls these methods, and several threads may call them
/// at once. A method that waits must ask `context` at least every 100 ms.
pub trait Journal: Send + Sync {
    /// Inserts `entry`, unless an index refuses it, and marks the entries of
    /// `superseded` with its id, all in one transaction. Returns `false`, and
    /// changes nothing, if an index refuses the entry or if one of `superseded`
    /// has another version by now.
    ///
    /// The journal's clock gives the times: `created_at` becomes now, and
    /// `deadline_at` moves by the same amount. The entry must survive a power
    /// failure when this returns.
    ///
    /// # Errors
    /// If it is not certain that the entry is stored.
    fn insert(
        &self,
        context: &CallContext,
        entry: &Entry,
        superseded: &[Entry],
    ) -> Result<bool, JournalError>;

    /// Stores the state of `entry` and what belongs to it: `state`,
    /// `decided_by`, `hash`, `uid`, `kind`, `code`, `note` and `conflict`. Sets
    /// `ended_at` to now and adds one to the version. Returns `false` if the
    /// stored entry has another version than `entry`.
    ///
    /// In the same transaction, if the state is `failed`, what the entry had
    /// superseded gets the entry's own `superseded_by`, mostly none, and one is
    /// added to its version. So it is in force again.
    ///
    /// # Errors
    /// If it is not certain that the entry was changed.
    fn update(&self, context: &CallContext, entry: &Entry) -> Result<bool, JournalError>;

    /// Reads entries by their ids, the smallest first.
    ///
    /// # Errors
    /// If the journal cannot be read.
    fn find(&self, context: &CallContext, filter: &Filter) -> Result<Found, JournalError>;

    /// Deletes the entries of `scope` that are not open and older than `age`,
    /// both now and when the newest entry that is `done` was created, since a
    /// clock may be wrong. Returns their number.
    ///
    /// # Errors
    /// If the journal cannot be written.
    fn prune(&self, context: &CallContext, scope: &str, age: Duration)
    -> Result<u64, JournalError>;
}
