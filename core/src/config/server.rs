//! The server that keeps tokens.

use super::{Config, TokenStoreKind, url};
use crate::model::error::{Error, messages};
use crate::token::RedisStore;

impl Config {
    /// Refuses `redis://` to another host, unless it is allowed.
    pub(super) fn check_server(&self) -> Result<(), Error> {
        let Some(TokenStoreKind::Redis(url)) = &self.inputs.token_store else {
            return Ok(());
        };
        let is_insecure = RedisStore::plain_host(url).is_some_and(|host| !url::is_loopback(&host));
        if is_insecure
            && !self.options.allow_insecure_redis
            && self.components.token_store.is_none()
        {
            return Err(messages::token_store_insecure());
        }
        Ok(())
    }
}
