//! `token_status` and `access_token`.

use std::sync::Arc;

use payments_core::request::RawRequest;

use crate::support::tokens::{
    HOUR, MANY, ManualClock, Service, TestStore, at_once, call, client, config, seconds, stage,
    status_with,
};

fn issue_for_an_hour(service: &Arc<Service>) {
    let issuing = Arc::downgrade(service);
    service.on_token(move |asked| {
        issuing.upgrade().expect("it is asking").issue(&format!("token-{}", asked.number), 3600)
    });
}

#[test]
fn a_status_never_asks_the_token_server() {
    let (service, clock, client) = stage();
    at_once(MANY, |_| {
        let status = client.token_status(&client.context()).unwrap();
        assert!(!status.is_usable);
        assert_eq!((status.age, status.remaining, status.backoff), (None, None, None));
    });
    assert_eq!(service.token_requests(), 0);
    call(&client).unwrap();
    clock.advance(HOUR - seconds(1));
    assert!(client.token_status(&client.context()).unwrap().is_usable);
    clock.advance(seconds(1));
    assert!(!client.token_status(&client.context()).unwrap().is_usable);
    assert_eq!(service.token_requests(), 1);
}

#[test]
fn a_status_has_age_remaining_time_and_members() {
    let (service, clock, client) = stage();
    issue_for_an_hour(&service);
    call(&client).unwrap();
    clock.advance(seconds(100));
    let status = client.token_status(&client.context()).unwrap();
    assert!(status.is_usable);
    assert_eq!(status.age, Some(seconds(100)));
    assert_eq!(status.remaining, Some(seconds(3500)));
    assert_eq!(status.backoff, None);
    let members: Vec<_> = status.members.iter().map(|(name, value)| (&**name, &**value)).collect();
    assert_eq!(members, [("jti", "jti-token-1"), ("scope", "all"), ("user_name", "integrator")]);
    assert!(!format!("{status:?}").contains("token-1"));
}

#[test]
fn a_status_has_the_backoff() {
    let (service, clock, client) = stage();
    service.on_token(|_| Ok(status_with(429, "Retry-After", "60")));
    call(&client).unwrap_err();
    let backoff = client.token_status(&client.context()).unwrap().backoff.unwrap();
    assert!(backoff >= seconds(60));
    clock.advance(seconds(10));
    let status = client.token_status(&client.context()).unwrap();
    assert_eq!(status.backoff, Some(backoff - seconds(10)));
    clock.advance(backoff - seconds(10));
    assert_eq!(client.token_status(&client.context()).unwrap().backoff, None);
    assert_eq!(service.token_requests(), 1);
}

#[test]
fn a_status_has_a_token_of_the_store() {
    let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
    let make = || client(config(&service, &clock).token_store(store.clone()));
    call(&make()).unwrap();
    let other = make();
    assert!(other.token_status(&other.context()).unwrap().is_usable);
    assert_eq!(service.token_requests(), 1);
}

#[test]
fn an_access_token_is_the_one_that_calls_carry() {
    let (service, clock, client) = stage();
    issue_for_an_hour(&service);
    let got = at_once(MANY, |_| client.access_token(&client.context()).unwrap());
    assert!(got.iter().all(|token| *token == got[0]));
    let token = &got[0];
    assert_eq!(token.value.expose(), "token-1");
    assert_eq!(token.obtained_at, clock.unix_seconds());
    assert_eq!(token.expires_at, clock.unix_seconds() + 3600);
    assert_eq!(token.members.get("scope").map(String::as_str), Some("all"));
    call(&client).unwrap();
    assert_eq!(service.last_token(), "token-1");
    let prepared = client.prepare(&RawRequest::new("POST", "/ws/any"), &client.context()).unwrap();
    assert_eq!(prepared.header("authorization"), Some("Bearer token-1"));
    assert_eq!(service.token_requests(), 1);
}
