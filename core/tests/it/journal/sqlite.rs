//! A journal in an SQLite file.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use payments_core::journal::{Entry, EntryState, Journal, SqliteJournal, Updated};
use payments_core::request::RefundPayment;
use payments_core::{Client, Operation};

use crate::support::calls::{self, error_summary, payment, payout};
use crate::support::folder::Folder;
use crate::support::raw_server::{RawServer, created};
use crate::support::sqlite::{all, context, execute};

#[test]
fn a_configuration_is_enough_to_journal_calls() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    let journal = SqliteJournal::create(folder.journal()).unwrap();
    let text = format!(
        r#"{{"base_url":"{}","integration_key":"k","journal":"file:{}"}}"#,
        server.base_url(),
        folder.journal().display()
    );
    let client = Client::new(payments_core::Config::from_json(text.as_bytes()).unwrap()).unwrap();
    client.create_payment(&payment("order-1")).unwrap();
    client.create_payout(&payout("order-1")).unwrap();
    client.refund_payment(&RefundPayment::by_hash("5f2c").merchant_refund_code("a")).unwrap();
    let entries = all(&journal);
    let operations: Vec<_> = entries.iter().map(|entry| entry.operation).collect();
    let [payment_, payout_, refund_] =
        [Operation::CreatePayment, Operation::CreatePayout, Operation::RefundPayment];
    assert_eq!(operations, [payment_, payout_, refund_]);
    assert!(entries.iter().all(|entry| entry.state == EntryState::Done && entry.version == 2));
    assert!(entries[0].hash.is_some());
    assert_eq!(error_summary(client.create_payment(&payment("order-1"))).1, "already_done");
    assert_eq!(
        error_summary(client.refund_payment(&RefundPayment::by_hash("5f2c"))).1,
        "reference_used"
    );
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
    let states = EntryState::ALL;
    let refund = |amount: Option<&str>, code: Option<&str>| Entry {
        operation: Operation::RefundPayment,
        amount: amount.map(str::to_owned),
        refund_code: code.map(str::to_owned),
        ..template.clone()
    };
    let cancellation =
        |code: &str| Entry { operation: Operation::CancelRefund, ..refund(None, Some(code)) };
    let shapes = [
        cancellation("a"),
        cancellation("b"),
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
            for call in &shapes {
                number += 1;
                let stored = |part: &str, state, entry: &Entry| Entry {
                    id: format!("{number:030}{part}"),
                    state,
                    version: 1,
                    reference: format!("case-{number}"),
                    ..entry.clone()
                };
                let earlier = stored("01", state, earlier);
                let call = stored("03", EntryState::InProgress, call);
                assert!(journal.insert(&context(), &earlier).unwrap());
                let is_inserted = journal.insert(&context(), &call).unwrap();
                let has_no_index = earlier.operation != call.operation;
                let is_refused = earlier.blocks(&call) && !has_no_index;
                assert_eq!(is_inserted, !is_refused, "{earlier:?} {call:?}");
                // The same holds when an entry that failed becomes done.
                let failed = stored("04", EntryState::Failed, &call);
                assert!(journal.insert(&context(), &failed).unwrap());
                let done = Entry { state: EntryState::Done, ..failed };
                let taken_by = [&earlier, &call].into_iter().find(|it| {
                    it.blocks(&done) && done.blocks(it) && (is_inserted || it.id == earlier.id)
                });
                let expected = match taken_by {
                    Some(it) => Updated::TakenBy(it.id.clone()),
                    None => Updated::Changed,
                };
                assert_eq!(journal.update(&context(), &done).unwrap(), expected, "{earlier:?}");
            }
        }
    }
}

#[test]
fn only_one_of_many_calls_with_one_reference_is_sent() {
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

/// No index refuses it: the client looks after its entry is stored.
#[test]
fn a_refund_does_not_begin_while_a_cancellation_is_open() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    let journal = SqliteJournal::create(folder.journal()).unwrap();
    let config = calls::config(&server.base_url()).journal_file(folder.journal());
    let client = Client::new(config).unwrap();
    let refund = |code: &str| {
        let refund = RefundPayment::by_hash("5f2c").amount("1.00".parse().unwrap());
        refund.merchant_refund_code(code)
    };
    let cancellation = || refund("a").operation("cancel");
    client.refund_payment(&refund("a")).unwrap();
    for number in 1..3 {
        client.refund_payment(&cancellation()).unwrap();
        let set = |state| format!("UPDATE payments_journal SET state = '{state}'");
        let last = "WHERE id = (SELECT max(id) FROM payments_journal)";
        execute(&folder.journal(), &format!("{} {last}", set("unknown")));
        for request in [refund("b"), cancellation(), cancellation().refund_id("7")] {
            let refused = error_summary(client.refund_payment(&request));
            assert_eq!(refused.1, "unresolved");
        }
        assert_eq!(server.requests().len(), 1 + number);
        execute(&folder.journal(), &format!("{} WHERE state = 'unknown'", set("done")));
    }
    client.refund_payment(&refund("b")).unwrap();
    let is_failed = |entry: &Entry| entry.state == EntryState::Failed;
    assert_eq!(all(&journal).iter().filter(|it| is_failed(it)).count(), 2);
}
