//! The configuration of a sandbox.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The credentials that every `/ws` call must carry. Credentials that are sent
/// must be valid even if they are not required.
///
/// Not stated in the interface (Authentication: "Which scheme or credential
/// each endpoint requires: not shown"). [`Default`] is strict: a signature and
/// a bearer token, and the integration key if the call is unsigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Require {
    /// A detached JWS in `X-JWS-Signature`.
    pub jws: bool,
    /// A bearer token.
    pub bearer: bool,
    /// The merchant's `integration_key`, as a body member or query parameter.
    pub integration_key: bool,
    /// The integration key, but only in calls without a signature.
    pub integration_key_unless_signed: bool,
}

impl Default for Require {
    fn default() -> Self {
        Self { jws: true, bearer: true, integration_key_unless_signed: true, ..Self::NOTHING }
    }
}

impl Require {
    /// Requires no credentials.
    pub const NOTHING: Self = Self {
        jws: false,
        bearer: false,
        integration_key: false,
        integration_key_unless_signed: false,
    };

    /// Parses a list of field names, in any order, or `none`.
    ///
    /// # Errors
    /// The first name that is not a field.
    pub fn from_list(list: &str) -> Result<Self, String> {
        let mut require = Self::NOTHING;
        if list.trim() == "none" {
            return Ok(require);
        }
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name {
                "jws" => require.jws = true,
                "bearer" => require.bearer = true,
                "integration_key" => require.integration_key = true,
                "integration_key_unless_signed" => require.integration_key_unless_signed = true,
                other => {
                    return Err(format!(
                        "{other}: not a credential (jws, bearer, integration_key, \
                         integration_key_unless_signed), and not `none` alone"
                    ));
                }
            }
        }
        Ok(require)
    }

    /// The names of the required credentials, in field order.
    pub fn names(self) -> Vec<&'static str> {
        [
            (self.jws, "jws"),
            (self.bearer, "bearer"),
            (self.integration_key, "integration_key"),
            (self.integration_key_unless_signed, "integration_key_unless_signed"),
        ]
        .into_iter()
        .filter_map(|(required, name)| required.then_some(name))
        .collect()
    }
}

/// When the token endpoint blocks "mass requests" (the interface names no
/// threshold).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TokenLimit {
    /// Requests allowed per window; 0 means no limit.
    pub requests: u32,
    /// The length of the window, and of a block.
    pub window: Duration,
    /// The status of the response to a blocked request: 429 or 403.
    pub status: u16,
}

impl Default for TokenLimit {
    fn default() -> Self {
        Self { requests: 20, window: Duration::from_secs(60), status: 429 }
    }
}

/// How a sandbox behaves. [`Default`] is a strict service with seed 1 that
/// checks every credential; see [`Require`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SandboxConfig {
    /// The port on 127.0.0.1; 0 picks a free one.
    pub port: u16,
    /// The seed of hashes, key ids, and dates; `None` seeds them from
    /// the current time.
    pub seed: Option<u64>,
    /// The credentials that every `/ws` call must carry.
    pub require: Require,
    /// Whether signatures are verified. Set to `false` for benchmarks, to keep
    /// the service's own cost out of the figures.
    pub verify_signatures: bool,
    /// The only valid integration key.
    pub integration_key: String,
    /// The client id that the token endpoint accepts. Unique to each sandbox by
    /// default: clients cache tokens and backoff per address and client id, and
    /// a later sandbox may get the same port.
    pub client_id: String,
    /// The secret of `client_id`.
    pub client_secret: String,
    /// The `user_name` in token responses.
    pub user_name: String,
    /// The lifetime of tokens, which is also their `expires_in`.
    pub token_lifetime: Duration,
    /// When the token endpoint blocks "mass requests".
    pub token_limit: TokenLimit,
    /// The header that carries the bearer token.
    pub bearer_header: String,
    /// The scheme before the token; empty if the header holds only the token.
    pub bearer_scheme: String,
    /// Whether the response to a refused bearer token has `WWW-Authenticate:
    /// Bearer error="invalid_token"`.
    pub bearer_challenge: bool,
    /// Whether the token endpoint form-decodes client id and secret, as RFC 6749
    /// says in section 2.3.1. Otherwise it takes them as they are.
    pub decode_client_auth: bool,
    /// Whether requests without `User-Agent` get a 403 with a web page, as some
    /// firewalls respond.
    pub require_user_agent: bool,
    /// The member of a refund request that holds the payment hash.
    pub refund_hash_member: String,
    /// Whether payments stay `OP` until moved by hand; otherwise they become
    /// `PE` on creation.
    pub leave_open: bool,
    /// Additional paths that are echoed; any other path outside the interface
    /// gets a 404. A trailing `*` matches any suffix.
    pub accept_paths: Vec<String>,
    /// Whether to execute a second payment with the same reference, and refunds
    /// beyond the payment's amount, instead of refusing them. Tests use it to
    /// count duplicates.
    pub accept_repeats: bool,
    /// Whether to refuse a payout whose `external_reference` was used before, as
    /// live services are seen to do.
    pub unique_payouts: bool,
    /// Whether to accept an amount with digits that its currency does not have.
    pub accept_any_digits: bool,
    /// Whether to execute requests with mistakes that live services are seen to
    /// refuse: the findings of `lint` that are certain.
    pub lenient: bool,
    /// The delay before every response of the service.
    pub latency: Duration,
    /// How long a connection may be idle before it is closed.
    pub idle_timeout: Duration,
    /// The capacity of the request log; the oldest requests are dropped first.
    pub request_log_limit: usize,
    /// The file that keeps keys, payments, refunds, payouts, and trackings
    /// across restarts. It is written shortly after each change.
    pub state: Option<PathBuf>,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            port: 0,
            seed: Some(1),
            require: Require::default(),
            verify_signatures: true,
            integration_key: "sandbox-integration-key".to_owned(),
            client_id: own_client_id(),
            client_secret: "sandbox-client-secret".to_owned(),
            user_name: "sandbox-integrator".to_owned(),
            token_lifetime: Duration::from_secs(86_399),
            token_limit: TokenLimit::default(),
            bearer_header: "Authorization".to_owned(),
            bearer_scheme: "Bearer".to_owned(),
            bearer_challenge: false,
            decode_client_auth: false,
            require_user_agent: false,
            refund_hash_member: "hash".to_owned(),
            leave_open: false,
            accept_paths: Vec::new(),
            accept_repeats: false,
            unique_payouts: false,
            accept_any_digits: false,
            lenient: false,
            latency: Duration::ZERO,
            idle_timeout: Duration::from_secs(60),
            request_log_limit: 10_000,
            state: None,
        }
    }
}

/// Returns a client id that no other sandbox has.
fn own_client_id() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("sandbox-client-{}-{number}", std::process::id())
}

impl SandboxConfig {
    /// Whether the path matches one of [`accept_paths`](Self::accept_paths).
    pub(crate) fn accepts_path(&self, path: &str) -> bool {
        self.accept_paths.iter().any(|accepted| path_matches(accepted, path))
    }
}

/// Whether the path matches the pattern, in which a trailing `*` matches any
/// suffix.
pub(crate) fn path_matches(pattern: &str, path: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => path.starts_with(start),
        None => path == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn require_reads_back_what_it_names() {
        let require = Require::from_list("bearer, jws").unwrap();
        assert_eq!(require.names(), ["jws", "bearer"]);
        assert_eq!(Require::from_list("").unwrap(), Require::NOTHING);
        assert_eq!(Require::from_list("none").unwrap(), Require::NOTHING);
        let strict = Require::default();
        assert_eq!(strict.names(), ["jws", "bearer", "integration_key_unless_signed"]);
        assert_eq!(Require::from_list(&strict.names().join(",")).unwrap(), strict);
        assert!(Require::from_list("none,jws").unwrap_err().contains("none"));
        assert!(Require::from_list("cookie").unwrap_err().contains("cookie"));
    }
}
