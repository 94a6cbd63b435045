//! The files that an earlier sandbox wrote for its client.

use std::path::Path;

use payments_base::invisible::without_mark;
use payments_core::ErrorCode;
use payments_core::json::{Json, Members};
use payments_core::jws::PublicKey;
use payments_core::signer::PrivateKey;
use payments_sandbox::{Sandbox, SandboxConfig};

use super::{CLIENT_SECRET, CONFIGURATION, INTEGRATION_KEY};
use crate::args::tool::SandboxArgs;
use crate::process::failure::Failure;
use crate::process::input;

/// Where a sandbox listens.
const LOOPBACK: &str = "http://127.0.0.1:";

/// The files of an earlier sandbox's client.
pub(crate) struct EarlierClient {
    configuration: Members,
    port: u16,
    kid: String,
    key_file: String,
}

impl EarlierClient {
    /// Reads the configuration in `folder`. `None` if there is none.
    ///
    /// # Errors
    /// `exists` if it is not that of a sandbox, or if the arguments ask for a
    /// port or key other than its own.
    pub(crate) fn read(folder: &Path, args: &SandboxArgs) -> Result<Option<Self>, Failure> {
        let path = folder.join(CONFIGURATION);
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let conflict = |what: &str| {
            let message = format!("{path:?} exists and {what}, or name another folder");
            Failure::usage(ErrorCode::EXISTS, message)
        };
        let earlier = Json::parse(without_mark(&input::read_file(&path)?)).ok().and_then(Self::of);
        let Some(earlier) = earlier else {
            return Err(conflict("is not the configuration of a sandbox: move it away"));
        };
        if args.port != 0 && args.port != earlier.port {
            let port = earlier.port;
            return Err(conflict(&format!("is for the port {port}: give --port {port} or none")));
        }
        if args.kid.as_ref().is_some_and(|kid| *kid != earlier.kid) {
            return Err(conflict("has another kid: give no --kid"));
        }
        let is_same = |file: &String| {
            std::path::absolute(file).ok() == std::path::absolute(&earlier.key_file).ok()
        };
        if args.key_file.as_ref().is_some_and(|file| !is_same(file)) {
            return Err(conflict("names another private key: give no --key-file"));
        }
        Ok(Some(earlier))
    }

    fn of(configuration: Json) -> Option<Self> {
        let text = |name: &str| configuration.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(Self {
            port: text("base_url")?.strip_prefix(LOOPBACK)?.parse().ok()?,
            kid: text("kid")?,
            key_file: text("key_file")?,
            configuration: configuration.as_object()?.clone(),
        })
    }

    /// Gives a sandbox the port, the client and the secrets of the earlier one.
    ///
    /// # Errors
    /// A file of a secret cannot be read.
    pub(crate) fn apply(&self, config: &mut SandboxConfig) -> Result<(), Failure> {
        let text = |name: &str| self.configuration.get(name).and_then(Json::as_str);
        config.port = self.port;
        for (name, value) in [
            ("client_id", &mut config.client_id),
            (INTEGRATION_KEY, &mut config.integration_key),
            (CLIENT_SECRET, &mut config.client_secret),
        ] {
            match (text(name), text(&format!("{name}_file"))) {
                (Some(given), _) => given.clone_into(value),
                (None, Some(file)) => *value = input::text(&format!("@{file}"))?,
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// Registers the earlier key, or the given public one, and returns the
    /// configuration.
    ///
    /// # Errors
    /// The key cannot be read.
    pub(crate) fn register(
        self,
        sandbox: &Sandbox,
        public_key: Option<PublicKey>,
    ) -> Result<Members, Failure> {
        let key = match public_key {
            Some(key) => key,
            None => {
                let private = PrivateKey::from_file(Path::new(&self.key_file), None, true)?;
                private.signer(&self.kid)?.public_key().clone()
            }
        };
        sandbox.register_key_as(&key, &self.kid);
        Ok(self.configuration)
    }
}
