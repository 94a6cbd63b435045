//! No event, error, or debug output reveals a secret of the token server.

use std::error::Error as _;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payments_core::request::RawRequest;
use payments_core::transport::{Received, TransportFailure};
use payments_core::{Client, Error};

use crate::support::tokens::{
    Action, CLIENT_SECRET, Fault, HOUR, ManualClock, Service, TestStore, Witness, at_once, broken,
    client, config, refused_connection, seconds, status, status_with, timed_out, token_response,
};

const CANARY: &str = "CANARY";

/// Everything shown while the scenarios ran.
#[derive(Default)]
struct Shown(Mutex<Vec<String>>);

impl Shown {
    fn add(&self, text: String) {
        self.0.lock().unwrap().push(text);
    }

    fn add_error(&self, error: &Error) {
        self.add(format!("{error} {error:?} {error:#?}"));
        let mut source = error.source();
        while let Some(cause) = source {
            self.add(format!("{cause} {cause:?}"));
            source = cause.source();
        }
    }
}

fn call(client: &Client, shown: &Shown) {
    let request = RawRequest::new("POST", "/ws/any").query("q", CANARY).body(CANARY.as_bytes());
    let request = request.content_type("text/plain");
    match client.send(&request) {
        Ok(response) => shown.add(format!("{response:?}")),
        Err(error) => shown.add_error(&error),
    }
    let context = client.context();
    match client.access_token(&context) {
        Ok(token) => shown.add(format!("{token:?}")),
        Err(error) => shown.add_error(&error),
    }
    match client.prepare(&request, &context) {
        Ok(prepared) => shown.add(format!("{prepared:?}")),
        Err(error) => shown.add_error(&error),
    }
    shown.add(format!("{:?} {client:?}", client.token_status(&context).unwrap()));
}

#[test]
fn nothing_that_is_shown_holds_a_canary() {
    let responses: Vec<fn() -> Result<Received, TransportFailure>> = vec![
        || Ok(status(403)),
        || Ok(status_with(429, "Retry-After", "5")),
        || Ok(Received::new(500, Vec::new(), CANARY.as_bytes().to_vec())),
        || Ok(Received::new(400, Vec::new(), br#"{"error":"CANARY"}"#.to_vec())),
        || Ok(status_with(302, "Location", "https://elsewhere.example/?CANARY")),
        || Ok(token_response(r#"{"access_token":"CANARY CANARY"}"#)),
        || Ok(token_response(r#"{"access_token":"CANARY","token_type":"CANARY"}"#)),
        || Ok(token_response(r#"{"CANARY":"#)),
        || Ok(token_response("{").with_body_failure(broken())),
        || Err(refused_connection()),
        || Err(broken()),
        || Err(timed_out()),
        || panic!("a panic without input"),
    ];
    let (shown, witness) = (Shown::default(), Witness::new());
    for response in responses {
        let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
        let config = config(&service, &clock).token_store(store.clone()).observer(witness.clone());
        shown.add(format!("{config:?}"));
        let client = client(config);
        let issuing = Arc::downgrade(&service);
        service.on_token(move |asked| match asked.number {
            1 | 2 => {
                let value = format!("token-{}-{CANARY}", asked.number);
                issuing.upgrade().expect("it is asking").issue(&value, 3600)
            }
            _ => response(),
        });
        call(&client, &shown);
        service.revoke_tokens();
        call(&client, &shown);
        clock.advance(HOUR);
        for action in [Action::Load, Action::Save, Action::Delete, Action::Lock] {
            store.fail(action, Fault::Panic);
        }
        at_once(4, |_| call(&client, &shown));
        service.on_call(|_| Ok(status_with(401, "WWW-Authenticate", "Bearer error=CANARY")));
        clock.advance(seconds(4000));
        service.issue_tokens();
        call(&client, &shown);
    }
    let events = witness.events();
    for event in ["TokenFetched", "TokenReused", "TokenFailed", "TokenInvalidated", "StoreBypassed"]
    {
        assert!(witness.count(event) > 0, "{event}");
    }
    let basic = STANDARD.encode(format!("client-id:{CLIENT_SECRET}"));
    let shown = shown.0.into_inner().unwrap();
    assert!(shown.len() > 100);
    for text in shown.iter().chain(&events) {
        for secret in [CANARY, &basic] {
            assert!(!text.contains(secret), "{text}");
        }
    }
}
