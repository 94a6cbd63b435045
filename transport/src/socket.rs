//! A TCP connection that does not outlast its call: it never blocks longer than
//! the call allows, and is aborted if it is closed while it carries a request.
//!
//! After a normal close, the kernel continues to send its buffer, for minutes.
//! A request would arrive long after its call has ended, and be executed. An
//! abort (RFC 9293, 3.10.5) drops it.
//!
//! `SO_LINGER` of 0 makes every close an abort, including the one at the end of the
//! process, and `TCP_USER_TIMEOUT` ends it at the deadline. A close does nothing while
//! a forked child has a copy of the socket, so a dropped connection is aborted with
//! `connect` to `AF_UNSPEC`.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::ureq::Error;
use ::ureq::unversioned::transport::{Buffers, LazyBuffers, NextTimeout, Transport};
use payments_base::debug_shows;
use payments_base::own_descriptor::OwnDescriptor;
use payments_base::process::{Identity, lock};
use payments_base::wait::Interest;
use socket2::SockRef;

use crate::call::context::{CallContext, Ended};
use crate::failure::TransportFailure;
use crate::pace::{ConnectionStage, Pace};

pub(super) const BUFFER_BYTES: usize = 16 * 1024;

/// State that a connection shares with its socket. TLS lies between them and
/// passes on neither the call's limits nor the precise failure.
pub(super) struct Wire(Mutex<WireState>);

struct WireState {
    /// `None` until the TCP connection is made.
    stream: Option<Arc<AbortableStream>>,
    pace: Pace,
    /// While set, reads return only what has already arrived.
    is_probing: bool,
    /// Whether the last probe found anything.
    found_bytes: bool,
    /// Whether the kernel took a byte since the request began.
    has_taken: bool,
    failure: Option<TransportFailure>,
}

impl Wire {
    pub(super) fn new(pace: Pace) -> Arc<Self> {
        let state = WireState {
            stream: None,
            pace,
            is_probing: false,
            found_bytes: false,
            has_taken: false,
            failure: None,
        };
        Arc::new(Self(Mutex::new(state)))
    }

    pub(super) fn stream(&self) -> Option<Arc<AbortableStream>> {
        lock(&self.0).stream.clone()
    }

    /// Prepares the socket for a request, right before its first byte.
    ///
    /// # Errors
    /// Those of [`AbortableStream::begin_request`].
    pub(super) fn begin_request(&self) -> io::Result<()> {
        lock(&self.0).has_taken = false;
        let remaining = self.pace().context.remaining();
        self.stream().map_or(Ok(()), |stream| stream.begin_request(remaining))
    }

    /// Whether the kernel took a byte since [`begin_request`](Self::begin_request).
    pub(super) fn has_taken(&self) -> bool {
        lock(&self.0).has_taken
    }

    /// Aborts the connection if it carries a request.
    pub(super) fn abort(&self) {
        if let Some(stream) = self.stream() {
            stream.abort();
        }
    }

    /// Makes the socket serve the call of `pace` from now on.
    pub(super) fn begin(&self, pace: Pace) {
        let mut state = lock(&self.0);
        state.pace = pace.at(state.pace.stage);
        state.failure = None;
    }

    /// Ends the request, whose response has been read whole. Releases everything
    /// that belongs to the call, since its hook may keep other objects alive.
    pub(super) fn rest(&self) {
        if let Some(stream) = self.stream() {
            stream.end_request();
        }
        let nobody = CallContext::with_timeout(Duration::ZERO);
        let served = {
            let mut state = lock(&self.0);
            let idle = Pace::new(&nobody, Duration::ZERO).at(state.pace.stage);
            std::mem::replace(&mut state.pace, idle)
        };
        // Outside the lock, since dropping may run code of the host.
        drop(served);
    }

    pub(super) fn pace(&self) -> Pace {
        lock(&self.0).pace.clone()
    }

    pub(super) fn stage(&self) -> ConnectionStage {
        lock(&self.0).pace.stage
    }

    pub(super) fn reach(&self, stage: ConnectionStage) {
        lock(&self.0).pace.stage = stage;
    }

    pub(super) fn limit_refusal(&self) {
        lock(&self.0).pace.limit_refusal();
    }

    /// Runs `read` on the bytes that have already arrived. Also returns whether
    /// there was anything, TLS included.
    pub(super) fn probe<R>(&self, read: impl FnOnce() -> R) -> (R, bool) {
        {
            let mut state = lock(&self.0);
            state.is_probing = true;
            state.found_bytes = false;
        }
        let result = read();
        let mut state = lock(&self.0);
        state.is_probing = false;
        (result, state.found_bytes)
    }

    fn is_probing(&self) -> bool {
        lock(&self.0).is_probing
    }

    /// Records `failure` for the user of the connection, and returns an error
    /// for ureq.
    pub(super) fn fail(&self, failure: TransportFailure) -> Error {
        lock(&self.0).failure.get_or_insert(failure);
        Error::ConnectionFailed
    }

    pub(super) fn take_failure(&self) -> Option<TransportFailure> {
        lock(&self.0).failure.take()
    }
}

/// The innermost layer of a connection.
pub(super) struct Socket {
    stream: Arc<AbortableStream>,
    wire: Arc<Wire>,
    buffers: LazyBuffers,
    /// Set when writing fails; later writes are discarded. The response may
    /// still have arrived, and TLS flushes its output before it reads.
    peer_is_deaf: bool,
}

impl Socket {
    /// `stream` must be non-blocking.
    pub(super) fn new(stream: TcpStream, wire: Arc<Wire>) -> Self {
        let stream = Arc::new(AbortableStream::new(stream));
        lock(&wire.0).stream = Some(Arc::clone(&stream));
        Self {
            stream,
            wire,
            buffers: LazyBuffers::new(BUFFER_BYTES, BUFFER_BYTES),
            peer_is_deaf: false,
        }
    }

    fn write_some(&mut self, from: usize, to: usize) -> Result<usize, Error> {
        loop {
            let pace = self.wire.pace();
            let slice = pace.slice().map_err(|failure| self.wire.fail(failure))?;
            let mut tcp = self.stream.tcp().map_err(Error::Io)?;
            match tcp.write(&self.buffers.output()[from..to]) {
                Ok(0) => return Err(Error::Io(io::ErrorKind::WriteZero.into())),
                Err(error) if is_wait(&error) => {
                    pace.wait_for(tcp, Interest::Write, slice);
                }
                Ok(written) => {
                    lock(&self.wire.0).has_taken = true;
                    return Ok(written);
                }
                Err(error) => return Err(self.broken(error)),
            }
        }
    }

    /// Reads what has already arrived, without waiting.
    fn read_arrived(&mut self) -> io::Result<usize> {
        let read = self.stream.tcp()?.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(read);
        Ok(read)
    }

    /// A failed read or write. The kernel's own deadline may be a tick ahead of
    /// the call's.
    fn broken(&self, error: io::Error) -> Error {
        let is_deadline = HAS_USER_TIMEOUT
            && error.kind() == io::ErrorKind::TimedOut
            && self.stream.carries_request();
        if is_deadline {
            self.wire.fail(TransportFailure::ended(Ended::Deadline))
        } else {
            Error::Io(error)
        }
    }
}

fn is_wait(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
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

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
        if self.wire.is_probing() {
            let read = self.read_arrived()?;
            lock(&self.wire.0).found_bytes = true;
            return Ok(read > 0);
        }
        loop {
            let pace = self.wire.pace();
            let tcp = self.stream.tcp().map_err(Error::Io)?;
            pace.wait_for_input(tcp).map_err(|failure| self.wire.fail(failure))?;
            match self.read_arrived() {
                Err(error) if is_wait(&error) => {}
                read => return Ok(read.map_err(|error| self.broken(error))? > 0),
            }
        }
    }

    fn is_open(&mut self) -> bool {
        true
    }
}

debug_shows!(Socket);

/// Whether the kernel stops sending at the deadline, and reports that with
/// `ETIMEDOUT`.
const HAS_USER_TIMEOUT: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// A TCP connection. From the start of a request until its response is read,
/// every close aborts it, including the one at the end of the process.
pub(super) struct AbortableStream {
    tcp: OwnDescriptor<TcpStream>,
    made_by: Identity,
    carries_request: AtomicBool,
}

impl AbortableStream {
    fn new(tcp: TcpStream) -> Self {
        let (tcp, made_by) = (OwnDescriptor::new(tcp), Identity::current());
        Self { tcp, made_by, carries_request: AtomicBool::new(false) }
    }

    /// The socket, unless other code of the process has closed it.
    ///
    /// # Errors
    /// `NotConnected`.
    pub(super) fn tcp(&self) -> io::Result<&TcpStream> {
        self.tcp.get().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    fn carries_request(&self) -> bool {
        self.carries_request.load(Ordering::Relaxed)
    }

    /// Call it before a request is written. The kernel gives up `remaining`
    /// after it sent something that the peer does not acknowledge.
    ///
    /// # Errors
    /// If the system refuses an option.
    fn begin_request(&self, remaining: Duration) -> io::Result<()> {
        let Some(tcp) = self.own_tcp()? else { return Ok(()) };
        if !self.carries_request.swap(true, Ordering::Relaxed) {
            SockRef::from(tcp).set_linger(Some(Duration::ZERO))?;
        }
        // 0 stands for the system's default.
        set_user_timeout(tcp, remaining.max(Duration::from_millis(1)))
    }

    /// Call it when the response has been read whole.
    fn end_request(&self) {
        if self.carries_request.swap(false, Ordering::Relaxed)
            && let Ok(Some(tcp)) = self.own_tcp()
        {
            // An option that stays set only resets a connection that is idle.
            let _ = SockRef::from(tcp).set_linger(None);
            let _ = set_user_timeout(tcp, Duration::ZERO);
        }
    }

    /// Aborts the connection if it carries a request.
    fn abort(&self) {
        if self.carries_request()
            && let Ok(Some(tcp)) = self.own_tcp()
        {
            // While a forked child holds a copy, closing does nothing. Where
            // this is refused, the lingering time of zero makes the close an
            // abort.
            #[cfg(any(target_os = "linux", target_os = "android"))]
            let _ = rustix::net::connect_unspec(tcp);
            #[cfg(not(any(target_os = "linux", target_os = "android")))]
            let _ = tcp;
        }
    }

    /// The socket, if this process made it. Actions of a forked child on its
    /// copy would affect the parent's connection.
    ///
    /// # Errors
    /// Those of [`tcp`](Self::tcp).
    fn own_tcp(&self) -> io::Result<Option<&TcpStream>> {
        self.made_by.is_current().then(|| self.tcp()).transpose()
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
        SockRef::from(stream.tcp().unwrap()).linger().unwrap()
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn user_timeout(stream: &AbortableStream) -> u32 {
        rustix::net::sockopt::tcp_user_timeout(stream.tcp().unwrap()).unwrap()
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
        let copy = stream.tcp().unwrap().try_clone().unwrap();
        stream.begin_request(LONG).unwrap();
        stream.abort();
        drop(stream);
        assert_eq!(end_of(server), Err(io::ErrorKind::ConnectionReset));
        drop(copy);
    }

    #[test]
    fn another_process_leaves_the_connection_alone() {
        let (mut stream, server) = connect();
        let copy = stream.tcp().unwrap().try_clone().unwrap();
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
