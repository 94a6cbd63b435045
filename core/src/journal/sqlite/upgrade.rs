//! The upgrade of a file in the format before this version's.

use std::path::Path;
use std::time::Duration;

use payments_transport::context::CallContext;
use rusqlite::{Connection, TransactionBehavior};

use super::super::JournalError;
use super::super::sql::{FORMAT, UPGRADE};
use super::file::{JournalFile, LONGEST_RECOVERY};
use super::mark::{mark_adopted, sign_of_copy};
use super::rows::in_sqlite;
use super::{SqliteJournal, WRITERS, acquire};
use crate::model::error::Error;

impl SqliteJournal {
    /// Gives the journal at `path` the format of this version, in one transaction
    /// that keeps every entry. A copy stays a copy. Returns how many entries it has;
    /// `None` if it has that format already.
    ///
    /// # Errors
    /// `journal` if it cannot be read or written, or has another format.
    pub fn upgrade(path: &Path) -> Result<Option<u64>, Error> {
        let upgrade = || {
            let _permit = acquire(&WRITERS, 1, &CallContext::with_timeout(Duration::MAX))?;
            let file = JournalFile::locate(path)?;
            let mut connection = file.connect()?;
            let upgraded =
                file.upgrade(&mut connection).map_err(|error| file.failure(&error))??;
            file.check_place()?;
            Ok(upgraded)
        };
        upgrade().map_err(|error: JournalError| error.outside_of_calls())
    }
}

impl JournalFile {
    fn upgrade(
        &self,
        connection: &mut Connection,
    ) -> rusqlite::Result<Result<Option<u64>, JournalError>> {
        connection.busy_timeout(LONGEST_RECOVERY)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        // The second of two finds the new format.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        match self.format(&transaction)? {
            Ok(FORMAT) => return Ok(Ok(None)),
            Ok(format) if format + 1 == FORMAT => {}
            Ok(format) => return Ok(Err(self.error_of_other_format(format))),
            Err(error) => return Ok(Err(error)),
        }
        let is_copy = sign_of_copy(&transaction)?.is_some();
        transaction.execute_batch(&in_sqlite(UPGRADE))?;
        if let Err(damaged) = self.check_table(&transaction)? {
            return Ok(Err(damaged));
        }
        transaction.pragma_update(None, "user_version", FORMAT)?;
        if !is_copy {
            mark_adopted(&transaction)?;
        }
        let count = "SELECT count(*) FROM payments_journal";
        let entries = transaction.query_row(count, [], |row| row.get::<_, i64>(0))?;
        transaction.commit()?;
        // If another process reads it, the next write tries again.
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        Ok(Ok(u64::try_from(entries).ok()))
    }
}
