//! The one connection of a process: shared, made again when it breaks, and
//! not asked for while the server is known to be down.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustls::{ClientConfig, RootCertStore};

use super::address::Address;
use super::connection::Connection;
use super::failure::{Failure, Meaning};
use super::resp::{Command, Reply};
use super::socket::Socket;
use crate::context::{CallContext, Ended};
use crate::jitter::random_part;
use crate::process::lock;
use crate::token::StoreError;
use crate::transport::{Dialer, Lookup, TlsRoots};

/// How long connecting, TLS and logging in may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(1);
/// How long one command may take, connecting included.
const COMMAND_LIMIT: Duration = Duration::from_secs(2);
/// A server that was waited for less than this is not called slow: the call
/// was short of time.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);
/// For how long a server is left alone after its first failure, and at most.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

const CALL_ENDED: &str = "the call ended before the server answered";

/// What is needed to reach the server, in this process and in a forked one.
#[derive(Clone)]
pub(super) struct Route {
    pub(super) address: Arc<Address>,
    pub(super) roots: TlsRoots,
    pub(super) lookup: Option<Lookup>,
}

/// The connection of one process.
pub(super) struct Link {
    route: Route,
    dialer: Dialer,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Whether a thread has the connection. No lock is held meanwhile.
    is_taken: bool,
    idle: Option<Connection>,
    tls: Option<Arc<ClientConfig>>,
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
        let dialer = Dialer::new(route.lookup.clone());
        Self { route, dialer, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Runs one command. It takes [`COMMAND_LIMIT`] at most, and half of the
    /// time that the call has left: the other half is for the token server.
    pub(super) fn run(
        &self,
        context: &CallContext,
        command: &Command,
    ) -> Result<Reply, StoreError> {
        let limited = context.limited_to(COMMAND_LIMIT.min(context.remaining() / 2));
        let mut turn = self.begin_turn(&limited)?;
        let started = Instant::now();
        let result = turn.run(&limited, command);
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

    /// Waits until no other thread has the connection.
    fn begin_turn(&self, limited: &CallContext) -> Result<TurnOfLink<'_>, StoreError> {
        let mut state = lock(&self.state);
        loop {
            if let Some(pause) = &state.pause {
                let left = pause.until.saturating_duration_since(Instant::now());
                if !left.is_zero() {
                    let seconds = left.as_secs() + 1;
                    let reason = pause.reason;
                    return Err(StoreError::new(format!(
                        "{reason}; it is tried again in {seconds} s"
                    )));
                }
            }
            if !state.is_taken {
                state.is_taken = true;
                return Ok(TurnOfLink { link: self, connection: state.idle.take() });
            }
            let slice = limited.wait_slice();
            let waited = self.changed.wait_timeout(state, slice);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            drop(state);
            // Asked under no lock: it may run code of the host.
            if limited.ended().is_some() {
                return Err(StoreError::new("the connection was in use for too long"));
            }
            state = lock(&self.state);
        }
    }

    fn connect(&self, limited: &CallContext) -> Result<Connection, Failure> {
        let limited = limited.limited_to(CONNECT_LIMIT);
        let address = &self.route.address;
        let mut socket = Socket::connect(&limited, &self.dialer, &address.host, address.port)?;
        if address.uses_tls {
            socket = socket.with_tls(&address.host, self.tls()?)?;
        }
        Connection::log_in(socket, address)
    }

    fn tls(&self) -> Result<Arc<ClientConfig>, Failure> {
        if let Some(config) = &lock(&self.state).tls {
            return Ok(Arc::clone(config));
        }
        let config = tls_config(&self.route.roots).map_err(|_| Failure::NO_TLS)?;
        Ok(Arc::clone(lock(&self.state).tls.insert(Arc::new(config))))
    }
}

/// The connection in the hands of one thread. Dropped, it is free again.
struct TurnOfLink<'a> {
    link: &'a Link,
    connection: Option<Connection>,
}

impl TurnOfLink<'_> {
    fn run(&mut self, limited: &CallContext, command: &Command) -> Result<Reply, Failure> {
        let mut kept = self.connection.take().filter(Connection::is_fresh);
        loop {
            let was_kept = kept.is_some();
            let mut connection = match kept.take() {
                Some(connection) => connection,
                None => self.link.connect(limited)?,
            };
            connection.begin(limited);
            let failure = match connection.ask(command) {
                Ok(reply) => {
                    self.connection = Some(connection);
                    return Ok(reply);
                }
                Err(failure) => failure,
            };
            match failure.meaning {
                // The server was started anew meanwhile. Every command may
                // be repeated.
                Meaning::Closed if was_kept => {}
                Meaning::Refused => {
                    self.connection = Some(connection);
                    return Err(failure);
                }
                _ => return Err(failure),
            }
        }
    }

    /// Remembers how it went.
    fn finish(&self, failure: Option<Failure>, pauses: impl Fn(&Failure) -> bool) {
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
        let mut state = lock(&self.link.state);
        state.is_taken = false;
        state.idle = self.connection.take();
        drop(state);
        self.link.changed.notify_all();
    }
}

/// TLS by the one provider of this crate, with the same roots as for the
/// service.
fn tls_config(roots: &TlsRoots) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?;
    let builder = match roots {
        TlsRoots::OperatingSystem => builder.dangerous().with_custom_certificate_verifier(
            Arc::new(rustls_platform_verifier::Verifier::new(provider)?),
        ),
        TlsRoots::Certificates(certificates) => {
            let mut store = RootCertStore::empty();
            for certificate in certificates.iter() {
                store.add(certificate.as_slice().into())?;
            }
            builder.with_root_certificates(store)
        }
    };
    Ok(builder.with_no_client_auth())
}
