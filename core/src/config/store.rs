//! The place where tokens are kept.

use super::{Config, TokenPlace, url};
use crate::error::Error;
use crate::token::RedisStore;

const INSECURE: &str = "redis:// is for this host only, since password and tokens can be read on the \
                        way; use rediss://, or set allow_insecure_redis on a network you trust, \
                        where token_store_key encrypts the tokens";

impl Config {
    /// Refuses a Redis server that is reached without TLS over a network.
    pub(super) fn check_store(&self) -> Result<(), Error> {
        let TokenPlace::Redis(url) = &self.token_place else {
            return Ok(());
        };
        let is_insecure = RedisStore::plain_host(url).is_some_and(|host| !url::is_loopback(&host));
        if is_insecure && !self.allow_insecure_redis && self.parts.token_store.is_none() {
            return Err(Error::config("token_store", "token_store_insecure", INSECURE));
        }
        Ok(())
    }
}
