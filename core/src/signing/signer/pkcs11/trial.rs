//! Finds the way in which a key signs: by one signature, which is verified.

use std::sync::Arc;

use cryptoki::context::Function;
use cryptoki::error::{Error as CryptokiError, RvError};
use payments_base::process::lock;
use payments_transport::context::CallContext;
use sha2::{Digest as _, Sha256};

use super::module::Trials;
use super::pool::{SessionPool, SignFailure};
use super::refusal::Attempt;
use super::session::is_lost;
use super::{KeyChoice, Way, refusal};
use crate::model::error::{Error, messages};
use crate::signing::jws::PublicKey;
use crate::signing::signer::SigningInput;

/// The text that a key signs when it is tried. It cannot be a request: it has
/// no period, and a signing input has one behind its header.
const INPUT: &[u8] = b"libpayments tries whether this key signs; this is not a request";

/// A key to be tried.
pub(super) struct Candidate<'a> {
    pub(super) choice: &'a KeyChoice,
    /// Tells the key from all others of its module.
    pub(super) digest: [u8; 32],
    /// The ways that may work, the preferred one first.
    pub(super) ways: &'a [Way],
    /// The configured public key.
    pub(super) configured: Option<&'a PublicKey>,
    /// The public key, if the token reveals it.
    pub(super) revealed: Option<&'a PublicKey>,
    pub(super) allow_small_keys: bool,
}

/// The way in which the key signs, and its public key if the token reveals it.
pub(super) fn examine(
    pool: &SessionPool,
    configured: Option<&PublicKey>,
    context: &CallContext,
) -> Result<(Way, Option<PublicKey>), Error> {
    let session = pool.get(context)?;
    let (examined, ways) = pool.opener.examine(&session.session)?;
    let module = Arc::clone(session.session.module());
    session.give_back();
    let candidate = Candidate {
        choice: &pool.opener.key.key,
        digest: examined.digest,
        ways: &ways,
        configured,
        revealed: examined.public_key.as_ref(),
        allow_small_keys: pool.opener.key.allow_small_keys,
    };
    let way = module.trials.way(&candidate, pool, context)?;
    Ok((way, examined.public_key))
}

impl Trials {
    /// The way in which the key signs. Once it is known, nothing is signed.
    ///
    /// # Errors
    /// `config` if no way works.
    pub(super) fn way(
        &self,
        candidate: &Candidate<'_>,
        pool: &SessionPool,
        context: &CallContext,
    ) -> Result<Way, Error> {
        let permit = self.running.acquire(1, context);
        let _permit = permit.map_err(|ended| context.stopped(ended))?;
        let name = candidate.name();
        if let Some(way) = lock(&self.found).get(&name) {
            return Ok(*way);
        }
        let mut attempts: Vec<Attempt> = Vec::new();
        for &way in candidate.ways {
            match pool.sign(context, way, &SigningInput::new(INPUT)) {
                Ok(signature) if candidate.is_good(&signature) => {
                    lock(&self.found).insert(name, way);
                    return Ok(way);
                }
                Ok(signature) => attempts.push((way, Ok(signature))),
                Err(SignFailure::Refused(error)) => attempts.push((way, Err(error))),
                Err(SignFailure::NoSession(failure)) => return Err(failure.into()),
            }
        }
        Err(candidate.refusal(&attempts))
    }
}

impl Candidate<'_> {
    /// Identifies the trial: the key, and how its signature was verified.
    fn name(&self) -> [u8; 32] {
        let of_any_size = if self.allow_small_keys { "any" } else { "" };
        let verified_with = self.public_key().map_or(of_any_size, PublicKey::thumbprint);
        Sha256::new().chain_update(self.digest).chain_update(verified_with).finalize().into()
    }

    /// The key that verifies the signatures of requests.
    fn public_key(&self) -> Option<&PublicKey> {
        self.configured.or(self.revealed)
    }

    fn is_good(&self, signature: &[u8]) -> bool {
        self.is_by(self.public_key(), signature)
    }

    /// Whether `key` verifies the signature; without a key, whether it has the
    /// length of one.
    fn is_by(&self, key: Option<&PublicKey>, signature: &[u8]) -> bool {
        match key {
            Some(key) => key.verifies(INPUT, signature),
            None => self.refused_size(signature).is_none(),
        }
    }

    /// The size of a hidden key is that of its signatures.
    fn refused_size(&self, signature: &[u8]) -> Option<Error> {
        refusal::refused_size(self.choice, signature.len() * 8, self.allow_small_keys)
    }

    fn refusal(&self, attempts: &[Attempt]) -> Error {
        let errors: Vec<_> = attempts.iter().filter_map(|(_, it)| it.as_ref().err()).collect();
        let mut signatures = attempts.iter().filter_map(|(_, it)| it.as_ref().ok());
        if self.public_key().is_none() {
            if let Some(refused) = signatures.find_map(|it| self.refused_size(it)) {
                return refused;
            }
        } else if self.configured.is_some() && signatures.any(|it| self.is_by(self.revealed, it)) {
            return refusal::public_key_of_another();
        }
        // The attribute that says so may be hidden.
        if errors.iter().any(|error| asks_for_login(error)) {
            return messages::pkcs11_key_asks_each_time(refusal::member(self.choice));
        }
        match errors[..] {
            [.., error]
                if errors.len() == attempts.len() && errors.iter().all(|it| is_lost(it)) =>
            {
                refusal::call(error)
            }
            _ => refusal::trial(self.choice, attempts),
        }
    }
}

/// Whether a usable key asks for its own login.
fn asks_for_login(error: &CryptokiError) -> bool {
    matches!(error, CryptokiError::Pkcs11(RvError::UserNotLoggedIn, Function::Sign))
}
