//! Journals in SQLite files, by their paths.

use std::path::Path;

use payments_core::error::Error;
use payments_core::journal::JournalCopy;

/// Makes the file of a journal.
///
/// # Errors
/// `journal` if it cannot be made there, `config` if this build has no journals
/// in files.
pub fn create(path: &Path) -> Result<(), Error> {
    #[cfg(all(unix, feature = "journal-sqlite"))]
    return payments_core::journal::SqliteJournal::create(path).map(drop);
    #[cfg(not(all(unix, feature = "journal-sqlite")))]
    return Err(payments_core::inside::journals_unsupported(path));
}

/// Gives the journal at `path` the format of this version, in one transaction that
/// keeps every entry. Returns how many it has; `None` if it has that format already.
///
/// # Errors
/// Those of [`copy`].
pub fn upgrade(path: &Path) -> Result<Option<u64>, Error> {
    #[cfg(all(unix, feature = "journal-sqlite"))]
    return payments_core::journal::SqliteJournal::upgrade(path);
    #[cfg(not(all(unix, feature = "journal-sqlite")))]
    return Err(payments_core::inside::journals_unsupported(path));
}

/// The extent of a copy of a journal at `path`; `None` if the file is not a
/// copy, or was adopted.
///
/// # Errors
/// `journal` if it cannot be read, `config` if this build has no journals in
/// files.
pub fn copy(path: &Path) -> Result<Option<JournalCopy>, Error> {
    #[cfg(all(unix, feature = "journal-sqlite"))]
    return payments_core::journal::SqliteJournal::copy_at(path);
    #[cfg(not(all(unix, feature = "journal-sqlite")))]
    return Err(payments_core::inside::journals_unsupported(path));
}

/// Lets calls write to the copy of a journal at `path`, on a person's word.
///
/// # Errors
/// Those of [`copy`].
pub fn adopt(path: &Path) -> Result<(), Error> {
    #[cfg(all(unix, feature = "journal-sqlite"))]
    return payments_core::journal::SqliteJournal::adopt(path);
    #[cfg(not(all(unix, feature = "journal-sqlite")))]
    return Err(payments_core::inside::journals_unsupported(path));
}
