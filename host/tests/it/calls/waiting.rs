//! The wait for a payment to be over.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use payments_core::json::{Json, Members};
use payments_core::token::{Clock, SystemClock};
use payments_core::{
    CallContext, CancelHandle, Client, ErrorCode, ErrorKind, PaymentStatus, QueryPayment,
};
use payments_host::by_name;

use crate::support::calls;
use crate::support::journal::MemoryJournal;
use crate::support::raw_server::{RawServer, json, response};

/// A service whose queries get these responses in turn, and the last one again.
fn service(responses: Vec<Vec<u8>>) -> RawServer {
    let next = AtomicUsize::new(0);
    RawServer::start(move |mut connection| {
        while connection.read_request().is_some() {
            let turn = next.fetch_add(1, Ordering::SeqCst).min(responses.len() - 1);
            connection.write(&responses[turn]);
        }
    })
}

fn with_status(code: &str) -> Vec<u8> {
    json(&format!(r#"{{"status":"SUCCESS","payment":{{"status":"{code}"}}}}"#))
}

fn client(server: &RawServer) -> Client {
    Client::new(calls::config(&server.base_url()).query_retries(0)).unwrap()
}

fn query() -> QueryPayment {
    QueryPayment::by_hash("5f2c")
}

#[test]
fn it_ends_with_the_payment() {
    let busy = response("503 Service Unavailable", "", "");
    let server = service(vec![with_status("PE"), busy, with_status("CO")]);
    let context = CallContext::with_timeout(Duration::from_secs(60));
    let paid = payments_host::wait_for_payment(&client(&server), &query(), &context).unwrap();
    assert_eq!((paid.is_paid(), server.requests().len()), (true, 3));
}

#[test]
fn at_the_deadline_it_returns_the_last_response() {
    let busy = response("503 Service Unavailable", "", "");
    let server = service(vec![with_status("PE"), busy]);
    let context = CallContext::with_timeout(Duration::from_secs(3));
    let open = payments_host::wait_for_payment(&client(&server), &query(), &context).unwrap();
    assert_eq!((open.status(), server.requests().len()), (Some(PaymentStatus::Pending), 2));
}

#[test]
fn a_failed_query_does_not_end_it() {
    let page = "<html>no healthy upstream</html>";
    for failure in [
        response("404 Not Found", "", page),
        response("403 Forbidden", "", page),
        response("302 Found", "Location: https://elsewhere.test/\r\n", ""),
        response("200 OK", "Content-Type: text/html\r\n", page),
    ] {
        let server = service(vec![with_status("PE"), failure, with_status("CO")]);
        let context = CallContext::with_timeout(Duration::from_secs(60));
        let paid = payments_host::wait_for_payment(&client(&server), &query(), &context).unwrap();
        assert_eq!((paid.is_paid(), server.requests().len()), (true, 3));
    }
}

#[test]
fn refused_credentials_are_reported_at_the_deadline() {
    let refused = response("401 Unauthorized", "", "");
    let wait = |responses: Vec<Vec<u8>>| {
        let context = CallContext::with_timeout(Duration::from_secs(4));
        payments_host::wait_for_payment(&client(&service(responses)), &query(), &context)
    };
    assert!(wait(vec![refused.clone(), with_status("CO")]).unwrap().is_paid());
    assert_eq!(wait(vec![refused]).unwrap_err().kind(), ErrorKind::Unauthorized);
}

#[test]
fn a_failure_of_the_client_ends_it() {
    let context = CallContext::with_timeout(Duration::from_secs(60));
    let client = calls::client("http://127.0.0.1:9");
    let error =
        payments_host::wait_for_payment(&client, &QueryPayment::by_hash(""), &context).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Validation);
}

#[test]
fn a_payment_that_differs_is_an_error_with_the_response() {
    let paid = |rest: &str| {
        let head = r#""status":"CO","hash":"5f2c","merchant_payment_code":"order-1""#;
        json(&format!(r#"{{"status":"SUCCESS","payment":{{{head}{rest}}}}}"#))
    };
    let wait = |query: QueryPayment, rest: &str| {
        let server = service(vec![paid(rest)]);
        let journal = Arc::new(MemoryJournal::default());
        let config = calls::config(&server.base_url()).journal(Arc::clone(&journal) as _);
        let client = Client::new(config).unwrap();
        let payment = calls::payment("order-1");
        client.create_payment(&payment).unwrap();
        let context = CallContext::with_timeout(Duration::from_secs(60));
        payments_host::wait_for_payment(&client, &query, &context)
    };
    let by_reference = || QueryPayment::by_merchant_payment_code("order-1");
    for query in [by_reference(), query()] {
        let error = wait(query, r#","amount_total":"1.00""#).unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::Protocol, ErrorCode::OTHER_REFERENCE));
        let response = error.response().unwrap();
        assert_eq!(response.view.get("is_paid").and_then(Json::as_bool), Some(true));
        assert!(error.message().contains("amount or currency"), "{error}");
    }
    let error = wait(by_reference(), r#","currency_ext":"XXX""#).unwrap_err();
    assert_eq!(error.code(), ErrorCode::OTHER_REFERENCE);
    assert!(wait(by_reference(), "").unwrap().is_paid(), "what is missing does not differ");
    assert!(wait(by_reference(), r#","amount_br":"1.00""#).unwrap().is_paid());
}

/// Like a job in another language, which makes the query itself.
#[test]
fn a_payment_that_a_job_found_is_compared_too() {
    let server = service(vec![with_status("PE")]);
    let journal = Arc::new(MemoryJournal::default());
    let config = calls::config(&server.base_url());
    let client = Client::new(config.clone().journal(Arc::clone(&journal) as _)).unwrap();
    client.create_payment(&calls::payment("order-1")).unwrap();
    let difference = |client: &Client, members: &str| {
        let body = format!(r#"{{"payment":{{{members}}}}}"#);
        let input = Json::from(Members::from([("reference", "order-1"), ("payment", &body)]));
        let input = input.to_text();
        let context = client.context();
        let client = by_name::HostClient::new(client.clone());
        by_name::journal_compare(&client, input.as_bytes(), &context).unwrap().to_text()
    };
    let same = r#"{"difference":null}"#;
    for (members, differs) in [
        (r#""status":"CO""#, false),
        (r#""status":"CO","amount_total":100.1,"currency_code":"brl""#, false),
        (r#""status":"CO","amount_br":"1.00""#, false),
        (r#""status":"PE","amount_total":"1.00""#, false),
        (r#""status":"CO","amount_total":1.00"#, true),
        (r#""status":"CO","currency_ext":"XXX""#, true),
    ] {
        let found = difference(&client, members);
        assert_eq!(found != same, differs, "{members}: {found}");
        assert_eq!(found.contains("amount or currency"), differs);
    }
    let without_journal = Client::new(config).unwrap();
    assert_eq!(difference(&without_journal, r#""status":"CO","amount_total":"1.00""#), same);
}

#[test]
fn a_payment_that_a_job_found_has_the_money_of_its_order() {
    let created = json(r#"{"status":"SUCCESS","payment":{"hash":"5f2c","status":"PE"}}"#);
    let server = service(vec![created]);
    let config = calls::config(&server.base_url());
    let without_journal = Client::new(config.clone()).unwrap();
    let client = Client::new(config.journal(Arc::new(MemoryJournal::default()))).unwrap();
    client.create_payment(&calls::payment("order-1")).unwrap();
    let difference = |client: &Client, members: &str, amount: &str| {
        let body = format!(r#"{{"payment":{{"status":"CO",{members}}}}}"#);
        let order = [("amount", amount), ("currency", "BRL")];
        let query = [("reference", "order-1"), ("payment", &*body)];
        let input = Json::from(Members::from_iter(query.into_iter().chain(order))).to_text();
        let context = client.context();
        let client = by_name::HostClient::new(client.clone());
        by_name::journal_compare(&client, input.as_bytes(), &context).unwrap().to_text()
    };
    let same = r#"{"difference":null}"#;
    for (members, amount, difference_has) in [
        (r#""amount_ext":"100.1","currency_ext":"brl""#, "100.10", None),
        (r#""amount_ext":"0.01","currency_ext":"BRL""#, "100.10", Some("of the order")),
        (r#""amount_ext":"100.10","currency_ext":"USD""#, "100.10", Some("of the order")),
        (r#""currency_ext":"USD""#, "100.10", Some("of the order")),
        (r#""amount_ext":"100.10""#, "100.10", Some("does not show")),
        (r#""hash":"5f2c""#, "100.10", Some("does not show")),
    ] {
        let found = difference(&without_journal, members, amount);
        assert_eq!(found != same, difference_has.is_some(), "{members}: {found}");
        assert!(found.contains(difference_has.unwrap_or_default()), "{members}: {found}");
    }
    // The entry with the hash has the members that are not shown.
    assert_eq!(difference(&client, r#""hash":"5f2c""#, "100.10"), same);
    assert!(difference(&client, r#""hash":"5f2c""#, "10.50").contains("does not show"));
    assert!(difference(&client, r#""hash":"0000""#, "100.10").contains("does not show"));
}

#[test]
fn a_cancellation_ends_it() {
    let server = service(vec![with_status("PE")]);
    let cancel = CancelHandle::new();
    let context = CallContext::new(Duration::from_secs(60), cancel.clone(), None);
    std::thread::scope(|scope| {
        let client = client(&server);
        let waits =
            scope.spawn(move || payments_host::wait_for_payment(&client, &query(), &context));
        while server.requests().is_empty() {
            std::thread::yield_now();
        }
        cancel.cancel();
        let error = waits.join().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.reference()), (ErrorKind::Cancelled, Some("5f2c")));
    });
}

/// A clock that is an hour further each time it is read.
struct LeapingClock(Instant, AtomicU32);

impl Clock for LeapingClock {
    fn monotonic(&self) -> Instant {
        self.0 + Duration::from_secs(3600) * self.1.fetch_add(1, Ordering::SeqCst)
    }

    fn unix(&self) -> Duration {
        SystemClock.unix()
    }
}

#[test]
fn a_payment_that_was_found_is_not_given_up_when_it_is_missing() {
    let missing =
        json(r#"{"status":"ERROR","status_code":"BP-REF-CAN-2","status_message":"not found"}"#);
    let wait = |responses: Vec<Vec<u8>>| {
        let server = service(responses);
        let clock = Arc::new(LeapingClock(Instant::now(), AtomicU32::new(0)));
        let config = calls::config(&server.base_url()).query_retries(0).clock(clock);
        let context = CallContext::with_timeout(Duration::from_millis(1200));
        payments_host::wait_for_payment(&Client::new(config).unwrap(), &query(), &context)
    };
    let status = wait(vec![with_status("PE"), missing.clone()]).unwrap().status();
    assert_eq!(status, Some(PaymentStatus::Pending));
    assert_eq!(wait(vec![missing]).unwrap_err().code(), ErrorCode::PAYMENT_NOT_FOUND);
}
