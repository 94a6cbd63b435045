//! `PAYMENTS_LOG=debug`, which works without the caller's involvement.

use std::sync::{Arc, Mutex};

use payments_core::observer::Event;
use payments_core::{Client, Config, QueryPayment};

use crate::support::child;
use crate::support::merchant::{ALL, Merchant};

/// Marks the observer's line in the output of the child.
const OBSERVED: &str = "the observer got";

/// Set in the process that makes the call.
const CHILD: &str = "PAYMENTS_TEST_LOG";

/// Sends a query with an observer, and prints the observed events.
fn query(merchant: &Merchant, change: impl FnOnce(Config) -> Config) {
    let names = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&names);
    let observer = move |event: &Event<'_>| seen.lock().unwrap().push(event.name());
    let config = change(merchant.config(ALL).observer(Arc::new(observer)));
    let query = QueryPayment::by_merchant_payment_code("CANARY@example.com");
    Client::new(config).unwrap().query_payment(&query).unwrap_err();
    println!("{OBSERVED} {}", names.lock().unwrap().join(" "));
}

/// Runs `test` in a child. Returns the events that were logged, and those that
/// were observed.
fn outcome(test: impl Fn(), level: &str) -> (Vec<String>, Vec<String>) {
    let output = child::command(test).env(CHILD, "1").env("PAYMENTS_LOG", level).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    assert!(!err.contains("CANARY"), "{err}");
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let observed = out.lines().find_map(|line| line.split_once(OBSERVED));
    let logged = err.lines().filter(|line| line.starts_with("payments["));
    assert!(logged.clone().all(|line| line.contains(r#" reference="CAN…""#)), "{err}");
    let logged = logged.map(|line| words(line).swap_remove(1)).collect();
    (logged, words(observed.unwrap().1.trim()))
}

fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

const EVENTS: [&str; 6] = [
    "request_started",
    "token_requested",
    "token_fetched",
    "attempt",
    "attempt_ended",
    "request_ended",
];

#[test]
fn the_environment_turns_it_on_beside_an_observer() {
    if is_child() {
        return query(&Merchant::with(ALL), |config| config);
    }
    let test = the_environment_turns_it_on_beside_an_observer;
    for (level, logged) in [
        ("debug", &EVENTS[..]),
        ("DEBUG", &EVENTS),
        ("info", &["request_ended"]),
        ("warn", &[]),
        ("warning", &[]),
        ("verbose", &[]),
        ("", &[]),
    ] {
        let (log, observed) = outcome(test, level);
        assert_eq!((log, observed), (owned(logged), owned(&EVENTS)), "{level}");
    }
}

#[test]
fn a_client_can_be_set_to_log_and_logs_once() {
    if is_child() {
        return query(&Merchant::with(ALL), Config::log_to_stderr);
    }
    for level in ["", "debug"] {
        let (log, observed) = outcome(a_client_can_be_set_to_log_and_logs_once, level);
        assert_eq!((log, observed), (owned(&EVENTS), owned(&EVENTS)), "{level}");
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}
