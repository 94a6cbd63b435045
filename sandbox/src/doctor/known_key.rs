//! Keys that a signature is examined with.

use payments_core::jws::PublicKey;
use rsa::pkcs8::DecodePublicKey as _;
use rsa::traits::PublicKeyParts as _;
use rsa::{BigUint, RsaPublicKey};

use super::block::Block;

/// A public key, and the kid it is registered for, if known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownKey {
    pub(super) key: PublicKey,
    pub(super) kid: Option<String>,
    /// Where it is from.
    source: Option<String>,
}

impl KnownKey {
    /// A key registered for `kid`.
    pub fn registered(key: PublicKey, kid: impl Into<String>) -> Self {
        Self { key, kid: Some(kid.into()), source: None }
    }

    /// A key that is not known to be registered, read from `file`.
    pub fn of_file(key: PublicKey, file: &str) -> Self {
        Self { key, kid: None, source: Some(file.to_owned()) }
    }

    /// The key in a message.
    pub(super) fn description(&self) -> String {
        let thumbprint = self.key.thumbprint();
        match (&self.kid, &self.source) {
            (Some(kid), _) => format!("the key registered for the kid {kid:?} ({thumbprint})"),
            (None, Some(file)) => format!("the key in {file:?} ({thumbprint})"),
            (None, None) => format!("the key {thumbprint}"),
        }
    }

    /// Whether this is a private key of the caller, which need not be registered.
    pub(super) fn is_own(&self) -> bool {
        self.source.is_some()
    }

    /// The block in `signature`, if this key made it. Costs one verification,
    /// however many payloads are compared with the block. Use it only to find
    /// candidates: [`PublicKey::verifies`] decides.
    pub(super) fn block(&self, signature: &[u8]) -> Option<Block> {
        let key = self.numbers()?;
        let signature_number = BigUint::from_bytes_be(signature);
        if signature.len() != key.size() || &signature_number >= key.n() {
            return None;
        }
        let number = signature_number.modpow(key.e(), key.n()).to_bytes_be();
        let zeros = vec![0; key.size() - number.len()];
        Block::read(&[zeros, number].concat())
    }

    fn numbers(&self) -> Option<RsaPublicKey> {
        RsaPublicKey::from_public_key_pem(&self.key.to_pem()).ok()
    }
}

impl From<PublicKey> for KnownKey {
    /// A key without a known kid.
    fn from(key: PublicKey) -> Self {
        Self { key, kid: None, source: None }
    }
}
