//! The deadline, cancellation and byte record of a call.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::debug::debug_shows;
use crate::error::{Error, ErrorKind, Outcome};
use crate::moment::Moment;
use crate::reentrancy::callback;
use crate::wait::{self, Bell};

/// The longest wait inside the crate without asking the context whether the
/// call goes on.
pub const WAIT_SLICE: Duration = Duration::from_millis(100);

/// Cancels calls from another thread. Clones cancel the same calls.
#[derive(Clone, Default)]
pub struct CancelHandle(Arc<Cancellation>);

#[derive(Default)]
struct Cancellation {
    is_cancelled: AtomicBool,
    /// Created by the first call that waits. `None` if no descriptor was
    /// available; calls then notice a cancellation at their next slice.
    bell: OnceLock<Option<Bell>>,
}

impl CancelHandle {
    /// A handle that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends every call that has this handle, now and in the future. Takes no
    /// lock, so a signal handler may call it.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::SeqCst);
        // Pairs with the fence in `bell`: either this thread sees the bell, or
        // the thread that creates the bell sees the cancellation.
        fence(Ordering::SeqCst);
        if let Some(Some(bell)) = self.0.bell.get() {
            bell.ring();
        }
    }

    /// Whether [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::SeqCst)
    }

    /// The bell that a cancellation rings. Check
    /// [`is_cancelled`](Self::is_cancelled) after this call and before waiting.
    #[cfg(unix)]
    fn bell(&self) -> Option<&Bell> {
        if self.is_held_by_a_context_only() {
            return None;
        }
        let bell = self.0.bell.get_or_init(Bell::new).as_ref();
        fence(Ordering::SeqCst);
        bell
    }

    #[cfg(unix)]
    fn is_held_by_a_context_only(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Whether a cancellation ends a wait at once.
    fn wakes(&self) -> bool {
        #[cfg(unix)]
        return self.is_held_by_a_context_only() || self.bell().is_some();
        #[cfg(not(unix))]
        false
    }
}

impl fmt::Debug for CancelHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelHandle").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

/// A hook that every wait calls on the caller's own thread; `true` ends the
/// call. A host language checks for pending signals here.
pub type InterruptHook = Arc<dyn Fn() -> bool + Send + Sync>;

/// Why a call must stop waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The deadline passed.
    Deadline,
    /// The caller cancelled.
    Cancelled,
}

/// The deadline of a call, the ways to end it early, and the record of whether
/// a byte of its request was sent. Clones share all three.
///
/// One context may serve several calls, also at once. Each call has a byte
/// record of its own; the context records whether any of them sent a byte.
#[derive(Clone)]
pub struct CallContext {
    deadline: Instant,
    ending: Arc<Ending>,
    bytes_left: Arc<AtomicBool>,
    /// When the first byte must have left: this long after that moment.
    departure: Option<(Moment, Duration)>,
}

struct Ending {
    cancel: CancelHandle,
    interrupt: Option<InterruptHook>,
    interrupted: AtomicBool,
    is_signalled: Option<Arc<AtomicBool>>,
}

impl CallContext {
    /// A context whose deadline is `timeout` from now.
    pub fn with_timeout(timeout: Duration) -> Self {
        Self::new(timeout, CancelHandle::new(), None)
    }

    /// A context whose calls end after `timeout`, when `cancel` is used, or
    /// when `interrupt` returns `true`.
    pub fn new(timeout: Duration, cancel: CancelHandle, interrupt: Option<InterruptHook>) -> Self {
        let now = Instant::now();
        Self {
            // A deadline that the clock cannot hold becomes one year.
            deadline: now
                .checked_add(timeout)
                .unwrap_or_else(|| now + Duration::from_secs(31_536_000)),
            ending: Arc::new(Ending {
                cancel,
                interrupt,
                interrupted: AtomicBool::new(false),
                is_signalled: None,
            }),
            bytes_left: Arc::new(AtomicBool::new(false)),
            departure: None,
        }
    }

    /// Ends the call before its first byte if that cannot leave within the
    /// deadline, by the clocks that also count while the process or the machine
    /// is frozen.
    #[must_use]
    pub(crate) fn departing_in_time(self) -> Self {
        Self { departure: Some((Moment::now(), self.remaining())), ..self }
    }

    /// Whether it is too late for the first byte of the request.
    pub(crate) fn has_missed_departure(&self) -> bool {
        self.departure.is_some_and(|(from, limit)| Moment::now().since(from) >= limit)
    }

    /// Sets `flag` whenever a signal may have ended a wait, for hooks that are
    /// expensive to run. Has no effect once the context has been cloned.
    #[doc(hidden)]
    #[must_use]
    pub fn noting_signals(mut self, flag: Arc<AtomicBool>) -> Self {
        if let Some(ending) = Arc::get_mut(&mut self.ending) {
            ending.is_signalled = Some(flag);
        }
        self
    }

    /// The same call with a deadline at most `limit` from now.
    pub fn limited_to(&self, limit: Duration) -> Self {
        let limited = Instant::now().checked_add(limit).unwrap_or(self.deadline);
        Self { deadline: self.deadline.min(limited), ..self.clone() }
    }

    /// The same deadline and cancellation with a new byte record, for a request
    /// other than the operation's, such as a token request.
    pub fn with_own_record(&self) -> Self {
        Self { bytes_left: Arc::new(AtomicBool::new(false)), ..self.clone() }
    }

    /// The same cancellation with a new deadline and a new byte record, for the
    /// next of several calls.
    pub(crate) fn renewed(&self, timeout: Duration) -> Self {
        let far = CallContext::with_timeout(timeout);
        Self { ending: Arc::clone(&self.ending), ..far }
    }

    /// The moment the call ends at the latest.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The time left; zero after the deadline.
    pub fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// How long to wait at most before asking [`ended`](Self::ended) again.
    /// Never zero, at most [`WAIT_SLICE`].
    pub fn wait_slice(&self) -> Duration {
        self.remaining().clamp(Duration::from_millis(1), WAIT_SLICE)
    }

    /// How long to wait at most where a cancellation wakes the thread: avoids
    /// ten wake-ups per second for each of hundreds of waiting calls. With a
    /// hook it is [`wait_slice`](Self::wait_slice).
    pub(crate) fn wake_slice(&self) -> Duration {
        if self.ending.interrupt.is_none() && self.ending.cancel.wakes() {
            self.remaining().max(Duration::from_millis(1))
        } else {
            self.wait_slice()
        }
    }

    /// Whether and why the call must stop. A cancellation takes precedence over
    /// the deadline.
    pub fn ended(&self) -> Option<Ended> {
        if self.is_cancelled() {
            Some(Ended::Cancelled)
        } else if self.deadline <= Instant::now() {
            Some(Ended::Deadline)
        } else {
            None
        }
    }

    fn is_cancelled(&self) -> bool {
        if self.ending.cancel.is_cancelled() || self.ending.interrupted.load(Ordering::Acquire) {
            return true;
        }
        // Remembers the first `true`: checking for a signal consumes it, so the
        // hook may not repeat it.
        let interrupted = self.ending.interrupt.as_ref().is_some_and(|hook| callback(|| hook()));
        if interrupted {
            self.ending.interrupted.store(true, Ordering::Release);
        }
        interrupted
    }

    /// The error for a call that ended, with the outcome from the byte record.
    pub fn ended_error(&self, ended: Ended) -> Error {
        match ended {
            Ended::Deadline => Error::new(
                ErrorKind::Timeout,
                self.outcome(),
                "deadline_passed",
                "the deadline of the call passed; raise timeout_ms if the service needs longer",
            ),
            Ended::Cancelled => Error::new(
                ErrorKind::Cancelled,
                self.outcome(),
                "cancelled",
                "the call was cancelled by the caller",
            ),
        }
    }

    /// Returns `Ok` while the call may go on.
    ///
    /// # Errors
    /// `timeout` or `cancelled`, with the outcome from the byte record.
    pub fn check(&self) -> Result<(), Error> {
        self.ended().map_or(Ok(()), |ended| Err(self.ended_error(ended)))
    }

    /// As [`check`](Self::check) for a completed call, which the deadline no
    /// longer affects.
    pub(crate) fn check_cancelled(&self) -> Result<(), Error> {
        match self.ended() {
            Some(ended @ Ended::Cancelled) => Err(self.ended_error(ended)),
            _ => Ok(()),
        }
    }

    /// Sleeps for `duration`.
    ///
    /// # Errors
    /// As [`check`](Self::check) if the call ends first.
    pub fn sleep(&self, duration: Duration) -> Result<(), Error> {
        let until = Instant::now().checked_add(duration);
        loop {
            self.check()?;
            let left = until.unwrap_or(self.deadline).saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.wait_for_bell(None, left.min(self.wait_slice()));
        }
    }

    /// Waits until `bell` rings, a signal arrives or the call is cancelled, for
    /// at most `limit`.
    #[cfg(unix)]
    pub(crate) fn wait_for_bell(&self, bell: Option<&Bell>, limit: Duration) {
        let awaited = bell.map(|bell| (std::os::fd::AsFd::as_fd(bell), wait::Interest::Read));
        self.wait_until_ready(awaited, limit);
    }

    /// As [`wait_for_bell`](Self::wait_for_bell) for a socket. Returns whether
    /// `awaited` is ready.
    #[cfg(unix)]
    pub(crate) fn wait_until_ready(
        &self,
        awaited: Option<(std::os::fd::BorrowedFd<'_>, wait::Interest)>,
        limit: Duration,
    ) -> bool {
        let cancel = &self.ending.cancel;
        let bell = cancel.bell();
        if cancel.is_cancelled() {
            return false;
        }
        let (is_ready, rang) = wait::is_ready(awaited, bell, limit);
        if let Some(bell) = bell.filter(|_| rang && !cancel.is_cancelled()) {
            // A forked process that shares the descriptor rang it.
            bell.silence();
        }
        if let Some(flag) = self.ending.is_signalled.as_ref().filter(|_| !is_ready) {
            flag.store(true, Ordering::Relaxed);
        }
        is_ready
    }

    #[cfg(not(unix))]
    pub(crate) fn wait_for_bell(&self, bell: Option<&Bell>, limit: Duration) {
        match bell {
            Some(bell) => bell.wait(limit),
            None => std::thread::sleep(limit),
        }
    }

    /// Records that a byte of the request may have been sent. A transport calls
    /// this before it writes the first byte.
    pub fn mark_bytes_left(&self) {
        self.bytes_left.store(true, Ordering::Release);
    }

    /// Whether a byte of the current attempt may have been sent. On the
    /// caller's context, after its calls: whether a byte of any of them may
    /// have been.
    pub fn bytes_left(&self) -> bool {
        self.bytes_left.load(Ordering::Acquire)
    }

    /// Clears the record for a new attempt. The previous one must be known not
    /// to have been executed.
    pub(crate) fn clear_bytes_left(&self) {
        self.bytes_left.store(false, Ordering::Release);
    }

    /// The outcome that the byte record implies.
    pub fn outcome(&self) -> Outcome {
        if self.bytes_left() { Outcome::Unknown } else { Outcome::NotExecuted }
    }
}

debug_shows!(CallContext, |it| remaining = it.remaining(), bytes_left = it.bytes_left());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_is_told_before_the_deadline() {
        let cancel = CancelHandle::new();
        let context = CallContext::new(Duration::ZERO, cancel.clone(), None);
        assert_eq!(context.ended(), Some(Ended::Deadline));
        cancel.cancel();
        assert_eq!(context.ended(), Some(Ended::Cancelled));
    }

    #[test]
    fn an_interrupt_is_remembered() {
        let asked = Arc::new(AtomicBool::new(false));
        let hook: InterruptHook = {
            let asked = Arc::clone(&asked);
            Arc::new(move || !asked.swap(true, Ordering::SeqCst))
        };
        let context = CallContext::new(Duration::from_secs(60), CancelHandle::new(), Some(hook));
        assert_eq!(context.ended(), Some(Ended::Cancelled));
        assert_eq!(context.clone().ended(), Some(Ended::Cancelled));
    }

    #[test]
    fn no_duration_is_too_long() {
        let context = CallContext::with_timeout(Duration::MAX);
        assert!(context.limited_to(Duration::MAX).ended().is_none());
        let context = CallContext::with_timeout(Duration::from_millis(1));
        assert!(context.sleep(Duration::MAX).is_err());
    }

    #[test]
    fn the_outcome_follows_the_byte_record() {
        let context = CallContext::with_timeout(Duration::ZERO);
        let of = |context: &CallContext| context.check().map_err(|e| e.outcome());
        assert_eq!(of(&context), Err(Outcome::NotExecuted));
        context.limited_to(Duration::ZERO).mark_bytes_left();
        assert_eq!(of(&context), Err(Outcome::Unknown));
    }

    #[cfg(unix)]
    #[test]
    fn a_descriptor_that_another_process_rings_does_not_keep_a_call_awake() {
        let cancel = CancelHandle::new();
        let long = Duration::from_secs(60);
        let context = CallContext::new(long, cancel.clone(), None);
        context.wait_for_bell(None, Duration::ZERO);
        cancel.0.bell.get().and_then(Option::as_ref).unwrap().ring();
        context.wait_for_bell(None, long);
        let started = Instant::now();
        context.wait_for_bell(None, Duration::from_millis(20));
        assert!(started.elapsed() >= Duration::from_millis(20));
    }
}
