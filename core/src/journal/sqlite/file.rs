//! The file of a journal: where it may be, and whether it is still the same.

use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::super::JournalError;
use super::super::sql::SCHEMA;
use crate::hex::hex;
use crate::private_file::{self, shown};

/// "PAYJ", so that tools can tell what the file is.
const APPLICATION_ID: i32 = 0x5041_594A;
/// The version of the tables.
const VERSION: i32 = 1;

/// How long to wait on opening for a process that keeps out all others.
const LONGEST_RECOVERY: Duration = Duration::from_secs(10);

const IDENTITY: &str = "CREATE TABLE payments_journal_identity (id TEXT NOT NULL);";

/// A journal's file, as it was when it was opened.
pub(super) struct JournalFile {
    path: PathBuf,
    place: Place,
    /// What the journal calls itself.
    id: String,
}

/// Tells one file from another, also under the same path.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    device: u64,
    inode: u64,
}

impl Place {
    fn of(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }
}

impl JournalFile {
    pub(super) fn create(path: &Path) -> Result<Self, JournalError> {
        let (folder, name) = parts_of(path)?;
        let folder = private_file::prepare_folder(folder).map_err(not_private)?;
        refuse_network(&folder)?;
        let path = folder.join(name);
        let made = private_file::open(OpenOptions::new().write(true).create_new(true), &path);
        let file = made.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => JournalError::with_code(
                "exists",
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
        let (folder, name) = parts_of(path)?;
        let folder = std::fs::canonicalize(folder).map_err(|_| missing(path))?;
        private_file::prepare_folder(&folder).map_err(not_private)?;
        refuse_network(&folder)?;
        let path = folder.join(name);
        let metadata = look_at(&path)?;
        if !private_file::is_private(&metadata) {
            return Err(not_private(format!(
                "{} must be a file of this user with mode 600; run chmod 600 on it",
                shown(&path)
            )));
        }
        let mut file = Self { path, place: Place::of(&metadata), id: String::new() };
        let connection = file.connect()?;
        // After a crash, the first process that comes recovers the log.
        connection.busy_timeout(LONGEST_RECOVERY).map_err(|error| file.failure(&error))?;
        file.check_format(&connection).map_err(|error| file.failure(&error))??;
        file.id = identity_in(&connection).map_err(|error| file.failure(&error))?;
        Ok(file)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A connection that neither waits for locks nor copies the log on closing.
    pub(super) fn connect(&self) -> Result<Connection, JournalError> {
        self.check_place()?;
        connect(&self.path).map_err(|error| self.failure(&error))
    }

    /// Checks that the path leads to the file that was opened.
    pub(super) fn check_place(&self) -> Result<(), JournalError> {
        match Place::of(&look_at(&self.path)?) == self.place {
            true => Ok(()),
            false => Err(self.replaced()),
        }
    }

    /// Checks that the file is a journal, in a format that this version knows.
    fn check_format(&self, connection: &Connection) -> rusqlite::Result<Result<(), JournalError>> {
        let number = |pragma| connection.query_row(pragma, [], |row| row.get::<_, i32>(0));
        let path = shown(&self.path);
        if number("PRAGMA application_id")? != APPLICATION_ID {
            let message = format!(
                "{path} is no journal, but a database of another application; name the file of a \
                 journal"
            );
            return Ok(Err(JournalError::with_code("not_a_journal", message)));
        }
        let version = number("PRAGMA user_version")?;
        if version > VERSION {
            let message = format!(
                "the journal {path} has format {version}, and this version knows {VERSION} at \
                 most; update libpayments"
            );
            return Ok(Err(JournalError::with_code("newer", message)));
        }
        Ok(Ok(()))
    }

    /// Checks that the connection is to the journal that was opened.
    pub(super) fn check_identity(
        &self,
        connection: &Connection,
    ) -> rusqlite::Result<Result<(), JournalError>> {
        Ok(match identity_in(connection)? == self.id {
            true => Ok(()),
            false => Err(self.replaced()),
        })
    }

    fn replaced(&self) -> JournalError {
        let message = format!(
            "{} is not the journal that this process opened; put that one back, or restart the \
             process if the change is meant",
            shown(&self.path)
        );
        JournalError::with_code("replaced", message)
    }

    /// Whether the write-ahead log is in the folder.
    pub(super) fn has_log(&self) -> bool {
        self.log().exists()
    }

    /// The size of the write-ahead log in bytes.
    pub(super) fn log_size(&self) -> u64 {
        std::fs::metadata(self.log()).map_or(0, |metadata| metadata.len())
    }

    fn log(&self) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push("-wal");
        name.into()
    }

    /// Makes the names in the folder durable.
    pub(super) fn sync_folder(&self) -> Result<(), JournalError> {
        sync(self.path.parent().unwrap_or(Path::new("/")))
    }

    /// What an error of SQLite means.
    pub(super) fn failure(&self, error: &rusqlite::Error) -> JournalError {
        if let Err(gone) = self.check_place() {
            return gone;
        }
        let path = shown(&self.path);
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                let message = format!(
                    "the journal {path} is damaged; restore it, and resolve what it does not know"
                );
                JournalError::with_code("damaged", message)
            }
            Some(ErrorCode::DiskFull) => {
                JournalError::new(format!("the disk of the journal {path} is full; make room"))
            }
            Some(ErrorCode::ReadOnly) => {
                let message = format!("the journal {path} is read-only; make it writable");
                JournalError::new(message)
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                let message =
                    format!("another process keeps the journal {path} locked; end that process");
                JournalError::with_code("locked", message)
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
    Ok(connection)
}

fn fill(path: &Path, id: &str) -> Result<(), JournalError> {
    let fill = || {
        let mut connection = connect(path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        let transaction = connection.transaction()?;
        transaction.execute_batch(SCHEMA)?;
        transaction.execute_batch(IDENTITY)?;
        transaction.execute("INSERT INTO payments_journal_identity VALUES (?)", [id])?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.commit()?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    };
    fill().map_err(|error: rusqlite::Error| {
        JournalError::new(format!("could not make the journal {}: {error}", shown(path)))
    })
}

/// What the journal calls itself.
fn identity_in(connection: &Connection) -> rusqlite::Result<String> {
    connection.query_row("SELECT id FROM payments_journal_identity", [], |row| row.get(0))
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
    JournalError::with_code("missing", message)
}

fn not_private(problem: String) -> JournalError {
    JournalError::with_code("not_private", problem)
}

fn unavailable(what: &str, path: &Path, error: &io::Error) -> JournalError {
    JournalError::new(format!("could not {what} {}: {error}", shown(path)))
}

fn sync(folder: &Path) -> Result<(), JournalError> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| unavailable("write", folder, &error))
}

/// Locks and shared memory of SQLite do not work between hosts.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn refuse_network(folder: &Path) -> Result<(), JournalError> {
    /// Magic numbers of file systems that several hosts can mount.
    const SHARED: [(u32, &str); 14] = [
        (0x0000_6969, "NFS"),
        (0x0000_517B, "SMB"),
        (0xFF53_4D42, "CIFS"),
        (0xFE53_4D42, "SMB2"),
        (0x5346_414F, "AFS"),
        (0x00C3_6400, "Ceph"),
        (0x0102_1997, "9P"),
        (0x0BD0_0BD0, "Lustre"),
        (0x0116_1970, "GFS2"),
        (0x7461_636F, "OCFS2"),
        (0x7375_7245, "Coda"),
        (0x4750_4653, "GPFS"),
        (0x1983_0326, "BeeGFS"),
        (0x6573_5546, "FUSE"),
    ];
    let found = rustix::fs::statfs(folder);
    let found = found.map_err(|error| unavailable("inspect", folder, &error.into()))?;
    // The kernel's type is signed on some targets, and wider on others.
    let magic = (found.f_type as u64 & 0xFFFF_FFFF) as u32;
    match SHARED.iter().find(|(number, _)| *number == magic) {
        None => Ok(()),
        Some((_, name)) => Err(JournalError::with_code(
            "network_file_system",
            format!(
                "{} is on {name}, where locks are not reliable; put the journal on a disk of this \
                 host, or keep it in a database of your own",
                shown(folder)
            ),
        )),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn refuse_network(_: &Path) -> Result<(), JournalError> {
    Ok(())
}
