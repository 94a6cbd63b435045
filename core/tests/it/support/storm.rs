//! A token server that responds as a test chooses, and worker processes that
//! need its tokens.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use payments_core::observer::{Event, EventKind};
use payments_core::{CallContext, Client, Config};

use super::child;
use super::folder::Folder;
use super::raw_server::{Connection, RawServer, response};

/// Contains the configuration, in a worker process.
const WORKER: &str = "PAYMENTS_STORM_WORKER";
/// How many seconds a worker keeps trying.
const PATIENCE: &str = "PAYMENTS_STORM_PATIENCE";

/// Part of each response: the server closes a connection after it, and a client
/// must not try to reuse it first.
const CLOSES: &str = "connection: close\r\n";

/// Counts the requests, and how many are open at once.
pub struct TokenServer {
    server: RawServer,
    under_way: Arc<UnderWay>,
}

#[derive(Default)]
struct UnderWay {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl TokenServer {
    /// Passes every request to `treat` with its number, from 1. The connection
    /// is closed when `treat` returns.
    pub fn start(treat: impl Fn(usize, &mut Connection) + Send + Sync + 'static) -> Self {
        let under_way = Arc::new(UnderWay::default());
        let (counts, number) = (Arc::clone(&under_way), AtomicUsize::new(0));
        let server = RawServer::start(move |mut connection| {
            if connection.read_request().is_none() {
                return;
            }
            counts.most.fetch_max(counts.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            treat(number.fetch_add(1, Ordering::SeqCst) + 1, &mut connection);
            counts.now.fetch_sub(1, Ordering::SeqCst);
        });
        Self { server, under_way }
    }

    pub fn requests(&self) -> usize {
        self.server.requests().len()
    }

    /// The largest number of requests that were open at once.
    pub fn most_at_once(&self) -> usize {
        self.under_way.most.load(Ordering::SeqCst)
    }

    /// A client configuration with additional members.
    pub fn config(&self, members: &str) -> String {
        let url = self.server.base_url();
        format!(
            r#"{{"base_url": {url:?}, "auth_url": {url:?}, "client_id": "merchant",
                "client_secret": "secret"{members}}}"#
        )
    }
}

/// Responds with a token that contains `number`.
pub fn issue(number: usize, connection: &mut Connection) {
    let body = format!(r#"{{"access_token": "token-{number}", "expires_in": 3600}}"#);
    connection.write(&response("200 OK", CLOSES, &body));
}

/// Responds like a token server that blocks its client.
pub fn block(connection: &mut Connection) {
    connection.write(&response("403 Forbidden", CLOSES, ""));
}

/// Waits for `time` or until the client disconnects. Returns whether the client
/// is still connected.
pub fn take_time(connection: &mut Connection, time: Duration) -> bool {
    connection.socket.set_read_timeout(Some(time)).unwrap();
    let started = Instant::now();
    connection.wait_for_the_end();
    started.elapsed() >= time
}

/// In a worker, obtains a token and exits, with code 0 on success.
pub fn work() -> bool {
    let Ok(config) = std::env::var(WORKER) else {
        return false;
    };
    let patience = std::env::var(PATIENCE).unwrap().parse().unwrap();
    let until = Instant::now() + Duration::from_secs(patience);
    let config = Config::from_json(config.as_bytes()).unwrap();
    let client = Client::new(config.observer(Arc::new(|event: &Event<'_>| {
        if matches!(event.kind, EventKind::StoreBypassed { .. }) {
            let cache = std::env::var_os("XDG_CACHE_HOME").unwrap();
            std::fs::write(passed_over_mark(cache.as_ref()), "").unwrap();
        }
    })));
    let client = client.unwrap();
    loop {
        let context = CallContext::with_timeout(Duration::from_secs(60));
        if client.access_token(&context).is_ok() {
            std::process::exit(0);
        }
        if Instant::now() >= until {
            std::process::exit(1);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Worker processes that share a temporary cache directory.
pub struct Crew<T> {
    test: T,
    config: String,
    pub cache: Folder,
}

impl<T: Fn()> Crew<T> {
    /// Prepares workers that run `test` with this configuration.
    pub fn new(test: T, config: String) -> Self {
        Self { test, config, cache: Folder::made() }
    }

    /// Starts a worker that tries for `patience` seconds.
    pub fn start(&self, patience: u64) -> Child {
        let mut command = child::command(&self.test);
        command.env(WORKER, &self.config).env(PATIENCE, patience.to_string());
        command.env("XDG_CACHE_HOME", self.cache.path()).stdout(Stdio::null()).spawn().unwrap()
    }

    /// Runs several workers at once. Returns how many obtained a token.
    pub fn run(&self, processes: usize, patience: u64) -> usize {
        had_a_token((0..processes).map(|_| self.start(patience)).collect())
    }

    /// Whether a worker bypassed the store, as it does on a machine so busy that
    /// the store seems not to work. Then the shared fallback asks too.
    pub fn has_passed_over(&self) -> bool {
        passed_over_mark(self.cache.path()).exists()
    }
}

fn passed_over_mark(cache: &Path) -> PathBuf {
    cache.join("passed_over")
}

pub fn had_a_token(workers: Vec<Child>) -> usize {
    let codes = workers.into_iter().map(|mut worker| worker.wait().unwrap().code());
    codes.filter(|code| *code == Some(0)).count()
}

pub fn signal(worker: &Child, signal: &str) {
    let pid = worker.id().to_string();
    assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
}
