//! The cost of refused tokens within a virtual hour, over many processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use payments_core::request::RawRequest;
use payments_core::{Client, Error, ErrorKind};

use crate::support::tokens::{
    HOUR, ManualClock, Sent, Service, TestStore, accepted, client, config, seconds, stage, status,
};

const PROCESSES: usize = 50;
/// How often each process calls, in seconds.
const EVERY: u64 = 15;

fn post(client: &Client, path: &str) -> Result<(), Error> {
    client.send(&RawRequest::new("POST", path)).map(drop)
}

/// Processes that share a store, and a clock.
struct Fleet {
    service: Arc<Service>,
    clock: Arc<ManualClock>,
    processes: Vec<Client>,
}

impl Fleet {
    /// Responds to calls with 401 if `is_refused` says so.
    fn new(is_refused: impl Fn(&Sent) -> bool + Send + Sync + 'static) -> Self {
        let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
        service.on_call(move |sent| Ok(if is_refused(sent) { status(401) } else { accepted() }));
        let make = |_| client(config(&service, &clock).token_store(store.clone()));
        let processes = (0..PROCESSES).map(make).collect();
        Self { service, clock, processes }
    }

    /// Lets an hour pass, in which each process makes the calls of `act` every
    /// [`EVERY`] seconds, with a number that counts up. Returns how often a token
    /// was requested after the first.
    fn replacements_in_an_hour(&self, act: impl Fn(&Client, usize)) -> usize {
        for turn in 0..HOUR.as_secs() / EVERY {
            for (number, process) in self.processes.iter().enumerate() {
                act(process, turn as usize + number);
            }
            self.clock.advance(seconds(EVERY));
        }
        self.service.token_requests() - 1
    }
}

/// A token that is renewed because it expires is not a replacement.
const RENEWED: usize = 1;

#[test]
fn nothing_but_401() {
    let fleet = Fleet::new(|_| true);
    let replaced = fleet.replacements_in_an_hour(|process, _| {
        let error = post(process, "/ws/any").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unauthorized);
    });
    assert!((6..=10).contains(&replaced), "{replaced}");
}

#[test]
fn one_target_accepted_and_one_refused() {
    let fleet = Fleet::new(|sent| sent.url.contains("refused"));
    let replaced = fleet.replacements_in_an_hour(|process, _| {
        post(process, "/ws/accepted").unwrap();
        post(process, "/ws/refused").unwrap_err();
    });
    assert!((6..=10 + RENEWED).contains(&replaced), "{replaced}");
}

#[test]
fn sixteen_targets_refused() {
    let fleet = Fleet::new(|sent| sent.url.contains("refused"));
    let replaced = fleet.replacements_in_an_hour(|process, number| {
        post(process, "/ws/accepted").unwrap();
        post(process, &format!("/ws/refused/{}", number % 16)).unwrap_err();
    });
    assert!((11..=12 + RENEWED).contains(&replaced), "{replaced}");
}

#[test]
fn more_targets_refused_than_are_remembered() {
    let fleet = Fleet::new(|sent| sent.url.contains("refused"));
    let replaced = fleet.replacements_in_an_hour(|process, number| {
        post(process, "/ws/accepted").unwrap();
        post(process, &format!("/ws/refused/{}", number % 40)).unwrap_err();
    });
    assert!((11..=12 + RENEWED).contains(&replaced), "{replaced}");
}

#[test]
fn every_second_call_accepted() {
    let calls = AtomicUsize::new(0);
    let fleet = Fleet::new(move |_| {
        // A call that is refused is sent twice, and both are.
        !calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(3)
    });
    let replaced = fleet.replacements_in_an_hour(|process, _| drop(post(process, "/ws/any")));
    assert!((11..=12 + RENEWED).contains(&replaced), "{replaced}");
}

/// A gateway restarts, and its 401s spend a replacement. Then the provider
/// loses all tokens.
#[test]
fn a_call_succeeds_within_a_minute_of_a_glitch() {
    let fleet = Fleet::new(|_| true);
    let service = Arc::downgrade(&fleet.service);
    for process in &fleet.processes {
        post(process, "/ws/any").unwrap_err();
    }
    fleet.service.on_call(move |sent| {
        let service = service.upgrade().expect("it is asked");
        Ok(if service.is_valid(sent.token()) { accepted() } else { status(401) })
    });
    fleet.service.revoke_tokens();
    for process in &fleet.processes {
        assert_eq!(post(process, "/ws/any").unwrap_err().kind(), ErrorKind::Unauthorized);
    }
    fleet.clock.advance(seconds(59));
    for process in &fleet.processes {
        post(process, "/ws/any").unwrap();
    }
    assert_eq!(fleet.service.token_requests(), 3);
}

/// Another process of the store has ended the pause since.
#[test]
fn a_pause_ends_for_all_clients_of_the_store() {
    let fleet = Fleet::new(|sent| !sent.url.contains("accepted"));
    let [first, second] = [0, 1].map(|number| &fleet.processes[number]);
    for process in [first, second] {
        post(process, "/ws/any").unwrap_err();
    }
    assert_eq!(fleet.service.token_requests(), 2);
    post(first, "/ws/accepted").unwrap();
    post(second, "/ws/other").unwrap_err();
    assert_eq!(fleet.service.token_requests(), 3);
    post(second, "/ws/any").unwrap_err();
    assert_eq!(fleet.service.token_requests(), 3, "its own pause goes on");
}

#[test]
fn a_loop_of_forget_and_call_asks_a_dozen_times_an_hour() {
    let (service, clock, client) = stage();
    for _ in 0..HOUR.as_secs() / EVERY {
        client.forget_token(&client.context()).unwrap();
        match post(&client, "/ws/any") {
            Ok(()) => {}
            Err(error) => {
                assert_eq!(
                    (error.kind(), error.code().as_str()),
                    (ErrorKind::Token, "token_backoff")
                );
                assert!(error.retry_after().unwrap() <= seconds(600), "{error}");
            }
        }
        clock.advance(seconds(EVERY));
    }
    // The first token replaced none.
    assert_eq!(service.token_requests(), 1 + 12);
}

#[test]
fn fifty_processes_that_forget_and_call_ask_as_rarely() {
    let fleet = Fleet::new(|_| false);
    let replaced = fleet.replacements_in_an_hour(|process, _| {
        process.forget_token(&process.context()).unwrap();
        post(process, "/ws/any").ok();
    });
    assert_eq!(replaced, 12);
}
