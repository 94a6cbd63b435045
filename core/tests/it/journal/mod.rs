//! The journal of calls that move money.

mod calls;
mod cancelled_payouts;
mod contradictions;
mod late_entries;
mod refunds;
mod sends;
#[cfg(all(unix, feature = "journal-sqlite"))]
mod sqlite;
#[cfg(all(unix, feature = "journal-sqlite"))]
mod sqlite_failures;
#[cfg(all(unix, feature = "journal-sqlite"))]
mod sqlite_upgrade;
