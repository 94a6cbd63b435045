//! The sandbox, key and client that the steps share.

use std::sync::Arc;

use payments_core::jws::PublicKey;
use payments_core::signer::{GeneratedKey, generate_key};
use payments_core::{Client, Config, Environment};
use payments_sandbox::{Require, Sandbox, SandboxConfig};

use super::checks::expect;
use super::figures::Figures;
use super::narrator::Narrator;
use crate::process::failure::Failure;
use crate::process::progress;

/// A path that the interface does not specify, and the sandbox accepts.
pub(super) const UNSPECIFIED_PATH: &str = "/ws/transfer/create";

/// State that every step needs.
pub(super) struct Stage {
    pub(super) sandbox: Sandbox,
    pub(super) key: GeneratedKey,
    pub(super) public_key: PublicKey,
    pub(super) kid: String,
    pub(super) client: Client,
    pub(super) figures: Arc<Figures>,
}

impl Stage {
    /// Starts the sandbox, registers a new key and obtains the only token.
    pub(super) fn set(narrator: &mut Narrator) -> Result<Self, Failure> {
        let sandbox = start_sandbox(narrator)?;
        let (key, kid) = register_key(narrator, &sandbox)?;
        let figures = Arc::new(Figures::default());
        let client = Client::new(config_of(&sandbox, &key, &kid, &figures))?;
        get_token(narrator, &client, &sandbox)?;
        let public_key = PublicKey::from_pem(&key.public_key_pem)?;
        Ok(Self { sandbox, key, public_key, kid, client, figures })
    }

    /// The configuration of the client.
    #[cfg(unix)]
    pub(super) fn config(&self) -> Config {
        config_of(&self.sandbox, &self.key, &self.kid, &self.figures)
    }
}

fn config_of(sandbox: &Sandbox, key: &GeneratedKey, kid: &str, figures: &Arc<Figures>) -> Config {
    let SandboxConfig { integration_key, client_id, client_secret, .. } = sandbox.config();
    Config::new(sandbox.base_url())
        .environment(Environment::Sandbox)
        .integration_key(integration_key)
        .client_credentials(sandbox.auth_url(), client_id, client_secret)
        .signing_key(key.private_key_pem.clone(), kid)
        .observer(Arc::clone(figures) as _)
}

fn start_sandbox(narrator: &mut Narrator) -> Result<Sandbox, Failure> {
    narrator.begin("Start the sandbox");
    let config = SandboxConfig {
        require: Require { integration_key: true, ..Require::default() },
        accept_paths: vec![UNSPECIFIED_PATH.to_owned()],
        ..SandboxConfig::default()
    };
    let sandbox = Sandbox::start(config)
        .map_err(|error| Failure::demo(format!("the sandbox did not start: {error}")))?;
    narrator.say(
        "It uses the strictest settings: every call must carry a signature, a bearer token and \
         the integration key.",
    );
    narrator.done(format!("listens on {}", sandbox.base_url()));
    Ok(sandbox)
}

fn register_key(
    narrator: &mut Narrator,
    sandbox: &Sandbox,
) -> Result<(GeneratedKey, String), Failure> {
    narrator.begin("Create an RSA key of 4096 bits, and register it");
    narrator.say(
        "The private key never leaves this process. The public key goes to the provider, here \
         the sandbox, which returns the key id (kid) that every signature names.",
    );
    let key =
        progress::while_working("creating the key, which may take a few seconds", generate_key)?;
    let kid = sandbox.register_pem(&key.public_key_pem).map_err(Failure::demo)?;
    narrator.tell("kid", &kid);
    narrator.done("key registered");
    Ok((key, kid))
}

fn get_token(narrator: &mut Narrator, client: &Client, sandbox: &Sandbox) -> Result<(), Failure> {
    narrator.begin("Get a bearer token");
    narrator.say(
        "One token serves every call until shortly before it expires: token servers block \
         clients that ask too often.",
    );
    let token = client.access_token(&client.context())?;
    let lifetime = token.expires_at.saturating_sub(token.obtained_at);
    expect("token requests", sandbox.token_requests(), 1)?;
    narrator.done(format!("valid for {} hours", (lifetime + 1) / 3600));
    Ok(())
}
