//! Recovery of payouts by their query.

use std::sync::Arc;

use payments_core::journal::{DecidedBy, EntryState, Needs};
use payments_core::{Client, Operation, Outcome};
use payments_host::commands::{JournalRequest, answer_journal};
use payments_host::recovery::Recovery;
use payments_sandbox::{Fault, FaultKind, FaultScript};
use serde_json::json;

use crate::support::calls::{error_summary, payout};
use crate::support::journal::MemoryJournal;
use crate::support::merchant::{INTEGRATION_KEY, Merchant, NONE};

const NOT_FOUND: &str = "SANDBOX-PAYOUT-NOT-FOUND";
const AN_HOUR: u64 = 3_600_000;

fn journaled(merchant: &Merchant, is_on: bool, codes: &[&str]) -> (Client, Arc<MemoryJournal>) {
    let journal = Arc::new(MemoryJournal::default());
    let config = merchant.config(INTEGRATION_KEY).journal(Arc::clone(&journal) as _);
    let config = config.payout_query(is_on).payout_not_found_codes(codes.iter().copied());
    (Client::new(config.query_retries(0)).unwrap(), journal)
}

/// Makes a payout whose response is lost.
fn lose(merchant: &Merchant, client: &Client, fault: Fault) {
    merchant.sandbox.script_next([fault]);
    let error = client.create_payout(&payout("payout-1")).unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown);
}

fn lost() -> Fault {
    Fault { execute: Some(true), ..Fault::new(FaultKind::Close) }
}

fn unsent() -> Fault {
    Fault { execute: Some(false), ..Fault::new(FaultKind::Close) }
}

fn recover(client: &Client) -> Recovery {
    payments_host::recover(client, &client.context()).unwrap()
}

/// The needs of the one entry that stays open, and why.
fn open(client: &Client) -> (Needs, String) {
    let recovery = recover(client);
    assert_eq!((recovery.recovered.len(), recovery.open.len()), (0, 1), "{recovery:?}");
    (recovery.open[0].needs, recovery.open[0].reason.clone())
}

#[test]
fn a_payout_whose_answer_was_lost_is_found_and_never_sent_again() {
    let merchant = Merchant::with(NONE);
    let (client, journal) = journaled(&merchant, true, &[]);
    lose(&merchant, &client, lost());
    let list = JournalRequest::List { open: true };
    let listed = answer_journal(&client, &list, "payments journal", &client.context()).unwrap();
    assert!(listed.text.contains("Run `payments journal recover` to query"), "{}", listed.text);
    assert_eq!(recover(&client).recovered.len(), 1);
    let entry = journal.one();
    assert_eq!((entry.state, entry.decided_by), (EntryState::Done, Some(DecidedBy::Recovery)));
    assert_eq!(entry.uid, merchant.sandbox.payouts().pop().map(|it| it.uid));
    assert_eq!(entry.cancelled_with(), None);
    assert_eq!(error_summary(client.create_payout(&payout("payout-1"))).1, "already_done");
    assert_eq!(merchant.sandbox.payouts().len(), 1);
}

#[test]
fn a_cancelled_payout_is_done_with_the_services_code() {
    for (code, expected) in [(json!("BANK_INFO"), "BANK_INFO"), (json!(null), "CA")] {
        let merchant = Merchant::with(NONE);
        let (client, journal) = journaled(&merchant, true, &[]);
        lose(&merchant, &client, lost());
        let payout = json!({"uid": "u-1", "external_reference": "payout-1", "status": "CA",
            "code": code});
        let found = Fault::json(200, &json!({"type": "success", "payout": payout}));
        merchant.sandbox.script_next([found]);
        assert_eq!(recover(&client).recovered.len(), 1);
        let entry = journal.one();
        assert_eq!((entry.state, entry.cancelled_with()), (EntryState::Done, Some(expected)));
        let again = client.create_payout(&self::payout("payout-1")).unwrap_err();
        assert_eq!(again.code().as_str(), "already_done");
        assert!(again.message().contains("created this payout and cancelled it"), "{again}");
        assert_eq!(merchant.sandbox.payouts().len(), 1);
    }
}

#[test]
fn an_absent_payout_waits_and_then_needs_a_person() {
    let merchant = Merchant::with(NONE);
    let (client, journal) = journaled(&merchant, true, &[NOT_FOUND]);
    lose(&merchant, &client, unsent());
    let (needs, reason) = open(&client);
    assert!(needs == Needs::Time && reason.contains("it may until"), "{reason}");
    *journal.ahead.lock().unwrap() = AN_HOUR;
    let (needs, reason) = open(&client);
    assert!(needs == Needs::Person && reason.contains("even after"), "{reason}");
    assert_eq!(journal.one().state, EntryState::Unknown, "a person decides, never a query");
    assert_eq!(error_summary(client.create_payout(&payout("payout-1"))).1, "unresolved");
    assert!(merchant.sandbox.payouts().is_empty());
}

#[test]
fn any_other_refusal_is_a_failed_query_however_late() {
    let merchant = Merchant::with(NONE);
    let (client, journal) = journaled(&merchant, true, &[]);
    lose(&merchant, &client, unsent());
    *journal.ahead.lock().unwrap() = AN_HOUR;
    let refused = json!({"type": "api_error", "code": "HP-CM-29", "message": "unknown"});
    for fault in [
        Fault::pass(),
        Fault::status(404),
        Fault::status(400),
        Fault::status(503),
        Fault::html(),
        Fault::json(400, &refused),
        Fault::json(200, &json!({"type": "success"})),
    ] {
        merchant.sandbox.script_next([fault]);
        let (needs, reason) = open(&client);
        assert!(needs == Needs::Query && reason.starts_with("the query failed: "), "{reason}");
        assert_eq!(journal.one().state, EntryState::Unknown);
    }
}

#[test]
fn a_payout_of_another_amount_needs_a_person() {
    let merchant = Merchant::with(NONE);
    let (client, journal) = journaled(&merchant, true, &[]);
    lose(&merchant, &client, unsent());
    let payout = json!({"uid": "u-1", "external_reference": "payout-1", "status": "PA",
        "amount": "99.00"});
    let found = Fault::json(200, &json!({"type": "success", "payout": payout}));
    let found = FaultScript::for_operation(Operation::QueryPayout, vec![found]);
    merchant.sandbox.script_fault(found);
    let (needs, reason) = open(&client);
    assert!(needs == Needs::Person && reason.contains("amount or currency differs"), "{reason}");
    assert_eq!(journal.one().state, EntryState::Unknown);
}

#[test]
fn where_the_query_is_off_the_texts_say_how_to_turn_it_on() {
    let merchant = Merchant::with(NONE);
    let (client, _) = journaled(&merchant, false, &[]);
    lose(&merchant, &client, lost());
    let way = "if the service has POST /ws/payout/retrieve, turn payout_query on";
    let (needs, reason) = open(&client);
    assert!(needs == Needs::Time && reason.ends_with(way), "{reason}");
    for request in [JournalRequest::List { open: true }, JournalRequest::Show("payout-1".into())] {
        let answered = answer_journal(&client, &request, "payments journal", &client.context());
        let text = answered.unwrap().text;
        assert!(text.contains(way) && text.contains("`payments journal recover`"), "{text}");
    }
    let queries = merchant.sandbox.requests().into_iter().filter(|it| it.path.contains("retrieve"));
    assert_eq!(queries.count(), 0);
}
