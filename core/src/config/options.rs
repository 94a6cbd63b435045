//! Configuration members that are used as given.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{AuthOverride, Config, Environment, KeyPlacement};
use crate::model::operation::Operation;

/// Behavior of a client, without secrets and files. Shared clients differ if
/// any of it differs.
#[derive(Clone, Hash, Debug)]
pub(crate) struct Options {
    pub(crate) environment: Environment,
    pub(crate) allow_small_keys: bool,
    pub(crate) signing_threads: Option<usize>,
    pub(crate) timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) allow_insecure_http: bool,
    pub(crate) max_response_bytes: usize,
    pub(crate) integration_key_placement: KeyPlacement,
    pub(crate) bearer_header: String,
    pub(crate) bearer_scheme: String,
    pub(crate) auth: BTreeMap<Operation, AuthOverride>,
    pub(crate) query_retries: u32,
    pub(crate) allow_insecure_redis: bool,
    pub(crate) settle_after: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            environment: Environment::default(),
            allow_small_keys: false,
            signing_threads: None,
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(5),
            allow_insecure_http: false,
            max_response_bytes: 2 * 1024 * 1024,
            integration_key_placement: KeyPlacement::Beside,
            bearer_header: "Authorization".to_owned(),
            bearer_scheme: "Bearer".to_owned(),
            auth: BTreeMap::new(),
            query_retries: 2,
            allow_insecure_redis: false,
            settle_after: Duration::from_secs(900),
        }
    }
}

impl Config {
    /// The environment. The default is production.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.options.environment = environment;
        self
    }

    /// Accepts RSA keys of 2048 and 3072 bits. The interface requires 4096.
    pub fn allow_small_keys(mut self, allow: bool) -> Self {
        self.options.allow_small_keys = allow;
        self
    }

    /// The most calls of this process that sign with a private key at a time;
    /// the others wait. The default is three per core.
    pub fn signing_threads(mut self, threads: usize) -> Self {
        self.options.signing_threads = Some(threads);
        self
    }

    /// The deadline of a call, including the token and all attempts. The
    /// default is 30 s.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }

    /// The limit for connecting. The default is 5 s.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.options.connect_timeout = timeout;
        self
    }

    /// Allows `http://` to hosts other than this one. Everything sent can then
    /// be read on the network.
    pub fn allow_insecure_http(mut self, allow: bool) -> Self {
        self.options.allow_insecure_http = allow;
        self
    }

    /// The largest response body, in bytes. The default is 2 MiB.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.options.max_response_bytes = bytes;
        self
    }

    /// Where a payment request holds the integration key.
    pub fn integration_key_placement(mut self, placement: KeyPlacement) -> Self {
        self.options.integration_key_placement = placement;
        self
    }

    /// The header of the bearer token, and the word before the token; with an
    /// empty word the token is sent alone. The defaults are `Authorization` and
    /// `Bearer`.
    pub fn bearer(mut self, header: impl Into<String>, scheme: impl Into<String>) -> Self {
        self.options.bearer_header = header.into();
        self.options.bearer_scheme = scheme.into();
        self
    }

    /// The credentials of one operation.
    pub fn auth(mut self, operation: Operation, auth: AuthOverride) -> Self {
        self.options.auth.insert(operation, auth);
        self
    }

    /// How often a failed `query_payment` is retried. The default is 2.
    pub fn query_retries(mut self, retries: u32) -> Self {
        self.options.query_retries = retries;
        self
    }

    /// Allows `redis://` to hosts other than this one. The password, and tokens
    /// unless encrypted, can then be read on the network.
    pub fn allow_insecure_redis(mut self, allow: bool) -> Self {
        self.options.allow_insecure_redis = allow;
        self
    }
}
