//! Copies of a journal's file. A copy lacks all later entries, so calls do not
//! write to it until a person has adopted it. `mark.rs` tells them apart.

use std::path::Path;
use std::time::Duration;

use payments_base::private_file::shown;
use payments_base::utc::iso_8601;
use payments_transport::context::CallContext;
use rusqlite::Connection;

use super::super::sql::NOW;
use super::super::{Filter, Found, Journal as _, JournalCopy, JournalError};
use super::file::{JournalFile, LONGEST_RECOVERY};
use super::file_system::unavailable;
use super::header::says_rollback_mode;
use super::mark::{is_in_wal_mode, mark_adopted, sign_of_copy};
use super::rows::in_sqlite;
use super::{SqliteJournal, TransactionKind, WRITERS, acquire};
use crate::model::error::{Error, ErrorCode, Reason};

impl JournalFile {
    /// Refuses a copy next to an old write-ahead log, which SQLite would take for
    /// the copy's.
    pub(super) fn refuse_log_of_another(&self) -> Result<(), JournalError> {
        let is_of_another = self.log_inode().is_some()
            && says_rollback_mode(self.path(), self.identity)
                .map_err(|error| unavailable("read", self.path(), &error))?;
        if !is_of_another {
            return Ok(());
        }
        let path = shown(self.path());
        let message = format!(
            "{path} is a copy of a journal, and {path}-wal beside it is the log of another file; \
             move {path}-wal and {path}-shm away, and run `payments journal adopt {path}`"
        );
        Err(not_adopted(message))
    }

    /// Checks that the file is not a copy, or was adopted.
    pub(super) fn check_adopted(
        &self,
        connection: &Connection,
    ) -> rusqlite::Result<Result<(), JournalError>> {
        let Some(sign) = sign_of_copy(connection)? else { return Ok(Ok(())) };
        let path = shown(self.path());
        let newest = match newest_in(connection)? {
            Some(newest) => format!("its newest entry, of {}", iso_8601(newest)),
            None => "it, and has no entry".to_owned(),
        };
        let message = format!(
            "{path} is a copy of a journal ({sign}), which does not know what came after {newest}; \
             settle that, and run `payments journal adopt {path}`"
        );
        Ok(Err(not_adopted(message)))
    }
}

fn not_adopted(message: String) -> JournalError {
    JournalError::with_code(ErrorCode::NOT_ADOPTED, message).because(Reason::Copy)
}

impl SqliteJournal {
    /// The extent of the copy at `path`; `None` if it is not a copy, or was
    /// adopted.
    ///
    /// # Errors
    /// `journal` if it cannot be read.
    pub fn copy_at(path: &Path) -> Result<Option<JournalCopy>, Error> {
        let read = Self::open(path).and_then(|journal| journal.copy());
        read.map_err(|error| error.outside_of_calls())
    }

    fn copy(&self) -> Result<Option<JournalCopy>, JournalError> {
        let context = CallContext::with_timeout(Duration::MAX);
        let about = self.transact(&context, TransactionKind::Read, |connection| {
            if sign_of_copy(connection)?.is_none() {
                return Ok(None);
            }
            let mut scopes = connection.prepare("SELECT DISTINCT scope FROM payments_journal")?;
            let scopes = scopes.query_map([], |row| row.get::<_, String>(0))?;
            let scopes = scopes.collect::<rusqlite::Result<Vec<_>>>()?;
            let now = connection.query_row(&in_sqlite(NOW), [], |row| row.get::<_, i64>(0))?;
            Ok(Some((newest_in(connection)?, scopes, u64::try_from(now).unwrap_or_default())))
        })?;
        let Some((newest, scopes, now)) = about else { return Ok(None) };
        let mut open = Found { now, entries: Vec::new() };
        for scope in scopes {
            let mut filter = Filter { is_open: true, ..Filter::of_scope(scope) };
            loop {
                let found = self.find(&context, &filter)?;
                let Some(last) = found.entries.last() else { break };
                filter.after = Some(last.id.clone());
                open.entries.extend(found.entries);
            }
        }
        Ok(Some(JournalCopy { newest, open }))
    }

    /// Lets calls write to the copy at `path`, on a person's word.
    ///
    /// # Errors
    /// `journal` if it cannot be written.
    pub fn adopt(path: &Path) -> Result<(), Error> {
        let adopted = Self::open(path).and_then(|journal| journal.set_wal_mode());
        adopted.map_err(|error| error.outside_of_calls())
    }

    fn set_wal_mode(&self) -> Result<(), JournalError> {
        let _permit = acquire(&WRITERS, 1, &CallContext::with_timeout(Duration::MAX))?;
        let mut connection = self.file.connect()?;
        let mut set = || {
            // A reader of the copy ends soon.
            connection.busy_timeout(LONGEST_RECOVERY)?;
            connection.pragma_update(None, "synchronous", "FULL")?;
            connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
            if !is_in_wal_mode(&connection)? {
                return Ok(false);
            }
            let transaction = connection.transaction()?;
            mark_adopted(&transaction)?;
            transaction.commit()?;
            Ok(true)
        };
        if set().map_err(|error| self.file.failure(&error))? {
            self.file.check_place()
        } else {
            let path = shown(self.file.path());
            let message =
                format!("could not set WAL mode of {path}; end what uses the file, and retry");
            Err(JournalError::new(message))
        }
    }
}

/// When the newest entry of any scope was created.
fn newest_in(connection: &Connection) -> rusqlite::Result<Option<u64>> {
    let newest = "SELECT max(created_at) FROM payments_journal";
    let newest = connection.query_row(newest, [], |row| row.get::<_, Option<i64>>(0))?;
    Ok(newest.and_then(|newest| u64::try_from(newest).ok()))
}
