//! Name lookup and connecting, within the limits of a call.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

use super::pace::Pace;
use super::{FailureKind, TransportFailure};
use crate::process::Owned;
use crate::wait::Interest;
use crate::waiters::Waiters;

/// Resolves a host and port to addresses. It may block: it runs on its own
/// thread, which continues if the call ends first.
pub type Lookup = Arc<dyn Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync>;

/// The maximum number of concurrent lookups, so that a hanging resolver does
/// not take a thread per call.
const MAX_LOOKUPS: usize = 64;

#[derive(Clone)]
pub(crate) struct Dialer {
    lookup: Lookup,
    lookups: Arc<Lookups>,
}

/// The lookups in progress.
#[derive(Default)]
struct Lookups {
    running: AtomicUsize,
    /// Calls that wait for a lookup to end.
    waiting: Waiters,
}

impl Dialer {
    /// A dialer that uses `lookup`, or else the operating system.
    pub(crate) fn new(lookup: Option<Lookup>) -> Self {
        let system: Lookup =
            Arc::new(|host, port| (host, port).to_socket_addrs().map(Iterator::collect));
        Self { lookup: lookup.unwrap_or(system), lookups: Arc::default() }
    }

    /// Connects to the first address of `host` that accepts.
    pub(crate) fn dial(
        &self,
        host: &str,
        port: u16,
        pace: &Pace,
    ) -> Result<TcpStream, TransportFailure> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let addresses = match host.parse::<IpAddr>() {
            Ok(address) => vec![SocketAddr::new(address, port)],
            Err(_) => self.look_up(host, port, pace)?,
        };
        let mut last = None;
        let mut left = u32::try_from(addresses.len()).unwrap_or(u32::MAX);
        for address in addresses {
            // An address that does not respond must leave time for the others.
            let until = (left > 1).then(|| Instant::now() + pace.time_to_connect() / left);
            left = left.saturating_sub(1);
            match connect(address, until, pace) {
                Ok(stream) => return Ok(stream),
                Err(Attempt::Refused(error)) => last = Some(error),
                Err(Attempt::Ended(failure)) => return Err(failure),
            }
        }
        Err(match last {
            None => failed("host_not_found", format!("the host {host} has no address")),
            Some(error) if is_out_of_descriptors(&error) => failed(
                "no_descriptors",
                "this process or host has no file descriptor left for a connection; raise the \
                 limit (ulimit -n), or make fewer calls at a time",
            )
            .with_source(error),
            Some(error) => {
                let message = format!("could not connect to {host}:{port}: {}", error.kind());
                failed("connect_failed", message).with_source(error)
            }
        })
    }

    fn look_up(
        &self,
        host: &str,
        port: u16,
        pace: &Pace,
    ) -> Result<Vec<SocketAddr>, TransportFailure> {
        let running = self.begin_lookup(pace)?;
        let (sender, receiver) = sync_channel(1);
        let lookup = Arc::clone(&self.lookup);
        let name = host.to_owned();
        let spawned =
            std::thread::Builder::new().name("payments-lookup".to_owned()).spawn(move || {
                // Dropped last, also after a panic: it wakes the waiting call.
                let _running = running;
                // If the call has ended, the result is dropped.
                let _ = sender.send(lookup(&name, port));
                drop(sender);
            });
        if let Err(error) = spawned {
            return Err(failed(
                "lookup_failed",
                "could not start a thread for the name lookup; check the limits of the system",
            )
            .with_source(error));
        }
        loop {
            let seen = self.lookups.waiting.seen();
            match receiver.try_recv() {
                Ok(Ok(addresses)) => return Ok(addresses),
                Ok(Err(error)) => {
                    let message = format!("could not find the address of the host {host}");
                    return Err(failed("host_not_found", message).with_source(error));
                }
                Err(TryRecvError::Disconnected) => {
                    return Err(failed("lookup_failed", "the name lookup panicked"));
                }
                Err(TryRecvError::Empty) => {
                    self.lookups.waiting.wait(seen, &pace.context, pace.slice()?);
                }
            }
        }
    }

    /// Waits for one of [`MAX_LOOKUPS`] places.
    fn begin_lookup(&self, pace: &Pace) -> Result<Owned<RunningLookup>, TransportFailure> {
        let take = |running| (running < MAX_LOOKUPS).then_some(running + 1);
        let running = &self.lookups.running;
        loop {
            let seen = self.lookups.waiting.seen();
            if running.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).is_ok() {
                return Ok(Owned::new(RunningLookup(Arc::clone(&self.lookups))));
            }
            self.lookups.waiting.wait(seen, &pace.context, pace.slice()?);
        }
    }
}

/// A lookup in progress, until it ends or panics.
struct RunningLookup(Arc<Lookups>);

impl Drop for RunningLookup {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
        self.0.waiting.wake();
    }
}

enum Attempt {
    /// This address does not work; another may.
    Refused(io::Error),
    /// The call ended.
    Ended(TransportFailure),
}

fn connect(address: SocketAddr, until: Option<Instant>, pace: &Pace) -> Result<TcpStream, Attempt> {
    let refused = Attempt::Refused;
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None).map_err(refused)?;
    socket.set_nonblocking(true).map_err(refused)?;
    match socket.connect(&address.into()) {
        Ok(()) => {}
        Err(error) if is_in_progress(&error) => wait_until_connected(&socket, until, pace)?,
        Err(error) => return Err(Attempt::Refused(error)),
    }
    // A large request is written in several parts.
    socket.set_tcp_nodelay(true).map_err(refused)?;
    Ok(socket.into())
}

#[cfg(unix)]
fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;

    let code = error.raw_os_error();
    [Errno::MFILE, Errno::NFILE].iter().any(|it| code == Some(it.raw_os_error()))
}

#[cfg(not(unix))]
fn is_out_of_descriptors(_: &io::Error) -> bool {
    false
}

#[cfg(unix)]
fn is_in_progress(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::INPROGRESS.raw_os_error())
        || error.kind() == io::ErrorKind::WouldBlock
}

#[cfg(not(unix))]
fn is_in_progress(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}

fn wait_until_connected(
    socket: &Socket,
    until: Option<Instant>,
    pace: &Pace,
) -> Result<(), Attempt> {
    loop {
        let slice = next_slice(until, pace)?;
        if !pace.wait_for(socket, Interest::Write, slice) {
            continue;
        }
        if let Ok(Some(error)) | Err(error) = socket.take_error() {
            return Err(Attempt::Refused(error));
        }
        if socket.peer_addr().is_ok() {
            return Ok(());
        }
    }
}

/// How long to wait for one address before asking the context again.
fn next_slice(until: Option<Instant>, pace: &Pace) -> Result<Duration, Attempt> {
    let slice = pace.slice().map_err(Attempt::Ended)?;
    match until.map(|until| until.saturating_duration_since(Instant::now())) {
        None => Ok(slice),
        Some(Duration::ZERO) => Err(Attempt::Refused(io::ErrorKind::TimedOut.into())),
        Some(left) => Ok(slice.min(left)),
    }
}

fn failed(code: &'static str, message: impl Into<String>) -> TransportFailure {
    TransportFailure::new(FailureKind::Connect, message).with_code(code).of_address()
}
