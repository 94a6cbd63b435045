use payments_transport::context::CallContext;
use rusqlite::ffi;

use super::super::super::{Entry, Journal as _};
use super::super::SqliteJournal;
use super::*;
use crate::test_folder::Folder;

/// A journal in its own folder, which is removed at the end.
fn with_journal(test: impl FnOnce(&Path)) {
    let folder = Folder::new();
    let path = folder.path().join("journal.db");
    SqliteJournal::create(&path).unwrap();
    test(&path);
}

#[test]
fn errors_of_sqlite_have_a_remedy() {
    with_journal(|path| {
        let file = JournalFile::open(path).unwrap();
        for (code, expected, said) in [
            (ffi::SQLITE_FULL, "unavailable", "is full; make room"),
            (ffi::SQLITE_READONLY, "unavailable", "is read-only; make it writable"),
            (ffi::SQLITE_BUSY, "locked", "another process keeps the journal"),
            (ffi::SQLITE_CORRUPT, "damaged", "restore it"),
            (ffi::SQLITE_IOERR, "unavailable", "could not use the journal"),
        ] {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            let error = file.failure(&error).outside_of_calls();
            assert_eq!(error.code(), expected, "{error}");
            assert!(error.message().contains(said), "{error}");
        }
    });
}

#[test]
fn an_empty_journal_counts_nothing() {
    with_journal(|path| {
        let journal = SqliteJournal::open(path).unwrap();
        let counted = journal.count(&CallContext::with_timeout(Duration::MAX), "any", 1).unwrap();
        assert_eq!((counted.newest, counted.done, counted.failed, counted.open), (None, 0, 0, 0));
        assert!(counted.now > 0);
    });
}

#[test]
fn a_failed_update_differs_from_one_that_came_too_late() {
    with_journal(|path| {
        let journal = SqliteJournal::open(path).unwrap();
        let context = CallContext::with_timeout(Duration::MAX);
        let entry = Entry::of_test("order-1");
        assert!(journal.insert(&context, &entry).unwrap());
        let refuses = "CREATE TRIGGER refuses BEFORE UPDATE ON payments_journal \
                       BEGIN SELECT RAISE(ABORT, 'no'); END";
        connect(path).unwrap().execute_batch(refuses).unwrap();
        assert!(journal.update(&context, &entry).is_err());
    });
}

#[test]
#[cfg(target_os = "linux")]
fn a_power_failure_clears_the_memory() {
    assert!(SqliteJournal::is_in_memory(Path::new("/dev/shm")));
    assert!(!SqliteJournal::is_in_memory(Path::new("/proc")));
}

#[test]
fn a_log_other_than_that_of_the_transaction_is_noticed() {
    with_journal(|path| {
        let file = JournalFile::open(path).unwrap();
        let connection = file.connect().unwrap();
        connection
            .execute_batch("BEGIN IMMEDIATE; UPDATE payments_journal SET note = ''; COMMIT")
            .unwrap();
        let log = file.log_inode();
        assert!(file.check_log(log).is_ok() && file.check_log(None).is_ok());
        assert!(file.sync_log(false).is_ok());
        let refused = file.check_log(log.map(|inode| inode + 1)).unwrap_err().outside_of_calls();
        assert_eq!(refused.code(), "replaced");
        std::fs::remove_file(file.log()).unwrap();
        for before in [log, None] {
            assert_eq!(file.check_log(before).unwrap_err().outside_of_calls().code(), "replaced");
        }
        assert_eq!(file.sync_log(false).unwrap_err().outside_of_calls().code(), "unavailable");
    });
}
