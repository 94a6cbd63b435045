//! A file of lines that one process uses at a time.

#[cfg(unix)]
use std::io;
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;

#[cfg(unix)]
use rustix::fs::{FlockOperation, flock};

use crate::model::error::{Error, ErrorCode};

/// The member of the options that names it.
const MEMBER: &str = "state";

/// An open state file, locked until it is dropped.
#[cfg(unix)]
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    file: std::fs::File,
    process: crate::base::process::Identity,
}

#[cfg(unix)]
impl Drop for StateFile {
    /// A forked child may still hold the file, and with it the lock.
    fn drop(&mut self) {
        if self.process.is_current() {
            let _ = flock(&self.file, FlockOperation::Unlock);
        }
    }
}

#[cfg(unix)]
impl StateFile {
    /// Opens the file, and makes it if it is not there. Returns its text too.
    ///
    /// # Errors
    /// `config` if it cannot be used, or another process uses it.
    pub(super) fn open(path: &Path) -> Result<(Self, String), Error> {
        let mut file = lock(path)?;
        let mut text = String::new();
        io::Read::read_to_string(&mut file, &mut text).map_err(|error| unusable(path, &error))?;
        let process = crate::base::process::Identity::current();
        Ok((Self { path: path.to_owned(), file, process }, text))
    }

    /// Appends a line, which is on the disk when this returns if it is durable.
    pub(super) fn append(&mut self, line: &str, is_durable: bool) -> Result<(), Error> {
        let written = io::Write::write_all(&mut self.file, line.as_bytes());
        let written = match is_durable {
            true => written.and_then(|()| self.file.sync_data()),
            false => written,
        };
        written.map_err(|error| unusable(&self.path, &error))
    }

    /// Replaces all lines at once.
    pub(super) fn replace(&mut self, text: &str) -> Result<(), Error> {
        self.file = replaced(&self.path, text).map_err(|error| unusable(&self.path, &error))?;
        Ok(())
    }
}

#[cfg(unix)]
fn lock(path: &Path) -> Result<std::fs::File, Error> {
    use std::fs::OpenOptions;

    loop {
        let mut options = OpenOptions::new();
        let file =
            crate::base::private_file::open(options.read(true).append(true).create(true), path)
                .map_err(|error| unusable(path, &error))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let message = format!(
                    "another process follows with {}; wait until it ends, or name another file",
                    path.display()
                );
                return Err(Error::config(MEMBER, ErrorCode::FOLLOWING, message));
            }
            Err(error) => return Err(unusable(path, &error.into())),
        }
        // Its holder may have replaced it before it was locked here.
        if is_at(&file, path) {
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_at(file: &std::fs::File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let ids = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(own), Ok(there)) => ids(own) == ids(there),
        _ => false,
    }
}

/// A locked file with this text, which takes the place of the other one.
#[cfg(unix)]
fn replaced(path: &Path, text: &str) -> io::Result<std::fs::File> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    // A crash may have left one; only the holder of the lock gets here.
    let _ = std::fs::remove_file(&new);
    let mut options = std::fs::OpenOptions::new();
    let mut file = crate::base::private_file::open(options.append(true).create_new(true), &new)?;
    flock(&file, FlockOperation::LockExclusive)?;
    io::Write::write_all(&mut file, text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&new, path)?;
    Ok(file)
}

#[cfg(unix)]
fn unusable(path: &Path, error: &io::Error) -> Error {
    refused(path, &format!("{error}; name a file that this user can write"))
}

/// The error of a state file that cannot be used.
pub(super) fn refused(path: &Path, problem: &str) -> Error {
    let message = format!("could not use the state file {}: {problem}", path.display());
    Error::config(MEMBER, ErrorCode::STATE_FILE, message)
}

/// There are none on this system.
#[cfg(not(unix))]
#[derive(Debug)]
pub(super) enum StateFile {}

#[cfg(not(unix))]
impl StateFile {
    pub(super) fn open(path: &Path) -> Result<(Self, String), Error> {
        Err(refused(path, "state files are supported on Unix only; follow without one"))
    }

    pub(super) fn append(&mut self, _: &str, _: bool) -> Result<(), Error> {
        match *self {}
    }

    pub(super) fn replace(&mut self, _: &str) -> Result<(), Error> {
        match *self {}
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::test_folder::Folder;

    #[test]
    fn a_child_that_still_has_the_file_does_not_keep_it_locked() {
        let folder = Folder::made();
        let path = folder.path().join("state");
        let (state, _) = StateFile::open(&path).unwrap();
        // As a fork does it.
        let of_child = state.file.try_clone().unwrap();
        drop(state);
        assert!(StateFile::open(&path).is_ok());
        drop(of_child);
    }

    #[test]
    fn a_file_that_another_one_replaced_is_not_the_one_to_lock() {
        let folder = Folder::made();
        let path = folder.path().join("state");
        let (mut state, _) = StateFile::open(&path).unwrap();
        let waiting = std::fs::File::open(&path).unwrap();
        assert!(is_at(&waiting, &path));
        state.replace("new\n").unwrap();
        assert!(!is_at(&waiting, &path) && is_at(&state.file, &path));
    }

    #[test]
    fn what_a_crash_left_beside_the_file_is_replaced_and_nothing_stays_there() {
        let folder = Folder::made();
        let path = folder.path().join("state");
        std::fs::write(folder.path().join("state.new"), "half a li").unwrap();
        let (mut state, _) = StateFile::open(&path).unwrap();
        state.replace("line\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "line\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
