//! A journal in an SQLite file, pruned and read.

use std::sync::Arc;

use payments_core::Client;
use payments_core::ErrorKind::Journal as JournalKind;
use payments_core::journal::{Entry, EntryState, Journal, SqliteJournal, Updated, sql};
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

/// Entries of other references are not read, however many the scope has.
#[test]
fn every_look_up_uses_an_index() {
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let connection = rusqlite::Connection::open(folder.journal()).unwrap();
    let by_id = "sqlite_autoindex_payments_journal_1 (id=?)";
    let by_reference = "payments_journal_lookup (scope=? AND reference=?";
    for (statement, indexes) in [
        (sql::FIND_REFERENCE, &[by_reference, "payments_journal_hash (scope=? AND hash=?)"][..]),
        (sql::FIND_ID, &[by_id]),
        (sql::FIND_OPEN, &["payments_journal_open (scope=? AND id>?)"]),
        (sql::UPDATE, &[by_id]),
        (sql::TAKEN_BY, &[by_id, by_reference]),
    ] {
        let explain = format!("EXPLAIN QUERY PLAN {}", sql::in_dialect(statement, &sql::SQLITE));
        let mut explain = connection.prepare(&explain).unwrap();
        let steps = explain.raw_query().mapped(|row| row.get::<_, String>(3));
        let steps: Vec<_> = steps.map(Result::unwrap).collect();
        let searches = steps.iter().filter_map(|step| step.split_once(" USING INDEX "));
        let found: Vec<_> = searches.map(|(_, index)| index).collect();
        let are_used = found.iter().zip(indexes).all(|(used, index)| used.starts_with(index));
        assert!(are_used && found.len() == indexes.len(), "{steps:?}");
        let scans = steps.iter().filter_map(|step| step.strip_prefix("SCAN "));
        assert!(scans.into_iter().all(|it| ["found", "of_reference"].contains(&it)), "{steps:?}");
    }
}
