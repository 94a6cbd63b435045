//! Entries as rows of the table.

use rusqlite::types::Type;
use rusqlite::{Row, ToSql};

use super::super::{DecidedBy, Entry, State};
use crate::operation::Operation;

pub(super) const INSERT: &str = "INSERT INTO payments_journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, \
                                 ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";

pub(super) const SUPERSEDE: &str = "UPDATE payments_journal SET superseded_by = ?, version = \
                                    version + 1 WHERE id = ? AND version = ?";

pub(super) const UPDATE: &str = "UPDATE payments_journal SET state = ?, decided_by = ?, hash = ?, \
                                 uid = ?, kind = ?, code = ?, note = ?, conflict = ?, ended_at = \
                                 ?, version = version + 1 WHERE id = ? AND version = ?";

pub(super) const FIND: &str = "SELECT * FROM payments_journal WHERE scope = ?1 AND (?2 IS NULL OR \
                               id = ?2) AND (?3 IS NULL OR reference = ?3) AND (NOT ?4 OR (state \
                               IN ('in_progress', 'unknown') AND superseded_by IS NULL)) AND (?5 \
                               IS NULL OR id > ?5) ORDER BY id LIMIT ?6";

pub(super) const PRUNE: &str = "DELETE FROM payments_journal WHERE scope = ? AND created_at < ? \
                                AND NOT (state IN ('in_progress', 'unknown') AND superseded_by IS \
                                NULL)";

/// A number as SQLite stores it.
pub(super) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The values of a row, in the order of the columns.
pub(super) fn values_of(entry: &Entry) -> Vec<Box<dyn ToSql>> {
    let text = |text: &str| -> Box<dyn ToSql> { Box::new(text.to_owned()) };
    let perhaps = |text: Option<&str>| -> Box<dyn ToSql> { Box::new(text.map(str::to_owned)) };
    let number = |number: u64| -> Box<dyn ToSql> { Box::new(integer(number)) };
    vec![
        text(&entry.id),
        number(entry.version),
        text(&entry.scope),
        text(entry.operation.name()),
        text(&entry.reference),
        perhaps(entry.refund_code.as_deref()),
        perhaps(entry.amount.as_deref()),
        perhaps(entry.currency.as_deref()),
        text(&entry.body_sha256),
        text(&entry.host),
        text(&entry.process),
        number(entry.created_at),
        number(entry.deadline_at),
        Box::new(entry.ended_at.map(integer)),
        text(entry.state.as_str()),
        perhaps(entry.decided_by.map(DecidedBy::as_str)),
        perhaps(entry.hash.as_deref()),
        perhaps(entry.uid.as_deref()),
        perhaps(entry.kind.as_deref()),
        perhaps(entry.code.as_deref()),
        perhaps(entry.note.as_deref()),
        perhaps(entry.conflict.map(State::as_str)),
        perhaps(entry.superseded_by.as_deref()),
    ]
}

/// The entry in a row.
pub(super) fn entry_of(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let number = |index| row.get::<_, i64>(index).map(|it| u64::try_from(it).unwrap_or_default());
    let named = |index: usize| row.get::<_, Option<String>>(index);
    let unreadable =
        |index| rusqlite::Error::InvalidColumnType(index, "a name".to_owned(), Type::Text);
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
        state: State::from_name(&row.get::<_, String>(14)?).ok_or_else(|| unreadable(14))?,
        decided_by: named(15)?.and_then(|name| DecidedBy::from_name(&name)),
        hash: row.get(16)?,
        uid: row.get(17)?,
        kind: row.get(18)?,
        code: row.get(19)?,
        note: row.get(20)?,
        conflict: named(21)?.and_then(|name| State::from_name(&name)),
        superseded_by: row.get(22)?,
    })
}
