//! The configuration of a client.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::base::secret::Secret;
use crate::journal::Journal;
use crate::model::observer::Observer;
use crate::model::rules::Rules;
use crate::signing::signer::Signer;
use crate::token::{Clock, LONGEST_LIFETIME, TokenStore};
use crate::transport::{Lookup, ProxySetting, Transport};

mod fields;
mod files;
mod journal;
pub(crate) mod log;
mod options;
mod pkcs11;
mod placeholders;
mod read;
mod resolve;
mod rules;
mod store;
mod url;
mod value;
mod variables;

pub use fields::{FIELDS, Field, Shape, Unset};
pub(crate) use journal::JournalKind;
#[cfg(not(all(unix, feature = "journal-sqlite")))]
pub(crate) use journal::journals_unsupported;
pub(crate) use options::Options;
pub use pkcs11::Pkcs11;
pub(crate) use resolve::{Loaded, Resolved};
pub(crate) use store::TokenStoreKind;

/// The environment of the service. It determines the longest token lifetime
/// (Interface, "Limits").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Environment {
    /// Tokens live 24 hours.
    Sandbox,
    /// Tokens live one hour.
    #[default]
    Production,
}

impl Environment {
    /// The access token lifetime that the interface states.
    pub const fn token_lifetime(self) -> Duration {
        match self {
            Self::Sandbox => LONGEST_LIFETIME,
            Self::Production => Duration::from_secs(3_600),
        }
    }
}

/// Where a payment request holds the integration key. Not stated in the
/// interface beyond the examples; the default is beside `payment`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum KeyPlacement {
    /// Beside the `payment` object.
    #[default]
    Beside,
    /// Inside the `payment` object.
    Inside,
    /// In both places.
    Both,
}

/// Overrides the credentials of an operation. By default every configured
/// credential is sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct AuthOverride {
    /// Whether the integration key is sent.
    pub integration_key: Option<bool>,
    /// Whether the request is signed.
    pub signature: Option<bool>,
    /// Whether a bearer token is sent.
    pub bearer: Option<bool>,
}

impl AuthOverride {
    /// Whether the operation needs no credential at all.
    pub(crate) fn needs_none(&self) -> bool {
        [self.integration_key, self.signature, self.bearer] == [Some(false); 3]
    }
}

/// A text given directly, or a file that contains it.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Text(Secret),
    File(PathBuf),
}

impl Source {
    /// The name of the member that was given.
    fn member(&self, text: &'static str, file: &'static str) -> &'static str {
        match self {
            Self::Text(_) => text,
            Self::File(_) => file,
        }
    }
}

/// The configuration of a [`Client`](crate::Client).
///
/// Set what you need; the other members have defaults that are safe in
/// production. [`Client::new`](crate::Client::new) checks the whole
/// configuration and reads its files. `Debug` shows no secret.
///
/// ```
/// use payments_core::{Config, Environment};
///
/// let config = Config::new("https://api.example")
///     .environment(Environment::Sandbox)
///     .integration_key("merchant-key");
/// # let _ = config;
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct Config {
    base_url: Option<String>,
    auth_url: Option<String>,
    integration_key: Option<Source>,
    client_id: Option<String>,
    client_secret: Option<Source>,
    key: Option<Source>,
    key_passphrase: Option<Source>,
    kid: Option<String>,
    pkcs11: Pkcs11,
    public_key: Option<Source>,
    proxy: ProxySetting,
    ca_file: Option<PathBuf>,
    token_store_kind: Option<TokenStoreKind>,
    token_fallback: Option<TokenStoreKind>,
    token_store_key: Option<Source>,
    journal_kind: JournalKind,
    journal_scope: Option<String>,
    options: Options,
    rules: Rules,
    parts: Parts,
}

/// Settings that only code can provide.
#[derive(Clone, Default)]
pub(crate) struct Parts {
    pub(crate) signer: Option<Arc<dyn Signer>>,
    pub(crate) token_store: Option<Arc<dyn TokenStore>>,
    pub(crate) journal: Option<Arc<dyn Journal>>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) transport: Option<Arc<dyn Transport>>,
    pub(crate) clock: Option<Arc<dyn Clock>>,
    pub(crate) lookup: Option<Lookup>,
}

impl Parts {
    /// Whether everything comes from text and files.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { signer, token_store, journal, observer, transport, clock, lookup } = self;
        signer.is_none()
            && token_store.is_none()
            && journal.is_none()
            && observer.is_none()
            && transport.is_none()
            && clock.is_none()
            && lookup.is_none()
    }
}

impl Config {
    /// A configuration for the service at `base_url`, without credentials.
    pub fn new(base_url: impl Into<String>) -> Self {
        Self { base_url: Some(base_url.into()), ..Self::default() }
    }

    /// The merchant's integration key.
    pub fn integration_key(mut self, key: impl Into<Secret>) -> Self {
        self.integration_key = Some(Source::Text(key.into()));
        self
    }

    /// The address of the token server, with the credentials for it. With them,
    /// calls carry a bearer token.
    pub fn client_credentials(
        mut self,
        auth_url: impl Into<String>,
        client_id: impl Into<String>,
        client_secret: impl Into<Secret>,
    ) -> Self {
        self.auth_url = Some(auth_url.into());
        self.client_id = Some(client_id.into());
        self.client_secret = Some(Source::Text(client_secret.into()));
        self
    }

    /// The private key as PEM text, with the key id that the provider assigned.
    pub fn signing_key(mut self, pem: impl Into<Secret>, kid: impl Into<String>) -> Self {
        self.key = Some(Source::Text(pem.into()));
        self.kid = Some(kid.into());
        self
    }

    /// The file of the private key (PEM or DER), with the key id that the
    /// provider assigned.
    pub fn signing_key_file(mut self, file: impl Into<PathBuf>, kid: impl Into<String>) -> Self {
        self.key = Some(Source::File(file.into()));
        self.kid = Some(kid.into());
        self
    }

    /// The passphrase of an encrypted private key.
    pub fn key_passphrase(mut self, passphrase: impl Into<Secret>) -> Self {
        self.key_passphrase = Some(Source::Text(passphrase.into()));
        self
    }

    /// Signs with a key in an HSM instead. `kid` is the key id that the
    /// provider assigned.
    pub fn pkcs11(mut self, key: Pkcs11, kid: impl Into<String>) -> Self {
        self.pkcs11 = key;
        self.kid = Some(kid.into());
        self
    }

    /// Signs with an external signer instead: an HSM, a key management service,
    /// a callback.
    pub fn signer(mut self, signer: Arc<dyn Signer>) -> Self {
        self.parts.signer = Some(signer);
        self
    }

    /// The public key (PEM) of an external signer. Each signature is verified
    /// with it before anything is sent.
    pub fn public_key(mut self, pem: impl Into<String>) -> Self {
        self.public_key = Some(Source::Text(Secret::new(pem.into())));
        self
    }

    /// The proxy. Unless set, none is used, whatever the environment says.
    pub fn proxy(mut self, proxy: ProxySetting) -> Self {
        self.proxy = proxy;
        self
    }

    /// Trusts only the certificates in this PEM file.
    pub fn ca_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.ca_file = Some(file.into());
        self
    }

    /// Encrypts the tokens in files or in a Redis server. The key is 32 random
    /// bytes in base64, the same for all clients that share the tokens.
    pub fn token_store_key(mut self, key: impl Into<Secret>) -> Self {
        self.token_store_key = Some(Source::Text(key.into()));
        self
    }

    /// Keeps bearer tokens in `store`, for the clients made with it.
    pub fn token_store(mut self, store: Arc<dyn TokenStore>) -> Self {
        self.parts.token_store = Some(store);
        self
    }

    /// Passes events of the client to `observer`.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.parts.observer = Some(observer);
        self
    }

    /// Writes a line to standard error for each event, as `PAYMENTS_LOG=debug`
    /// does. An observer set earlier still receives events. Call this after
    /// setting the addresses, which the lines contain.
    pub fn log_to_stderr(mut self) -> Self {
        if !log::is_on() {
            let base_url = self.base_url.as_deref().unwrap_or_default();
            let observer = self.parts.observer.take();
            self.parts.observer = Some(log::before(observer, base_url, self.auth_url.as_deref()));
        }
        self
    }

    /// Sends through `transport` instead of the crate's own, which
    /// [`http_transport`](Self::http_transport) makes for a transport that
    /// wraps it.
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.parts.transport = Some(transport);
        self
    }

    /// Reads the time from `clock`, for tests of token lifetimes.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.parts.clock = Some(clock);
        self
    }

    /// Resolves host names with `lookup` instead of the operating system.
    pub fn lookup(mut self, lookup: Lookup) -> Self {
        self.parts.lookup = Some(lookup);
        self
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("base_url", &self.base_url.as_deref().map(url::shown))
            .field("auth_url", &self.auth_url.as_deref().map(url::shown))
            .field("integration_key", &self.integration_key)
            .field("client_id", &self.client_id)
            .field("client_secret", &self.client_secret)
            .field("key", &self.key)
            .field("key_passphrase", &self.key_passphrase)
            .field("kid", &self.kid)
            .field("pkcs11", &self.pkcs11)
            .field("public_key", &self.public_key)
            .field("proxy", &self.proxy)
            .field("ca_file", &self.ca_file)
            .field("token_store_kind", &self.token_store_kind)
            .field("token_fallback", &self.token_fallback)
            .field("token_store_key", &self.token_store_key)
            .field("journal_kind", &self.journal_kind)
            .field("journal_scope", &self.journal_scope)
            .field("options", &self.options)
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}
