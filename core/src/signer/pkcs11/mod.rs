//! Signing with a key that never leaves its HSM, by PKCS#11.
//!
//! What PKCS#11 keeps for a whole process is kept here for a whole process:
//! a module is loaded and initialized once (`module`), and a login counts for
//! every session with that token. Each signer has a pool of sessions (`pool`)
//! whose number bounds how many signatures are made at once. All of it belongs
//! to one process: a forked child initializes the module anew, opens sessions
//! of its own, and leaves those of its parent alone.
//!
//! A call into the module cannot be interrupted. The context of a call is
//! asked between the steps of opening a session, before each signature, and in
//! every wait for a session or for the login of another thread; how long the
//! module itself may take is a setting of the module.

mod key;
mod module;
mod pool;
mod refusal;
mod session;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use cryptoki::mechanism::Mechanism;

use self::pool::Pool;
use self::session::Opener;
use super::{Signer, SignerError, SigningInput};
use crate::context::CallContext;
use crate::debug::debug_shows;
use crate::error::Error;
use crate::jws::{DIGEST_INFO_SHA256, PublicKey};
use crate::process::PerProcess;
use crate::secret::Secret;

/// Which key of which token signs, and how the token is reached.
#[derive(Clone)]
pub(crate) struct Pkcs11Key {
    pub(crate) module: PathBuf,
    pub(crate) token: TokenChoice,
    pub(crate) key: KeyChoice,
    pub(crate) pin: Option<Secret>,
    /// The member by which the PIN is given.
    pub(crate) pin_member: &'static str,
    /// How many sessions a process has at most.
    pub(crate) sessions: usize,
    pub(crate) allow_small_keys: bool,
}

/// A token, as it is named in the configuration.
#[derive(Clone, Debug)]
pub(crate) enum TokenChoice {
    Label(String),
    Slot(u64),
}

/// A key, as it is named in the configuration: by one of the two or by both.
#[derive(Clone, Debug)]
pub(crate) struct KeyChoice {
    pub(crate) label: Option<String>,
    pub(crate) id: Option<Vec<u8>>,
}

/// How a token makes an RS256 signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// It hashes, pads and signs.
    Sha256RsaPkcs,
    /// It pads and signs; the hash is made here.
    RsaPkcs,
}

/// Signs with a key in a PKCS#11 token.
pub(crate) struct Pkcs11Signer {
    kid: String,
    way: Way,
    public_key: Option<PublicKey>,
    pool: PerProcess<Pool>,
}

impl Pkcs11Signer {
    /// Loads the module, logs in, finds the key and looks at it.
    ///
    /// # Errors
    /// `config` that names the member, what was found and what is wanted.
    pub(crate) fn new(key: Pkcs11Key, kid: &str, context: &CallContext) -> Result<Self, Error> {
        let opener = Arc::new(Opener::new(key)?);
        let pool = Pool::new(Arc::clone(&opener));
        let session = pool.lease(context).map_err(|failure| failure.into_config(context))?;
        let (way, public_key) = session.examine()?;
        session.give_back();
        let pool = PerProcess::new(pool, move |_| Pool::new(Arc::clone(&opener)));
        Ok(Self { kid: kid.to_owned(), way, public_key, pool })
    }
}

impl Way {
    fn mechanism(self) -> Mechanism<'static> {
        match self {
            Self::Sha256RsaPkcs => Mechanism::Sha256RsaPkcs,
            Self::RsaPkcs => Mechanism::RsaPkcs,
        }
    }

    /// What the token is given to sign.
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

    /// A session that was lost, or whose login was, is replaced by a fresh one
    /// once: a signature that is made twice harms nobody.
    fn sign(
        &self,
        context: &CallContext,
        input: &SigningInput<'_>,
    ) -> Result<Vec<u8>, SignerError> {
        let pool = self.pool.get();
        let (mechanism, message) = (self.way.mechanism(), self.way.message(input));
        let failed = |failure: pool::Failure| failure.into_signer_error();
        let session = pool.lease(context).map_err(failed)?;
        match session.sign(&mechanism, &message) {
            Ok(signature) => {
                session.give_back();
                return Ok(signature);
            }
            Err(error) if session::is_lost(&error) => session.lose(&error),
            Err(error) => return Err(refusal::signing(&error)),
        }
        let session = pool.lease(context).map_err(failed)?;
        let signature =
            session.sign(&mechanism, &message).map_err(|error| refusal::signing(&error))?;
        session.give_back();
        Ok(signature)
    }

    fn public_key(&self) -> Option<&PublicKey> {
        self.public_key.as_ref()
    }
}

debug_shows!(Pkcs11Signer, |it| kid = it.kid, public_key = it.public_key);
