//! Drops a token on demand.

use payments_base::process::lock;
use payments_transport::context::CallContext;

use super::Now;
use super::access::{Dependencies, Locking, StoreAccess, StoreLock};
use super::manager::TokenManager;
use super::source::{LOCK_LIMIT, wait_for_holder};
use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome};

impl TokenManager {
    /// Drops the token from this process and the stores, and nothing else.
    ///
    /// # Errors
    /// `token` if the store does not work; `timeout` or `cancelled` if the call
    /// ends first.
    pub(crate) fn forget(
        &self,
        context: &CallContext,
        dependencies: Dependencies<'_>,
    ) -> Result<(), Error> {
        let stored = dependencies.deferring_events(|fetch| {
            let mut stores = self.cache.stores(context, fetch).map(forget_in);
            let first = stores.next().unwrap_or(Ok(()));
            // A fallback that does not work holds no token either.
            stores.for_each(drop);
            first
        });
        lock(&self.cache.shared().state).drop_token(Now::read(dependencies.clock));
        context.check()?;
        stored
    }
}

/// Drops the token of a store, whichever it is.
fn forget_in(store: StoreAccess<'_>) -> Result<(), Error> {
    let failed = || failed(store);
    if store.remove_unreadable().ok_or_else(failed)? {
        return Ok(());
    }
    let lock = wait_for_lock(store)?;
    let mut entry = store.load().ok_or_else(failed)?;
    let Some(token) = entry.token.take() else { return Ok(()) };
    entry.replacements.note_dropped(token.expires_at);
    let is_done = match lock {
        Some(lock) => lock.save(&entry),
        None => store.delete_if(&token.value),
    };
    is_done.then_some(()).ok_or_else(failed)
}

/// `None` if its holder hangs.
fn wait_for_lock(store: StoreAccess<'_>) -> Result<Option<StoreLock<'_>>, Error> {
    let clock = store.fetch.clock;
    let since = clock.monotonic();
    loop {
        match store.lock() {
            Locking::Taken(lock) => return Ok(Some(lock)),
            Locking::HeldByAnother => {}
            Locking::StoreFailed => return Err(failed(store)),
        }
        let waited = clock.monotonic().saturating_duration_since(since);
        if waited >= LOCK_LIMIT && !store.store.lock_lapses() {
            return Ok(None);
        }
        wait_for_holder(store)?;
    }
}

fn failed(store: StoreAccess<'_>) -> Error {
    let reason = store.fetch.events.last_bypass().unwrap_or_default();
    let message = format!("could not drop the token from the token store: {reason}");
    Error::new(ErrorKind::Token, Outcome::NotExecuted, ErrorCode::TOKEN_STORE_FAILED, message)
}
