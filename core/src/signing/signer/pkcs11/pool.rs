//! The sessions of one signer in one process.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use payments_base::process::{ForkGuard, lock};
use payments_transport::context::{CallContext, Ended};
use payments_transport::inside::{Permit, Semaphore};

use super::session::{self, OpenSession, Opener, SessionFailure};
use super::{Way, refusal};
use crate::model::error::Error;
use crate::signing::signer::{SignerError, SigningInput};
use cryptoki::error::Error as CryptokiError;

/// How long to wait before asking again when the token has no sessions left.
const SESSION_POLL: Duration = Duration::from_millis(10);

/// Opens sessions when needed, up to a limit, and keeps them. One thread uses a
/// session at a time; others wait until one is returned.
pub(super) struct SessionPool {
    pub(super) opener: Arc<Opener>,
    /// One permit for each session in use.
    in_use: Semaphore,
    idle: Mutex<Vec<OpenSession>>,
}

/// Why there is no signature.
pub(super) enum SignFailure {
    NoSession(SessionFailure),
    /// The module's error.
    Refused(CryptokiError),
}

/// A session in use. It is closed unless it is given back.
pub(super) struct PooledSession<'a> {
    pool: &'a SessionPool,
    pub(super) session: OpenSession,
    /// Released last.
    _permit: ForkGuard<Permit>,
}

impl SessionPool {
    pub(super) fn new(opener: Arc<Opener>) -> Self {
        Self { opener, in_use: Semaphore::default(), idle: Mutex::default() }
    }

    /// Signs. A session that is lost, or that lost its login, is replaced once:
    /// making a signature twice does no harm.
    pub(super) fn sign(
        &self,
        context: &CallContext,
        way: Way,
        input: &SigningInput<'_>,
    ) -> Result<Vec<u8>, SignFailure> {
        let (mechanism, message) = (way.mechanism(), way.message(input));
        let mut may_replace = true;
        loop {
            let session = self.get(context).map_err(SignFailure::NoSession)?;
            match session.session.sign(&mechanism, &message) {
                Err(error) if session::is_lost(&error) => {
                    session.lose(&error);
                    if !std::mem::take(&mut may_replace) {
                        return Err(SignFailure::Refused(error));
                    }
                }
                result => {
                    session.give_back();
                    return result.map_err(SignFailure::Refused);
                }
            }
        }
    }

    /// Waits for a session.
    pub(super) fn get(&self, context: &CallContext) -> Result<PooledSession<'_>, SessionFailure> {
        loop {
            let permit = self
                .in_use
                .acquire(self.opener.most(), context)
                .map_err(|ended| context.stopped(ended))?;
            match self.take_or_open(context) {
                Ok(session) => {
                    let pooled = PooledSession { pool: self, session, _permit: permit };
                    let Some(ended) = context.ended() else { return Ok(pooled) };
                    if ended != Ended::Forked {
                        // Opening took too long for this call; the next one can
                        // use the session.
                        pooled.give_back();
                    }
                    return Err(context.stopped(ended).into());
                }
                // Sessions of this pool that are in use will be returned.
                Err(SessionFailure::NoSession)
                    if self.in_use.held() > 1 || !lock(&self.idle).is_empty() =>
                {
                    drop(permit);
                    context.sleep(SESSION_POLL)?;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Takes an idle session, or opens one.
    fn take_or_open(&self, context: &CallContext) -> Result<OpenSession, SessionFailure> {
        loop {
            let idle = lock(&self.idle).pop();
            match idle {
                Some(session) if session.is_current() => return Ok(session),
                Some(session) => session.discard(),
                None => return self.opener.open(context),
            }
        }
    }
}

impl Drop for SessionPool {
    /// A child that never used the pool drops its parent's sessions here.
    fn drop(&mut self) {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        idle.drain(..).for_each(OpenSession::discard);
    }
}

impl PooledSession<'_> {
    /// Returns the session to the pool.
    pub(super) fn give_back(self) {
        let Self { pool, session, _permit } = self;
        lock(&pool.idle).push(session);
    }

    /// Closes the session and all idle ones, which are probably lost too.
    pub(super) fn lose(self, error: &CryptokiError) {
        let Self { pool, session, _permit } = self;
        let idle = std::mem::take(&mut *lock(&pool.idle));
        idle.into_iter().for_each(|session| session.discard_beside(error));
        session.discard_after(error);
    }
}

impl SignFailure {
    /// Converts to the error for a call. If the call ended, its context reports
    /// that.
    pub(super) fn into_signer_error(self) -> SignerError {
        match self {
            Self::NoSession(failure) => SignerError::new(Error::from(failure).message()),
            Self::Refused(error) => refusal::signing(&error),
        }
    }
}
