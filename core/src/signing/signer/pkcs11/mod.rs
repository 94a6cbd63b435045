//! Signs with a key in an HSM, through PKCS#11.
//!
//! PKCS#11 has state per process, and so does this module: a library is loaded and
//! initialized once (`module`), and a login applies to all sessions with a token. Each
//! signer has a pool of sessions (`pool`), whose size limits how many signatures are made
//! at once. Attributes and mechanism lists do not decide whether a key signs: a process
//! tries each key once (`trial`). After a fork, the child initializes the library again,
//! opens its own sessions, and leaves those of its parent alone.
//!
//! A call into the library cannot be interrupted. The context of a call is
//! checked between the steps of opening a session, before each signature, and
//! while waiting for a session or another thread's login. Timeouts inside the
//! library are set in its own configuration.

mod key;
mod login;
mod module;
mod pool;
mod refusal;
mod session;
mod trial;

use std::borrow::Cow;
use std::sync::Arc;

use cryptoki::mechanism::{Mechanism, MechanismType};
use payments_base::debug_shows;
use payments_base::process::PerProcess;
use payments_transport::context::CallContext;

use self::pool::{SessionPool, SignFailure};
use self::session::Opener;
use super::{KeyChoice, Pkcs11Key, Signer, SignerError, SigningInput, TokenChoice};
use crate::model::error::Error;
use crate::signing::jws::PublicKey;

/// The DER of DigestInfo before the digest, for SHA-256 (RFC 8017, 9.2).
const DIGEST_INFO_SHA256: [u8; 19] = [
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05,
    0x00, 0x04, 0x20,
];

/// How a token makes an RS256 signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// The token hashes, pads and signs.
    Sha256RsaPkcs,
    /// The token pads and signs; the hash is computed here.
    RsaPkcs,
}

/// A label without the padding that some tokens and tools leave at its end.
fn unpadded(label: &str) -> &str {
    label.trim_end_matches([' ', '\0'])
}

/// Signs with a key in a PKCS#11 token.
pub(crate) struct Pkcs11Signer {
    kid: String,
    way: Way,
    public_key: Option<PublicKey>,
    pool: PerProcess<SessionPool>,
}

impl Pkcs11Signer {
    /// Loads the library, logs in, then finds, examines and tries the key.
    /// `configured` is the public key of the configuration.
    ///
    /// # Errors
    /// `config`, which names the member, the finding and the expectation.
    pub(crate) fn new(
        key: Pkcs11Key,
        kid: &str,
        configured: Option<&PublicKey>,
        context: &CallContext,
    ) -> Result<Self, Error> {
        let opener = Arc::new(Opener::new(key)?);
        let pool = SessionPool::new(Arc::clone(&opener));
        let (way, public_key) = trial::examine(&pool, configured, context)?;
        let pool = PerProcess::new(pool, move |_| SessionPool::new(Arc::clone(&opener)));
        Ok(Self { kid: kid.to_owned(), way, public_key, pool })
    }
}

impl Way {
    /// All ways, the preferred one first.
    const ALL: [Self; 2] = [Self::Sha256RsaPkcs, Self::RsaPkcs];

    fn mechanism(self) -> Mechanism<'static> {
        match self {
            Self::Sha256RsaPkcs => Mechanism::Sha256RsaPkcs,
            Self::RsaPkcs => Mechanism::RsaPkcs,
        }
    }

    fn mechanism_type(self) -> MechanismType {
        self.mechanism().mechanism_type()
    }

    /// The bytes that the token signs.
    fn message<'a>(self, input: &SigningInput<'a>) -> Cow<'a, [u8]> {
        match self {
            Self::Sha256RsaPkcs => input.bytes().into(),
            Self::RsaPkcs => [&DIGEST_INFO_SHA256[..], &input.sha256()[..]].concat().into(),
        }
    }
}

impl Signer for Pkcs11Signer {
    fn kid(&self) -> &str {
        &self.kid
    }

    fn sign(
        &self,
        context: &CallContext,
        input: &SigningInput<'_>,
    ) -> Result<Vec<u8>, SignerError> {
        let signature = self.pool.get().sign(context, self.way, input);
        signature.map_err(SignFailure::into_signer_error)
    }

    fn public_key(&self) -> Option<&PublicKey> {
        self.public_key.as_ref()
    }
}

debug_shows!(Pkcs11Signer, |it| kid = it.kid, public_key = it.public_key);
