//! Where the tokens of a client are kept, and who gives them.

use std::sync::Arc;

use crate::config::{Resolved, TokenPlace};
use crate::error::Error;
#[cfg(unix)]
use crate::token::FileStore;
use crate::token::{MemoryStore, RedisStore, TokenManager, TokenSettings, TokenStore};
use crate::transport::HttpSettings;

/// The store that the configuration names.
pub(super) fn configured_store(settings: &Resolved) -> Result<Arc<dyn TokenStore>, Error> {
    let sealer = settings.sealer.clone();
    match &settings.token_place {
        TokenPlace::Memory => Ok(Arc::new(MemoryStore::new())),
        TokenPlace::Redis(url) => {
            let HttpSettings { roots, lookup, .. } = &settings.transport;
            let store = RedisStore::assemble(url, sealer, roots.clone(), lookup.clone())?;
            Ok(Arc::new(store))
        }
        #[cfg(unix)]
        TokenPlace::Folder(folder) => Ok(Arc::new(FileStore::assemble(folder, sealer)?)),
        #[cfg(not(unix))]
        TokenPlace::Folder(folder) => Err(Error::config(
            "token_store",
            "token_store_unsupported",
            format!("files are supported on Unix only, and {} is not on one", folder.display()),
        )),
    }
}

/// Who gives the bearer tokens, if there are credentials for them.
pub(super) fn new_token_manager(
    settings: &Resolved,
    store: Arc<dyn TokenStore>,
) -> Option<Arc<TokenManager>> {
    let credentials = settings.credentials.as_ref()?;
    let settings = TokenSettings {
        auth_url: credentials.auth_url.clone(),
        client_id: credentials.client_id.clone(),
        client_secret: credentials.client_secret.clone(),
        longest: settings.token_lifetime,
    };
    Some(Arc::new(TokenManager::new(settings, store)))
}
