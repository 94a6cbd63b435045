//! What the clients of one process and one identity share.

use std::sync::Arc;

use super::access::Access;
use super::news::Means;
use super::shared::Shared;
use super::state::State;
use super::{EntryKey, TokenStore};
use crate::context::CallContext;
use crate::process::{PerProcess, try_lock};

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
        let shared = PerProcess::new(Shared::new(State::default()), |parent| {
            let state = try_lock(&parent.state).map(|state| state.inherited());
            Shared::new(state.unwrap_or_default())
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
        means: Means<'a>,
    ) -> impl Iterator<Item = Access<'a>> + Clone {
        let access = move |store: &'a Arc<dyn TokenStore>| Access {
            store: &**store,
            key: &self.key,
            context,
            means,
        };
        self.stores.iter().map(access)
    }
}
