//! The calls for `cargo xtask walk`, which are all the same. COUNT is their number:
//! a run with a larger one shows which functions each call runs.
//!
//! ```text
//! walk payment|token|payout COUNT
//! ```
//!
//! The service is its own process, because it uses the same crates.

#![allow(clippy::panic, clippy::unwrap_used, missing_docs)]

#[path = "../it/support/calls.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod calls;
#[path = "../it/support/folder.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod folder;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use folder::Folder;
use payments_core::json::Json;
use payments_core::token::{Clock, FileStore, SystemClock};
use payments_core::{Client, Config};
use payments_sandbox::{Sandbox, SandboxConfig};

const SERVICE: &str = "service";
/// Always the same key, so that runs do not differ.
const KEY: &str = include_str!("../../../tests/vectors/keys/test_rsa_4096_pkcs8.pem");
const PUBLIC_KEY: &str = include_str!("../../../tests/vectors/keys/test_rsa_4096_public.pem");

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [SERVICE] => serve(),
        [walk, count] => make_calls(walk, count.parse().unwrap()),
        _ => panic!("usage: walk payment|token|payout COUNT"),
    }
}

fn make_calls(walk: &str, count: u64) {
    let folder = Folder::new();
    // The store makes it private, which the journal asks for.
    let store = FileStore::new(folder.path()).unwrap();
    let service = Service::start();
    let clock = Arc::new(DaysPass::default());
    let mut config = Config::from_json(service.configuration.as_bytes())
        .unwrap()
        .token_store(Arc::new(store))
        .clock(clock.clone());
    if walk == "payout" {
        let file = folder.path().join("journal");
        // Windows has no journals in files.
        #[cfg(unix)]
        payments_core::journal::SqliteJournal::create(&file).unwrap();
        config = config.journal_file(file);
    }
    let client = Client::new(config).unwrap();
    for number in 1..=count {
        let reference = format!("order-{number}");
        match walk {
            "payment" => drop(client.create_payment(&calls::payment(&reference)).unwrap()),
            "token" => {
                clock.0.fetch_add(1, Ordering::Relaxed);
                drop(client.create_payment(&calls::payment(&reference)).unwrap());
            }
            _ => drop(client.create_payout(&calls::payout(&reference)).unwrap()),
        }
    }
}

/// The clock of the system, this many days later.
#[derive(Default)]
struct DaysPass(AtomicU64);

impl DaysPass {
    fn passed(&self) -> Duration {
        Duration::from_secs(86_400 * self.0.load(Ordering::Relaxed))
    }
}

impl Clock for DaysPass {
    fn monotonic(&self) -> Instant {
        SystemClock.monotonic() + self.passed()
    }

    fn unix(&self) -> Duration {
        SystemClock.unix() + self.passed()
    }
}

/// The service, in its own process.
struct Service {
    child: Child,
    configuration: String,
}

impl Service {
    fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg(SERVICE)
            // Its functions do not count.
            .env("LLVM_PROFILE_FILE", "/dev/null")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut configuration = String::new();
        let stdout = child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut configuration).unwrap();
        Self { child, configuration }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn serve() {
    let sandbox = Sandbox::start(SandboxConfig::default()).unwrap();
    let kid = sandbox.register_pem(PUBLIC_KEY).unwrap();
    let members = [("kid", &*kid), ("key", KEY)];
    println!("{}", Json::Object(sandbox.client_configuration(&members)).to_text());
    let _ = std::io::stdin().read(&mut [0]);
}
