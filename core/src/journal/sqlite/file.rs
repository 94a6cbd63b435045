//! The file of a journal: where it may be, and whether it is still the same.

use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use payments_base::hex::hex;
use payments_base::private_file::{self, shown};
use payments_base::process::host;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode as Known, OpenFlags, OptionalExtension as _};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::super::JournalError;
use super::super::sql::{CHECK_SQLITE, FORMAT, SCHEMA};
use super::file_system::{self, unavailable};
use super::mark::mark_adopted;
use super::rows::in_sqlite;
use crate::model::error::{ErrorCode, Reason};

/// "PAYJ", so that tools can identify the file.
const APPLICATION_ID: u32 = 0x5041_594A;

/// How long to wait on opening for a process that keeps out all others.
pub(super) const LONGEST_RECOVERY: Duration = Duration::from_secs(10);

/// The most bytes to read of the name of the running recovery.
const LONGEST_HOLDER: u64 = 256;

/// The identity of the journal, and the mark of one that is no copy.
const IDENTITY: &str = "CREATE TABLE payments_journal_identity (id TEXT NOT NULL);";

/// A journal's file, as it was when it was opened.
pub(super) struct JournalFile {
    path: PathBuf,
    pub(super) identity: FileIdentity,
    /// The identity of the journal.
    id: String,
    /// The state that this process saw when it last wrote.
    last_insert: ArcSwapOption<LastInsert>,
}

/// The last entry that this process inserted, and the write-ahead log it is in.
struct LastInsert {
    entry: String,
    log: Option<u64>,
}

/// Tells one file from another, also under the same path.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }
}

impl JournalFile {
    pub(super) fn create(path: &Path) -> Result<Self, JournalError> {
        let (folder, name) = parts_of(path)?;
        let folder = private_file::prepare_folder(folder).map_err(not_private)?;
        file_system::refuse_network(&folder)?;
        let path = folder.join(name);
        let made = private_file::open(OpenOptions::new().write(true).create_new(true), &path);
        let file = made.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => JournalError::with_code(
                ErrorCode::EXISTS,
                format!("{} exists already; name a new file", shown(&path)),
            ),
            _ => unavailable("make", &path, &error),
        })?;
        let made = fill(&path, &new_id()).and_then(|()| {
            file.sync_all().map_err(|error| unavailable("write", &path, &error))?;
            sync(&folder)
        });
        if let Err(error) = made {
            // It holds nothing yet.
            let _ = private_file::remove(&path);
            return Err(error);
        }
        Self::open(&path)
    }

    pub(super) fn open(path: &Path) -> Result<Self, JournalError> {
        let mut file = Self::locate(path)?;
        let connection = file.connect()?;
        // After a crash, the first process that comes recovers the log.
        connection.busy_timeout(LONGEST_RECOVERY).map_err(|error| file.failure(&error))?;
        file.check_format(&connection).map_err(|error| file.failure(&error))??;
        file.id = identity_in(&connection).map_err(|error| file.failure(&error))?;
        Ok(file)
    }

    /// The file at `path`, whatever it holds.
    pub(super) fn locate(path: &Path) -> Result<Self, JournalError> {
        let (folder, name) = parts_of(path)?;
        let folder = payments_base::real_path::real_path(folder).map_err(|_| missing(path))?;
        private_file::prepare_folder(&folder).map_err(not_private)?;
        file_system::refuse_network(&folder)?;
        let path = folder.join(name);
        let metadata = look_at(&path)?;
        if !private_file::is_private(&metadata) {
            return Err(not_private(format!(
                "{} must be a file of this user with mode 600; run chmod 600 on it",
                shown(&path)
            )));
        }
        file_system::refuse_mount_of_file(&folder, &path)?;
        let identity = FileIdentity::of(&metadata);
        Ok(Self { path, identity, id: String::new(), last_insert: ArcSwapOption::empty() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A connection that neither waits for locks nor copies the log on closing.
    pub(super) fn connect(&self) -> Result<Connection, JournalError> {
        self.check_place()?;
        self.refuse_log_of_another()?;
        connect(&self.path).map_err(|error| self.failure(&error))
    }

    /// Checks that the path leads to the file that was opened, and no other
    /// path: SQLite finds the write-ahead log by the path.
    pub(super) fn check_place(&self) -> Result<(), JournalError> {
        let metadata = look_at(&self.path)?;
        if FileIdentity::of(&metadata) != self.identity {
            return Err(self.replaced());
        }
        match metadata.nlink() {
            1 => Ok(()),
            links => Err(JournalError::with_code(
                ErrorCode::PLACE_UNSAFE,
                format!(
                    "{} has {links} names (hard links), each with a write-ahead log of its own; \
                     remove all names but one",
                    shown(&self.path)
                ),
            )),
        }
    }

    /// Checks that the file is a journal in the format of this version, whose
    /// table has the unique indexes.
    fn check_format(&self, connection: &Connection) -> rusqlite::Result<Result<(), JournalError>> {
        match self.format(connection)? {
            Ok(FORMAT) => self.check_table(connection),
            Ok(format) => Ok(Err(self.error_of_other_format(format))),
            Err(error) => Ok(Err(error)),
        }
    }

    /// The format of the journal.
    pub(super) fn format(
        &self,
        connection: &Connection,
    ) -> rusqlite::Result<Result<u32, JournalError>> {
        let number = |pragma| connection.query_row(pragma, [], |row| row.get::<_, u32>(0));
        if number("PRAGMA application_id")? != APPLICATION_ID {
            return Ok(Err(self.is_none("it is a database of another application")));
        }
        number("PRAGMA user_version").map(Ok)
    }

    pub(super) fn check_table(
        &self,
        connection: &Connection,
    ) -> rusqlite::Result<Result<(), JournalError>> {
        let problem =
            connection.query_row(&in_sqlite(CHECK_SQLITE), [], |row| row.get::<_, String>(0));
        Ok(match problem.optional()? {
            None => Ok(()),
            Some(problem) => Err(self.damaged(&format!(": {problem}"))),
        })
    }

    /// Checks that the connection is to the journal that was opened, and has the
    /// writes of this process, unless the write-ahead log at `log` is the same.
    pub(super) fn check_identity(
        &self,
        connection: &Connection,
        log: Option<u64>,
    ) -> rusqlite::Result<Result<(), JournalError>> {
        if identity_in(connection)? != self.id {
            return Ok(Err(self.replaced()));
        }
        match &*self.last_insert.load() {
            Some(last) if last.log != log => {
                let has_entry = "SELECT 1 FROM payments_journal WHERE id = ?";
                let found = connection.query_row(has_entry, [&last.entry], |_| Ok(()));
                Ok(found.optional()?.ok_or_else(|| self.replaced()))
            }
            _ => Ok(Ok(())),
        }
    }

    /// Checks that a transaction went to the write-ahead log at the path, which
    /// was `before` it.
    pub(super) fn check_log(&self, before: Option<u64>) -> Result<(), JournalError> {
        match (before, self.log_inode()) {
            (None, Some(_)) => Ok(()),
            (before, after) if before == after && after.is_some() => Ok(()),
            _ => Err(self.replaced()),
        }
    }

    /// Remembers the last entry that this process inserted.
    pub(super) fn note_written(&self, entry: &str) {
        let last = LastInsert { entry: entry.to_owned(), log: self.log_inode() };
        self.last_insert.store(Some(Arc::new(last)));
    }

    pub(super) fn error_of_other_format(&self, format: u32) -> JournalError {
        let path = shown(&self.path);
        let remedy = if format < FORMAT {
            format!("run `payments journal upgrade {path}`, which keeps every entry")
        } else {
            "use the version that made or upgraded it, or a newer one".to_owned()
        };
        let message = format!(
            "the journal {path} has format {format}, and this version of libpayments needs format \
             {FORMAT}; {remedy}"
        );
        JournalError::with_code(ErrorCode::OTHER_FORMAT, message)
    }

    fn is_none(&self, why: &str) -> JournalError {
        let what = format!("{} is not a journal: {why}", shown(&self.path));
        let message = format!("{what}; name the file of a journal, or restore it if this was one");
        JournalError::with_code(ErrorCode::DAMAGED, message)
    }

    fn damaged(&self, how: &str) -> JournalError {
        let what = format!("the journal {} is damaged{how}", shown(&self.path));
        let message = format!("{what}; restore it, and resolve what it does not know");
        JournalError::with_code(ErrorCode::DAMAGED, message)
    }

    fn replaced(&self) -> JournalError {
        let message = format!(
            "{} is not the journal that this process opened; put that one back, or restart the \
             process if the change is meant",
            shown(&self.path)
        );
        JournalError::with_code(ErrorCode::REPLACED, message)
    }

    /// The identity of the write-ahead log, if there is one.
    pub(super) fn log_inode(&self) -> Option<u64> {
        std::fs::symlink_metadata(self.log()).ok().map(|metadata| metadata.ino())
    }

    /// The size of the write-ahead log in bytes.
    pub(super) fn log_size(&self) -> u64 {
        std::fs::metadata(self.log()).map_or(0, |metadata| metadata.len())
    }

    fn log(&self) -> PathBuf {
        self.beside("-wal")
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push(ending);
        name.into()
    }

    /// Keeps other recoveries from starting until the file is closed.
    pub(super) fn lock_recovery(&self) -> Result<File, JournalError> {
        let path = self.beside("-recovery");
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let opened = private_file::open(options, &path);
        let mut file = opened.map_err(|error| unavailable("open", &path, &error))?;
        let own = format!("process {} on {}", std::process::id(), host());
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {
                // The lock counts; the name only tells others the holder.
                let _ = file.set_len(0).and_then(|()| file.write_all(own.as_bytes()));
                Ok(file)
            }
            Err(Errno::AGAIN) => {
                let mut holder = String::new();
                let _ = file.take(LONGEST_HOLDER).read_to_string(&mut holder);
                let holder = if holder.is_empty() { "another process" } else { &*holder };
                let message = format!(
                    "{holder} is recovering the journal {}; wait until it has ended",
                    shown(&self.path)
                );
                Err(JournalError::with_code(ErrorCode::ALREADY_RUNNING, message)
                    .because(Reason::AlreadyRunning))
            }
            Err(error) => Err(unavailable("lock", &path, &error.into())),
        }
    }

    /// Makes what was committed durable, and the name of the write-ahead log if
    /// the commit began it. SQLite holds no locks on that file, so closing it
    /// releases none.
    pub(super) fn sync_log(&self, begins_log: bool) -> Result<(), JournalError> {
        let log = self.log();
        let synced = File::open(&log).and_then(|file| file.sync_data());
        synced.map_err(|error| unavailable("write", &log, &error))?;
        if begins_log { sync(self.path.parent().unwrap_or(Path::new("/"))) } else { Ok(()) }
    }

    /// The meaning of an error of SQLite.
    pub(super) fn failure(&self, error: &rusqlite::Error) -> JournalError {
        if let Err(gone) = self.check_place() {
            return gone;
        }
        let path = shown(&self.path);
        match error.sqlite_error_code() {
            Some(Known::NotADatabase) if self.id.is_empty() => {
                self.is_none("it is not an SQLite file")
            }
            Some(Known::DatabaseCorrupt | Known::NotADatabase) => self.damaged(""),
            Some(Known::DiskFull) => {
                JournalError::new(format!("the disk of the journal {path} is full; make room"))
            }
            Some(Known::ReadOnly) => {
                JournalError::new(format!("the journal {path} is read-only; make it writable"))
            }
            Some(Known::DatabaseBusy | Known::DatabaseLocked) => {
                let message = format!("another process keeps the journal {path} locked; end it");
                JournalError::with_code(ErrorCode::LOCKED, message)
            }
            // SQLite's own words hold no values.
            _ => JournalError::new(format!("could not use the journal {path}: {error}")),
        }
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW
        | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let connection = Connection::open_with_flags(path, flags)?;
    // Waiting is up to the call, which can be cancelled.
    connection.busy_timeout(Duration::ZERO)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    // By `F_FULLFSYNC`: `fsync` of macOS leaves bytes in the cache of the disk.
    #[cfg(target_vendor = "apple")]
    connection.pragma_update(None, "fullfsync", true)?;
    Ok(connection)
}

fn fill(path: &Path, id: &str) -> Result<(), JournalError> {
    let fill = || {
        let mut connection = connect(path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        let transaction = connection.transaction()?;
        transaction.execute_batch(&in_sqlite(SCHEMA))?;
        transaction.execute_batch(IDENTITY)?;
        transaction.execute("INSERT INTO payments_journal_identity VALUES (?)", [id])?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
        mark_adopted(&transaction)?;
        transaction.commit()?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    };
    fill().map_err(|error: rusqlite::Error| {
        let what = format!("could not make the journal {}: {error}", shown(path));
        JournalError::new(format!("{what}; make room there, or name another folder"))
    })
}

/// The identity of the journal.
fn identity_in(connection: &Connection) -> rusqlite::Result<String> {
    let id = "SELECT id FROM payments_journal_identity WHERE id NOT LIKE 'adopted %'";
    connection.query_row(id, [], |row| row.get(0))
}

fn new_id() -> String {
    let mut random = [0; 16];
    // Device and inode tell files apart as well.
    let _ = aws_lc_rs::rand::fill(&mut random);
    hex(&random)
}

fn parts_of(path: &Path) -> Result<(&Path, &std::ffi::OsStr), JournalError> {
    let name = path.file_name().ok_or_else(|| {
        JournalError::new(format!("{} names no file; name the file of a journal", shown(path)))
    })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Ok((folder.unwrap_or(Path::new(".")), name))
}

fn look_at(path: &Path) -> Result<Metadata, JournalError> {
    std::fs::symlink_metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => missing(path),
        _ => unavailable("inspect", path, &error),
    })
}

fn missing(path: &Path) -> JournalError {
    let path = shown(path);
    let message = format!(
        "there is no journal at {path}; if there never was one, make it with `payments journal \
         create {path}`, otherwise put it back"
    );
    JournalError::with_code(ErrorCode::MISSING, message)
}

fn not_private(problem: String) -> JournalError {
    JournalError::with_code(ErrorCode::PLACE_UNSAFE, problem)
}

fn sync(folder: &Path) -> Result<(), JournalError> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| unavailable("write", folder, &error))
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
