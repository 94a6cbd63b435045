//! The journal of calls that move money.

mod calls;
mod cancelled_payouts;
mod contradictions;
mod decisions;
mod late_entries;
#[cfg(all(unix, feature = "journal-sqlite"))]
mod left_entries;
mod prune;
mod recovery;
mod recovery_many;
mod refunds;
mod sends;
#[cfg(all(unix, feature = "journal-sqlite"))]
mod sqlite;
#[cfg(all(unix, feature = "journal-sqlite"))]
mod sqlite_copies;
#[cfg(all(unix, feature = "journal-sqlite"))]
mod sqlite_failures;
