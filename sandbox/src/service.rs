//! The service: verifies and executes requests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use payments_core::json::Json;
use payments_core::operation::Operation;
use serde_json::json;

use crate::authorization;
use crate::clock::Calendar;
use crate::config::SandboxConfig;
use crate::credentials::SentCredentials;
use crate::fault_queue::FaultQueue;
use crate::halt::Halt;
use crate::http::RequestHead;
use crate::ledger::Ledger;
use crate::operations::{Done, INVALID_INTEGRATION_KEY, payments, payouts, tracking};
use crate::request_log::{IntegrationKeyCheck, RequestLog, sha256_hex};
use crate::response::Response;
use crate::shape;
use crate::signature::KeyRing;
use crate::stats::Counters;
use crate::tokens::Tokens;

const NO_SUCH_PATH: &str = "no such path";

/// The effect of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// The operation is not executed.
    None,
    /// The operation takes effect.
    Normal,
    /// The operation takes effect, but a payment it creates is declined.
    Decline,
}

/// The result of a request.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) response: Response,
    pub(crate) credentials: SentCredentials,
    pub(crate) refused: Option<String>,
    pub(crate) executed: bool,
}

impl Served {
    fn refused(response: Response, reason: impl Into<String>) -> Self {
        Self {
            response,
            credentials: SentCredentials::default(),
            refused: Some(reason.into()),
            executed: false,
        }
    }
}

/// The state of the service.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) base_url: String,
    pub(crate) keys: KeyRing,
    pub(crate) faults: FaultQueue,
    pub(crate) request_log: RequestLog,
    pub(crate) counters: Counters,
    pub(crate) clock: Calendar,
    pub(crate) halt: Halt,
    initial: Arc<SandboxConfig>,
    config: RwLock<Arc<SandboxConfig>>,
    configurations: AtomicU64,
    seed: u64,
    tokens: Mutex<Tokens>,
    ledger: Mutex<Ledger>,
}

impl Service {
    pub(crate) fn new(base_url: String, config: SandboxConfig) -> Self {
        let clock = Calendar::new(config.seed.is_some());
        let seed = config.seed.unwrap_or_else(|| {
            let now = std::time::SystemTime::now();
            let since = now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            since.as_secs().rotate_left(32) ^ u64::from(since.subsec_nanos())
        });
        let initial = Arc::new(config);
        Self {
            base_url,
            keys: KeyRing::new(seed),
            faults: FaultQueue::default(),
            request_log: RequestLog::new(initial.request_log_limit),
            counters: Counters::default(),
            clock,
            halt: Halt::default(),
            config: RwLock::new(Arc::clone(&initial)),
            configurations: AtomicU64::new(0),
            initial,
            seed,
            tokens: Mutex::new(Tokens::new(seed)),
            ledger: Mutex::new(Ledger::new(seed)),
        }
    }

    pub(crate) fn config(&self) -> Arc<SandboxConfig> {
        Arc::clone(&self.config.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the configuration for later requests.
    pub(crate) fn configure(&self, change: impl FnOnce(&mut SandboxConfig)) {
        let mut config = self.config.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut config));
        self.configurations.fetch_add(1, Ordering::Relaxed);
    }

    /// The revision of each part, which every change to the part increments,
    /// with the page's name for the part.
    pub(crate) fn revisions(&self) -> [(&'static str, u64); 5] {
        [
            ("ledger", self.ledger().revision()),
            ("faults", self.faults.revision()),
            ("keys", self.keys.revision()),
            ("tokens", self.tokens().revision()),
            ("settings", self.configurations.load(Ordering::Relaxed)),
        ]
    }

    pub(crate) fn tokens(&self) -> MutexGuard<'_, Tokens> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns to the state after the start, but keeps the registered keys.
    pub(crate) fn reset(&self) {
        self.faults.clear();
        self.tokens().reset();
        self.ledger().reset(self.seed);
        self.clock.rewind();
        self.request_log.clear();
        self.counters.reset();
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&self.initial);
        self.configurations.fetch_add(1, Ordering::Relaxed);
    }

    /// Serves a request whose body was read completely.
    pub(crate) fn serve(
        &self,
        operation: Option<Operation>,
        head: &RequestHead,
        body: &[u8],
        effect: Effect,
    ) -> Served {
        let config = self.config();
        let Some(operation) = operation else {
            return not_an_operation(&head.path);
        };
        if operation == Operation::AccessToken {
            return authorization::serve(self, &config, head, body, effect);
        }
        let json = Json::parse(body).ok();
        let credentials = SentCredentials::check(self, &config, head, body, json.as_ref());
        if let Some(reason) = credentials.unauthorized() {
            let mut response = Response::empty(401);
            if credentials.bearer.is_refusal() && config.bearer_challenge {
                response =
                    response.with_header("WWW-Authenticate", "Bearer error=\"invalid_token\"");
            }
            return Served { response, credentials, refused: Some(reason), executed: false };
        }
        let done = match credentials.integration_key {
            IntegrationKeyCheck::Wrong | IntegrationKeyCheck::Missing => {
                refuse_integration_key(operation)
            }
            _ if effect == Effect::None => {
                let response = Response::json(200, &json!({}));
                return Served { response, credentials, refused: None, executed: false };
            }
            _ if operation == Operation::Send => send(&config, head, body),
            _ if operation == Operation::QueryPayment => {
                payments::query(&self.ledger(), head.query.as_deref())
            }
            _ => self.execute(operation, &config, head, json.as_ref(), effect),
        };
        let executed = done.refused.is_none();
        Served { response: done.response, credentials, refused: done.refused, executed }
    }

    /// Executes an operation that has a JSON body. The whole body is checked
    /// before anything takes effect.
    fn execute(
        &self,
        operation: Operation,
        config: &SandboxConfig,
        head: &RequestHead,
        body: Option<&Json>,
        effect: Effect,
    ) -> Done {
        if !head.has_media_type("application/json") {
            let error = "Content-Type must be application/json";
            let response = Response::json(415, &json!({ "error": error }));
            return Done { response, refused: Some(error.to_owned()) };
        }
        let body = match shape::check(operation, &config.refund_hash_member, body) {
            Ok(body) => body,
            Err(message) if operation == Operation::CreatePayout => {
                return payouts::invalid(&message);
            }
            Err(message) => return Done::invalid(&message),
        };
        let mut ledger = self.ledger();
        match operation {
            Operation::CreatePayment => {
                let decline = effect == Effect::Decline;
                payments::create(&mut ledger, &self.clock, config, &self.base_url, body, decline)
            }
            Operation::RefundPayment => payments::refund(&mut ledger, &self.clock, config, body),
            Operation::CreatePayout => payouts::create(&mut ledger, &self.clock, config, body),
            Operation::RegisterTracking => tracking::register(&mut ledger, body),
            other => Done::unsupported(other),
        }
    }
}

/// The operation that a method and path ask for. `send` stands for paths under
/// `/ws/` outside the interface, and for paths that the configuration accepts.
pub(crate) fn operation_of(config: &SandboxConfig, method: &str, path: &str) -> Option<Operation> {
    let method = if method == "HEAD" { "GET" } else { method };
    match operation_at(path) {
        Some(operation) => (operation.method() == method).then_some(operation),
        None if path.starts_with("/ws/") || config.accepts_path(path) => Some(Operation::Send),
        None => None,
    }
}

/// The operation of the interface with that path.
fn operation_at(path: &str) -> Option<Operation> {
    Operation::ALL.into_iter().find(|operation| !path.is_empty() && operation.path() == path)
}

fn not_an_operation(path: &str) -> Served {
    match operation_at(path) {
        Some(operation) => {
            let method = operation.method();
            let body = json!({"error": "method not allowed", "allowed": method});
            let response = Response::json(405, &body).with_header("Allow", method);
            Served::refused(response, "method not allowed")
        }
        None => Served::refused(not_found(path), NO_SUCH_PATH),
    }
}

fn not_found(path: &str) -> Response {
    let error = "no such path; --accept-path or accept_paths declares one that is echoed";
    Response::json(404, &json!({"error": error, "path": path}))
}

fn refuse_integration_key(operation: Operation) -> Done {
    match operation {
        Operation::CreatePayout => payouts::invalid_integration_key(),
        _ => Done::refused(INVALID_INTEGRATION_KEY, "invalid integration key"),
    }
}

/// Echoes a request to a path outside the interface, if it is accepted.
fn send(config: &SandboxConfig, head: &RequestHead, body: &[u8]) -> Done {
    if !config.accepts_path(&head.path) {
        return Done { response: not_found(&head.path), refused: Some(NO_SUCH_PATH.to_owned()) };
    }
    Done::executed(Response::json(
        200,
        &json!({"echo": {
            "method": head.method,
            "path": head.path,
            "query": head.query,
            "body_length": body.len(),
            "body_sha256": sha256_hex(body),
        }}),
    ))
}
