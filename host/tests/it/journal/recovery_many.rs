//! Recoveries of several entries, and the effect of other entries on one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use payments_core::journal::{EntryState, Needs};
use payments_core::request::{RawRequest, RefundPayment};
use payments_core::{CancelHandle, Client, ErrorKind};
use payments_host::by_name;
use payments_host::journal::{Decision, DecisionEffect};

use crate::support::calls::{self, error_summary, payment, payout};
use crate::support::journal::MemoryJournal;
use crate::support::raw_server::{Connection, RawServer, json};
use crate::support::wait::wait_until;

const SETTLED: u64 = 20 * 60 * 1000;

/// Loses the answers of calls, and passes the heads of queries to `treat`.
fn service(treat: impl Fn(&str, &mut Connection) + Send + Sync + 'static) -> RawServer {
    RawServer::start(move |mut connection| {
        while let Some(request) = connection.read_request() {
            if !request.head.starts_with("GET") {
                return;
            }
            treat(&request.head, &mut connection);
        }
    })
}

fn journaled(server: &RawServer) -> (Client, Arc<MemoryJournal>) {
    let journal = Arc::new(MemoryJournal::default());
    let config = calls::config(&server.base_url()).journal(Arc::clone(&journal) as _);
    (Client::new(config).unwrap(), journal)
}

fn found(reference: &str) -> Vec<u8> {
    json(&format!(
        r#"{{"status":"SUCCESS","payment":{{"hash":"5a4f","status":"CO",
            "merchant_payment_code":"{reference}"}}}}"#
    ))
}

#[test]
fn a_recovery_that_is_cancelled_during_a_query_says_so() {
    let handle = CancelHandle::new();
    let cancel = handle.clone();
    let server = service(move |_, connection| {
        cancel.cancel();
        connection.wait_for_the_end();
    });
    let (client, journal) = journaled(&server);
    client.create_payment(&payment("order-1")).unwrap_err();
    let context = client.context_with(handle, None);
    let error = payments_host::recover(&client, &context).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert_eq!(journal.one().state, EntryState::Unknown);
}

#[test]
fn results_of_threads_are_in_the_order_of_the_entries() {
    for are_ours in [true, false] {
        let answered = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&answered);
        let server = service(move |head, connection| {
            let ours = if head.contains("order-1") { "order-1" } else { "order-2" };
            if ours == "order-1" {
                wait_until("the other is answered", || seen.load(Ordering::SeqCst) == 1);
            }
            connection.write(&found(if are_ours { ours } else { "order-3" }));
        });
        let (client, journal) = journaled(&server);
        for reference in ["order-1", "order-2"] {
            client.create_payment(&payment(reference)).unwrap_err();
            // Entries of one millisecond have no order.
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let running = payments_host::recovery::begin(&client, &client.context()).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    running.work(&client.context()).unwrap();
                    answered.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        let recovery = running.end();
        let references: Vec<_> = if are_ours {
            recovery.recovered.iter().map(|it| &it.reference).collect()
        } else {
            recovery.open.iter().map(|it| &it.entry.reference).collect()
        };
        assert_eq!(references, ["order-1", "order-2"]);
        assert_eq!(journal.all().len(), 2);
    }
}

#[test]
fn a_cancelled_refund_may_be_another_attempt() {
    let server = service(|_, connection| {
        connection.write(&json(
            r#"{"status":"SUCCESS","payment":{"hash":"5a4f","status":"CO",
                "refunds":[{"merchant_refund_code":"refund-1","status":"CA"}]}}"#,
        ));
    });
    let (client, journal) = journaled(&server);
    let refund = RefundPayment::by_hash("5a4f")
        .amount("10.00".parse().unwrap())
        .merchant_refund_code("refund-1");
    for expected in [None, Some(Needs::Person)] {
        client.refund_payment(&refund).unwrap_err();
        *journal.ahead.lock().unwrap() += SETTLED;
        let recovery = payments_host::recover(&client, &client.context()).unwrap();
        assert_eq!(recovery.open.first().map(|it| it.needs), expected, "{recovery:?}");
    }
}

#[test]
fn identifiers_of_calls_are_recorded_except_for_send() {
    let server = RawServer::responding(found("order-1"));
    let (client, journal) = journaled(&server);
    let own = RawRequest::new("POST", "/ws/own").body("{}").reference("own-1");
    client.send(&own).unwrap();
    assert_eq!((journal.one().hash, journal.one().uid), (None, None));
    journal.entries.lock().unwrap().clear();
    let input = br#"{"payment": {"name": "Ana", "email": "ana@example.com", "country": "mx",
        "payment_type_code": "oxxo", "merchant_payment_code": "order-1", "currency_code": "MXN",
        "amount_total": "250.00"}}"#;
    by_name::call(&client, "create_payment", input, &client.context()).unwrap();
    assert_eq!(journal.one().hash.as_deref(), Some("5a4f"));
}

/// A file of decisions is checked as a whole before any is recorded.
#[test]
fn a_decision_that_comes_too_early_is_refused() {
    let server = service(|_, _| {});
    let (client, journal) = journaled(&server);
    client.create_payout(&payout("payout-1")).unwrap_err();
    let plan = |executed| {
        let (entry, note) = ("payout-1".to_owned(), "not listed".to_owned());
        payments_host::journal::plan(
            &client,
            &Decision { entry, executed, note },
            &client.context(),
        )
    };
    assert_eq!(error_summary(plan(false)).1, "entry_too_early");
    assert!(matches!(plan(true), Ok(DecisionEffect::Resolve(_))));
    *journal.ahead.lock().unwrap() += SETTLED;
    assert!(matches!(plan(false), Ok(DecisionEffect::Resolve(_))));
}

#[test]
fn a_journal_is_not_read_for_a_call_that_was_cancelled() {
    let server = service(|_, _| {});
    let (client, _journal) = journaled(&server);
    let cancel = CancelHandle::new();
    let context = client.context_with(cancel.clone(), None);
    assert!(payments_host::journal::show(&client, "order-1", &context).is_ok());
    cancel.cancel();
    let refused = payments_host::journal::show(&client, "order-1", &context).map(drop).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Cancelled);
}
