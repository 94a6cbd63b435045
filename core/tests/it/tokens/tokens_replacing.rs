//! One process replaces a refused token, and the others that share the store
//! wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use payments_core::context::{CallContext, CancelHandle};
use payments_core::request::RawRequest;
use payments_core::{Client, Error, ErrorKind, Outcome};

use crate::support::tokens::{
    Action, Gate, HOUR, MANY, ManualClock, Service, TestStore, Witness, at_once, call, client,
    config, refused_connection, seconds, stage, status, status_with, timed_out,
};
use crate::support::wait::wait_until;

/// Processes that share a store and hold the same token, which the service no
/// longer accepts.
struct Refused {
    service: Arc<Service>,
    clock: Arc<ManualClock>,
    store: Arc<TestStore>,
    processes: Vec<Client>,
}

impl Refused {
    fn new(processes: usize) -> Self {
        let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
        let make = |_| client(config(&service, &clock).token_store(store.clone()));
        let processes: Vec<_> = (0..processes).map(make).collect();
        processes.iter().for_each(|process| drop(call(process).unwrap()));
        service.revoke_tokens();
        Self { service, clock, store, processes }
    }

    fn process(&self) -> Client {
        client(config(&self.service, &self.clock).token_store(self.store.clone()))
    }

    /// Token requests wait for the gate.
    fn hold_token_requests(&self) -> Arc<Gate> {
        let gate = Gate::closed();
        let (held, issuing) = (Arc::clone(&gate), Arc::downgrade(&self.service));
        self.service.on_token(move |asked| {
            held.pass(asked.context);
            issuing.upgrade().expect("it is asking").issue(&format!("token-{}", asked.number), 3600)
        });
        gate
    }

    /// Runs `act` while a call of the first process waits for its token. Returns
    /// how that call ended.
    fn while_the_first_asks(&self, act: impl FnOnce(&Gate, &CancelHandle)) -> Result<(), Error> {
        let gate = self.hold_token_requests();
        let cancel = CancelHandle::new();
        let context = CallContext::new(seconds(60), cancel.clone(), None);
        let request = RawRequest::new("POST", "/ws/any");
        std::thread::scope(|scope| {
            let first = scope.spawn(|| self.processes[0].execute(&request, &context).map(drop));
            gate.wait_for_arrivals(1);
            act(&gate, &cancel);
            first.join().unwrap()
        })
    }

    /// Lets a process be refused, and end while it asks for the next token. Like
    /// one that is killed, it leaves what it saved before.
    fn end_while_asking(&self) {
        let cancel = CancelHandle::new();
        let (ended, issuing) = (cancel.clone(), Arc::downgrade(&self.service));
        let lacks_token = AtomicBool::new(self.store.entry(&self.store.key()).token.is_none());
        self.service.on_token(move |asked| {
            if lacks_token.swap(false, Ordering::SeqCst) {
                let value = format!("token-{}", asked.number);
                return issuing.upgrade().expect("it is asking").issue(&value, 3600);
            }
            ended.cancel();
            Err(timed_out())
        });
        let context = CallContext::new(seconds(60), cancel, None);
        self.process().execute(&RawRequest::new("POST", "/ws/any"), &context).unwrap_err();
    }
}

#[test]
fn no_call_is_refused_while_another_process_asks() {
    let fleet = Refused::new(8);
    let first = fleet.while_the_first_asks(|gate, _| {
        std::thread::scope(|scope| {
            let locks = fleet.store.count(Action::Lock);
            let others = fleet.processes[1..].iter().map(|process| scope.spawn(|| call(process)));
            let others: Vec<_> = others.collect();
            wait_until("they wait", || fleet.store.count(Action::Lock) >= locks + 3 * others.len());
            gate.open();
            others.into_iter().for_each(|it| drop(it.join().unwrap().unwrap()));
        });
    });
    first.unwrap();
    assert_eq!(
        (fleet.service.token_requests(), fleet.service.last_token().as_str()),
        (2, "token-2")
    );
}

/// The lock of a process that was killed is released, or lapses.
#[test]
fn another_process_takes_over_from_one_that_is_gone() {
    let fleet = Refused::new(4);
    fleet
        .while_the_first_asks(|gate, cancel| {
            fleet.store.let_lock_lapse(&fleet.store.key());
            fleet.service.issue_tokens();
            at_once(3, |number| drop(call(&fleet.processes[1 + number]).unwrap()));
            assert_eq!(fleet.service.token_requests(), 3);
            cancel.cancel();
            gate.open();
        })
        .unwrap_err();
}

#[test]
fn a_process_that_waits_ends_with_its_call() {
    let fleet = Refused::new(2);
    fleet
        .while_the_first_asks(|gate, _| {
            let context = CallContext::with_timeout(seconds(1) / 5);
            let request = RawRequest::new("POST", "/ws/any");
            let error = fleet.processes[1].execute(&request, &context).unwrap_err();
            assert_eq!(
                (error.kind(), error.outcome()),
                (ErrorKind::Unauthorized, Outcome::NotExecuted)
            );
            let why = error.diagnosis().unwrap().message();
            assert!(
                why.contains("the lock of the token store, which another process has"),
                "{why}"
            );
            gate.open();
        })
        .unwrap();
    assert_eq!(fleet.service.token_requests(), 2);
}

/// A pause begins with the next token, and not with the request for it.
#[test]
fn a_token_that_did_not_come_begins_no_pause() {
    let fleet = Refused::new(1);
    fleet.end_while_asking();
    fleet.service.issue_tokens();
    call(&fleet.process()).unwrap();
    assert_eq!(fleet.service.last_token(), "token-3");
}

#[test]
fn a_crash_loop_asks_a_dozen_times_an_hour() {
    let fleet = Refused::new(1);
    let before = fleet.service.token_requests();
    fleet.service.on_call(|_| Ok(status(401)));
    for _ in 0..120 {
        fleet.end_while_asking();
        fleet.clock.advance(HOUR / 121);
    }
    let asked = fleet.service.token_requests() - before;
    assert!((8..=12).contains(&asked), "{asked}");
}

#[test]
fn a_request_that_was_not_sent_does_not_count() {
    let fleet = Refused::new(20);
    fleet.service.on_token(|_| Err(refused_connection()));
    for process in &fleet.processes {
        let error = call(process).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unauthorized);
        assert!(error.retry_after() < Some(seconds(1)), "{error:?}");
    }
    fleet.service.issue_tokens();
    call(&fleet.process()).unwrap();
}

/// Three hosts without a common store, and a service that accepts the token only
/// that it issued last.
#[test]
fn tokens_that_processes_take_from_each_other_are_told_as_that() {
    let (service, clock, witness) = (Service::new(), ManualClock::new(), Witness::new());
    let issuing = Arc::downgrade(&service);
    service.on_token(move |asked| {
        let service = issuing.upgrade().expect("it is asking");
        service.revoke_tokens();
        service.issue(&format!("token-{}", asked.number), 3600)
    });
    let stores = [(); 3].map(|()| TestStore::new());
    let process = |store: &Arc<TestStore>| {
        let config = config(&service, &clock).token_store(store.clone());
        client(config.observer(witness.clone()))
    };
    let processes = stores.each_ref().map(process);
    let mut refused = Vec::new();
    for number in 0..60 {
        refused.extend(call(&processes[number % 3]).err());
        clock.advance(seconds(1));
    }
    assert!(service.token_requests() <= 3 * 8, "{} requests", service.token_requests());
    assert!(refused.len() > 20, "{} refused", refused.len());
    // The store tells a process that has just started, such as `payments check`.
    let of_new_processes: Vec<_> =
        stores.iter().filter_map(|store| call(&process(store)).err()).collect();
    assert_eq!(of_new_processes.len(), 2, "one of three has the last token");
    refused.extend(of_new_processes);
    assert_eq!(witness.count("TokenKept"), refused.len());
    for error in refused {
        assert_eq!(
            (error.kind(), error.outcome()),
            (ErrorKind::Unauthorized, Outcome::NotExecuted)
        );
        let why = error.diagnosis().unwrap().message();
        assert!(why.contains("another process with this client_id obtains its own"), "{why}");
        assert!(!why.contains("did not help"), "{why}");
        let left = error.retry_after().unwrap();
        assert!(left > seconds(500) && left <= seconds(600), "{left:?}");
    }
}

#[test]
fn a_refusal_within_a_pause_has_the_end_of_the_pause() {
    let (service, _, client) = stage();
    service.on_call(|_| Ok(status_with(401, "Retry-After", "7")));
    assert_eq!(call(&client).unwrap_err().retry_after(), Some(seconds(7)), "it was replaced");
    let left = call(&client).unwrap_err().retry_after().unwrap();
    assert!(left > seconds(29) && left <= seconds(39), "{left:?}");
}

#[test]
fn threads_and_processes_replace_a_token_once() {
    let fleet = Refused::new(4);
    at_once(MANY, |number| drop(call(&fleet.processes[number % 4]).unwrap()));
    assert_eq!(fleet.service.token_requests(), 2);
}
