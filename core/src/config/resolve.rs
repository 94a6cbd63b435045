//! Turns a configuration into what a client works with.
//!
//! In two steps: `load` reads the files, which determines the fingerprint for
//! sharing clients. `resolve` checks everything and parses keys.

use std::hash::{Hash as _, Hasher};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::files::{authorities, read_bytes, read_file, read_text};
use super::journal::host_of;
use super::pkcs11::SESSIONS;
use super::{Config, JournalKind, Options, Parts, Pkcs11, Source, TokenStoreKind, url};
use crate::base::secret::{Secret, SecretBytes};
use crate::model::error::Error;
use crate::model::rules::Rules;
use crate::signing::jws::PublicKey;
use crate::signing::signer::{Pkcs11Key, PrivateKey, check_kid, read_key_file};
use crate::token::{Credentials, Sealer};
use crate::transport::{HttpSettings, HttpTransport, ProxySetting, TlsRoots};

/// Added to the message about a deadline of zero.
/// The longest wait before a person may say that a call was not executed.
const LONGEST_SETTLING: Duration = Duration::from_secs(86_400);
const EVERY_CALL: &str = ": every call has a deadline";

/// Values as `Hash` writes them, for SHA-256.
struct ValueDigest(Sha256);

impl Hasher for ValueDigest {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Unused: `fingerprint` takes the SHA-256 digest.
    fn finish(&self) -> u64 {
        0
    }
}

/// A configuration with the contents of its files.
pub(crate) struct Loaded {
    pub(super) config: Config,
    pub(super) integration_key: Option<Secret>,
    pub(super) client_secret: Option<Secret>,
    key: Option<SecretBytes>,
    pub(super) key_passphrase: Option<Secret>,
    pub(super) token_store_key: Option<Secret>,
    pub(super) pkcs11_pin: Option<Secret>,
    public_key: Option<SecretBytes>,
    authorities: Option<SecretBytes>,
}

/// A checked configuration in the form that the client uses.
pub(crate) struct Resolved {
    pub(crate) base_url: String,
    pub(crate) integration_key: Option<Secret>,
    pub(crate) credentials: Option<Credentials>,
    pub(crate) key: Option<(PrivateKey, String)>,
    pub(crate) pkcs11: Option<(Pkcs11Key, String)>,
    pub(crate) public_key: Option<PublicKey>,
    pub(crate) token_lifetime: Duration,
    pub(crate) transport: HttpSettings,
    pub(crate) signing_threads: Option<NonZeroUsize>,
    /// Where tokens are kept, unless code provides a store.
    pub(crate) token_store_kind: TokenStoreKind,
    /// Where tokens are kept while a Redis server does not work.
    pub(crate) token_fallback: TokenStoreKind,
    pub(crate) sealer: Option<Sealer>,
    /// The journal, unless code provides one.
    pub(crate) journal_kind: JournalKind,
    pub(crate) journal_scope: String,
    pub(crate) options: Options,
    pub(crate) rules: Rules,
    pub(crate) parts: Parts,
    /// Secrets to hide even if a response echoes them.
    secrets: Vec<Secret>,
}

impl Resolved {
    /// The built-in transport with these settings.
    pub(crate) fn http_transport(&self) -> Result<HttpTransport, Error> {
        let message = "must be env or http://[user:password@]host:port";
        HttpTransport::new(&self.transport)
            .map_err(|_| Error::config("proxy", "proxy_invalid", message))
    }

    /// Whether the configuration holds `text` as a secret.
    pub(crate) fn is_secret(&self, text: &str) -> bool {
        self.secrets.iter().any(|secret| secret.expose() == text)
    }
}

impl Config {
    /// The crate's own transport with this proxy, these roots and limits: for
    /// a transport of yours that wraps it.
    ///
    /// # Errors
    /// `config`, as [`Client::new`](crate::Client::new).
    pub fn http_transport(&self) -> Result<HttpTransport, Error> {
        self.clone().load()?.resolve()?.http_transport()
    }

    /// Reads the files.
    pub(crate) fn load(mut self) -> Result<Loaded, Error> {
        self.token_store_kind.iter_mut().try_for_each(|place| place.pin("token_store"))?;
        self.token_fallback.iter_mut().try_for_each(|place| place.pin("token_store_fallback"))?;
        self.journal_kind.pin()?;
        Ok(Loaded {
            integration_key: read_text(&self.integration_key, "integration_key")?,
            client_secret: read_text(&self.client_secret, "client_secret")?,
            key: match &self.key {
                Some(Source::File(path)) => Some(read_key_file(path)?),
                text => read_bytes(text, "key_file")?,
            },
            key_passphrase: read_text(&self.key_passphrase, "key_passphrase")?,
            token_store_key: read_text(&self.token_store_key, "token_store_key")?,
            pkcs11_pin: read_text(&self.pkcs11.pin, "pkcs11_pin")?,
            public_key: read_bytes(&self.public_key, "public_key_file")?,
            authorities: self
                .ca_file
                .as_deref()
                .map(|path| read_file(path, "ca_file"))
                .transpose()?,
            config: self,
        })
    }
}

impl Loaded {
    pub(crate) fn parts(&self) -> &Parts {
        &self.config.parts
    }

    /// SHA-256 over everything that distinguishes clients, including the
    /// contents of files. Settings provided as code are not part of it.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        // Destructured in full, so that no new member can be forgotten.
        let Config {
            base_url,
            auth_url,
            integration_key: _,
            client_id,
            client_secret: _,
            key: _,
            key_passphrase: _,
            kid,
            pkcs11,
            public_key: _,
            proxy,
            ca_file: _,
            token_store_kind,
            token_fallback,
            token_store_key: _,
            journal_kind,
            journal_scope,
            options,
            rules,
            parts: _,
        } = &self.config;
        let Pkcs11 { module, token, slot, key_label, key_id, pin: _, sessions } = pkcs11;
        let mut values = ValueDigest(Sha256::new());
        (options, rules, journal_kind).hash(&mut values);
        let sessions = sessions.unwrap_or(SESSIONS);
        (module, token, slot, key_label, key_id, sessions).hash(&mut values);
        let mut digest = values.0;
        let mut put = |bytes: Option<&[u8]>| {
            digest.update([u8::from(bytes.is_some())]);
            let bytes = bytes.unwrap_or_default();
            digest.update((bytes.len() as u64).to_be_bytes());
            digest.update(bytes);
        };
        for text in [base_url, auth_url, client_id, kid, journal_scope] {
            put(text.as_deref().map(str::as_bytes));
        }
        for secret in self.texts() {
            put(secret.as_ref().map(|secret| secret.expose().as_bytes()));
        }
        for contents in [&self.key, &self.public_key, &self.authorities] {
            put(contents.as_ref().map(SecretBytes::expose));
        }
        put(match proxy {
            ProxySetting::None => None,
            ProxySetting::Environment => Some(b"env"),
            ProxySetting::Url(url) => Some(url.expose().as_bytes()),
        });
        for (place, default) in
            [(token_store_kind, TokenStoreKind::Memory), (token_fallback, TokenStoreKind::User)]
        {
            place.as_ref().unwrap_or(&default).describe(|bytes| put(Some(bytes)));
            put(None);
        }
        digest.finalize().into()
    }

    /// Checks the whole configuration and parses the keys.
    pub(crate) fn resolve(self) -> Result<Resolved, Error> {
        self.refuse_placeholders()?;
        let config = &self.config;
        let options = &config.options;
        let Some(base_url) = &config.base_url else {
            return Err(refused("base_url", "required", "required: the address of the service"));
        };
        let base_url = url::check("base_url", base_url, options.allow_insecure_http)?;
        let signing_threads = options.signing_threads.map(NonZeroUsize::new);
        for (member, is_zero, why) in [
            ("timeout_ms", options.timeout.is_zero(), EVERY_CALL),
            ("connect_timeout_ms", options.connect_timeout.is_zero(), EVERY_CALL),
            ("max_response_bytes", options.max_response_bytes == 0, ""),
            ("max_response_values", config.rules.max_response_values == 0, ""),
            ("signing_threads", signing_threads == Some(None), ""),
        ] {
            if is_zero {
                return Err(refused(member, "zero", &format!("must be greater than zero{why}")));
            }
        }
        if options.settle_after > LONGEST_SETTLING {
            let message = "must be at most 86400000, which is a day";
            return Err(refused("settle_after_ms", "value_invalid", message));
        }
        check_header_name(&options.bearer_header)?;
        if !options.bearer_scheme.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refused("bearer_scheme", "value_invalid", "must be one word, or empty"));
        }
        config.rules.check()?;
        config.check_store()?;
        let journal_scope = match &config.journal_scope {
            Some(scope) if scope.trim().is_empty() => {
                return Err(refused("journal_scope", "value_empty", "must not be empty"));
            }
            Some(scope) => scope.clone(),
            None => host_of(&base_url),
        };
        let roots = match &self.authorities {
            None => TlsRoots::OperatingSystem,
            Some(pem) => TlsRoots::Certificates(Arc::new(authorities(pem.expose())?)),
        };
        let transport = HttpSettings {
            connect_timeout: options.connect_timeout,
            roots,
            proxy: config.proxy.clone(),
            lookup: config.parts.lookup.clone(),
        };
        Ok(Resolved {
            base_url,
            credentials: self.credentials()?,
            key: self.signing_key()?,
            pkcs11: self.pkcs11_key()?,
            public_key: self.verifying_key()?,
            sealer: self.sealer()?,
            secrets: self.secrets(),
            integration_key: self.integration_key,
            token_lifetime: options.environment.token_lifetime(),
            transport,
            signing_threads: signing_threads.flatten(),
            token_store_kind: self.config.token_store_kind.unwrap_or(TokenStoreKind::Memory),
            token_fallback: self.config.token_fallback.unwrap_or(TokenStoreKind::User),
            journal_kind: self.config.journal_kind,
            journal_scope,
            options: self.config.options,
            rules: self.config.rules,
            parts: self.config.parts,
        })
    }

    fn secrets(&self) -> Vec<Secret> {
        let proxy = match &self.config.proxy {
            ProxySetting::Url(url) => url::password(url.expose()),
            _ => None,
        };
        let store = match &self.config.token_store_kind {
            Some(TokenStoreKind::Redis(url)) => url::password(url.expose()),
            _ => None,
        };
        let texts = self.texts().into_iter().flatten().cloned();
        texts.chain(proxy).chain(store).collect()
    }

    /// The secrets given as text.
    fn texts(&self) -> [&Option<Secret>; 5] {
        let Self { integration_key, client_secret, key_passphrase, .. } = self;
        let Self { token_store_key, pkcs11_pin, .. } = self;
        [integration_key, client_secret, key_passphrase, token_store_key, pkcs11_pin]
    }

    fn credentials(&self) -> Result<Option<Credentials>, Error> {
        let config = &self.config;
        let needed = |member, other: &str| {
            Err(refused(member, "required", &format!("required because {other} is set")))
        };
        match (&config.auth_url, &config.client_id, &self.client_secret) {
            (_, None, None) => Ok(None),
            (_, None, Some(_)) => needed("client_id", "client_secret"),
            (_, Some(_), None) => needed("client_secret", "client_id"),
            (None, Some(_), Some(_)) => needed("auth_url", "client_id"),
            (Some(auth_url), Some(client_id), Some(client_secret)) => {
                if client_id.is_empty() || client_id.chars().any(|c| c == ':' || c.is_control()) {
                    return Err(refused(
                        "client_id",
                        "value_invalid",
                        "must not be empty or contain a colon or a control character",
                    ));
                }
                Ok(Some(Credentials {
                    auth_url: url::check("auth_url", auth_url, config.options.allow_insecure_http)?,
                    client_id: client_id.clone(),
                    client_secret: client_secret.clone(),
                }))
            }
        }
    }

    fn signing_key(&self) -> Result<Option<(PrivateKey, String)>, Error> {
        let config = &self.config;
        let has_signer = config.parts.signer.is_some() || config.pkcs11.is_given();
        match (&self.key, &config.kid) {
            (Some(_), _) if config.pkcs11.is_given() => Err(two_signers("a key")),
            (Some(_), _) if has_signer => Err(refused(
                "key",
                "two_signers",
                "both a key and an external signer are set; remove one of them",
            )),
            (Some(_), None) => Err(refused(
                "kid",
                "required",
                "required with a key: the key id that the provider returned at registration",
            )),
            (None, Some(_)) if !has_signer => Err(refused(
                "key",
                "required",
                "required because kid is set; set key, key_file or pkcs11_module",
            )),
            (None, _) => Ok(None),
            (Some(contents), Some(kid)) => {
                check_kid(kid)?;
                let passphrase = self.key_passphrase.as_ref();
                let allow_small = config.options.allow_small_keys;
                let key = PrivateKey::from_contents(contents.expose(), passphrase, allow_small);
                let is_file = matches!(config.key, Some(Source::File(_)));
                let key = key.map_err(|error| match error.path() {
                    Some("key") if is_file => error.with_path("key_file"),
                    _ => error,
                })?;
                Ok(Some((key, kid.clone())))
            }
        }
    }

    fn sealer(&self) -> Result<Option<Sealer>, Error> {
        let (Some(source), Some(key)) = (&self.config.token_store_key, &self.token_store_key)
        else {
            return Ok(None);
        };
        let given_as = source.member("token_store_key", "token_store_key_file");
        if matches!(self.config.token_store_kind, None | Some(TokenStoreKind::Memory)) {
            return Err(refused(
                given_as,
                "without_store",
                "applies only to tokens in files or on a Redis server; set token_store",
            ));
        }
        Sealer::from_base64(key).map(Some).map_err(|error| error.with_path(given_as))
    }

    fn pkcs11_key(&self) -> Result<Option<(Pkcs11Key, String)>, Error> {
        let config = &self.config;
        let key =
            config.pkcs11.resolve(self.pkcs11_pin.as_ref(), config.options.allow_small_keys)?;
        match (key, &config.kid) {
            (Some(_), _) if config.parts.signer.is_some() => Err(two_signers("an external signer")),
            (Some(_), None) => Err(refused(
                "kid",
                "required",
                "required with pkcs11_module: the key id that the provider returned at registration",
            )),
            (Some(key), Some(kid)) => {
                check_kid(kid)?;
                Ok(Some((key, kid.clone())))
            }
            (None, _) => Ok(None),
        }
    }

    fn verifying_key(&self) -> Result<Option<PublicKey>, Error> {
        let (Some(source), Some(contents)) = (&self.config.public_key, &self.public_key) else {
            return Ok(None);
        };
        let given_as = source.member("public_key", "public_key_file");
        if self.config.parts.signer.is_none() && !self.config.pkcs11.is_given() {
            return Err(refused(
                given_as,
                "without_signer",
                "applies only to an external signer or an HSM; remove it, since a private key \
                 contains its public key",
            ));
        }
        let key = match std::str::from_utf8(contents.expose()) {
            Ok(pem) => PublicKey::from_pem(pem),
            Err(_) => PublicKey::from_der(contents.expose()),
        };
        key.map(Some).map_err(|error| error.with_path(given_as))
    }
}

fn two_signers(other: &str) -> Error {
    let message = format!("{other} is set too; remove one of them");
    refused("pkcs11_module", "two_signers", &message)
}

fn check_header_name(name: &str) -> Result<(), Error> {
    // Headers that a request already has, and headers with a meaning for the
    // connection.
    const OURS: [&str; 14] = [
        "accept",
        "connection",
        "content-length",
        "content-type",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
        "x-jws-signature",
    ];
    let is_token = !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b));
    if is_token && !OURS.contains(&name.to_ascii_lowercase().as_str()) {
        Ok(())
    } else {
        Err(refused(
            "bearer_header",
            "value_invalid",
            "must be a valid header name that the client does not use otherwise",
        ))
    }
}

fn refused(member: &str, code: &'static str, message: &str) -> Error {
    Error::config(member, code, message)
}
