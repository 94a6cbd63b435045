//! Connecting to one of several addresses, as in RFC 8305 ("Happy Eyeballs"):
//! an address that does not respond does not hold back the others.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

use payments_base::standard_streams;
use socket2::{Domain, Socket, Type};

use crate::failure::{Cause, TransportFailure};
use crate::pace::Pace;

/// How long to wait for an address before the next one is tried in parallel.
const ATTEMPT_DELAY: std::time::Duration = std::time::Duration::from_millis(250);

/// Why no address accepted.
pub(super) enum Lost {
    Refused(Refusals),
    /// The call or its time for connecting ended.
    Ended(TransportFailure),
}

/// The addresses that did not accept.
#[derive(Default)]
pub(super) struct Refusals {
    tried: usize,
    first: Option<io::ErrorKind>,
    pub(super) last: Option<io::Error>,
}

impl Refusals {
    fn add(&mut self, error: io::Error) {
        self.tried += 1;
        self.first.get_or_insert(error.kind());
        self.last = Some(error);
    }

    /// Why, as the end of a message.
    pub(super) fn text(&self) -> String {
        let last = self.last.as_ref().map_or(io::ErrorKind::NotFound, io::Error::kind);
        match self.first {
            _ if self.tried < 2 => last.to_string(),
            Some(first) if first != last => {
                let tried = self.tried;
                format!("none of {tried} addresses accepts: {first}, and for the last {last}")
            }
            _ => format!("none of {} addresses accepts: {last}", self.tried),
        }
    }

    /// The end of the wait for `pending` more addresses.
    fn ended(mut self, pending: usize, mut failure: TransportFailure) -> Lost {
        (0..pending).for_each(|_| self.add(io::ErrorKind::TimedOut.into()));
        if failure.cause() == Cause::ConnectTimedOut && self.tried > 1 {
            failure.message = format!("{}: {}", failure.message, self.text());
        }
        Lost::Ended(failure)
    }
}

/// Returns the first connection that is made. All others are closed.
pub(super) fn connect(addresses: Vec<SocketAddr>, pace: &Pace) -> Result<TcpStream, Lost> {
    let mut refusals = Refusals::default();
    let mut left = addresses.into_iter().peekable();
    let mut pending: Vec<Socket> = Vec::new();
    let mut next_at = Instant::now();
    loop {
        while let Some(address) = left.next_if(|_| pending.is_empty() || next_at <= Instant::now())
        {
            match begin(address) {
                Ok(socket) => {
                    pending.push(socket);
                    next_at = Instant::now() + ATTEMPT_DELAY;
                }
                Err(error) => refusals.add(error),
            }
        }
        if pending.is_empty() {
            return Err(Lost::Refused(refusals));
        }
        let mut slice = match pace.slice() {
            Ok(slice) => slice,
            Err(failure) => return Err(refusals.ended(pending.len(), failure)),
        };
        if left.peek().is_some() {
            slice = slice.min(next_at.saturating_duration_since(Instant::now()));
        }
        if !pace.wait_for_any(&pending, slice) {
            continue;
        }
        for socket in std::mem::take(&mut pending) {
            match is_connected(&socket) {
                Ok(true) => return Ok(socket.into()),
                Ok(false) => pending.push(socket),
                Err(error) => {
                    refusals.add(error);
                    next_at = Instant::now();
                }
            }
        }
    }
}

/// A socket that is connecting to `address`, or connected.
fn begin(address: SocketAddr) -> io::Result<Socket> {
    standard_streams::occupy();
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    // A large request is written in several parts.
    socket.set_tcp_nodelay(true)?;
    match socket.connect(&address.into()) {
        Err(error) if !is_in_progress(&error) => Err(error),
        _ => Ok(socket),
    }
}

fn is_connected(socket: &Socket) -> io::Result<bool> {
    match socket.take_error() {
        Ok(Some(error)) | Err(error) => Err(error),
        Ok(None) => Ok(socket.peer_addr().is_ok()),
    }
}

fn is_in_progress(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::INPROGRESS.raw_os_error())
        || error.kind() == io::ErrorKind::WouldBlock
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_refusals_are_reported_once() {
        let refusals = |kinds: &[io::ErrorKind]| {
            let mut refusals = Refusals::default();
            kinds.iter().for_each(|kind| refusals.add((*kind).into()));
            refusals.text()
        };
        let (one, other) = (io::ErrorKind::ConnectionRefused, io::ErrorKind::TimedOut);
        assert_eq!(refusals(&[one]), one.to_string());
        assert_eq!(refusals(&[one, one]), format!("none of 2 addresses accepts: {one}"));
        let both = format!("none of 2 addresses accepts: {one}, and for the last {other}");
        assert_eq!(refusals(&[one, other]), both);
    }
}
