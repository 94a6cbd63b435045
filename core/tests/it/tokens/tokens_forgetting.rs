//! `forget_token` drops the token, and nothing else.

use payments_core::context::CallContext;
use payments_core::{Client, ErrorKind, Outcome};

use crate::support::tokens::{
    Action, Fault, Gate, ManualClock, Service, TestStore, Witness, call, client, config,
    milliseconds, seconds, signed_config, stage, status, status_with,
};

fn forget(client: &Client) {
    client.forget_token(&client.context()).unwrap();
}

#[test]
fn the_next_call_has_another_token() {
    let (service, _, client) = stage();
    forget(&client);
    call(&client).unwrap();
    forget(&client);
    assert!(!client.token_status(&client.context()).unwrap().is_usable);
    assert_eq!(service.token_requests(), 1);
    call(&client).unwrap();
    assert_eq!((service.token_requests(), service.last_token().as_str()), (2, "token-2"));
}

#[test]
fn it_is_dropped_from_the_store_and_stays_in_other_processes() {
    let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
    let make = || client(config(&service, &clock).token_store(store.clone()));
    let (first, second) = (make(), make());
    call(&first).unwrap();
    call(&second).unwrap();
    forget(&first);
    assert_eq!(store.entry(&store.key()).token, None);
    call(&second).unwrap();
    assert_eq!(service.token_requests(), 1);
    call(&make()).unwrap();
    call(&first).unwrap();
    assert_eq!((service.token_requests(), service.last_token().as_str()), (2, "token-2"));
}

#[test]
fn a_token_of_the_store_that_this_process_never_had_is_dropped() {
    let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
    let make = || client(config(&service, &clock).token_store(store.clone()));
    call(&make()).unwrap();
    forget(&make());
    call(&make()).unwrap();
    assert_eq!(service.token_requests(), 2);
}

#[test]
fn a_backoff_continues() {
    let (service, clock, client) = stage();
    call(&client).unwrap();
    clock.advance(seconds(3540));
    service.on_token(|_| Ok(status_with(429, "Retry-After", "600")));
    call(&client).unwrap();
    forget(&client);
    assert_eq!(call(&client).unwrap_err().code(), "token_backoff");
    assert_eq!(service.token_requests(), 2);
}

/// Pauses apply to replacements. The token after a forgotten one is not a
/// replacement.
#[test]
fn pauses_continue_and_do_not_prevent_forgetting() {
    let (service, clock) = (Service::new(), ManualClock::new());
    let client = client(signed_config(&service, &clock));
    service.on_call(|_| Ok(status(401)));
    call(&client).unwrap_err();
    call(&client).unwrap_err();
    assert_eq!(service.token_requests(), 2);
    forget(&client);
    call(&client).unwrap_err();
    assert_eq!(service.token_requests(), 3);
    assert_eq!(service.calls().len(), 4, "its 401 replaced no token");
}

#[test]
fn a_refused_token_names_the_remedy() {
    let (service, _, client) = stage();
    service.on_call(|_| {
        let challenge = r#"Bearer error="invalid_token""#;
        Ok(status_with(401, "WWW-Authenticate", challenge))
    });
    let error = call(&client).unwrap_err();
    let diagnosis = error.diagnosis().unwrap().message();
    assert!(diagnosis.contains("have the client forget this token"), "{diagnosis}");
}

#[test]
fn a_broken_store_is_an_error_and_the_process_forgets() {
    for action in [Action::Load, Action::Save, Action::Lock] {
        let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
        let witness = Witness::new();
        let config = config(&service, &clock).token_store(store.clone());
        let client = client(config.observer(witness.clone()));
        call(&client).unwrap();
        store.fail(action, Fault::Error);
        let error = client.forget_token(&client.context()).unwrap_err();
        assert_eq!((error.kind(), error.code().as_str()), (ErrorKind::Token, "token_store_failed"));
        assert_eq!(error.outcome(), Outcome::NotExecuted);
        assert!(error.message().contains("the store does not work"), "{error}");
        assert_eq!(witness.count("StoreBypassed"), 1, "{action:?}");
        let status = client.token_status(&client.context()).unwrap();
        assert_eq!(status.is_usable, action != Action::Load, "the store has it still");
    }
}

#[test]
fn it_waits_for_the_lock_as_long_as_the_call() {
    let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
    let client = client(config(&service, &clock).token_store(store.clone()));
    call(&client).unwrap();
    let fence = store.take_lock(&store.key());
    let context = CallContext::with_timeout(milliseconds(50));
    assert_eq!(client.forget_token(&context).unwrap_err().kind(), ErrorKind::Timeout);
    let gate = Gate::closed();
    std::thread::scope(|scope| {
        let forgetting = scope.spawn(|| client.forget_token(&client.context()));
        let passing = gate.clone();
        store.on_action(move |_| {
            passing.pass(&CallContext::with_timeout(milliseconds(0)));
        });
        gate.wait_for_arrivals(2);
        store.release(&store.key(), fence);
        forgetting.join().unwrap().unwrap();
    });
    assert_eq!(store.entry(&store.key()).token, None);
}

/// A holder that hangs for too long is bypassed.
#[test]
fn a_hanging_holder_of_the_lock_keeps_the_token_for_no_longer() {
    let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
    let client = client(config(&service, &clock).token_store(store.clone()));
    call(&client).unwrap();
    store.take_lock(&store.key());
    let passing = clock.clone();
    store.on_action(move |_| passing.advance(seconds(4)));
    client.forget_token(&client.context()).unwrap();
    assert_eq!(store.entry(&store.key()).token, None);
}

#[test]
fn without_credentials_there_is_no_token_to_forget() {
    let client =
        Client::new(payments_core::Config::new("https://api.example").integration_key("key"));
    let error = client.as_ref().unwrap().forget_token(&CallContext::with_timeout(seconds(1)));
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Config);
}
