//! Turns a configuration into the parts of a client.
//!
//! In two steps: `load` reads the files, and `resolve` checks everything and
//! parses keys.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use payments_base::concealed::without_secrets;
use payments_base::invisible::BYTE_ORDER_MARK;
use payments_base::secret::Secret;
use payments_transport::inside::Uri;
use payments_transport::{HttpSettings, HttpTransport, ProxySetting, TlsRoots};

use super::authorities::authorities;
use super::headers::{fixed_headers, secrets_of_headers};
use super::journal::open_file;
use super::{
    ClientAuthEncoding, Components, Config, Environment, Inputs, JournalKind, Options, Source,
    TokenStoreKind, url,
};
use crate::journal::Journal;
use crate::model::error::{Error, ErrorCode, messages};
use crate::model::rules::Rules;
use crate::signing::jws::PublicKey;
use crate::signing::signer::{Pkcs11Key, PrivateKey, check_kid};
use crate::token::{Clock, Credentials, Sealer, SystemClock};

/// A configuration whose files are read.
pub(crate) struct Loaded(pub(super) Config);

/// A checked configuration in the form that the client uses.
pub(crate) struct Resolved {
    pub(crate) base_url: String,
    pub(crate) integration_key: Option<Secret>,
    pub(crate) credentials: Option<Credentials>,
    pub(crate) key: Option<(PrivateKey, String)>,
    pub(crate) pkcs11: Option<(Pkcs11Key, String)>,
    pub(crate) public_key: Option<PublicKey>,
    pub(crate) transport: HttpSettings,
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
    pub(crate) components: Components,
    /// Secrets to hide even if a response echoes them.
    secrets: Vec<Secret>,
    /// The fixed headers of every request to the service.
    pub(crate) headers: Arc<[(String, Secret)]>,
}

impl Resolved {
    pub(crate) fn has_journal(&self) -> bool {
        self.components.journal.is_some() || self.journal_kind != JournalKind::None
    }

    /// The clock of calls and stores.
    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        self.components.clock.clone().unwrap_or_else(|| Arc::new(SystemClock))
    }

    /// The path of the journal, if it is a file.
    pub(crate) fn journal_file(&self) -> Option<&Path> {
        match (&self.components.journal, &self.journal_kind) {
            (None, JournalKind::File(path)) => Some(path),
            _ => None,
        }
    }

    /// The journal, if there is one.
    pub(crate) fn open_journal(&self) -> Result<Option<Arc<dyn Journal>>, Error> {
        match (&self.components.journal, &self.journal_kind) {
            (Some(journal), _) => Ok(Some(Arc::clone(journal))),
            (None, JournalKind::None) => Ok(None),
            (None, JournalKind::File(path)) => open_file(path).map(Some),
        }
    }

    /// The built-in transport with these settings.
    pub(crate) fn http_transport(&self) -> Result<HttpTransport, Error> {
        let auth_url = self.credentials.as_ref().map(|it| it.auth_url.as_str());
        let urls = std::iter::once(self.base_url.as_str()).chain(auth_url);
        HttpTransport::for_urls(&self.transport, urls)
            .map_err(|why| Error::config("proxy", ErrorCode::VALUE_INVALID, why.to_string()))
    }

    /// Whether the configuration holds `text` as a secret.
    pub(crate) fn is_secret(&self, text: &str) -> bool {
        self.secrets.iter().any(|secret| secret.expose() == text)
    }

    /// Whether errors show this message of the service. It may repeat payer data, so
    /// only messages of a sandbox on this host are shown: its payers are made up.
    pub(crate) fn shows_service_message(&self, message: &str) -> bool {
        self.options.environment == Environment::Sandbox
            && url::is_on_this_host(&self.base_url)
            && self.without_secrets(message) == message
    }

    /// A path without the secrets of the configuration.
    pub(crate) fn without_secrets<'p>(&self, path: &'p str) -> Cow<'p, str> {
        without_secrets(path, self.secrets.iter().map(Secret::expose))
    }
}

impl Config {
    /// The crate's own transport with this proxy, these roots and limits: for
    /// your own transport that wraps it.
    ///
    /// # Errors
    /// `config`, as [`Client::new`](crate::Client::new).
    pub fn http_transport(&self) -> Result<HttpTransport, Error> {
        self.clone().load()?.resolve()?.http_transport()
    }

    /// Reads the files.
    pub(crate) fn load(mut self) -> Result<Loaded, Error> {
        self.check_features()?;
        let inputs = &mut self.inputs;
        inputs.token_store.get_or_insert(TokenStoreKind::Memory).pin("token_store")?;
        let fallback = inputs.token_store_fallback.get_or_insert(TokenStoreKind::User);
        fallback.pin("token_store_fallback")?;
        inputs.journal.pin()?;
        self.read_files()?;
        Ok(Loaded(self))
    }
}

impl Loaded {
    pub(crate) fn components(&self) -> &Components {
        &self.0.components
    }

    /// Checks the whole configuration and parses the keys.
    pub(crate) fn resolve(self) -> Result<Resolved, Error> {
        self.refuse_placeholders()?;
        let Config { inputs, pkcs11, options, rules, components } = &self.0;
        let Some(base_url) = &inputs.base_url else {
            return Err(Error::required("base_url", "required: the address of the service"));
        };
        let base_url = url::check("base_url", base_url, options.allow_insecure_http)?;
        options.check()?;
        rules.check()?;
        inputs.check()?;
        let headers = fixed_headers(&inputs.headers, &options.bearer_header)?;
        pkcs11.check()?;
        #[cfg(feature = "redis")]
        self.0.check_server()?;
        let journal_scope = options.journal_scope.clone().unwrap_or_else(|| host_of(&base_url));
        let roots = match &inputs.ca_file {
            None => TlsRoots::OperatingSystem,
            Some(pem) => TlsRoots::Certificates(Arc::new(authorities(pem.contents())?)),
        };
        let transport = HttpSettings {
            connect_timeout: options.connect_timeout,
            roots,
            proxy: inputs.proxy.clone(),
            lookup: components.lookup.clone(),
        };
        Ok(Resolved {
            base_url,
            credentials: self.credentials()?,
            key: self.signing_key()?,
            pkcs11: self.pkcs11_key()?,
            public_key: self.verifying_key()?,
            sealer: self.sealer()?,
            secrets: self.secrets(),
            integration_key: inputs.integration_key.as_ref().map(Source::secret),
            headers,
            transport,
            journal_scope,
            token_store_kind: self.0.inputs.token_store.unwrap_or(TokenStoreKind::Memory),
            token_fallback: self.0.inputs.token_store_fallback.unwrap_or(TokenStoreKind::User),
            journal_kind: self.0.inputs.journal,
            options: self.0.options,
            rules: self.0.rules,
            components: self.0.components,
        })
    }

    fn secrets(&self) -> Vec<Secret> {
        let Inputs { proxy, token_store, .. } = &self.0.inputs;
        let proxy = match proxy {
            ProxySetting::Url(url) => url::password(url.expose()),
            _ => None,
        };
        let store = match token_store {
            Some(TokenStoreKind::Redis(url)) => url::password(url.expose()),
            _ => None,
        };
        let headers = secrets_of_headers(&self.0.inputs.headers);
        self.0.secrets().into_iter().chain(proxy).chain(store).chain(headers).collect()
    }

    fn credentials(&self) -> Result<Option<Credentials>, Error> {
        let Inputs { auth_url, client_id, client_secret, .. } = &self.0.inputs;
        let (Some(auth_url), Some(client_id), Some(secret)) = (auth_url, client_id, client_secret)
        else {
            return Ok(None);
        };
        let Options { allow_insecure_http, client_auth_encoding, .. } = self.0.options;
        let is_form_encoded = client_auth_encoding == ClientAuthEncoding::Form;
        let refused = |why: &str| Err(Error::config("client_id", ErrorCode::VALUE_INVALID, why));
        if client_id.is_empty() || client_id.chars().any(|c| c.is_control() || c == BYTE_ORDER_MARK)
        {
            return refused(
                "must not be empty or contain a control character, a line break or a byte order \
                 mark",
            );
        }
        if client_id.contains(':') && !is_form_encoded {
            return refused(
                "must not contain a colon, which ends it in the token request; if it has one, set \
                 client_auth_encoding to form",
            );
        }
        Ok(Some(Credentials {
            auth_url: url::check("auth_url", auth_url, allow_insecure_http)?,
            client_id: client_id.clone(),
            client_secret: secret.secret(),
            is_form_encoded,
        }))
    }

    fn signing_key(&self) -> Result<Option<(PrivateKey, String)>, Error> {
        let Config { inputs, options, components, .. } = &self.0;
        let has_pkcs11 = self.0.pkcs11.module.is_some();
        let has_signer = components.signer.is_some() || has_pkcs11;
        match (&inputs.key, &inputs.kid) {
            (Some(_), _) if has_pkcs11 => Err(two_signers("a key")),
            (Some(_), _) if has_signer => Err(Error::config(
                "key",
                ErrorCode::CONFLICTING_MEMBERS,
                "both a key and an external signer are set; remove one of them",
            )),
            (Some(_), None) => Err(Error::required(
                "kid",
                "required with a key: the key id that the provider returned at registration",
            )),
            (None, Some(_)) if !has_signer => Err(Error::required(
                "key",
                "required because kid is set; set key, key_file or pkcs11_module, or remove kid",
            )),
            (None, _) => Ok(None),
            (Some(source), Some(kid)) => {
                check_kid(kid)?;
                let passphrase = inputs.key_passphrase.as_ref().map(Source::secret);
                let allow_small = options.allow_small_keys;
                let contents = source.contents();
                let key = PrivateKey::from_contents(contents, passphrase.as_ref(), allow_small);
                let key = key.map_err(|error| match error.path() {
                    Some("key") => error.with_path(source.named("key")),
                    _ => error,
                })?;
                Ok(Some((key, kid.clone())))
            }
        }
    }

    fn sealer(&self) -> Result<Option<Sealer>, Error> {
        let Inputs { token_store, token_store_key, .. } = &self.0.inputs;
        let Some(key) = token_store_key else {
            return Ok(None);
        };
        let given_as = key.named("token_store_key");
        if matches!(token_store, None | Some(TokenStoreKind::Memory)) {
            return Err(messages::without_store(&given_as));
        }
        Sealer::from_base64(&key.secret()).map(Some).map_err(|error| error.with_path(given_as))
    }

    fn pkcs11_key(&self) -> Result<Option<(Pkcs11Key, String)>, Error> {
        let Config { inputs, pkcs11, options, components, .. } = &self.0;
        match (pkcs11.resolve(options.allow_small_keys)?, &inputs.kid) {
            (Some(_), _) if components.signer.is_some() => Err(two_signers("an external signer")),
            (Some(_), None) => Err(Error::required(
                "kid",
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
        let Config { inputs, pkcs11, components, .. } = &self.0;
        let Some(source) = &inputs.public_key else {
            return Ok(None);
        };
        let given_as = source.named("public_key");
        if components.signer.is_none() && pkcs11.module.is_none() {
            return Err(messages::without_signer(&given_as));
        }
        let key = PublicKey::from_contents(source.contents());
        key.map(Some).map_err(|error| error.with_path(given_as))
    }
}

fn two_signers(other: &str) -> Error {
    let message = format!("{other} is set too; remove one of them");
    Error::config("pkcs11_module", ErrorCode::CONFLICTING_MEMBERS, message)
}

/// The host of an address that was checked, in lower case.
fn host_of(base_url: &str) -> String {
    let uri = base_url.parse::<Uri>().ok();
    uri.and_then(|uri| uri.host().map(str::to_ascii_lowercase)).unwrap_or_default()
}

impl Loaded {
    /// Refuses placeholders that were copied from an example and not replaced.
    ///
    /// # Errors
    /// `config`, which names the member and the value to write there.
    pub(super) fn refuse_placeholders(&self) -> Result<(), Error> {
        for (member, text, meaning) in self.0.placeholders() {
            if text.is_some_and(is_placeholder) {
                return Err(messages::placeholder(member, meaning));
            }
        }
        Ok(())
    }
}

/// Whether the whole text is a placeholder such as `<KEY_ID>`.
fn is_placeholder(text: &str) -> bool {
    let inner = text.trim().strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(['<', '>']))
}
