//! The one connection of a process: shared, reconnected when it breaks, and
//! paused while the server is known to be down.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use payments_base::jitter::random_part;
use payments_base::process::{ForkGuard, lock};
use payments_transport::context::{CallContext, Ended};
use payments_transport::inside::{Connector, Pace, Permit, Proxies, Semaphore};
use payments_transport::{Lookup, TlsRoots};

use super::address::RedisAddress;
use super::failure::{Meaning, RedisFailure};
use super::resp::{RedisCommand, RedisReply};
use super::session::Session;
use crate::token::StoreError;

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

/// The means to reach the server, also in a forked process.
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
    /// One call at a time uses the connection.
    calls: Semaphore,
    state: Mutex<LinkState>,
}

#[derive(Default)]
struct LinkState {
    /// The thread that is using the connection. No lock is held meanwhile.
    user: Option<ThreadId>,
    idle: Option<Session>,
    pause: Option<Pause>,
}

#[derive(Clone)]
struct Pause {
    reason: Cow<'static, str>,
    until: Instant,
    failures: u32,
}

impl Link {
    pub(super) fn new(route: Route) -> Self {
        let Route { address, roots, lookup } = route;
        let connector = Connector::new(&roots, Proxies::NONE, lookup);
        Self { address, connector, calls: Semaphore::default(), state: Mutex::default() }
    }

    /// Runs one command. It takes at most [`COMMAND_LIMIT`] and half of the
    /// call's remaining time, which leaves the other half for the token server.
    pub(super) fn run(
        &self,
        context: &CallContext,
        command: &RedisCommand,
    ) -> Result<RedisReply, StoreError> {
        let limited = context.limited_to(COMMAND_LIMIT.min(context.remaining() / 2));
        let mut usage = self.take(&limited)?;
        let started = Instant::now();
        let result = usage.run(&limited, command);
        if context.is_forked() {
            return Err(StoreError::new(CALL_ENDED));
        }
        usage.finish(result.as_ref().err(), |failure| match failure.meaning {
            Meaning::Refused | Meaning::RefusedHere => false,
            Meaning::Unusable | Meaning::Closed => true,
            Meaning::Late => {
                context.ended() != Some(Ended::Cancelled) && started.elapsed() >= SHORTEST_WAIT
            }
        });
        result.map_err(|failure| {
            let has_ended = failure.meaning == Meaning::Late && context.ended().is_some();
            StoreError::new(if has_ended { CALL_ENDED.into() } else { failure.reason })
        })
    }

    /// Waits until the connection is free.
    fn take(&self, limited: &CallContext) -> Result<ForkGuard<LinkUsage<'_>>, StoreError> {
        let this_thread = std::thread::current().id();
        if lock(&self.state).user == Some(this_thread) {
            // Waiting would deadlock.
            let message = "the connection is in use by a suspended call of this thread";
            return Err(StoreError::new(message));
        }
        let permit = self
            .calls
            .acquire(1, limited)
            .map_err(|_| StoreError::new("the connection was in use for too long"))?;
        let mut state = lock(&self.state);
        if let Some(Pause { reason, until, .. }) = &state.pause {
            let left = until.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                return Err(paused(reason, left));
            }
        }
        state.user = Some(this_thread);
        let session = state.idle.take();
        Ok(ForkGuard::new(LinkUsage { link: self, session, _permit: permit }))
    }

    fn connect(&self, limited: &CallContext) -> Result<Session, RedisFailure> {
        let limited = limited.limited_to(CONNECT_LIMIT);
        let uses_tls = self.address.uses_tls;
        let uri = self.address.uri().ok_or(RedisFailure::NO_TLS)?;
        let connection = self
            .connector
            .connect_concealed(&uri, Pace::new(&limited, Duration::MAX))
            .map_err(|failure| RedisFailure::of_connect(&failure, uses_tls))?;
        Session::log_in(connection, &self.address)
    }
}

/// One thread's use of the connection. Dropping it frees the connection.
struct LinkUsage<'a> {
    link: &'a Link,
    session: Option<Session>,
    /// Released last.
    _permit: ForkGuard<Permit>,
}

impl LinkUsage<'_> {
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
    fn finish(&self, failure: Option<&RedisFailure>, pauses: impl Fn(&RedisFailure) -> bool) {
        let mut state = lock(&self.link.state);
        state.pause = match failure {
            None => None,
            Some(failure) if pauses(failure) => {
                let failures =
                    state.pause.as_ref().map_or(0, |pause| pause.failures).saturating_add(1);
                let doubled = FIRST_PAUSE.saturating_mul(1 << (failures - 1).min(10));
                let length = doubled.min(LONGEST_PAUSE);
                let until = Instant::now() + length + random_part(length / 4);
                Some(Pause { reason: failure.reason.clone(), until, failures })
            }
            Some(_) => state.pause.take(),
        };
    }
}

impl Drop for LinkUsage<'_> {
    fn drop(&mut self) {
        if let Some(session) = &self.session {
            session.rest();
        }
        let mut state = lock(&self.link.state);
        state.user = None;
        state.idle = self.session.take();
    }
}

fn paused(reason: &str, left: Duration) -> StoreError {
    let seconds = left.as_millis().div_ceil(1000);
    StoreError::new(format!("{reason}; next attempt in {seconds} s"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::redis::session::tests::{connected, ping};

    fn link() -> Link {
        let address = Arc::new(RedisAddress::parse("redis://127.0.0.1:1").unwrap());
        Link::new(Route { address, roots: TlsRoots::default(), lookup: None })
    }

    fn context() -> CallContext {
        CallContext::with_timeout(Duration::from_secs(60))
    }

    /// Lets a command fail, and returns for how long others pause.
    fn pause_after(link: &Link, failure: Option<RedisFailure>) -> Option<Duration> {
        let before = Instant::now();
        if let Some(pause) = &mut lock(&link.state).pause {
            pause.until = before;
        }
        let usage = link.take(&context()).unwrap();
        usage.finish(failure.as_ref(), |failure| failure.meaning == Meaning::Closed);
        lock(&link.state).pause.as_ref().map(|pause| pause.until - before)
    }

    #[test]
    fn pauses_double_up_to_half_a_minute_and_end_with_a_success() {
        let link = link();
        for seconds in [1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30, 30] {
            let pause = pause_after(&link, Some(RedisFailure::CLOSED)).unwrap();
            let least = Duration::from_secs(seconds);
            assert!((least..least * 3 / 2).contains(&pause), "{pause:?}");
        }
        assert_eq!(pause_after(&link, None), None);
        let pause = pause_after(&link, Some(RedisFailure::CLOSED)).unwrap();
        assert!(pause < Duration::from_secs(16), "{pause:?}");
    }

    #[test]
    fn a_command_within_a_pause_says_when_the_next_attempt_is() {
        let link = link();
        let pause = pause_after(&link, Some(RedisFailure::CLOSED)).unwrap();
        assert!(pause >= FIRST_PAUSE);
        let until = Instant::now() + Duration::from_secs(60);
        lock(&link.state).pause = Some(Pause { reason: "it is down".into(), until, failures: 7 });
        let error = link.take(&context()).map(drop).unwrap_err();
        assert!(error.to_string().starts_with("it is down; next attempt in "), "{error}");
        for (milliseconds, shown) in [(1, "1 s"), (1000, "1 s"), (1001, "2 s"), (60_000, "60 s")] {
            let error = paused("it is down", Duration::from_millis(milliseconds));
            assert_eq!(error.to_string(), format!("it is down; next attempt in {shown}"));
        }
    }

    #[test]
    fn a_suspended_call_of_this_thread_is_not_waited_for() {
        let link = link();
        let usage = link.take(&context()).unwrap();
        let nested = link.take(&context()).map(drop).unwrap_err();
        assert!(nested.to_string().contains("suspended call of this thread"), "{nested}");
        drop(usage);
        assert!(link.take(&context()).is_ok());
    }

    #[test]
    fn a_session_that_is_not_in_use_closes_normally() {
        use std::io::Read as _;

        let (mut session, mut server) = connected();
        ping(&mut session, &mut server);
        let link = link();
        link.take(&context()).unwrap().session = Some(session);
        drop(link);
        assert_eq!(server.read(&mut [0]).unwrap(), 0);
    }
}
