//! The journal of calls that move money.

mod calls;
mod contradictions;
mod prune;
mod recovery;
mod recovery_many;
mod sqlite;
mod sqlite_failures;
