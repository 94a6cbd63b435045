//! A `send` to the method and path of an operation is that operation to the
//! journal.

use payments_core::Client;
use payments_core::Outcome::NotExecuted;
use payments_core::request::{RawRequest, RefundPayment};

use crate::support::calls::{self, error_summary, payment, payout};
use crate::support::journaled::{journaled, sent_as};
use crate::support::raw_server::{RawServer, created};

#[test]
fn a_send_and_its_operation_block_each_other() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    let sent = sent_as("/ws/payout/create", &payout("p-1"));
    client.send(&sent).unwrap();
    let entry = journal.one();
    assert_eq!((entry.operation.name(), &*entry.reference), ("create_payout", "p-1"));
    assert_eq!((entry.amount.as_deref(), entry.currency.as_deref()), (Some("10.00"), Some("BRL")));
    assert_eq!(entry.body_sha256, client.body_sha256(&payout("p-1")).unwrap());
    assert_eq!(entry.body_sha256, client.body_sha256(&sent).unwrap());
    assert_eq!(error_summary(client.create_payout(&payout("p-1"))).1, "already_done");

    client.create_payment(&payment("order-1")).unwrap();
    let again = sent_as("/ws/direct/", &payment("order-1"));
    assert_eq!(error_summary(client.send(&again)).1, "already_done");
    let other = RawRequest::new("POST", "/ws/direct").body("not JSON").reference("order-1");
    assert_eq!(error_summary(client.send(&other)).1, "reference_used");

    let refund = |hash: &str| RefundPayment::by_hash(hash);
    client.send(&sent_as("/ws/refund", &refund("5a4f"))).unwrap();
    assert_eq!(error_summary(client.refund_payment(&refund("5a4f"))).1, "already_done");

    let count = server.requests().len();
    let renamed = sent_as("/ws/payout/create", &payout("p-2")).reference("p-3");
    let error = client.send(&renamed).unwrap_err();
    assert_eq!((error.path(), error.outcome()), (Some("reference"), NotExecuted));
    assert_eq!((count, journal.all().len()), (3, 3));
    assert_eq!(server.requests().len(), count);
    client.send(&RawRequest::new("POST", "/ws/transfer").body("{}").reference("p-1")).unwrap();
    assert_eq!(journal.all().len(), 4, "another path is another thing");
}

#[test]
fn a_body_without_a_reference_is_refused_unless_one_is_named() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    let marked = "\u{feff}{\"external_reference\":\"p-1\"}";
    let twice = r#"{"external_reference":"p-1","external_reference":"p-1"}"#;
    for (body, code) in [
        (marked, "json_invalid"),
        (twice, "json_invalid"),
        ("external_reference=p-1", "json_invalid"),
    ] {
        let error = client.send(&RawRequest::new("POST", "/ws/payout/create").body(body));
        let error = error.unwrap_err();
        assert_eq!((error.code().as_str(), error.path()), (code, Some("body")));
        assert_eq!(error.outcome(), NotExecuted);
        assert!(error.message().ends_with("send a JSON object, or give `reference`"));
    }
    assert_eq!((server.requests().len(), journal.all().len()), (0, 0));
    let named = RawRequest::new("POST", "/ws/payout/create").body(marked).reference("p-1");
    client.send(&named).unwrap();
    assert_eq!(error_summary(client.create_payout(&payout("p-1"))).1, "reference_used");
    let without = Client::new(calls::config(&server.base_url())).unwrap();
    without.send(&RawRequest::new("POST", "/ws/payout/create").body(twice)).unwrap();
}
