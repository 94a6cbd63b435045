//! Callbacks run while no lock is held, and reentrant calls are refused.

use std::collections::BTreeSet;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use payments_core::context::CallContext;
use payments_core::observer::{Event, EventKind};
use payments_core::request::RawRequest;
use payments_core::signer::{Signer, SignerError, SigningInput};
use payments_core::{Client, Config, ErrorKind};

use crate::support::tokens::{
    Action, DAY, Fault, HOUR, ManualClock, Service, TestStore, accepted, call, client, config,
    refused_connection, seconds, status,
};

/// A client that its own callbacks call, and the codes of the refusals.
#[derive(Default)]
struct Reentrant {
    client: OnceLock<Client>,
    codes: Mutex<Vec<String>>,
}

impl Reentrant {
    fn call_again(&self) {
        let Some(client) = self.client.get() else {
            return;
        };
        let errors = [
            call(client).map(drop),
            client.access_token(&client.context()).map(drop),
            client.token_status(&client.context()).map(drop),
            client.prepare(&RawRequest::new("GET", "/ws/any"), &client.context()).map(drop),
        ];
        for error in errors {
            let error = error.expect_err("it is refused");
            assert_eq!(error.kind(), ErrorKind::Config);
            self.codes.lock().unwrap().push(error.code().as_str().to_owned());
        }
    }

    fn assert_refused(&self) {
        let codes = self.codes.lock().unwrap();
        assert!(!codes.is_empty(), "the callback ran");
        assert!(codes.iter().all(|code| code == "reentrant_call"), "{codes:?}");
    }
}

fn try_all(service: &Arc<Service>, clock: &Arc<ManualClock>, client: Client, known: &Reentrant) {
    known.client.set(client.clone()).expect("it is set once");
    let started = Instant::now();
    call(&client).unwrap();
    service.revoke_tokens();
    call(&client).unwrap();
    clock.advance(HOUR);
    call(&client).unwrap();
    assert_eq!(service.token_requests(), 3);
    known.assert_refused();
    assert!(started.elapsed() < seconds(20), "nobody waited for a deadline");
}

#[test]
fn an_observer_that_calls_its_own_client_is_refused() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let known = Arc::new(Reentrant::default());
    let observed = Arc::clone(&known);
    let observer = Arc::new(move |_: &Event<'_>| observed.call_again());
    let client = client(config(&service, &clock).observer(observer));
    try_all(&service, &clock, client, &known);
}

#[test]
fn a_store_that_calls_its_own_client_is_refused() {
    let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
    let known = Arc::new(Reentrant::default());
    let inner = Arc::clone(&known);
    store.on_action(move |_| inner.call_again());
    let client = client(config(&service, &clock).token_store(store));
    try_all(&service, &clock, client, &known);
}

struct ReentrantSigner(Arc<Reentrant>);

impl Signer for ReentrantSigner {
    fn kid(&self) -> &str {
        "kid-1"
    }

    fn sign(&self, _: &CallContext, _: &SigningInput<'_>) -> Result<Vec<u8>, SignerError> {
        self.0.call_again();
        Ok(vec![7; 512])
    }
}

#[test]
fn a_signer_that_calls_its_own_client_is_refused() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let known = Arc::new(Reentrant::default());
    let signer = Arc::new(ReentrantSigner(Arc::clone(&known)));
    let client = client(config(&service, &clock).signer(signer));
    try_all(&service, &clock, client, &known);
}

#[test]
fn a_transport_that_calls_its_own_client_is_refused() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let known = Arc::new(Reentrant::default());
    let client = client(config(&service, &clock));
    let (issuing, inner) = (Arc::downgrade(&service), Arc::clone(&known));
    service.on_token(move |asked| {
        inner.call_again();
        let value = format!("token-{}", asked.number);
        issuing.upgrade().expect("it is asking").issue(&value, 3600)
    });
    try_all(&service, &clock, client, &known);
}

/// Clients of one identity share their tokens. A callback that runs inside a
/// token request cannot get one; an observer can.
#[test]
fn a_callback_does_not_wait_for_its_own_token_request() {
    let service = Service::new();
    let make = |observer: Arc<dyn payments_core::observer::Observer>| {
        let config = Config::new("https://api.example").transport(service.clone());
        let config =
            config.client_credentials("https://shared.example", "client-of-this-test", "secret");
        Client::shared(config.observer(observer)).unwrap()
    };
    let other = make(Arc::new(|_: &Event<'_>| {}));
    let codes: Arc<Mutex<Vec<&str>>> = Arc::default();
    let ask = {
        let (other, codes) = (other.clone(), Arc::clone(&codes));
        move || {
            let got = other.access_token(&other.context());
            codes
                .lock()
                .unwrap()
                .push(got.map_or_else(|error| error.code().as_str(), |_| "a token"));
        }
    };
    let asked = ask.clone();
    let observed = make(Arc::new(move |event: &Event<'_>| {
        if matches!(event.kind, EventKind::TokenInvalidated | EventKind::TokenFetched { .. }) {
            asked();
        }
    }));
    let issuing = Arc::downgrade(&service);
    service.on_token(move |asked| {
        ask();
        let value = format!("token-{}", asked.number);
        issuing.upgrade().expect("it is asking").issue(&value, 3600)
    });
    let started = Instant::now();
    call(&observed).unwrap();
    service.revoke_tokens();
    call(&observed).unwrap();
    assert_eq!(service.token_requests(), 2);
    assert!(started.elapsed() < seconds(20));
    let (refused, had) = ("reentrant_call", "a token");
    assert_eq!(*codes.lock().unwrap(), [refused, had, refused, had, had]);
}

/// An observer may be slow. In some languages it may never return.
#[test]
fn events_of_a_token_come_after_lock_and_turn_are_released() {
    let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
    let known: Arc<OnceLock<Client>> = Arc::default();
    let awaited: Arc<Mutex<Option<&str>>> = Arc::default();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let observer = {
        let (service, clock, store) = (service.clone(), clock.clone(), store.clone());
        let (known, awaited, seen) = (known.clone(), awaited.clone(), seen.clone());
        Arc::new(move |event: &Event<'_>| {
            let event = format!("{:?}", event.kind);
            if awaited.lock().unwrap().take_if(|name| event.starts_with(*name)).is_none() {
                return;
            }
            let key = store.key();
            store.release(&key, store.take_lock(&key));
            clock.advance(DAY);
            let before = service.token_requests();
            let (client, (done, fetched)) = (known.get().unwrap().clone(), channel());
            std::thread::spawn(move || {
                let _ = client.access_token(&client.context());
                done.send(()).unwrap();
            });
            fetched.recv_timeout(seconds(10)).expect("another thread fetches");
            assert!(service.token_requests() > before);
            // A failed assertion above fails no call, so success is recorded.
            seen.lock().unwrap().push(event);
        })
    };
    let client = client(config(&service, &clock).token_store(store.clone()).observer(observer));
    known.set(client.clone()).ok().unwrap();
    let look_at = |name: &'static str, path: &str| {
        *awaited.lock().unwrap() = Some(name);
        let _ = client.send(&RawRequest::new("POST", path));
        let seen = seen.lock().unwrap().pop().unwrap_or_default();
        assert!(seen.starts_with(name), "{name}: {seen}");
    };
    look_at("TokenFetched", "/ws/any");
    service.revoke_tokens();
    look_at("TokenInvalidated", "/ws/any");
    for action in [Action::Lock, Action::Load, Action::Save, Action::Unlock] {
        clock.advance(DAY);
        store.fail(action, Fault::Panic);
        look_at("StoreBypassed", "/ws/any");
        store.work_again();
    }
    clock.advance(DAY);
    service.on_token(|_| Ok(status(500)));
    look_at("TokenFailed", "/ws/any");

    // An accepted call is recorded in the store, under its lock.
    clock.advance(DAY);
    service.issue_tokens();
    call(&client).unwrap();
    service.on_call(|sent| Ok(if sent.url.contains("other") { accepted() } else { status(401) }));
    call(&client).unwrap_err();
    store.fail(Action::Save, Fault::Error);
    look_at("StoreBypassed", "/ws/other");
}

/// Another thread can use the client while an observer or a store runs.
#[test]
fn no_callback_runs_under_a_lock() {
    let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
    let known: Arc<OnceLock<Client>> = Arc::default();
    let seen: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let look_from_another_thread = {
        let known = Arc::clone(&known);
        move || {
            let (client, (done, responded)) = (known.get().unwrap().clone(), channel());
            let look = move || done.send(client.token_status(&client.context()).is_ok());
            let looking = std::thread::Builder::new().name("looks".to_owned()).spawn(look);
            assert_eq!(responded.recv_timeout(seconds(10)), Ok(true), "it is locked out");
            looking.unwrap().join().unwrap().unwrap();
        }
    };
    let is_looking = || std::thread::current().name() == Some("looks");
    let look = look_from_another_thread.clone();
    store.on_action(move |_| {
        if !is_looking() {
            look();
        }
    });
    let events = Arc::clone(&seen);
    let observer = Arc::new(move |event: &Event<'_>| {
        if is_looking() {
            return;
        }
        look_from_another_thread();
        let event = format!("{:?}", event.kind);
        let end = event.find([' ', '{']).unwrap_or(event.len());
        events.lock().unwrap().insert(event[..end].to_owned());
    });
    let client = client(config(&service, &clock).token_store(store.clone()).observer(observer));
    known.set(client.clone()).ok().unwrap();

    call(&client).unwrap();
    service.revoke_tokens();
    call(&client).unwrap();
    store.fail(Action::Load, Fault::Error);
    clock.advance(HOUR);
    service.on_token(|_| Ok(status(500)));
    call(&client).unwrap_err();
    clock.advance(seconds(3));
    service.on_token(|_| Err(refused_connection()));
    call(&client).unwrap_err();
    let seen = seen.lock().unwrap();
    for event in ["TokenFetched", "TokenReused", "TokenFailed", "TokenInvalidated", "StoreBypassed"]
    {
        assert!(seen.contains(event), "{event} in {seen:?}");
    }
}
