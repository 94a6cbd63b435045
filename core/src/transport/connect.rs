//! Name lookup and connecting, in slices that ask the call's context.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

use super::{FailureKind, TransportFailure};

/// Finds the addresses of a host and port. It may block: it runs on a thread
/// of its own, which is left behind when the call ends first.
pub type Lookup = Arc<dyn Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync>;

/// A resolver that hangs must not cost a thread per call for ever.
const MAX_LOOKUPS: usize = 64;

/// How long connecting may take, and whether to go on.
pub(crate) trait Pace {
    /// How long to wait before this is asked again.
    ///
    /// # Errors
    /// Why connecting must end.
    fn slice(&self) -> Result<Duration, TransportFailure>;

    /// What is left of the time to connect in.
    fn time_left(&self) -> Duration;
}

#[derive(Clone)]
pub(crate) struct Dialer {
    lookup: Lookup,
    lookups: Arc<AtomicUsize>,
}

impl Dialer {
    /// A dialer that asks `lookup`, or the operating system.
    pub(crate) fn new(lookup: Option<Lookup>) -> Self {
        let system: Lookup =
            Arc::new(|host, port| (host, port).to_socket_addrs().map(Iterator::collect));
        Self { lookup: lookup.unwrap_or(system), lookups: Arc::default() }
    }

    /// Connects to the first address of `host` that answers.
    pub(crate) fn dial(
        &self,
        host: &str,
        port: u16,
        pace: &dyn Pace,
    ) -> Result<TcpStream, TransportFailure> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let addresses = match host.parse::<IpAddr>() {
            Ok(address) => vec![SocketAddr::new(address, port)],
            Err(_) => self.look_up(host, port, pace)?,
        };
        let mut last = None;
        let mut left = u32::try_from(addresses.len()).unwrap_or(u32::MAX);
        for address in addresses {
            // An address that does not answer must leave time for the others.
            let until = (left > 1).then(|| Instant::now() + pace.time_left() / left);
            left = left.saturating_sub(1);
            match connect(address, until, pace) {
                Ok(stream) => return Ok(stream),
                Err(Attempt::Refused(error)) => last = Some(error),
                Err(Attempt::Ended(failure)) => return Err(failure),
            }
        }
        Err(last.map_or_else(
            || failed("host_not_found", "the host has no address; check base_url and auth_url"),
            |error| {
                failed("connect_failed", "no address of the host accepts a connection; check base_url, auth_url and that the \
                         service is up")
                    .with_source(error)
            },
        ))
    }

    fn look_up(
        &self,
        host: &str,
        port: u16,
        pace: &dyn Pace,
    ) -> Result<Vec<SocketAddr>, TransportFailure> {
        let counted = self.wait_for_a_place(pace)?;
        let (sender, receiver) = sync_channel(1);
        let lookup = Arc::clone(&self.lookup);
        let name = host.to_owned();
        let spawned =
            std::thread::Builder::new().name("payments-lookup".to_owned()).spawn(move || {
                let found = lookup(&name, port);
                drop(counted);
                // Nobody listens any more when the call has ended.
                let _ = sender.send(found);
            });
        if let Err(error) = spawned {
            return Err(failed("lookup_failed", "no thread could be started for the name lookup")
                .with_source(error));
        }
        loop {
            match receiver.recv_timeout(pace.slice()?) {
                Ok(Ok(addresses)) => return Ok(addresses),
                Ok(Err(error)) => {
                    return Err(failed(
                        "host_not_found",
                        "the host name could not be looked up; check base_url, auth_url and the \
                         name server",
                    )
                    .with_source(error));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(failed("lookup_failed", "the name lookup panicked"));
                }
            }
        }
    }
}

impl Dialer {
    /// Many calls may start at once on a client that knows no address yet:
    /// those beyond the limit wait for their turn.
    fn wait_for_a_place(&self, pace: &dyn Pace) -> Result<Counted, TransportFailure> {
        let take = |running| (running < MAX_LOOKUPS).then_some(running + 1);
        while self.lookups.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).is_err() {
            std::thread::sleep(pace.slice()?.min(Duration::from_millis(5)));
        }
        Ok(Counted(Arc::clone(&self.lookups)))
    }
}

/// A lookup that runs, until it ends or panics.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

enum Attempt {
    /// This address does not work; another may.
    Refused(io::Error),
    /// The call ended.
    Ended(TransportFailure),
}

fn connect(
    address: SocketAddr,
    until: Option<Instant>,
    pace: &dyn Pace,
) -> Result<TcpStream, Attempt> {
    let refused = Attempt::Refused;
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None).map_err(refused)?;
    socket.set_nonblocking(true).map_err(refused)?;
    match socket.connect(&address.into()) {
        Ok(()) => {}
        Err(error) if is_in_progress(&error) => wait_until_connected(&socket, until, pace)?,
        Err(error) => return Err(Attempt::Refused(error)),
    }
    socket.set_nonblocking(false).map_err(refused)?;
    // A request goes out in two writes, head and body.
    socket.set_tcp_nodelay(true).map_err(refused)?;
    Ok(socket.into())
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

#[cfg(unix)]
fn wait_until_connected(
    socket: &Socket,
    until: Option<Instant>,
    pace: &dyn Pace,
) -> Result<(), Attempt> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    loop {
        let slice = next_slice(until, pace)?;
        let slice = Timespec::try_from(slice).unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
        match poll(&mut [PollFd::new(socket, PollFlags::OUT)], Some(&slice)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => {
                return match socket.take_error() {
                    Ok(None) => Ok(()),
                    Ok(Some(error)) | Err(error) => Err(Attempt::Refused(error)),
                };
            }
            Err(error) => return Err(Attempt::Refused(error.into())),
        }
    }
}

/// How long to wait for one address before asking again.
fn next_slice(until: Option<Instant>, pace: &dyn Pace) -> Result<Duration, Attempt> {
    let slice = pace.slice().map_err(Attempt::Ended)?;
    match until.map(|until| until.saturating_duration_since(Instant::now())) {
        None => Ok(slice),
        Some(Duration::ZERO) => Err(Attempt::Refused(io::ErrorKind::TimedOut.into())),
        Some(left) => Ok(slice.min(left)),
    }
}

/// Without `poll`, the state of the socket is looked at every few
/// milliseconds.
#[cfg(not(unix))]
fn wait_until_connected(
    socket: &Socket,
    until: Option<Instant>,
    pace: &dyn Pace,
) -> Result<(), Attempt> {
    loop {
        if let Ok(Some(error)) | Err(error) = socket.take_error() {
            return Err(Attempt::Refused(error));
        }
        if socket.peer_addr().is_ok() {
            return Ok(());
        }
        let slice = next_slice(until, pace)?;
        std::thread::sleep(slice.min(Duration::from_millis(5)));
    }
}

fn failed(code: &'static str, message: &str) -> TransportFailure {
    TransportFailure::new(FailureKind::Connect, message).with_code(code)
}
