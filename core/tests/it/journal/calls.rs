//! What a call writes to its journal, and when the journal refuses a call.

use std::sync::Arc;
use std::time::Duration;

use payments_core::ErrorKind::{Journal as JournalKind, Timeout};
use payments_core::Outcome::{NotExecuted, Unknown};
use payments_core::journal::{DecidedBy, JournalError, State};
use payments_core::json::Json;
use payments_core::observer::Event;
use payments_core::operations::{QueryPayment, RefundPayment, Send};
use payments_core::{CallContext, CancelHandle, Client};

use crate::support::calls::{self, payment, payout, told};
use crate::support::journal::MemoryJournal;
use crate::support::raw_server::{RawServer, created, response};
use crate::support::silent::{Mute, refused_port};

fn journaled(base_url: &str) -> (Client, Arc<MemoryJournal>) {
    let journal = Arc::new(MemoryJournal::default());
    let config = calls::config(base_url).journal(Arc::clone(&journal) as _);
    (Client::new(config).unwrap(), journal)
}

#[test]
fn a_payment_is_in_the_journal_before_it_is_sent_and_done_afterwards() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    client.create_payment(&payment("order-1")).unwrap();
    let entry = journal.one();
    assert_eq!((entry.state, entry.decided_by), (State::Done, Some(DecidedBy::Call)));
    assert_eq!((&*entry.scope, entry.operation.name()), ("127.0.0.1", "create_payment"));
    assert_eq!((&*entry.reference, entry.amount.as_deref()), ("order-1", Some("100.10")));
    assert_eq!((entry.currency.as_deref(), entry.body_sha256.len()), (Some("BRL"), 64));
    assert!(entry.hash.is_some() && entry.kind.is_none());
    assert!(entry.deadline_at > entry.created_at && entry.ended_at.is_some());
    let text = entry.to_json().to_text();
    for secret in ["Maria", "maria@example.com", "853.513", "key-1"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn the_entry_says_how_the_call_ended() {
    for (response, state, code) in [
        (response("400 No", "", "{}"), State::Failed, "refused"),
        (response("401 No", "", "{}"), State::Failed, "unauthorized"),
        (response("429 No", "", "{}"), State::Failed, "rate_limited"),
        (response("500 No", "", "{}"), State::Unknown, "failed"),
        (b"SSH-2.0\r\n\r\n".to_vec(), State::Unknown, "not_http"),
    ] {
        let server = RawServer::responding(response);
        let (client, journal) = journaled(&server.base_url());
        let error = client.create_payment(&payment("order-1")).unwrap_err();
        let entry = journal.one();
        assert_eq!((entry.state, entry.code.as_deref()), (state, Some(code)));
        assert_eq!(entry.kind.as_deref(), Some(error.kind().as_str()));
    }
    let (client, journal) = journaled(&format!("http://127.0.0.1:{}", refused_port()));
    assert_eq!(client.create_payment(&payment("order-1")).unwrap_err().outcome(), NotExecuted);
    assert_eq!(journal.one().state, State::Failed, "one entry for all attempts");
}

#[test]
fn only_what_moves_money_under_a_reference_is_journaled() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    client.query_payment(&QueryPayment::by_hash("5f2c")).unwrap();
    let _ = client.register_tracking(&calls::tracking());
    client.prepare(&payment("order-1"), &client.context()).unwrap();
    client.send(&Send::new("POST", "/ws/transfer").body("{}")).unwrap();
    assert!(client.create_payment(&payment("")).is_err());
    assert!(journal.all().is_empty());
    client.send(&Send::new("POST", "/ws/transfer").body("{}").reference("t-1")).unwrap();
    assert_eq!((&*journal.one().reference, journal.one().state), ("t-1", State::Done));
}

#[test]
fn a_reference_is_refused_while_an_earlier_call_counts() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    client.create_payment(&payment("order-1")).unwrap();
    client.create_payout(&payout("order-1")).unwrap();
    let sent = server.requests().len();
    for (state, code) in [
        (State::Done, "already_done"),
        (State::Unknown, "unresolved"),
        (State::InProgress, "in_progress"),
    ] {
        journal.change(|entry| entry.state = state);
        let error = client.create_payout(&payout("order-1")).unwrap_err();
        assert_eq!((error.kind(), error.code(), error.outcome()), (JournalKind, code, Unknown));
        assert_eq!(error.reference(), Some("order-1"));
        let entry = error.journal_entry().unwrap();
        assert_eq!(entry.get("state").and_then(Json::as_str), Some(state.as_str()));
        assert_eq!(entry.get("has_same_body").and_then(Json::as_bool), Some(true));
        assert!(error.to_json().get("journal_entry").unwrap().get("id").is_some());
    }
    *journal.ahead.lock().unwrap() = 3_600_000;
    assert_eq!(told(client.create_payout(&payout("order-1"))).1, "unresolved", "abandoned");
    assert_eq!(server.requests().len(), sent);
    journal.change(|entry| entry.state = State::Failed);
    client.create_payout(&payout("order-1")).unwrap();
    assert_eq!(server.requests().len(), sent + 1);
}

#[test]
fn an_error_names_the_hash_of_what_was_executed_and_compares_the_bodies() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    client.create_payment(&payment("order-1")).unwrap();
    journal.change(|entry| entry.body_sha256 = "00".repeat(32));
    let error = client.create_payment(&payment("order-1")).unwrap_err();
    assert_eq!(error.payment_hash(), journal.one().hash.as_deref());
    let entry = error.journal_entry().unwrap();
    assert_eq!(entry.get("has_same_body").and_then(Json::as_bool), Some(false));
}

#[test]
fn refunds_of_one_payment_wait_for_each_other_and_their_codes_are_used_once() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    let refund = |amount: Option<&str>, code: Option<&str>| {
        let mut refund = RefundPayment::new("5f2c");
        if let Some(amount) = amount {
            refund = refund.amount(amount.parse().unwrap());
        }
        if let Some(code) = code {
            refund = refund.merchant_refund_code(code);
        }
        client.refund_payment(&refund).map(drop)
    };
    refund(Some("1.00"), Some("a")).unwrap();
    assert_eq!(told(refund(Some("2.00"), Some("a"))).1, "already_done");
    refund(Some("1.00"), Some("b")).unwrap();
    journal.change(|entry| entry.state = State::Unknown);
    assert_eq!(told(refund(Some("3.00"), Some("c"))).1, "unresolved");
    journal.change(|entry| entry.state = State::Failed);
    refund(None, None).unwrap();
    assert_eq!(told(refund(None, Some("d"))).1, "already_done");
    refund(Some("1.00"), None).unwrap();
}

#[test]
fn a_person_lets_a_call_supersede_an_earlier_one_after_its_deadline() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    client.create_payment(&payment("order-1")).unwrap();
    let again = || client.execute(&payment("order-1"), &client.context().superseding());
    journal.change(|entry| entry.state = State::Unknown);
    assert_eq!(told(again()).1, "unresolved", "its deadline has not passed");
    *journal.ahead.lock().unwrap() = 60_000;
    again().unwrap();
    let all = journal.all();
    assert_eq!(all[0].superseded_by.as_ref(), Some(&all[1].id));
    assert_eq!((all[0].state, all[1].state), (State::Unknown, State::Done));
    assert_eq!(server.requests().len(), 2);
    assert_eq!(told(client.create_payment(&payment("order-1"))).1, "already_done");
}

#[test]
fn a_superseding_call_that_fails_leaves_the_reference_to_the_earlier_one() {
    let (client, journal) = journaled(&format!("http://127.0.0.1:{}", refused_port()));
    let pay = |context: &CallContext| told(client.execute(&payment("order-1"), context));
    for (state, refused) in [(State::Unknown, "unresolved"), (State::Done, "already_done")] {
        pay(&client.context());
        journal.change(|entry| entry.state = state);
        *journal.ahead.lock().unwrap() += 60_000;
        assert_eq!(pay(&client.context().superseding()).2, NotExecuted);
        let [earlier, later] = &journal.all()[..] else { panic!("two entries") };
        assert_eq!((later.state, &earlier.superseded_by), (State::Failed, &None));
        assert_eq!(pay(&client.context()), (JournalKind, refused, Unknown));
        let open = client.list_journal(true, None, &client.context()).unwrap();
        assert_eq!(open.contains(earlier), state == State::Unknown);
        journal.entries.lock().unwrap().clear();
    }
}

#[test]
fn a_journal_that_does_not_work_keeps_the_call_from_being_sent() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    *journal.before_insert.lock().unwrap() = Some(Box::new(|| Err(JournalError::new("down"))));
    let error = client.create_payment(&payment("order-1")).unwrap_err();
    let expected = (JournalKind, "unavailable", NotExecuted);
    assert_eq!((error.kind(), error.code(), error.outcome()), expected);
    assert_eq!(error.message(), "down; nothing was sent");
    *journal.before_insert.lock().unwrap() = Some(Box::new(|| panic!("a bug in the journal")));
    assert_eq!(told(client.create_payment(&payment("order-1"))), expected);
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_call_whose_deadline_passes_while_its_entry_is_written_sends_nothing() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    let slow = || {
        std::thread::sleep(Duration::from_millis(60));
        Ok(())
    };
    *journal.before_insert.lock().unwrap() = Some(Box::new(slow));
    let context = CallContext::with_timeout(Duration::from_millis(50));
    let late = client.execute(&payment("order-1"), &context);
    assert_eq!(told(late), (Timeout, "deadline_passed", NotExecuted));
    assert_eq!((journal.one().state, server.connections()), (State::Failed, 0));
}

#[test]
fn an_end_that_cannot_be_recorded_is_told_and_changes_nothing() {
    let server = RawServer::responding(created());
    let journal = Arc::new(MemoryJournal::default());
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let observer = {
        let told = Arc::clone(&told);
        move |event: &Event<'_>| told.lock().unwrap().push(event.to_json())
    };
    let config = calls::config(&server.base_url())
        .journal(Arc::clone(&journal) as _)
        .observer(Arc::new(observer));
    let client = Client::new(config).unwrap();
    *journal.before_update.lock().unwrap() = Some(Box::new(|| Err(JournalError::new("down"))));
    client.create_payment(&payment("order-1")).unwrap();
    let is_failure =
        |event: &&Json| event.get("event").and_then(Json::as_str) == Some("journal_failed");
    let event = told.lock().unwrap().iter().find(is_failure).cloned().unwrap();
    assert_eq!(event.get("reason").and_then(Json::as_str), Some("down"));
    let entry = journal.one();
    assert_eq!(event.get("id").and_then(Json::as_str), Some(&*entry.id));
    assert_eq!(entry.state, State::InProgress, "left to recovery");

    // A person decides while the next call runs.
    let deciding = Arc::clone(&journal);
    *journal.before_update.lock().unwrap() = Some(Box::new(move || {
        let mut entries = deciding.entries.lock().unwrap();
        let entry = entries.last_mut().unwrap();
        if entry.decided_by.is_none() {
            entry.state = State::Failed;
            entry.decided_by = Some(DecidedBy::Person);
            entry.version += 1;
        }
        Ok(())
    }));
    client.create_payment(&payment("order-2")).unwrap();
    let kept = journal.all().pop().unwrap();
    assert_eq!((kept.state, kept.conflict), (State::Failed, Some(State::Done)));
    let event = told.lock().unwrap().iter().rev().find(is_failure).cloned().unwrap();
    let reason = event.get("reason").and_then(Json::as_str).unwrap();
    assert_eq!(reason, "a person decided otherwise, and the call ended as done");
}

#[test]
fn the_end_of_a_cancelled_call_is_recorded() {
    let mute = Mute::new();
    let (client, journal) = journaled(&mute.url("http"));
    let cancel = CancelHandle::new();
    let context = client.context_with(cancel.clone(), None);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| told(client.execute(&payment("order-1"), &context)));
        while !context.bytes_left() && journal.all().is_empty() {
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_millis(50));
        cancel.cancel();
        let (_, code, outcome) = call.join().unwrap();
        assert_eq!((code, outcome), ("cancelled", Unknown));
    });
    assert_eq!(journal.one().state, State::Unknown);
}
