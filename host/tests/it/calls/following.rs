//! Following payments and refunds until they have ended.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use payments_core::token::Clock;
use payments_core::{CallContext, CancelHandle, Client, ErrorKind, Operation};
use payments_host::follow::{EndKind, FollowEnd, FollowOptions, Progress};

use crate::support::calls::{self, payment};
#[cfg(unix)]
use crate::support::folder::Folder;
use crate::support::journal::MemoryJournal;
use crate::support::merchant::{INTEGRATION_KEY, Merchant, NONE};
use crate::support::raw_server::{RawServer, json, response};

/// A clock on which a tenth of a second passes whenever it is read.
struct SteppingClock(Instant, AtomicU32);

impl SteppingClock {
    fn new() -> Arc<Self> {
        Arc::new(Self(Instant::now(), AtomicU32::new(0)))
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(100) * self.1.fetch_add(1, Ordering::SeqCst)
    }
}

impl Clock for SteppingClock {
    fn monotonic(&self) -> Instant {
        self.0 + self.elapsed()
    }

    fn unix(&self) -> Duration {
        Duration::from_secs(1_800_000_000) + self.elapsed()
    }
}

/// A service whose queries for a reference get these responses in turn, and the
/// last one again.
fn service(payments: &[(&str, Vec<Vec<u8>>)]) -> RawServer {
    let owned = |(reference, responses): &(&str, Vec<Vec<u8>>)| {
        ((*reference).to_owned(), (0_usize, responses.clone()))
    };
    let ledger: Mutex<HashMap<_, _>> = Mutex::new(payments.iter().map(owned).collect());
    RawServer::start(move |mut connection| {
        while let Some(request) = connection.read_request() {
            let answer = {
                let mut ledger = ledger.lock().unwrap();
                let (turn, responses) = ledger
                    .iter_mut()
                    .find_map(|(name, it)| asks_for(&request.head, name).then_some(it))
                    .unwrap();
                *turn += 1;
                responses[(*turn - 1).min(responses.len() - 1)].clone()
            };
            connection.write(&answer);
        }
    })
}

fn asks_for(head: &str, reference: &str) -> bool {
    let target = head.split(' ').nth(1).unwrap_or_default();
    target.split(['?', '&']).any(|pair| pair.split_once('=').is_some_and(|(_, it)| it == reference))
}

fn queries(server: &RawServer, reference: &str) -> usize {
    server.requests().iter().filter(|it| asks_for(&it.head, reference)).count()
}

fn with_status(code: &str) -> Vec<u8> {
    json(&format!(r#"{{"status":"SUCCESS","payment":{{"status":"{code}"}}}}"#))
}

fn client(server: &RawServer) -> Client {
    Client::new(calls::config(&server.base_url()).clock(SteppingClock::new())).unwrap()
}

fn following(references: &[&str]) -> FollowOptions {
    let references = references.iter().map(|&it| it.to_owned()).collect();
    FollowOptions { references: Some(references), per_second: u32::MAX, ..FollowOptions::default() }
}

fn context() -> CallContext {
    CallContext::with_timeout(Duration::from_millis(1))
}

fn all(client: &Client, options: &FollowOptions) -> Vec<FollowEnd> {
    let mut follow = payments_host::follow(client, options.clone(), &context()).unwrap();
    let mut ends = Vec::new();
    loop {
        match follow.next_within(Duration::ZERO, &context()).unwrap() {
            Progress::Ended(end) => ends.push(end),
            Progress::Open => {}
            Progress::Over => return ends,
        }
    }
}

fn summary(ends: &[FollowEnd]) -> Vec<(&str, EndKind, Option<&str>)> {
    let mut summary: Vec<_> =
        ends.iter().map(|it| (&*it.reference, it.end, it.status.as_deref())).collect();
    summary.sort_by_key(|it| it.0);
    summary
}

#[test]
fn each_end_is_given_once_and_open_codes_are_queried_again() {
    let busy = response("503 Service Unavailable", "", "");
    let server = service(&[
        ("order-1", vec![with_status("OP"), busy, with_status("a new one"), with_status("CO")]),
        ("order-2", vec![with_status("PE"), with_status("CA")]),
    ]);
    let ends = all(&client(&server), &following(&["order-1", "order-2", "order-1"]));
    assert_eq!(
        summary(&ends),
        [("order-1", EndKind::Confirmed, Some("CO")), ("order-2", EndKind::Cancelled, Some("CA"))]
    );
    assert!(ends.iter().all(|end| !end.repeated && end.operation == Operation::CreatePayment));
    assert_eq!([queries(&server, "order-1"), queries(&server, "order-2")], [4, 2]);
}

#[cfg(unix)]
#[test]
fn an_end_that_was_not_confirmed_comes_again_with_a_mark() {
    let folder = Folder::made();
    let paid = || vec![with_status("CO")];
    let server = service(&[("order-1", paid()), ("order-2", paid()), ("order-3", paid())]);
    let client = client(&server);
    let state = Some(folder.path().join("state"));
    let options = FollowOptions { state, ..following(&["order-1", "order-2", "order-3"]) };
    let mut follow = payments_host::follow(&client, options.clone(), &context()).unwrap();
    let error = payments_host::follow(&client, options.clone(), &context()).unwrap_err();
    assert_eq!(
        (error.kind(), error.code()),
        (ErrorKind::Config, payments_core::ErrorCode::ALREADY_RUNNING)
    );
    let first = follow.next().unwrap().unwrap();
    let second = follow.next().unwrap().unwrap();
    drop(follow);
    let ends = all(&client, &options);
    assert_eq!(ends.len(), 2, "the first one was confirmed when the second was asked for");
    for end in &ends {
        assert_ne!(end.reference, first.reference);
        assert_eq!(end.repeated, end.reference == second.reference);
    }
    assert!(all(&client, &options).is_empty());
    let mut follow = payments_host::follow(&client, following(&["order-1"]), &context()).unwrap();
    follow.next().unwrap().unwrap();
    follow.confirm().unwrap();
    assert!(follow.next().is_none());
}

#[test]
fn a_429_stops_all_queries_for_as_long_as_it_says() {
    let limited = response("429 Too Many Requests", "Retry-After: 3600\r\n", "");
    let server = service(&[("order-1", vec![limited.clone()]), ("order-2", vec![limited])]);
    let client = client(&server);
    let mut follow =
        payments_host::follow(&client, following(&["order-1", "order-2"]), &context()).unwrap();
    let limit = Duration::from_millis(500);
    let progress = follow.next_within(limit, &context()).unwrap();
    assert!(matches!(progress, Progress::Open), "{progress:?}");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn an_open_payment_is_given_up_with_a_reason() {
    let missing =
        json(r#"{"status":"ERROR","status_code":"BP-REF-CAN-2","status_message":"not found"}"#);
    let refused = json(r#"{"status":"ERROR","status_code":"BP-XX-9","status_message":"refused"}"#);
    let server = service(&[
        ("order-1", vec![with_status("PE")]),
        ("order-2", vec![missing]),
        ("order-3", vec![refused]),
    ]);
    let options = FollowOptions {
        give_up_after: Duration::from_secs(10),
        ..following(&["order-1", "order-2", "order-3"])
    };
    let ends = all(&client(&server), &options);
    assert_eq!(
        summary(&ends),
        [
            ("order-1", EndKind::GivenUp, Some("PE")),
            ("order-2", EndKind::GivenUp, None),
            ("order-3", EndKind::GivenUp, None)
        ]
    );
    let of = |reference: &str| ends.iter().find(|end| end.reference == reference).unwrap();
    assert!(of("order-1").reason.as_deref().unwrap().starts_with("it is still open after 1"));
    assert_eq!(of("order-2").code.as_deref(), Some("payment_not_found"));
    assert!(of("order-3").reason.as_deref().unwrap().contains("BP-XX-9"));
    for reference in ["order-1", "order-2", "order-3"] {
        assert!(queries(&server, reference) > 2, "{reference}");
    }
}

#[test]
fn a_failed_query_ends_nothing() {
    let page = "<html>no healthy upstream</html>";
    let redirect = "Location: https://elsewhere.test/\r\n";
    for failure in [
        response("404 Not Found", "", page),
        response("403 Forbidden", "", page),
        response("302 Found", redirect, ""),
        response("200 OK", "Content-Type: text/html\r\n", page),
        response("401 Unauthorized", "", ""),
        response("400 Bad Request", "", ""),
        json(r#"{"status":"ERROR","status_code":"BP-SA-2","status_message":"invalid key"}"#),
    ] {
        let failed = String::from_utf8_lossy(&failure).into_owned();
        let server = service(&[
            ("order-1", vec![with_status("PE"), failure, with_status("CO")]),
            ("order-2", vec![with_status("PE"), with_status("PE"), with_status("CO")]),
        ]);
        let ends = all(&client(&server), &following(&["order-1", "order-2"]));
        let ends: Vec<_> = ends.into_iter().filter(|it| it.end != EndKind::QueryFailing).collect();
        assert_eq!(
            summary(&ends),
            [
                ("order-1", EndKind::Confirmed, Some("CO")),
                ("order-2", EndKind::Confirmed, Some("CO"))
            ],
            "{failed}"
        );
    }
}

#[test]
fn a_cancellation_ends_it() {
    let server = service(&[("order-1", vec![with_status("PE")])]);
    let cancel = CancelHandle::new();
    let context = CallContext::new(Duration::from_secs(60), cancel.clone(), None);
    let mut follow =
        payments_host::follow(&client(&server), following(&["order-1"]), &context).unwrap();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| follow.next());
        while server.requests().is_empty() {
            std::thread::yield_now();
        }
        cancel.cancel();
        assert_eq!(waits.join().unwrap().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    });
}

#[cfg(unix)]
#[test]
fn a_restart_first_queries_new_payments() {
    let folder = Folder::made();
    let server =
        service(&[("order-1", vec![with_status("PE")]), ("order-2", vec![with_status("PE")])]);
    let client = Client::new(calls::config(&server.base_url())).unwrap();
    let state = Some(folder.path().join("state"));
    let options = FollowOptions { state, per_second: 2, ..following(&["order-1", "order-2"]) };
    for _ in 0..2 {
        let mut follow = payments_host::follow(&client, options.clone(), &context()).unwrap();
        let already = server.requests().len();
        while server.requests().len() == already {
            follow.next_within(Duration::from_millis(10), &context()).unwrap();
        }
    }
    assert_eq!([queries(&server, "order-1"), queries(&server, "order-2")], [1, 1]);
}

#[test]
fn entries_of_the_journal_are_followed() {
    let merchant = Merchant::with(NONE);
    let journal = Arc::new(MemoryJournal::default());
    let config = merchant.config(INTEGRATION_KEY).journal(Arc::clone(&journal) as _);
    let client = Client::new(config).unwrap();
    let create = |reference: &str| {
        let response = client.create_payment(&payment(reference)).unwrap();
        response.hash().unwrap().to_owned()
    };
    let hashes = ["order-1", "order-2"].map(create);
    client.create_payout(&calls::payout("payout-1")).unwrap();
    merchant.sandbox.confirm_payment(&hashes[0]).unwrap();
    let options = FollowOptions { per_second: 1000, ..FollowOptions::default() };
    let mut follow = payments_host::follow(&client, options.clone(), &context()).unwrap();
    let end = follow.next().unwrap().unwrap();
    assert_eq!((&*end.reference, end.end), ("order-1", EndKind::Confirmed));
    assert_eq!(end.hash.as_deref(), Some(&*hashes[0]));
    merchant.sandbox.cancel_payment(&hashes[1]).unwrap();
    let end = follow.next().unwrap().unwrap();
    assert_eq!((&*end.reference, end.end), ("order-2", EndKind::Cancelled));
    assert!(follow.next().is_none());
    let old = FollowOptions { since: Duration::ZERO, ..options };
    assert!(all(&client, &old).is_empty());
}

#[test]
fn refunds_of_the_journal_are_followed_too() {
    let refunds = r#"{"status":"SUCCESS","payment":{"status":"CO","hash":"5f2c","refunds":[
        {"id":"7","merchant_refund_code":"refund-1","status":"CO"}]}}"#;
    let server = service(&[("5f2c", vec![json(refunds)])]);
    let journal = Arc::new(MemoryJournal::default());
    let config = calls::config(&server.base_url()).journal(Arc::clone(&journal) as _);
    let client = Client::new(config).unwrap();
    let maker = RawServer::responding(crate::support::raw_server::created());
    let making = calls::config(&maker.base_url()).journal(Arc::clone(&journal) as _);
    Client::new(making).unwrap().create_payment(&payment("order-1")).unwrap();
    journal.change(|entry| {
        entry.operation = Operation::RefundPayment;
        entry.reference = "5f2c".to_owned();
        entry.refund_code = Some("refund-1".to_owned());
    });
    let ends = all(&client, &FollowOptions::default());
    assert_eq!(summary(&ends), [("5f2c", EndKind::Confirmed, Some("CO"))]);
    assert_eq!(ends[0].refund_code.as_deref(), Some("refund-1"));
    journal.change(|entry| entry.refund_code = None);
    let ends = all(&client, &FollowOptions::default());
    assert_eq!((ends[0].end, ends[0].operation), (EndKind::GivenUp, Operation::RefundPayment));
    assert_eq!(server.requests().len(), 1, "no query would find it");
}

#[test]
fn options_that_cannot_work_are_refused() {
    let client = calls::client("http://127.0.0.1:9");
    let refusal =
        |options: FollowOptions| payments_host::follow(&client, options, &context()).unwrap_err();
    let error = refusal(FollowOptions::default());
    assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some("journal")));
    for (options, path) in [
        (following(&["order-1", " "]), "references"),
        (FollowOptions { per_second: 0, ..following(&[]) }, "per_second"),
    ] {
        let error = refusal(options);
        assert_eq!((error.kind(), error.path()), (ErrorKind::Validation, Some(path)));
    }
    assert!(all(&client, &following(&[])).is_empty());
}
