//! Clocks that jump, and entries whose writer's clock ran ahead.

use std::sync::Arc;
use std::time::Duration;

use payments_core::token::{Backoff, Token, TokenEntry};
use payments_core::{Client, ErrorKind};

use crate::support::tokens::{
    DAY, HOUR, MANY, ManualClock, Service, TestStore, at_once, call, client, config, seconds,
    signed_config, stage, status, status_with,
};

fn issue_for_an_hour(service: &Arc<Service>) {
    let issuing = Arc::downgrade(service);
    service.on_token(move |asked| {
        issuing.upgrade().expect("it is asking").issue(&format!("token-{}", asked.number), 3600)
    });
}

/// A store that already contains `entry`.
fn store_with(
    service: &Arc<Service>,
    clock: &Arc<ManualClock>,
    entry: &TokenEntry,
) -> Arc<TestStore> {
    let store = TestStore::new();
    // Reveals the key without sending a request.
    let first = client(config(service, clock).token_store(store.clone()));
    first.token_status(&first.context()).unwrap();
    let key = store.key();
    let fence = store.take_lock(&key);
    store.put(&key, entry, fence);
    store.release(&key, fence);
    store
}

fn client_with_entry(
    service: &Arc<Service>,
    clock: &Arc<ManualClock>,
    entry: &TokenEntry,
) -> Client {
    client(config(service, clock).token_store(store_with(service, clock, entry)))
}

fn token(value: &str, obtained_at: u64, expires_at: u64) -> Token {
    Token { value: value.into(), obtained_at, expires_at, members: Default::default() }
}

#[test]
fn a_jump_forward_and_back_costs_one_token() {
    let (service, clock, client) = stage();
    issue_for_an_hour(&service);
    call(&client).unwrap();
    clock.jump_forward(DAY);
    at_once(MANY, |_| call(&client).unwrap());
    assert_eq!((service.token_requests(), service.last_token().as_str()), (2, "token-2"));
    clock.jump_back(DAY);
    at_once(MANY, |_| call(&client).unwrap());
    assert_eq!((service.token_requests(), service.last_token().as_str()), (2, "token-2"));
    clock.advance(HOUR - seconds(301));
    call(&client).unwrap();
    assert_eq!(service.token_requests(), 2);
    clock.advance(seconds(301));
    call(&client).unwrap();
    assert_eq!((service.token_requests(), service.last_token().as_str()), (3, "token-3"));
}

#[test]
fn a_token_does_not_live_longer_because_the_clock_was_set_back() {
    let (service, clock, client) = stage();
    issue_for_an_hour(&service);
    call(&client).unwrap();
    clock.jump_back(DAY);
    clock.advance(HOUR);
    service.on_token(|_| Ok(status_with(500, "Retry-After", "60")));
    at_once(MANY, |_| assert_eq!(call(&client).unwrap_err().kind(), ErrorKind::Token));
    assert_eq!((service.token_requests(), service.calls().len()), (2, 1));
}

#[test]
fn a_jumping_clock_causes_at_most_one_request_per_jump() {
    let (service, clock, client) = stage();
    issue_for_an_hour(&service);
    for _ in 0..10 {
        clock.jump_forward(DAY);
        at_once(8, |_| call(&client).unwrap());
        clock.jump_back(DAY);
        at_once(8, |_| call(&client).unwrap());
    }
    assert!(service.token_requests() <= 11, "{} requests", service.token_requests());
}

#[test]
fn a_jump_during_the_request_causes_no_second_one() {
    for goes_forward in [true, false] {
        let (service, clock, client) = stage();
        let (issuing, jumping) = (Arc::downgrade(&service), Arc::clone(&clock));
        service.on_token(move |asked| {
            let jump =
                if goes_forward { ManualClock::jump_forward } else { ManualClock::jump_back };
            jump(&jumping, DAY);
            let value = format!("token-{}", asked.number);
            issuing.upgrade().expect("it is asking").issue(&value, 3600)
        });
        at_once(MANY, |_| call(&client).unwrap());
        assert_eq!(service.token_requests(), 1, "forward: {goes_forward}");
        let status = client.token_status(&client.context()).unwrap();
        assert_eq!(status.remaining, Some(HOUR));
    }
}

#[test]
fn a_backoff_ends_with_any_wall_clock() {
    for jump in [ManualClock::jump_forward, ManualClock::jump_back] {
        let (service, clock, client) = stage();
        service.on_token(|_| Ok(status_with(429, "Retry-After", "60")));
        call(&client).unwrap_err();
        jump(&clock, DAY);
        at_once(8, |_| call(&client).unwrap_err());
        assert_eq!(service.token_requests(), 1);
        clock.advance(seconds(67));
        service.issue_tokens();
        call(&client).unwrap();
        assert_eq!(service.token_requests(), 2);
    }
}

#[test]
fn a_token_dated_in_the_future_that_is_refused_is_replaced() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let now = clock.unix_seconds();
    let future = token("of-the-future", now + 7200, now + 10_800);
    let entry = TokenEntry { token: Some(future), ..TokenEntry::default() };
    let client = client_with_entry(&service, &clock, &entry);
    call(&client).unwrap();
    assert_eq!((service.token_requests(), service.last_token().as_str()), (1, "token-1"));
}

#[test]
fn a_small_difference_of_clocks_causes_no_request() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let now = clock.unix_seconds();
    let known = token("known", now + 20, now + 3620);
    service.issue("known", 3600).unwrap();
    let entry = TokenEntry { token: Some(known), ..TokenEntry::default() };
    let client = client_with_entry(&service, &clock, &entry);
    call(&client).unwrap();
    assert_eq!(service.token_requests(), 0);
    assert_eq!(client.token_status(&client.context()).unwrap().remaining, Some(HOUR));
}

#[test]
fn a_token_dated_in_the_future_lives_for_its_own_lifetime() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let obtained_at = clock.unix_seconds() + DAY.as_secs();
    service.issue("of-the-future", 3600).unwrap();
    let token = Some(token("of-the-future", obtained_at, obtained_at + 3600));
    let store = store_with(&service, &clock, &TokenEntry { token, ..TokenEntry::default() });
    let process = || client(config(&service, &clock).token_store(store.clone()));
    call(&process()).unwrap();
    clock.advance(HOUR - seconds(1));
    call(&process()).unwrap();
    assert!(service.calls().iter().all(|sent| sent.token() == "of-the-future"));
    clock.advance(seconds(1));
    call(&process()).unwrap();
    assert_eq!(service.last_token(), "token-1");
}

#[test]
fn a_backoff_of_the_future_lasts_for_its_own_length_once() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let since = clock.unix_seconds() + DAY.as_secs();
    let backoff = Backoff { since, until: since + 60, failures: 1 };
    let entry = TokenEntry { backoff: Some(backoff), ..TokenEntry::default() };
    let store = store_with(&service, &clock, &entry);
    let process = || client(config(&service, &clock).token_store(store.clone()));
    for left in [60, 40, 20] {
        assert_eq!(call(&process()).unwrap_err().retry_after(), Some(seconds(left)));
        clock.advance(seconds(20));
    }
    call(&process()).unwrap();
    assert_eq!(service.token_requests(), 1);
}

#[test]
fn a_backoff_from_the_store_is_never_longer_than_the_longest() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let backoff = Backoff { since: 0, until: u64::MAX, failures: u32::MAX };
    let entry = TokenEntry { backoff: Some(backoff), ..TokenEntry::default() };
    let client = client_with_entry(&service, &clock, &entry);
    let error = call(&client).unwrap_err();
    assert!(error.retry_after() <= Some(Duration::from_secs(3960)), "{error:?}");
    clock.advance(error.retry_after().unwrap());
    call(&client).unwrap();
}

#[test]
fn nonsense_in_the_store_is_not_a_token() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let now = clock.unix_seconds();
    for nonsense in [
        token("a\r\nInjected: header", now, now + 60),
        token("", now, now + 60),
        token("endless", 0, u64::MAX),
        token("backwards", now, now - 60),
        token("expired", now - 60, now),
    ] {
        let before = service.token_requests();
        let entry = TokenEntry { token: Some(nonsense.clone()), ..TokenEntry::default() };
        call(&client_with_entry(&service, &clock, &entry)).unwrap();
        assert_eq!(service.token_requests(), before + 1, "{nonsense:?}");
    }
}

#[test]
fn a_pause_of_the_future_lasts_for_its_own_length_once() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let since = clock.unix_seconds() + DAY.as_secs();
    let pause = format!(r#"{{"since":{since},"until":{},"number":5}}"#, since + 600);
    let requested = format!("[{since},{since}]");
    let replacements = format!(r#"{{"pause":{pause},"requested_at":{requested}}}"#);
    let entry = TokenEntry::from_json(format!(r#"{{"replacements":{replacements}}}"#).as_bytes());
    assert_ne!(entry, TokenEntry::default());
    let store = store_with(&service, &clock, &entry);
    let process = || client(config(&service, &clock).token_store(store.clone()));
    service.on_call(|_| Ok(status(401)));
    for left in [600, 400, 200] {
        assert_eq!(call(&process()).unwrap_err().retry_after(), Some(seconds(left)));
        clock.advance(seconds(200));
    }
    assert_eq!(service.token_requests(), 1);
    call(&process()).unwrap_err();
    assert_eq!(service.token_requests(), 2);
}

/// The pause after a replacement that did not help is of this process's time.
#[test]
fn a_clock_that_jumps_forward_and_back_costs_no_replacement() {
    for store in [None, Some(TestStore::new())] {
        let (service, clock) = (Service::new(), ManualClock::new());
        let config = signed_config(&service, &clock);
        let client = client(match store {
            Some(store) => config.token_store(store),
            None => config,
        });
        service.on_call(|_| Ok(status(401)));
        call(&client).unwrap_err();
        assert_eq!(service.token_requests(), 2);
        for jump in [HOUR, HOUR / 2, 2 * HOUR, HOUR] {
            clock.jump_forward(jump);
            call(&client).unwrap_err();
            clock.jump_back(jump);
            call(&client).unwrap_err();
            clock.jump_back(jump);
            call(&client).unwrap_err();
            clock.jump_forward(jump);
        }
        assert_eq!(service.token_requests(), 2);
        clock.advance(seconds(39));
        call(&client).unwrap_err();
        assert_eq!(service.token_requests(), 3, "its time passes");
    }
}
