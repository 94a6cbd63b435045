//! Copies of a journal, which lack all later entries.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use payments_core::ErrorKind::Journal as JournalKind;
use payments_core::Outcome::{Executed, NotExecuted, Unknown};
use payments_core::journal::{EntryState, SqliteJournal};
use payments_core::{CallContext, Client};
use payments_host::journal::file;

use crate::support::calls::{self, error_summary, payment, payout};
use crate::support::folder::Folder;
use crate::support::journal::MemoryJournal;
use crate::support::raw_server::{RawServer, created};
use crate::support::sqlite::execute;

pub(super) fn client(server: &RawServer, path: &Path) -> Client {
    Client::new(calls::config(&server.base_url()).journal_file(path)).unwrap()
}

/// A copy of a journal with `order-1` done and `payout-1` open.
fn copied(folder: &Folder) -> PathBuf {
    let server = RawServer::responding(created());
    SqliteJournal::create(folder.journal()).unwrap();
    let original = client(&server, &folder.journal());
    original.create_payment(&payment("order-1")).unwrap();
    original.create_payout(&payout("payout-1")).unwrap();
    let lose = "UPDATE payments_journal SET state = 'unknown' WHERE reference = 'payout-1'";
    execute(&folder.journal(), lose);
    let copy = folder.path().join("copy.db");
    execute(&folder.journal(), &format!("VACUUM INTO '{}'", copy.display()));
    std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o600)).unwrap();
    original.create_payment(&payment("order-2")).unwrap();
    copy
}

#[test]
fn a_copy_sends_nothing_until_it_is_adopted() {
    let folder = Folder::new();
    let copy = copied(&folder);
    let server = RawServer::responding(created());
    let client = client(&server, &copy);
    let context = client.context();
    let error = client.create_payment(&payment("order-2")).unwrap_err();
    assert_eq!(
        (error.kind(), error.code().as_str(), error.outcome()),
        (JournalKind, "not_adopted", NotExecuted)
    );
    let knows = file::copy(&copy).unwrap().unwrap();
    let newest = payments_base::utc::iso_8601(knows.newest.unwrap());
    for part in [format!("of {newest}"), format!("payments journal adopt {}", copy.display())] {
        assert!(error.message().contains(&part), "{error}");
    }
    assert_eq!(error_summary(client.create_payment(&payment("order-1"))).1, "already_done");
    assert_eq!(error_summary(client.create_payment(&payment("order-1"))).2, Executed);
    let refused = error_summary(client.create_payout(&payout("payout-1")));
    assert_eq!(refused, (JournalKind, "unresolved", Unknown));
    assert_eq!(error_summary(payments_host::journal::check(&client, &context)).1, "not_adopted");
    assert_eq!(error_summary(payments_host::recover(&client, &context)).1, "not_adopted");
    let resolved = payments_host::journal::resolve(&client, "payout-1", true, "seen", &context);
    assert_eq!(error_summary(resolved).1, "not_adopted");
    assert_eq!(
        error_summary(payments_host::journal::prune(&client, 1, true, false, &context)).1,
        "not_adopted"
    );
    let listed = payments_host::journal::list(&client, false, None, &context).unwrap().entries;
    assert_eq!(listed.len(), 2);
    let shown = payments_host::journal::show(&client, "payout-1", &context).unwrap().entries;
    assert_eq!(shown[0].state, EntryState::Unknown);
    assert_eq!(knows.open.entries.len(), 1);
    assert_eq!(knows.open.entries[0].reference, "payout-1");
    assert_eq!(server.requests().len(), 0);

    file::adopt(&copy).unwrap();
    assert!(file::copy(&copy).unwrap().is_none());
    payments_host::journal::check(&client, &CallContext::with_timeout(calls::SLACK)).unwrap();
    client.create_payment(&payment("order-2")).unwrap();
    assert_eq!(error_summary(client.create_payment(&payment("order-1"))).1, "already_done");
    payments_host::journal::resolve(&client, "payout-1", true, "seen", &context).unwrap();
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_copy_next_to_an_old_log_is_refused() {
    let folder = Folder::new();
    let copy = copied(&folder);
    let beside = |path: &Path, ending| PathBuf::from(format!("{}{ending}", path.display()));
    let log = beside(&copy, "-wal");
    std::fs::copy(beside(&folder.journal(), "-wal"), &log).unwrap();
    assert!(std::fs::metadata(&log).unwrap().len() > 0);
    let before = std::fs::read(&copy).unwrap();
    let server = RawServer::responding(created());
    let opened = Client::new(calls::config(&server.base_url()).journal_file(&copy));
    let error = opened.unwrap_err();
    assert_eq!(error.code().as_str(), "not_adopted");
    assert!(error.message().contains(&format!("move {} and", log.display())), "{error}");
    assert_eq!(error_summary(file::copy(&copy)).1, "not_adopted");
    assert_eq!(error_summary(file::adopt(&copy)).1, "not_adopted");
    assert_eq!(std::fs::read(&copy).unwrap(), before);

    std::fs::remove_file(&log).unwrap();
    assert_eq!(file::copy(&copy).unwrap().unwrap().open.entries.len(), 1);
    file::adopt(&copy).unwrap();
    client(&server, &copy).create_payment(&payment("order-2")).unwrap();
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_copy_that_overwrites_a_journal_in_use_is_refused() {
    let folder = Folder::new();
    let copy = copied(&folder);
    let server = RawServer::responding(created());
    let client = client(&server, &folder.journal());
    client.create_payment(&payment("order-3")).unwrap();
    let sent = server.requests().len();
    std::fs::copy(&copy, folder.journal()).unwrap();
    assert_eq!(error_summary(client.create_payment(&payment("order-2"))).1, "not_adopted");
    assert_eq!(
        error_summary(payments_host::journal::list(&client, false, None, &client.context())).1,
        "not_adopted"
    );
    assert_eq!(server.requests().len(), sent);
}

#[test]
fn a_journal_whose_mode_changes_becomes_a_copy() {
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let server = RawServer::responding(created());
    let client = client(&server, &folder.journal());
    execute(&folder.journal(), "PRAGMA journal_mode = DELETE");
    let error = client.create_payment(&payment("order-1")).unwrap_err();
    assert_eq!(error.code().as_str(), "not_adopted");
    assert!(error.message().contains("has no entry"), "{error}");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn only_adopting_changes_the_mode_of_a_file() {
    let folder = Folder::new();
    let copy = copied(&folder);
    let before = std::fs::read(&copy).unwrap();
    let server = RawServer::responding(created());
    for _ in 0..2 {
        let client = client(&server, &copy);
        payments_host::journal::list(&client, false, None, &client.context()).unwrap();
        assert!(client.create_payment(&payment("order-2")).is_err());
        assert_eq!(std::fs::read(&copy).unwrap(), before);
    }
    let missing = folder.path().join("missing.db");
    assert_eq!(error_summary(file::copy(&missing)).1, "missing");
    assert_eq!(error_summary(file::adopt(&missing)).1, "missing");
}

#[test]
fn setting_wal_mode_does_not_adopt_a_copy() {
    let folder = Folder::new();
    let copy = copied(&folder);
    execute(&copy, "PRAGMA journal_mode = WAL");
    let server = RawServer::responding(created());
    let client = client(&server, &copy);
    let error = client.create_payment(&payment("order-2")).unwrap_err();
    assert_eq!(error.code().as_str(), "not_adopted");
    assert!(error.message().contains("(its mark is that of another file)"), "{error}");
    assert_eq!(file::copy(&copy).unwrap().unwrap().open.entries.len(), 1);
    assert_eq!(server.requests().len(), 0);
    file::adopt(&copy).unwrap();
    client.create_payment(&payment("order-2")).unwrap();
    // A copy of what was adopted is one again.
    let second = folder.path().join("second.db");
    execute(&copy, &format!("VACUUM INTO '{}'", second.display()));
    std::fs::set_permissions(&second, std::fs::Permissions::from_mode(0o600)).unwrap();
    execute(&second, "PRAGMA journal_mode = WAL");
    assert!(file::copy(&second).unwrap().is_some());
}

#[test]
fn a_file_without_a_mark_counts_by_its_mode() {
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    execute(&folder.journal(), "DELETE FROM payments_journal_identity WHERE id LIKE 'adopted %'");
    let server = RawServer::responding(created());
    client(&server, &folder.journal()).create_payment(&payment("order-1")).unwrap();
    execute(&folder.journal(), "PRAGMA journal_mode = DELETE");
    assert!(file::copy(&folder.journal()).unwrap().is_some());
    file::adopt(&folder.journal()).unwrap();
    assert!(file::copy(&folder.journal()).unwrap().is_none());
}

/// Like a program that has a client.
#[test]
fn a_client_adopts_its_own_copy_and_nothing_else() {
    let folder = Folder::new();
    let copy = copied(&folder);
    let server = RawServer::responding(created());
    let client = client(&server, &copy);
    assert!(payments_host::journal::adopt(&client).unwrap());
    assert!(!payments_host::journal::adopt(&client).unwrap(), "it is adopted already");
    payments_host::journal::check(&client, &client.context()).unwrap();
    let config = calls::config(&server.base_url());
    let without = Client::new(config.clone()).unwrap();
    assert_eq!(error_summary(payments_host::journal::adopt(&without)).1, "required");
    let journal = std::sync::Arc::new(MemoryJournal::default());
    let elsewhere = Client::new(config.journal(journal)).unwrap();
    assert_eq!(error_summary(payments_host::journal::adopt(&elsewhere)).1, "value_invalid");
}
