//! A connection to a server: writing and reading bytes, TLS and proxies
//! included.

use std::io;
use std::sync::Arc;

use ::ureq::Error;
use ::ureq::unversioned::transport::{NextTimeout, Transport};

use crate::classify::{Ends, classify};
use crate::failure::TransportFailure;
use crate::pace::Pace;
use crate::socket::Wire;

/// A connection that is ready for requests.
pub struct Connection {
    /// The outermost layer.
    layers: Box<dyn Transport>,
    wire: Arc<Wire>,
    /// Whether a request was written to it.
    was_used: bool,
}

impl Connection {
    pub(super) fn new(layers: Box<dyn Transport>, wire: Arc<Wire>) -> Self {
        Self { layers, wire, was_used: false }
    }

    /// Starts serving the call of `pace`.
    pub fn begin(&self, pace: Pace) {
        self.wire.begin(pace);
    }

    /// Ends a request whose response has been read whole, and releases
    /// everything that belongs to the call.
    pub fn rest(&self) {
        self.wire.rest();
    }

    pub(super) fn was_used(&self) -> bool {
        self.was_used
    }

    pub(super) fn wire(&self) -> &Wire {
        &self.wire
    }

    /// Whether a request may be written: the server has neither sent anything
    /// nor closed the connection.
    ///
    /// TLS may send its own records after the handshake. On a used
    /// connection they do not pass: an incomplete response may follow them.
    pub(super) fn is_silent(&mut self, was_used: bool) -> bool {
        let layers = &mut self.layers;
        let (result, found_bytes) = self.wire.probe(|| layers.await_input(NextTimeout::default()));
        let has_nothing = matches!(
            result,
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock
        );
        has_nothing && !(was_used && found_bytes) && self.layers.buffers().input().is_empty()
    }

    /// Writes a request: `parts` in order, small ones in one write. Unless
    /// [`rest`](Self::rest) follows, dropping the connection aborts it.
    pub fn write(&mut self, parts: &[&[u8]]) -> Result<(), TransportFailure> {
        self.was_used = true;
        let begun = self.wire.begin_request().map_err(Error::Io);
        let result = begun.and_then(|()| self.transmit(parts));
        // The buffer is reused; its contents are secret.
        self.layers.buffers().output().fill(0);
        result.map_err(|error| self.failure_of(error))
    }

    fn transmit(&mut self, parts: &[&[u8]]) -> Result<(), Error> {
        let mut filled = 0;
        for part in parts {
            let mut part = *part;
            while !part.is_empty() {
                let output = self.layers.buffers().output();
                let (now, later) = part.split_at(part.len().min(output.len() - filled));
                output[filled..filled + now.len()].copy_from_slice(now);
                filled += now.len();
                part = later;
                if filled == output.len() {
                    self.layers.transmit_output(filled, NextTimeout::default())?;
                    filled = 0;
                }
            }
        }
        self.layers.transmit_output(filled, NextTimeout::default())
    }

    /// Waits for input and passes it to `take`. Returns `None` if the server
    /// closed the connection cleanly.
    pub fn read<R>(
        &mut self,
        take: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>, TransportFailure> {
        match self.layers.await_input(NextTimeout::default()) {
            Ok(true) => {
                let buffers = self.layers.buffers();
                let taken = take(buffers.input());
                let amount = buffers.input().len();
                buffers.input_consume(amount);
                Ok(Some(taken))
            }
            Ok(false) => Ok(None),
            Err(error) => Err(self.failure_of(error)),
        }
    }

    /// Wipes the input buffer, since a response may contain a token.
    pub(super) fn wipe_input(&mut self) {
        self.layers.buffers().input_append_buf().fill(0);
    }

    /// Prefers the failure that the socket recorded: it is more precise.
    fn failure_of(&self, error: Error) -> TransportFailure {
        let open = || classify(error, self.wire.stage(), &Ends::default());
        self.wire.take_failure().unwrap_or_else(open)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Before the layers are dropped: none of them can write any more.
        self.wire.abort();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    use super::*;
    use crate::call::context::CallContext;
    use crate::connector::Connector;
    use crate::proxy::Proxies;
    use crate::socket::BUFFER_BYTES;
    use crate::tls::TlsRoots;

    /// A connection and the server's end of it.
    pub(crate) fn connect() -> (Connection, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let uri = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let connector = Connector::new(&TlsRoots::default(), Proxies::NONE, None);
        let context = CallContext::with_timeout(Duration::from_secs(60));
        let connection = connector.connect(&uri, Pace::new(&context, Duration::MAX)).unwrap();
        (connection, listener.accept().unwrap().0)
    }

    fn becomes_loud(mut connection: Connection) -> bool {
        (0..2000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            !connection.is_silent(false)
        })
    }

    #[test]
    fn a_request_is_written_only_while_the_server_is_silent() {
        let (mut connection, mut server) = connect();
        assert!(connection.is_silent(false) && connection.is_silent(true));
        server.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        assert!(becomes_loud(connection));

        let (connection, server) = connect();
        drop(server);
        assert!(becomes_loud(connection));
    }

    #[test]
    fn a_request_of_any_length_arrives_whole() {
        let (mut connection, mut server) = connect();
        for length in [1, BUFFER_BYTES - 4, BUFFER_BYTES - 3, BUFFER_BYTES, 3 * BUFFER_BYTES - 3] {
            let body: Vec<u8> = (0..length).map(|index| index as u8).collect();
            connection.write(&[b"PUT", &body]).unwrap();
            let mut arrived = vec![0; 3 + length];
            server.read_exact(&mut arrived).unwrap();
            assert!(arrived.starts_with(b"PUT") && arrived[3..] == body, "{length}");
        }
        connection.rest();
        drop(connection);
        assert_eq!(server.read(&mut [0]).unwrap(), 0, "nothing follows");
    }

    #[test]
    fn a_connection_that_does_not_rest_after_a_request_is_reset() {
        for rests in [true, false] {
            let (mut connection, mut server) = connect();
            connection.write(&[b"GET"]).unwrap();
            server.read_exact(&mut [0; 3]).unwrap();
            if rests {
                connection.rest();
            }
            drop(connection);
            assert_eq!(server.read(&mut [0]).is_ok(), rests);
        }
    }
}
