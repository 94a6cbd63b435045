//! The entries that a call writes to its journal, and calls that the journal
//! refuses.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use payments_core::ErrorKind::{Internal, Journal as JournalKind, Timeout};
use payments_core::Outcome::{Executed, NotExecuted, Unknown};
use payments_core::journal::{DecidedBy, Entry, EntryState, JournalError, RecordedAs};
use payments_core::json::Json;
use payments_core::observer::Event;
use payments_core::request::{QueryPayment, RawRequest, RefundPayment};
use payments_core::{CallContext, CancelHandle, Client, Config};
use serde_json::json;

use crate::support::calls::{self, error_summary, payment, payout};
use crate::support::journal::MemoryJournal;
use crate::support::journaled::{journaled, watched};
use crate::support::raw_server::{RawServer, created, response};
use crate::support::silent::{MuteListener, refused_port};

#[test]
fn a_payment_is_in_the_journal_before_it_is_sent() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    client.create_payment(&payment("order-1")).unwrap();
    let entry = journal.one();
    assert_eq!((entry.state, entry.decided_by), (EntryState::Done, Some(DecidedBy::Call)));
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
fn without_an_entry_nothing_is_sent_though_nothing_blocks_it() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    *journal.stores_nothing.lock().unwrap() = true;
    let error = client.create_payment(&payment("order-1")).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (JournalKind, NotExecuted));
    assert!(error.message().contains("has none that blocks it"), "{error}");
    assert!(server.requests().is_empty());
}

#[test]
fn the_entry_says_how_the_call_ended() {
    for (response, state, code) in [
        (response("400 No", "", "{}"), EntryState::Failed, "refused"),
        (response("401 No", "", "{}"), EntryState::Failed, "unauthorized"),
        (response("429 No", "", "{}"), EntryState::Failed, "rate_limited"),
        (response("500 No", "", "{}"), EntryState::Unknown, "failed"),
        (b"SSH-2.0\r\n\r\n".to_vec(), EntryState::Unknown, "not_http"),
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
    assert_eq!(journal.one().state, EntryState::Failed, "one entry for all attempts");
}

#[test]
fn only_calls_that_move_money_are_journaled() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    client.query_payment(&QueryPayment::by_hash("5f2c")).unwrap();
    let _ = client.register_tracking(&calls::tracking());
    client.prepare(&payment("order-1"), &client.context()).unwrap();
    client.send(&RawRequest::new("POST", "/ws/transfer").body("{}")).unwrap();
    assert!(client.create_payment(&payment("")).is_err());
    assert!(journal.all().is_empty());
    client.send(&RawRequest::new("POST", "/ws/transfer").body("{}").reference("t-1")).unwrap();
    assert_eq!((&*journal.one().reference, journal.one().state), ("t-1", EntryState::Done));
}

#[test]
fn a_reference_is_refused_while_an_earlier_call_counts() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    client.create_payment(&payment("order-1")).unwrap();
    client.create_payout(&payout("order-1")).unwrap();
    let sent = server.requests().len();
    for (state, code, outcome) in [
        (EntryState::Done, "already_done", Executed),
        (EntryState::Unknown, "unresolved", Unknown),
        (EntryState::InProgress, "in_progress", Unknown),
    ] {
        journal.change(|entry| entry.state = state);
        let error = client.create_payout(&payout("order-1")).unwrap_err();
        assert_eq!(
            (error.kind(), error.code().as_str(), error.outcome()),
            (JournalKind, code, outcome)
        );
        assert_eq!(error.reference(), Some("order-1"));
        let entry = error.journal_entry().unwrap();
        assert_eq!(entry.get("state").and_then(Json::as_str), Some(state.as_str()));
        assert_eq!(entry.get("has_same_body").and_then(Json::as_bool), Some(true));
        assert!(error.to_json().get("journal_entry").unwrap().get("id").is_some());
    }
    *journal.ahead.lock().unwrap() = 3_600_000;
    assert_eq!(
        error_summary(client.create_payout(&payout("order-1"))).1,
        "unresolved",
        "abandoned"
    );
    assert_eq!(server.requests().len(), sent);
    journal.change(|entry| entry.state = EntryState::Failed);
    client.create_payout(&payout("order-1")).unwrap();
    assert_eq!(server.requests().len(), sent + 1);
}

#[test]
fn an_error_names_the_earlier_hash_and_compares_the_bodies() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    client.create_payment(&payment("order-1")).unwrap();
    journal.change(|entry| entry.body_sha256 = "00".repeat(32));
    let error = client.create_payment(&payment("order-1")).unwrap_err();
    assert_eq!((error.code().as_str(), error.outcome()), ("reference_used", Unknown));
    assert_eq!(error.payment_hash(), journal.one().hash.as_deref());
    let entry = error.journal_entry().unwrap();
    assert_eq!(entry.get("has_same_body").and_then(Json::as_bool), Some(false));
}

#[test]
fn refunds_of_one_payment_wait_for_each_other() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    let refund = |amount: Option<&str>, code: Option<&str>| {
        let mut refund = RefundPayment::by_hash("5f2c");
        if let Some(amount) = amount {
            refund = refund.amount(amount.parse().unwrap());
        }
        if let Some(code) = code {
            refund = refund.merchant_refund_code(code);
        }
        client.refund_payment(&refund).map(drop)
    };
    refund(Some("1.00"), Some("a")).unwrap();
    assert_eq!(error_summary(refund(Some("2.00"), Some("a"))).1, "reference_used");
    refund(Some("1.00"), Some("b")).unwrap();
    journal.change(|entry| entry.state = EntryState::Unknown);
    assert_eq!(error_summary(refund(Some("3.00"), Some("c"))).1, "unresolved");
    journal.change(|entry| entry.state = EntryState::Failed);
    refund(None, None).unwrap();
    assert_eq!(error_summary(refund(None, None)).1, "already_done");
    assert_eq!(error_summary(refund(None, Some("d"))).1, "reference_used");
    refund(Some("1.00"), None).unwrap();
}

#[test]
fn a_journal_that_does_not_work_keeps_the_call_from_being_sent() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    *journal.before_insert.lock().unwrap() = Some(Box::new(|| Err(JournalError::new("down"))));
    let error = client.create_payment(&payment("order-1")).unwrap_err();
    let expected = (JournalKind, "unavailable", NotExecuted);
    assert_eq!((error.kind(), error.code().as_str(), error.outcome()), expected);
    assert_eq!(error.message(), "down; nothing was sent");
    *journal.before_insert.lock().unwrap() = Some(Box::new(|| panic!("a bug in the journal")));
    assert_eq!(error_summary(client.create_payment(&payment("order-1"))), expected);
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_deadline_during_the_insert_prevents_sending() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    let slow = || {
        std::thread::sleep(Duration::from_millis(60));
        Ok(())
    };
    *journal.before_insert.lock().unwrap() = Some(Box::new(slow));
    let context = CallContext::with_timeout(Duration::from_millis(50));
    let late = client.execute(&payment("order-1"), &context);
    assert_eq!(error_summary(late), (Timeout, "deadline_passed", NotExecuted));
    assert_eq!((journal.one().state, server.connections()), (EntryState::Failed, 0));
}

#[test]
fn an_end_that_cannot_be_recorded_changes_nothing() {
    let server = RawServer::responding(created());
    let journal = Arc::new(MemoryJournal::default());
    let events = Arc::new(Mutex::new(Vec::new()));
    let observer = {
        let list = Arc::clone(&events);
        move |event: &Event<'_>| list.lock().unwrap().push(event.to_json())
    };
    let config = calls::config(&server.base_url())
        .journal(Arc::clone(&journal) as _)
        .observer(Arc::new(observer));
    let client = Client::new(config).unwrap();
    *journal.before_update.lock().unwrap() = Some(Box::new(|| Err(JournalError::new("down"))));
    client.execute(&payment("order-1"), &calls::brief()).unwrap();
    let is_failure =
        |event: &&Json| event.get("event").and_then(Json::as_str) == Some("journal_failed");
    let event = events.lock().unwrap().iter().find(is_failure).cloned().unwrap();
    assert_eq!(event.get("reason").and_then(Json::as_str), Some("down"));
    let entry = journal.one();
    assert_eq!(event.get("id").and_then(Json::as_str), Some(&*entry.id));
    assert_eq!(entry.state, EntryState::InProgress, "left to recovery");
}

#[test]
fn a_reference_that_a_journal_leaves_out_is_not_taken_for_new() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    client.create_payment(&payment("order-1")).unwrap();
    let find = || {
        let references = ["order-0", "order-1"];
        client.client_journal().unwrap().find_references(&client.context(), &references)
    };
    let counts: Vec<_> = find().unwrap().iter().map(|found| found.entries.len()).collect();
    assert_eq!(counts, [0, 1]);
    *journal.forgets_a_filter.lock().unwrap() = true;
    assert!(find().is_err());
}

#[test]
fn a_journal_without_its_indexes_stops_a_second_call() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    *journal.has_lost_its_indexes.lock().unwrap() = true;
    client.create_payment(&payment("order-1")).unwrap();
    let refused = error_summary(client.create_payment(&payment("order-1")));
    assert_eq!(refused, (JournalKind, "already_done", Executed));
    let own = journal.all().pop().unwrap();
    assert_eq!((own.state, own.decided_by), (EntryState::Failed, Some(DecidedBy::Call)));
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
    let refused = error_summary(client.create_payout(&payout("payout-1")));
    assert_eq!(refused, (JournalKind, "in_progress", Unknown));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn an_unconfirmed_entry_prevents_sending_and_fails() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    *journal.before_find.lock().unwrap() = Some(Box::new(|| Err(JournalError::new("down"))));
    let refused = error_summary(client.create_payment(&payment("order-1")));
    assert_eq!(refused, (JournalKind, "unavailable", NotExecuted));
    assert_eq!((journal.one().state, server.connections()), (EntryState::Failed, 0));
    *journal.before_find.lock().unwrap() = None;
    client.create_payment(&payment("order-1")).unwrap();
}

#[test]
fn an_unconfirmed_entry_may_block_its_reference() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    let down = || Err(JournalError::new("down"));
    *journal.before_find.lock().unwrap() = Some(Box::new(down));
    *journal.before_update.lock().unwrap() = Some(Box::new(down));
    let error = client.execute(&payment("order-1"), &calls::brief()).unwrap_err();
    let entry = journal.one();
    assert_eq!((entry.state, server.connections()), (EntryState::InProgress, 0));
    let until = payments_base::utc::iso_8601(entry.settles_at);
    for part in ["down; nothing was sent; its entry ", &entry.id, "block the reference", &until] {
        assert!(error.message().contains(part), "{error}");
    }
}

#[test]
fn an_insert_that_may_have_been_stored_is_recorded_as_failed() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    *journal.after_insert.lock().unwrap() = Some(Box::new(|| Err(JournalError::new("lost"))));
    let refused = error_summary(client.create_payment(&payment("order-1")));
    assert_eq!(refused, (JournalKind, "unavailable", NotExecuted));
    assert_eq!((journal.one().state, server.connections()), (EntryState::Failed, 0));
    *journal.after_insert.lock().unwrap() = None;
    client.create_payment(&payment("order-1")).unwrap();
}

#[test]
fn an_entry_is_ended_after_a_panic_of_a_hook() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    let stored = Arc::clone(&journal);
    let panics = AtomicU32::new(1);
    let hook = move || {
        let is_due = !stored.all().is_empty() && panics.swap(0, Ordering::SeqCst) == 1;
        assert!(!is_due, "on purpose");
        false
    };
    let context = client.context_with(CancelHandle::new(), Some(Arc::new(hook)));
    let (kind, code, outcome) = error_summary(client.execute(&payment("order-1"), &context));
    assert_eq!((kind, code, outcome), (Internal, "internal_error", NotExecuted));
    assert_eq!((journal.one().state, server.connections()), (EntryState::Failed, 0));
    client.create_payment(&payment("order-1")).unwrap();
}

#[test]
fn an_entry_without_a_sent_request_may_be_missing() {
    let server = RawServer::responding(created());
    let (client, journal, reasons) = watched(&server.base_url());
    let lost = || Err(JournalError::new("lost"));
    *journal.before_insert.lock().unwrap() = Some(Box::new(lost));
    assert_eq!(error_summary(client.create_payment(&payment("order-1"))).0, JournalKind);
    assert!(journal.all().is_empty() && reasons.lock().unwrap().is_empty());
}

#[test]
fn an_entry_deleted_during_its_call_is_reported() {
    let server = RawServer::responding(created());
    let (client, journal, reasons) = watched(&server.base_url());
    let deleted = Arc::clone(&journal);
    *journal.before_update.lock().unwrap() = Some(Box::new(move || {
        deleted.entries.lock().unwrap().clear();
        Ok(())
    }));
    client.create_payment(&payment("order-1")).unwrap();
    let reasons = reasons.lock().unwrap();
    assert!(reasons.len() == 1 && reasons[0].contains("is not in the journal"), "{reasons:?}");
}

#[test]
fn the_end_of_a_call_is_recorded_again_after_a_failure() {
    let server = RawServer::responding(created());
    let (client, journal, reasons) = watched(&server.base_url());
    let (begun, attempts) = (OnceLock::new(), Arc::new(AtomicU32::new(0)));
    let counted = Arc::clone(&attempts);
    *journal.before_update.lock().unwrap() = Some(Box::new(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        match begun.get_or_init(Instant::now).elapsed() {
            away if away < Duration::from_secs(1) => Err(JournalError::new("no connection left")),
            _ => Ok(()),
        }
    }));
    client.create_payment(&payment("order-1")).unwrap();
    assert_eq!(journal.one().state, EntryState::Done);
    assert!(reasons.lock().unwrap().is_empty());
    // 10 ms, and twice as long each time.
    let attempts = attempts.load(Ordering::SeqCst);
    assert!((3..=8).contains(&attempts), "{attempts}");
}

#[test]
fn a_send_whose_2xx_reports_a_failure_is_recorded_as_unknown() {
    for (body, state) in [
        (r#"{"status":"ERROR","status_code":"BP-1"}"#, EntryState::Unknown),
        (r#"{"type":"api_error"}"#, EntryState::Unknown),
        (r#"{"type":"success"}"#, EntryState::Done),
        ("no JSON", EntryState::Done),
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
    let client = calls::client("http://127.0.0.1:1");
    let given = |text: &str| {
        let request = payments_core::request::CreatePayment::from_json(text.as_bytes()).unwrap();
        client.body_sha256(&request).unwrap()
    };
    let of_payment = r#"{"name":"a","email":"a","country":"mx","payment_type_code":"a","merchant_payment_code":"a","currency_code":"MXN","amount_total":1"#;
    let keyless = given(&format!(r#"{{"payment":{of_payment}}}}}"#));
    for (beside, inside) in [(r#""integration_key":"k","#, ""), ("", r#","integration_key":"k""#)] {
        assert_eq!(given(&format!(r#"{{{beside}"payment":{of_payment}{inside}}}}}"#)), keyless);
    }
    for (key, placement) in [("key-2", "beside"), ("key-1", "inside"), ("key-2", "both")] {
        assert_eq!(sha256(key, placement), expected, "{key} {placement}");
    }
    let config = Config::new("http://127.0.0.1:1").integration_key("key-1");
    let other = Client::new(config).unwrap().body_sha256(&payment("order-2")).unwrap();
    assert_ne!(other, expected);
}

#[test]
fn the_end_of_a_cancelled_call_is_recorded() {
    let mute = MuteListener::new();
    let (client, journal) = journaled(&mute.url("http"));
    let cancel = CancelHandle::new();
    let context = client.context_with(cancel.clone(), None);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| error_summary(client.execute(&payment("order-1"), &context)));
        let _open = mute.connection_with_a_byte();
        cancel.cancel();
        let (_, code, outcome) = call.join().unwrap();
        assert_eq!((code, outcome), ("cancelled", Unknown));
    });
    assert_eq!(journal.one().state, EntryState::Unknown);
}

#[test]
fn a_request_is_recorded_with_its_amount_in_another_spelling() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    let to_pay = |amount: &str| {
        let text = format!(
            r#"{{"external_reference":"p-1","country":"br","amount":"{amount}","currency_code":"BRL","payee":{{"name":"Maria"}}}}"#
        );
        payments_core::request::CreatePayout::from_json(text.as_bytes()).unwrap()
    };
    client.create_payout(&to_pay("10.00")).unwrap();
    let entry = journal.one();
    let is_recorded_as =
        |request, entry: &Entry| client.recorded_as(&request, entry).unwrap() == RecordedAs::Same;
    for (amount, is_recorded) in [("10.00", true), ("10", true), ("10.0", true), ("10.01", false)] {
        assert_eq!(is_recorded_as(to_pay(amount), &entry), is_recorded, "{amount}");
    }
    let mut without = entry.clone();
    without.amount = None;
    assert!(is_recorded_as(to_pay("10.00"), &without));
    assert!(!is_recorded_as(to_pay("10"), &without));
    let mut other = entry.clone();
    other.body_sha256 = "00".repeat(32);
    assert!(!is_recorded_as(to_pay("10.00"), &other));
    assert!(!is_recorded_as(to_pay("10"), &other));
    let found = Entry { body_sha256: String::new(), ..entry };
    for (amount, expected) in [("10", RecordedAs::Unchecked), ("10.01", RecordedAs::Other)] {
        assert_eq!(client.recorded_as(&to_pay(amount), &found).unwrap(), expected);
    }
}
