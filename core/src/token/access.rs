//! One call's access to a token store.

use payments_base::secret::Secret;

use super::deferred::FetchContext;
use super::{Fence, StoreError, TokenEntry, TokenKey, TokenStore};
use crate::call::context::CallContext;
use crate::model::observer::Event;

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

    /// Takes the lock. `Some(None)` if another holder has it.
    pub(super) fn lock(self) -> Option<Option<StoreLock<'a>>> {
        let fence = self.attempt("lock", || self.store.try_lock(self.context, self.key))?;
        Some(fence.map(|fence| StoreLock { access: self, fence }))
    }

    /// Returns whether the store works.
    pub(super) fn delete_if(self, value: &Secret) -> bool {
        self.attempt("delete", || self.store.delete_if(self.context, self.key, value)).is_some()
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
        self.fetch.events.note(Event::StoreBypassed { action, reason: reason.into() });
        None
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
