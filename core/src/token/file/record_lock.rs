//! Locks that the kernel releases with their process: on Unix, record locks of
//! `fcntl`.
//!
//! `flock` locks would survive in a forked child. Record locks belong to the
//! process: they exclude no thread of the same process, and closing any handle
//! of the file releases them. So a table records which files this process has
//! locked, and only the locking thread opens a file.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};
use std::time::UNIX_EPOCH;

use payments_base::own_descriptor::OwnDescriptor;
use payments_base::private_file::{self, shown};
use payments_base::process::{PerProcess, lock};

use crate::token::{Clock as _, SystemClock};

/// The locked files of this process. `None` while a lock is being taken.
type Table = HashMap<PathBuf, Option<OwnDescriptor<File>>>;

/// A child has none of its parent's locks.
static TABLE: LazyLock<PerProcess<Mutex<Table>>> =
    LazyLock::new(|| PerProcess::new(Mutex::default(), |_| Mutex::default()));

/// A lock on a file that holds a number.
pub(super) struct RecordLock {
    path: PathBuf,
    file: Option<OwnDescriptor<File>>,
}

impl RecordLock {
    /// Takes the lock. `None` if another holder has it, in this process or
    /// another.
    pub(super) fn try_take(path: &Path) -> Result<Option<Self>, String> {
        let table = TABLE.get();
        let mut table = lock(&table);
        if table.contains_key(path) {
            return Ok(None);
        }
        let cannot =
            |what: &str, error: io::Error| format!("could not {what} {}: {error}", shown(path));
        let mut options = OpenOptions::new();
        let file =
            private_file::open(options.read(true).write(true).create(true).truncate(false), path)
                .map_err(|error| cannot("open", error))?;
        if !try_lock(&file).map_err(|error| cannot("lock", error))? {
            return Ok(None);
        }
        table.insert(path.to_owned(), None);
        Ok(Some(Self { path: path.to_owned(), file: Some(OwnDescriptor::new(file)) }))
    }

    /// The number in the file, or zero.
    pub(super) fn number(&self) -> u64 {
        let mut text = String::new();
        let read = self.file().map(|file| file.take(32).read_to_string(&mut text));
        match read {
            Some(Ok(_)) => text.trim().parse().ok().filter(|it| *it < u64::MAX).unwrap_or(0),
            _ => 0,
        }
    }

    /// Writes the number.
    pub(super) fn set_number(&self, number: u64) -> Result<(), String> {
        let Some(mut file) = self.file() else {
            return Ok(());
        };
        let text = format!("{number}\n");
        file.set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| file.write_all(text.as_bytes()))
            // Windows may tell the time of a write only when the file is closed.
            .and_then(|()| {
                let now = UNIX_EPOCH + SystemClock.unix();
                if cfg!(windows) { file.set_modified(now) } else { Ok(()) }
            })
            .map_err(|error| format!("could not write {}: {error}", shown(&self.path)))
    }

    /// Whether the path still leads to the locked file. Other processes remove
    /// a lock file whose number was not written for a long time.
    pub(super) fn is_in_place(&self) -> bool {
        self.file().is_some_and(|file| private_file::is_at(file, &self.path))
    }

    fn file(&self) -> Option<&File> {
        self.file.as_ref().and_then(OwnDescriptor::get)
    }

    /// Keeps the lock until [`release`](Self::release), and not only until this is
    /// dropped.
    pub(super) fn keep(mut self) {
        lock(&TABLE.get()).insert(self.path.clone(), self.file.take());
    }

    /// Releases a lock that was kept.
    pub(super) fn release(path: &Path) {
        lock(&TABLE.get()).remove(path);
    }
}

impl Drop for RecordLock {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let table = TABLE.get();
            let mut table = lock(&table);
            // Closed under the table's lock, so that closing cannot release a
            // lock of the next thread that opens the file.
            drop(file);
            table.remove(&self.path);
        }
    }
}

#[cfg(unix)]
fn try_lock(file: &File) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, fcntl_lock};
    use rustix::io::Errno;

    match fcntl_lock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::AGAIN | Errno::ACCESS) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(windows)]
fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(std::fs::TryLockError::WouldBlock) => Ok(false),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}
