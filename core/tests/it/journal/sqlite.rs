//! A journal in an SQLite file.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::time::Duration;

use payments_core::journal::{Entry, Filter, Journal, SqliteJournal, State};
use payments_core::operations::RefundPayment;
use payments_core::{CallContext, Client, Operation};

use crate::support::calls::{self, payment, payout, told};
use crate::support::journal::{Folder, MemoryJournal};
use crate::support::raw_server::{RawServer, created};

fn context() -> CallContext {
    CallContext::with_timeout(Duration::from_secs(60))
}

fn all(journal: &SqliteJournal) -> Vec<Entry> {
    journal.find(&context(), &Filter::of_scope("127.0.0.1")).unwrap().entries
}

#[test]
fn a_configuration_is_enough_to_journal_calls() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    let journal = SqliteJournal::create(folder.journal()).unwrap();
    let text = format!(
        r#"{{"base_url":"{}","environment":"sandbox","journal":"file:{}"}}"#,
        server.base_url(),
        folder.journal().display()
    );
    let client = Client::new(payments_core::Config::from_json(text.as_bytes()).unwrap()).unwrap();
    client.create_payment(&payment("order-1")).unwrap();
    client.create_payout(&payout("order-1")).unwrap();
    client.refund_payment(&RefundPayment::new("5f2c").merchant_refund_code("a")).unwrap();
    let entries = all(&journal);
    let operations: Vec<_> = entries.iter().map(|entry| entry.operation).collect();
    let [payment_, payout_, refund_] =
        [Operation::CreatePayment, Operation::CreatePayout, Operation::RefundPayment];
    assert_eq!(operations, [payment_, payout_, refund_]);
    assert!(entries.iter().all(|entry| entry.state == State::Done && entry.version == 2));
    assert!(entries[0].hash.is_some());
    assert_eq!(told(client.create_payment(&payment("order-1"))).1, "already_done");
    assert_eq!(told(client.refund_payment(&RefundPayment::new("5f2c"))).1, "already_done");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn the_files_are_for_their_user_alone() {
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder.path()), 0o700);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
}

#[test]
fn the_indexes_decide_as_the_rules_say() {
    let folder = Folder::new();
    let journal = SqliteJournal::create(folder.journal()).unwrap();
    let server = RawServer::responding(created());
    let client = Client::new(calls::config(&server.base_url()).journal_file(folder.journal()));
    client.unwrap().create_payment(&payment("order-1")).unwrap();
    let template = all(&journal).remove(0);
    let states = State::ALL;
    let refund = |amount: Option<&str>, code: Option<&str>| Entry {
        operation: Operation::RefundPayment,
        amount: amount.map(str::to_owned),
        refund_code: code.map(str::to_owned),
        ..template.clone()
    };
    let shapes = [
        template.clone(),
        Entry { operation: Operation::Send, amount: None, ..template.clone() },
        refund(None, None),
        refund(None, Some("a")),
        refund(Some("1"), None),
        refund(Some("1"), Some("a")),
        refund(Some("2"), Some("b")),
    ];
    let mut number = 0;
    for earlier in &shapes {
        for state in states {
            for is_superseded in [false, true] {
                for call in &shapes {
                    number += 1;
                    let reference = format!("case-{number}");
                    let id = |part: &str| format!("{number:030}{part}");
                    let stored = |id, state, entry: &Entry| Entry {
                        id,
                        state,
                        reference: reference.clone(),
                        ..entry.clone()
                    };
                    let mut earlier = stored(id("01"), state, earlier);
                    let call = stored(id("03"), State::InProgress, call);
                    assert!(journal.insert(&context(), &earlier, &[]).unwrap());
                    if is_superseded {
                        let later = stored(id("02"), State::Failed, &earlier);
                        let superseded = std::slice::from_ref(&earlier);
                        assert!(journal.insert(&context(), &later, superseded).unwrap());
                        earlier.superseded_by = Some(later.id);
                    }
                    let is_inserted = journal.insert(&context(), &call, &[]).unwrap();
                    assert_eq!(is_inserted, !earlier.blocks(&call), "{earlier:?} {call:?}");
                }
            }
        }
    }
}

#[test]
fn of_many_calls_with_one_reference_one_is_sent() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    let journal = SqliteJournal::create(folder.journal()).unwrap();
    let clients: Vec<_> = (0..4)
        .map(|_| Client::new(calls::config(&server.base_url()).journal_file(folder.journal())))
        .map(Result::unwrap)
        .collect();
    std::thread::scope(|scope| {
        for number in 0..16 {
            let client = &clients[number % 4];
            scope.spawn(move || {
                for reference in ["order-1", "order-2"] {
                    let _ = client.create_payment(&payment(reference));
                }
            });
        }
    });
    assert_eq!(server.requests().len(), 2);
    assert_eq!(all(&journal).len(), 2);
}

#[test]
fn entries_are_superseded_in_the_transaction_of_the_next_one() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    let journal = SqliteJournal::create(folder.journal()).unwrap();
    let config = calls::config(&server.base_url()).journal_file(folder.journal());
    let client = Client::new(config.timeout(Duration::from_millis(1_500))).unwrap();
    client.create_payment(&payment("order-1")).unwrap();
    let earlier = all(&journal).remove(0);
    let next = Entry { id: "f".repeat(32), version: 1, ..earlier.clone() };
    let stale = Entry { version: 1, ..earlier.clone() };
    assert!(!journal.insert(&context(), &next, &[stale]).unwrap(), "it changed meanwhile");
    assert!(journal.insert(&context(), &next, &[earlier]).unwrap());
    let entries = all(&journal);
    assert_eq!(entries[0].superseded_by.as_ref(), Some(&entries[1].id));
}

/// An entry as a call begins it.
fn begun(number: u32) -> Entry {
    let server = RawServer::responding(created());
    let journal = Arc::new(MemoryJournal::default());
    let config = calls::config(&server.base_url()).journal(Arc::clone(&journal) as _);
    Client::new(config).unwrap().create_payment(&payment("order-1")).unwrap();
    let id = format!("{number:032x}");
    Entry { id, version: 1, state: State::InProgress, decided_by: None, ..journal.one() }
}

#[test]
fn what_a_failed_entry_superseded_is_back_in_force() {
    let folder = Folder::new();
    let sqlite = SqliteJournal::create(folder.journal()).unwrap();
    let journals: [&dyn Journal; 2] = [&sqlite, &MemoryJournal::default()];
    for journal in journals {
        let [first, second, third, next] = [1, 2, 3, 4].map(begun);
        let stored = || {
            let entries = journal.find(&context(), &Filter::of_scope("127.0.0.1")).unwrap().entries;
            <[Entry; 3]>::try_from(entries).unwrap()
        };
        let insert = |entry: &Entry, superseded: &[Entry]| {
            assert!(journal.insert(&context(), entry, superseded).unwrap());
        };
        let end = |entry: &Entry, state| {
            let ended = Entry { state, ..entry.clone() };
            assert!(journal.update(&context(), &ended).unwrap());
            Entry { version: entry.version + 1, ..ended }
        };
        insert(&first, &[]);
        insert(&second, &[end(&first, State::Unknown)]);
        insert(&third, std::slice::from_ref(&second));
        // It ends late.
        end(&stored()[1], State::Failed);
        let by = Some(third.id.clone());
        assert_eq!(stored().map(|entry| entry.superseded_by), [by.clone(), by, None]);
        assert_eq!(stored().map(|entry| entry.version), [4, 3, 1]);
        end(&third, State::Failed);
        assert_eq!(stored().map(|entry| entry.superseded_by), [None, None, None]);
        assert!(!journal.insert(&context(), &next, &[]).unwrap());
        let open = Filter { is_open: true, ..Filter::of_scope("127.0.0.1") };
        let open = journal.find(&context(), &open).unwrap().entries;
        assert_eq!(open.iter().map(|entry| &entry.id).collect::<Vec<_>>(), [&first.id]);
    }
}

#[test]
fn only_old_entries_that_are_not_open_are_deleted() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    let journal = SqliteJournal::create(folder.journal()).unwrap();
    let config = calls::config(&server.base_url()).journal_file(folder.journal());
    let client = Client::new(config).unwrap();
    for reference in ["order-1", "order-3"] {
        client.create_payment(&payment(reference)).unwrap();
        std::thread::sleep(Duration::from_millis(2));
    }
    let done = all(&journal).remove(0);
    let open = Entry {
        id: "f".repeat(32),
        reference: "order-2".to_owned(),
        state: State::Unknown,
        ..done
    };
    assert!(journal.insert(&context(), &open, &[]).unwrap());
    let prune = |age| journal.prune(&context(), "127.0.0.1", age).unwrap();
    assert_eq!(prune(Duration::from_secs(3600)), 0);
    // The newest call that is done tells how far the clock is right.
    assert_eq!((prune(Duration::ZERO), prune(Duration::ZERO)), (1, 0));
    let left = all(&journal).into_iter().map(|entry| entry.reference);
    assert_eq!(left.collect::<Vec<_>>(), ["order-3", "order-2"]);
}

#[test]
fn the_log_stays_short() {
    let folder = Folder::new();
    let journal = Arc::new(SqliteJournal::create(folder.journal()).unwrap());
    let server = RawServer::responding(created());
    let config = calls::config(&server.base_url()).journal_file(folder.journal());
    let client = Client::new(config).unwrap();
    for number in 0..120 {
        client.create_payout(&payout(&format!("payout-{number}"))).unwrap();
    }
    let log = folder.path().join("journal.db-wal").metadata().unwrap().len();
    assert!(log < 1024 * 1024, "{log}");
    assert_eq!(all(&journal).len(), 120);
}
