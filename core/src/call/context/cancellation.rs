//! Cancelling calls from elsewhere.

use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, OnceLock};

use payments_base::debug_shows;

use crate::call::wait::Bell;

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
    pub(super) fn bell(&self) -> Option<&Bell> {
        if self.is_held_by_a_context_only() {
            return None;
        }
        let bell = self.0.bell.get_or_init(Bell::new).as_ref();
        fence(Ordering::SeqCst);
        // A forked child has none; its calls notice a cancellation at their next slice.
        bell.filter(|bell| bell.is_of_this_process())
    }

    fn is_held_by_a_context_only(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Whether a cancellation ends a wait at once.
    pub(super) fn wakes(&self) -> bool {
        self.is_held_by_a_context_only() || self.bell().is_some()
    }
}

debug_shows!(CancelHandle, |it| is_cancelled = it.is_cancelled());
