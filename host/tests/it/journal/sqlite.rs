//! A journal in an SQLite file, pruned and read.

use std::sync::Arc;

use payments_core::Client;
use payments_core::ErrorKind::Journal as JournalKind;
use payments_core::journal::{Entry, EntryState, Journal, SqliteJournal, Updated};
use payments_host::journal::Pruned;

use super::sqlite_copies::client;
use crate::support::calls::{self, error_summary, payment};
use crate::support::folder::Folder;
use crate::support::journal::MemoryJournal;
use crate::support::raw_server::{RawServer, created};
use crate::support::sqlite::{all, context, execute};

/// An entry as a call begins it.
fn begun() -> Entry {
    let server = RawServer::responding(created());
    let journal = Arc::new(MemoryJournal::default());
    let config = calls::config(&server.base_url()).journal(Arc::clone(&journal) as _);
    Client::new(config).unwrap().create_payment(&payment("order-1")).unwrap();
    Entry { version: 1, state: EntryState::InProgress, decided_by: None, ..journal.one() }
}

#[test]
fn only_old_entries_that_are_not_open_are_deleted_on_demand() {
    const DAY: u64 = 86_400_000;
    let server = RawServer::responding(created());
    let folder = Folder::new();
    let journal = SqliteJournal::create(folder.journal()).unwrap();
    let config = calls::config(&server.base_url()).journal_file(folder.journal());
    let client = Client::new(config).unwrap();
    let begun = begun();
    for reference in 0..1_200 {
        let entry = Entry {
            id: format!("{reference:032x}"),
            reference: reference.to_string(),
            ..begun.clone()
        };
        assert!(journal.insert(&context(), &Entry { state: EntryState::Done, ..entry }).unwrap());
    }
    let open = Entry { id: "e".repeat(32), reference: "open".to_owned(), ..begun.clone() };
    let rival = Entry { id: "f".repeat(32), reference: "rival".to_owned(), ..begun };
    for entry in [&open, &rival] {
        assert!(journal.insert(&context(), entry).unwrap());
    }
    let named = Entry { state: EntryState::Failed, rival: Some(open.id.clone()), ..rival };
    assert_eq!(journal.update(&context(), &named).unwrap(), Updated::Changed);
    let now = journal.count(&context(), "127.0.0.1", 0).unwrap().now;
    let prune = |before, recent, dry_run| {
        payments_host::journal::prune(&client, before, recent, dry_run, &client.context())
    };
    let counted = prune(now + DAY, false, true).unwrap();
    assert_eq!((counted.done, counted.failed, counted.open), (1_200, 0, 2));
    assert_eq!(all(&journal).len(), 1_000, "a page");
    assert_eq!(error_summary(prune(now, false, false)).1, "not_confirmed");
    assert_eq!(error_summary(prune(now - 29 * DAY, false, false)).1, "not_confirmed");
    assert_eq!(prune(now - 31 * DAY, false, false).unwrap().done, 0);
    assert_eq!(prune(now + DAY, true, false).unwrap(), Pruned { is_dry_run: false, ..counted });
    let left = all(&journal).into_iter().map(|entry| entry.reference);
    assert_eq!(left.collect::<Vec<_>>(), ["open", "rival"]);
}

#[test]
fn an_entry_with_an_unknown_word_is_unreadable() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let client = client(&server, &folder.journal());
    client.create_payment(&payment("order-1")).unwrap();
    execute(
        &folder.journal(),
        "PRAGMA ignore_check_constraints = 1; UPDATE payments_journal SET decided_by = 'nobody'",
    );
    assert_eq!(
        error_summary(payments_host::journal::list(&client, false, None, &client.context())).0,
        JournalKind
    );
}
