//! A journal in an SQLite file, for all processes of one host.

use std::any::Any;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use payments_base::debug_shows;
use payments_base::process::{ForkGuard, Identity};
use payments_base::standard_streams;
use payments_transport::context::{CallContext, Ended};
use payments_transport::inside::{Permit, Semaphore};
use rusqlite::{Connection, TransactionBehavior};

use super::{Counted, DecidedBy, Entry, Filter, Found, Journal, JournalError, Updated, sql};
use crate::model::error::{Error, ErrorCode};
use crate::model::json::Members;

mod copies;
mod file;
mod file_system;
mod header;
mod mark;
mod rows;
mod upgrade;

use file::JournalFile;
use rows::{bound, in_sqlite, read_row};

/// The writers of this process, of all journals: SQLite's own locks between
/// threads are not fair.
static WRITERS: LazyLock<Semaphore> = LazyLock::new(Semaphore::default);
/// The threads of this process that make or open a journal. They do not wait for
/// each other, or for writers.
static OPENERS: LazyLock<Semaphore> = LazyLock::new(Semaphore::default);

/// How long to wait for another process before the next attempt.
const RETRY_AFTER: Duration = Duration::from_millis(2);

/// From this size on, the write-ahead log is copied into the database. Each
/// write reads the log, so it must stay short.
const LARGEST_LOG: u64 = 512 * 1024;

const FORKED: &str = "this process was forked while its parent used a journal, and cannot use one; \
                      fork before the first call, or execute a new program after the fork";

/// Keeps a journal in an SQLite file, for all processes on a host that run as
/// the same user.
///
/// The folder has mode 0700 and the file 0600, on a file system of this host.
/// Each write is a transaction on a new connection, so a forked child inherits
/// no state of SQLite. A file that vanished or was replaced since the journal
/// was opened is an error. No other SQLite library may open the file in a
/// process that uses it: closing it there would release the locks here.
pub struct SqliteJournal {
    file: JournalFile,
}

debug_shows!(SqliteJournal, |it| path = it.file.path());

/// The work of a transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TransactionKind {
    Read,
    /// Writes changes that survive the process.
    Write,
    /// Writes changes that survive a power failure, once it returns.
    WriteDurably,
}

impl SqliteJournal {
    /// Makes the file of a journal, with its folder if that does not exist, and
    /// opens it.
    ///
    /// # Errors
    /// `journal` if there is such a file, or if none can be made there.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, Error> {
        opening(|| JournalFile::create(path.as_ref())).map_err(|error| error.outside_of_calls())
    }

    /// Opens a journal that [`create`](Self::create) made.
    ///
    /// # Errors
    /// If the file is missing, or cannot be used.
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        opening(|| JournalFile::open(path))
    }

    /// Whether the journal at `path` is on a file system in memory, which a power
    /// failure clears.
    #[doc(hidden)]
    pub fn is_in_memory(path: &Path) -> bool {
        file_system::is_in_memory(path)
    }

    /// Runs `act` in a transaction, once no other process holds the lock.
    fn transact<R>(
        &self,
        context: &CallContext,
        access: TransactionKind,
        act: impl Fn(&Connection) -> rusqlite::Result<Option<R>>,
    ) -> Result<Option<R>, JournalError> {
        let process = Identity::current();
        let _permit = acquire(&WRITERS, 1, context)?;
        loop {
            match self.transact_once(access, &act) {
                Err(TransactionFailure::Locked) => {}
                Err(TransactionFailure::Failed(error)) => return Err(error),
                Ok(result) => return Ok(result),
            }
            let wait = RETRY_AFTER + payments_base::jitter::random_part(RETRY_AFTER);
            let slept = context.sleep(wait);
            // The hook of the context may have forked.
            if !process.is_current() {
                return Err(JournalError::with_code(ErrorCode::FORKED, FORKED));
            }
            slept.map_err(|_| ended_while_locked(Ended::Deadline))?;
        }
    }

    /// Tries once, on a new connection. `None` from `act` rolls back.
    fn transact_once<R>(
        &self,
        access: TransactionKind,
        act: impl Fn(&Connection) -> rusqlite::Result<Option<R>>,
    ) -> Result<Option<R>, TransactionFailure> {
        let log = self.file.log_inode();
        // The name of an empty log may not be durable yet: the process that opened the
        // journal made it. SQLite syncs the folder too, and ignores a failure.
        let begins_log = self.file.log_size() == 0;
        let mut connection = self.file.connect().map_err(TransactionFailure::Failed)?;
        let mut run = || -> rusqlite::Result<Result<Option<R>, JournalError>> {
            let behavior = match access {
                TransactionKind::Read => TransactionBehavior::Deferred,
                TransactionKind::Write | TransactionKind::WriteDurably => {
                    TransactionBehavior::Immediate
                }
            };
            // With FULL, the commit would wait for the disk twice: a new
            // connection also syncs the folder.
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            let transaction = connection.transaction_with_behavior(behavior)?;
            if let Err(replaced) = self.file.check_identity(&transaction, log)? {
                return Ok(Err(replaced));
            }
            if access != TransactionKind::Read
                && let Err(copy) = self.file.check_adopted(&transaction)?
            {
                return Ok(Err(copy));
            }
            let Some(result) = act(&transaction)? else {
                return Ok(Ok(None));
            };
            transaction.commit()?;
            Ok(Ok(Some(result)))
        };
        let result =
            run().map_err(|error| self.failure_of(&error))?.map_err(TransactionFailure::Failed)?;
        if access == TransactionKind::WriteDurably {
            self.file.sync_log(begins_log).map_err(TransactionFailure::Failed)?;
        }
        // The transaction may have gone to a file that was removed meanwhile.
        self.file.check_place().map_err(TransactionFailure::Failed)?;
        if access != TransactionKind::Read {
            self.file.check_log(log).map_err(TransactionFailure::Failed)?;
        }
        if self.file.log_size() > LARGEST_LOG {
            // If another process reads it, the next write tries again.
            let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
        Ok(result)
    }

    fn failure_of(&self, error: &rusqlite::Error) -> TransactionFailure {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                TransactionFailure::Locked
            }
            _ => TransactionFailure::Failed(self.file.failure(error)),
        }
    }
}

/// Makes or opens a journal.
fn opening(
    open: impl FnOnce() -> Result<JournalFile, JournalError>,
) -> Result<SqliteJournal, JournalError> {
    let context = CallContext::with_timeout(Duration::MAX);
    let _permit = acquire(&OPENERS, usize::MAX, &context)?;
    open().map(|file| SqliteJournal { file })
}

/// Waits for a permit to use SQLite, so that a child that is forked meanwhile knows
/// that it cannot: it has the state of SQLite as it was in the middle.
fn acquire(
    semaphore: &Semaphore,
    limit: usize,
    context: &CallContext,
) -> Result<ForkGuard<Permit>, JournalError> {
    let permit = semaphore.acquire(limit, context).map_err(ended_while_locked)?;
    if WRITERS.was_in_use_at_fork() || OPENERS.was_in_use_at_fork() {
        Err(JournalError::with_code(ErrorCode::FORKED, FORKED))
    } else {
        standard_streams::occupy();
        Ok(permit)
    }
}

/// Why a transaction failed.
enum TransactionFailure {
    /// Another process holds the lock.
    Locked,
    Failed(JournalError),
}

fn ended_while_locked(_: Ended) -> JournalError {
    let message = "the call ended while other calls or processes kept the journal locked; end \
                   what holds the lock, or raise `timeout_ms`";
    JournalError::with_code(ErrorCode::LOCKED, message)
}

impl Journal for SqliteJournal {
    fn insert(&self, context: &CallContext, entry: &Entry) -> Result<bool, JournalError> {
        let members = entry.to_members();
        let inserted = self.transact(context, TransactionKind::WriteDurably, |connection| {
            let inserted = bound(connection, sql::INSERT, &members)?.raw_execute()?;
            Ok((inserted > 0).then_some(()))
        });
        let inserted = inserted.map_err(JournalError::after_transaction)?;
        if inserted.is_some() {
            self.file.note_written(&entry.id);
        }
        Ok(inserted.is_some())
    }

    fn update(&self, context: &CallContext, entry: &Entry) -> Result<Updated, JournalError> {
        // The end of a call can be found out again, a decision cannot.
        let access = match entry.decided_by {
            Some(DecidedBy::Call) => TransactionKind::Write,
            _ => TransactionKind::WriteDurably,
        };
        let members = entry.to_members();
        let updated = self.transact(context, access, |connection| {
            let changed = bound(connection, sql::UPDATE, &members)?.raw_execute();
            match changed {
                Ok(0) => Ok(None),
                Ok(_) => Ok(Some(Updated::Changed)),
                Err(error) if is_refused_by_index(&error) => {
                    taken_by(connection, &members).map(Some)
                }
                Err(error) => Err(error),
            }
        })?;
        Ok(updated.unwrap_or(Updated::ChangedMeanwhile))
    }

    fn find(&self, context: &CallContext, filter: &Filter) -> Result<Found, JournalError> {
        let found = self.find_each(context, std::slice::from_ref(filter))?;
        Ok(found.into_iter().next().unwrap_or(Found { now: 0, entries: Vec::new() }))
    }

    /// In one transaction: to open the file takes longer than to read an entry.
    fn find_each(
        &self,
        context: &CallContext,
        filters: &[Filter],
    ) -> Result<Vec<Found>, JournalError> {
        let found = self.transact(context, TransactionKind::Read, |connection| {
            filters
                .iter()
                .map(|filter| found(connection, filter))
                .collect::<Result<_, _>>()
                .map(Some)
        })?;
        Ok(found.unwrap_or_default())
    }

    fn count(
        &self,
        context: &CallContext,
        scope: &str,
        before: u64,
    ) -> Result<Counted, JournalError> {
        let mut members = Members::from([("scope", scope)]);
        members.push("before", before);
        let counted = self.transact(context, TransactionKind::Read, |connection| {
            let mut statement = bound(connection, sql::COUNT, &members)?;
            let row = statement.raw_query().next()?.map(|row| read_row(row, Counted::from_json));
            row.transpose()
        })?;
        Ok(counted.unwrap_or_default())
    }

    fn prune(
        &self,
        context: &CallContext,
        scope: &str,
        before: u64,
        limit: u32,
    ) -> Result<u64, JournalError> {
        let mut members = Members::from([("scope", scope)]);
        members.push("before", before);
        members.push("limit", u64::from(limit));
        let deleted = self.transact(context, TransactionKind::WriteDurably, |connection| {
            bound(connection, sql::PRUNE, &members)?.raw_execute().map(Some)
        })?;
        Ok(deleted.map_or(0, |deleted| deleted as u64))
    }

    fn lock_recovery(&self) -> Result<Box<dyn Any + Send + Sync>, JournalError> {
        self.file.lock_recovery().map(|lock| Box::new(lock) as Box<dyn Any + Send + Sync>)
    }

    fn check_adopted(&self, context: &CallContext) -> Result<(), JournalError> {
        let checked = self.transact(context, TransactionKind::Read, |connection| {
            self.file.check_adopted(connection).map(Some)
        })?;
        checked.unwrap_or(Ok(()))
    }
}

/// The entries of `filter`, and the clock.
fn found(connection: &Connection, filter: &Filter) -> rusqlite::Result<Found> {
    let mut members = filter.to_members();
    members.set("after", filter.after.as_deref().unwrap_or_default());
    let find = match filter {
        Filter { id: Some(_), .. } => sql::FIND_ID,
        Filter { reference: Some(_), .. } | Filter { hash: Some(_), .. } => sql::FIND_REFERENCE,
        Filter { is_open: true, .. } => sql::FIND_OPEN,
        Filter { ended_from: Some(_), .. } => sql::FIND_ENDED,
        _ => sql::FIND,
    };
    let now = connection.query_row(&in_sqlite(sql::NOW), [], |row| row.get::<_, i64>(0))?;
    let mut statement = bound(connection, find, &members)?;
    let entries = statement.raw_query().mapped(|row| read_row(row, Entry::from_json));
    let entries = entries.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(Found { now: u64::try_from(now).unwrap_or_default(), entries })
}

fn is_refused_by_index(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code == Some(rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE)
}

/// The entry that has taken the reference of the entry with these members.
fn taken_by(connection: &Connection, members: &Members) -> rusqlite::Result<Updated> {
    let mut statement = bound(connection, sql::TAKEN_BY, members)?;
    let mut rows = statement.raw_query();
    let id = rows.next()?.map(|row| row.get(0)).transpose()?;
    Ok(id.map_or(Updated::ChangedMeanwhile, Updated::TakenBy))
}
