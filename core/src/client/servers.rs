//! The Redis servers that clients share.

use std::sync::{Arc, LazyLock};

use payments_base::lru::LruTable;
use payments_base::secret::Secret;
use payments_transport::HttpSettings;

use crate::config::Resolved;
use crate::model::error::Error;
use crate::token::{RedisStore, TokenStore};

/// The most servers kept per process without a live client. The one idle for
/// longest is dropped first.
const MOST_SERVERS: usize = 16;

/// The Redis stores of this process, by their fingerprints. All identities share
/// one connection per server.
static SERVERS: LazyLock<LruTable<[u8; 32], Arc<RedisStore>>> =
    LazyLock::new(|| LruTable::new(MOST_SERVERS, |store| Arc::strong_count(store) == 1));

/// The store on the server at `url`, shared with the clients that have its
/// `fingerprint`.
pub(super) fn store_on(
    url: &Secret,
    settings: &Resolved,
    fingerprint: Option<[u8; 32]>,
) -> Result<Arc<dyn TokenStore>, Error> {
    let HttpSettings { roots, lookup, .. } = &settings.transport;
    let sealer = settings.sealer.clone();
    let made = RedisStore::assemble(url, sealer, roots.clone(), lookup.clone(), settings.clock())?;
    let made = Arc::new(made);
    Ok(match fingerprint {
        Some(fingerprint) => SERVERS.with(fingerprint, || made, |store| Arc::clone(store)),
        None => made,
    })
}
