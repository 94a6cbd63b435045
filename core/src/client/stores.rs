//! The token store and the shared cache that a client uses.

use std::sync::{Arc, LazyLock};

use payments_base::lru::LruTable;
#[cfg(not(feature = "redis"))]
use payments_base::secret::Secret;
use payments_transport::TlsRoots;

#[cfg(feature = "redis")]
use super::servers::store_on;
use crate::config::{Resolved, TokenStoreKind, digest_of};
use crate::model::error::Error;
use crate::token::{FileStore, Sealer, TokenCache, TokenKey, TokenManager, TokenStore};

/// The most identities kept per process without a live client. The one idle for
/// longest is dropped first.
const MOST_IDENTITIES: usize = 1024;

/// SHA-256 over everything that distinguishes one token store from another.
type StoreFingerprint = [u8; 32];

/// The token caches of this process, by identity and store.
static CACHES: LazyLock<LruTable<(TokenKey, StoreFingerprint), Arc<TokenCache>>> =
    LazyLock::new(|| LruTable::new(MOST_IDENTITIES, |cache| Arc::strong_count(cache) == 1));

/// The token manager, if client credentials are configured.
pub(super) fn token_manager(settings: &Resolved) -> Result<Option<TokenManager>, Error> {
    let Some(credentials) = &settings.credentials else {
        return Ok(None);
    };
    let key = credentials.key();
    let cache = match &settings.components.token_store {
        Some(store) => Arc::new(TokenCache::new(key, vec![Arc::clone(store)])),
        None => {
            let stores = configured_stores(settings)?;
            let make = || Arc::new(TokenCache::new(key.clone(), stores));
            if is_shareable(settings) {
                CACHES.with((key.clone(), store_fingerprint(settings)), make, |cache| {
                    Arc::clone(cache)
                })
            } else {
                make()
            }
        }
    };
    let lifetime = settings.options.environment.token_lifetime();
    Ok(Some(TokenManager::new(credentials, lifetime, cache)))
}

/// The configured store, followed by its fallback. None for memory: the cache
/// already has its tokens.
fn configured_stores(settings: &Resolved) -> Result<Vec<Arc<dyn TokenStore>>, Error> {
    let TokenStoreKind::Redis(url) = &settings.token_store_kind else {
        return store_at(&settings.token_store_kind, settings)
            .map(|store| store.into_iter().collect());
    };
    let fingerprint = is_shareable(settings).then(|| store_fingerprint(settings));
    let store = store_on(url, settings, fingerprint)?;
    let fallback = store_at(&settings.token_fallback, settings);
    let fallback = fallback.map_err(|error| error.with_path("token_store_fallback"))?;
    Ok(std::iter::once(store).chain(fallback).collect())
}

#[cfg(not(feature = "redis"))]
fn store_on(
    _: &Secret,
    _: &Resolved,
    _: Option<StoreFingerprint>,
) -> Result<Arc<dyn TokenStore>, Error> {
    Err(Error::not_in_this_build("token_store", "redis"))
}

/// Times of different clocks cannot be compared, and a Redis connection keeps
/// the lookup that it was made with.
fn is_shareable(settings: &Resolved) -> bool {
    let keeps_lookup = matches!(settings.token_store_kind, TokenStoreKind::Redis(_));
    settings.components.clock.is_none() && !(keeps_lookup && settings.components.lookup.is_some())
}

fn store_at(
    place: &TokenStoreKind,
    settings: &Resolved,
) -> Result<Option<Arc<dyn TokenStore>>, Error> {
    let sealer = settings.sealer.clone();
    match place {
        TokenStoreKind::Folder(folder) => Ok(Some(Arc::new(FileStore::assemble(folder, sealer)?))),
        TokenStoreKind::User => Ok(Some(Arc::new(FileStore::of_user(sealer)))),
        _ => Ok(None),
    }
}

/// The fingerprint of the configured token store.
fn store_fingerprint(settings: &Resolved) -> StoreFingerprint {
    let Resolved { token_store_kind, token_fallback, sealer, transport, .. } = settings;
    let key = sealer.as_ref().map(Sealer::key);
    let of_server = matches!(token_store_kind, TokenStoreKind::Redis(_)).then(|| {
        let roots = match &transport.roots {
            TlsRoots::Certificates(certificates) => Some(certificates),
            TlsRoots::OperatingSystem => None,
        };
        (token_fallback, roots)
    });
    digest_of(&(token_store_kind, key, of_server))
}
