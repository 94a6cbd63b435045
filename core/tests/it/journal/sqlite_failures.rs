//! Files of journals that cannot be used.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use payments_core::ErrorKind::{Config as Configuration, Journal as JournalKind};
use payments_core::Outcome::NotExecuted;
use payments_core::journal::SqliteJournal;
use payments_core::{CallContext, Client};

use crate::support::calls::{self, payment, told};
use crate::support::journal::Folder;
use crate::support::journal_lock::JournalLock;
use crate::support::raw_server::{RawServer, created};

fn client(server: &RawServer, path: &Path) -> Client {
    Client::new(calls::config(&server.base_url()).journal_file(path)).unwrap()
}

#[test]
fn a_journal_is_made_on_purpose_only() {
    let folder = Folder::new();
    let config = || calls::config("http://127.0.0.1:1").journal_file(folder.journal());
    let error = Client::new(config()).unwrap_err();
    assert_eq!(
        (error.kind(), error.code(), error.path()),
        (Configuration, "missing", Some("journal"))
    );
    assert!(error.message().contains("payments journal create"), "{error}");
    SqliteJournal::create(folder.journal()).unwrap();
    assert_eq!(told(SqliteJournal::create(folder.journal())).1, "exists");
    Client::new(config()).unwrap();
}

#[test]
fn a_file_that_vanished_or_was_replaced_keeps_calls_from_being_sent() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let client = client(&server, &folder.journal());
    let aside = folder.path().join("aside.db");
    std::fs::rename(folder.journal(), &aside).unwrap();
    let call = || told(client.create_payment(&payment("order-1")));
    assert_eq!(call(), (JournalKind, "missing", NotExecuted));
    SqliteJournal::create(folder.journal()).unwrap();
    assert_eq!(call(), (JournalKind, "replaced", NotExecuted));
    std::fs::remove_file(folder.journal()).unwrap();
    std::fs::copy(&aside, folder.journal()).unwrap();
    assert_eq!(call(), (JournalKind, "replaced", NotExecuted), "a copy");
    std::fs::rename(&aside, folder.journal()).unwrap();
    client.create_payment(&payment("order-1")).unwrap();
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn others_must_not_have_access() {
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let code = || {
        let config = calls::config("http://127.0.0.1:1").journal_file(folder.journal());
        Client::new(config).err().map(|error| error.code())
    };
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    assert_eq!(code(), None);
    set(&folder.journal(), 0o640);
    assert_eq!(code(), Some("not_private"));
    set(&folder.journal(), 0o600);
    set(folder.path(), 0o755);
    assert_eq!(code(), Some("not_private"));
    set(folder.path(), 0o700);
    assert_eq!(code(), None);
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(folder.journal(), &link).unwrap();
    let config = calls::config("http://127.0.0.1:1").journal_file(link);
    assert_eq!(told(Client::new(config)).1, "not_private");
}

/// Executes a statement as another program does.
fn execute(path: &Path, statement: &str) {
    let program = "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as it:\n    \
                   it.execute(sys.argv[2])\n";
    let status = Command::new("python3").args(["-c", program]).arg(path).arg(statement).status();
    assert!(status.unwrap().success());
}

#[test]
fn a_file_of_another_application_or_of_a_newer_version_is_refused() {
    for (statement, code, reason) in [
        ("PRAGMA application_id = 7", "not_a_journal", "another application"),
        ("PRAGMA user_version = 2", "newer", "update libpayments"),
    ] {
        let folder = Folder::new();
        SqliteJournal::create(folder.journal()).unwrap();
        execute(&folder.journal(), statement);
        let config = calls::config("http://127.0.0.1:1").journal_file(folder.journal());
        let error = Client::new(config).unwrap_err();
        assert_eq!((error.kind(), error.code()), (Configuration, code), "{error}");
        assert!(error.message().contains(reason), "{error}");
    }
}

#[test]
fn an_entry_with_an_unknown_word_is_not_read_as_one_without() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let client = client(&server, &folder.journal());
    client.create_payment(&payment("order-1")).unwrap();
    execute(&folder.journal(), "UPDATE payments_journal SET conflict = 'lost'");
    assert_eq!(told(client.list_journal(false, None, &client.context())).0, JournalKind);
}

#[test]
fn a_damaged_file_keeps_calls_from_being_sent() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let client = client(&server, &folder.journal());
    let size = folder.journal().metadata().unwrap().len() as usize;
    // In place, so that it is the same file.
    std::fs::write(folder.journal(), vec![b'x'; size]).unwrap();
    let error = client.create_payment(&payment("order-1")).unwrap_err();
    assert_eq!((error.kind(), error.code()), (JournalKind, "damaged"), "{error}");
    assert_eq!((error.outcome(), server.connections()), (NotExecuted, 0));
    assert!(error.message().contains("restore it"), "{error}");
}

#[test]
fn a_locked_journal_is_waited_for_until_the_deadline() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let client = client(&server, &folder.journal());
    let lock = JournalLock::take(&folder.journal());
    let context = CallContext::with_timeout(Duration::from_millis(100));
    let late = client.execute(&payment("order-1"), &context);
    assert_eq!(told(late), (JournalKind, "locked", NotExecuted));
    assert_eq!(server.connections(), 0);
    drop(lock);
    client.create_payment(&payment("order-1")).unwrap();
}

#[test]
fn a_journal_that_another_process_recovers_is_waited_for_on_opening() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let lock = JournalLock::take_all(&folder.journal());
    let release = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        drop(lock);
    });
    client(&server, &folder.journal()).create_payment(&payment("order-1")).unwrap();
    release.join().unwrap();
}
