//! Clients back off after the token server refuses or fails.

use std::sync::Arc;
use std::time::Duration;

use payments_core::transport::{FailureKind, Received, TransportFailure};
use payments_core::{CallContext, Client, ErrorKind, Outcome};

use crate::support::tokens;
use crate::support::tokens::{
    HOUR, MANY, Service, at_once, broken, call, client, config, milliseconds, refused_connection,
    seconds, stage, status, status_with, timed_out, token_response,
};

fn backoff(client: &Client) -> Duration {
    let status = client.token_status(&client.context()).unwrap();
    status.backoff.expect("there is a backoff")
}

/// 64 threads call during and after each of three backoffs. Only one asks each
/// time, until the token server recovers.
fn no_client_asks_again(response: fn() -> Received, code: &str, http_status: u16) {
    let (service, clock, client) = stage();
    service.on_token(move |_| Ok(response()));
    let error = call(&client).unwrap_err();
    assert_eq!((error.kind(), error.code().as_str()), (ErrorKind::Token, code));
    assert_eq!((error.outcome(), error.http_status()), (Outcome::NotExecuted, Some(http_status)));
    assert!(error.retry_after().is_some());
    let mut before = Duration::ZERO;
    for asked in 1..=3 {
        let length = backoff(&client);
        assert!(length > before, "{length:?} after {before:?}");
        before = length;
        clock.advance(length - milliseconds(1));
        at_once(MANY, |_| {
            let error = call(&client).unwrap_err();
            assert_eq!((error.kind(), error.code().as_str()), (ErrorKind::Token, "token_backoff"));
            assert_eq!(error.outcome(), Outcome::NotExecuted);
            assert_eq!(error.retry_after(), Some(milliseconds(1)));
        });
        assert_eq!(service.token_requests(), asked);
        clock.advance(milliseconds(1));
        at_once(MANY, |_| assert_eq!(call(&client).unwrap_err().kind(), ErrorKind::Token));
        assert_eq!(service.token_requests(), asked + 1, "one asks");
    }
    assert!(service.calls().is_empty());
    clock.advance(backoff(&client));
    service.issue_tokens();
    at_once(MANY, |_| call(&client).unwrap());
    assert_eq!(service.token_requests(), 5);
}

#[test]
fn no_client_asks_again_after_403() {
    no_client_asks_again(|| status(403), "token_requests_blocked", 403);
}

#[test]
fn no_client_asks_again_after_429() {
    no_client_asks_again(|| status(429), "token_requests_blocked", 429);
}

#[test]
fn no_client_asks_again_after_wrong_credentials() {
    no_client_asks_again(|| status(401), "credentials_refused", 401);
}

#[test]
fn no_client_asks_again_after_an_error_of_the_token_server() {
    let refused = || token_response(r#"{"error":"unauthorized_client"}"#);
    no_client_asks_again(refused, "token_request_refused", 200);
}

/// With any status, the client counts as refused, and waits longer than after a
/// failure.
#[test]
fn an_error_of_the_token_server_is_a_refusal() {
    for (status, error, least) in [
        (200, "invalid_scope", 30),
        (302, "access_denied", 30),
        (400, "invalid_client", 30),
        (200, "server_error", 2),
        (503, "invalid_client", 2),
    ] {
        let (service, _, client) = stage();
        service.on_token(move |_| {
            let body = format!(r#"{{"error":"{error}"}}"#).into_bytes();
            Ok(Received::new(status, Vec::new(), body))
        });
        call(&client).unwrap_err();
        let length = backoff(&client);
        assert!(
            length >= seconds(least) && length <= seconds(least) * 5 / 4,
            "{error}: {length:?}"
        );
    }
    let (service, _, client) = stage();
    service.on_token(|_| {
        let headers = vec![("Retry-After".to_owned(), "90".to_owned())];
        Ok(Received::new(200, headers, br#"{"error":"invalid_scope"}"#.to_vec()))
    });
    assert!(call(&client).unwrap_err().retry_after() >= Some(seconds(90)));
}

#[test]
fn no_client_asks_again_after_500() {
    no_client_asks_again(|| status(500), "token_server_failed", 500);
}

#[test]
fn no_client_asks_again_after_an_unusable_response() {
    no_client_asks_again(|| token_response("<html>"), "token_unusable", 200);
}

#[test]
fn retry_after_is_honored_and_capped_for_each_failure() {
    for (header, at_least, at_most) in
        [("90", 90, 100), ("1", 1, 2), ("0", 1, 2), ("999999999999", 3600, 3960), ("soon", 30, 38)]
    {
        let (service, _, client) = stage();
        service.on_token(move |_| Ok(status_with(429, "Retry-After", header)));
        let error = call(&client).unwrap_err();
        let retry_after = error.retry_after().unwrap();
        assert!(retry_after >= seconds(at_least), "{header}: {retry_after:?}");
        assert!(retry_after <= seconds(at_most), "{header}: {retry_after:?}");
        assert_eq!(backoff(&client), retry_after);
    }
}

#[test]
fn a_server_that_always_asks_for_no_wait_is_asked_less_and_less() {
    let (service, clock, client) = stage();
    service.on_token(|_| Ok(status_with(429, "Retry-After", "0")));
    for _ in 0..600 {
        call(&client).unwrap_err();
        clock.advance(seconds(1));
    }
    assert!(service.token_requests() < 12, "{} requests", service.token_requests());
}

#[test]
fn the_old_token_is_used_while_it_lives() {
    let (service, clock, client) = stage();
    let issuing = Arc::downgrade(&service);
    service.on_token(move |asked| match asked.number {
        1 => issuing.upgrade().expect("it is asking").issue("token-1", 3600),
        _ => Ok(status_with(429, "Retry-After", "1800")),
    });
    call(&client).unwrap();
    clock.advance(HOUR - seconds(60));
    at_once(MANY, |_| call(&client).unwrap());
    assert_eq!(service.token_requests(), 2);
    assert!(service.calls().iter().all(|sent| sent.token() == "token-1"));
    let status = client.token_status(&client.context()).unwrap();
    assert!(status.is_usable && status.backoff.is_some());
    clock.advance(seconds(60));
    let error = call(&client).unwrap_err();
    assert_eq!((error.kind(), error.code().as_str()), (ErrorKind::Token, "token_backoff"));
    assert!(error.retry_after() >= Some(seconds(1740)));
    assert_eq!(service.token_requests(), 2);
}

#[test]
fn within_one_call_only_unsent_requests_are_retried() {
    let connect = || TransportFailure::new(FailureKind::Connect, "refused, perhaps");
    let cases: [(fn() -> TransportFailure, usize); 4] =
        [(refused_connection, 3), (connect, 1), (broken, 1), (timed_out, 1)];
    for (failure, requests) in cases {
        let (service, clock, client) = stage();
        service.on_token(move |_| Err(failure()));
        let error = call(&client).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Token, "{error}");
        assert_eq!(error.outcome(), Outcome::NotExecuted);
        assert_eq!(service.token_requests(), requests, "{error}");
        assert_eq!(call(&client).unwrap_err().code().as_str(), "token_backoff");
        clock.advance(backoff(&client));
        service.issue_tokens();
        call(&client).unwrap();
        assert_eq!(service.token_requests(), requests + 1);
    }
}

#[test]
fn a_failure_before_the_first_byte_may_be_over_within_the_call() {
    let (service, _, client) = stage();
    let issuing = Arc::downgrade(&service);
    service.on_token(move |asked| match asked.number {
        1 => Err(refused_connection()),
        _ => issuing.upgrade().expect("it is asking").issue("token-2", 3600),
    });
    call(&client).unwrap();
    assert_eq!(service.token_requests(), 2);
}

/// The response starts, but the call ends before the body does.
#[test]
fn a_deadline_within_the_token_response_starts_no_backoff() {
    let (service, clock) = (Service::new(), tokens::ManualClock::new());
    let store = tokens::TestStore::new();
    let client = client(config(&service, &clock).token_store(store.clone()));
    service.on_token(|asked| {
        tokens::Gate::closed().pass(asked.context);
        Ok(token_response("{").with_body_failure(timed_out()))
    });
    let context = CallContext::with_timeout(milliseconds(100));
    let error = client.access_token(&context).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Timeout, Outcome::NotExecuted));
    assert_eq!(client.token_status(&client.context()).unwrap().backoff, None);
    assert_eq!(store.entry(&store.key()), Default::default(), "others are not backoff");
    service.issue_tokens();
    call(&client).unwrap();
    assert_eq!(service.token_requests(), 2);
}

#[test]
fn half_a_token_response_silences_this_process_only() {
    let (service, clock) = (Service::new(), tokens::ManualClock::new());
    let store = tokens::TestStore::new();
    let client = client(config(&service, &clock).token_store(store.clone()));
    service.on_token(|_| Ok(token_response("{").with_body_failure(broken())));
    assert_eq!(call(&client).unwrap_err().code().as_str(), "token_server_failed");
    assert!(backoff(&client) < seconds(1));
    let backoff = store.entry(&store.key()).backoff.unwrap();
    assert_eq!(
        (backoff.failures, backoff.until - backoff.since),
        (1, 0),
        "others hear of a failure only"
    );
}

#[test]
fn a_transport_that_panics_is_a_failure_like_others() {
    let (service, clock, client) = stage();
    service.on_token(|_| panic!("the transport panics"));
    at_once(8, |_| assert_eq!(call(&client).unwrap_err().kind(), ErrorKind::Token));
    assert_eq!(service.token_requests(), 1);
    clock.advance(backoff(&client));
    service.issue_tokens();
    call(&client).unwrap();
}

/// A token server that does not respond before the call ends.
fn silent() -> (Arc<Service>, Arc<tokens::ManualClock>, Client) {
    let (service, clock, client) = stage();
    be_silent(&service);
    (service, clock, client)
}

fn be_silent(service: &Service) {
    service.on_token(|asked| {
        tokens::Gate::closed().pass(asked.context);
        Err(timed_out())
    });
}

/// Requests a token and gives up while the token server is silent.
fn give_up(service: &Service, client: &Client, cancels: bool) -> ErrorKind {
    let requests = service.token_requests();
    let mut timeout = if cancels { seconds(60) } else { milliseconds(50) };
    loop {
        let kind = give_up_after(timeout, service, client, cancels);
        // On a busy machine, a deadline may pass before the request is sent.
        if service.token_requests() > requests {
            return kind;
        }
        timeout *= 4;
    }
}

fn give_up_after(
    timeout: Duration,
    service: &Service,
    client: &Client,
    cancels: bool,
) -> ErrorKind {
    let cancel = payments_core::CancelHandle::new();
    let context = CallContext::new(timeout, cancel.clone(), None);
    let requests = service.token_requests();
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| client.access_token(&context));
        if cancels {
            crate::support::wait::wait_until("the request", || service.token_requests() > requests);
            cancel.cancel();
        }
        asking.join().unwrap().unwrap_err().kind()
    })
}

#[test]
fn the_calls_own_deadline_or_cancellation_starts_no_backoff() {
    for (cancels, kind) in [(true, ErrorKind::Cancelled), (false, ErrorKind::Timeout)] {
        let (service, _, client) = silent();
        assert_eq!(give_up(&service, &client, cancels), kind);
        assert_eq!(client.token_status(&client.context()).unwrap().backoff, None);
        service.issue_tokens();
        call(&client).unwrap();
        assert_eq!(service.token_requests(), 2);
    }
}

#[test]
fn a_request_that_the_call_gave_up_is_observed_as_failed() {
    let (service, clock, witness) =
        (Service::new(), tokens::ManualClock::new(), tokens::Witness::new());
    let client = client(config(&service, &clock).observer(witness.clone()));
    be_silent(&service);
    assert_eq!(give_up(&service, &client, true), ErrorKind::Cancelled);
    let events = witness.events();
    let [requested, failed] = events.as_slice() else { panic!("{events:?}") };
    assert!(requested.starts_with("TokenRequested"), "{requested}");
    assert!(failed.starts_with("TokenFailed { kind: Cancelled, backoff: None"), "{failed}");
}

#[test]
fn a_second_request_given_up_in_a_row_starts_a_backoff() {
    for (cancels, kind) in [(true, ErrorKind::Cancelled), (false, ErrorKind::Timeout)] {
        let (service, clock, client) = silent();
        let mut before = Duration::ZERO;
        for _ in 0..3 {
            assert_eq!(give_up(&service, &client, cancels), kind);
            if let Some(length) = client.token_status(&client.context()).unwrap().backoff {
                assert!(length > before, "{length:?} after {before:?}");
                before = length;
                assert_eq!(call(&client).unwrap_err().code().as_str(), "token_backoff");
                clock.advance(length);
            }
        }
        assert!(before > Duration::ZERO);
        assert_eq!(service.token_requests(), 3);

        // A new token resets the count.
        service.issue_tokens();
        call(&client).unwrap();
        be_silent(&service);
        clock.advance(tokens::DAY);
        assert_eq!(give_up(&service, &client, cancels), kind);
        assert_eq!(client.token_status(&client.context()).unwrap().backoff, None);
    }
}

#[test]
fn calls_with_too_little_time_do_not_all_ask() {
    let (service, clock, client) = silent();
    for _ in 0..20 {
        let error = client.access_token(&CallContext::with_timeout(milliseconds(50))).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Timeout | ErrorKind::Token), "{error}");
        assert_eq!(error.outcome(), Outcome::NotExecuted);
        clock.advance(milliseconds(50));
    }
    assert!((2..=5).contains(&service.token_requests()), "{}", service.token_requests());
}

/// Nothing was sent, so the token server is not involved.
#[test]
fn calls_that_end_before_they_are_connected_start_no_backoff() {
    let (service, _, client) = stage();
    service.on_token(|asked| {
        tokens::Gate::closed().pass(asked.context);
        Err(timed_out().nothing_sent())
    });
    for _ in 0..3 {
        assert_eq!(give_up(&service, &client, false), ErrorKind::Timeout);
    }
    assert_eq!(client.token_status(&client.context()).unwrap().backoff, None);
    assert_eq!(service.token_requests(), 3);
}
