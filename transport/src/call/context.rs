//! The deadline, cancellation and byte record of a call.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use payments_base::boot_instant::BootInstant;
use payments_base::debug_shows;
use payments_base::process::Identity;
use rustix::fd::{AsFd as _, BorrowedFd};

use payments_base::reentrancy::{callback, interrupt_hook};
use payments_base::wait::{self, Waker};

/// The longest wait inside the crate without asking the context whether the
/// call continues.
pub const WAIT_SLICE: Duration = Duration::from_millis(100);

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
    /// This process was forked during the call, which its parent continues.
    Forked,
}

impl Ended {
    /// It in words.
    pub const fn message(self) -> &'static str {
        match self {
            Self::Deadline => {
                "the deadline of the call passed; raise `timeout_ms` if the service needs longer"
            }
            Self::Cancelled => "the call was cancelled by the caller",
            Self::Forked => {
                "a callback of the call forked this process, and the parent continues the call; \
                 do not send it again from this process, and fork outside of callbacks"
            }
        }
    }
}

/// A call that must stop waiting: why, and what it may have done by then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// Why it must stop.
    pub ended: Ended,
    /// Whether a byte of its request may have been sent.
    pub may_have_sent: bool,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ended.message())
    }
}

impl std::error::Error for Stopped {}

/// The deadline of a call, the ways to end it early, and the record of whether
/// a byte of its request was sent. Clones share all three.
///
/// One context may serve several calls, also at once. Each call has its own
/// byte record; the context records whether any of them sent a byte.
#[derive(Clone)]
pub struct CallContext {
    deadline: Instant,
    ending: Arc<EndSignals>,
    record: ByteRecord,
    /// When the first byte must have left: this long after that moment.
    first_byte_deadline: Option<(BootInstant, Duration)>,
    /// The process in which the call was begun; `None` before that.
    begun_in: Option<Identity>,
    /// A value of the code above, which nothing here looks at.
    carried: Option<Arc<dyn Any + Send + Sync>>,
}

/// Whether a byte of a request may have been sent. Once set, it stays set.
#[doc(hidden)]
#[derive(Clone, Default)]
pub struct ByteRecord(Arc<RecordState>);

#[derive(Default)]
struct RecordState {
    may_have_sent: AtomicBool,
    /// The record of the whole that the request is a part of.
    of_whole: Option<ByteRecord>,
}

impl ByteRecord {
    fn nested(&self) -> Self {
        let of_whole = Some(self.clone());
        Self(Arc::new(RecordState { may_have_sent: AtomicBool::new(false), of_whole }))
    }

    fn set(&self) {
        self.0.may_have_sent.store(true, Ordering::Release);
        if let Some(whole) = &self.0.of_whole {
            whole.set();
        }
    }

    pub fn may_have_sent(&self) -> bool {
        self.0.may_have_sent.load(Ordering::Acquire)
    }
}

struct EndSignals {
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
            ending: Arc::new(EndSignals {
                cancel,
                interrupt,
                interrupted: AtomicBool::new(false),
                is_signalled: None,
            }),
            record: ByteRecord::default(),
            first_byte_deadline: None,
            begun_in: None,
            carried: None,
        }
    }

    /// The same call, which carries `value` in place of another.
    #[doc(hidden)]
    pub fn carrying<T: Any + Send + Sync>(self, value: T) -> Self {
        Self { carried: Some(Arc::new(value)), ..self }
    }

    /// The value that it carries.
    #[doc(hidden)]
    pub fn carried<T: Any>(&self) -> Option<&T> {
        self.carried.as_deref()?.downcast_ref()
    }

    /// The same call, which belongs to this process if it did not belong to one.
    #[doc(hidden)]
    pub fn begun(&self) -> Self {
        let process = self.begun_in.unwrap_or_else(Identity::current);
        Self { begun_in: Some(process), ..self.clone() }
    }

    /// Whether this process was forked after the call was begun.
    #[doc(hidden)]
    pub fn is_forked(&self) -> bool {
        self.begun_in.is_some_and(|process| !process.is_current())
    }

    /// The `result` of a call, or of a step of it. In a forked child there is
    /// none: the parent may be executing the call.
    #[doc(hidden)]
    pub fn unless_forked<R, E: From<Stopped>>(&self, result: Result<R, E>) -> Result<R, E> {
        if self.is_forked() { Err(self.stopped(Ended::Forked).into()) } else { result }
    }

    /// Runs the caller's code. Returns `Forked` in a child that the code, or
    /// other code before it, has forked.
    #[doc(hidden)]
    pub fn callback<R>(&self, run: impl FnOnce() -> R) -> Result<R, Ended> {
        self.unless_fork(|| callback(run))
    }

    fn unless_fork<R>(&self, run: impl FnOnce() -> R) -> Result<R, Ended> {
        if self.is_forked() {
            return Err(Ended::Forked);
        }
        let result = run();
        if self.is_forked() { Err(Ended::Forked) } else { Ok(result) }
    }

    /// Ends the call before its first byte if that cannot leave within the
    /// deadline, by the clocks that also count while the process or the machine
    /// is frozen.
    #[doc(hidden)]
    #[must_use]
    pub fn with_first_byte_deadline(self) -> Self {
        Self { first_byte_deadline: Some((BootInstant::now(), self.remaining())), ..self }
    }

    /// Whether it is too late for the first byte of the request.
    #[doc(hidden)]
    pub fn is_first_byte_overdue(&self) -> bool {
        self.first_byte_deadline
            .is_some_and(|(from, limit)| BootInstant::now().since(from) >= limit)
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
        Self { record: ByteRecord::default(), ..self.clone() }
    }

    /// Like [`with_own_record`](Self::with_own_record), for a part of this
    /// context's work: a byte that is recorded there is recorded here, too.
    #[doc(hidden)]
    pub fn with_nested_record(&self) -> Self {
        Self { record: self.record.nested(), ..self.clone() }
    }

    #[doc(hidden)]
    pub fn record(&self) -> ByteRecord {
        self.record.clone()
    }

    /// The same cancellation with a new deadline and a new byte record, for the
    /// next of several calls.
    #[doc(hidden)]
    pub fn renewed(&self, timeout: Duration) -> Self {
        let far = CallContext::with_timeout(timeout);
        Self { ending: Arc::clone(&self.ending), begun_in: self.begun_in, ..far }.begun()
    }

    /// The latest moment at which the call ends.
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
    #[doc(hidden)]
    pub fn wake_slice(&self) -> Duration {
        if self.ending.interrupt.is_none() && self.ending.cancel.wakes() {
            self.remaining().max(Duration::from_millis(1))
        } else {
            self.wait_slice()
        }
    }

    /// Whether and why the call must stop. A fork takes precedence over a
    /// cancellation, and a cancellation over the deadline.
    pub fn ended(&self) -> Option<Ended> {
        match self.is_cancelled() {
            Err(forked) => Some(forked),
            Ok(true) => Some(Ended::Cancelled),
            Ok(false) if self.deadline <= Instant::now() => Some(Ended::Deadline),
            Ok(false) => None,
        }
    }

    fn is_cancelled(&self) -> Result<bool, Ended> {
        let EndSignals { cancel, interrupt, interrupted, .. } = &*self.ending;
        let is_cancelled = cancel.is_cancelled() || interrupted.load(Ordering::Acquire);
        let Some(hook) = interrupt.as_ref().filter(|_| !is_cancelled) else {
            return if self.is_forked() { Err(Ended::Forked) } else { Ok(is_cancelled) };
        };
        let is_interrupted = self.unless_fork(|| interrupt_hook(|| hook()))?;
        // Remembers the first `true`: checking for a signal consumes it, so the
        // hook may not repeat it.
        if is_interrupted {
            interrupted.store(true, Ordering::Release);
        }
        Ok(is_interrupted)
    }

    /// A call that `ended`, with its byte record.
    pub fn stopped(&self, ended: Ended) -> Stopped {
        // In a forked child, the parent may be sending.
        let may_have_sent = self.may_have_sent() || ended == Ended::Forked;
        Stopped { ended, may_have_sent }
    }

    /// Returns `Ok` while the call may continue.
    ///
    /// # Errors
    /// The call ended.
    pub fn check(&self) -> Result<(), Stopped> {
        self.ended().map_or(Ok(()), |ended| Err(self.stopped(ended)))
    }

    /// Like [`check`](Self::check) for a completed call, which the deadline no
    /// longer affects.
    #[doc(hidden)]
    pub fn check_cancelled(&self) -> Result<(), Stopped> {
        match self.ended() {
            None | Some(Ended::Deadline) => Ok(()),
            Some(ended) => Err(self.stopped(ended)),
        }
    }

    /// Sleeps for `duration`.
    ///
    /// # Errors
    /// Those of [`check`](Self::check) if the call ends first.
    pub fn sleep(&self, duration: Duration) -> Result<(), Stopped> {
        let until = Instant::now().checked_add(duration);
        loop {
            self.check()?;
            let left = until.unwrap_or(self.deadline).saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.wait_for_waker(None, left.min(self.wake_slice()));
        }
    }

    /// Waits until `waker` is woken, a signal arrives or the call is cancelled, for
    /// at most `limit`.
    #[doc(hidden)]
    pub fn wait_for_waker(&self, waker: Option<&Waker>, limit: Duration) {
        let awaited = waker.map(|waker| (waker.as_fd(), wait::Interest::Read));
        self.wait_until_ready(awaited, limit);
    }

    /// Like [`wait_for_waker`](Self::wait_for_waker) for sockets. Returns whether
    /// any of `awaited` is ready.
    pub(crate) fn wait_until_ready<'fd>(
        &self,
        awaited: impl IntoIterator<Item = (BorrowedFd<'fd>, wait::Interest)>,
        limit: Duration,
    ) -> bool {
        let cancel = &self.ending.cancel;
        let waker = cancel.waker();
        if cancel.is_cancelled() {
            return false;
        }
        let is_ready = wait::is_ready(awaited, waker, limit);
        if let Some(flag) = self.ending.is_signalled.as_ref().filter(|_| !is_ready) {
            flag.store(true, Ordering::Relaxed);
        }
        is_ready
    }

    /// Records that a byte of the request may have been sent. A transport calls
    /// this before it writes the first byte. It cannot be taken back.
    pub fn set_may_have_sent(&self) {
        self.record.set();
    }

    /// Whether a byte of the current attempt may have been sent. On the
    /// caller's context: whether a byte of any of its calls may have been.
    pub fn may_have_sent(&self) -> bool {
        self.record.may_have_sent()
    }
}

debug_shows!(CallContext, |it| remaining = it.remaining(), may_have_sent = it.may_have_sent());

/// Cancels calls from another thread. Clones cancel the same calls.
#[derive(Clone, Default)]
pub struct CancelHandle(Arc<Cancellation>);

#[derive(Default)]
struct Cancellation {
    is_cancelled: AtomicBool,
    /// Created by the first call that waits. `None` if no descriptor was
    /// available; calls then notice a cancellation at their next slice.
    waker: OnceLock<Option<Waker>>,
}

impl CancelHandle {
    /// A handle that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends every call that has this handle, now and in the future. Takes no
    /// lock, so a signal handler may call it.
    pub fn cancel(&self) {
        self.cancel_quietly();
        self.wake();
    }

    /// The first half of [`cancel`](Self::cancel): calls that wait notice it when
    /// they are woken.
    #[doc(hidden)]
    pub fn cancel_quietly(&self) {
        self.0.is_cancelled.store(true, Ordering::SeqCst);
    }

    /// The second half of [`cancel`](Self::cancel): wakes the calls that wait.
    #[doc(hidden)]
    pub fn wake(&self) {
        // Pairs with the fence in `waker`: either this thread sees the waker, or
        // the thread that creates the waker sees the cancellation.
        fence(Ordering::SeqCst);
        if let Some(Some(waker)) = self.0.waker.get() {
            waker.wake();
        }
    }

    /// Whether [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::SeqCst)
    }

    /// The waker that a cancellation wakes. Check
    /// [`is_cancelled`](Self::is_cancelled) after this call and before waiting.
    fn waker(&self) -> Option<&Waker> {
        if self.is_held_by_a_context_only() {
            return None;
        }
        let waker = self.0.waker.get_or_init(Waker::new).as_ref();
        fence(Ordering::SeqCst);
        // A forked child has none; its calls notice a cancellation at their next slice.
        waker.filter(|waker| waker.is_of_this_process())
    }

    fn is_held_by_a_context_only(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Whether a cancellation ends a wait at once.
    fn wakes(&self) -> bool {
        self.is_held_by_a_context_only() || self.waker().is_some()
    }
}

debug_shows!(CancelHandle, |it| is_cancelled = it.is_cancelled());

#[cfg(test)]
#[path = "context_tests.rs"]
mod tests;
