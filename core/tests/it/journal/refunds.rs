//! Refunds with a journal: the name of their payment, and their cancellation.

use std::sync::Arc;

use payments_core::Outcome::{NotExecuted, Unknown};
use payments_core::journal::EntryState;
use payments_core::request::{RawRequest, RefundPayment};
use payments_core::{Client, Error, ErrorKind, Operation};
use payments_sandbox::{Fault, FaultKind};

use crate::support::calls::{self, payment};
use crate::support::journal::MemoryJournal;
use crate::support::merchant::{INTEGRATION_KEY, Merchant, NONE};
use crate::support::raw_server::{RawServer, created};

const HASH: &str = "5f2c";
const CODE: &str = "order-1";

fn journaled(base_url: &str) -> (Client, Arc<MemoryJournal>) {
    let journal = Arc::new(MemoryJournal::default());
    let config = calls::config(base_url).journal(Arc::clone(&journal) as _);
    (Client::new(config).unwrap(), journal)
}

/// All orders of up to four refunds of one payment, each under one of its names.
fn orders() -> Vec<Vec<bool>> {
    let of_length = |length: u32| {
        (0..1_u32 << length).map(move |bits| (0..length).map(|at| bits >> at & 1 == 1).collect())
    };
    (1..=4).flat_map(of_length).collect()
}

fn refund(client: &Client, is_by_hash: bool) -> Result<(), Error> {
    let request = if is_by_hash {
        RefundPayment::by_hash(HASH)
    } else {
        RefundPayment::by_merchant_payment_code(CODE)
    };
    client.refund_payment(&request.merchant_refund_code("refund-1")).map(drop)
}

#[test]
fn a_payment_is_not_refunded_twice_by_its_two_names() {
    let server = RawServer::responding(created());
    let mut sent = 0;
    for order in orders() {
        // Without an answer, only a query could tell whether it was refunded.
        for state in [EntryState::Done, EntryState::Unknown, EntryState::InProgress] {
            let (client, journal) = journaled(&server.base_url());
            for is_by_hash in &order {
                let refused = refund(&client, *is_by_hash).err();
                if !is_by_hash {
                    let error = refused.unwrap();
                    let summary = (error.kind(), error.code().as_str(), error.outcome());
                    assert_eq!(summary, (ErrorKind::Validation, "hash_needed", NotExecuted));
                    assert_eq!(error.path(), Some("merchant_payment_code"));
                    assert_eq!(error.reference(), Some(CODE));
                    assert!(error.message().contains("query the payment by its"), "{error}");
                }
                for _ in journal.all() {
                    journal.change(|entry| entry.state = state);
                }
            }
            sent += usize::from(order.contains(&true));
            assert_eq!(server.requests().len(), sent, "{order:?}");
            assert_eq!(journal.all().len(), usize::from(order.contains(&true)), "{order:?}");
        }
    }
}

#[test]
fn without_a_journal_a_payment_is_refunded_by_either_name() {
    let server = RawServer::responding(created());
    let client = calls::client(&server.base_url());
    for is_by_hash in [true, false] {
        refund(&client, is_by_hash).unwrap();
    }
    let bodies: Vec<_> = server.requests().into_iter().map(|it| it.body).collect();
    let by_code = r#"{"integration_key":"key-1","merchant_payment_code":"order-1","merchant_refund_code":"refund-1"}"#;
    assert_eq!(bodies[1], by_code.as_bytes());
    let (journaled, _) = journaled(&server.base_url());
    let request = RefundPayment::by_merchant_payment_code(CODE);
    assert!(journaled.prepare(&request, &journaled.context()).is_ok(), "it makes no entry");
}

/// A client of `merchant` whose refund of a confirmed payment was lost.
fn with_lost_refund(merchant: &Merchant) -> (Client, Arc<MemoryJournal>, String) {
    let journal = Arc::new(MemoryJournal::default());
    let config = merchant.config(INTEGRATION_KEY).journal(Arc::clone(&journal) as _);
    let client = Client::new(config).unwrap();
    let answer = client.create_payment(&payment(CODE)).unwrap();
    let hash = answer.hash().unwrap().to_owned();
    merchant.sandbox.confirm_payment(&hash).unwrap();
    lose_the_answer(merchant);
    let refund = RefundPayment::by_hash(&hash).merchant_refund_code("refund-1");
    assert_eq!(client.refund_payment(&refund).unwrap_err().outcome(), Unknown);
    (client, journal, hash)
}

fn lose_the_answer(merchant: &Merchant) {
    let lost = Fault { execute: Some(true), ..Fault::new(FaultKind::Close) };
    merchant.sandbox.script_next([lost]);
}

fn cancellation(hash: &str) -> RefundPayment {
    RefundPayment::by_hash(hash).operation("cancel").merchant_refund_code("refund-1")
}

#[test]
fn cancelling_a_refund_has_an_entry_of_its_own() {
    let merchant = Merchant::with(NONE);
    let (client, journal, hash) = with_lost_refund(&merchant);
    let before = journal.all();
    assert_eq!(before[1].state, EntryState::Unknown);
    let answer = client.refund_payment(&cancellation(&hash)).unwrap();
    assert_eq!(answer.refund_status().map(|it| it.to_string()).as_deref(), Some("CA"));
    assert_eq!(merchant.sandbox.payments()[0].refunds[0].status.code(), "CA");
    let entries = journal.all();
    assert_eq!(entries[..2], before, "the refund's own does not change");
    let [.., entry] = &entries[..] else { panic!("it has none") };
    assert_eq!((entry.operation, entry.state), (Operation::CancelRefund, EntryState::Done));
    assert_eq!((&*entry.reference, entry.refund_code.as_deref()), (&*hash, Some("refund-1")));
    assert_eq!(entry.uid.as_deref(), answer.refund_id());
}

#[test]
fn a_cancellation_names_the_payment_by_its_hash() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    let by_code = RefundPayment::by_merchant_payment_code(CODE).operation("cancel");
    let text = br#"{"operation":"cancel","merchant_refund_code":"refund-1"}"#;
    for request in [by_code.refund_id("7"), RefundPayment::from_json(text).unwrap()] {
        let error = client.refund_payment(&request).unwrap_err();
        let summary = (error.kind(), error.code().as_str(), error.outcome());
        assert_eq!(summary, (ErrorKind::Validation, "hash_needed", NotExecuted));
        assert_eq!(error.path(), Some("hash"));
    }
    assert!(server.requests().is_empty() && journal.all().is_empty());
    let by_id = RefundPayment::by_hash(HASH).operation("cancel").refund_id("7");
    client.refund_payment(&by_id).unwrap();
    assert_eq!(journal.all()[0].uid.as_deref(), Some("7"));
}

#[test]
fn a_lost_cancellation_is_unknown_and_blocks_refunds() {
    let merchant = Merchant::with(NONE);
    let (client, journal, hash) = with_lost_refund(&merchant);
    let (before, seen) = (journal.all(), merchant.sandbox.requests().len());
    lose_the_answer(&merchant);
    let error = client.refund_payment(&cancellation(&hash)).unwrap_err();
    assert_eq!((error.outcome(), error.attempts()), (Unknown, 1), "{error}");
    let advice = error.advice().unwrap();
    assert!(advice.starts_with("do not send it again"), "{advice}");
    assert!(advice.contains("is cancelled with CA"), "{advice}");
    assert_eq!(journal.all()[..2], before);
    assert_eq!(journal.all()[2].state, EntryState::Unknown);
    let refund = RefundPayment::by_hash(&hash).amount("1.00".parse().unwrap());
    let other = RefundPayment::by_hash(&hash).operation("cancel").refund_id("7");
    for request in [refund.merchant_refund_code("refund-2"), cancellation(&hash), other] {
        let error = client.refund_payment(&request).unwrap_err();
        assert_eq!((error.code().as_str(), error.outcome()), ("unresolved", Unknown), "{error}");
    }
    assert_eq!(merchant.sandbox.requests().len(), seen + 1);
}

#[test]
fn a_send_of_a_refund_is_a_refund_to_the_journal() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    let send = |body: &str| client.send(&RawRequest::new("POST", "/ws/refund").body(body));
    let refused = send(r#"{"merchant_payment_code":"order-1"}"#).unwrap_err();
    assert_eq!((refused.code().as_str(), refused.outcome()), ("hash_needed", NotExecuted));
    assert!(server.requests().is_empty());
    send(r#"{"hash":"5f2c"}"#).unwrap();
    journal.change(|entry| entry.state = EntryState::Unknown);
    send(r#"{"hash":"5f2c","operation":"cancel","refund_id":"1"}"#).unwrap();
    let operations: Vec<_> = journal.all().iter().map(|entry| entry.operation.name()).collect();
    assert_eq!(operations, ["refund_payment", "cancel_refund"]);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn another_operation_of_a_refund_is_a_refund() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    for operation in ["request", "CANCEL", "cancel "] {
        let refund = RefundPayment::by_hash(HASH).operation(operation);
        let refund = refund.amount("1.00".parse().unwrap()).merchant_refund_code(operation.trim());
        client.refund_payment(&refund).unwrap();
    }
    assert_eq!(journal.all().len(), 3);
}
