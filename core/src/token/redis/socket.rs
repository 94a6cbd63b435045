//! A connection to the server, plain or TLS, whose waits ask the call.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use super::failure::Failure;
use crate::context::CallContext;
use crate::transport::{Dialer, Pace, TransportFailure};

/// Bytes to and from the server.
pub(super) enum Socket {
    Plain(PacedTcp),
    Tls(Box<StreamOwned<ClientConnection, PacedTcp>>),
}

impl Socket {
    pub(super) fn connect(
        context: &CallContext,
        dialer: &Dialer,
        host: &str,
        port: u16,
    ) -> Result<Self, Failure> {
        let pace = OfCall(context);
        let stream =
            dialer.dial(host, port, &pace).map_err(|failure| Failure::of_dial(&failure))?;
        Ok(Self::Plain(PacedTcp { stream, context: context.clone() }))
    }

    /// Does the TLS handshake with the server, which must prove to be `host`.
    pub(super) fn with_tls(self, host: &str, config: Arc<ClientConfig>) -> Result<Self, Failure> {
        let Self::Plain(mut tcp) = self else {
            return Ok(self);
        };
        let name = ServerName::try_from(host.to_owned()).map_err(|_| Failure::NO_TLS)?;
        let mut session = ClientConnection::new(config, name).map_err(|_| Failure::NO_TLS)?;
        while session.is_handshaking() {
            session.complete_io(&mut tcp).map_err(|error| Failure::of_handshake(&error))?;
        }
        Ok(Self::Tls(Box::new(StreamOwned::new(session, tcp))))
    }

    /// From here on `context` says how long to wait.
    pub(super) fn begin(&mut self, context: &CallContext) {
        let tcp = match self {
            Self::Plain(tcp) => tcp,
            Self::Tls(tls) => &mut tls.sock,
        };
        tcp.context = context.clone();
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.read(buffer),
            Self::Tls(tls) => tls.read(buffer),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.write(bytes),
            Self::Tls(tls) => tls.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(tcp) => tcp.flush(),
            Self::Tls(tls) => tls.flush(),
        }
    }
}

/// A TCP connection that reads and writes in slices. It has no vectored
/// write: that of the standard library raises a signal when the server is
/// gone.
pub(super) struct PacedTcp {
    stream: TcpStream,
    context: CallContext,
}

impl PacedTcp {
    fn slice(&self) -> io::Result<Duration> {
        match self.context.ended() {
            None => Ok(self.context.wait_slice()),
            Some(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

fn is_wait(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}

impl Read for PacedTcp {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.stream.set_read_timeout(Some(self.slice()?))?;
            match self.stream.read(buffer) {
                Err(error) if is_wait(&error) => {}
                result => return result,
            }
        }
    }
}

impl Write for PacedTcp {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            self.stream.set_write_timeout(Some(self.slice()?))?;
            match self.stream.write(bytes) {
                Err(error) if is_wait(&error) => {}
                result => return result,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The pace of a call.
struct OfCall<'a>(&'a CallContext);

impl Pace for OfCall<'_> {
    fn slice(&self) -> Result<Duration, TransportFailure> {
        match self.0.ended() {
            None => Ok(self.0.wait_slice()),
            Some(ended) => Err(TransportFailure::ended(ended)),
        }
    }

    fn time_left(&self) -> Duration {
        self.0.remaining()
    }
}
