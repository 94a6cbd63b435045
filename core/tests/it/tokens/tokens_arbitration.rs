//! The credential that caused a 401, and the number of tokens that it may cost.

use std::collections::HashMap;
use std::sync::{Arc, Barrier};

use payments_core::context::CallContext;
use payments_core::jws::Finding;
use payments_core::request::{QueryPayment, RawRequest, RefundPayment};
use payments_core::signer::{Signer, SignerError, SigningInput};
use payments_core::{Client, ErrorKind, Outcome};

use crate::support::tokens;
use crate::support::tokens::{
    Gate, HOUR, MANY, ManualClock, Sent, Service, TestStore, Witness, accepted, at_once, call,
    client, config, refused_connection, seconds, signed_config, stage, status, status_with,
};

/// Responds with 401 to the paths in `refused`, whatever the token.
fn refuse_paths(service: &Arc<Service>, refused: &'static [&'static str]) {
    service.on_call(move |sent| {
        let is_refused = refused.iter().any(|path| sent.url.contains(path));
        Ok(if is_refused { status(401) } else { accepted() })
    });
}

fn post(client: &Client, path: &str) -> Result<(), payments_core::Error> {
    client.send(&RawRequest::new("POST", path)).map(drop)
}

fn unauthorized(result: Result<(), payments_core::Error>) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Unauthorized, Outcome::NotExecuted));
}

#[test]
fn many_calls_with_a_stale_token_cause_one_token_request() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let client = client(signed_config(&service, &clock));
    call(&client).unwrap();
    let together = Barrier::new(MANY);
    service.on_call(move |sent| {
        if sent.token() == "token-1" {
            together.wait();
            return Ok(status(401));
        }
        Ok(accepted())
    });
    at_once(MANY, |number| {
        let body = format!("{{\"number\" : {number}}}\n");
        client.send(&RawRequest::new("POST", "/ws/any").body(body)).unwrap();
    });
    assert_eq!(service.token_requests(), 2);
    let mut sent_with: HashMap<Vec<u8>, Vec<Sent>> = HashMap::new();
    for sent in service.calls().into_iter().skip(1) {
        sent_with.entry(sent.body.clone()).or_default().push(sent);
    }
    assert_eq!(sent_with.len(), MANY);
    for sendings in sent_with.into_values() {
        let tokens: Vec<_> = sendings.iter().map(Sent::token).collect();
        assert_eq!(tokens, ["token-1", "token-2"]);
        assert!(!sendings[0].signature.is_empty());
        assert_eq!(sendings[0].without_token(), sendings[1].without_token());
    }
}

#[test]
fn a_token_that_expires_on_its_way_is_to_blame_and_not_the_kid() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let client = client(signed_config(&service, &clock));
    call(&client).unwrap();
    // From now on, no client can get a new token.
    service.on_token(|_| Ok(status(403)));
    clock.advance(24 * HOUR - seconds(2));
    let passing = clock.clone();
    service.on_call(move |_| {
        passing.advance(seconds(2));
        Ok(status(401))
    });
    let error = call(&client).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthorized);
    let diagnosis = error.diagnosis().unwrap();
    assert_eq!(diagnosis.finding(), Finding::BearerRefused);
    assert!(diagnosis.message().contains("the bearer token has expired"), "{diagnosis}");
}

/// Makes invalid signatures, and does not reveal its public key.
struct BadSigner;

impl Signer for BadSigner {
    fn kid(&self) -> &str {
        "kid-1"
    }

    fn sign(&self, _: &CallContext, _: &SigningInput<'_>) -> Result<Vec<u8>, SignerError> {
        Ok(vec![7; 512])
    }
}

#[test]
fn without_a_public_key_the_token_may_be_to_blame() {
    let service = Service::new();
    let client = client(config(&service, &ManualClock::new()).signer(Arc::new(BadSigner)));
    post(&client, "/ws/any").unwrap();
    service.revoke_tokens();
    post(&client, "/ws/any").unwrap();
    assert_eq!(service.token_requests(), 2);
}

#[test]
fn a_token_that_replaced_a_refused_one_is_known_as_accepted() {
    let (service, _, client) = stage();
    post(&client, "/ws/any").unwrap();
    service.revoke_tokens();
    post(&client, "/ws/any").unwrap();
    service.on_call(|_| Ok(status_with(401, "WWW-Authenticate", r#"Bearer error="other""#)));
    let error = post(&client, "/ws/any").unwrap_err();
    assert!(error.diagnosis().unwrap().message().contains("this bearer token was accepted before"));
}

#[test]
fn another_challenge_leaves_the_token_alone() {
    let (service, _, client) = stage();
    let challenge = r#"Bearer error="insufficient_scope""#;
    service.on_call(move |_| Ok(status_with(401, "WWW-Authenticate", challenge)));
    unauthorized(post(&client, "/ws/any"));
    assert_eq!((service.token_requests(), service.calls().len()), (1, 1));
}

#[test]
fn a_thousand_calls_with_an_unregistered_kid_cost_few_tokens() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let client = client(signed_config(&service, &clock));
    service.on_call(|_| Ok(status(401)));
    at_once(8, |_| {
        for number in 0..125 {
            unauthorized(match number % 4 {
                0 => post(&client, "/ws/any"),
                1 => post(&client, "/ws/other"),
                2 => client.query_payment(&QueryPayment::by_hash("5f2c")).map(drop),
                _ => client.refund_payment(&RefundPayment::by_hash("5f2c")).map(drop),
            });
        }
    });
    assert_eq!(service.token_requests(), 2);
    clock.advance(seconds(29));
    at_once(8, |_| unauthorized(post(&client, "/ws/any")));
    assert_eq!(service.token_requests(), 2);
    clock.advance(seconds(10));
    at_once(MANY, |_| unauthorized(post(&client, "/ws/any")));
    assert_eq!(service.token_requests(), 3);
}

#[test]
fn after_an_accepted_call_a_401_may_cost_a_token_again() {
    let (service, _, client) = stage();
    for requests in 1..=5 {
        call(&client).unwrap();
        assert_eq!(service.token_requests(), requests);
        service.revoke_tokens();
    }
}

#[test]
fn a_path_that_is_always_refused_costs_one_token() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let client = client(signed_config(&service, &clock));
    refuse_paths(&service, &["/ws/refund"]);
    at_once(4, |_| {
        for _ in 0..25 {
            client.query_payment(&QueryPayment::by_hash("5f2c")).unwrap();
            unauthorized(client.refund_payment(&RefundPayment::by_hash("5f2c")).map(drop));
        }
    });
    // An accepted call may fall between the two refusals of one call.
    assert!(service.token_requests() <= 5, "{} requests", service.token_requests());
    let before = service.token_requests();
    at_once(4, |_| {
        for _ in 0..25 {
            client.query_payment(&QueryPayment::by_hash("5f2c")).unwrap();
            unauthorized(client.refund_payment(&RefundPayment::by_hash("5f2c")).map(drop));
        }
    });
    assert_eq!(service.token_requests(), before);
}

#[test]
fn paths_of_send_are_distinguished() {
    let (service, _, client) = stage();
    refuse_paths(&service, &["/ws/refused"]);
    for _ in 0..50 {
        post(&client, "/ws/accepted").unwrap();
        unauthorized(post(&client, "/ws/refused"));
    }
    assert_eq!(service.token_requests(), 2);
}

#[test]
fn many_different_refused_paths_do_not_cost_a_token_each() {
    let (service, _, client) = stage();
    refuse_paths(&service, &["/ws/refused/"]);
    for number in 0..200 {
        post(&client, "/ws/accepted").unwrap();
        unauthorized(post(&client, &format!("/ws/refused/{number}")));
    }
    assert!(service.token_requests() <= 20, "{} requests", service.token_requests());
}

#[test]
fn a_refusal_counts_after_another_replacement() {
    let (service, _, client) = stage();
    let gate = Gate::closed();
    let held = Arc::clone(&gate);
    service.on_call(move |sent| {
        if sent.url.ends_with("/ws/slow") && sent.token() == "token-2" {
            held.pass(&CallContext::with_timeout(seconds(20)));
        }
        Ok(if sent.url.ends_with("/ws/accepted") { accepted() } else { status(401) })
    });
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| post(&client, "/ws/slow"));
        gate.wait_for_arrivals(1);
        post(&client, "/ws/accepted").unwrap();
        unauthorized(post(&client, "/ws/other"));
        assert_eq!(service.token_requests(), 3);
        gate.open();
        unauthorized(slow.join().unwrap());
    });
    post(&client, "/ws/accepted").unwrap();
    unauthorized(post(&client, "/ws/slow"));
    assert_eq!(service.token_requests(), 3);
}

#[test]
fn constant_invalid_token_errors_cause_no_storm() {
    let (service, clock, client) = stage();
    let challenge = r#"Bearer error="invalid_token""#;
    service.on_call(move |sent| {
        let is_accepted = sent.url.contains("/ws/accepted");
        let refused = || status_with(401, "WWW-Authenticate", challenge);
        Ok(if is_accepted { accepted() } else { refused() })
    });
    at_once(8, |_| (0..50).for_each(|_| unauthorized(post(&client, "/ws/any"))));
    assert_eq!(service.token_requests(), 2);
    for _ in 0..50 {
        post(&client, "/ws/accepted").unwrap();
        unauthorized(post(&client, "/ws/any"));
    }
    assert_eq!(service.token_requests(), 2);
    clock.advance(seconds(29));
    at_once(8, |_| (0..50).for_each(|_| unauthorized(post(&client, "/ws/any"))));
    assert_eq!(service.token_requests(), 2);
}

#[test]
fn the_same_token_again_is_not_sent_again() {
    let (service, _, client) = stage();
    let issuing = Arc::downgrade(&service);
    service.on_token(move |_| issuing.upgrade().expect("it is asking").issue("the-one", 3600));
    service.on_call(|_| Ok(status(401)));
    at_once(8, |_| (0..10).for_each(|_| unauthorized(post(&client, "/ws/any"))));
    assert_eq!(service.token_requests(), 2);
    assert_eq!(service.calls().len(), 80);
}

#[test]
fn a_refusal_that_cannot_be_cured_stays_a_401() {
    let (service, _, client) = stage();
    call(&client).unwrap();
    service.revoke_tokens();
    service.on_token(|_| Ok(status(429)));
    at_once(8, |_| {
        let error = call(&client).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unauthorized | ErrorKind::Token));
        assert_eq!(error.outcome(), Outcome::NotExecuted);
    });
    assert_eq!(service.token_requests(), 2);
    let calls = service.calls();
    assert!(calls.iter().all(|sent| sent.token() == "token-1"), "nothing was resent");
}

#[test]
fn within_a_backoff_a_401_costs_neither_a_request_nor_the_token() {
    let (service, clock, client) = stage();
    call(&client).unwrap();
    clock.advance(HOUR - seconds(60));
    service.on_token(|_| Err(refused_connection()));
    call(&client).unwrap();
    let requests = service.token_requests();
    service.on_call(|_| Ok(status(401)));
    unauthorized(call(&client).map(drop));
    assert_eq!(service.token_requests(), requests);
    assert!(client.token_status(&client.context()).unwrap().is_usable);
}

/// All tokens are revoked, and the store's token differs from this process's.
#[test]
fn a_stale_token_from_the_store_is_not_mistaken_for_a_fresh_one() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let store = TestStore::new();
    let client = client(config(&service, &clock).token_store(store.clone()));
    call(&client).unwrap();
    let key = store.key();
    let mut entry = store.entry(&key);
    entry.token.as_mut().unwrap().value = "token-of-another-process".into();
    let fence = store.take_lock(&key);
    store.put(&key, &entry, fence);
    store.release(&key, fence);
    service.revoke_tokens();

    unauthorized(call(&client).map(drop));
    assert_eq!(service.last_token(), "token-of-another-process");
    assert_eq!(service.token_requests(), 1);
    call(&client).unwrap();
    assert_eq!((service.token_requests(), service.last_token().as_str()), (2, "token-2"));
}

#[test]
fn a_replaced_token_is_taken_from_the_store() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let store = TestStore::new();
    let make = || client(config(&service, &clock).token_store(store.clone()));
    let (first, second) = (make(), make());
    call(&first).unwrap();
    call(&second).unwrap();
    service.revoke_tokens();
    call(&first).unwrap();
    call(&second).unwrap();
    assert_eq!(service.token_requests(), 2);
}

/// Eight processes share a store, and all their calls are refused.
fn an_unregistered_kid_for_all_who_share_a_store(service: &Arc<Service>) {
    let (clock, store) = (ManualClock::new(), TestStore::new());
    let make = |_| client(signed_config(service, &clock).token_store(store.clone()));
    let clients: Vec<_> = (0..8).map(make).collect();
    service.on_call(|_| Ok(status(401)));
    for _ in 0..10 {
        at_once(clients.len(), |number| unauthorized(call(&clients[number]).map(drop)));
    }
    assert_eq!(service.token_requests(), 2);
    unauthorized(call(&make(8)).map(drop));
    assert_eq!(service.token_requests(), 2, "the token stays in the store");
    clock.advance(HOUR);
    for _ in 0..3 {
        at_once(clients.len(), |number| unauthorized(call(&clients[number]).map(drop)));
    }
    assert_eq!(service.token_requests(), 3);
}

#[test]
fn an_unregistered_kid_costs_two_tokens_for_each_store() {
    an_unregistered_kid_for_all_who_share_a_store(&Service::new());
}

#[test]
fn it_costs_no_more_when_the_token_server_repeats_its_token() {
    for _ in 0..5 {
        let service = Service::new();
        let issuing = Arc::downgrade(&service);
        let issue = move || issuing.upgrade().expect("it is asking").issue("the-one", 86_400);
        service.on_token(move |_| issue());
        an_unregistered_kid_for_all_who_share_a_store(&service);
    }
}

/// The second process finds in the store that the first got the same token again.
#[test]
fn a_token_that_did_not_cause_a_401_is_not_invalidated() {
    let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
    let issuing = Arc::downgrade(&service);
    service.on_token(move |_| issuing.upgrade().expect("it is asking").issue("the-one", 86_400));
    let witnesses = [Witness::new(), Witness::new()];
    let [first, second] = witnesses.each_ref().map(|witness| {
        let config = signed_config(&service, &clock).token_store(store.clone());
        client(config.observer(witness.clone()))
    });
    call(&first).unwrap();
    call(&second).unwrap();
    service.on_call(|_| Ok(status(401)));
    unauthorized(call(&first).map(drop));
    unauthorized(call(&second).map(drop));
    assert_eq!(witnesses.map(|it| it.count("TokenInvalidated")), [1, 0]);
}

#[test]
fn a_call_that_ends_while_its_token_is_replaced_keeps_its_401() {
    let (service, _, client) = stage();
    call(&client).unwrap();
    service.revoke_tokens();
    service.on_token(|asked| {
        Gate::closed().pass(asked.context);
        Err(tokens::timed_out())
    });
    let context = CallContext::with_timeout(tokens::milliseconds(200));
    unauthorized(client.execute(&RawRequest::new("POST", "/ws/any"), &context).map(drop));
    assert_eq!(client.token_status(&client.context()).unwrap().backoff, None);
    service.issue_tokens();
    call(&client).unwrap();
    assert_eq!(service.token_requests(), 3);
}
