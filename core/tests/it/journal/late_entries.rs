//! Entries of calls that sent nothing, which the journal has only later.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use payments_core::ErrorKind::Journal as JournalKind;
use payments_core::Outcome::{Executed, NotExecuted};
use payments_core::journal::{DecidedBy, Entry, EntryState, JournalError};

use crate::support::calls::{brief, error_summary, payment, payout};
use crate::support::journaled::{FAILED, journaled, state_of, watched};
use crate::support::raw_server::{RawServer, created};

#[test]
fn a_late_entry_is_marked_as_failed_at_the_next_use() {
    let server = RawServer::responding(created());
    let (client, journal, reasons) = watched(&server.base_url());
    *journal.commits_late.lock().unwrap() = true;
    let error = client.create_payout(&payout("payout-1")).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (JournalKind, NotExecuted));
    for part in ["nothing was sent; its entry ", " block the reference until this process uses "] {
        assert!(error.message().contains(part), "{error}");
    }
    *journal.commits_late.lock().unwrap() = false;
    // The first use is before it appears.
    client.create_payout(&payout("payout-2")).unwrap();
    journal.land();
    let entry = journal.all().into_iter().find(|it| it.reference == "payout-1").unwrap();
    let until = payments_base::utc::iso_8601(entry.settles_at);
    assert!(error.message().contains(&entry.id) && error.message().contains(&until), "{error}");
    client.create_payout(&payout("payout-3")).unwrap();
    assert_eq!(state_of(&journal.all(), "payout-1"), FAILED);
    client.create_payout(&payout("payout-1")).unwrap();
    assert_eq!(server.requests().len(), 3);
    assert!(reasons.lock().unwrap().is_empty(), "{reasons:?}");
}

#[test]
fn a_late_entry_does_not_block_its_reference() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    *journal.commits_late.lock().unwrap() = true;
    assert_eq!(error_summary(client.create_payout(&payout("payout-1"))).0, JournalKind);
    *journal.commits_late.lock().unwrap() = false;
    let landing = Arc::clone(&journal);
    *journal.before_insert.lock().unwrap() = Some(Box::new(move || {
        landing.land();
        Ok(())
    }));
    client.create_payout(&payout("payout-1")).unwrap();
    let states: Vec<_> = journal.all().iter().map(|entry| entry.state).collect();
    assert_eq!(states, [EntryState::Failed, EntryState::Done]);
}

#[test]
fn only_the_entry_of_the_call_itself_is_failed() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    *journal.commits_late.lock().unwrap() = true;
    assert_eq!(error_summary(client.create_payout(&payout("payout-1"))).0, JournalKind);
    *journal.commits_late.lock().unwrap() = false;
    // Another process has the reference meanwhile.
    journal.land();
    journal.change(|entry| entry.id = "f".repeat(32));
    let error = client.create_payout(&payout("payout-1")).unwrap_err();
    assert_eq!(error.code().as_str(), "in_progress");
    assert_eq!(journal.one().state, EntryState::InProgress);
    assert!(server.requests().is_empty());
}

#[test]
fn a_decision_made_in_the_meantime_stays() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    *journal.commits_late.lock().unwrap() = true;
    assert_eq!(error_summary(client.create_payout(&payout("payout-1"))).0, JournalKind);
    *journal.commits_late.lock().unwrap() = false;
    journal.land();
    journal.change(|entry| {
        (entry.state, entry.decided_by) = (EntryState::Done, Some(DecidedBy::Person));
        entry.version += 1;
    });
    assert_eq!(error_summary(client.create_payout(&payout("payout-1"))).1, "already_done");
    assert_eq!(state_of(&journal.all(), "payout-1"), (EntryState::Done, Some(DecidedBy::Person)));
    assert!(server.requests().is_empty());
}

#[test]
fn an_end_is_recorded_when_the_journal_is_back() {
    let server = RawServer::responding(created());
    let (client, journal, reasons) = watched(&server.base_url());
    let down = || Err(JournalError::new("down"));
    *journal.after_insert.lock().unwrap() = Some(Box::new(down));
    *journal.before_update.lock().unwrap() = Some(Box::new(down));
    let error = client.execute(&payment("order-1"), &brief()).unwrap_err();
    assert!(error.message().starts_with("down; nothing was sent; its entry "), "{error}");
    assert_eq!(*reasons.lock().unwrap(), ["down"]);
    assert_eq!(journal.one().state, EntryState::InProgress);
    *journal.after_insert.lock().unwrap() = None;
    *journal.before_update.lock().unwrap() = None;
    client.create_payment(&payment("order-1")).unwrap();
    let states: Vec<_> = journal.all().iter().map(|entry| entry.state).collect();
    assert_eq!(states, [EntryState::Failed, EntryState::Done]);
}

#[test]
fn a_call_executed_without_the_journal_is_recorded_later() {
    let server = RawServer::responding(created());
    let (client, journal, reasons) = watched(&server.base_url());
    *journal.before_update.lock().unwrap() = Some(Box::new(|| Err(JournalError::new("down"))));
    client.execute(&payment("order-1"), &brief()).unwrap();
    assert_eq!(journal.one().state, EntryState::InProgress);
    assert_eq!(*reasons.lock().unwrap(), ["down"]);
    *journal.before_update.lock().unwrap() = None;
    let again = error_summary(client.create_payment(&payment("order-1")));
    assert_eq!((again.1, again.2), ("already_done", Executed));
    let entry = journal.one();
    assert_eq!((entry.state, entry.decided_by), (EntryState::Done, Some(DecidedBy::Call)));
    assert!(entry.hash.is_some());
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn ends_are_recorded_page_by_page_up_to_the_last() {
    for (between, pages) in [(0, 1), (997, 1), (998, 1), (999, 2)] {
        let server = RawServer::responding(created());
        let (client, journal) = journaled(&server.base_url());
        *journal.commits_late.lock().unwrap() = true;
        for reference in ["payout-1", "payout-2"] {
            assert_eq!(error_summary(client.create_payout(&payout(reference))).0, JournalKind);
        }
        *journal.commits_late.lock().unwrap() = false;
        journal.land();
        // Open entries of other processes between the two.
        let first = journal.all().into_iter().find(|it| it.reference == "payout-1").unwrap();
        let number = u128::from_str_radix(&first.id, 16).unwrap();
        let others = (1..=between).map(|at| {
            let (id, reference) = (format!("{:032x}", number + at), format!("other-{at}"));
            Entry { id, reference, ..first.clone() }
        });
        journal.entries.lock().unwrap().extend(others);
        let finds = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&finds);
        *journal.before_find.lock().unwrap() = Some(Box::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }));
        client.create_payout(&payout("payout-3")).unwrap();
        let with_ends = finds.swap(0, Ordering::Relaxed);
        client.create_payout(&payout("payout-4")).unwrap();
        let without = finds.swap(0, Ordering::Relaxed);
        assert_eq!(with_ends - without, pages, "{between} entries between");
        for reference in ["payout-1", "payout-2"] {
            assert_eq!(state_of(&journal.all(), reference), FAILED);
        }
    }
}
