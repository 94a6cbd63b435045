//! The time limits of a call on its connection.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use payments_base::process::ForkGuard;
use payments_base::wait::{self, Interest};
use rustix::fd::AsFd;

use crate::call::context::CallContext;
use crate::call::semaphore::{Permit, Semaphore};
use crate::failure::{Cause, TransportFailure};

/// How long data that has already arrived may still be read after the call
/// ended.
const GRACE: Duration = Duration::from_millis(5);

/// How long to wait for the body of a response other than 2xx: only its status
/// matters.
const MAX_REFUSAL_WAIT: Duration = Duration::from_secs(2);

/// The stage that a connection has reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConnectionStage {
    Connecting,
    Handshaking,
    /// Carries requests and responses.
    Open,
}

/// The limits of one call on one connection.
#[derive(Clone)]
pub struct Pace {
    pub(super) context: CallContext,
    pub(super) stage: ConnectionStage,
    /// The deadline for connecting, TLS included.
    connect_until: Instant,
    /// Set when the call is first seen to have ended.
    grace_ends: Arc<OnceLock<Instant>>,
}

impl Pace {
    /// The limits of a call with this `connect_timeout`.
    pub fn new(context: &CallContext, connect_timeout: Duration) -> Self {
        let context = context.clone();
        let connect_until =
            Instant::now().checked_add(connect_timeout).unwrap_or_else(|| context.deadline());
        Self {
            context,
            stage: ConnectionStage::Connecting,
            connect_until,
            grace_ends: Arc::default(),
        }
    }

    /// The same limits at another `stage`.
    pub(super) fn at(self, stage: ConnectionStage) -> Self {
        Self { stage, ..self }
    }

    /// Limits further waiting, since the status is known and is not 2xx.
    pub(super) fn limit_refusal(&mut self) {
        self.context = self.context.limited_to(MAX_REFUSAL_WAIT);
    }

    /// How long to wait at most before checking again.
    ///
    /// # Errors
    /// The call ended, or connecting took too long.
    pub(super) fn slice(&self) -> Result<Duration, TransportFailure> {
        if let Some(ended) = self.context.ended() {
            return Err(TransportFailure::ended(ended));
        }
        let slice = self.context.wake_slice();
        if self.stage == ConnectionStage::Open {
            return Ok(slice);
        }
        let left = self.time_to_connect();
        if left.is_zero() {
            return Err(self.connect_timed_out());
        }
        Ok(slice.min(left.max(Duration::from_millis(1))))
    }

    /// Waits until fewer than `limit` permits are held.
    ///
    /// # Errors
    /// Those of [`slice`](Self::slice).
    pub(super) fn acquire(
        &self,
        semaphore: &Semaphore,
        limit: usize,
    ) -> Result<ForkGuard<Permit>, TransportFailure> {
        let limited = self.context.limited_to(self.time_to_connect());
        semaphore
            .acquire(limit, &limited)
            .map_err(|ended| self.slice().err().unwrap_or_else(|| TransportFailure::ended(ended)))
    }

    /// Whether input that has already arrived may still be read although the
    /// call ended. This includes a response in the socket's buffer, but not one
    /// that is still arriving.
    fn is_in_grace(&self) -> bool {
        let now = Instant::now();
        self.stage == ConnectionStage::Open
            && now < *self.grace_ends.get_or_init(|| now + GRACE)
            // The parent reads what arrives.
            && !self.context.is_forked()
    }

    /// Waits until `socket` may be ready or the call is cancelled, for at most
    /// `slice`. Returns whether it may be ready.
    pub(super) fn wait_for(&self, socket: &impl AsFd, interest: Interest, slice: Duration) -> bool {
        self.context.wait_until_ready(Some((socket.as_fd(), interest)), slice)
    }

    /// Like [`wait_for`](Self::wait_for), until one of `sockets` may be connected.
    pub(super) fn wait_for_any(&self, sockets: &[impl AsFd], slice: Duration) -> bool {
        let awaited = sockets.iter().map(|socket| (socket.as_fd(), Interest::Write));
        self.context.wait_until_ready(awaited, slice)
    }

    /// Waits until `socket` may have input.
    ///
    /// # Errors
    /// Those of [`slice`](Self::slice), unless input has already arrived.
    pub(super) fn wait_for_input(&self, socket: &impl AsFd) -> Result<(), TransportFailure> {
        loop {
            match self.slice() {
                Ok(slice) if self.wait_for(socket, Interest::Read, slice) => return Ok(()),
                Ok(_) => {}
                Err(failure) => {
                    let input = Some((socket.as_fd(), Interest::Read));
                    let has_input = || wait::is_ready(input, None, Duration::ZERO);
                    return if self.is_in_grace() && has_input() { Ok(()) } else { Err(failure) };
                }
            }
        }
    }

    /// The time left for connecting.
    pub(super) fn time_to_connect(&self) -> Duration {
        self.connect_until.saturating_duration_since(Instant::now())
    }

    fn connect_timed_out(&self) -> TransportFailure {
        let what = match self.stage {
            ConnectionStage::Handshaking => "the TLS handshake",
            _ => "the connection",
        };
        TransportFailure::of(
            Cause::ConnectTimedOut,
            format!("{what} was not completed within connect_timeout_ms"),
        )
        .of_address()
    }
}
