//! The one connection of a process: shared, reconnected when it breaks, and
//! paused while the server is known to be down.

use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use super::address::RedisAddress;
use super::failure::{Meaning, RedisFailure};
use super::resp::{RedisCommand, RedisReply};
use super::session::Session;
use crate::base::jitter::random_part;
use crate::base::process::{Owned, lock};
use crate::call::context::{CallContext, Ended};
use crate::call::waiters::Waiters;
use crate::token::StoreError;
use crate::transport::{Connector, Lookup, Pace, TlsRoots};

/// The limit for connecting, TLS and login.
const CONNECT_LIMIT: Duration = Duration::from_secs(1);
/// The limit for one command, connecting included.
const COMMAND_LIMIT: Duration = Duration::from_secs(2);
/// A server counts as slow only after this long; before that, the call was
/// short of time.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);
/// How long commands pause after the first failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

const CALL_ENDED: &str = "the call ended before the server responded";

/// What is needed to reach the server, also in a forked process.
#[derive(Clone)]
pub(super) struct Route {
    pub(super) address: Arc<RedisAddress>,
    pub(super) roots: TlsRoots,
    pub(super) lookup: Option<Lookup>,
}

/// The connection of one process.
pub(super) struct Link {
    address: Arc<RedisAddress>,
    connector: Connector,
    state: Mutex<LinkState>,
    freed: Waiters,
}

#[derive(Default)]
struct LinkState {
    /// The thread that is using the connection. No lock is held meanwhile.
    taken_by: Option<ThreadId>,
    idle: Option<Session>,
    pause: Option<Pause>,
}

#[derive(Clone, Copy)]
struct Pause {
    reason: &'static str,
    until: Instant,
    failures: u32,
}

impl Link {
    pub(super) fn new(route: Route) -> Self {
        let Route { address, roots, lookup } = route;
        let connector = Connector::new(&roots, None, lookup);
        Self { address, connector, state: Mutex::default(), freed: Waiters::default() }
    }

    /// Runs one command. It takes at most [`COMMAND_LIMIT`] and half of the
    /// call's remaining time, which leaves the other half for the token server.
    pub(super) fn run(
        &self,
        context: &CallContext,
        command: &RedisCommand,
    ) -> Result<RedisReply, StoreError> {
        let limited = context.limited_to(COMMAND_LIMIT.min(context.remaining() / 2));
        let mut turn = self.begin_turn(&limited)?;
        let started = Instant::now();
        let result = turn.run(&limited, command);
        if context.is_forked() {
            return Err(StoreError::new(CALL_ENDED));
        }
        turn.finish(result.as_ref().err().copied(), |failure| match failure.meaning {
            Meaning::Refused | Meaning::RefusedHere => false,
            Meaning::Unusable | Meaning::Closed => true,
            Meaning::Late => {
                context.ended() != Some(Ended::Cancelled) && started.elapsed() >= SHORTEST_WAIT
            }
        });
        result.map_err(|failure| {
            let has_ended = failure.meaning == Meaning::Late && context.ended().is_some();
            StoreError::new(if has_ended { CALL_ENDED } else { failure.reason })
        })
    }

    /// Waits until the connection is free.
    fn begin_turn(&self, limited: &CallContext) -> Result<Owned<TurnOfLink<'_>>, StoreError> {
        let this_thread = std::thread::current().id();
        loop {
            let seen = self.freed.seen();
            {
                let mut state = lock(&self.state);
                if let Some(pause) = &state.pause {
                    let left = pause.until.saturating_duration_since(Instant::now());
                    if !left.is_zero() {
                        let (reason, seconds) = (pause.reason, left.as_secs() + 1);
                        let message = format!("{reason}; next attempt in {seconds} s");
                        return Err(StoreError::new(message));
                    }
                }
                match state.taken_by {
                    None => {
                        state.taken_by = Some(this_thread);
                        let session = state.idle.take();
                        return Ok(Owned::new(TurnOfLink { link: self, session }));
                    }
                    // Waiting would deadlock.
                    Some(thread) if thread == this_thread => {
                        return Err(StoreError::new(
                            "the connection is in use by a suspended call of this thread",
                        ));
                    }
                    Some(_) => {}
                }
            }
            if limited.ended().is_some() {
                return Err(StoreError::new("the connection was in use for too long"));
            }
            self.freed.wait(seen, limited, limited.wait_slice());
        }
    }

    fn connect(&self, limited: &CallContext) -> Result<Session, RedisFailure> {
        let limited = limited.limited_to(CONNECT_LIMIT);
        let uses_tls = self.address.uses_tls;
        let uri = self.address.uri().ok_or(RedisFailure::NO_TLS)?;
        let connection = self
            .connector
            .connect(&uri, Pace::new(&limited, Duration::MAX))
            .map_err(|failure| RedisFailure::of_connect(&failure, uses_tls))?;
        Session::log_in(connection, &self.address)
    }
}

/// One thread's use of the connection. Dropping it frees the connection.
struct TurnOfLink<'a> {
    link: &'a Link,
    session: Option<Session>,
}

impl TurnOfLink<'_> {
    fn run(
        &mut self,
        limited: &CallContext,
        command: &RedisCommand,
    ) -> Result<RedisReply, RedisFailure> {
        let mut kept = self.session.take().filter(Session::is_fresh);
        loop {
            let was_kept = kept.is_some();
            let mut session = match kept.take() {
                Some(session) => session,
                None => self.link.connect(limited)?,
            };
            session.begin(limited);
            let failure = match session.ask(command) {
                Ok(reply) => {
                    self.session = Some(session);
                    return Ok(reply);
                }
                Err(failure) => failure,
            };
            match failure.meaning {
                // The server may have restarted. Commands are safe to repeat.
                Meaning::Closed if was_kept => {}
                Meaning::Refused => {
                    self.session = Some(session);
                    return Err(failure);
                }
                _ => return Err(failure),
            }
        }
    }

    /// Records how the command went.
    fn finish(&self, failure: Option<RedisFailure>, pauses: impl Fn(&RedisFailure) -> bool) {
        let mut state = lock(&self.link.state);
        state.pause = match failure {
            None => None,
            Some(failure) if pauses(&failure) => {
                let failures = state.pause.map_or(0, |pause| pause.failures).saturating_add(1);
                let doubled = FIRST_PAUSE.saturating_mul(1 << (failures - 1).min(10));
                let length = doubled.min(LONGEST_PAUSE);
                let until = Instant::now() + length + random_part(length / 4);
                Some(Pause { reason: failure.reason, until, failures })
            }
            Some(_) => state.pause,
        };
    }
}

impl Drop for TurnOfLink<'_> {
    fn drop(&mut self) {
        self.session.iter().for_each(Session::rest);
        let mut state = lock(&self.link.state);
        state.taken_by = None;
        state.idle = self.session.take();
        drop(state);
        self.link.freed.wake();
    }
}
