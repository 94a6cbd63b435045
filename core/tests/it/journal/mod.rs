//! The journal of calls that move money.

mod calls;
mod cancelled_payouts;
mod contradictions;
mod decisions;
mod late_entries;
#[cfg(unix)]
mod left_entries;
mod prune;
mod recovery;
mod recovery_many;
mod refunds;
mod sends;
#[cfg(unix)]
mod sqlite;
#[cfg(unix)]
mod sqlite_copies;
#[cfg(unix)]
mod sqlite_failures;
