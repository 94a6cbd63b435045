//! Many processes with many threads, sharing one token store.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use payments_core::observer::{Event, EventKind};
use payments_core::{Client, Config, Error, ErrorKind, Operation, QueryPayment};
use payments_sandbox::{
    Fault, FaultScript, Require, Sandbox, SandboxConfig, Times, TokenBlock, TokenLimit,
};

use super::child;
use super::folder::Folder;

/// Contains the configuration, in a worker process.
const WORKER: &str = "PAYMENTS_FLEET_WORKER";
pub const PROCESSES: usize = 16;
const THREADS: usize = 4;
/// The pause between two calls of a thread: long enough for a busy machine to
/// keep up.
const PAUSE: Duration = Duration::from_millis(500);

/// Does the work of one process, which then exits with 0, or with 1 if a call
/// got no token. Prints the first such failure.
pub fn work(seconds: u64) -> bool {
    let Some(json) = std::env::var_os(WORKER) else {
        return false;
    };
    let config = Config::from_json(json.to_str().unwrap().as_bytes()).unwrap();
    let (client, passed_over) = connected(config);
    let passed_over_before = passed_over.load(Ordering::SeqCst);
    let until = Instant::now() + Duration::from_secs(seconds);
    let lacked = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..THREADS).map(|_| scope.spawn(|| call_until(&client, until))).collect();
        threads.into_iter().find_map(|thread| thread.join().unwrap())
    });
    if passed_over.load(Ordering::SeqCst) > passed_over_before {
        std::fs::write(passed_over_mark(std::env::var_os("XDG_CACHE_HOME").unwrap()), "").unwrap();
    }
    if let Some(error) = &lacked {
        eprintln!("no token: {error}");
    }
    std::process::exit(i32::from(lacked.is_some()));
}

/// The files in the cache directory if a call bypassed the store.
fn passed_over_mark(cache: impl AsRef<Path>) -> PathBuf {
    cache.as_ref().join("passed_over")
}

/// Makes a client whose store is connected. On a busy machine, sixteen processes
/// that connect at once exceed the limit of a store, and a call passes it over.
/// Counts these calls.
fn connected(config: Config) -> (Client, Arc<AtomicUsize>) {
    let passed_over = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&passed_over);
    let client = Client::new(config.observer(Arc::new(move |event: &Event<'_>| {
        if matches!(event.kind, EventKind::StoreBypassed { .. }) {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    })));
    let client = client.unwrap();
    loop {
        let before = passed_over.load(Ordering::SeqCst);
        client.token_status(&client.context()).unwrap();
        if passed_over.load(Ordering::SeqCst) == before {
            return (client, passed_over);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Makes calls until `until`. Returns the first error of a call that got no
/// token.
fn call_until(client: &Client, until: Instant) -> Option<Error> {
    let mut lacked = None;
    while Instant::now() < until {
        // The payment does not exist, but only an authorized call learns that.
        let error = client.query_payment(&QueryPayment::by_hash("0f")).unwrap_err();
        match error.kind() {
            ErrorKind::Rejected => {}
            ErrorKind::Token => lacked = lacked.or(Some(error)),
            _ => panic!("{error}"),
        }
        std::thread::sleep(PAUSE);
    }
    lacked
}

pub struct Fleet {
    pub sandbox: Sandbox,
    started: Instant,
    workers: Vec<Child>,
    /// The cache directory of the workers, instead of the user's.
    cache: Folder,
}

impl Fleet {
    /// Starts workers that run `test` with this `token_store`.
    pub fn start(
        test: impl Fn(),
        token_store: &str,
        lifetime: Duration,
        block: Option<TokenBlock>,
    ) -> Self {
        let sandbox = Sandbox::start(SandboxConfig {
            require: Require { bearer: true, ..Require::NOTHING },
            token_lifetime: lifetime,
            token_limit: TokenLimit { requests: 0, ..TokenLimit::default() },
            ..SandboxConfig::default()
        })
        .unwrap();
        sandbox.block_tokens(block);
        let settings = sandbox.config();
        let json = format!(
            r#"{{"environment": "sandbox", "base_url": {:?}, "auth_url": {:?}, "client_id": {:?},
                "client_secret": {:?}, "token_store": {token_store:?}, "timeout_ms": 20000}}"#,
            sandbox.base_url(),
            sandbox.auth_url(),
            settings.client_id,
            settings.client_secret,
        );
        Config::from_json(json.as_bytes()).and_then(Client::new).unwrap();
        let started = Instant::now();
        let cache = Folder::made();
        let workers = (0..PROCESSES).map(|_| {
            let mut command = child::command(&test);
            command.env(WORKER, &json).env("XDG_CACHE_HOME", cache.path());
            command.stdout(Stdio::null()).spawn().unwrap()
        });
        let workers = workers.collect();
        Self { sandbox, started, workers, cache }
    }

    /// Fails unless at least two tokens were requested, and at most one per
    /// `lifetime` since the start (whose last tenth may go unused) plus `more`.
    pub fn assert_one_request_each(&self, lifetime: Duration, more: u64) {
        let requests = self.sandbox.token_requests();
        let lifetimes = self.started.elapsed().as_secs_f64() / (0.9 * lifetime.as_secs_f64());
        let most = lifetimes.ceil() as u64 + more;
        assert!((2..=most).contains(&requests), "{requests} of {most}");
    }

    /// Whether a call of a worker that has ended passed the store over, and used
    /// the one that all fall back to.
    pub fn has_passed_over(&self) -> bool {
        passed_over_mark(self.cache.path()).exists()
    }

    /// The exit codes of all workers.
    pub fn join(&mut self) -> Vec<i32> {
        self.workers.iter_mut().map(|worker| worker.wait().unwrap().code().unwrap()).collect()
    }
}

/// The service revokes the token while all processes call, and the token server
/// takes a second for the next one. No call may be refused.
pub fn a_revoked_token_costs_no_call(test: impl Fn(), token_store: &str) {
    let mut fleet = Fleet::start(test, token_store, Duration::from_secs(600), None);
    std::thread::sleep(Duration::from_secs(4));
    let fault = Fault::delay(Duration::from_secs(1));
    let script = FaultScript::for_operation(Operation::AccessToken, vec![fault]);
    fleet.sandbox.script_fault(script.times(Times::Always));
    fleet.sandbox.revoke_tokens();
    assert_eq!(fleet.join(), [0; PROCESSES], "no call was refused");
    let (requests, most) = (fleet.sandbox.token_requests(), 2 + u64::from(fleet.has_passed_over()));
    assert!((2..=most).contains(&requests), "{requests} of {most}");
}

/// A block that refuses every token request.
pub fn blocked() -> TokenBlock {
    TokenBlock { status: 403, retry_after: None, duration: Some(Duration::from_secs(600)) }
}
