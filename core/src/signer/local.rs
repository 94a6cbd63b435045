//! Signing with a private key in this process's memory.

use std::fmt;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256};

use super::private_key::{Encoding, PrivateKey};
use super::{Signer, SignerError, SigningInput, key_refusal};
use crate::context::CallContext;
use crate::error::Error;
use crate::jws::PublicKey;

/// A kid is an identifier, and it travels in a header with every request.
const LONGEST_KID: usize = 256;

/// A parsed private key and the kid it signs as.
///
/// It must not be used in a process that was forked from the one that parsed
/// it; make a new one there with [`PrivateKey::signer`].
pub struct LocalSigner {
    kid: String,
    key_pair: KeyPair,
    public_key: PublicKey,
}

impl LocalSigner {
    /// Parses `key` into a signer that signs as `kid`.
    ///
    /// # Errors
    /// `config` if the kid is empty, longer than 256 bytes or holds control
    /// characters, or if the numbers of the key do not fit together.
    pub fn new(key: &PrivateKey, kid: &str) -> Result<Self, Error> {
        check_kid(kid)?;
        let key_pair = match key.der() {
            (der, Encoding::Pkcs8) => KeyPair::from_pkcs8(der),
            (der, Encoding::Pkcs1) => KeyPair::from_der(der),
        };
        let key_pair = key_pair.map_err(|_| key_refusal::damaged())?;
        let public_key = PublicKey::from_der(key_pair.public_key().as_ref())
            .map_err(|_| key_refusal::damaged())?;
        Ok(Self { kid: kid.to_owned(), key_pair, public_key })
    }

    /// The public key that belongs to the private key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public_key
    }
}

/// Checks that `kid` can stand in a protected header.
///
/// # Errors
/// `config` that says what is wrong with it.
pub fn check_kid(kid: &str) -> Result<(), Error> {
    let refused = |code, message: &str| Err(Error::config("kid", code, message));
    if kid.is_empty() {
        refused("kid_empty", "the kid is empty; give the key id that the provider assigned")
    } else if kid.len() > LONGEST_KID {
        refused("kid_too_long", "the kid is longer than 256 bytes; give the key id, not the key")
    } else if kid.chars().any(char::is_control) {
        refused(
            "kid_control_character",
            "the kid holds a control character; look for a line end that was copied with it",
        )
    } else {
        Ok(())
    }
}

impl Signer for LocalSigner {
    fn kid(&self) -> &str {
        &self.kid
    }

    fn sign(
        &self,
        _context: &CallContext,
        input: &SigningInput<'_>,
    ) -> Result<Vec<u8>, SignerError> {
        let mut signature = vec![0; self.key_pair.public_modulus_len()];
        self.key_pair
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), input.bytes(), &mut signature)
            .map_err(|_| SignerError::new("the private key could not make a signature"))?;
        Ok(signature)
    }

    fn public_key(&self) -> Option<&PublicKey> {
        Some(&self.public_key)
    }
}

impl fmt::Debug for LocalSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalSigner")
            .field("kid", &self.kid)
            .field("public_key", &self.public_key)
            .finish_non_exhaustive()
    }
}
