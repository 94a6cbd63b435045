//! Entries as rows of the table.

use rusqlite::Row;
use rusqlite::types::Type;

use super::super::sql::NOW_SQLITE;
use super::super::{DecidedBy, Entry, State};
use crate::operation::Operation;

/// A statement with SQLite's clock.
pub(super) fn with_clock(sql: &str) -> String {
    sql.replace("{now}", NOW_SQLITE)
}

/// A number as SQLite stores it.
pub(super) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The entry in a row.
pub(super) fn entry_of(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let number = |index| row.get::<_, i64>(index).map(|it| u64::try_from(it).unwrap_or_default());
    let unreadable =
        |index| rusqlite::Error::InvalidColumnType(index, "a name".to_owned(), Type::Text);
    let state = |index, name: String| State::from_name(&name).ok_or_else(|| unreadable(index));
    let decided_by = |name: String| DecidedBy::from_name(&name).ok_or_else(|| unreadable(15));
    Ok(Entry {
        id: row.get(0)?,
        version: number(1)?,
        scope: row.get(2)?,
        operation: Operation::from_name(&row.get::<_, String>(3)?).ok_or_else(|| unreadable(3))?,
        reference: row.get(4)?,
        refund_code: row.get(5)?,
        amount: row.get(6)?,
        currency: row.get(7)?,
        body_sha256: row.get(8)?,
        host: row.get(9)?,
        process: row.get(10)?,
        created_at: number(11)?,
        deadline_at: number(12)?,
        ended_at: row.get::<_, Option<i64>>(13)?.and_then(|it| u64::try_from(it).ok()),
        state: state(14, row.get(14)?)?,
        decided_by: row.get::<_, Option<String>>(15)?.map(decided_by).transpose()?,
        hash: row.get(16)?,
        uid: row.get(17)?,
        kind: row.get(18)?,
        code: row.get(19)?,
        note: row.get(20)?,
        conflict: row.get::<_, Option<String>>(21)?.map(|name| state(21, name)).transpose()?,
        superseded_by: row.get(22)?,
    })
}
