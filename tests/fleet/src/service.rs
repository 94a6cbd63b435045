//! The service the workers call, and the folder of their token store.

use std::path::{Path, PathBuf};
use std::time::Duration;

use payments_core::journal::SqliteJournal;
use payments_core::{Client, Config, CreatePayment, Payment};
use payments_sandbox::{Require, Sandbox, SandboxConfig, TokenBlock, TokenLimit};
use serde_json::{Value, json};

pub(crate) struct Service {
    sandbox: Sandbox,
    folder: PathBuf,
}

impl Service {
    /// A sandbox that requires a token for every call, and a folder that is
    /// deleted with it.
    pub(crate) fn start(token_lifetime: Duration) -> Self {
        let sandbox = Sandbox::start(SandboxConfig {
            require: Require { bearer: true, ..Require::NOTHING },
            token_lifetime,
            // Token requests are counted but never blocked.
            token_limit: TokenLimit { requests: 0, ..TokenLimit::default() },
            request_log_limit: 100,
            ..SandboxConfig::default()
        });
        let name = format!("payments-fleet-{}", std::process::id());
        Self { sandbox: sandbox.unwrap(), folder: std::env::temp_dir().join(name) }
    }

    /// The configuration of a client that sends a token but no signature, as
    /// one line of JSON.
    pub(crate) fn configuration(&self) -> String {
        self.members().to_string()
    }

    /// The same configuration with a key.
    pub(crate) fn signed_configuration(&self) -> String {
        let keys = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/keys");
        let public = std::fs::read_to_string(keys.join("test_rsa_4096_public.pem")).unwrap();
        let mut members = self.members();
        members["timeout_ms"] = 5_000.into();
        members["kid"] = self.sandbox.register_pem(&public).unwrap().into();
        members["key_file"] = keys.join("test_rsa_4096_pkcs8.pem").to_str().unwrap().into();
        members.to_string()
    }

    /// Executes every request, as often as it comes, and needs no signature and
    /// no token. Returns the configuration of a client with a new journal.
    pub(crate) fn journaled_configuration(&self) -> String {
        let journal = self.journal().join("journal.db");
        SqliteJournal::create(&journal).unwrap();
        let mut members = self.repeating_members();
        members["journal"] = format!("file:{}", journal.display()).into();
        members["timeout_ms"] = 5_000.into();
        members.to_string()
    }

    /// The same for clients that get a journal.
    pub(crate) fn configuration_for_a_journal(&self) -> String {
        let mut members = self.repeating_members();
        members["journal_scope"] = "shop".into();
        members.to_string()
    }

    fn repeating_members(&self) -> Value {
        self.sandbox.configure(|config| {
            config.accept_repeats = true;
            config.require = Require::NOTHING;
        });
        json!({
            "environment": "sandbox",
            "base_url": self.sandbox.base_url(),
            "integration_key": self.sandbox.config().integration_key,
        })
    }

    /// The folder of the journal, on a disk.
    pub(crate) fn journal(&self) -> PathBuf {
        self.folder.with_extension("journal")
    }

    fn members(&self) -> Value {
        let settings = self.sandbox.config();
        json!({
            "environment": "sandbox",
            "base_url": self.sandbox.base_url(),
            "auth_url": self.sandbox.auth_url(),
            "client_id": settings.client_id,
            "client_secret": settings.client_secret,
            "token_store": format!("file:{}", self.folder.display()),
            "timeout_ms": 20_000,
        })
    }

    pub(crate) fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// The folder of the token store.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The hash of a payment to query.
    pub(crate) fn payment(&self) -> String {
        // Created without a token, so that no token request is counted.
        self.sandbox.configure(|config| config.require.bearer = false);
        let payment = Payment {
            name: "Ana Pérez".into(),
            email: "ana@example.com".into(),
            country: "mx".into(),
            payment_type_code: "oxxo".into(),
            merchant_payment_code: "fleet".into(),
            currency_code: "MXN".into(),
            amount_total: 150_u32.into(),
            ..Payment::default()
        };
        let key = self.sandbox.config().integration_key;
        let config = Config::new(self.sandbox.base_url()).integration_key(key);
        let response = Client::new(config).unwrap().create_payment(&CreatePayment::new(payment));
        self.sandbox.configure(|config| config.require.bearer = true);
        response.unwrap().hash().unwrap().to_owned()
    }

    pub(crate) fn token_requests(&self) -> u64 {
        self.sandbox.token_requests()
    }

    /// Sets whether the token server responds with 403.
    pub(crate) fn refuse_tokens(&self, refuse: bool) {
        let block = TokenBlock { status: 403, retry_after: None, duration: None };
        self.sandbox.block_tokens(refuse.then_some(block));
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
        let _ = std::fs::remove_dir_all(self.journal());
    }
}
