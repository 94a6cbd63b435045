//! Many processes with many threads, sharing one file token store.

#![cfg(unix)]

use std::time::Duration;

use crate::support::fleet::{Fleet, PROCESSES, a_revoked_token_costs_no_call, blocked, work};
use crate::support::folder::Folder;

fn token_store(folder: &Folder) -> String {
    format!("file:{}", folder.path().display())
}

const LIFETIME: Duration = Duration::from_secs(10);

#[test]
fn sixteen_processes_ask_once_per_lifetime() {
    if work(30) {
        return;
    }
    let folder = Folder::new();
    let mut fleet = Fleet::start(
        sixteen_processes_ask_once_per_lifetime,
        &token_store(&folder),
        LIFETIME,
        None,
    );
    assert_eq!(fleet.join(), [0; PROCESSES], "no call lacked a token");
    fleet.assert_one_request_each(LIFETIME, 1);
}

#[test]
fn a_refusal_stops_all_processes_for_the_backoff() {
    if work(5) {
        return;
    }
    let folder = Folder::new();
    let lifetime = Duration::from_secs(600);
    let mut fleet = Fleet::start(
        a_refusal_stops_all_processes_for_the_backoff,
        &token_store(&folder),
        lifetime,
        Some(blocked()),
    );
    assert_eq!(fleet.join(), [1; PROCESSES]);
    assert_eq!(fleet.sandbox.token_requests(), 1);
}

#[test]
fn a_revoked_token_costs_no_process_a_call() {
    if work(8) {
        return;
    }
    let folder = Folder::new();
    a_revoked_token_costs_no_call(a_revoked_token_costs_no_process_a_call, &token_store(&folder));
}
