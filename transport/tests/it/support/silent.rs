//! Loopback addresses that never respond.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

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
        // macOS takes 0 for as many as it allows.
        listener.listen(1).unwrap();
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
pub struct MuteListener(pub TcpListener);

impl MuteListener {
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

    /// The next connection, once a byte has arrived on it.
    pub fn connection_with_a_byte(&self) -> TcpStream {
        let (connection, _) = self.0.accept().unwrap();
        connection.peek(&mut [0]).unwrap();
        connection
    }
}

/// A loopback port without a listener. Its socket stays bound until the process ends,
/// which keeps any other server from getting the port.
pub fn refused_port() -> u16 {
    let (socket, port) = bound();
    std::mem::forget(socket);
    port
}

/// A socket that refuses connections until it listens, and its port.
pub fn bound() -> (Socket, u16) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let port = socket.local_addr().unwrap().as_socket().unwrap().port();
    (socket, port)
}
