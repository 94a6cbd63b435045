//! One call's access to the stores of a token, whose events are deferred until
//! the locks are released.

use std::cell::RefCell;

use payments_base::secret::Secret;
use payments_transport::Transport;
use payments_transport::context::CallContext;

use super::{Clock, Fence, StoreError, TokenEntry, TokenKey, TokenStore};
use crate::model::observer::EventKind;

/// A store, and the context of its actions. If an action fails or panics, it
/// returns `None` and the observer gets an event. In a forked child, no action
/// is run.
#[derive(Clone, Copy)]
pub(super) struct StoreAccess<'a> {
    pub(super) store: &'a dyn TokenStore,
    pub(super) key: &'a TokenKey,
    pub(super) context: &'a CallContext,
    pub(super) fetch: FetchContext<'a>,
}

impl<'a> StoreAccess<'a> {
    pub(super) fn load(self) -> Option<TokenEntry> {
        self.attempt("load", || self.store.load(self.context, self.key))
    }

    pub(super) fn lock(self) -> Locking<'a> {
        match self.attempt("lock", || self.store.try_lock(self.context, self.key)) {
            Some(Some(fence)) => Locking::Taken(StoreLock { access: self, fence }),
            Some(None) => Locking::HeldByAnother,
            None => Locking::StoreFailed,
        }
    }

    /// Returns whether the store works.
    pub(super) fn delete_if(self, value: &Secret) -> bool {
        self.attempt("delete", || self.store.delete_if(self.context, self.key, value)).is_some()
    }

    /// Returns whether the store had an unreadable entry, which is gone.
    pub(super) fn remove_unreadable(self) -> Option<bool> {
        self.attempt("delete", || self.store.remove_unreadable(self.context, self.key))
    }

    fn attempt<T>(
        self,
        action: &'static str,
        run: impl FnOnce() -> Result<T, StoreError>,
    ) -> Option<T> {
        let run = std::panic::AssertUnwindSafe(|| self.context.callback(run));
        let reason = match std::panic::catch_unwind(run) {
            Ok(Ok(Ok(value))) => return Some(value),
            Ok(Ok(Err(error))) => error.to_string(),
            Ok(Err(_)) => return None,
            Err(_) => "the token store panicked".to_owned(),
        };
        self.fetch.events.note(EventKind::StoreBypassed { action, reason: reason.into() });
        None
    }
}

/// The result of taking a store's lock.
pub(super) enum Locking<'a> {
    Taken(StoreLock<'a>),
    HeldByAnother,
    StoreFailed,
}

/// The lock of the first store that works, unless another holder has it.
pub(super) fn lock_first<'a>(
    stores: impl Iterator<Item = StoreAccess<'a>>,
) -> Option<StoreLock<'a>> {
    let mut locks = stores.map(StoreAccess::lock);
    match locks.find(|it| !matches!(it, Locking::StoreFailed)) {
        Some(Locking::Taken(lock)) => Some(lock),
        _ => None,
    }
}

/// Releases the lock when dropped.
pub(super) struct StoreLock<'a> {
    access: StoreAccess<'a>,
    fence: Fence,
}

impl StoreLock<'_> {
    pub(super) fn load(&self) -> Option<TokenEntry> {
        self.access.load()
    }

    /// Saves the entry, unless a later holder has saved. Returns whether the
    /// store works.
    pub(super) fn save(&self, entry: &TokenEntry) -> bool {
        let StoreAccess { store, key, context, .. } = self.access;
        self.access.attempt("save", || store.save(context, key, entry, self.fence)).is_some()
    }
}

impl Drop for StoreLock<'_> {
    fn drop(&mut self) {
        let StoreAccess { store, key, .. } = self.access;
        self.access.attempt("unlock", || {
            store.unlock(key, self.fence);
            Ok(())
        });
    }
}

/// Events that occur while this thread fetches a token or has the store's lock.
/// They are delivered later, because an observer may be slow, and one in
/// another language may end the thread's work and never return.
#[derive(Default)]
pub(super) struct DeferredEvents(RefCell<Vec<EventKind<'static>>>);

impl DeferredEvents {
    pub(super) fn note(&self, event: EventKind<'static>) {
        self.0.borrow_mut().push(event);
    }

    /// Why a store was last bypassed.
    pub(super) fn last_bypass(&self) -> Option<String> {
        self.0.borrow().iter().rev().find_map(|event| match event {
            EventKind::StoreBypassed { reason, .. } => Some(reason.to_string()),
            _ => None,
        })
    }

    pub(super) fn tell(self, observe: &dyn Fn(&EventKind<'_>)) {
        self.0.into_inner().iter().for_each(observe);
    }
}

/// References that the caller lends to the manager, since a shared manager
/// keeps nothing that belongs to one client.
#[derive(Clone, Copy)]
pub(crate) struct Dependencies<'a> {
    pub(crate) transport: &'a dyn Transport,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) observe: &'a dyn Fn(&EventKind<'_>),
}

/// The means to fetch a token. It has no observer, so that nothing is observed
/// under a lock.
#[derive(Clone, Copy)]
pub(super) struct FetchContext<'a> {
    pub(super) transport: &'a dyn Transport,
    pub(super) clock: &'a dyn Clock,
    pub(super) events: &'a DeferredEvents,
}

impl<'a> Dependencies<'a> {
    pub(super) fn fetch_context(self, events: &'a DeferredEvents) -> FetchContext<'a> {
        FetchContext { transport: self.transport, clock: self.clock, events }
    }

    /// Runs `act`, then delivers the events that it deferred.
    pub(super) fn deferring_events<R>(self, act: impl FnOnce(FetchContext<'_>) -> R) -> R {
        let events = DeferredEvents::default();
        let result = act(self.fetch_context(&events));
        events.tell(self.observe);
        result
    }
}
