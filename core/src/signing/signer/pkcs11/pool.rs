//! The sessions of one signer in one process.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cryptoki::error::Error as CryptokiError;
use cryptoki::mechanism::Mechanism;

use super::session::{OpenSession, Opener};
use super::{Way, refusal};
use crate::base::process::{Owned, lock};
use crate::call::context::{CallContext, Ended};
use crate::call::waiters::Waiters;
use crate::model::error::Error;
use crate::signing::jws::PublicKey;
use crate::signing::signer::SignerError;

/// How long to wait before asking again when the token has no sessions left.
const SESSION_POLL: Duration = Duration::from_millis(10);

/// Opens sessions when needed, up to a limit, and keeps them. One thread uses a
/// session at a time; others wait until one is returned.
pub(super) struct SessionPool {
    opener: Arc<Opener>,
    state: Mutex<PooledSessions>,
    freed: Waiters,
}

#[derive(Default)]
struct PooledSessions {
    idle: Vec<OpenSession>,
    /// The number of sessions, idle or in use.
    open: usize,
}

/// Why no session is available.
pub(super) enum SessionFailure {
    /// The call ended while waiting.
    Ended,
    /// The token has no sessions left for any program.
    NoSession,
    /// Any other failure.
    Refused(Error),
}

/// A session in use. It is closed unless it is given back.
pub(super) struct Leased<'a> {
    session: OpenSession,
    place: Owned<Permit<'a>>,
}

/// The right to one of the pool's sessions.
struct Permit<'a>(&'a SessionPool);

impl SessionPool {
    pub(super) fn new(opener: Arc<Opener>) -> Self {
        Self { opener, state: Mutex::default(), freed: Waiters::default() }
    }

    /// Waits for a session.
    pub(super) fn lease(&self, context: &CallContext) -> Result<Leased<'_>, SessionFailure> {
        loop {
            if context.ended().is_some() {
                return Err(SessionFailure::Ended);
            }
            let seen = self.freed.seen();
            let Some((place, idle)) = self.take() else {
                self.freed.wait(seen, context, context.wait_slice());
                continue;
            };
            let opened = match idle {
                Some(session) if session.is_current() => Ok(session),
                Some(session) => {
                    session.discard();
                    continue;
                }
                None => self.opener.open(context),
            };
            match opened {
                Ok(session) => {
                    let leased = Leased { session, place };
                    match context.ended() {
                        None => return Ok(leased),
                        Some(Ended::Forked) => {}
                        // Opening took too long for this call; the next one can
                        // use the session.
                        Some(_) => leased.give_back(),
                    }
                    return Err(SessionFailure::Ended);
                }
                // Sessions of this pool that are in use will be returned.
                Err(SessionFailure::NoSession) if lock(&self.state).open > 1 => {
                    drop(place);
                    context.sleep(SESSION_POLL).map_err(|_| SessionFailure::Ended)?;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Takes an idle session, or the right to open one.
    fn take(&self) -> Option<(Owned<Permit<'_>>, Option<OpenSession>)> {
        let mut state = lock(&self.state);
        if let Some(session) = state.idle.pop() {
            return Some((Owned::new(Permit(self)), Some(session)));
        }
        if state.open >= self.opener.most() {
            return None;
        }
        state.open += 1;
        Some((Owned::new(Permit(self)), None))
    }
}

impl Drop for SessionPool {
    /// A child that never used the pool drops its parent's sessions here.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.idle.drain(..).for_each(OpenSession::discard);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).open -= 1;
        self.0.freed.wake();
    }
}

impl Leased<'_> {
    /// How the key signs, and its public key.
    pub(super) fn examine(&self) -> Result<(Way, Option<PublicKey>), Error> {
        self.place.0.opener.examine(&self.session)
    }

    pub(super) fn sign(
        &self,
        mechanism: &Mechanism<'_>,
        message: &[u8],
    ) -> Result<Vec<u8>, CryptokiError> {
        self.session.sign(mechanism, message)
    }

    /// Returns the session to the pool.
    pub(super) fn give_back(self) {
        let Self { session, place } = self;
        let pool = place.0;
        lock(&pool.state).idle.push(session);
        // The session keeps its place in the pool.
        std::mem::forget(place);
        pool.freed.wake();
    }

    /// Closes the session and all idle ones, which are probably lost too.
    pub(super) fn lose(self, error: &CryptokiError) {
        let Self { session, place } = self;
        let pool = place.0;
        let idle = std::mem::take(&mut lock(&pool.state).idle);
        for session in idle {
            session.discard_beside(error);
            drop(Permit(pool));
        }
        session.discard_after(error);
    }
}

impl SessionFailure {
    /// Converts to the error for creating a client.
    pub(super) fn into_config(self, context: &CallContext) -> Error {
        match self {
            Self::Ended => match context.check() {
                Err(error) => error,
                Ok(()) => refusal::no_session(),
            },
            Self::NoSession => refusal::no_session(),
            Self::Refused(error) => error,
        }
    }

    /// Converts to the error for a call. If the call ended, its context reports
    /// that.
    pub(super) fn into_signer_error(self) -> SignerError {
        match self {
            Self::Ended => SignerError::new("the call ended before a session was free"),
            Self::NoSession => SignerError::new(refusal::no_session().message()),
            Self::Refused(error) => SignerError::new(error.message()),
        }
    }
}

impl From<Error> for SessionFailure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}
