//! The exchange that runs on this thread.
//!
//! ureq runs a whole call on its caller's thread, so what its connections
//! must know of the call (context, request, phase) stands in a thread-local.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use super::{HttpResponse, SignedBody, TransportFailure};
use crate::context::{CallContext, Ended};

/// How long an answer that keeps arriving may still be read after the call
/// ended: a complete answer beats a cancellation that comes late.
const GRACE: Duration = Duration::from_millis(50);

/// How long the body of an answer other than 2xx is waited for: its status has
/// said everything that counts.
const MAX_REFUSAL_WAIT: Duration = Duration::from_secs(2);

/// How far an exchange has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    Connecting,
    Handshaking,
    Exchanging,
}

pub(super) struct Exchange {
    pub(super) context: CallContext,
    /// When connecting, TLS included, must be done.
    pub(super) connect_until: Instant,
    /// What goes out instead of what ureq writes, until it does.
    pub(super) request: Option<Outgoing>,
    pub(super) phase: Phase,
    /// What came in instead of what ureq is shown.
    pub(super) answer: Option<HttpResponse>,
    /// What went wrong, told by those who know it best.
    pub(super) failure: Option<TransportFailure>,
    ended_at: Option<Instant>,
}

/// A request as it goes out.
pub(super) struct Outgoing {
    pub(super) head: Zeroizing<Vec<u8>>,
    pub(super) body: SignedBody,
    /// Whether it is a HEAD, whose answer has no body.
    pub(super) is_head: bool,
    pub(super) max_response_bytes: usize,
}

thread_local! {
    static EXCHANGE: RefCell<Option<Exchange>> = const { RefCell::new(None) };
}

/// Ends the exchange of this thread when dropped, and brings back the one
/// around it: a callback may use another client.
pub(super) struct Scope {
    outer: Option<Exchange>,
}

impl Drop for Scope {
    fn drop(&mut self) {
        // Dropped outside of the borrow: a hook of the host may go with it.
        drop(EXCHANGE.replace(self.outer.take()));
    }
}

/// Starts an exchange on this thread.
pub(super) fn begin(context: CallContext, connect_until: Instant, request: Outgoing) -> Scope {
    let exchange = Exchange {
        context,
        connect_until,
        request: Some(request),
        phase: Phase::Connecting,
        answer: None,
        failure: None,
        ended_at: None,
    };
    Scope { outer: EXCHANGE.with_borrow_mut(|current| current.replace(exchange)) }
}

/// Gives the exchange of this thread to `act`, or `None` outside of one.
pub(super) fn with<R>(act: impl FnOnce(&mut Exchange) -> R) -> Option<R> {
    EXCHANGE.with_borrow_mut(|exchange| exchange.as_mut().map(act))
}

/// Whether somebody has told already what went wrong.
pub(super) fn has_failed() -> bool {
    with(|exchange| exchange.failure.is_some()).unwrap_or(false)
}

/// From here on nothing is worth a long wait.
pub(super) fn limit_refusal() {
    with(|exchange| exchange.context = exchange.context.limited_to(MAX_REFUSAL_WAIT));
}

/// Whether this thread must stop waiting, and otherwise how long it may wait
/// before it asks again.
///
/// The context is asked outside the borrow: its interrupt hook may run code
/// of the host.
pub(super) fn wait_slice() -> Result<Duration, TransportFailure> {
    let Some((context, phase, connect_until)) =
        with(|exchange| (exchange.context.clone(), exchange.phase, exchange.connect_until))
    else {
        return Err(TransportFailure::ended(Ended::Deadline));
    };
    if let Some(ended) = context.ended() {
        return Err(TransportFailure::ended(ended));
    }
    let slice = context.wait_slice();
    if phase == Phase::Exchanging {
        return Ok(slice);
    }
    let left = connect_until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(connect_timed_out(phase));
    }
    Ok(slice.min(left.max(Duration::from_millis(1))))
}

/// As [`wait_slice`], but grants an answer that is arriving a little longer.
pub(super) fn read_slice() -> Result<Duration, TransportFailure> {
    wait_slice().or_else(|failure| {
        let ended_at = with(|exchange| {
            (exchange.phase == Phase::Exchanging)
                .then(|| *exchange.ended_at.get_or_insert_with(Instant::now))
        });
        match ended_at.flatten() {
            Some(at) if at.elapsed() < GRACE => Ok(Duration::from_millis(1)),
            _ => Err(failure),
        }
    })
}

/// What is left of the time to connect in.
pub(super) fn time_to_connect() -> Duration {
    with(|exchange| exchange.connect_until.saturating_duration_since(Instant::now()))
        .unwrap_or_default()
}

fn connect_timed_out(phase: Phase) -> TransportFailure {
    let what = if phase == Phase::Handshaking { "the TLS handshake" } else { "the connection" };
    TransportFailure::new(
        super::FailureKind::Connect,
        format!("{what} was not made within connect_timeout_ms; check the host and the network"),
    )
    .with_code("connect_timed_out")
}
