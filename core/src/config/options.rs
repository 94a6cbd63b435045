//! The members of a configuration that are used as they are given.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{AuthOverride, Config, Environment, KeyPlacement};
use crate::operation::Operation;

/// What a client does, without secrets and files. All of it tells one shared
/// client from another.
#[derive(Clone, Debug)]
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
        }
    }
}

impl Config {
    /// Sandbox or production; production unless set.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.options.environment = environment;
        self
    }

    /// Accepts RSA keys of 2048 and 3072 bits. The interface asks for 4096.
    pub fn allow_small_keys(mut self, allow: bool) -> Self {
        self.options.allow_small_keys = allow;
        self
    }

    /// How many calls of this process sign with a private key at a time; the
    /// others wait their turn. Two for each core unless set.
    pub fn signing_threads(mut self, threads: usize) -> Self {
        self.options.signing_threads = Some(threads);
        self
    }

    /// The deadline of a call, token and all attempts included. 30 s unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }

    /// How long connecting may take. 5 s unless set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.options.connect_timeout = timeout;
        self
    }

    /// Allows `http://` to other hosts than this one. Everything sent is then
    /// readable on the way.
    pub fn allow_insecure_http(mut self, allow: bool) -> Self {
        self.options.allow_insecure_http = allow;
        self
    }

    /// How large the body of an answer may be. 2 MiB unless set.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.options.max_response_bytes = bytes;
        self
    }

    /// Where the integration key stands in a payment request.
    pub fn integration_key_placement(mut self, placement: KeyPlacement) -> Self {
        self.options.integration_key_placement = placement;
        self
    }

    /// The header that carries the bearer token, and the word before it; an
    /// empty word sends the token alone. `Authorization` and `Bearer` unless
    /// set.
    pub fn bearer(mut self, header: impl Into<String>, scheme: impl Into<String>) -> Self {
        self.options.bearer_header = header.into();
        self.options.bearer_scheme = scheme.into();
        self
    }

    /// Which credentials one operation carries.
    pub fn auth(mut self, operation: Operation, auth: AuthOverride) -> Self {
        self.options.auth.insert(operation, auth);
        self
    }

    /// How often a failed `query_payment` is tried again. Twice unless set.
    pub fn query_retries(mut self, retries: u32) -> Self {
        self.options.query_retries = retries;
        self
    }

    /// Allows `redis://` to other hosts than this one. The password can then
    /// be read on the way, and tokens too, unless they are encrypted.
    pub fn allow_insecure_redis(mut self, allow: bool) -> Self {
        self.options.allow_insecure_redis = allow;
        self
    }
}
