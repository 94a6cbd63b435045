//! Cancelling calls from elsewhere.

use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, OnceLock};

use payments_base::debug_shows;

use crate::call::wait::Waker;

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

    /// The second half.
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
    pub(super) fn waker(&self) -> Option<&Waker> {
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
    pub(super) fn wakes(&self) -> bool {
        self.is_held_by_a_context_only() || self.waker().is_some()
    }
}

debug_shows!(CancelHandle, |it| is_cancelled = it.is_cancelled());
