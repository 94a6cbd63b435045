//! Name lookup and connecting, within the limits of a call.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{TryRecvError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_base::boot_instant::BootInstant;
use payments_base::process::lock;
use payments_base::standard_streams;

use crate::address::literal;
use crate::call::semaphore::Semaphore;
use crate::call::waiters::Waiters;
use crate::failure::{Cause, TransportFailure};
use crate::pace::Pace;
use crate::race::{self, Lost};

/// Resolves a host and port to addresses. It may block: it runs on its own
/// thread, which continues if the call ends first.
pub type Lookup = Arc<dyn Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync>;

/// The maximum number of concurrent lookups, so that a hanging resolver does
/// not take a thread per call.
const MAX_LOOKUPS: usize = 64;

/// For how long an address that accepted is tried first. After that, the order
/// of the lookup counts again.
const PREFERENCE: Duration = Duration::from_secs(600);

const NO_DESCRIPTORS: &str = "this process or host has no file descriptor left for a connection; \
                              raise the limit (ulimit -n), or make fewer calls at a time";

#[derive(Clone)]
pub(crate) struct Dialer {
    lookup: Lookup,
    /// The lookups in progress.
    lookups: Arc<Semaphore>,
    winners: Arc<Mutex<Winners>>,
}

/// The peer to connect to.
pub(crate) struct Peer<'a> {
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    /// How it is shown, if it is the configured proxy.
    pub(crate) proxy: Option<&'a str>,
}

impl Peer<'_> {
    fn text(&self) -> String {
        self.proxy.map_or_else(|| format!("{}:{}", self.host, self.port), str::to_owned)
    }

    fn host_text(&self) -> String {
        self.proxy.map_or_else(|| format!("the host {}", self.host), str::to_owned)
    }
}

/// The address that last accepted, for each host and port, and since when it is
/// tried first.
#[derive(Default)]
struct Winners(HashMap<(String, u16), (SocketAddr, BootInstant)>);

impl Winners {
    fn note(&mut self, peer: (String, u16), address: SocketAddr, now: BootInstant) {
        if self.preferred(&peer, now) != Some(address) {
            self.0.insert(peer, (address, now));
        }
    }

    fn preferred(&self, peer: &(String, u16), now: BootInstant) -> Option<SocketAddr> {
        let (address, since) = self.0.get(peer)?;
        (now.since(*since) < PREFERENCE).then_some(*address)
    }

    /// `addresses` in the order in which to try them: the one that accepted
    /// before, then the two families in turn.
    fn ordered(
        &self,
        addresses: Vec<SocketAddr>,
        peer: &(String, u16),
        now: BootInstant,
    ) -> Vec<SocketAddr> {
        let (count, begins_with_6) = (addresses.len(), addresses[0].is_ipv6());
        let (same, other): (Vec<_>, Vec<_>) =
            addresses.into_iter().partition(|it| it.is_ipv6() == begins_with_6);
        let mut families = [same.into_iter(), other.into_iter()];
        let mut ordered = Vec::with_capacity(count);
        while ordered.len() < count {
            ordered.extend(families.iter_mut().filter_map(Iterator::next));
        }
        let preferred = self.preferred(peer, now);
        if let Some(at) = ordered.iter().position(|it| Some(*it) == preferred) {
            ordered[..=at].rotate_right(1);
        }
        ordered
    }
}

impl Dialer {
    /// A dialer that uses `lookup`, or else the operating system.
    pub fn new(lookup: Option<Lookup>) -> Self {
        let system: Lookup =
            Arc::new(|host, port| (host, port).to_socket_addrs().map(Iterator::collect));
        Self { lookup: lookup.unwrap_or(system), lookups: Arc::default(), winners: Arc::default() }
    }

    /// Connects to the first address of `peer` that accepts. It is tried first
    /// for the next ten minutes.
    pub(crate) fn dial(&self, peer: &Peer<'_>, pace: &Pace) -> Result<TcpStream, TransportFailure> {
        let host = peer.host;
        let addresses = match literal(host, peer.port) {
            Ok(Some(address)) => vec![address],
            Ok(None) => self.look_up(host, peer, pace)?,
            Err(error) => {
                let message = format!("there is no network interface for {}", peer.host_text());
                return Err(failed(Cause::HostNotFound, message).with_source(error));
            }
        };
        if addresses.is_empty() {
            let message = format!("{} has no address", peer.host_text());
            return Err(failed(Cause::HostNotFound, message));
        }
        let key = (host.to_owned(), peer.port);
        let addresses = lock(&self.winners).ordered(addresses, &key, BootInstant::now());
        let refusals = match race::connect(addresses, pace) {
            Ok(stream) => {
                if let Ok(address) = stream.peer_addr() {
                    lock(&self.winners).note(key, address, BootInstant::now());
                }
                return Ok(stream);
            }
            Err(Lost::Ended(failure)) => return Err(failure),
            Err(Lost::Refused(refusals)) => refusals,
        };
        let message = format!("could not connect to {}: {}", peer.text(), refusals.text());
        Err(match refusals.last {
            Some(error) if is_out_of_descriptors(&error) => {
                failed(Cause::NoDescriptors, NO_DESCRIPTORS).with_source(error)
            }
            Some(error) => failed(Cause::NotConnected, message).with_source(error),
            None => failed(Cause::NotConnected, message),
        })
    }

    fn look_up(
        &self,
        host: &str,
        peer: &Peer<'_>,
        pace: &Pace,
    ) -> Result<Vec<SocketAddr>, TransportFailure> {
        let permit = pace.acquire(&self.lookups, MAX_LOOKUPS)?;
        let ended = Arc::new(Waiters::default());
        let (sender, receiver) = sync_channel(1);
        let lookup = Arc::clone(&self.lookup);
        let name = host.to_owned();
        let port = peer.port;
        let wakes = Arc::clone(&ended);
        let look_up = move || {
            standard_streams::occupy();
            let result = catch_unwind(AssertUnwindSafe(|| lookup(&name, port)));
            drop(permit);
            // If the call has ended, the result is dropped.
            let _ = sender.send(result);
            wakes.wake();
        };
        if let Err(error) =
            std::thread::Builder::new().name("payments-lookup".to_owned()).spawn(look_up)
        {
            let message =
                "could not start a thread for the name lookup; check the limits of the system";
            return Err(failed(Cause::NotLookedUp, message).with_source(error));
        }
        loop {
            let seen = ended.seen();
            match receiver.try_recv() {
                Ok(Ok(Ok(addresses))) => return Ok(addresses),
                Ok(Ok(Err(error))) => {
                    let message = format!("could not find the address of {}", peer.host_text());
                    return Err(failed(Cause::HostNotFound, message).with_source(error));
                }
                Ok(Err(_)) | Err(TryRecvError::Disconnected) => {
                    return Err(failed(Cause::NotLookedUp, "the name lookup panicked"));
                }
                Err(TryRecvError::Empty) => ended.wait(seen, &pace.context, pace.slice()?),
            }
        }
    }
}

fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;

    #[cfg(unix)]
    const LIMITS: &[Errno] = &[Errno::MFILE, Errno::NFILE];
    #[cfg(windows)]
    const LIMITS: &[Errno] = &[Errno::MFILE, Errno::NOBUFS];
    LIMITS.iter().any(|limit| error.raw_os_error() == Some(limit.raw_os_error()))
}

fn failed(cause: Cause, message: impl Into<String>) -> TransportFailure {
    TransportFailure::of(cause, message).of_address()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(texts: &[&str]) -> Vec<SocketAddr> {
        texts.iter().map(|text| format!("{text}:443").parse().unwrap()).collect()
    }

    fn at(seconds: u64) -> BootInstant {
        BootInstant::of_test(Duration::from_secs(seconds))
    }

    #[test]
    fn families_take_turns() {
        for (looked_up, ordered) in [
            (
                &["[::1]", "[::2]", "[::3]", "10.0.0.1"][..],
                &["[::1]", "10.0.0.1", "[::2]", "[::3]"],
            ),
            (
                &["10.0.0.1", "10.0.0.2", "[::1]", "[::2]"],
                &["10.0.0.1", "[::1]", "10.0.0.2", "[::2]"],
            ),
        ] {
            let peer = ("service.test".to_owned(), 443);
            let found = Winners::default().ordered(addresses(looked_up), &peer, at(0));
            assert_eq!(found, addresses(ordered));
        }
    }

    #[test]
    fn the_address_that_accepted_is_preferred_for_ten_minutes() {
        let peer = ("service.test".to_owned(), 443);
        let looked_up = addresses(&["[::1]", "10.0.0.1", "10.0.0.2"]);
        let first = |winners: &Winners, now| winners.ordered(looked_up.clone(), &peer, now)[0];
        let mut winners = Winners::default();
        winners.note(peer.clone(), looked_up[2], at(0));
        // Another win does not extend it: the order of the lookup must have its
        // turn.
        winners.note(peer.clone(), looked_up[2], at(599));
        assert_eq!(first(&winners, at(599)), looked_up[2]);
        assert_eq!(first(&winners, at(600)), looked_up[0]);
        winners.note(peer.clone(), looked_up[1], at(600));
        assert_eq!(first(&winners, at(700)), looked_up[1]);
        let other = ("auth.test".to_owned(), 443);
        assert_eq!(winners.ordered(looked_up.clone(), &other, at(700)), looked_up);
        let elsewhere = addresses(&["10.0.0.9"]);
        assert_eq!(winners.ordered(elsewhere.clone(), &peer, at(700)), elsewhere);
    }

    #[test]
    fn a_lack_of_descriptors_differs_from_other_failures() {
        use rustix::io::Errno;

        let is_lack = |errno: Errno| is_out_of_descriptors(&errno.into());
        assert!(is_lack(Errno::MFILE));
        #[cfg(unix)]
        assert!(is_lack(Errno::NFILE));
        assert!(!is_lack(Errno::CONNREFUSED));
    }
}
