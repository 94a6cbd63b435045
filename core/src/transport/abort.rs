//! Connections that are aborted while they carry a request.
//!
//! After a normal close, the kernel continues to send its buffer, for minutes.
//! A request would arrive long after its call has ended, and be executed. An
//! abort (RFC 9293, 3.10.5) drops it.
//!
//! `SO_LINGER` of 0 makes every close an abort, also that by the end of the process,
//! and `TCP_USER_TIMEOUT` ends it at the deadline. A close does nothing while a forked
//! child has a copy of the socket, so a dropped connection is aborted with `connect` to
//! `AF_UNSPEC`.

use std::io;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use payments_base::process::Identity;
use socket2::SockRef;

/// Whether the kernel stops sending at the deadline, and reports that with
/// `ETIMEDOUT`.
pub(super) const HAS_USER_TIMEOUT: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// A TCP connection. From the start of a request until its response is read,
/// whatever closes it aborts it, also the end of the process.
pub(super) struct AbortableStream {
    pub(super) tcp: TcpStream,
    made_by: Identity,
    carries_request: AtomicBool,
}

impl AbortableStream {
    pub(super) fn new(tcp: TcpStream) -> Self {
        Self { tcp, made_by: Identity::current(), carries_request: AtomicBool::new(false) }
    }

    pub(super) fn carries_request(&self) -> bool {
        self.carries_request.load(Ordering::Relaxed)
    }

    /// Call it before a request is written. The kernel gives up `remaining`
    /// after it sent something that the peer does not acknowledge.
    ///
    /// # Errors
    /// If the system refuses an option.
    pub(super) fn begin_request(&self, remaining: Duration) -> io::Result<()> {
        let Some(socket) = self.own_socket() else { return Ok(()) };
        if !self.carries_request.swap(true, Ordering::Relaxed) {
            socket.set_linger(Some(Duration::ZERO))?;
        }
        // 0 stands for the system's default.
        set_user_timeout(&self.tcp, remaining.max(Duration::from_millis(1)))
    }

    /// Call it when the response has been read whole.
    pub(super) fn end_request(&self) {
        if self.carries_request.swap(false, Ordering::Relaxed)
            && let Some(socket) = self.own_socket()
        {
            // An option that stays set only resets a connection that is idle.
            let _ = socket.set_linger(None);
            let _ = set_user_timeout(&self.tcp, Duration::ZERO);
        }
    }

    /// Aborts the connection if it carries a request.
    pub(super) fn abort(&self) {
        if self.carries_request() && self.own_socket().is_some() {
            // While a forked child holds a copy, closing does nothing. Where
            // this is refused, the lingering time of zero makes the close an
            // abort.
            #[cfg(any(target_os = "linux", target_os = "android"))]
            let _ = rustix::net::connect_unspec(&self.tcp);
        }
    }

    /// The socket, if this process made it. Actions of a forked child on its
    /// copy would affect the parent's connection.
    fn own_socket(&self) -> Option<SockRef<'_>> {
        self.made_by.is_current().then(|| SockRef::from(&self.tcp))
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn set_user_timeout(stream: &TcpStream, timeout: Duration) -> io::Result<()> {
    // The kernel reads a signed number.
    let milliseconds = timeout.as_micros().div_ceil(1000).min(i32::MAX as u128);
    let milliseconds = u32::try_from(milliseconds).unwrap_or(u32::MAX);
    Ok(rustix::net::sockopt::set_tcp_user_timeout(stream, milliseconds)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn set_user_timeout(_: &TcpStream, _: Duration) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::TcpListener;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// A stream and the server's end of it.
    fn connect() -> (AbortableStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let server = listener.accept().unwrap().0;
        server.set_read_timeout(Some(LONG)).unwrap();
        (AbortableStream::new(stream), server)
    }

    fn end_of(mut server: TcpStream) -> Result<usize, io::ErrorKind> {
        server.read(&mut [0]).map_err(|error| error.kind())
    }

    fn linger(stream: &AbortableStream) -> Option<Duration> {
        SockRef::from(&stream.tcp).linger().unwrap()
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn user_timeout(stream: &AbortableStream) -> u32 {
        rustix::net::sockopt::tcp_user_timeout(&stream.tcp).unwrap()
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[test]
    fn the_options_last_as_long_as_the_request() {
        let (stream, _server) = connect();
        let before = (linger(&stream), user_timeout(&stream));
        for (remaining, milliseconds) in [
            (Duration::from_micros(1500), 2),
            (Duration::ZERO, 1),
            (Duration::MAX, i32::MAX.unsigned_abs()),
        ] {
            stream.begin_request(remaining).unwrap();
            assert_eq!(linger(&stream), Some(Duration::ZERO));
            assert_eq!(user_timeout(&stream), milliseconds);
        }
        stream.end_request();
        assert_eq!((linger(&stream), user_timeout(&stream)), before);
        assert_eq!(before, (None, 0));
    }

    #[test]
    fn a_connection_is_reset_only_while_it_carries_a_request() {
        let (stream, server) = connect();
        stream.begin_request(LONG).unwrap();
        stream.abort();
        drop(stream);
        assert_eq!(end_of(server), Err(io::ErrorKind::ConnectionReset));

        let (stream, server) = connect();
        stream.begin_request(LONG).unwrap();
        stream.end_request();
        stream.abort();
        drop(stream);
        assert_eq!(end_of(server), Ok(0));
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[test]
    fn a_connection_is_reset_in_spite_of_a_copy() {
        let (stream, server) = connect();
        let copy = stream.tcp.try_clone().unwrap();
        stream.begin_request(LONG).unwrap();
        stream.abort();
        drop(stream);
        assert_eq!(end_of(server), Err(io::ErrorKind::ConnectionReset));
        drop(copy);
    }

    #[test]
    fn another_process_leaves_the_connection_alone() {
        let (mut stream, server) = connect();
        let copy = stream.tcp.try_clone().unwrap();
        stream.begin_request(LONG).unwrap();
        stream.made_by = Identity::of_another();
        stream.end_request();
        assert_eq!(linger(&stream), Some(Duration::ZERO));
        stream.begin_request(LONG).unwrap();
        stream.abort();
        drop(stream);
        server.set_nonblocking(true).unwrap();
        assert_eq!(end_of(server), Err(io::ErrorKind::WouldBlock));
        drop(copy);
    }
}
