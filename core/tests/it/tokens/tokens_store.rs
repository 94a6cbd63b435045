//! Failing stores, locks held by others, and the events they cause.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use payments_core::token::{Backoff, Token, TokenEntry, TokenKey};
use payments_core::{CallContext, Client, ErrorKind, Outcome};

use crate::support::tokens;
use crate::support::tokens::{
    Action, Fault, Gate, HOUR, MANY, ManualClock, Service, TestStore, Witness, at_once, call,
    client, config, milliseconds, refused_connection, seconds, status_with,
};
use crate::support::wait::wait_until;

struct Stage {
    service: Arc<Service>,
    clock: Arc<ManualClock>,
    store: Arc<TestStore>,
}

impl Stage {
    fn new() -> Self {
        Self { service: Service::new(), clock: ManualClock::new(), store: TestStore::new() }
    }

    /// A client that stands for a separate process.
    fn process(&self) -> Client {
        client(config(&self.service, &self.clock).token_store(self.store.clone()))
    }

    /// The key of the entry, found without a request.
    fn key(&self) -> TokenKey {
        let process = self.process();
        process.token_status(&process.context()).unwrap();
        self.store.key()
    }

    fn entry_of_another_process(&self) -> TokenEntry {
        self.service.issue("token-of-another", 3600).unwrap();
        let now = self.clock.unix_seconds();
        let token = Token {
            value: "token-of-another".into(),
            obtained_at: now,
            expires_at: now + 3600,
            members: Default::default(),
        };
        TokenEntry { token: Some(token), ..TokenEntry::default() }
    }
}

fn failing_store(action: Action, fault: Fault, event: &str) {
    let Stage { service, clock, store } = Stage::new();
    let witness = Witness::new();
    let config = config(&service, &clock).token_store(store.clone()).observer(witness.clone());
    let client = client(config);
    store.fail(action, fault);
    at_once(MANY, |_| call(&client).unwrap());
    assert_eq!(service.token_requests(), 1, "{action:?} {fault:?}");
    let actions = store.count(action);
    at_once(MANY, |_| call(&client).unwrap());
    assert_eq!(service.token_requests(), 1, "{action:?} {fault:?}");
    assert_eq!(store.count(action), actions, "a token in memory needs no store");

    service.revoke_tokens();
    at_once(MANY, |_| call(&client).unwrap());
    assert_eq!(service.token_requests(), 2, "{action:?} {fault:?}");
    clock.advance(HOUR);
    at_once(MANY, |_| call(&client).unwrap());
    assert_eq!(service.token_requests(), 3, "{action:?} {fault:?}");
    let bypassed = format!("StoreBypassed {{ action: \"{event}\"");
    assert!(
        witness.events().iter().any(|event| event.starts_with(&bypassed)),
        "{action:?} {fault:?}"
    );

    store.work_again();
    clock.advance(HOUR);
    call(&client).unwrap();
    let stored = store.entry(&store.key()).token.unwrap().value;
    assert_eq!(stored.expose(), service.last_token(), "a store that works again is used again");
}

#[test]
fn a_store_that_cannot_load_is_bypassed() {
    failing_store(Action::Load, Fault::Error, "load");
    failing_store(Action::Load, Fault::Panic, "load");
}

#[test]
fn a_store_that_cannot_save_is_bypassed() {
    failing_store(Action::Save, Fault::Error, "save");
    failing_store(Action::Save, Fault::Panic, "save");
}

#[test]
fn a_store_that_cannot_delete_is_bypassed() {
    failing_store(Action::Delete, Fault::Error, "delete");
    failing_store(Action::Delete, Fault::Panic, "delete");
}

#[test]
fn a_store_that_cannot_lock_is_bypassed() {
    failing_store(Action::Lock, Fault::Error, "lock");
    failing_store(Action::Lock, Fault::Panic, "lock");
}

#[test]
fn a_store_that_panics_while_unlocking_is_bypassed() {
    failing_store(Action::Unlock, Fault::Panic, "unlock");
}

#[test]
fn a_store_where_everything_fails_costs_no_request_per_call() {
    let stage = Stage::new();
    let process = stage.process();
    for action in [Action::Load, Action::Save, Action::Delete, Action::Lock] {
        stage.store.fail(action, Fault::Panic);
    }
    for _ in 0..50 {
        call(&process).unwrap();
    }
    assert_eq!(stage.service.token_requests(), 1);
    stage.service.on_call(|_| Ok(tokens::status(401)));
    for _ in 0..50 {
        assert_eq!(call(&process).unwrap_err().kind(), ErrorKind::Unauthorized);
    }
    assert_eq!(stage.service.token_requests(), 2);
}

#[test]
fn a_waiter_for_a_lock_adopts_the_saved_token() {
    let stage = Stage::new();
    let key = stage.key();
    let fence = stage.store.take_lock(&key);
    let process = stage.process();
    std::thread::scope(|scope| {
        let calling = scope.spawn(|| at_once(8, |_| call(&process).unwrap()));
        wait_until("it asks for the lock again", || stage.store.count(Action::Lock) >= 3);
        stage.store.put(&key, &stage.entry_of_another_process(), fence);
        stage.store.release(&key, fence);
        calling.join().unwrap();
    });
    assert_eq!(stage.service.token_requests(), 0);
    assert_eq!(stage.service.last_token(), "token-of-another");
}

#[test]
fn a_waiter_for_a_lock_ends_by_its_own_deadline() {
    let stage = Stage::new();
    let _held = stage.store.take_lock(&stage.key());
    let process = stage.process();
    at_once(8, |_| {
        let context = CallContext::with_timeout(milliseconds(150));
        let error = process.access_token(&context).unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Timeout, Outcome::NotExecuted));
    });
    assert_eq!(stage.service.token_requests(), 0);
    assert_eq!(process.token_status(&process.context()).unwrap().backoff, None);
}

#[test]
fn a_lock_that_is_given_back_unused_lets_the_next_one_ask() {
    let stage = Stage::new();
    let key = stage.key();
    let fence = stage.store.take_lock(&key);
    let process = stage.process();
    std::thread::scope(|scope| {
        let calling = scope.spawn(|| call(&process).unwrap());
        wait_until("it asks for the lock again", || stage.store.count(Action::Lock) >= 3);
        stage.store.release(&key, fence);
        calling.join().unwrap();
    });
    assert_eq!(stage.service.token_requests(), 1);
}

/// A store whose locks do not lapse, and a holder that has stopped.
#[test]
fn a_lock_that_is_held_for_too_long_is_passed_over() {
    let stage = Stage::new();
    let key = stage.key();
    let fence = stage.store.take_lock(&key);
    let process = stage.process();
    std::thread::scope(|scope| {
        let calling = scope.spawn(|| call(&process).unwrap());
        let waits = |times| {
            let locks = stage.store.count(Action::Lock) + times;
            wait_until("it asks for the lock", || stage.store.count(Action::Lock) >= locks);
        };
        waits(2);
        stage.clock.advance(seconds(14));
        waits(2);
        assert_eq!(stage.service.token_requests(), 0);
        stage.clock.advance(seconds(1));
        calling.join().unwrap();
    });
    assert_eq!(stage.service.token_requests(), 1);
    assert_eq!(stage.store.count(Action::Save), 0, "only who has the lock may save");
    stage.store.release(&key, fence);
}

#[test]
fn an_early_refresh_does_not_wait_for_another_process() {
    let stage = Stage::new();
    let process = stage.process();
    call(&process).unwrap();
    let _held = stage.store.take_lock(&stage.store.key());
    stage.clock.advance(HOUR - seconds(60));
    let locks = stage.store.count(Action::Lock);
    call(&process).unwrap();
    assert_eq!(stage.store.count(Action::Lock), locks + 1, "it looks once");
    assert_eq!(stage.service.token_requests(), 1);
}

#[test]
fn without_the_lock_of_the_store_one_thread_refreshes() {
    let stage = Stage::new();
    let process = stage.process();
    call(&process).unwrap();
    stage.clock.advance(HOUR - seconds(60));
    stage.store.fail(Action::Lock, Fault::Error);
    let gate = Gate::closed();
    let (held, issuing) = (Arc::clone(&gate), Arc::downgrade(&stage.service));
    stage.service.on_token(move |asked| {
        held.pass(asked.context);
        issuing.upgrade().expect("it is asking").issue("token-2", 3600)
    });
    std::thread::scope(|scope| {
        let refreshing = scope.spawn(|| call(&process).unwrap());
        gate.wait_for_arrivals(1);
        at_once(MANY, |_| call(&process).unwrap());
        assert_eq!(stage.service.token_requests(), 2);
        gate.open();
        refreshing.join().unwrap();
    });
}

#[test]
fn a_late_saver_does_not_overwrite_newer_tokens() {
    let stage = Stage::new();
    let process = stage.process();
    let key = stage.key();
    let newer = stage.entry_of_another_process();
    stage.service.on_token({
        let (store, key, newer) = (Arc::clone(&stage.store), key.clone(), newer.clone());
        let issuing = Arc::downgrade(&stage.service);
        move |_| {
            store.let_lock_lapse(&key);
            let fence = store.take_lock(&key);
            store.put(&key, &newer, fence);
            store.release(&key, fence);
            issuing.upgrade().expect("it is asking").issue("late", 3600)
        }
    });
    call(&process).unwrap();
    assert_eq!(stage.service.last_token(), "late", "what was had is used");
    assert_eq!(stage.store.entry(&key), newer);
    let other = stage.process();
    call(&other).unwrap();
    assert_eq!(stage.service.token_requests(), 1);
    assert_eq!(stage.service.last_token(), "token-of-another");
}

#[test]
fn two_clients_on_one_store_ask_once_in_all() {
    let stage = Stage::new();
    let (first, second) = (stage.process(), stage.process());
    at_once(MANY, |number| call(if number % 2 == 0 { &first } else { &second }).unwrap());
    assert_eq!(stage.service.token_requests(), 1);
}

#[test]
fn a_response_stops_all_clients_of_the_store() {
    let stage = Stage::new();
    let (first, second) = (stage.process(), stage.process());
    stage.service.on_token(|_| Ok(status_with(429, "Retry-After", "60")));
    call(&first).unwrap_err();
    at_once(MANY, |_| {
        let error = call(&second).unwrap_err();
        assert_eq!((error.kind(), error.code().as_str()), (ErrorKind::Token, "token_backoff"));
        assert!(error.retry_after() >= Some(seconds(60)));
    });
    assert_eq!(stage.service.token_requests(), 1);
    stage.clock.advance(seconds(68));
    at_once(MANY, |number| {
        call(if number % 2 == 0 { &first } else { &second }).unwrap_err();
    });
    assert_eq!(stage.service.token_requests(), 2, "one of both asks again");
    let length = second.token_status(&second.context()).unwrap().backoff;
    assert!(length >= Some(seconds(60)));
}

/// The backoff is saved after the store was read, but before it was locked.
#[test]
fn a_backoff_saved_before_the_lock_was_taken_counts() {
    let stage = Stage::new();
    let key = stage.key();
    let now = stage.clock.unix_seconds();
    let backoff = Some(Backoff { since: now, until: now + 60, failures: 1 });
    let (store, is_first) = (Arc::clone(&stage.store), AtomicBool::new(true));
    stage.store.on_action(move |action| {
        if action == Action::Lock && is_first.swap(false, Ordering::SeqCst) {
            let fence = store.take_lock(&key);
            store.put(&key, &TokenEntry { backoff, ..TokenEntry::default() }, fence);
            store.release(&key, fence);
        }
    });
    assert_eq!(call(&stage.process()).unwrap_err().code().as_str(), "token_backoff");
    assert_eq!(stage.service.token_requests(), 0);
}

#[test]
fn a_local_failure_silences_this_process_only() {
    let stage = Stage::new();
    let (first, second) = (stage.process(), stage.process());
    stage.service.on_token(|_| Err(refused_connection()));
    call(&first).unwrap_err();
    assert_eq!(stage.store.count(Action::Save), 0);
    assert_eq!(stage.store.entry(&stage.store.key()), TokenEntry::default());
    let requests = stage.service.token_requests();
    call(&first).unwrap_err();
    assert_eq!(stage.service.token_requests(), requests, "this process is silent");
    stage.service.issue_tokens();
    call(&second).unwrap();
    assert_eq!(stage.service.token_requests(), requests + 1, "the other one asks");
    call(&first).unwrap();
    assert_eq!(stage.service.token_requests(), requests + 1, "what it got serves both");
}

/// A local backoff does not hide a longer shared one.
#[test]
fn a_shared_backoff_counts_after_a_local_one() {
    let stage = Stage::new();
    let (first, second) = (stage.process(), stage.process());
    stage.service.on_token(|_| Err(refused_connection()));
    call(&first).unwrap_err();
    stage.service.on_token(|_| Ok(status_with(429, "Retry-After", "60")));
    call(&second).unwrap_err();
    let requests = stage.service.token_requests();
    let backoff = first.token_status(&first.context()).unwrap().backoff;
    assert!(backoff >= Some(seconds(60)), "{backoff:?}");
    stage.clock.advance(seconds(30));
    call(&first).unwrap_err();
    assert_eq!(stage.service.token_requests(), requests);
}

#[test]
fn a_backoff_in_the_store_leaves_its_token_in_use() {
    let stage = Stage::new();
    let first = stage.process();
    call(&first).unwrap();
    stage.clock.advance(HOUR - seconds(60));
    stage.service.on_token(|_| Ok(status_with(429, "Retry-After", "600")));
    call(&first).unwrap();
    let second = stage.process();
    call(&second).unwrap();
    assert_eq!(stage.service.token_requests(), 2);
    assert_eq!(stage.service.last_token(), "token-1");
}

#[test]
fn in_a_backoff_a_token_of_another_process_is_used() {
    let stage = Stage::new();
    let witness = Witness::new();
    let config = config(&stage.service, &stage.clock).token_store(stage.store.clone());
    let process = client(config.observer(witness.clone()));
    stage.service.on_token(|_| Ok(status_with(429, "Retry-After", "600")));
    call(&process).unwrap_err();
    let fence = stage.store.take_lock(&stage.store.key());
    stage.store.put(&stage.store.key(), &stage.entry_of_another_process(), fence);
    assert_eq!(witness.count("TokenReused"), 0);
    call(&process).unwrap();
    assert_eq!(stage.service.last_token(), "token-of-another");
    assert_eq!((stage.service.token_requests(), witness.count("TokenReused")), (1, 1));
}

#[test]
fn an_accepted_call_counts_for_all_clients_of_the_store() {
    let stage = Stage::new();
    let first = stage.process();
    call(&first).unwrap();
    stage.service.revoke_tokens();
    call(&first).unwrap();
    let replacements = stage.store.entry(&stage.store.key()).replacements;
    assert!(!format!("{replacements:?}").contains("until: 1"), "{replacements:?}");
    let second = stage.process();
    stage.service.revoke_tokens();
    call(&second).unwrap();
    assert_eq!(stage.service.token_requests(), 3);
}
