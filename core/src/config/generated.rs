// Generated from spec/configuration.toml by generate/templates/configuration.rs.jinja; do not edit. To update: cargo xtask generate

//! The members of a configuration.

#![allow(clippy::too_many_lines, reason = "a row for each member")]

use payments_base::debug_shows;
use payments_base::secret::Secret;
use payments_transport::ProxySetting;

use super::headers::is_free_header;
use super::options::{is_one_word, is_scope};
use super::source::Source;
use super::value::{Field, FieldValue, FromJson, Shape};
use super::{AuthOverride, Config, JournalKind, TokenStoreKind, url};
use crate::model::error::{Error, ErrorCode, Reason};
use crate::model::operation::Operation;

/// Every member of a configuration. A member and its `_file` form are neighbors.
pub const FIELDS: &[Field] = &[
    Field {
        name: "environment",
        shape: Shape::Text,
        destination: |config| &mut config.options.environment,
    },
    Field {
        name: "base_url",
        shape: Shape::Text,
        destination: |config| &mut config.inputs.base_url,
    },
    Field {
        name: "auth_url",
        shape: Shape::Text,
        destination: |config| &mut config.inputs.auth_url,
    },
    Field {
        name: "integration_key",
        shape: Shape::Secret,
        destination: |config| &mut config.inputs.integration_key,
    },
    Field {
        name: "integration_key_file",
        shape: Shape::Path,
        destination: |config| &mut config.inputs.integration_key,
    },
    Field {
        name: "client_id",
        shape: Shape::Text,
        destination: |config| &mut config.inputs.client_id,
    },
    Field {
        name: "client_secret",
        shape: Shape::Secret,
        destination: |config| &mut config.inputs.client_secret,
    },
    Field {
        name: "client_secret_file",
        shape: Shape::Path,
        destination: |config| &mut config.inputs.client_secret,
    },
    Field {
        name: "client_auth_encoding",
        shape: Shape::Text,
        destination: |config| &mut config.options.client_auth_encoding,
    },
    Field { name: "key", shape: Shape::Secret, destination: |config| &mut config.inputs.key },
    Field { name: "key_file", shape: Shape::Path, destination: |config| &mut config.inputs.key },
    Field {
        name: "key_passphrase",
        shape: Shape::Secret,
        destination: |config| &mut config.inputs.key_passphrase,
    },
    Field {
        name: "key_passphrase_file",
        shape: Shape::Path,
        destination: |config| &mut config.inputs.key_passphrase,
    },
    Field { name: "kid", shape: Shape::Text, destination: |config| &mut config.inputs.kid },
    Field {
        name: "allow_small_keys",
        shape: Shape::Switch,
        destination: |config| &mut config.options.allow_small_keys,
    },
    Field {
        name: "signing_threads",
        shape: Shape::Integer,
        destination: |config| &mut config.options.signing_threads,
    },
    Field {
        name: "pkcs11_module",
        shape: Shape::Path,
        destination: |config| &mut config.pkcs11.module,
    },
    Field {
        name: "pkcs11_token",
        shape: Shape::Text,
        destination: |config| &mut config.pkcs11.token,
    },
    Field {
        name: "pkcs11_slot",
        shape: Shape::Integer,
        destination: |config| &mut config.pkcs11.slot,
    },
    Field {
        name: "pkcs11_key_label",
        shape: Shape::Text,
        destination: |config| &mut config.pkcs11.key_label,
    },
    Field {
        name: "pkcs11_key_id",
        shape: Shape::Text,
        destination: |config| &mut config.pkcs11.key_id,
    },
    Field {
        name: "pkcs11_pin",
        shape: Shape::Secret,
        destination: |config| &mut config.pkcs11.pin,
    },
    Field {
        name: "pkcs11_pin_file",
        shape: Shape::Path,
        destination: |config| &mut config.pkcs11.pin,
    },
    Field {
        name: "pkcs11_sessions",
        shape: Shape::Integer,
        destination: |config| &mut config.pkcs11.sessions,
    },
    Field {
        name: "public_key",
        shape: Shape::Text,
        destination: |config| &mut config.inputs.public_key,
    },
    Field {
        name: "public_key_file",
        shape: Shape::Path,
        destination: |config| &mut config.inputs.public_key,
    },
    Field {
        name: "timeout_ms",
        shape: Shape::Integer,
        destination: |config| &mut config.options.timeout,
    },
    Field {
        name: "connect_timeout_ms",
        shape: Shape::Integer,
        destination: |config| &mut config.options.connect_timeout,
    },
    Field {
        name: "allow_insecure_http",
        shape: Shape::Switch,
        destination: |config| &mut config.options.allow_insecure_http,
    },
    Field { name: "proxy", shape: Shape::Secret, destination: |config| &mut config.inputs.proxy },
    Field { name: "ca_file", shape: Shape::Path, destination: |config| &mut config.inputs.ca_file },
    Field {
        name: "max_response_bytes",
        shape: Shape::Integer,
        destination: |config| &mut config.options.max_response_bytes,
    },
    Field {
        name: "max_response_values",
        shape: Shape::Integer,
        destination: |config| &mut config.rules.max_response_values,
    },
    Field {
        name: "integration_key_placement",
        shape: Shape::Text,
        destination: |config| &mut config.options.integration_key_placement,
    },
    Field {
        name: "query_method",
        shape: Shape::Text,
        destination: |config| &mut config.rules.query_method,
    },
    Field {
        name: "signed_query",
        shape: Shape::Text,
        destination: |config| &mut config.options.signed_query,
    },
    Field {
        name: "refund_hash_member",
        shape: Shape::Text,
        destination: |config| &mut config.rules.refund_hash_member,
    },
    Field {
        name: "bearer_header",
        shape: Shape::Text,
        destination: |config| &mut config.options.bearer_header,
    },
    Field {
        name: "bearer_scheme",
        shape: Shape::Text,
        destination: |config| &mut config.options.bearer_scheme,
    },
    Field { name: "auth", shape: Shape::Object, destination: |config| &mut config.options.auth },
    Field {
        name: "headers",
        shape: Shape::Object,
        destination: |config| &mut config.inputs.headers,
    },
    Field {
        name: "duplicate_codes",
        shape: Shape::List,
        destination: |config| &mut config.rules.duplicate_codes,
    },
    Field {
        name: "doubtful_codes",
        shape: Shape::List,
        destination: |config| &mut config.rules.doubtful_codes,
    },
    Field {
        name: "not_found_codes",
        shape: Shape::List,
        destination: |config| &mut config.rules.not_found_codes,
    },
    Field {
        name: "payout_query",
        shape: Shape::Switch,
        destination: |config| &mut config.rules.payout_query,
    },
    Field {
        name: "payout_not_found_codes",
        shape: Shape::List,
        destination: |config| &mut config.rules.payout_not_found_codes,
    },
    Field {
        name: "failure_statuses",
        shape: Shape::List,
        destination: |config| &mut config.rules.failure_statuses,
    },
    Field {
        name: "success_signs",
        shape: Shape::Object,
        destination: |config| &mut config.rules.success_signs,
    },
    Field {
        name: "check_references",
        shape: Shape::Switch,
        destination: |config| &mut config.rules.check_references,
    },
    Field {
        name: "next_action_rule",
        shape: Shape::Switch,
        destination: |config| &mut config.rules.next_action_rule,
    },
    Field {
        name: "card_guard",
        shape: Shape::Switch,
        destination: |config| &mut config.rules.card_guard,
    },
    Field {
        name: "check_amount_digits",
        shape: Shape::Switch,
        destination: |config| &mut config.rules.check_amount_digits,
    },
    Field {
        name: "treat_401_as_not_executed",
        shape: Shape::Switch,
        destination: |config| &mut config.rules.treat_401_as_not_executed,
    },
    Field {
        name: "token_store",
        shape: Shape::Secret,
        destination: |config| &mut config.inputs.token_store,
    },
    Field {
        name: "token_store_fallback",
        shape: Shape::Text,
        destination: |config| &mut config.inputs.token_store_fallback,
    },
    Field {
        name: "allow_insecure_redis",
        shape: Shape::Switch,
        destination: |config| &mut config.options.allow_insecure_redis,
    },
    Field {
        name: "token_store_key",
        shape: Shape::Secret,
        destination: |config| &mut config.inputs.token_store_key,
    },
    Field {
        name: "token_store_key_file",
        shape: Shape::Path,
        destination: |config| &mut config.inputs.token_store_key,
    },
    Field { name: "journal", shape: Shape::Text, destination: |config| &mut config.inputs.journal },
    Field {
        name: "journal_scope",
        shape: Shape::Text,
        destination: |config| &mut config.options.journal_scope,
    },
    Field {
        name: "settle_after_ms",
        shape: Shape::Integer,
        destination: |config| &mut config.options.settle_after,
    },
    Field {
        name: "ensure_wait_ms",
        shape: Shape::Integer,
        destination: |config| &mut config.options.ensure_wait,
    },
    Field {
        name: "query_retries",
        shape: Shape::Integer,
        destination: |config| &mut config.options.query_retries,
    },
    Field {
        name: "log_references",
        shape: Shape::Switch,
        destination: |config| &mut config.options.log_references,
    },
];

/// `sandbox` or `production` (default: `production`). It decides for how long a token is valid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Environment {
    /// Tokens live 24 hours.
    Sandbox,
    /// Tokens live one hour.
    #[default]
    Production,
}

impl FromJson for Environment {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        given.choice(&[("sandbox", Self::Sandbox), ("production", Self::Production)])
    }
}

/// How the token request writes client id and secret: `raw`, as they are, or `form`, form-encoded
/// (default: `raw`). It makes a difference for `+`, `%`, `:`, other punctuation and letters beyond
/// ASCII. A client id with a colon needs `form`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum ClientAuthEncoding {
    /// As they are, in UTF-8.
    #[default]
    Raw,
    /// Form-encoded, as RFC 6749 says in section 2.3.1.
    Form,
}

impl FromJson for ClientAuthEncoding {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        given.choice(&[("raw", Self::Raw), ("form", Self::Form)])
    }
}

/// `beside` or `inside` the object `payment`, or `both` (default: `beside`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum KeyPlacement {
    /// Beside the object `payment`.
    #[default]
    Beside,
    /// Inside the object `payment`.
    Inside,
    /// In both places.
    Both,
}

impl FromJson for KeyPlacement {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        given.choice(&[("beside", Self::Beside), ("inside", Self::Inside), ("both", Self::Both)])
    }
}

pub use crate::model::rules::QueryMethod;

impl FromJson for QueryMethod {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        given.choice(&[("get", Self::Get), ("post", Self::Post)])
    }
}

/// Payload of the signature of a request without a body: `empty`; `query`, the query string as
/// sent, without its `?`; `none`, without a signature (default: `empty`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum SignedQuery {
    /// The empty payload.
    #[default]
    Empty,
    /// The query string as sent, without its `?`.
    Query,
    /// Nothing: it is not signed.
    None,
}

impl FromJson for SignedQuery {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        given.choice(&[("empty", Self::Empty), ("query", Self::Query), ("none", Self::None)])
    }
}

/// Members that become other values when a client is made: keys, addresses, stores.
#[derive(Clone, Default, Hash)]
pub(crate) struct Inputs {
    /// Address of the service, up to `/ws`, which the client adds; required.
    pub(crate) base_url: Option<String>,
    /// Address of the token server, without the path of its endpoint. Required with `client_id`.
    pub(crate) auth_url: Option<String>,
    /// Merchant key.
    pub(crate) integration_key: Option<Source>,
    /// Client id for the token server. With client id and client secret, calls carry a bearer
    /// token.
    pub(crate) client_id: Option<String>,
    /// Client secret for the token server.
    pub(crate) client_secret: Option<Source>,
    /// RSA private key, PEM text. PKCS#8 or PKCS#1. With it, requests are signed.
    pub(crate) key: Option<Source>,
    /// Passphrase of an encrypted private key.
    pub(crate) key_passphrase: Option<Source>,
    /// Key id assigned at registration. Required with a key.
    pub(crate) kid: Option<String>,
    /// Public key of an external signer, PEM text. It verifies each signature of an HSM or of your
    /// own signer before it is sent.
    pub(crate) public_key: Option<Source>,
    /// `env`, or `http://[user:password@]host:port`. `env` takes the proxy of the environment.
    pub(crate) proxy: ProxySetting,
    /// PEM file of the only trusted certificates. They replace those of the operating system, which
    /// `SSL_CERT_FILE` and `SSL_CERT_DIR` can change, for the service and for `token_store`.
    pub(crate) ca_file: Option<Source>,
    /// Fixed headers of all requests to the service: `{"X-Simulate": "503"}`. At most 16, with 4
    /// KiB of names and values in all. Their values are never shown. The token server does not get
    /// them.
    pub(crate) headers: Vec<(String, Secret)>,
    /// `memory`; `file:FOLDER` for all processes of a host; `redis://` or `rediss://` and
    /// `[[user]:password@]host[:port][/database]` for a fleet (default: `memory`). Only the user
    /// that runs the process may see the folder. `rediss://` is Redis over TLS. It is required
    /// unless Redis runs on this host. The command uses the user's cache folder instead of memory.
    pub(crate) token_store: Option<TokenStoreKind>,
    /// Where tokens are kept while a Redis server does not work: `file:FOLDER`, or `memory`
    /// (default: the cache folder of the user).
    pub(crate) token_store_fallback: Option<TokenStoreKind>,
    /// Key that encrypts stored tokens: 32 bytes in base64. The same for all clients that share the
    /// tokens; `openssl rand -base64 32` makes one.
    pub(crate) token_store_key: Option<Source>,
    /// Where calls that move money are recorded before they are sent: `none`, or `file:PATH` for
    /// all processes of a host (default: `none`). `payments journal create` makes the file.
    pub(crate) journal: JournalKind,
}

impl Inputs {
    /// Refuses values that text or code may have set, and that cannot work.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let checks = [
            (
                self.client_id.is_some() && self.client_secret.is_none(),
                "client_secret",
                ErrorCode::REQUIRED,
                Some(Reason::Required),
                "required because client_id is set: the client secret for the token server; set client_secret or client_secret_file (client_id needs client_secret and auth_url), or remove client_id",
            ),
            (
                self.client_id.is_some() && self.auth_url.is_none(),
                "auth_url",
                ErrorCode::REQUIRED,
                Some(Reason::Required),
                "required because client_id is set: the address of the token server, without the path of its endpoint; set auth_url (client_id needs client_secret and auth_url), or remove client_id",
            ),
            (
                self.client_secret.is_some() && self.client_id.is_none(),
                "client_id",
                ErrorCode::REQUIRED,
                Some(Reason::Required),
                "required because client_secret is set: the client id for the token server; set client_id, or remove client_secret",
            ),
        ];
        let is_wrong = |(is_wrong, ..): &(bool, _, _, _, _)| *is_wrong;
        if let Some((_, member, code, reason, message)) = checks.into_iter().find(is_wrong) {
            return Err(Error::config(member, code, message).with_reason(reason));
        }
        Ok(())
    }
}

/// A signing key in a PKCS#11 token: an HSM, or software that emulates one. The
/// key never leaves the token.
///
/// Select the token with [`token`](Self::token) or [`slot`](Self::slot), and
/// the key with [`key_label`](Self::key_label), [`key_id`](Self::key_id) or
/// both. [`Config::pkcs11`] has an example. `Debug` does not show the PIN.
/// It is refused without the feature `pkcs11`.
#[derive(Clone, Hash, Debug)]
pub struct Pkcs11 {
    /// PKCS#11 module of an HSM that holds the private key.
    pub(crate) module: Option<std::path::PathBuf>,
    /// Label of the HSM's token.
    pub(crate) token: Option<String>,
    /// Number of the token's slot, instead of its label.
    pub(crate) slot: Option<u64>,
    /// Label of the private key in the token.
    pub(crate) key_label: Option<String>,
    /// Id of the private key in the token, in hexadecimal.
    pub(crate) key_id: Option<String>,
    /// PIN of the token's user.
    pub(crate) pin: Option<Source>,
    /// Most sessions of a process with the token, and most signatures made at once; 1 to 256
    /// (default: `8`).
    pub(crate) sessions: u64,
}

impl Default for Pkcs11 {
    fn default() -> Self {
        Self {
            module: None,
            token: None,
            slot: None,
            key_label: None,
            key_id: None,
            pin: None,
            sessions: 8,
        }
    }
}

impl Pkcs11 {
    /// Refuses values that text or code may have set, and that cannot work.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let checks = [
            (
                self.token.is_some() && self.module.is_none(),
                "pkcs11_module",
                ErrorCode::REQUIRED,
                Some(Reason::Required),
                "required because pkcs11_token is set: the PKCS#11 module of an HSM that holds the private key; set pkcs11_module, or remove pkcs11_token",
            ),
            (
                self.slot.is_some() && self.module.is_none(),
                "pkcs11_module",
                ErrorCode::REQUIRED,
                Some(Reason::Required),
                "required because pkcs11_slot is set: the PKCS#11 module of an HSM that holds the private key; set pkcs11_module, or remove pkcs11_slot",
            ),
            (
                self.slot.is_some() && self.token.is_some(),
                "pkcs11_slot",
                ErrorCode::CONFLICTING_MEMBERS,
                None,
                "pkcs11_token is set too; remove one of them",
            ),
            (
                self.key_label.is_some() && self.module.is_none(),
                "pkcs11_module",
                ErrorCode::REQUIRED,
                Some(Reason::Required),
                "required because pkcs11_key_label is set: the PKCS#11 module of an HSM that holds the private key; set pkcs11_module, or remove pkcs11_key_label",
            ),
            (
                self.key_id.is_some() && self.module.is_none(),
                "pkcs11_module",
                ErrorCode::REQUIRED,
                Some(Reason::Required),
                "required because pkcs11_key_id is set: the PKCS#11 module of an HSM that holds the private key; set pkcs11_module, or remove pkcs11_key_id",
            ),
            (
                self.pin.is_some() && self.module.is_none(),
                "pkcs11_module",
                ErrorCode::REQUIRED,
                Some(Reason::Required),
                "required because pkcs11_pin is set: the PKCS#11 module of an HSM that holds the private key; set pkcs11_module, or remove pkcs11_pin",
            ),
            (
                !(1..=256).contains(&self.sessions),
                "pkcs11_sessions",
                ErrorCode::VALUE_INVALID,
                None,
                "must be between 1 and 256",
            ),
            (
                self.sessions != 8 && self.module.is_none(),
                "pkcs11_module",
                ErrorCode::REQUIRED,
                Some(Reason::Required),
                "required because pkcs11_sessions is set: the PKCS#11 module of an HSM that holds the private key; set pkcs11_module, or remove pkcs11_sessions",
            ),
        ];
        let is_wrong = |(is_wrong, ..): &(bool, _, _, _, _)| *is_wrong;
        if let Some((_, member, code, reason, message)) = checks.into_iter().find(is_wrong) {
            return Err(Error::config(member, code, message).with_reason(reason));
        }
        Ok(())
    }
}

/// Behavior of a client, without secrets and files.
#[derive(Clone, Hash, Debug)]
pub(crate) struct Options {
    /// `sandbox` or `production` (default: `production`). It decides for how long a token is valid.
    pub(crate) environment: Environment,
    /// How the token request writes client id and secret: `raw`, as they are, or `form`,
    /// form-encoded (default: `raw`). It makes a difference for `+`, `%`, `:`, other punctuation
    /// and letters beyond ASCII. A client id with a colon needs `form`.
    pub(crate) client_auth_encoding: ClientAuthEncoding,
    /// Whether to accept RSA keys of 2048 and 3072 bits (default: `false`).
    pub(crate) allow_small_keys: bool,
    /// How many calls of a process sign with a private key at a time (default: three for each
    /// core). The others wait their turn within their deadline, first come, first served. The cores
    /// are those that the scheduler and the quota of a container grant. It does not limit HSMs and
    /// your own signers.
    pub(crate) signing_threads: Option<usize>,
    /// Deadline of a whole call (default: 30 s). It includes the token and all attempts.
    pub(crate) timeout: std::time::Duration,
    /// Limit for connecting (default: 5 s).
    pub(crate) connect_timeout: std::time::Duration,
    /// Whether to allow `http://` to hosts other than this one (default: `false`). Everything that
    /// is sent can then be read on the way.
    pub(crate) allow_insecure_http: bool,
    /// Largest accepted response in bytes (default: `2097152`). Larger responses are `too_large`.
    pub(crate) max_response_bytes: usize,
    /// `beside` or `inside` the object `payment`, or `both` (default: `beside`).
    pub(crate) integration_key_placement: KeyPlacement,
    /// Payload of the signature of a request without a body: `empty`; `query`, the query string as
    /// sent, without its `?`; `none`, without a signature (default: `empty`).
    pub(crate) signed_query: SignedQuery,
    /// Header of the bearer token (default: `Authorization`).
    pub(crate) bearer_header: String,
    /// Word before the bearer token (default: `Bearer`). It may be empty.
    pub(crate) bearer_scheme: String,
    /// Credentials of single operations: `{"create_payout": {"bearer": false}}`.
    pub(crate) auth: std::collections::BTreeMap<Operation, AuthOverride>,
    /// Whether to allow `redis://` to hosts other than this one (default: `false`). The password
    /// can then be read on the way, and tokens too without `token_store_key`.
    pub(crate) allow_insecure_redis: bool,
    /// The scope of the journal entries that belong to this client (default: the host of
    /// `base_url`). Clients that could pay the same thing twice must have the same scope.
    pub(crate) journal_scope: Option<String>,
    /// Time from a call's deadline until a person may say no to it (default: 900 s). A request held
    /// by a proxy or the service may be executed late. At least a minute always passes.
    pub(crate) settle_after: std::time::Duration,
    /// Time for which `ensure_payment` waits for a payment that may exist and is not found
    /// (default: 3 s). Then it fails as `unknown`, and the next call continues. A request under way
    /// still has its own deadline, `timeout_ms`.
    pub(crate) ensure_wait: std::time::Duration,
    /// How many times a failed query is retried; may be 0 (default: `2`). Other operations are
    /// resent only if no byte of them left, or once after a 401 with a new bearer token.
    pub(crate) query_retries: u32,
    /// Whether to show your own references in events, logs and spans (default: `true`).
    pub(crate) log_references: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            environment: Environment::Production,
            client_auth_encoding: ClientAuthEncoding::Raw,
            allow_small_keys: false,
            signing_threads: None,
            timeout: std::time::Duration::from_millis(30000),
            connect_timeout: std::time::Duration::from_millis(5000),
            allow_insecure_http: false,
            max_response_bytes: 2097152,
            integration_key_placement: KeyPlacement::Beside,
            signed_query: SignedQuery::Empty,
            bearer_header: "Authorization".to_owned(),
            bearer_scheme: "Bearer".to_owned(),
            auth: Default::default(),
            allow_insecure_redis: false,
            journal_scope: None,
            settle_after: std::time::Duration::from_millis(900000),
            ensure_wait: std::time::Duration::from_millis(3000),
            query_retries: 2,
            log_references: true,
        }
    }
}

impl Options {
    /// Refuses values that text or code may have set, and that cannot work.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let checks = [
            (
                self.signing_threads.is_some_and(|it| it == 0),
                "signing_threads",
                ErrorCode::VALUE_INVALID,
                None,
                "must be greater than zero",
            ),
            (
                self.timeout.as_millis() == 0,
                "timeout_ms",
                ErrorCode::VALUE_INVALID,
                None,
                "must be greater than zero: every call has a deadline",
            ),
            (
                self.connect_timeout.as_millis() == 0,
                "connect_timeout_ms",
                ErrorCode::VALUE_INVALID,
                None,
                "must be greater than zero: every call has a deadline",
            ),
            (
                self.max_response_bytes == 0,
                "max_response_bytes",
                ErrorCode::VALUE_INVALID,
                None,
                "must be greater than zero",
            ),
            (
                !(0..=86400000).contains(&self.settle_after.as_millis()),
                "settle_after_ms",
                ErrorCode::VALUE_INVALID,
                None,
                "must be between 0 and 86400000: that is a day",
            ),
            (
                !(0..=600000).contains(&self.ensure_wait.as_millis()),
                "ensure_wait_ms",
                ErrorCode::VALUE_INVALID,
                None,
                "must be between 0 and 600000: that is ten minutes",
            ),
        ];
        let is_wrong = |(is_wrong, ..): &(bool, _, _, _, _)| *is_wrong;
        if let Some((_, member, code, reason, message)) = checks.into_iter().find(is_wrong) {
            return Err(Error::config(member, code, message).with_reason(reason));
        }
        is_free_header(&self.bearer_header)?;
        is_one_word(&self.bearer_scheme)?;
        is_scope(&self.journal_scope)?;
        Ok(())
    }
}

debug_shows!(
    Inputs,
    |it| base_url = it.base_url.as_deref().map(url::shown),
    auth_url = it.auth_url.as_deref().map(url::shown),
    integration_key = it.integration_key,
    client_id = it.client_id,
    client_secret = it.client_secret,
    key = it.key,
    key_passphrase = it.key_passphrase,
    kid = it.kid,
    public_key = it.public_key,
    proxy = it.proxy,
    ca_file = it.ca_file,
    headers = it.headers,
    token_store = it.token_store,
    token_store_fallback = it.token_store_fallback,
    token_store_key = it.token_store_key,
    journal = it.journal
);

impl Config {
    /// `sandbox` or `production` (default: `production`). It decides for how long a token is valid.
    pub fn environment(mut self, value: Environment) -> Self {
        self.options.environment = value;
        self
    }

    /// Merchant key.
    pub fn integration_key(mut self, value: impl Into<Secret>) -> Self {
        self.inputs.integration_key = Some(Source::text(value.into()));
        self
    }

    /// File that holds the merchant key.
    pub fn integration_key_file(mut self, value: impl Into<std::path::PathBuf>) -> Self {
        self.inputs.integration_key = Some(Source::file(value.into()));
        self
    }

    /// How the token request writes client id and secret: `raw`, as they are, or `form`,
    /// form-encoded (default: `raw`). It makes a difference for `+`, `%`, `:`, other punctuation
    /// and letters beyond ASCII. A client id with a colon needs `form`.
    pub fn client_auth_encoding(mut self, value: ClientAuthEncoding) -> Self {
        self.options.client_auth_encoding = value;
        self
    }

    /// Passphrase of an encrypted private key.
    pub fn key_passphrase(mut self, value: impl Into<Secret>) -> Self {
        self.inputs.key_passphrase = Some(Source::text(value.into()));
        self
    }

    /// File that holds the passphrase.
    pub fn key_passphrase_file(mut self, value: impl Into<std::path::PathBuf>) -> Self {
        self.inputs.key_passphrase = Some(Source::file(value.into()));
        self
    }

    /// Whether to accept RSA keys of 2048 and 3072 bits (default: `false`).
    pub fn allow_small_keys(mut self, value: bool) -> Self {
        self.options.allow_small_keys = value;
        self
    }

    /// How many calls of a process sign with a private key at a time (default: three for each
    /// core). The others wait their turn within their deadline, first come, first served. The cores
    /// are those that the scheduler and the quota of a container grant. It does not limit HSMs and
    /// your own signers.
    pub fn signing_threads(mut self, value: usize) -> Self {
        self.options.signing_threads = Some(value);
        self
    }

    /// Public key of an external signer, PEM text. It verifies each signature of an HSM or of your
    /// own signer before it is sent.
    pub fn public_key(mut self, value: impl Into<String>) -> Self {
        self.inputs.public_key = Some(Source::text(Secret::new(value)));
        self
    }

    /// File of the public key of an external signer.
    pub fn public_key_file(mut self, value: impl Into<std::path::PathBuf>) -> Self {
        self.inputs.public_key = Some(Source::file(value.into()));
        self
    }

    /// Deadline of a whole call (default: 30 s). It includes the token and all attempts.
    pub fn timeout(mut self, value: std::time::Duration) -> Self {
        self.options.timeout = value;
        self
    }

    /// Limit for connecting (default: 5 s).
    pub fn connect_timeout(mut self, value: std::time::Duration) -> Self {
        self.options.connect_timeout = value;
        self
    }

    /// Whether to allow `http://` to hosts other than this one (default: `false`). Everything that
    /// is sent can then be read on the way.
    pub fn allow_insecure_http(mut self, value: bool) -> Self {
        self.options.allow_insecure_http = value;
        self
    }

    /// `env`, or `http://[user:password@]host:port`. `env` takes the proxy of the environment.
    pub fn proxy(mut self, value: ProxySetting) -> Self {
        self.inputs.proxy = value;
        self
    }

    /// PEM file of the only trusted certificates. They replace those of the operating system, which
    /// `SSL_CERT_FILE` and `SSL_CERT_DIR` can change, for the service and for `token_store`.
    pub fn ca_file(mut self, value: impl Into<std::path::PathBuf>) -> Self {
        self.inputs.ca_file = Some(Source::file(value.into()));
        self
    }

    /// Largest accepted response in bytes (default: `2097152`). Larger responses are `too_large`.
    pub fn max_response_bytes(mut self, value: usize) -> Self {
        self.options.max_response_bytes = value;
        self
    }

    /// Most JSON values in an accepted response, at any depth (default: `100000`). Responses with
    /// more are `too_large`: values take many times their bytes in memory.
    pub fn max_response_values(mut self, value: usize) -> Self {
        self.rules.max_response_values = value;
        self
    }

    /// `beside` or `inside` the object `payment`, or `both` (default: `beside`).
    pub fn integration_key_placement(mut self, value: KeyPlacement) -> Self {
        self.options.integration_key_placement = value;
        self
    }

    /// How `query_payment` is sent: `get`, or `post` (default: `get`). A `post` has the members as
    /// JSON, which are signed like any body.
    pub fn query_method(mut self, value: QueryMethod) -> Self {
        self.rules.query_method = value;
        self
    }

    /// Payload of the signature of a request without a body: `empty`; `query`, the query string as
    /// sent, without its `?`; `none`, without a signature (default: `empty`).
    pub fn signed_query(mut self, value: SignedQuery) -> Self {
        self.options.signed_query = value;
        self
    }

    /// Member of a refund that holds the payment hash (default: `hash`).
    pub fn refund_hash_member(mut self, value: impl Into<String>) -> Self {
        self.rules.refund_hash_member = value.into();
        self
    }

    /// Service codes of a reference used before, in any case (default: `BP-DR-0, HP-CM-03`). They
    /// count for operations that move money. `[]` in a file turns the rule off; an empty variable
    /// is refused.
    pub fn duplicate_codes(mut self, value: impl IntoIterator<Item: Into<String>>) -> Self {
        self.rules.duplicate_codes = value.into_iter().map(Into::into).collect();
        self
    }

    /// Service codes of a refusal after which money may have moved all the same, in any case
    /// (default: `BP-DR-84, BP-DR-119`). They count for operations that move money, as
    /// `refusal_doubtful`.
    pub fn doubtful_codes(mut self, value: impl IntoIterator<Item: Into<String>>) -> Self {
        self.rules.doubtful_codes = value.into_iter().map(Into::into).collect();
        self
    }

    /// Service codes of a refused query that say there is no such payment (default:
    /// `BP-REF-CAN-2`). They are reported as `payment_not_found`.
    pub fn not_found_codes(mut self, value: impl IntoIterator<Item: Into<String>>) -> Self {
        self.rules.not_found_codes = value.into_iter().map(Into::into).collect();
        self
    }

    /// Whether to turn on `query_payout`, which the interface does not state (default: `false`).
    pub fn payout_query(mut self, value: bool) -> Self {
        self.rules.payout_query = value;
        self
    }

    /// Service codes of a refused `query_payout` that say there is no such payout (default: ``).
    /// They are reported as `payment_not_found`. Without one, no payout counts as not found.
    pub fn payout_not_found_codes(mut self, value: impl IntoIterator<Item: Into<String>>) -> Self {
        self.rules.payout_not_found_codes = value.into_iter().map(Into::into).collect();
        self
    }

    /// Words that as the top-level `status` say that the operation failed, in any case (default:
    /// `ERROR, FAILURE, FAILED, DENIED, REJECTED, REFUSED`).
    pub fn failure_statuses(mut self, value: impl IntoIterator<Item: Into<String>>) -> Self {
        self.rules.failure_statuses = value.into_iter().map(Into::into).collect();
        self
    }

    /// Whether to refuse a response that names a different payment or payout than the request
    /// (default: `true`).
    pub fn check_references(mut self, value: bool) -> Self {
        self.rules.check_references = value;
        self
    }

    /// Whether to take an unknown address in an open payment for a pay slip (default: `true`).
    pub fn next_action_rule(mut self, value: bool) -> Self {
        self.rules.next_action_rule = value;
        self
    }

    /// Whether to search requests, also those of `send`, for raw card numbers (default: `true`).
    pub fn card_guard(mut self, value: bool) -> Self {
        self.rules.card_guard = value;
        self
    }

    /// Whether to refuse the amount of a payment or payout with digits that its currency does not
    /// have, and texts whose point may separate thousands (default: `true`). By ISO 4217: the
    /// numbers `BRL 100.123` and `CLP 100.55` are refused, zeros are fine. The texts `BRL 1.500`,
    /// `CLP 150.000` and, for a refund, `1.000` are ambiguous.
    pub fn check_amount_digits(mut self, value: bool) -> Self {
        self.rules.check_amount_digits = value;
        self
    }

    /// Whether to take a 401 as proof that an operation which moves money was not executed
    /// (default: `true`). With `false`, the outcome is `unknown`, and it is not sent again with
    /// another token.
    pub fn treat_401_as_not_executed(mut self, value: bool) -> Self {
        self.rules.treat_401_as_not_executed = value;
        self
    }

    /// Whether to allow `redis://` to hosts other than this one (default: `false`). The password
    /// can then be read on the way, and tokens too without `token_store_key`.
    pub fn allow_insecure_redis(mut self, value: bool) -> Self {
        self.options.allow_insecure_redis = value;
        self
    }

    /// Key that encrypts stored tokens: 32 bytes in base64. The same for all clients that share the
    /// tokens; `openssl rand -base64 32` makes one.
    pub fn token_store_key(mut self, value: impl Into<Secret>) -> Self {
        self.inputs.token_store_key = Some(Source::text(value.into()));
        self
    }

    /// File that holds the key for stored tokens.
    pub fn token_store_key_file(mut self, value: impl Into<std::path::PathBuf>) -> Self {
        self.inputs.token_store_key = Some(Source::file(value.into()));
        self
    }

    /// The scope of the journal entries that belong to this client (default: the host of
    /// `base_url`). Clients that could pay the same thing twice must have the same scope.
    pub fn journal_scope(mut self, value: impl Into<String>) -> Self {
        self.options.journal_scope = Some(value.into());
        self
    }

    /// Time from a call's deadline until a person may say no to it (default: 900 s). A request held
    /// by a proxy or the service may be executed late. At least a minute always passes.
    pub fn settle_after(mut self, value: std::time::Duration) -> Self {
        self.options.settle_after = value;
        self
    }

    /// Time for which `ensure_payment` waits for a payment that may exist and is not found
    /// (default: 3 s). Then it fails as `unknown`, and the next call continues. A request under way
    /// still has its own deadline, `timeout_ms`.
    pub fn ensure_wait(mut self, value: std::time::Duration) -> Self {
        self.options.ensure_wait = value;
        self
    }

    /// How many times a failed query is retried; may be 0 (default: `2`). Other operations are
    /// resent only if no byte of them left, or once after a 401 with a new bearer token.
    pub fn query_retries(mut self, value: u32) -> Self {
        self.options.query_retries = value;
        self
    }

    /// Whether to show your own references in events, logs and spans (default: `true`).
    pub fn log_references(mut self, value: bool) -> Self {
        self.options.log_references = value;
        self
    }

    /// Reads the files that members name.
    pub(super) fn read_files(&mut self) -> Result<(), Error> {
        if let Some(source) = &mut self.inputs.integration_key {
            source.read_text("integration_key")?;
        }
        if let Some(source) = &mut self.inputs.client_secret {
            source.read_text("client_secret")?;
        }
        if let Some(source) = &mut self.inputs.key {
            source.read_key()?;
        }
        if let Some(source) = &mut self.inputs.key_passphrase {
            source.read_text("key_passphrase")?;
        }
        if let Some(source) = &mut self.pkcs11.pin {
            source.read_text("pkcs11_pin")?;
        }
        if let Some(source) = &mut self.inputs.public_key {
            source.read_bytes("public_key_file")?;
        }
        if let Some(source) = &mut self.inputs.ca_file {
            source.read_bytes("ca_file")?;
        }
        if let Some(source) = &mut self.inputs.token_store_key {
            source.read_text("token_store_key")?;
        }
        Ok(())
    }

    /// Secrets to hide even if a response echoes them.
    pub(super) fn secrets(&self) -> Vec<Secret> {
        let sources = [
            &self.inputs.integration_key,
            &self.inputs.client_secret,
            &self.inputs.key_passphrase,
            &self.pkcs11.pin,
            &self.inputs.token_store_key,
        ];
        sources.into_iter().flatten().map(Source::secret).collect()
    }

    /// Texts that are placeholders in examples: member, text, and the advice.
    pub(super) fn placeholders(&self) -> Vec<(&'static str, Option<&str>, &'static str)> {
        vec![
            ("base_url", self.inputs.base_url.as_deref(), "address of the service"),
            ("auth_url", self.inputs.auth_url.as_deref(), "address of the token server"),
            (
                "integration_key",
                self.inputs.integration_key.as_ref().and_then(Source::as_str),
                "merchant key",
            ),
            ("client_id", self.inputs.client_id.as_deref(), "client id for the token server"),
            (
                "client_secret",
                self.inputs.client_secret.as_ref().and_then(Source::as_str),
                "client secret for the token server",
            ),
            ("key", self.inputs.key.as_ref().and_then(Source::as_str), "RSA private key"),
            (
                "key_passphrase",
                self.inputs.key_passphrase.as_ref().and_then(Source::as_str),
                "passphrase of an encrypted private key",
            ),
            ("kid", self.inputs.kid.as_deref(), "key id assigned at registration"),
            ("pkcs11_token", self.pkcs11.token.as_deref(), "label of the HSM's token"),
            (
                "pkcs11_key_label",
                self.pkcs11.key_label.as_deref(),
                "label of the private key in the token",
            ),
            ("pkcs11_key_id", self.pkcs11.key_id.as_deref(), "id of the private key in the token"),
            (
                "pkcs11_pin",
                self.pkcs11.pin.as_ref().and_then(Source::as_str),
                "PIN of the token's user",
            ),
            (
                "public_key",
                self.inputs.public_key.as_ref().and_then(Source::as_str),
                "public key of an external signer",
            ),
            (
                "token_store_key",
                self.inputs.token_store_key.as_ref().and_then(Source::as_str),
                "key that encrypts stored tokens: 32 bytes in base64",
            ),
        ]
    }
}

impl Pkcs11 {
    /// The first member that differs from its default.
    pub(super) fn given_member(&self) -> Option<String> {
        let members = [
            (self.module.is_some()).then(|| "pkcs11_module".to_owned()),
            (self.token.is_some()).then(|| "pkcs11_token".to_owned()),
            (self.slot.is_some()).then(|| "pkcs11_slot".to_owned()),
            (self.key_label.is_some()).then(|| "pkcs11_key_label".to_owned()),
            (self.key_id.is_some()).then(|| "pkcs11_key_id".to_owned()),
            self.pin.as_ref().map(|it| it.named("pkcs11_pin")),
            (self.sessions != 8).then(|| "pkcs11_sessions".to_owned()),
        ];
        members.into_iter().flatten().next()
    }

    /// Label of the HSM's token.
    pub fn token(mut self, value: impl Into<String>) -> Self {
        self.token = Some(value.into());
        self
    }

    /// Number of the token's slot, instead of its label.
    pub fn slot(mut self, value: u64) -> Self {
        self.slot = Some(value);
        self
    }

    /// Label of the private key in the token.
    pub fn key_label(mut self, value: impl Into<String>) -> Self {
        self.key_label = Some(value.into());
        self
    }

    /// Id of the private key in the token, in hexadecimal.
    pub fn key_id(mut self, value: impl Into<String>) -> Self {
        self.key_id = Some(value.into());
        self
    }

    /// PIN of the token's user.
    pub fn pin(mut self, value: impl Into<Secret>) -> Self {
        self.pin = Some(Source::text(value.into()));
        self
    }

    /// File that holds the PIN of the token's user.
    pub fn pin_file(mut self, value: impl Into<std::path::PathBuf>) -> Self {
        self.pin = Some(Source::file(value.into()));
        self
    }

    /// Most sessions of a process with the token, and most signatures made at once; 1 to 256
    /// (default: `8`).
    pub fn sessions(mut self, value: u64) -> Self {
        self.sessions = value;
        self
    }
}
