//! ureq's view of a socket: reads and writes in slices, inside of TLS.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use ::ureq::Error;
use ::ureq::unversioned::transport::time::Duration as WaitFor;
use ::ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport,
};

use super::TransportFailure;
use super::connect::{Dialer, Pace};
use super::exchange::{self, Phase};

/// Makes TCP connections.
pub(super) struct DialingConnector {
    pub(super) dialer: Dialer,
    /// ureq runs the whole chain a second time to reach a proxy.
    pub(super) through_proxy: bool,
}

impl std::fmt::Debug for DialingConnector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DialingConnector")
    }
}

impl<In: Transport> Connector<In> for DialingConnector {
    type Out = Either<In, Socket>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        if let Some(transport) = chained {
            exchange::with(|exchange| exchange.phase = Phase::Handshaking);
            return Ok(Some(Either::A(transport)));
        }
        let Some(host) = details.uri.host() else {
            return Err(Error::HostNotFound);
        };
        let port = details.uri.port_u16().unwrap_or(if details.needs_tls() { 443 } else { 80 });
        let stream = self.dialer.dial(host, port, &OfExchange).map_err(record)?;
        let is_to_proxy = self.through_proxy && details.config.proxy().is_none();
        if !is_to_proxy {
            exchange::with(|exchange| exchange.phase = Phase::Handshaking);
        }
        let config = details.config;
        Ok(Some(Either::B(Socket {
            stream,
            buffers: LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size()),
            read_timeout: None,
            write_timeout: None,
            peer_is_deaf: false,
        })))
    }
}

/// The pace of the exchange of this thread.
struct OfExchange;

impl Pace for OfExchange {
    fn slice(&self) -> Result<Duration, TransportFailure> {
        exchange::wait_slice()
    }

    fn time_left(&self) -> Duration {
        exchange::time_to_connect()
    }
}

/// Keeps `failure` for the one who started the exchange, and gives ureq
/// something to return.
pub(super) fn record(failure: TransportFailure) -> Error {
    exchange::with(|exchange| {
        exchange.failure.get_or_insert(failure);
    });
    Error::ConnectionFailed
}

/// A TCP connection whose waits ask the call's context.
pub(super) struct Socket {
    stream: TcpStream,
    buffers: LazyBuffers,
    read_timeout: Option<Duration>,
    write_timeout: Option<Duration>,
    /// Nothing more is written. The answer may be there all the same, and TLS
    /// reads none before it has written what it still holds.
    peer_is_deaf: bool,
}

impl Socket {
    fn poll_input(&mut self) -> Result<bool, Error> {
        self.stream.set_nonblocking(true)?;
        let read = self.stream.read(self.buffers.input_append_buf());
        self.stream.set_nonblocking(false)?;
        let read = read?;
        self.buffers.input_appended(read);
        Ok(read > 0)
    }

    fn write_some(&mut self, from: usize, to: usize) -> Result<usize, Error> {
        loop {
            let slice = exchange::wait_slice().map_err(record)?;
            if self.write_timeout != Some(slice) {
                self.stream.set_write_timeout(Some(slice))?;
                self.write_timeout = Some(slice);
            }
            match self.stream.write(&self.buffers.output()[from..to]) {
                Ok(0) => return Err(Error::Io(io::ErrorKind::WriteZero.into())),
                Ok(written) => return Ok(written),
                Err(error) if is_wait(&error) => {}
                Err(error) => return Err(Error::Io(error)),
            }
        }
    }
}

/// A wait of this length is none: only what is there already counts.
const AT_ONCE: WaitFor = WaitFor::Exact(Duration::ZERO);

/// Whether an idle connection may be used again: it has nothing to say. Bytes
/// or an end mean that it must not be, also those that TLS has read already.
pub(super) fn is_silent(connection: &mut impl Transport) -> bool {
    let at_once = NextTimeout { after: AT_ONCE, ..NextTimeout::default() };
    matches!(
        connection.await_input(at_once),
        Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock
    )
}

fn is_wait(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

impl Transport for Socket {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
        let mut sent = 0;
        while sent < amount && !self.peer_is_deaf {
            let written = self.write_some(sent, amount);
            self.peer_is_deaf = written.is_err();
            sent += written?;
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        if timeout.after == AT_ONCE {
            return self.poll_input();
        }
        loop {
            let slice = exchange::read_slice().map_err(record)?;
            if self.read_timeout != Some(slice) {
                self.stream.set_read_timeout(Some(slice))?;
                self.read_timeout = Some(slice);
            }
            match self.stream.read(self.buffers.input_append_buf()) {
                Ok(read) => {
                    self.buffers.input_appended(read);
                    return Ok(read > 0);
                }
                Err(error) if is_wait(&error) => {}
                Err(error) => return Err(Error::Io(error)),
            }
        }
    }

    fn is_open(&mut self) -> bool {
        is_silent(self)
    }
}

impl std::fmt::Debug for Socket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Socket")
    }
}
