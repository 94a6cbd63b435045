//! One caller asks the token server; the others wait or use an existing token.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use payments_core::request::RawRequest;
use payments_core::{CancelHandle, Client, ErrorKind, Outcome};

use crate::support::tokens;
use crate::support::tokens::{
    Gate, HOUR, MANY, Service, at_once, call, client, config, milliseconds, seconds, stage,
    timed_out,
};
use crate::support::wait::wait_until;

fn call_within(client: &Client, timeout: Duration) -> Result<(), payments_core::Error> {
    let context = payments_core::CallContext::with_timeout(timeout);
    client.execute(&RawRequest::new("POST", "/ws/any"), &context).map(drop)
}

/// Holds token requests at a gate, starting with number `from`.
fn hold_tokens_from(service: &Arc<Service>, from: usize) -> Arc<Gate> {
    let (gate, inner) = (Gate::closed(), Arc::downgrade(service));
    let held = Arc::clone(&gate);
    service.on_token(move |asked| {
        if asked.number >= from && !held.pass(asked.context) {
            return Err(timed_out());
        }
        inner.upgrade().expect("it is asking").issue(&format!("token-{}", asked.number), 3600)
    });
    gate
}

#[test]
fn many_threads_on_a_fresh_client_cause_one_request() {
    let (service, _, client) = stage();
    let gate = hold_tokens_from(&service, 1);
    let begun = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_until("all have begun", || begun.load(Ordering::SeqCst) == MANY);
            gate.open();
        });
        at_once(MANY, |_| {
            begun.fetch_add(1, Ordering::SeqCst);
            call(&client).unwrap();
        });
    });
    assert_eq!(service.token_requests(), 1);
    assert_eq!(service.calls().len(), MANY);
    assert!(service.calls().iter().all(|sent| sent.token() == "token-1"));
}

#[test]
fn close_to_expiry_one_thread_refreshes_the_token() {
    let (service, clock, client) = stage();
    let gate = hold_tokens_from(&service, 2);
    call(&client).unwrap();
    clock.advance(HOUR - seconds(60));
    std::thread::scope(|scope| {
        let refresher = scope.spawn(|| call(&client));
        gate.wait_for_arrivals(1);
        at_once(MANY - 1, |_| call(&client).unwrap());
        assert_eq!(service.calls().len(), MANY, "they ended while the request was held");
        assert!(service.calls().iter().all(|sent| sent.token() == "token-1"));
        gate.open();
        refresher.join().unwrap().unwrap();
    });
    assert_eq!(service.last_token(), "token-2", "who asks uses what it gets");
    assert_eq!(service.token_requests(), 2);
    call(&client).unwrap();
    assert_eq!(service.token_requests(), 2);
}

#[test]
fn no_token_is_requested_before_it_comes_close_to_expiry() {
    let (service, clock, client) = stage();
    hold_tokens_from(&service, 99);
    call(&client).unwrap();
    clock.advance(HOUR - seconds(301));
    at_once(8, |_| call(&client).unwrap());
    assert_eq!(service.token_requests(), 1);
}

#[test]
fn with_a_hanging_token_server_callers_end_by_their_deadlines() {
    let (service, clock, client) = stage();
    call(&client).unwrap();
    clock.advance(tokens::DAY);
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    service.on_token({
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        move |asked| {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            Gate::closed().pass(asked.context);
            running.fetch_sub(1, Ordering::SeqCst);
            Err(timed_out())
        }
    });
    at_once(MANY, |number| {
        let deadline = milliseconds(200 + 10 * number as u64);
        let started = Instant::now();
        let error = call_within(&client, deadline).unwrap_err();
        assert!(started.elapsed() < deadline + seconds(5));
        assert_eq!(error.outcome(), Outcome::NotExecuted);
        match error.kind() {
            ErrorKind::Timeout => assert!(started.elapsed() >= deadline),
            _ => assert_eq!(error.code().as_str(), "token_backoff"),
        }
    });
    let requests = service.token_requests() - 1;
    assert!((1..=2).contains(&requests), "the second in vain silences this process: {requests}");
    assert_eq!(most.load(Ordering::SeqCst), 1, "one at a time is at the token server");
    assert_eq!(service.calls().len(), 1, "nothing was sent without a token");
}

/// One caller asks and 63 wait. When `end` ends the first call, exactly one of
/// the others asks.
fn one_successor(deadline: Duration, end: impl FnOnce(&CancelHandle), kind: ErrorKind) {
    let (service, _, client) = stage();
    let (first, second) = (Gate::closed(), Gate::closed());
    service.on_token({
        let (first, second) = (Arc::clone(&first), Arc::clone(&second));
        let inner = Arc::downgrade(&service);
        move |asked| {
            let gate = if asked.number == 1 { &first } else { &second };
            if gate.pass(asked.context) {
                inner.upgrade().expect("it is asking").issue("token-2", 3600)
            } else {
                Err(timed_out())
            }
        }
    });
    let cancel = CancelHandle::new();
    let context = payments_core::CallContext::new(deadline, cancel.clone(), None);
    let begun = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| client.execute(&RawRequest::new("POST", "/ws/any"), &context));
        first.wait_for_arrivals(1);
        let waiting = scope.spawn(|| {
            at_once(MANY - 1, |_| {
                begun.fetch_add(1, Ordering::SeqCst);
                call(&client).unwrap();
            })
        });
        wait_until("all wait", || begun.load(Ordering::SeqCst) == MANY - 1);
        end(&cancel);
        let error = asking.join().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (kind, Outcome::NotExecuted));
        second.wait_for_arrivals(1);
        assert_eq!(client.token_status(&client.context()).unwrap().backoff, None);
        second.open();
        waiting.join().unwrap();
    });
    assert_eq!(service.token_requests(), 2, "one successor");
    assert_eq!(service.calls().len(), MANY - 1);
}

#[test]
fn a_cancelled_asker_has_one_successor() {
    one_successor(seconds(60), CancelHandle::cancel, ErrorKind::Cancelled);
}

#[test]
fn an_asker_with_a_short_deadline_has_one_successor() {
    one_successor(milliseconds(200), |_| {}, ErrorKind::Timeout);
}

#[test]
fn a_token_request_has_a_limit_of_ten_seconds() {
    let (service, clock) = (Service::new(), tokens::ManualClock::new());
    let store = tokens::TestStore::new();
    let client = client(config(&service, &clock).token_store(store.clone()));
    service.on_token(|asked| {
        assert!(asked.context.remaining() <= seconds(10));
        Gate::closed().pass(asked.context);
        Err(timed_out())
    });
    let started = Instant::now();
    let error = call(&client).unwrap_err();
    assert!(started.elapsed() >= seconds(9) && started.elapsed() < seconds(40));
    assert_eq!((error.kind(), error.code().as_str()), (ErrorKind::Token, "token_server_failed"));
    assert!(error.retry_after().is_some());
    assert_eq!(call(&client).unwrap_err().code().as_str(), "token_backoff");
    assert_eq!(service.token_requests(), 1);
    let backoff = store.entry(&store.key()).backoff.unwrap();
    assert_eq!(
        (backoff.failures, backoff.until - backoff.since),
        (1, 0),
        "others hear of a failure only"
    );
}

#[test]
fn an_early_refresh_takes_at_most_five_seconds() {
    let (service, clock, client) = stage();
    hold_tokens_from(&service, 99);
    call(&client).unwrap();
    clock.advance(HOUR - seconds(60));
    service.on_token(|asked| {
        assert!(asked.context.remaining() <= seconds(5));
        Err(timed_out())
    });
    call(&client).unwrap();
    assert_eq!(service.token_requests(), 2);
    assert_eq!(service.last_token(), "token-1");
}

#[test]
fn an_early_refresh_leaves_time_for_the_old_token() {
    let (service, clock, client) = stage();
    hold_tokens_from(&service, 2);
    call(&client).unwrap();
    clock.advance(HOUR - seconds(200));
    call_within(&client, milliseconds(800)).unwrap();
    assert_eq!((service.token_requests(), service.last_token().as_str()), (2, "token-1"));
    // Later calls do not wait again.
    at_once(8, |_| call_within(&client, milliseconds(800)).unwrap());
    assert_eq!(service.token_requests(), 2);
    assert_eq!(client.token_status(&client.context()).unwrap().backoff, None);
    clock.advance(seconds(60));
    call_within(&client, milliseconds(800)).unwrap();
    assert_eq!(service.token_requests(), 3, "it is tried again later");
}

#[test]
fn a_cancelled_early_refresh_is_not_tried_by_every_call() {
    let (service, clock, client) = stage();
    let gate = hold_tokens_from(&service, 2);
    call(&client).unwrap();
    clock.advance(HOUR - seconds(200));
    let cancel = CancelHandle::new();
    let context = payments_core::CallContext::new(seconds(60), cancel.clone(), None);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| client.execute(&RawRequest::new("POST", "/ws/any"), &context));
        gate.wait_for_arrivals(1);
        cancel.cancel();
        asking.join().unwrap().unwrap_err();
    });
    at_once(8, |_| call_within(&client, seconds(60)).unwrap());
    assert_eq!((service.token_requests(), service.last_token().as_str()), (2, "token-1"));
}

#[test]
fn a_token_that_expires_during_a_failed_refresh_is_not_used() {
    let (service, clock, client) = stage();
    hold_tokens_from(&service, 99);
    call(&client).unwrap();
    clock.advance(HOUR - seconds(60));
    let passing = Arc::clone(&clock);
    service.on_token(move |_| {
        passing.advance(seconds(60));
        Err(timed_out())
    });
    let error = call(&client).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Token, Outcome::NotExecuted));
    assert_eq!(service.calls().len(), 1);
}
