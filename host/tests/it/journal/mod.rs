//! Reading and changing the journal, recovery, and the commands for both.

mod contradictions;
mod decisions;
#[cfg(all(unix, feature = "journal-sqlite"))]
mod left_entries;
mod prune;
mod reading;
mod recovery;
mod recovery_many;
mod recovery_payouts;
mod sends;
#[cfg(all(unix, feature = "journal-sqlite"))]
mod sqlite;
#[cfg(all(unix, feature = "journal-sqlite"))]
mod sqlite_copies;
