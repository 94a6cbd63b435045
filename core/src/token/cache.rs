//! What the clients of one process and one identity share.

use std::sync::{Arc, Mutex};

use super::access::Access;
use super::deferred::FetchContext;
use super::state::State;
use super::{EntryKey, TokenStore};
use crate::context::CallContext;
use crate::process::{PerProcess, lock, try_lock};
use crate::waiters::Waiters;

/// The token of one identity, the turn to fetch it, and the backoff. There is
/// no credential in it, and nothing that belongs to one client.
pub(crate) struct TokenCache {
    key: EntryKey,
    /// Each is used while those before it do not work.
    stores: Vec<Arc<dyn TokenStore>>,
    shared: PerProcess<Shared>,
}

impl TokenCache {
    pub(crate) fn new(key: EntryKey, stores: Vec<Arc<dyn TokenStore>>) -> Self {
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
    ) -> impl Iterator<Item = Access<'a>> + Clone {
        let access = move |store: &'a Arc<dyn TokenStore>| Access {
            store: &**store,
            key: &self.key,
            context,
            fetch,
        };
        self.stores.iter().map(access)
    }
}

/// What the threads of one process share.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    /// Told when the one who fetches is done.
    pub(super) changed: Waiters,
}

/// Held by the one thread of this process that fetches, which has set
/// `fetching`. Whatever ends it, exactly one of those who wait comes next.
pub(super) struct FetchTurn<'a>(pub(super) &'a Shared);

impl Drop for FetchTurn<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).fetching = None;
        self.0.changed.wake();
    }
}
