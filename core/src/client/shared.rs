//! Clients shared within a process.

use std::sync::{Arc, LazyLock};

use payments_base::lru::LruTable;
use payments_transport::HttpTransport;

use crate::client::Client;
use crate::client::auth::Signing;
use crate::config::Config;
use crate::model::error::Error;

/// The most configurations per process. Beyond that, the one idle for longest
/// is dropped.
const MOST: usize = 64;

type ConfigFingerprint = [u8; 32];

/// State that the clients of one configuration share. It contains no code of
/// the caller.
#[derive(Clone, Default)]
struct SharedClient {
    /// `None` while only clients with callbacks have been requested.
    client: Option<Client>,
    transport: Option<Arc<HttpTransport>>,
    /// With the parsed key.
    signing: Option<Arc<Signing>>,
}

static SHARED: LazyLock<LruTable<ConfigFingerprint, SharedClient>> =
    LazyLock::new(|| LruTable::new(MOST, |_| true));

impl Client {
    /// Returns the client of this configuration, which the first call makes.
    /// For processes that live longer than the code that runs in them, such as
    /// PHP-FPM workers.
    ///
    /// Two configurations are the same if all members and the **contents** of their files
    /// are the same: a rotated key leads to a new client. A client with a signer, token
    /// store, observer, transport, clock or lookup provided as code is never shared,
    /// since that code may be gone by the next call; only its connections and its parsed
    /// key are. Tokens are shared by all clients of the process: see [`Client::new`].
    ///
    /// # Errors
    /// `config`, which names the member. An unreadable file is an error; it
    /// never leads to the old client.
    pub fn shared(config: Config) -> Result<Self, Error> {
        let loaded = config.load()?;
        let fingerprint = loaded.fingerprint();
        let is_shareable = loaded.components().is_empty();
        let found = with_entry(fingerprint, |entry| entry.clone());
        if let Some(client) = found.client.filter(|_| is_shareable) {
            return Ok(client);
        }
        let share = |made: &Arc<HttpTransport>| {
            with_entry(fingerprint, |entry| {
                Arc::clone(entry.transport.get_or_insert_with(|| Arc::clone(made)))
            })
        };
        let has_own_signer = loaded.components().signer.is_some();
        let client = Self::assemble(loaded, found.transport, found.signing, share)?;
        let signing = client.0.signing.clone().filter(|_| !has_own_signer);
        // Another thread may have been faster.
        Ok(with_entry(fingerprint, |entry| {
            entry.signing = entry.signing.take().or(signing);
            if is_shareable {
                entry.client.get_or_insert_with(|| client.clone()).clone()
            } else {
                client
            }
        }))
    }
}

fn with_entry<R>(fingerprint: ConfigFingerprint, act: impl FnOnce(&mut SharedClient) -> R) -> R {
    SHARED.with(fingerprint, SharedClient::default, act)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::observer::Event;
    use crate::signing::signer::generate_key;

    #[test]
    fn a_client_with_an_observer_shares_the_parsed_key() {
        let key = generate_key().unwrap();
        let pem = key.private_key_pem.expose();
        let config = || Config::new("https://api.example").signing_key(pem, "kid");
        let observed = || {
            let observer = Arc::new(|_: &Event<'_>| {});
            Client::shared(config().observer(observer)).unwrap()
        };
        let [first, second] = [observed(), observed()];
        assert!(!Arc::ptr_eq(&first.0, &second.0));
        let signing = |client: &Client| client.0.signing.clone().unwrap();
        assert!(Arc::ptr_eq(&signing(&first), &signing(&second)));
        let plain = Client::shared(config()).unwrap();
        assert!(Arc::ptr_eq(&signing(&first), &signing(&plain)));
    }
}
