//! Which token store and which shared cache a client uses.

use std::sync::{Arc, LazyLock};

use sha2::{Digest as _, Sha256};

use crate::base::recent::Recent;
use crate::config::{Resolved, TokenStoreKind};
use crate::model::error::Error;
#[cfg(unix)]
use crate::token::FileStore;
use crate::token::{
    EntryKey, MemoryStore, RedisStore, SystemClock, TokenCache, TokenManager, TokenStore,
};
use crate::transport::{HttpSettings, TlsRoots};

/// The most identities kept per process without a live client. The one idle for
/// longest is dropped first.
const MOST_IDENTITIES: usize = 1024;
/// The same limit for connections to Redis servers.
const MOST_SERVERS: usize = 16;

/// SHA-256 over everything that distinguishes one token store from another.
type StoreFingerprint = [u8; 32];

/// The token caches of this process, by identity and store.
static CACHES: LazyLock<Recent<(EntryKey, StoreFingerprint), Arc<TokenCache>>> =
    LazyLock::new(|| Recent::new(MOST_IDENTITIES, |cache| Arc::strong_count(cache) == 1));

/// The Redis stores of this process. All identities share one connection per
/// server.
static SERVERS: LazyLock<Recent<StoreFingerprint, Arc<RedisStore>>> =
    LazyLock::new(|| Recent::new(MOST_SERVERS, |store| Arc::strong_count(store) == 1));

/// The token manager, if client credentials are configured.
pub(super) fn token_manager(settings: &Resolved) -> Result<Option<TokenManager>, Error> {
    let Some(credentials) = &settings.credentials else {
        return Ok(None);
    };
    let key = credentials.key();
    let cache = match &settings.parts.token_store {
        Some(store) => Arc::new(TokenCache::new(key, vec![Arc::clone(store)])),
        None => {
            let stores = configured_stores(settings)?;
            let make = || Arc::new(TokenCache::new(key.clone(), stores));
            match is_shareable(settings) {
                true => CACHES.with((key.clone(), store_fingerprint(settings)), make, |cache| {
                    Arc::clone(cache)
                }),
                false => make(),
            }
        }
    };
    Ok(Some(TokenManager::new(credentials, settings.token_lifetime, cache)))
}

/// The configured store, followed by its fallback.
fn configured_stores(settings: &Resolved) -> Result<Vec<Arc<dyn TokenStore>>, Error> {
    let TokenStoreKind::Redis(url) = &settings.token_store_kind else {
        return store_at(&settings.token_store_kind, settings).map(|store| vec![store]);
    };
    let HttpSettings { roots, lookup, .. } = &settings.transport;
    let clock = settings.parts.clock.clone().unwrap_or_else(|| Arc::new(SystemClock));
    let sealer = settings.sealer.clone();
    let made = RedisStore::assemble(url, sealer, roots.clone(), lookup.clone(), clock)?;
    let made = Arc::new(made);
    let store = match is_shareable(settings) {
        true => SERVERS.with(store_fingerprint(settings), || made, |store| Arc::clone(store)),
        false => made,
    };
    let fallback = store_at(&settings.token_fallback, settings);
    Ok(vec![store, fallback.map_err(|error| error.with_path("token_store_fallback"))?])
}

/// Times of different clocks cannot be compared, and a Redis connection keeps
/// the lookup that it was made with.
fn is_shareable(settings: &Resolved) -> bool {
    let keeps_lookup = matches!(settings.token_store_kind, TokenStoreKind::Redis(_));
    settings.parts.clock.is_none() && !(keeps_lookup && settings.parts.lookup.is_some())
}

fn store_at(place: &TokenStoreKind, settings: &Resolved) -> Result<Arc<dyn TokenStore>, Error> {
    #[cfg(unix)]
    let sealer = settings.sealer.clone();
    match place {
        #[cfg(unix)]
        TokenStoreKind::Folder(folder) => Ok(Arc::new(FileStore::assemble(folder, sealer)?)),
        #[cfg(unix)]
        TokenStoreKind::User => Ok(Arc::new(FileStore::of_user(sealer))),
        #[cfg(not(unix))]
        TokenStoreKind::Folder(folder) => Err(Error::config(
            "token_store",
            "token_store_unsupported",
            format!(
                "token files are supported on Unix only; use memory or a Redis server instead of \
                 {}",
                folder.display()
            ),
        )),
        _ => Ok(Arc::new(MemoryStore::new())),
    }
}

/// The fingerprint of the configured token store.
fn store_fingerprint(settings: &Resolved) -> StoreFingerprint {
    let mut digest = Sha256::new();
    let mut put = |bytes: &[u8]| {
        digest.update((bytes.len() as u64).to_be_bytes());
        digest.update(bytes);
    };
    settings.token_store_kind.describe(&mut put);
    settings.sealer.iter().for_each(|sealer| put(sealer.key()));
    if let TokenStoreKind::Redis(_) = settings.token_store_kind {
        settings.token_fallback.describe(&mut put);
        if let TlsRoots::Certificates(certificates) = &settings.transport.roots {
            certificates.iter().for_each(|certificate| put(certificate));
        }
    }
    digest.finalize().into()
}
