//! Signs with a private key in memory.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256};
use payments_base::debug_shows;
use payments_base::invisible::BYTE_ORDER_MARK;

use super::private_key::PrivateKey;
use super::{Signer, SignerError, SigningInput};
use crate::call::context::CallContext;
use crate::model::error::{Error, messages};
use crate::signing::jws::PublicKey;

/// A kid is an identifier, sent in a header with every request.
const LONGEST_KID: usize = 256;

/// A private key, and the kid to sign as.
pub struct LocalSigner {
    kid: String,
    key: PrivateKey,
    public_key: PublicKey,
}

impl LocalSigner {
    /// A signer for `kid` with `key`.
    ///
    /// # Errors
    /// `config` if the kid is empty, longer than 256 bytes or contains control
    /// characters.
    pub fn new(key: &PrivateKey, kid: &str) -> Result<Self, Error> {
        check_kid(kid)?;
        let damaged = messages::key_damaged;
        let parsed = key.parsed();
        let key_pair = parsed.as_ref().as_ref().ok_or_else(damaged)?;
        let public_key =
            PublicKey::from_der(key_pair.public_key().as_ref()).map_err(|_| damaged())?;
        Ok(Self { kid: kid.to_owned(), key: key.clone(), public_key })
    }

    /// The public key that belongs to the private key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public_key
    }
}

/// Checks that `kid` is valid in a protected header.
///
/// # Errors
/// `config`, which names the mistake.
pub(crate) fn check_kid(kid: &str) -> Result<(), Error> {
    if kid.is_empty() {
        Err(messages::kid_empty())
    } else if kid.len() > LONGEST_KID {
        Err(messages::kid_too_long())
    } else if kid.chars().any(|c| c.is_control() || c == BYTE_ORDER_MARK) {
        Err(messages::kid_control_character())
    } else {
        Ok(())
    }
}

impl PrivateKey {
    /// A signer for `kid` with this key.
    ///
    /// # Errors
    /// `config` if the kid cannot be used.
    pub fn signer(&self, kid: &str) -> Result<LocalSigner, Error> {
        LocalSigner::new(self, kid)
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
        let failed = || SignerError::new("could not sign with the private key");
        let parsed = self.key.parsed();
        let key_pair = parsed.as_ref().as_ref().ok_or_else(failed)?;
        let mut signature = vec![0; key_pair.public_modulus_len()];
        key_pair
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), input.bytes(), &mut signature)
            .map_err(|_| failed())?;
        Ok(signature)
    }

    fn public_key(&self) -> Option<&PublicKey> {
        Some(&self.public_key)
    }
}

debug_shows!(LocalSigner, |it| kid = it.kid, public_key = it.public_key);
