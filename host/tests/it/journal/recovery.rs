//! Recovery against the sandbox, and decisions of a person.

use std::sync::Arc;
use std::time::Duration;

#[cfg(all(unix, feature = "journal-sqlite"))]
use payments_core::journal::SqliteJournal;
use payments_core::journal::{DecidedBy, Entry, EntryState, Journal as _, Needs};
use payments_core::request::{RawRequest, RefundPayment};
use payments_core::{CallContext, Client, Config, Error, ErrorKind, Operation, Outcome};
use payments_host::commands::{JournalRequest, answer_journal, answer_recovery};
use payments_sandbox::{Fault, FaultKind};

use crate::support::calls::{self, error_summary, payment, payout};
#[cfg(all(unix, feature = "journal-sqlite"))]
use crate::support::folder::Folder;
use crate::support::journal::MemoryJournal;
use crate::support::merchant::{INTEGRATION_KEY, Merchant, NONE};
use crate::support::raw_server::{RawServer, created};
use crate::support::silent::refused_port;

fn journaled(merchant: &Merchant) -> (Client, Arc<MemoryJournal>) {
    let journal = Arc::new(MemoryJournal::default());
    let config = merchant.config(INTEGRATION_KEY).journal(Arc::clone(&journal) as _);
    (Client::new(config).unwrap(), journal)
}

fn lose_the_answer(merchant: &Merchant) {
    let lost = Fault { execute: Some(true), ..Fault::new(FaultKind::Close) };
    merchant.sandbox.script_next([lost]);
}

#[test]
fn a_payment_whose_answer_was_lost_is_found_by_its_reference() {
    let merchant = Merchant::with(NONE);
    let (client, journal) = journaled(&merchant);
    lose_the_answer(&merchant);
    let error = client.create_payment(&payment("order-1")).unwrap_err();
    assert_eq!((error.outcome(), journal.one().state), (Outcome::Unknown, EntryState::Unknown));
    let all = JournalRequest::List { open: true };
    let listed = answer_journal(&client, &all, "payments journal", &client.context()).unwrap().text;
    assert!(listed.contains("Run `payments journal recover` to query"), "{listed}");
    let recovery = payments_host::recover(&client, &client.context()).unwrap();
    assert_eq!((recovery.recovered.len(), recovery.open.len()), (1, 0));
    let text = answer_recovery(&recovery, "payments").text;
    assert!(text.contains("order-1") && text.ends_with("1 recovered, 0 open\n"), "{text}");
    let entry = journal.one();
    assert_eq!((entry.state, entry.decided_by), (EntryState::Done, Some(DecidedBy::Recovery)));
    assert_eq!(entry.hash, merchant.sandbox.payments().pop().map(|it| it.hash));
    assert!(payments_host::recover(&client, &client.context()).unwrap().recovered.is_empty());
}

#[test]
fn a_crash_is_recovered_a_minute_after_the_deadline() {
    let merchant = Merchant::with(NONE);
    let (client, journal) = journaled(&merchant);
    client.create_payment(&payment("order-1")).unwrap();
    journal.change(|entry| entry.state = EntryState::InProgress);
    let open = payments_host::recover(&client, &client.context()).unwrap().open;
    assert_eq!((open.len(), open[0].needs), (1, Needs::Time));
    assert_eq!(open[0].reason, "the call may still be running");
    let error =
        payments_host::journal::resolve(&client, "order-1", true, "seen", &client.context())
            .unwrap_err();
    assert_eq!((error.kind(), error.code().as_str()), (ErrorKind::Validation, "entry_too_early"));
    *journal.ahead.lock().unwrap() = 120_000;
    assert_eq!(payments_host::recover(&client, &client.context()).unwrap().recovered.len(), 1);
}

#[test]
fn an_entry_that_is_not_found_waits_and_needs_a_person() {
    let merchant = Merchant::with(NONE);
    let (client, journal) = journaled(&merchant);
    client.create_payment(&payment("order-1")).unwrap();
    journal.change(|entry| {
        entry.state = EntryState::Unknown;
        entry.reference = "order-2".to_owned();
        entry.hash = None;
    });
    let needs = || payments_host::recover(&client, &client.context()).unwrap().open[0].needs;
    assert_eq!(needs(), Needs::Time);
    *journal.ahead.lock().unwrap() = 20 * 60 * 1000;
    assert_eq!(needs(), Needs::Person);
    assert_eq!(journal.one().state, EntryState::Unknown);
}

#[test]
fn refunds_are_found_by_their_code() {
    let merchant = Merchant::with(NONE);
    let (client, journal) = journaled(&merchant);
    let answer = client.create_payment(&payment("order-1")).unwrap();
    let hash = answer.hash().unwrap().to_owned();
    merchant.sandbox.confirm_payment(&hash).unwrap();
    lose_the_answer(&merchant);
    let refund = RefundPayment::by_hash(&hash)
        .amount("10.00".parse().unwrap())
        .merchant_refund_code("refund-1");
    assert_eq!(client.refund_payment(&refund).unwrap_err().outcome(), Outcome::Unknown);
    assert_eq!(payments_host::recover(&client, &client.context()).unwrap().recovered.len(), 1);
    assert!(journal.all()[1].uid.is_some());
    assert_eq!(error_summary(client.refund_payment(&refund)).1, "already_done");
}

#[test]
fn a_lost_cancellation_is_found_in_the_refunds_of_the_payment() {
    let merchant = Merchant::with(NONE);
    let (client, journal) = journaled(&merchant);
    let answer = client.create_payment(&payment("order-1")).unwrap();
    let hash = answer.hash().unwrap().to_owned();
    merchant.sandbox.confirm_payment(&hash).unwrap();
    client.refund_payment(&RefundPayment::by_hash(&hash).merchant_refund_code("a")).unwrap();
    let cancellation = RefundPayment::by_hash(&hash).operation("cancel").merchant_refund_code("a");
    merchant.sandbox.script_next([Fault::new(FaultKind::Close)]);
    client.refund_payment(&cancellation).unwrap_err();
    let recover = || payments_host::recover(&client, &client.context()).unwrap();
    let open = recover().open;
    assert_eq!((open.len(), open[0].needs), (1, Needs::Time));
    assert!(open[0].reason.starts_with("its refund is not cancelled"), "{}", open[0].reason);
    payments_host::journal::resolve(&client, &open[0].entry.id, true, "asked", &client.context())
        .unwrap();
    lose_the_answer(&merchant);
    client.refund_payment(&cancellation).unwrap_err();
    let recovered = recover().recovered;
    assert_eq!(recovered.len(), 1);
    assert_eq!(recovered[0].operation, Operation::CancelRefund);
    assert_eq!((recovered[0].state, journal.all().len()), (EntryState::Done, 4));
}

#[cfg(all(unix, feature = "journal-sqlite"))]
#[test]
fn a_person_decides_about_payouts_and_the_decision_stays() {
    let merchant = Merchant::with(NONE);
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let client =
        Client::new(merchant.config(INTEGRATION_KEY).journal_file(folder.journal())).unwrap();
    let context = client.context();
    for reference in ["payout-1", "payout-2"] {
        lose_the_answer(&merchant);
        client.create_payout(&payout(reference)).unwrap_err();
    }
    let open = payments_host::recover(&client, &context).unwrap().open;
    assert!(open.len() == 2 && open.iter().all(|it| it.needs == Needs::Time));
    assert!(open.iter().all(|it| it.reason.starts_with("look for it after ")), "{open:?}");
    let resolve = |entry: &str, executed| {
        payments_host::journal::resolve(&client, entry, executed, "seen", &context)
    };
    assert_eq!(error_summary(resolve("payout-3", true)).1, "entry_unknown");
    assert_eq!(
        error_summary(payments_host::journal::resolve(&client, "payout-1", true, " ", &context)).1,
        "required"
    );
    let resolved = resolve("payout-1", true).unwrap();
    assert_eq!((resolved.state, resolved.note.as_deref()), (EntryState::Done, Some("seen")));
    assert_eq!(error_summary(resolve("payout-1", false)).1, "entry_not_open");
    assert_eq!(error_summary(client.create_payout(&payout("payout-1"))).1, "already_done");
    let early = resolve("payout-2", false).unwrap_err();
    assert_eq!(early.code().as_str(), "entry_too_early");
    assert!(early.message().contains("Z (in "), "{early}");
    settle(&folder.journal());
    let open = payments_host::recover(&client, &context).unwrap().open;
    assert_eq!((open.len(), open[0].needs), (1, Needs::Person));
    resolve(&open[0].entry.id, false).unwrap();
    client.create_payout(&payout("payout-2")).unwrap();
    let listed = payments_host::journal::list(&client, false, None, &context).unwrap().entries;
    assert_eq!(listed.len(), 3);
    let after =
        payments_host::journal::list(&client, false, Some(&listed[1].id), &context).unwrap();
    assert_eq!(after.entries.len(), 1);
    assert_eq!(
        payments_host::journal::show(&client, "payout-2", &context).unwrap().entries.len(),
        2
    );
    assert!(
        payments_host::journal::list(&client, true, None, &context).unwrap().entries.is_empty()
    );
}

/// Lets the time pass until a person may say no.
#[cfg(all(unix, feature = "journal-sqlite"))]
fn settle(path: &std::path::Path) {
    let past = "UPDATE payments_journal SET settles_at = 0";
    rusqlite::Connection::open(path).unwrap().execute(past, []).unwrap();
}

#[test]
fn a_person_may_change_their_own_no_to_yes_and_nothing_else() {
    let merchant = Merchant::with(NONE);
    let (client, journal) = journaled(&merchant);
    let resolve = |executed| {
        payments_host::journal::resolve(&client, "payout-1", executed, "seen", &client.context())
    };
    client.create_payout(&payout("payout-1")).unwrap();
    for executed in [true, false] {
        assert_eq!(error_summary(resolve(executed)).1, "entry_not_open", "its call decided");
    }
    journal.change(|entry| entry.state = EntryState::Unknown);
    *journal.ahead.lock().unwrap() = 3_600_000;
    resolve(false).unwrap();
    assert_eq!(error_summary(resolve(false)).1, "entry_not_open");
    assert_eq!(resolve(true).unwrap().state, EntryState::Done);
    assert_eq!(error_summary(resolve(false)).1, "entry_not_open");
    // Another call has taken the reference after the no.
    journal.change(|entry| entry.state = EntryState::Failed);
    client.create_payout(&payout("payout-1")).unwrap();
    let taken = resolve(true).unwrap();
    assert_eq!(taken.state, EntryState::Failed);
    assert_eq!(taken.rival, Some(journal.all()[1].id.clone()));
}

#[test]
fn a_no_waits_for_settle_after_and_at_least_a_minute() {
    for (settle_after, seconds) in [(0, 60), (60_000, 60), (120_000, 120), (86_400_000, 86_400)] {
        let journal = Arc::new(MemoryJournal::default());
        let server = RawServer::responding(created());
        let config = calls::config(&server.base_url()).journal(Arc::clone(&journal) as _);
        let config = config.settle_after(Duration::from_millis(settle_after));
        Client::new(config).unwrap().create_payment(&payment("order-1")).unwrap();
        let entry = journal.one();
        assert_eq!(entry.settles_at, entry.deadline_at + seconds * 1000);
    }
    let config =
        calls::config("http://127.0.0.1:1").settle_after(Duration::from_millis(86_400_001));
    assert_eq!(Client::new(config).unwrap_err().path(), Some("settle_after_ms"));
}

#[test]
fn a_recovery_stops_querying_a_service_that_is_down() {
    let server = RawServer::responding(created());
    let journal = Arc::new(MemoryJournal::default());
    let config = |url: &str| calls::config(url).journal(Arc::clone(&journal) as _);
    let client = Client::new(config(&server.base_url())).unwrap();
    for number in 0..8 {
        client.create_payment(&payment(&format!("order-{number}"))).unwrap();
        journal.change(|entry| entry.state = EntryState::Unknown);
    }
    let down = format!("http://127.0.0.1:{}", refused_port());
    let client = Client::new(config(&down).query_retries(0)).unwrap();
    let open = payments_host::recover(&client, &client.context()).unwrap().open;
    assert!(open.iter().all(|it| it.needs == Needs::Query), "{open:?}");
    let queried = open.iter().filter(|it| it.reason.starts_with("the query failed"));
    assert_eq!((open.len(), queried.count()), (8, 3));
}

#[cfg(all(unix, feature = "journal-sqlite"))]
#[test]
fn one_recovery_of_a_file_runs_at_a_time() {
    let merchant = Merchant::with(NONE);
    let folder = Folder::new();
    SqliteJournal::create(folder.journal()).unwrap();
    let client =
        Client::new(merchant.config(INTEGRATION_KEY).journal_file(folder.journal())).unwrap();
    let context = client.context();
    let running = payments_host::recovery::begin(&client, &context).unwrap();
    let second = payments_host::recover(&client, &context).unwrap_err();
    assert_eq!((second.kind(), second.code().as_str()), (ErrorKind::Journal, "already_running"));
    let holder = format!("process {} on ", std::process::id());
    assert!(second.message().starts_with(&holder), "{second}");
    running.end();
    payments_host::recover(&client, &context).unwrap();
}

#[test]
fn a_decision_about_one_entry_never_goes_to_another() {
    let merchant = Merchant::with(NONE);
    let (client, journal) = journaled(&merchant);
    client.create_payout(&payout("payout-1")).unwrap();
    journal.change(|entry| entry.state = EntryState::Unknown);
    *journal.ahead.lock().unwrap() = 3_600_000;
    let others = Arc::clone(&journal);
    *journal.before_update.lock().unwrap() = Some(Box::new(move || {
        let mut entries = others.entries.lock().unwrap();
        if entries.len() == 1 {
            // Somebody else resolves it, and the reference is used again.
            let next = Entry { id: "f".repeat(32), ..entries[0].clone() };
            entries[0].state = EntryState::Failed;
            entries[0].version += 1;
            entries.push(next);
        }
        Ok(())
    }));
    let resolved =
        payments_host::journal::resolve(&client, "payout-1", true, "seen", &client.context());
    assert_eq!(error_summary(resolved).1, "entry_not_open");
    assert_eq!(journal.all()[1].state, EntryState::Unknown);
}

#[test]
fn an_entry_of_another_scope_is_left_alone() {
    let merchant = Merchant::with(NONE);
    let (client, journal) = journaled(&merchant);
    client.create_payment(&payment("order-1")).unwrap();
    journal.change(|entry| entry.state = EntryState::Unknown);
    let config = merchant.config(INTEGRATION_KEY).journal(Arc::clone(&journal) as _);
    let other = Client::new(config.journal_scope("other")).unwrap();
    let recovery = payments_host::recover(&other, &other.context()).unwrap();
    assert!(recovery.recovered.is_empty() && recovery.open.is_empty());
    other.create_payment(&payment("order-1")).unwrap_err();
    assert_eq!(journal.all()[0].state, EntryState::Unknown);
    let context = client.context();
    let filter = payments_core::journal::Filter::of_scope("other");
    assert_eq!(journal.find(&context, &filter).unwrap().entries.len(), 1);
}

#[test]
fn without_a_journal_there_is_nothing_to_recover() {
    let client = Client::new(calls::config("http://127.0.0.1:1")).unwrap();
    let error = payments_host::recover(&client, &client.context()).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some("journal")));
}

#[test]
fn an_earlier_call_is_found_among_thousands_that_failed() {
    let merchant = Merchant::with(NONE);
    let (client, journal) = journaled(&merchant);
    client.create_payment(&payment("order-1")).unwrap();
    let done = journal.one();
    // Their ids are smaller, so they come first.
    let failed = |id| Entry { id: format!("{id:032x}"), state: EntryState::Failed, ..done.clone() };
    journal.entries.lock().unwrap().extend((1..=2_000_u32).map(failed));
    let refused = error_summary(client.create_payment(&payment("order-1")));
    assert_eq!(refused, (ErrorKind::Journal, "already_done", Outcome::Executed));
    assert_eq!(
        payments_host::journal::show(&client, "order-1", &client.context()).unwrap().entries.len(),
        2_001
    );
    journal.entries.lock().unwrap()[0].state = EntryState::Unknown;
    let resolved =
        payments_host::journal::resolve(&client, "order-1", true, "seen", &client.context())
            .unwrap();
    assert_eq!(resolved.id, done.id);
}

/// How the call of a test ends.
#[derive(Clone, Copy, PartialEq, Debug)]
enum End {
    Done,
    /// The answer was lost.
    Lost,
    /// The process died before it recorded the end.
    Crashed,
}

#[test]
fn a_clock_that_jumps_during_a_call_lets_nothing_be_paid_twice() {
    const DAY: u64 = 86_400_000;
    for (before, after) in [(0, DAY), (DAY, 0)] {
        for (end, refused, recovered) in [
            (End::Done, "already_done", 0),
            (End::Lost, "unresolved", 1),
            // No time says that this call still runs.
            (End::Crashed, "unresolved", 1),
        ] {
            let merchant = Merchant::with(NONE);
            let (client, journal) = journaled(&merchant);
            *journal.ahead.lock().unwrap() = before;
            let jumping = Arc::clone(&journal);
            *journal.before_update.lock().unwrap() = Some(Box::new(move || {
                *jumping.ahead.lock().unwrap() = after;
                Ok(())
            }));
            if end == End::Lost {
                lose_the_answer(&merchant);
            }
            let _ = client.create_payment(&payment("order-1"));
            *journal.before_update.lock().unwrap() = None;
            if end == End::Crashed {
                journal.change(|entry| {
                    (entry.state, entry.decided_by, entry.hash) =
                        (EntryState::InProgress, None, None);
                });
            }
            let again = error_summary(client.create_payment(&payment("order-1")));
            let outcome = if end == End::Done { Outcome::Executed } else { Outcome::Unknown };
            assert_eq!(again, (ErrorKind::Journal, refused, outcome), "{end:?}");
            let found = payments_host::recover(&client, &client.context()).unwrap().recovered;
            assert_eq!(found.len() as u64, recovered, "{end:?}");
            assert!(client.create_payment(&payment("order-1")).is_err());
            assert_eq!(merchant.sandbox.payments().len(), 1, "{end:?}");
        }
    }
}

#[test]
fn an_entry_of_a_clock_that_was_ahead_is_settled_at_once() {
    const AHEAD: u64 = 10 * 86_400_000;
    type Settle = fn(&Client, &CallContext);
    let ways: [(DecidedBy, Settle); 3] = [
        (DecidedBy::Recovery, |client, context| {
            assert_eq!(payments_host::recover(client, context).unwrap().recovered.len(), 1);
        }),
        (DecidedBy::Recovery, |client, context| {
            payments_host::ensure_payment(client, &payment("order-1"), context).unwrap();
        }),
        (DecidedBy::Person, |client, context| {
            payments_host::journal::resolve(client, "order-1", true, "seen", context).unwrap();
        }),
    ];
    for (by, settle) in ways {
        let merchant = Merchant::with(NONE);
        let (client, journal) = journaled(&merchant);
        *journal.ahead.lock().unwrap() = AHEAD;
        client.create_payment(&payment("order-1")).unwrap();
        journal.change(|entry| {
            (entry.state, entry.decided_by, entry.hash) = (EntryState::InProgress, None, None);
        });
        *journal.ahead.lock().unwrap() = 0;
        let context = client.context();
        let no = payments_host::journal::resolve(&client, "order-1", false, "not there", &context);
        assert_eq!(error_summary(no).1, "entry_too_early");
        settle(&client, &context);
        let entry = journal.one();
        assert_eq!((entry.state, entry.decided_by), (EntryState::Done, Some(by)));
        assert_eq!(merchant.sandbox.payments().len(), 1);
    }
}

#[test]
fn a_client_without_credentials_works_with_its_journal() {
    let merchant = Merchant::with(NONE);
    let journal = Arc::new(MemoryJournal::default());
    let with = |config: Config| Client::new(config.journal(Arc::clone(&journal) as _)).unwrap();
    with(merchant.config(INTEGRATION_KEY)).create_payment(&payment("order-1")).unwrap();
    journal.change(|entry| entry.state = EntryState::Unknown);
    *journal.ahead.lock().unwrap() = 20 * 60 * 1000;
    let client = with(merchant.config(NONE));
    let before = merchant.calls().len();
    let with_path = |error: Error| {
        let path = error.path().map(str::to_owned);
        (error.kind(), error.code().as_str(), path, error.outcome())
    };
    let refused = (
        ErrorKind::Config,
        "credential_missing",
        Some("key_file".to_owned()),
        Outcome::NotExecuted,
    );
    assert_eq!(with_path(client.create_payment(&payment("order-2")).unwrap_err()), refused);
    assert_eq!(
        with_path(client.send(&RawRequest::new("POST", "/ws/any").body("{}")).unwrap_err()),
        refused
    );
    let prepared = client.prepare(&payment("order-2"), &client.context());
    assert_eq!(with_path(prepared.unwrap_err()), refused);
    // The refused calls left no entry.
    let entries =
        payments_host::journal::list(&client, true, None, &client.context()).unwrap().entries;
    assert_eq!(entries.len(), 1);
    let open = payments_host::recover(&client, &client.context()).unwrap().open;
    assert_eq!((open.len(), open[0].needs), (1, Needs::Query));
    assert!(open[0].reason.contains("no credential"), "{}", open[0].reason);
    assert_eq!(merchant.calls().len(), before);
    let entry =
        payments_host::journal::resolve(&client, "order-1", true, "seen", &client.context())
            .unwrap();
    assert_eq!((entry.state, journal.all().len()), (EntryState::Done, 1));
    let later = u64::MAX / 2;
    assert_eq!(
        payments_host::journal::prune(&client, later, true, false, &client.context()).unwrap().done,
        1
    );
}
