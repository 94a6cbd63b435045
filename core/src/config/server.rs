//! The server that keeps tokens.

use super::{Config, TokenStoreKind, url};
use crate::model::error::{Error, ErrorCode};
use crate::token::RedisStore;

const INSECURE: &str = "redis:// is allowed to this host only, because it sends the password and \
                        the tokens unencrypted; use rediss://, or on a network you trust set \
                        allow_insecure_redis, and token_store_key to encrypt the tokens";

impl Config {
    /// Refuses `redis://` to another host, unless it is allowed.
    pub(super) fn check_server(&self) -> Result<(), Error> {
        let Some(TokenStoreKind::Redis(url)) = &self.given.token_store else {
            return Ok(());
        };
        let is_insecure = RedisStore::plain_host(url).is_some_and(|host| !url::is_loopback(&host));
        if is_insecure
            && !self.options.allow_insecure_redis
            && self.components.token_store.is_none()
        {
            return Err(Error::config("token_store", ErrorCode::TOKEN_STORE_INSECURE, INSECURE));
        }
        Ok(())
    }
}
