//! Many processes with many threads, sharing one file token store.

#![cfg(unix)]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::support::fleet::{Fleet, PROCESSES, blocked, work};

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("payments-fleet-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn token_store(&self) -> String {
        format!("file:{}", self.0.display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
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
        &folder.token_store(),
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
        &folder.token_store(),
        lifetime,
        Some(blocked()),
    );
    assert_eq!(fleet.join(), [1; PROCESSES]);
    assert_eq!(fleet.sandbox.token_requests(), 1);
}
