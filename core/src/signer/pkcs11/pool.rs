//! The sessions of one signer in one process.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cryptoki::error::Error as CryptokiError;
use cryptoki::mechanism::Mechanism;

use super::session::{OpenSession, Opener};
use super::{Way, refusal};
use crate::context::CallContext;
use crate::error::Error;
use crate::jws::PublicKey;
use crate::process::lock;
use crate::signer::SignerError;
use crate::waiters::Waiters;

/// How long to wait before asking a token again that had no session left.
const SESSION_POLL: Duration = Duration::from_millis(10);

/// Sessions are opened when they are needed, up to a limit, and kept. One
/// thread uses a session at a time; the others wait for one to come back.
pub(super) struct Pool {
    opener: Arc<Opener>,
    state: Mutex<State>,
    freed: Waiters,
}

#[derive(Default)]
struct State {
    idle: Vec<OpenSession>,
    /// Idle ones and those in use.
    open: usize,
}

/// Why there is no session.
pub(super) enum Failure {
    /// The call ended before there was one.
    Ended,
    /// The token has none left, for any program.
    NoSession,
    /// Something else is wrong.
    Refused(Error),
}

/// A session in use. Unless it is given back, it is closed.
pub(super) struct Leased<'a> {
    session: OpenSession,
    place: Permit<'a>,
}

/// The right to one of the pool's sessions.
struct Permit<'a>(&'a Pool);

impl Pool {
    pub(super) fn new(opener: Arc<Opener>) -> Self {
        Self { opener, state: Mutex::default(), freed: Waiters::default() }
    }

    /// A session, as soon as there is one.
    pub(super) fn lease(&self, context: &CallContext) -> Result<Leased<'_>, Failure> {
        loop {
            if context.ended().is_some() {
                return Err(Failure::Ended);
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
                    if context.ended().is_none() {
                        return Ok(leased);
                    }
                    // What took too long to open serves the next call.
                    leased.give_back();
                    return Err(Failure::Ended);
                }
                // Those in use by this pool come back.
                Err(Failure::NoSession) if lock(&self.state).open > 1 => {
                    drop(place);
                    context.sleep(SESSION_POLL).map_err(|_| Failure::Ended)?;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// An idle session, or the right to open one.
    fn take(&self) -> Option<(Permit<'_>, Option<OpenSession>)> {
        let mut state = lock(&self.state);
        if let Some(session) = state.idle.pop() {
            return Some((Permit(self), Some(session)));
        }
        if state.open >= self.opener.most() {
            return None;
        }
        state.open += 1;
        Some((Permit(self), None))
    }
}

impl Drop for Pool {
    /// A child that never used the pool drops the sessions of its parent.
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
    /// What the key is, and how it signs.
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

    /// Leaves it to others.
    pub(super) fn give_back(self) {
        let Self { session, place } = self;
        let pool = place.0;
        lock(&pool.state).idle.push(session);
        // The place goes with the session.
        std::mem::forget(place);
        pool.freed.wake();
    }

    /// Lets go of it, and of all idle ones, which are likely to be lost too.
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

impl Failure {
    /// For whoever makes a client.
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

    /// For whoever makes a call. That the call ended is said by its context.
    pub(super) fn into_signer_error(self) -> SignerError {
        match self {
            Self::Ended => SignerError::new("the call ended before a session was free"),
            Self::NoSession => SignerError::new(refusal::no_session().message()),
            Self::Refused(error) => SignerError::new(error.message()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}
