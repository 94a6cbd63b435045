//! The service: its state, which all requests share.

pub(crate) mod clock;
pub(crate) mod extension;
pub(crate) mod ledger;
pub(crate) mod request_log;
pub(crate) mod signature;
pub(crate) mod state;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod tokens;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use payments_core::json::Members;

use crate::config::SandboxConfig;
use crate::faults::queue::FaultQueue;
use crate::halt::Halt;
use crate::service::clock::Calendar;
use crate::service::extension::Extension;
use crate::service::ledger::Ledger;
use crate::service::request_log::RequestLog;
use crate::service::signature::KeyRing;
use crate::service::stats::Counters;
use crate::service::tokens::Tokens;

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
    pub(crate) extension: Extension,
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
            extension: Extension::default(),
            tokens: Mutex::new(Tokens::new()),
            ledger: Mutex::new(Ledger::new(seed)),
        }
    }

    /// The address of the control API.
    pub(crate) fn control_url(&self) -> String {
        format!("{}/sandbox", self.base_url)
    }

    /// Returns a client configuration, overridden by `members`. A member that names
    /// a file replaces the one that holds its text.
    pub(crate) fn client_configuration(&self, members: &[(&str, &str)]) -> Members {
        let config = self.config();
        let mut configuration = Members::from([
            ("environment", "sandbox"),
            ("base_url", &self.base_url),
            ("auth_url", &self.base_url),
            ("integration_key", &config.integration_key),
            ("client_id", &config.client_id),
            ("client_secret", &config.client_secret),
        ]);
        for (name, value) in members {
            if let Some(text) = name.strip_suffix("_file") {
                configuration.remove(text);
            }
            configuration.set(name, *value);
        }
        configuration
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
}
