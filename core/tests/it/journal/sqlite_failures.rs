//! Files of journals that cannot be used.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::Command;
use std::time::Duration;

use payments_core::ErrorKind::{Config as Configuration, Journal as JournalKind};
use payments_core::Outcome::NotExecuted;
use payments_core::journal::SqliteJournal;
use payments_core::{CallContext, Client};

use crate::support::calls::{self, error_summary, payment};
#[cfg(target_os = "linux")]
use crate::support::child;
use crate::support::folder::Folder;
use crate::support::journal_lock::JournalLock;
use crate::support::raw_server::{RawServer, created};
use crate::support::sqlite::execute;

fn client(server: &RawServer, path: &Path) -> Client {
    Client::new(calls::config(&server.base_url()).journal_file(path)).unwrap()
}

#[test]
fn a_journal_is_made_only_on_purpose() {
    let folder = Folder::new();
    let config = || calls::config("http://127.0.0.1:1").journal_file(folder.journal());
    let error = Client::new(config()).unwrap_err();
    assert_eq!(
        (error.kind(), error.code().as_str(), error.path()),
        (Configuration, "missing", Some("journal"))
    );
    assert!(error.message().contains("payments journal create"), "{error}");
    SqliteJournal::create(folder.journal()).unwrap();
    assert_eq!(error_summary(SqliteJournal::create(folder.journal())).1, "exists");
    let below_a_file = folder.journal().join("journal.db");
    for path in [Path::new("/"), &below_a_file] {
        assert_eq!(error_summary(SqliteJournal::create(path)).0, JournalKind, "{path:?}");
        let config = calls::config("http://127.0.0.1:1").journal_file(path);
        assert_eq!(Client::new(config).unwrap_err().path(), Some("journal"), "{path:?}");
    }
    Client::new(config()).unwrap();
    let shown = format!("{:?}", SqliteJournal::create(folder.path().join("new.db")).unwrap());
    assert!(shown.contains("new.db"), "{shown}");
}

#[test]
fn a_missing_or_replaced_file_prevents_sending() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let client = client(&server, &folder.journal());
    let aside = folder.path().join("aside.db");
    std::fs::rename(folder.journal(), &aside).unwrap();
    let call = || error_summary(client.create_payment(&payment("order-1")));
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
fn a_file_with_a_second_name_is_refused() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let used = client(&server, &folder.journal());
    let other = folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::hard_link(folder.journal(), other.join("journal.db")).unwrap();
    for path in [folder.journal(), other.join("journal.db")] {
        let config = calls::config(&server.base_url()).journal_file(path);
        assert_eq!(error_summary(Client::new(config)).1, "place_unsafe");
    }
    let refused = error_summary(used.create_payment(&payment("order-1")));
    assert_eq!(refused, (JournalKind, "place_unsafe", NotExecuted));
    std::fs::remove_file(other.join("journal.db")).unwrap();
    used.create_payment(&payment("order-1")).unwrap();
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_write_ahead_log_that_vanished_or_was_replaced_is_noticed() {
    let server = RawServer::responding(created());
    for replacement in [None, Some(&b"not a log"[..])] {
        let folder = Folder::new();
        SqliteJournal::create(folder.journal()).unwrap();
        let client = client(&server, &folder.journal());
        client.create_payment(&payment("order-1")).unwrap();
        let sent = server.requests().len();
        let log = folder.path().join("journal.db-wal");
        let aside = folder.path().join("aside");
        std::fs::rename(&log, &aside).unwrap();
        if let Some(bytes) = replacement {
            std::fs::write(&log, bytes).unwrap();
        }
        for reference in ["order-1", "order-2"] {
            let refused = error_summary(client.create_payment(&payment(reference)));
            assert_eq!(refused, (JournalKind, "replaced", NotExecuted), "{reference}");
        }
        assert_eq!(server.requests().len(), sent);
    }
    // A program that closes the file as the last one removes the log in order.
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let client = client(&server, &folder.journal());
    client.create_payment(&payment("order-1")).unwrap();
    execute(&folder.journal(), "SELECT * FROM payments_journal");
    assert!(!folder.path().join("journal.db-wal").exists());
    assert_eq!(error_summary(client.create_payment(&payment("order-1"))).1, "already_done");
    client.create_payment(&payment("order-2")).unwrap();
}

/// The output of a program in its own mount namespace.
#[cfg(target_os = "linux")]
const IN_NAMESPACE: &str = "
    mkdir -m 700 \"$1/container\" && touch \"$1/container/journal.db\" &&
    chmod 600 \"$1/container/journal.db\" &&
    mount --bind \"$1/journal.db\" \"$1/container/journal.db\" && exec \"${@:2}\"";

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_mounted_by_itself_is_refused() {
    if let Some(path) = std::env::var_os("PAYMENTS_MOUNTED_JOURNAL") {
        let config = calls::config("http://127.0.0.1:1").journal_file(path);
        assert_eq!(error_summary(Client::new(config)).1, "place_unsafe");
        return;
    }
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let namespaces = ["--user", "--map-root-user", "--mount", "bash", "-c", IN_NAMESPACE, "bash"];
    child::must_pass(
        Command::new("unshare")
            .args(namespaces)
            .arg(folder.path())
            .arg(std::env::current_exe().unwrap())
            .args(child::only(a_file_that_is_mounted_by_itself_is_refused))
            .env("PAYMENTS_MOUNTED_JOURNAL", folder.path().join("container/journal.db")),
    );
}

#[test]
fn others_must_not_have_access() {
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let code = || {
        let config = calls::config("http://127.0.0.1:1").journal_file(folder.journal());
        Client::new(config).err().map(|error| error.code().as_str())
    };
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    assert_eq!(code(), None);
    set(&folder.journal(), 0o640);
    assert_eq!(code(), Some("place_unsafe"));
    set(&folder.journal(), 0o600);
    set(folder.path(), 0o755);
    assert_eq!(code(), Some("place_unsafe"));
    set(folder.path(), 0o700);
    assert_eq!(code(), None);
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(folder.journal(), &link).unwrap();
    let config = calls::config("http://127.0.0.1:1").journal_file(link);
    assert_eq!(error_summary(Client::new(config)).1, "place_unsafe");
}

#[test]
fn a_file_of_another_application_or_format_is_refused() {
    let index = "CREATE UNIQUE INDEX payments_journal_reference ON payments_journal (scope, \
                 operation, reference) WHERE state <> 'failed'";
    for (statement, code, reason) in [
        ("PRAGMA application_id = 7", "damaged", "another application"),
        ("PRAGMA user_version = 1", "other_format", "payments journal upgrade"),
        ("PRAGMA user_version = 3", "other_format", "needs format 2; use the version"),
        ("DROP INDEX payments_journal_reference", "damaged", "payments_journal_reference"),
        (&format!("DROP INDEX payments_journal_reference; {index}"), "damaged", "_reference"),
        ("ALTER TABLE payments_journal DROP COLUMN note", "damaged", "no column note"),
        (
            "ALTER TABLE payments_journal ADD COLUMN mine TEXT; \
             CREATE INDEX mine ON payments_journal (mine)",
            "",
            "",
        ),
    ] {
        let folder = Folder::new();
        SqliteJournal::create(folder.journal()).unwrap();
        execute(&folder.journal(), statement);
        let config = calls::config("http://127.0.0.1:1").journal_file(folder.journal());
        let made = Client::new(config);
        if code.is_empty() {
            made.unwrap();
            continue;
        }
        let error = made.unwrap_err();
        assert_eq!((error.kind(), error.code().as_str()), (Configuration, code), "{error}");
        assert!(error.message().contains(reason), "{error}");
    }
}

/// A wrong path is not to be restored from a backup.
#[test]
fn a_file_without_a_database_is_not_a_damaged_journal() {
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    std::fs::write(folder.journal(), "order-1;100.10\n".repeat(100)).unwrap();
    let config = calls::config("http://127.0.0.1:1").journal_file(folder.journal());
    let error = Client::new(config).unwrap_err();
    assert_eq!((error.kind(), error.code().as_str()), (Configuration, "damaged"), "{error}");
    assert!(error.message().contains("it is not an SQLite file"), "{error}");
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
    assert_eq!((error.kind(), error.code().as_str()), (JournalKind, "damaged"), "{error}");
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
    assert_eq!(error_summary(late), (JournalKind, "locked", NotExecuted));
    assert_eq!(server.connections(), 0);
    let release = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        drop(lock);
    });
    client.create_payment(&payment("order-1")).unwrap();
    release.join().unwrap();
}

#[test]
fn opening_waits_for_a_recovery_by_another_process() {
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
