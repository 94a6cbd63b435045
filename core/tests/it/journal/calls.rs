//! What a call writes to its journal, and when the journal refuses a call.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_core::ErrorKind::{Journal as JournalKind, Timeout};
use payments_core::Outcome::{Executed, NotExecuted, Unknown};
use payments_core::journal::{DecidedBy, Entry, JournalError, Needs, State};
use payments_core::json::Json;
use payments_core::observer::Event;
use payments_core::request::{QueryPayment, RawRequest, RefundPayment};
use payments_core::{CallContext, CancelHandle, Client, Config};
use serde_json::json;

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
    assert_eq!(entry.settles_at, entry.deadline_at + 900_000);
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
    client.send(&RawRequest::new("POST", "/ws/transfer").body("{}")).unwrap();
    assert!(client.create_payment(&payment("")).is_err());
    assert!(journal.all().is_empty());
    client.send(&RawRequest::new("POST", "/ws/transfer").body("{}").reference("t-1")).unwrap();
    assert_eq!((&*journal.one().reference, journal.one().state), ("t-1", State::Done));
}

#[test]
fn a_reference_is_refused_while_an_earlier_call_counts() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    client.create_payment(&payment("order-1")).unwrap();
    client.create_payout(&payout("order-1")).unwrap();
    let sent = server.requests().len();
    for (state, code, outcome) in [
        (State::Done, "already_done", Executed),
        (State::Unknown, "unresolved", Unknown),
        (State::InProgress, "in_progress", Unknown),
    ] {
        journal.change(|entry| entry.state = state);
        let error = client.create_payout(&payout("order-1")).unwrap_err();
        assert_eq!((error.kind(), error.code(), error.outcome()), (JournalKind, code, outcome));
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
    assert_eq!((error.code(), error.outcome()), ("reference_used", Unknown));
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
    assert_eq!(told(refund(Some("2.00"), Some("a"))).1, "reference_used");
    refund(Some("1.00"), Some("b")).unwrap();
    journal.change(|entry| entry.state = State::Unknown);
    assert_eq!(told(refund(Some("3.00"), Some("c"))).1, "unresolved");
    journal.change(|entry| entry.state = State::Failed);
    refund(None, None).unwrap();
    assert_eq!(told(refund(None, None)).1, "already_done");
    assert_eq!(told(refund(None, Some("d"))).1, "reference_used");
    refund(Some("1.00"), None).unwrap();
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
    let told = Arc::new(Mutex::new(Vec::new()));
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
}

/// What a person decides about the newest entry while its call runs.
fn decides(journal: &Arc<MemoryJournal>, state: State) {
    let deciding = Arc::clone(journal);
    *journal.before_update.lock().unwrap() = Some(Box::new(move || {
        let mut entries = deciding.entries.lock().unwrap();
        let entry = entries.last_mut().unwrap();
        if entry.decided_by.is_none() {
            entry.state = state;
            entry.decided_by = Some(DecidedBy::Person);
            entry.version += 1;
        }
        Ok(())
    }));
}

/// A client whose `journal_failed` events are kept.
fn watched(base_url: &str) -> (Client, Arc<MemoryJournal>, Arc<Mutex<Vec<String>>>) {
    let journal = Arc::new(MemoryJournal::default());
    let reasons = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&reasons);
    let observer = move |event: &Event<'_>| {
        if let Event::JournalFailed { reason, .. } = event {
            kept.lock().unwrap().push((*reason).to_owned());
        }
    };
    let config = calls::config(base_url).journal(Arc::clone(&journal) as _);
    (Client::new(config.observer(Arc::new(observer))).unwrap(), journal, reasons)
}

#[test]
fn a_calls_own_done_wins_over_the_no_of_a_person() {
    let server = RawServer::responding(created());
    let (client, journal, reasons) = watched(&server.base_url());
    decides(&journal, State::Failed);
    client.create_payment(&payment("order-1")).unwrap();
    let entry = journal.one();
    assert_eq!((entry.state, entry.decided_by), (State::Done, Some(DecidedBy::Call)));
    assert!(entry.hash.is_some() && reasons.lock().unwrap().is_empty());
}

#[test]
fn a_calls_own_failed_does_not_change_the_yes_of_a_person_and_is_told() {
    let server = RawServer::responding(response("400 No", "", "{}"));
    let (client, journal, reasons) = watched(&server.base_url());
    decides(&journal, State::Done);
    client.create_payment(&payment("order-1")).unwrap_err();
    let entry = journal.one();
    assert_eq!((entry.state, entry.decided_by), (State::Done, Some(DecidedBy::Person)));
    assert_eq!(entry.code.as_deref(), Some("refused"), "it is noted");
    assert!(reasons.lock().unwrap()[0].contains("its call ended as failed"));
    assert_eq!(told(client.create_payment(&payment("order-1"))).1, "already_done");
}

#[test]
fn an_entry_whose_reference_was_taken_stays_failed_and_names_its_rival() {
    let server = RawServer::responding(created());
    let (client, journal, reasons) = watched(&server.base_url());
    let taking = Arc::clone(&journal);
    *journal.before_update.lock().unwrap() = Some(Box::new(move || {
        let mut entries = taking.entries.lock().unwrap();
        if entries.len() == 1 {
            // A person says no, and the reference is used again.
            let next = Entry { id: "f".repeat(32), state: State::Done, ..entries[0].clone() };
            entries[0].state = State::Failed;
            entries[0].decided_by = Some(DecidedBy::Person);
            entries[0].version += 1;
            entries.push(next);
        }
        Ok(())
    }));
    client.create_payment(&payment("order-1")).unwrap();
    let [entry, rival] = &journal.all()[..] else { panic!("two entries") };
    assert_eq!((entry.state, entry.rival.as_ref()), (State::Failed, Some(&rival.id)));
    let reason = reasons.lock().unwrap()[0].clone();
    assert!(reason.contains(&entry.id) && reason.contains(&rival.id), "{reason}");
    let context = client.context();
    let open = client.recover_journal(&context).unwrap().open;
    assert_eq!((open.len(), open[0].needs), (1, Needs::Person));
    assert_eq!(client.list_journal(true, None, &context).unwrap().entries.len(), 1);
    let settled = client.resolve_journal("order-1", true, "paid out twice", &context).unwrap();
    assert_eq!((settled.state, settled.rival.as_ref()), (State::Failed, None));
    assert!(settled.note.as_ref().unwrap().contains(&rival.id));
    assert!(client.list_journal(true, None, &context).unwrap().entries.is_empty());
}

#[test]
fn a_journal_without_its_indexes_lets_no_second_call_go_on() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    *journal.has_lost_its_indexes.lock().unwrap() = true;
    client.create_payment(&payment("order-1")).unwrap();
    let refused = told(client.create_payment(&payment("order-1")));
    assert_eq!(refused, (JournalKind, "already_done", Executed));
    let own = journal.all().pop().unwrap();
    assert_eq!((own.state, own.decided_by), (State::Failed, Some(DecidedBy::Call)));
    assert_eq!(own.code.as_deref(), Some("already_done"));
    assert_eq!(server.requests().len(), 1);

    // Two that begin at once find each other.
    let other = Arc::clone(&journal);
    *journal.after_insert.lock().unwrap() = Some(Box::new(move || {
        let mut entries = other.entries.lock().unwrap();
        let next = Entry { id: "f".repeat(32), ..entries.last().unwrap().clone() };
        entries.push(next);
        Ok(())
    }));
    let refused = told(client.create_payout(&payout("payout-1")));
    assert_eq!(refused, (JournalKind, "in_progress", Unknown));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_call_whose_entry_cannot_be_confirmed_sends_nothing_and_fails_its_entry() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    *journal.before_find.lock().unwrap() = Some(Box::new(|| Err(JournalError::new("down"))));
    let refused = told(client.create_payment(&payment("order-1")));
    assert_eq!(refused, (JournalKind, "unavailable", NotExecuted));
    assert_eq!((journal.one().state, server.connections()), (State::Failed, 0));
    *journal.before_find.lock().unwrap() = None;
    client.create_payment(&payment("order-1")).unwrap();
}

#[test]
fn an_insert_that_may_have_been_stored_is_recorded_as_failed() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    *journal.after_insert.lock().unwrap() = Some(Box::new(|| Err(JournalError::new("lost"))));
    let refused = told(client.create_payment(&payment("order-1")));
    assert_eq!(refused, (JournalKind, "unavailable", NotExecuted));
    assert_eq!((journal.one().state, server.connections()), (State::Failed, 0));
    *journal.after_insert.lock().unwrap() = None;
    client.create_payment(&payment("order-1")).unwrap();
}

#[test]
fn the_end_of_a_call_is_recorded_again_after_a_failure() {
    let server = RawServer::responding(created());
    let (client, journal, reasons) = watched(&server.base_url());
    let failures = AtomicU32::new(0);
    *journal.before_update.lock().unwrap() =
        Some(Box::new(move || match failures.fetch_add(1, Ordering::SeqCst) {
            0 | 1 => Err(JournalError::new("the connection was lost")),
            _ => Ok(()),
        }));
    client.create_payment(&payment("order-1")).unwrap();
    assert_eq!(journal.one().state, State::Done);
    assert!(reasons.lock().unwrap().is_empty());
}

#[test]
fn a_send_whose_2xx_reports_a_failure_is_recorded_as_unknown() {
    for (body, state) in [
        (r#"{"status":"ERROR","status_code":"BP-1"}"#, State::Unknown),
        (r#"{"type":"api_error"}"#, State::Unknown),
        (r#"{"type":"success"}"#, State::Done),
        ("no JSON", State::Done),
    ] {
        let server = RawServer::responding(response("200 OK", "", body));
        let (client, journal) = journaled(&server.base_url());
        let send = RawRequest::new("POST", "/ws/transfer").body("{}").reference("t-1");
        assert_eq!(client.send(&send).unwrap().body(), body.as_bytes());
        assert_eq!(journal.one().state, state, "{body}");
    }
}

#[test]
fn another_integration_key_is_not_another_body() {
    let sha256 = |key: &str, placement: &str| {
        let json = json!({
            "base_url": "http://127.0.0.1:1", "environment": "sandbox", "integration_key": key,
            "integration_key_placement": placement,
        });
        let config = Config::from_json(json.to_string().as_bytes()).unwrap();
        Client::new(config).unwrap().body_sha256(&payment("order-1")).unwrap()
    };
    let expected = sha256("key-1", "beside");
    for (key, placement) in [("key-2", "beside"), ("key-1", "inside"), ("key-2", "both")] {
        assert_eq!(sha256(key, placement), expected, "{key} {placement}");
    }
    let config = Config::new("http://127.0.0.1:1").integration_key("key-1");
    let other = Client::new(config).unwrap().body_sha256(&payment("order-2")).unwrap();
    assert_ne!(other, expected);
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
