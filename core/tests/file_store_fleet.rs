//! Many processes with many threads and one token store in files.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail so")]

mod fleet;

use std::path::PathBuf;
use std::time::Duration;

use fleet::{Fleet, PROCESSES, blocked, work};

struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        Self(std::env::temp_dir().join(format!("payments-{test}-{}", std::process::id())))
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

#[test]
fn sixteen_processes_ask_once_per_lifetime() {
    const TEST: &str = "sixteen_processes_ask_once_per_lifetime";
    if work(60) {
        return;
    }
    let folder = Folder::new(TEST);
    let mut fleet = Fleet::start(TEST, &folder.token_store(), Duration::from_secs(20), None);
    assert_eq!(fleet.join(), [0; PROCESSES], "no call lacked a token");
    let requests = fleet.sandbox.token_requests();
    assert!((3..=4).contains(&requests), "{requests} token requests in three lifetimes");
}

#[test]
fn a_refusal_stops_all_processes_for_the_quiet_period() {
    const TEST: &str = "a_refusal_stops_all_processes_for_the_quiet_period";
    if work(5) {
        return;
    }
    let folder = Folder::new(TEST);
    let lifetime = Duration::from_secs(600);
    let mut fleet = Fleet::start(TEST, &folder.token_store(), lifetime, Some(blocked()));
    assert_eq!(fleet.join(), [1; PROCESSES]);
    assert_eq!(fleet.sandbox.token_requests(), 1);
}
