//! Connections whose peer reads nothing.

use std::io::Read as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::silent::MuteListener;

impl MuteListener {
    /// Accepts the next connection, and reads nothing from it.
    pub fn accept(&self) -> UnreadConnection {
        let socket = self.0.accept().unwrap().0;
        // Longer than any test waits.
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        UnreadConnection(socket)
    }
}

/// A connection that is not read. Its kernel has the bytes that arrived.
pub struct UnreadConnection(pub TcpStream);

impl UnreadConnection {
    /// How many bytes have arrived.
    fn arrived(&self) -> usize {
        self.0.set_nonblocking(true).unwrap();
        let arrived = self.0.peek(&mut vec![0; 1 << 20]).unwrap_or(0);
        self.0.set_nonblocking(false).unwrap();
        arrived
    }

    pub fn wait_for_bytes(&self) {
        let started = Instant::now();
        while self.arrived() == 0 {
            assert!(started.elapsed() < Duration::from_secs(30), "no byte arrives");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Reads until the connection ends, and returns all bytes. Call it when the
    /// client has given up.
    ///
    /// # Panics
    /// If anything arrives from now on, or if the connection was not reset.
    pub fn read_on(mut self) -> Vec<u8> {
        let arrived = self.arrived();
        let mut read = Vec::new();
        let end = self.0.read_to_end(&mut read).map_err(|error| error.kind());
        assert!(read.len() <= arrived, "{} bytes came late", read.len() - arrived);
        assert_eq!(end, Err(std::io::ErrorKind::ConnectionReset));
        read
    }
}
