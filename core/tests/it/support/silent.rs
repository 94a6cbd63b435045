//! Loopback addresses that never respond.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

/// A port whose accept queue is full, so that connecting blocks.
pub struct FullQueue {
    pub address: SocketAddr,
    _listener: Socket,
    _waiting: Vec<Socket>,
}

impl FullQueue {
    pub fn new() -> Self {
        let address: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        listener.bind(&address.into()).unwrap();
        listener.listen(0).unwrap();
        let address = listener.local_addr().unwrap().as_socket().unwrap();
        let waiting = (0..8)
            .map(|_| {
                let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
                socket.set_nonblocking(true).unwrap();
                let _ = socket.connect(&address.into());
                socket
            })
            .collect();
        std::thread::sleep(Duration::from_millis(50));
        Self { address, _listener: listener, _waiting: waiting }
    }

    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://{}", self.address)
    }
}

/// A port whose connections the kernel accepts, and that never responds.
pub struct Mute(TcpListener);

impl Mute {
    pub fn new() -> Self {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        // Keeps a large body from fitting into the kernel's buffers.
        listener.set_recv_buffer_size(4096).unwrap();
        let address: SocketAddr = "127.0.0.1:0".parse().unwrap();
        listener.bind(&address.into()).unwrap();
        listener.listen(128).unwrap();
        Self(listener.into())
    }

    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://{}", self.0.local_addr().unwrap())
    }

    /// Accepts the next connection, and reads nothing from it.
    pub fn accept(&self) -> Unread {
        let socket = self.0.accept().unwrap().0;
        // Longer than any test waits.
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        Unread(socket)
    }
}

/// A connection from which nobody reads. Its kernel has what arrived.
pub struct Unread(pub TcpStream);

impl Unread {
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

    /// Reads on until the connection ends, and returns what arrived in all.
    /// Call it when the client has given up.
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

/// A loopback port without a listener.
pub fn refused_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
