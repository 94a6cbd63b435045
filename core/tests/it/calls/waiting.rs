//! The wait for a payment to be over.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use payments_core::token::{Clock, SystemClock};
use payments_core::{
    CallContext, CancelHandle, Client, ErrorCode, ErrorKind, PaymentStatus, QueryPayment,
};

use crate::support::calls;
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
    let paid = client(&server).wait_for_payment(&query(), &context).unwrap();
    assert_eq!((paid.is_paid(), server.requests().len()), (true, 3));
}

#[test]
fn at_the_deadline_it_returns_what_it_knows() {
    let busy = response("503 Service Unavailable", "", "");
    let server = service(vec![with_status("PE"), busy]);
    let context = CallContext::with_timeout(Duration::from_secs(3));
    let open = client(&server).wait_for_payment(&query(), &context).unwrap();
    assert_eq!((open.status(), server.requests().len()), (Some(PaymentStatus::Pending), 2));
}

#[test]
fn what_would_fail_again_ends_it() {
    let server = service(vec![with_status("PE"), response("403 Forbidden", "", "")]);
    let context = CallContext::with_timeout(Duration::from_secs(60));
    let error = client(&server).wait_for_payment(&query(), &context).unwrap_err();
    assert_eq!((error.kind(), server.requests().len()), (ErrorKind::Status, 2));
}

#[test]
fn cancelling_ends_it() {
    let server = service(vec![with_status("PE")]);
    let cancel = CancelHandle::new();
    let context = CallContext::new(Duration::from_secs(60), cancel.clone(), None);
    std::thread::scope(|scope| {
        let client = client(&server);
        let waits = scope.spawn(move || client.wait_for_payment(&query(), &context));
        while server.requests().is_empty() {
            std::thread::yield_now();
        }
        cancel.cancel();
        let error = waits.join().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.reference()), (ErrorKind::Cancelled, Some("5f2c")));
    });
}

/// A clock that is an hour further each time it is read.
struct Leaping(Instant, AtomicU32);

impl Clock for Leaping {
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
        let clock = Arc::new(Leaping(Instant::now(), AtomicU32::new(0)));
        let config = calls::config(&server.base_url()).query_retries(0).clock(clock);
        let context = CallContext::with_timeout(Duration::from_millis(1200));
        Client::new(config).unwrap().wait_for_payment(&query(), &context)
    };
    let status = wait(vec![with_status("PE"), missing.clone()]).unwrap().status();
    assert_eq!(status, Some(PaymentStatus::Pending));
    assert_eq!(wait(vec![missing]).unwrap_err().code(), ErrorCode::PAYMENT_NOT_FOUND);
}
