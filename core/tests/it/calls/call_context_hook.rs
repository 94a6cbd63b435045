//! Interrupt hooks, and late cancellations.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_core::context::InterruptHook;
use payments_core::journal::EntryState;
use payments_core::json::Json;
use payments_core::observer::{Event, EventKind, Level};
use payments_core::request::QueryPayment;
use payments_core::{CallContext, CancelHandle, Client, Error, ErrorKind, Operation, Outcome};

use crate::support::calls;
use crate::support::journal::MemoryJournal;
use crate::support::raw_server::{RawServer, created, json, response};

const FAR: Duration = Duration::from_secs(60);

fn pay(client: &Client, hook: InterruptHook) -> Result<(), Error> {
    let context = CallContext::new(FAR, CancelHandle::new(), Some(hook));
    client.execute(&calls::payment("order-1"), &context).map(drop)
}

/// A service that is also its own token server, and slow enough for the hook to
/// be asked while the call waits.
fn slow_service() -> RawServer {
    RawServer::start(|mut connection| {
        while let Some(request) = connection.read_request() {
            std::thread::sleep(Duration::from_millis(120));
            connection.write(&if request.head.contains("oauth") {
                json(r#"{"access_token":"t","token_type":"bearer","expires_in":3600}"#)
            } else {
                created()
            });
        }
    })
}

fn client_with_token(server: &RawServer) -> Client {
    let config = calls::config(&server.base_url());
    Client::new(config.client_credentials(server.base_url(), "id", "secret")).unwrap()
}

#[test]
fn a_call_cancelled_late_has_its_response() {
    let server = Arc::new(RawServer::responding(created()));
    let client = calls::client(&server.base_url());
    let seen = Arc::clone(&server);
    let hook = Arc::new(move || {
        // Gives the response time to reach the socket before the hook stops the
        // call.
        let is_sent = !seen.requests().is_empty();
        std::thread::sleep(Duration::from_millis(if is_sent { 200 } else { 0 }));
        is_sent
    });
    let error = pay(&client, hook).unwrap_err();
    assert_eq!(
        (error.kind(), error.code().as_str()),
        (ErrorKind::Cancelled, "interrupted_after_response")
    );
    assert_eq!((error.outcome(), error.payment_hash()), (Outcome::Executed, Some("5f2c")));
    assert!(error.may_have_been_executed() && error.advice().unwrap().contains("was executed"));
    assert_eq!((error.reference(), error.attempts()), (Some("order-1"), 1));
    let response = error.response().unwrap();
    assert_eq!(response.view.get("hash").and_then(Json::as_str), Some("5f2c"));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn the_observer_gets_the_end_of_its_call() {
    let server = RawServer::responding(created());
    let cancel = CancelHandle::new();
    let causes = Arc::new(Mutex::new(Vec::new()));
    let (handle, ends) = (cancel.clone(), Arc::clone(&causes));
    let observer = Arc::new(move |event: &Event<'_>| {
        if let EventKind::RequestEnded { failure, .. } = event.kind {
            ends.lock().unwrap().push(failure.map(|it| (it.kind, it.outcome)));
            // Too late: the end of the call has been reported.
            handle.cancel();
        }
    });
    let client = Client::new(calls::config(&server.base_url()).observer(observer)).unwrap();
    let context = CallContext::new(FAR, cancel, None);
    let result = client.execute(&calls::payment("order-1"), &context);
    assert_eq!(result.unwrap().hash(), Some("5f2c"));
    let error = client.execute(&calls::payment("order-2"), &context).unwrap_err();
    let end = (error.kind(), error.outcome());
    assert_eq!(end, (ErrorKind::Cancelled, Outcome::NotExecuted));
    assert_eq!(*causes.lock().unwrap(), [None, Some(end)]);
}

/// A query may be sent again, whatever its outcome.
#[test]
fn the_observer_gets_the_outcome_of_a_query() {
    let server = RawServer::responding(response("500 Down", "", ""));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ends = Arc::clone(&heard);
    let observer = Arc::new(move |event: &Event<'_>| {
        if let EventKind::RequestEnded { failure, .. } = event.kind {
            ends.lock().unwrap().push((failure.map(|it| it.outcome), event.level()));
        }
    });
    let config = calls::config(&server.base_url()).query_retries(0).observer(observer);
    let client = Client::new(config).unwrap();
    let error = client.query_payment(&QueryPayment::by_hash("5f2c")).map(drop).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Status, Outcome::NotExecuted));
    assert_eq!(*heard.lock().unwrap(), [(Some(Outcome::NotExecuted), Level::Info)]);
}

#[test]
fn a_call_cancelled_while_it_fails_keeps_its_failure() {
    let server =
        Arc::new(RawServer::responding(response("422 No", "", r#"{"status_code":"BP-9"}"#)));
    let client = calls::client(&server.base_url());
    let seen = Arc::clone(&server);
    let hook = Arc::new(move || {
        let is_sent = !seen.requests().is_empty();
        std::thread::sleep(Duration::from_millis(if is_sent { 200 } else { 0 }));
        is_sent
    });
    let error = pay(&client, hook).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Cancelled, Outcome::NotExecuted));
    assert_eq!((error.http_status(), error.service_code()), (Some(422), Some("BP-9")));
    let cause = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<Error>());
    assert_eq!(cause.map(Error::kind), Some(ErrorKind::Status));
}

#[test]
fn a_complete_response_beats_a_deadline_that_passes_late() {
    let server = Arc::new(RawServer::responding(created()));
    let client = calls::client(&server.base_url());
    let seen = Arc::clone(&server);
    let hook: InterruptHook = Arc::new(move || {
        std::thread::sleep(Duration::from_millis(if seen.requests().is_empty() { 0 } else { 600 }));
        false
    });
    let context = CallContext::new(Duration::from_millis(500), CancelHandle::new(), Some(hook));
    client.execute(&calls::payment("order-1"), &context).unwrap();
}

#[test]
fn a_call_that_is_over_keeps_its_hook_no_longer() {
    let server = RawServer::responding(created());
    let client = calls::client(&server.base_url());
    let held = Arc::new(());
    let holds = Arc::clone(&held);
    let hook = Arc::new(move || Arc::strong_count(&holds) == 0);
    pay(&client, hook).unwrap();
    assert_eq!(Arc::strong_count(&held), 1, "an idle connection holds it");
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_hook_may_call_another_client_at_any_time() {
    let (server, other) = (slow_service(), RawServer::responding(created()));
    let client = client_with_token(&server);
    let another = calls::client(&other.base_url());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let hook = Arc::new(move || {
        count.fetch_add(1, Ordering::SeqCst);
        another.create_payment(&calls::payment("order-2")).unwrap();
        false
    });
    pay(&client, hook).unwrap();
    let asked = asked.load(Ordering::SeqCst);
    assert!(asked > 5, "{asked}");
    assert_eq!(other.requests().len(), asked);
    assert_eq!(server.requests().len(), 2, "a token and a payment");
}

#[test]
fn a_hook_that_calls_its_own_client_is_refused() {
    let server = slow_service();
    let client = client_with_token(&server);
    let codes = Arc::new(Mutex::new(Vec::new()));
    let (noted_codes, same) = (Arc::clone(&codes), client.clone());
    let hook = Arc::new(move || {
        let error = same.create_payment(&calls::payment("order-2")).unwrap_err();
        noted_codes.lock().unwrap().push(error.code().as_str());
        false
    });
    pay(&client, hook).unwrap();
    let codes = codes.lock().unwrap();
    assert!(!codes.is_empty() && codes.iter().all(|code| *code == "reentrant_call"), "{codes:?}");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_hook_is_asked_under_no_lock() {
    let server = slow_service();
    let client = client_with_token(&server);
    let same = client.clone();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let hook: InterruptHook = Arc::new(move || {
        // Another thread can take the locks of the same client.
        let free = same.clone();
        let status = std::thread::spawn(move || {
            let context = free.context();
            let status = free.token_status(&context).unwrap();
            if status.is_usable {
                free.create_payment(&calls::payment("order-2")).unwrap();
            }
        });
        status.join().unwrap();
        count.fetch_add(1, Ordering::SeqCst);
        false
    });
    // One call fetches the token while the other waits for it.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| pay(&client, Arc::clone(&hook)).unwrap());
        }
    });
    assert!(asked.load(Ordering::SeqCst) > 5);
}

/// The transport of this crate knows that no byte left.
#[test]
fn a_panic_of_the_hook_before_the_first_byte_is_not_executed() {
    let server = RawServer::responding(created());
    let connects = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&connects);
    let journal = Arc::new(MemoryJournal::default());
    let observer = Arc::new(move |event: &Event<'_>| {
        noted.store(matches!(event.kind, EventKind::Attempt { .. }), Ordering::SeqCst);
    });
    let config = calls::config(&server.base_url()).journal(Arc::clone(&journal) as _);
    let client = Client::new(config.observer(observer)).unwrap();
    let hook = Arc::new(move || {
        assert!(!connects.load(Ordering::SeqCst), "a bug in the hook");
        false
    });
    let context = CallContext::new(FAR, CancelHandle::new(), Some(hook));
    let error = client.execute(&calls::payment("order-1"), &context).map(drop).unwrap_err();
    assert_eq!((error.kind(), error.code().as_str()), (ErrorKind::Internal, "internal_error"));
    assert_eq!((error.outcome(), error.attempts()), (Outcome::NotExecuted, 1));
    assert_eq!(journal.one().state, EntryState::Failed);
    assert!(!context.may_have_sent() && server.requests().is_empty());
}

#[test]
fn a_panic_between_attempts_keeps_the_facts_of_the_call() {
    let server = RawServer::responding(response("500 Down", "", ""));
    let waits = Arc::new(AtomicBool::new(false));
    let ends = Arc::new(Mutex::new(Vec::new()));
    let (noted, noted_ends) = (Arc::clone(&waits), Arc::clone(&ends));
    let config =
        calls::config(&server.base_url()).observer(Arc::new(move |event: &Event<'_>| match event
            .kind
        {
            EventKind::Retry { .. } => noted.store(true, Ordering::SeqCst),
            EventKind::RequestEnded { failure, .. } => noted_ends.lock().unwrap().push(*failure),
            _ => {}
        }));
    let client = Client::new(config).unwrap();
    let hook = Arc::new(move || {
        assert!(!waits.load(Ordering::SeqCst), "a bug in the hook");
        false
    });
    let context = CallContext::new(FAR, CancelHandle::new(), Some(hook));
    let error = client.execute(&QueryPayment::by_hash("5f2c"), &context).map(drop).unwrap_err();
    assert_eq!((error.kind(), error.code().as_str()), (ErrorKind::Internal, "internal_error"));
    // A query may be sent again, whatever its outcome.
    assert_eq!((error.outcome(), error.attempts()), (Outcome::NotExecuted, 1));
    assert_eq!(error.operation(), Some(Operation::QueryPayment));
    assert!(error.advice().is_none() && !error.to_string().contains("a bug in the hook"));
    let ends: Vec<_> = ends.lock().unwrap().iter().flatten().map(|it| (it.kind, it.code)).collect();
    assert_eq!(ends, [(ErrorKind::Internal, "internal_error")]);
}
