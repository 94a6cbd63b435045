//! The configuration of a client.

// - `generated.rs`: the members with their defaults, methods and simple checks,
//   of `spec/configuration.toml`
// - `read.rs`, `value.rs`, `variables.rs`, `source.rs`: reading JSON, files and
//   variables; a value that is given directly or by a file
// - `resolve.rs`, `options.rs`, `features.rs`: the check of the whole, of
//   single options, and of features that are off
// - `authorities.rs`, `journal.rs`, `pkcs11.rs`, `server.rs`, `store.rs`, `url.rs`:
//   the parts of a client that are made of several members
// - `headers.rs`: fixed headers, and names of headers that are taken
// - `fingerprint.rs`: the difference between shared clients
// - `log.rs`: the lines of `PAYMENTS_LOG=debug`

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use payments_base::debug_shows;
use payments_base::secret::Secret;
use payments_transport::{Lookup, Transport};

use crate::journal::Journal;
use crate::model::observer::{Level, Observer};
use crate::model::rules::Rules;
use crate::signing::signer::Signer;
use crate::token::{Clock, LONGEST_LIFETIME, TokenStore};

mod authorities;
mod features;
mod fingerprint;
mod generated;
mod headers;
pub(crate) mod journal;
pub(crate) mod log;
mod options;
mod pkcs11;
mod read;
mod resolve;
#[cfg(feature = "redis")]
mod server;
pub(crate) mod source;
mod store;
mod url;
mod value;
mod variables;

pub(crate) use fingerprint::digest_of;
pub use generated::*;
pub(crate) use generated::{Inputs, Options};
pub(crate) use journal::JournalKind;
pub(crate) use resolve::{Loaded, Resolved};
pub(crate) use source::Source;
pub(crate) use store::TokenStoreKind;
pub use value::{Field, Shape};

impl Environment {
    /// The access token lifetime that the interface states.
    pub const fn token_lifetime(self) -> Duration {
        match self {
            Self::Sandbox => LONGEST_LIFETIME,
            Self::Production => Duration::from_secs(3_600),
        }
    }
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
    inputs: Inputs,
    pkcs11: Pkcs11,
    options: Options,
    rules: Rules,
    components: Components,
}

/// Settings that only code can provide.
#[derive(Clone, Default)]
pub(crate) struct Components {
    pub(crate) signer: Option<Arc<dyn Signer>>,
    pub(crate) token_store: Option<Arc<dyn TokenStore>>,
    pub(crate) journal: Option<Arc<dyn Journal>>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) transport: Option<Arc<dyn Transport>>,
    pub(crate) clock: Option<Arc<dyn Clock>>,
    pub(crate) lookup: Option<Lookup>,
    pub(crate) stderr_log: Option<log::StderrLog>,
    /// The log of the whole process, which every client may share.
    pub(crate) process_log: Option<&'static dyn Observer>,
}

impl Components {
    /// Whether everything comes from text and files.
    pub(crate) fn is_empty(&self) -> bool {
        let Self {
            signer,
            token_store,
            journal,
            observer,
            transport,
            clock,
            lookup,
            stderr_log,
            process_log: _,
        } = self;
        signer.is_none()
            && token_store.is_none()
            && journal.is_none()
            && observer.is_none()
            && transport.is_none()
            && clock.is_none()
            && lookup.is_none()
            && stderr_log.is_none()
    }
}

impl Config {
    /// A configuration for the service at `base_url`, without credentials.
    pub fn new(base_url: impl Into<String>) -> Self {
        let mut config = Self::default();
        config.inputs.base_url = Some(base_url.into());
        config
    }

    /// The address of the token server, with the credentials for it. With them,
    /// calls carry a bearer token.
    pub fn client_credentials(
        mut self,
        auth_url: impl Into<String>,
        client_id: impl Into<String>,
        client_secret: impl Into<Secret>,
    ) -> Self {
        self.inputs.auth_url = Some(auth_url.into());
        self.inputs.client_id = Some(client_id.into());
        self.inputs.client_secret = Some(Source::text(client_secret.into()));
        self
    }

    /// The private key as PEM text, with the key id that the provider assigned.
    pub fn signing_key(mut self, pem: impl Into<Secret>, kid: impl Into<String>) -> Self {
        self.inputs.key = Some(Source::text(pem.into()));
        self.inputs.kid = Some(kid.into());
        self
    }

    /// The file of the private key (PEM or DER), with the key id that the
    /// provider assigned.
    pub fn signing_key_file(mut self, file: impl Into<PathBuf>, kid: impl Into<String>) -> Self {
        self.inputs.key = Some(Source::file(file.into()));
        self.inputs.kid = Some(kid.into());
        self
    }

    /// Signs with a key in an HSM instead. `kid` is the key id that the
    /// provider assigned. Needs the feature `pkcs11`.
    ///
    /// ```
    /// use payments_core::Config;
    /// use payments_core::config::Pkcs11;
    ///
    /// let key = Pkcs11::new("/usr/lib/softhsm/libsofthsm2.so")
    ///     .token("payments")
    ///     .key_label("signing-2026")
    ///     .pin_file("/run/secrets/pin");
    /// let config = Config::new("https://api.example").pkcs11(key, "kid-1");
    /// # let _ = config;
    /// ```
    pub fn pkcs11(mut self, key: Pkcs11, kid: impl Into<String>) -> Self {
        self.pkcs11 = key;
        self.inputs.kid = Some(kid.into());
        self
    }

    /// Signs with an external signer instead: an HSM, a key management service,
    /// a callback.
    pub fn signer(mut self, signer: Arc<dyn Signer>) -> Self {
        self.components.signer = Some(signer);
        self
    }

    /// Keeps bearer tokens in `store`, for the clients made with it.
    pub fn token_store(mut self, store: Arc<dyn TokenStore>) -> Self {
        self.components.token_store = Some(store);
        self
    }

    /// Passes events of the client to `observer`.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.components.observer = Some(observer);
        self
    }

    /// Writes a line to standard error for each event, as `PAYMENTS_LOG=debug`
    /// does. An observer still receives events.
    pub fn log_to_stderr(mut self) -> Self {
        self.components.stderr_log = Some(log::StderrLog(Level::Debug));
        self
    }

    /// Also hands events to the log of the process, as the packages of other
    /// languages do. A client with one is shared as if it had none.
    #[doc(hidden)]
    pub fn process_log(mut self, log: &'static dyn Observer) -> Self {
        self.components.process_log = Some(log);
        self
    }

    /// Sends through `transport` instead of the crate's own, which
    /// [`http_transport`](Self::http_transport) makes for a transport that
    /// wraps it.
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.components.transport = Some(transport);
        self
    }

    /// Reads the time from `clock`, for tests of token lifetimes.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.components.clock = Some(clock);
        self
    }

    /// Resolves host names with `lookup` instead of the operating system.
    pub fn lookup(mut self, lookup: Lookup) -> Self {
        self.components.lookup = Some(lookup);
        self
    }
}

debug_shows!(
    Config,
    |it| inputs = it.inputs,
    pkcs11 = it.pkcs11,
    options = it.options,
    rules = it.rules
);
