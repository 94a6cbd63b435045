//! A file of lines that one process uses at a time.

use std::io;
use std::path::Path;

use payments_core::error::{Error, ErrorCode};

#[cfg(unix)]
pub(super) use self::unix::StateFile;

/// The member of the options that names it.
const MEMBER: &str = "state";

#[cfg(unix)]
fn unusable(path: &Path, error: &io::Error) -> Error {
    refused(path, &format!("{error}; name a file that this user can write"))
}

/// The error of a state file that cannot be used.
fn refused(path: &Path, problem: &str) -> Error {
    let message = format!("could not use the state file {}: {problem}", path.display());
    Error::config(MEMBER, ErrorCode::STATE_FILE, message)
}

/// There are none on this system.
#[cfg(not(unix))]
#[derive(Debug)]
pub(super) enum StateFile {}

#[cfg(not(unix))]
impl StateFile {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        Err(refused(path, "state files are supported on Unix only; follow without one"))
    }

    pub(super) fn read(
        &mut self,
        _: impl FnMut(usize, &str) -> Result<(), String>,
    ) -> Result<(), Error> {
        match *self {}
    }

    pub(super) fn append(&mut self, _: &[String], _: bool) -> Result<(), Error> {
        match *self {}
    }

    pub(super) fn replace(
        &mut self,
        _: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        match *self {}
    }

    pub(super) fn was_appended_to(&self) -> bool {
        match *self {}
    }
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;
    use std::fs::{File, OpenOptions};
    use std::io::{self, BufRead as _, Write as _};
    use std::path::{Path, PathBuf};

    use payments_base::private_file;
    use payments_base::process::Identity;
    use payments_core::error::{Error, ErrorCode, Reason};
    use rustix::fs::{FlockOperation, flock};

    use super::{MEMBER, refused, unusable};

    /// An open state file, locked until it is dropped.
    #[derive(Debug)]
    pub(in crate::follow) struct StateFile {
        path: PathBuf,
        file: File,
        process: Identity,
        /// The length of its whole lines.
        length: u64,
        /// Whether a part of a line after them could not be removed.
        is_torn: bool,
        was_appended_to: bool,
    }

    impl Drop for StateFile {
        /// A forked child may still hold the file, and with it the lock.
        fn drop(&mut self) {
            if self.process.is_current() {
                let _ = flock(&self.file, FlockOperation::Unlock);
            }
        }
    }

    impl StateFile {
        /// Opens the file, which is created if absent.
        ///
        /// # Errors
        /// `config` if it cannot be used, or another process uses it.
        pub(in crate::follow) fn open(path: &Path) -> Result<Self, Error> {
            Ok(Self {
                path: path.to_owned(),
                file: lock(path)?,
                process: Identity::current(),
                length: 0,
                is_torn: false,
                was_appended_to: false,
            })
        }

        /// Gives each line with its number. A last line that a crash cut short is
        /// taken out of the file.
        ///
        /// # Errors
        /// `config` if the file cannot be read, or a line is refused: then it
        /// stays as it is.
        pub(in crate::follow) fn read(
            &mut self,
            mut each: impl FnMut(usize, &str) -> Result<(), String>,
        ) -> Result<(), Error> {
            let failed = |error: &io::Error| unusable(&self.path, error);
            let mut lines = io::BufReader::with_capacity(1 << 16, &self.file);
            let (mut line, mut number, mut whole) = (Vec::new(), 0, 0);
            loop {
                line.clear();
                let length = lines.read_until(b'\n', &mut line).map_err(|error| failed(&error))?;
                let is_whole = line.last() == Some(&b'\n');
                if !is_whole && (number > 0 || length == 0) {
                    break;
                }
                // A file without a whole head is not a state file.
                number += 1;
                whole += length as u64;
                let text = std::str::from_utf8(&line).unwrap_or_default();
                each(number, text.trim_end_matches(['\n', '\r']))
                    .map_err(|problem| refused(&self.path, &problem))?;
            }
            self.length = whole;
            self.take_back()
        }

        /// Appends lines, which are on the disk when this returns if they are
        /// durable.
        ///
        /// # Errors
        /// `config` if they cannot be written. Then no part of them is written.
        pub(in crate::follow) fn append(
            &mut self,
            lines: &[String],
            is_durable: bool,
        ) -> Result<(), Error> {
            if self.is_torn {
                self.take_back()?;
            }
            let text = lines.join("\n") + "\n";
            let written = self.file.write_all(text.as_bytes());
            let written =
                if is_durable { written.and_then(|()| self.file.sync_data()) } else { written };
            if let Err(error) = written {
                self.is_torn = self.take_back().is_err();
                return Err(unusable(&self.path, &error));
            }
            self.length += text.len() as u64;
            self.was_appended_to = true;
            Ok(())
        }

        /// Removes the bytes after the whole lines.
        fn take_back(&mut self) -> Result<(), Error> {
            let length = self.file.metadata().map(|it| it.len());
            let taken = match length {
                Ok(length) if length <= self.length => Ok(()),
                _ => self.file.set_len(self.length),
            };
            let problem = |error| {
                let problem = format!(
                    "half a line could not be taken back ({error}); nothing more is written to it"
                );
                refused(&self.path, &problem)
            };
            taken.map_err(problem)?;
            self.is_torn = false;
            Ok(())
        }

        /// Replaces all lines at once.
        ///
        /// # Errors
        /// `config` if the new ones cannot be written: then the old ones stay; or if it is
        /// not certain that they are on the disk.
        pub(in crate::follow) fn replace(
            &mut self,
            write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
        ) -> Result<(), Error> {
            let (file, length) =
                replaced(&self.path, write).map_err(|error| unusable(&self.path, &error))?;
            (self.file, self.length, self.is_torn) = (file, length, false);
            // Until then, a power failure may bring the old file back.
            let synced = File::open(folder_of(&self.path)).and_then(|folder| folder.sync_all());
            synced.map_err(|error| unusable(&self.path, &error))
        }

        pub(in crate::follow) fn was_appended_to(&self) -> bool {
            self.was_appended_to
        }

        /// Makes writes fail, as on a failing disk.
        #[cfg(test)]
        pub(in crate::follow) fn fails_to_write(&mut self) {
            if let Ok(file) = File::open(&self.path) {
                self.file = file;
            }
        }
    }

    fn lock(path: &Path) -> Result<File, Error> {
        loop {
            let mut options = OpenOptions::new();
            let file = private_file::open(options.read(true).append(true).create(true), path)
                .map_err(|error| unusable(path, &error))?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(rustix::io::Errno::WOULDBLOCK) => {
                    let message = format!(
                        "another process follows with {}; wait until it ends, or name another file",
                        path.display()
                    );
                    let error = Error::config(MEMBER, ErrorCode::ALREADY_RUNNING, message);
                    return Err(error.because(Reason::AlreadyRunning));
                }
                Err(error) => return Err(unusable(path, &error.into())),
            }
            // Its holder may have replaced it before it was locked here.
            if private_file::is_at(&file, path) {
                return Ok(file);
            }
        }
    }

    /// A locked file with these lines, which takes the place of the other one, and
    /// its length.
    fn replaced(
        path: &Path,
        write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> io::Result<(File, u64)> {
        let new = temporary(path);
        let written = written(&new, write).and_then(|written| {
            std::fs::rename(&new, path)?;
            Ok(written)
        });
        if written.is_err() {
            let _ = std::fs::remove_file(&new);
        }
        written
    }

    fn written(
        new: &Path,
        write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> io::Result<(File, u64)> {
        let mut options = OpenOptions::new();
        let file = private_file::open(options.append(true).create_new(true), new)?;
        flock(&file, FlockOperation::LockExclusive)?;
        let mut output = io::BufWriter::with_capacity(1 << 16, &file);
        write(&mut output)?;
        output.flush()?;
        drop(output);
        file.sync_all()?;
        let length = file.metadata()?.len();
        Ok((file, length))
    }

    fn folder_of(path: &Path) -> &Path {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        folder.unwrap_or(Path::new("."))
    }

    /// A hidden name next to the file that no other file has. Those that a
    /// crash left are removed: only the holder of the lock gets here.
    fn temporary(path: &Path) -> PathBuf {
        const ENDING: &str = ".rewritten";
        let folder = folder_of(path);
        let mut head = OsString::from(".");
        head.push(path.file_name().unwrap_or_default());
        head.push(".");
        let head = head.to_string_lossy().into_owned();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let number = name.strip_prefix(&head).and_then(|it| it.strip_suffix(ENDING));
            if number.is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit())) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
        folder.join(format!("{head}{}{ENDING}", std::process::id()))
    }

    #[cfg(test)]
    mod tests;
}
