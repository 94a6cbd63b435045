//! A key in an HSM, as the configuration describes it.

#![cfg_attr(not(feature = "pkcs11"), allow(dead_code, reason = "nothing reaches the key"))]

use std::path::PathBuf;
use std::sync::Arc;

use payments_base::secret::Secret;

use super::Signer;
use crate::call::context::CallContext;
use crate::model::error::Error;
use crate::signing::jws::PublicKey;

/// Identifies the signing key and its token, and how to reach the token.
#[derive(Clone)]
pub(crate) struct Pkcs11Key {
    pub(crate) module: PathBuf,
    pub(crate) token: TokenChoice,
    pub(crate) key: KeyChoice,
    pub(crate) pin: Option<Secret>,
    /// The configuration member that contains the PIN.
    pub(crate) pin_member: String,
    /// The maximum number of sessions per process.
    pub(crate) sessions: usize,
    pub(crate) allow_small_keys: bool,
}

/// A token as identified by the configuration.
#[derive(Clone, Debug)]
pub(crate) enum TokenChoice {
    Label(String),
    Slot(u64),
}

/// A key as identified by the configuration: by label, by id, or by both.
#[derive(Clone, Debug)]
pub(crate) struct KeyChoice {
    pub(crate) label: Option<String>,
    pub(crate) id: Option<Vec<u8>>,
}

impl Pkcs11Key {
    /// Logs in, and finds and tries the key. `configured` is the public key of
    /// the configuration.
    ///
    /// # Errors
    /// `config`, which names the member, the finding and the expectation.
    #[cfg(feature = "pkcs11")]
    pub(crate) fn signer(
        &self,
        kid: &str,
        configured: Option<&PublicKey>,
        context: &CallContext,
    ) -> Result<Arc<dyn Signer>, Error> {
        Ok(Arc::new(super::pkcs11::Pkcs11Signer::new(self.clone(), kid, configured, context)?))
    }

    #[cfg(not(feature = "pkcs11"))]
    pub(crate) fn signer(
        &self,
        _: &str,
        _: Option<&PublicKey>,
        _: &CallContext,
    ) -> Result<Arc<dyn Signer>, Error> {
        Err(Error::not_in_this_build("pkcs11_module", "pkcs11"))
    }
}
