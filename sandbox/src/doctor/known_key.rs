//! Keys that a signature is examined with.

use payments_core::jws::PublicKey;
use rsa::pkcs8::DecodePublicKey as _;
use rsa::traits::PublicKeyParts as _;
use rsa::{BigUint, Pkcs1v15Sign, Pss, RsaPublicKey};
use sha2::{Digest as _, Sha256};

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

    /// Whether `signature` is a PS256 signature of this key over
    /// `signing_input`, with a salt as long as the digest or of the maximum
    /// length.
    pub(super) fn verifies_pss(&self, signing_input: &[u8], signature: &[u8]) -> bool {
        let Some(key) = self.numbers() else { return false };
        let digest = Sha256::digest(signing_input);
        let longest_salt = key.size() - digest.len() - 2;
        [digest.len(), longest_salt]
            .into_iter()
            .any(|salt| key.verify(Pss::new_with_salt::<Sha256>(salt), &digest, signature).is_ok())
    }

    /// The SHA-256 digest in `signature`, if this key made it as RS256. Costs
    /// one verification, however many payloads are compared with the result.
    /// Use it only to find candidates: [`PublicKey::verifies`] decides.
    pub(super) fn signed_digest(&self, signature: &[u8]) -> Option<[u8; 32]> {
        let key = self.numbers()?;
        let signature_number = BigUint::from_bytes_be(signature);
        if signature.len() != key.size() || &signature_number >= key.n() {
            return None;
        }
        let opened = signature_number.modpow(key.e(), key.n()).to_bytes_be();
        // The padding starts with 00 01; the number has no leading zero.
        let (padding, digest) = opened.split_last_chunk::<32>()?;
        let padding = padding.strip_suffix(&*Pkcs1v15Sign::new::<Sha256>().prefix)?;
        let (first, filling) = padding.strip_suffix(&[0])?.split_first()?;
        let padded = *first == 1
            && opened.len() == key.size() - 1
            && filling.iter().all(|&byte| byte == 0xff);
        padded.then_some(*digest)
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
