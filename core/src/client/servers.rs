//! The Redis servers that clients share.

use std::sync::{Arc, LazyLock};

use payments_base::lru::LruTable;
use payments_base::secret::Secret;

use super::stores::{StoreFingerprint, is_shareable, store_fingerprint};
use crate::config::Resolved;
use crate::model::error::Error;
use crate::token::{RedisStore, SystemClock, TokenStore};
use crate::transport::HttpSettings;

/// The most servers kept per process without a live client. The one idle for
/// longest is dropped first.
const MOST_SERVERS: usize = 16;

/// The Redis stores of this process. All identities share one connection per
/// server.
static SERVERS: LazyLock<LruTable<StoreFingerprint, Arc<RedisStore>>> =
    LazyLock::new(|| LruTable::new(MOST_SERVERS, |store| Arc::strong_count(store) == 1));

/// The store on the server at `url`.
pub(super) fn store_on(url: &Secret, settings: &Resolved) -> Result<Arc<dyn TokenStore>, Error> {
    let HttpSettings { roots, lookup, .. } = &settings.transport;
    let clock = settings.components.clock.clone().unwrap_or_else(|| Arc::new(SystemClock));
    let sealer = settings.sealer.clone();
    let made = RedisStore::assemble(url, sealer, roots.clone(), lookup.clone(), clock)?;
    let made = Arc::new(made);
    Ok(if is_shareable(settings) {
        SERVERS.with(store_fingerprint(settings), || made, |store| Arc::clone(store))
    } else {
        made
    })
}
