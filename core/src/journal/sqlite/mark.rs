//! The mark that tells a journal from a copy.
//!
//! SQLite writes a copy (`VACUUM INTO`) in rollback mode, and gives it the number of the
//! schema that follows the original's. A journal is in WAL mode, and has a mark with its own
//! number: a copy does not, even if a program sets WAL mode.

use rusqlite::{Connection, OptionalExtension as _, Transaction};

/// The sign that the file is a copy that was not adopted.
pub(super) fn sign_of_copy(connection: &Connection) -> rusqlite::Result<Option<&'static str>> {
    if !is_in_wal_mode(connection)? {
        return Ok(Some("it is not in WAL mode"));
    }
    let mark = "SELECT id FROM payments_journal_identity WHERE id LIKE 'adopted %'";
    let mark = connection.query_row(mark, [], |row| row.get::<_, String>(0)).optional()?;
    // Files of earlier versions have none.
    let is_own = mark.is_none_or(|mark| schema_mark(connection).is_ok_and(|own| own == mark));
    Ok((!is_own).then_some("its mark is that of another file"))
}

/// Marks the file as one that is no copy, or was adopted.
pub(super) fn mark_adopted(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM payments_journal_identity WHERE id LIKE 'adopted %'", [])?;
    let mark = schema_mark(transaction)?;
    transaction.execute("INSERT INTO payments_journal_identity VALUES (?)", [mark])?;
    Ok(())
}

fn schema_mark(connection: &Connection) -> rusqlite::Result<String> {
    let number = connection.query_row("PRAGMA schema_version", [], |row| row.get::<_, i64>(0))?;
    Ok(format!("adopted {number}"))
}

pub(super) fn is_in_wal_mode(connection: &Connection) -> rusqlite::Result<bool> {
    let mode = connection.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0))?;
    Ok(mode.eq_ignore_ascii_case("wal"))
}
