//! A running sandbox and its Rust API.

mod banner;

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use payments_core::json::Members;
use payments_core::jws::PublicKey;

use crate::config::SandboxConfig;
use crate::faults::Fault;
use crate::faults::cancellation::PayoutCancellation;
use crate::faults::json;
use crate::faults::script::FaultScript;
use crate::http::response::Response;
use crate::server::{self, Server};
use crate::service::Service;
use crate::service::ledger::{
    MoveError, PaymentRecord, PayoutRecord, RefundRecord, TrackingRecord,
};
use crate::service::request_log::RequestRecord;
use crate::service::signature::read_public_key;
use crate::service::state;
use crate::service::stats::Stats;
use crate::service::status::{PaymentStatus, PayoutStatus, RefundStatus};
use crate::service::tokens::TokenBlock;

/// The service on loopback. Dropping it closes every connection and waits for
/// every thread.
///
/// ```
/// use payments_sandbox::{Sandbox, SandboxConfig};
///
/// let sandbox = Sandbox::start(SandboxConfig::default())?;
/// assert!(sandbox.base_url().starts_with("http://127.0.0.1:"));
/// assert!(sandbox.requests().is_empty());
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Sandbox {
    service: Arc<Service>,
    server: Server,
    saver: Mutex<Option<JoinHandle<()>>>,
    port: u16,
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox").field("base_url", &self.service.base_url).finish_non_exhaustive()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Sandbox {
    /// Starts a service on 127.0.0.1.
    ///
    /// # Errors
    /// The port is taken, threads or file descriptors have run out, or
    /// [`SandboxConfig::state`] cannot be read or written.
    pub fn start(config: SandboxConfig) -> io::Result<Self> {
        let listener = server::bind(config.port)?;
        let port = listener.local_addr()?.port();
        let file = config.state.clone();
        let service = Arc::new(Service::new(format!("http://127.0.0.1:{port}"), config));
        let saver = file.map(|file| state::start(&service, &file)).transpose()?;
        let server = Server::start(listener, Arc::clone(&service))?;
        Ok(Self { service, server, saver: Mutex::new(saver), port })
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of the `/ws/…` endpoints, for example
    /// `http://127.0.0.1:8080`.
    pub fn base_url(&self) -> &str {
        &self.service.base_url
    }

    /// The address of the token server, which equals the base URL.
    pub fn auth_url(&self) -> &str {
        &self.service.base_url
    }

    /// The address of the control API: the base URL plus `/sandbox`.
    pub fn control_url(&self) -> String {
        self.service.control_url()
    }

    /// The current configuration.
    pub fn config(&self) -> SandboxConfig {
        SandboxConfig::clone(&self.service.config())
    }

    /// Changes the configuration for later requests. `port`, `seed`, `state`,
    /// and `request_log_limit` cannot change after the start.
    pub fn configure(&self, change: impl FnOnce(&mut SandboxConfig)) {
        self.service.configure(change);
    }

    /// Registers a public key and returns its new kid.
    pub fn register_key(&self, key: &PublicKey) -> String {
        self.service.keys.register(key.clone(), None)
    }

    /// Registers a public key under a kid, replacing any key that has it.
    pub fn register_key_as(&self, key: &PublicKey, kid: &str) {
        self.service.keys.register(key.clone(), Some(kid));
    }

    /// Registers a public key in PEM and returns its new kid.
    ///
    /// # Errors
    /// Why the text is not an RSA public key.
    pub fn register_pem(&self, pem: &str) -> Result<String, String> {
        Ok(self.service.keys.register(read_public_key(pem)?, None))
    }

    /// Removes a key. Returns whether it was registered.
    pub fn forget_key(&self, kid: &str) -> bool {
        self.service.keys.forget(kid)
    }

    /// Every request since the start, the last reset, or the last
    /// [`clear_requests`](Self::clear_requests), oldest first. Excludes those
    /// of the control API.
    pub fn requests(&self) -> Vec<RequestRecord> {
        self.service.request_log.records()
    }

    /// Clears the request log. Numbering continues.
    pub fn clear_requests(&self) {
        self.service.request_log.clear();
    }

    /// Adds a script behind the waiting ones. Returns its number.
    pub fn script_fault(&self, script: FaultScript) -> u64 {
        self.service.faults.push(script)
    }

    /// Applies these faults to the next requests under `/ws/`, one each.
    pub fn script_next(&self, faults: impl IntoIterator<Item = Fault>) -> u64 {
        self.script_fault(FaultScript::for_any(faults.into_iter().collect()))
    }

    /// Adds scripts in their JSON form: one object, or an array of objects.
    ///
    /// # Errors
    /// The mistake in the text, and its place.
    pub fn script_json(&self, json: &str) -> Result<Vec<u64>, String> {
        let value = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let scripts = json::read_scripts(&value)?;
        Ok(scripts.into_iter().map(|script| self.script_fault(script)).collect())
    }

    /// The numbers of the scripts that have faults left, each with the name of
    /// its next fault.
    pub fn pending_faults(&self) -> Vec<(u64, &'static str)> {
        let waiting = self.service.faults.waiting();
        waiting.iter().map(|script| (script.id, script.next.name())).collect()
    }

    /// Removes all scripts.
    pub fn clear_faults(&self) {
        self.service.faults.clear();
    }

    /// Every payment, oldest first.
    pub fn payments(&self) -> Vec<PaymentRecord> {
        self.service.ledger().payments().to_vec()
    }

    /// Finds a payment by hash or `merchant_payment_code`.
    pub fn payment(&self, reference: &str) -> Option<PaymentRecord> {
        self.service.ledger().payment(reference).cloned()
    }

    /// Moves a payment, found by hash or reference, from `PE` to `CO`.
    ///
    /// # Errors
    /// No such payment exists, or it is not pending.
    pub fn confirm_payment(&self, reference: &str) -> Result<PaymentRecord, MoveError> {
        self.move_payment(reference, PaymentStatus::Confirmed)
    }

    /// Moves a payment, found by hash or reference, from `PE` to `CA`.
    ///
    /// # Errors
    /// No such payment exists, or it is not pending.
    pub fn cancel_payment(&self, reference: &str) -> Result<PaymentRecord, MoveError> {
        self.move_payment(reference, PaymentStatus::Cancelled)
    }

    /// Moves a payment, found by hash or reference, to another status.
    ///
    /// # Errors
    /// No such payment exists, or the transition is not allowed.
    pub fn move_payment(
        &self,
        reference: &str,
        to: PaymentStatus,
    ) -> Result<PaymentRecord, MoveError> {
        self.service.ledger().move_payment(reference, to, &self.service.clock)
    }

    /// Moves a refund, found by id, to another status.
    ///
    /// # Errors
    /// No such refund exists, or the transition is not allowed.
    pub fn move_refund(&self, id: &str, to: RefundStatus) -> Result<RefundRecord, MoveError> {
        self.service.ledger().move_refund(id, to)
    }

    /// Every payout, oldest first.
    pub fn payouts(&self) -> Vec<PayoutRecord> {
        self.service.ledger().payouts().to_vec()
    }

    /// Moves a payout, found by id or reference, to another status. Of several
    /// payouts with the reference, the newest is moved.
    ///
    /// # Errors
    /// No such payout exists, or the transition is not allowed.
    pub fn move_payout(
        &self,
        reference: &str,
        to: PayoutStatus,
    ) -> Result<PayoutRecord, MoveError> {
        let why = PayoutCancellation::default();
        self.service.ledger().move_payout(reference, to, why, &self.service.clock)
    }

    /// Cancels a payout, found by id or reference, for that reason.
    ///
    /// # Errors
    /// No such payout exists, or it is paid or cancelled.
    pub fn cancel_payout(
        &self,
        reference: &str,
        why: PayoutCancellation,
    ) -> Result<PayoutRecord, MoveError> {
        let to = PayoutStatus::Cancelled;
        self.service.ledger().move_payout(reference, to, why, &self.service.clock)
    }

    /// Every registered tracking code, oldest first.
    pub fn trackings(&self) -> Vec<TrackingRecord> {
        self.service.ledger().trackings().to_vec()
    }

    /// Sets the lifetime of tokens issued from now on. `expires_in` is its
    /// whole seconds.
    pub fn set_token_lifetime(&self, lifetime: Duration) {
        self.service.configure(|config| config.token_lifetime = lifetime);
    }

    /// Revokes all tokens. Returns how many were valid.
    pub fn revoke_tokens(&self) -> usize {
        self.service.tokens().revoke(None)
    }

    /// Revokes one token. Returns whether it was valid.
    pub fn revoke_token(&self, token: &str) -> bool {
        self.service.tokens().revoke(Some(token)) > 0
    }

    /// Refuses every token request; `None` lifts the block.
    pub fn block_tokens(&self, block: Option<TokenBlock>) {
        self.service.tokens().block(block, Instant::now());
    }

    /// The number of requests to the token endpoint, blocked ones included.
    pub fn token_requests(&self) -> u64 {
        self.stats().token_requests
    }

    /// The number of accepted connections.
    pub fn connections(&self) -> u64 {
        self.stats().connections
    }

    /// The counters.
    pub fn stats(&self) -> Stats {
        self.service.counters.read()
    }

    /// Returns to the state after the start, but keeps the registered keys.
    /// Earlier tokens become unknown; hashes and dates start over.
    pub fn reset(&self) {
        self.service.reset();
    }

    /// The configuration of a client of this sandbox, as in `payments.json`,
    /// overridden by `members`. A member that names a file, such as
    /// `client_secret_file`, replaces the one that holds its text.
    pub fn client_configuration(&self, members: &[(&str, &str)]) -> Members {
        self.service.client_configuration(members)
    }

    /// The text for a person who started the sandbox: addresses, a
    /// configuration to paste, and the calls of the control API.
    pub fn banner(&self, configuration: &Members) -> String {
        banner::banner(&self.service, configuration)
    }

    /// Adds addresses under `/sandbox/`, with the protections of the page, and
    /// without faults or entries in the request log. `serve` gets the method, the
    /// path after `/sandbox/` and the body of a request, and returns `None` for
    /// other addresses. The first extension stays: a later one changes nothing.
    pub fn extend(
        &self,
        serve: impl Fn(&str, &str, &[u8]) -> Option<Response> + Send + Sync + 'static,
    ) {
        self.service.extension.set(Box::new(serve));
    }

    /// Blocks until the sandbox is stopped by another thread.
    pub fn wait(&self) {
        self.service.halt.wait();
    }

    /// Closes every connection and waits for every thread. Idempotent.
    pub fn stop(&self) {
        self.server.stop();
        if let Some(saver) = self.saver.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = saver.join();
        }
    }
}
