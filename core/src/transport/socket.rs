//! A TCP connection that never blocks longer than its call allows.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::ureq::Error;
use ::ureq::unversioned::transport::{Buffers, LazyBuffers, NextTimeout, Transport};
use payments_base::debug_shows;
use payments_base::process::lock;

use super::TransportFailure;
use super::abort::{AbortableStream, HAS_USER_TIMEOUT};
use super::pace::{ConnectionStage, Pace};
use crate::call::context::{CallContext, Ended};
use crate::call::wait::Interest;

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
    /// As [`AbortableStream::begin_request`].
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
            match (&self.stream.tcp).write(&self.buffers.output()[from..to]) {
                Ok(0) => return Err(Error::Io(io::ErrorKind::WriteZero.into())),
                Err(error) if is_wait(&error) => {
                    pace.wait_for(&self.stream.tcp, Interest::Write, slice);
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
        let read = (&self.stream.tcp).read(self.buffers.input_append_buf())?;
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
            pace.wait_for_input(&self.stream.tcp).map_err(|failure| self.wire.fail(failure))?;
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
