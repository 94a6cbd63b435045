//! Where calls that move money are journaled.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Config;
use crate::journal::Journal;
use crate::model::error::{Error, ErrorCode};

/// The journal, unless code provides one.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) enum JournalKind {
    #[default]
    None,
    /// The path of an SQLite file.
    File(PathBuf),
}

impl JournalKind {
    /// Parses a member. A relative path refers to `folder`.
    pub(super) fn of_text(text: &str, folder: &Path) -> Option<Self> {
        match text.split_once(':') {
            Some(("file", path)) if !path.is_empty() => Some(Self::File(folder.join(path))),
            None if text == "none" => Some(Self::None),
            _ => None,
        }
    }

    /// Makes a relative path absolute, since the working folder may change.
    pub(super) fn pin(&mut self) -> Result<(), Error> {
        if let Self::File(path) = self {
            *path = std::path::absolute(&path).map_err(|error| {
                let problem = format!("could not find {}: {error}", path.display());
                Error::config("journal", ErrorCode::UNAVAILABLE, problem)
            })?;
        }
        Ok(())
    }
}

impl Config {
    /// Records calls that move money in this SQLite file, for all processes of
    /// the host that run as this user. The file must exist: [`SqliteJournal::create`]
    /// or `payments journal create` makes it. Needs the feature
    /// `journal-sqlite`.
    ///
    /// [`SqliteJournal::create`]: https://docs.rs/payments-core/latest/payments_core/journal/struct.SqliteJournal.html#method.create
    pub fn journal_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.inputs.journal = JournalKind::File(path.into());
        self
    }

    /// Records calls that move money in `journal`, for the clients made with it.
    pub fn journal(mut self, journal: Arc<dyn Journal>) -> Self {
        self.components.journal = Some(journal);
        self
    }
}

#[cfg(all(unix, feature = "journal-sqlite"))]
pub(super) fn open_file(path: &Path) -> Result<Arc<dyn Journal>, Error> {
    let journal = crate::journal::SqliteJournal::open(path);
    Ok(Arc::new(journal.map_err(|error| error.in_configuration())?))
}

#[cfg(not(all(unix, feature = "journal-sqlite")))]
pub(super) fn open_file(path: &Path) -> Result<Arc<dyn Journal>, Error> {
    Err(journals_unsupported(path))
}

/// The error for a file that this build cannot use.
pub fn journals_unsupported(path: &Path) -> Error {
    if cfg!(unix) {
        return Error::not_in_this_build("journal", "journal-sqlite");
    }
    let message = format!(
        "journals in files need Unix, so {} cannot be used; keep the journal in PostgreSQL \
         (DatabaseJournal in Python, PostgresJournal in Node, PdoJournal in PHP), or provide one \
         of your own",
        path.display()
    );
    Error::config("journal", ErrorCode::NOT_IN_THIS_BUILD, message)
}
