//! The token state that all clients of one identity in a process share.

use std::sync::{Arc, Mutex};

use payments_base::process::{PerProcess, lock, try_lock};

use super::access::StoreAccess;
use super::deferred::FetchContext;
use super::state::TokenState;
use super::{TokenKey, TokenStore};
use crate::call::context::CallContext;
use crate::call::waiters::Waiters;

/// The token of one identity, the thread that fetches it, and the backoff. It
/// holds no credentials, and nothing that belongs to one client.
pub(crate) struct TokenCache {
    key: TokenKey,
    /// The stores in order of preference; each is used while those before it
    /// fail.
    stores: Vec<Arc<dyn TokenStore>>,
    shared: PerProcess<Shared>,
}

impl TokenCache {
    pub(crate) fn new(key: TokenKey, stores: Vec<Arc<dyn TokenStore>>) -> Self {
        let shared = PerProcess::new(Shared::default(), |parent| {
            let state = try_lock(&parent.state).map(|state| state.inherited());
            Shared { state: state.unwrap_or_default().into(), ..Shared::default() }
        });
        Self { key, stores, shared }
    }

    pub(super) fn shared(&self) -> Arc<Shared> {
        self.shared.get()
    }

    /// The stores, for one call.
    pub(super) fn stores<'a>(
        &'a self,
        context: &'a CallContext,
        fetch: FetchContext<'a>,
    ) -> impl Iterator<Item = StoreAccess<'a>> + Clone {
        let access = move |store: &'a Arc<dyn TokenStore>| StoreAccess {
            store: &**store,
            key: &self.key,
            context,
            fetch,
        };
        self.stores.iter().map(access)
    }
}

/// The state that the threads of one process share.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) state: Mutex<TokenState>,
    /// Wakes the waiting threads when a fetch ends.
    pub(super) changed: Waiters,
}

/// Held by the one thread of this process that fetches and has set `fetching`.
/// However it ends, exactly one waiting thread is next.
pub(super) struct FetchGuard<'a>(pub(super) &'a Shared);

impl Drop for FetchGuard<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).fetching = None;
        self.0.changed.wake();
    }
}
