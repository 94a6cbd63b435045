//! Signers.
//!
//! A [`Signer`] holds a private key or has access to one: in an HSM, in a key
//! management service, or through a callback.

mod encrypted;
mod generate;
mod key_file;
mod key_refusal;
mod local;
#[cfg(feature = "pkcs11")]
mod pkcs11;
mod pkcs11_key;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use payments_transport::context::CallContext;

use crate::model::error::Error;
use crate::signing::jws::PublicKey;

pub use generate::{GeneratedKey, generate_key};
pub(crate) use key_file::read_key_file;
pub(crate) use key_refusal::is_signature_length;
pub(crate) use local::check_kid;
pub use local::{LocalSigner, PrivateKey};
pub(crate) use pkcs11_key::{KeyChoice, Pkcs11Key, TokenChoice};

/// Makes RS256 signatures (RSASSA-PKCS1-v1_5 with SHA-256).
pub trait Signer: Send + Sync {
    /// The key id that the provider assigned to the public key.
    fn kid(&self) -> &str;

    /// Returns the raw signature over `input`: 512 bytes for a 4096-bit key.
    /// Another length is refused before anything is sent; a smaller one is
    /// accepted only if it verifies with the public key, or with
    /// `allow_small_keys`.
    ///
    /// While waiting, it must ask `context` at least every 100 ms whether the
    /// call continues.
    ///
    /// # Errors
    /// The failure that prevented signing. The caller of the operation sees the
    /// text, so it must not contain secrets.
    fn sign(&self, context: &CallContext, input: &SigningInput<'_>)
    -> Result<Vec<u8>, SignerError>;

    /// The public key, if known. Signatures of an external signer are then
    /// verified before anything is sent.
    fn public_key(&self) -> Option<&PublicKey> {
        None
    }
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
        Ok(Arc::new(pkcs11::Pkcs11Signer::new(self.clone(), kid, configured, context)?))
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

/// The bytes to sign: encoded protected header, a period, the payload.
#[derive(Clone, Copy)]
pub struct SigningInput<'a>(&'a [u8]);

impl<'a> SigningInput<'a> {
    /// A signing input over `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// All bytes of the input.
    pub fn bytes(&self) -> &'a [u8] {
        self.0
    }

    /// The SHA-256 digest of the input, for services that limit the size of
    /// their input.
    pub fn sha256(&self) -> [u8; 32] {
        use sha2::Digest as _;
        sha2::Sha256::digest(self.0).into()
    }
}

impl fmt::Debug for SigningInput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningInput({} bytes)", self.0.len())
    }
}

/// Why a signer could not sign.
#[derive(Debug)]
pub struct SignerError {
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl SignerError {
    /// An error with a message for the caller of the operation.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }
}

impl fmt::Display for SignerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for SignerError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
