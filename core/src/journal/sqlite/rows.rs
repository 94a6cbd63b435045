//! Entries as rows of the table.

use rusqlite::Row;

use super::super::sql::{SQLITE, in_dialect};
use super::super::{Counted, DecidedBy, Entry, State};
use crate::model::operation::Operation;

/// A statement in the dialect of SQLite.
pub(super) fn in_sqlite(sql: &str) -> String {
    in_dialect(sql, &SQLITE)
}

/// A number as SQLite stores it.
pub(super) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The entry in a row.
pub(super) fn entry_of(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let number =
        |name: &str| row.get::<_, i64>(name).map(|it| u64::try_from(it).unwrap_or_default());
    let unreadable = |name: &str| rusqlite::Error::InvalidColumnName(name.to_owned());
    let decided_by =
        |name: String| DecidedBy::from_name(&name).ok_or_else(|| unreadable("decided_by"));
    Ok(Entry {
        id: row.get("id")?,
        version: number("version")?,
        scope: row.get("scope")?,
        operation: Operation::from_name(&row.get::<_, String>("operation")?)
            .ok_or_else(|| unreadable("operation"))?,
        reference: row.get("reference")?,
        refund_code: row.get("refund_code")?,
        amount: row.get("amount")?,
        currency: row.get("currency")?,
        body_sha256: row.get("body_sha256")?,
        host: row.get("host")?,
        process: row.get("process")?,
        created_at: number("created_at")?,
        deadline_at: number("deadline_at")?,
        settles_at: number("settles_at")?,
        ended_at: row.get::<_, Option<i64>>("ended_at")?.and_then(|it| u64::try_from(it).ok()),
        state: State::from_name(&row.get::<_, String>("state")?)
            .ok_or_else(|| unreadable("state"))?,
        decided_by: row.get::<_, Option<String>>("decided_by")?.map(decided_by).transpose()?,
        hash: row.get("hash")?,
        uid: row.get("uid")?,
        kind: row.get("kind")?,
        code: row.get("code")?,
        note: row.get("note")?,
        rival: row.get("rival")?,
    })
}

/// The result of [`COUNT`](super::super::sql::COUNT).
pub(super) fn counted_of(row: &Row<'_>) -> rusqlite::Result<Counted> {
    let number =
        |name: &str| row.get::<_, i64>(name).map(|it| u64::try_from(it).unwrap_or_default());
    let newest = row.get::<_, Option<i64>>("newest")?;
    Ok(Counted {
        now: number("now")?,
        newest: newest.and_then(|it| u64::try_from(it).ok()),
        done: number("done")?,
        failed: number("failed")?,
        open: number("open")?,
    })
}
