//! Clients that outlive the one who asked for them.

use std::sync::{Arc, LazyLock};

use crate::client::Client;
use crate::config::Config;
use crate::error::Error;
use crate::recent::Recent;
use crate::transport::HttpTransport;

/// More configurations than this in one process: the one that was idle for
/// longest goes.
const MOST: usize = 64;

type Fingerprint = [u8; 32];

/// What clients of one configuration share. No code of the caller's is in it.
#[derive(Clone, Default)]
struct Entry {
    /// `None` while only clients with callbacks were asked for.
    client: Option<Client>,
    transport: Option<Arc<HttpTransport>>,
}

static REGISTRY: LazyLock<Recent<Fingerprint, Entry>> =
    LazyLock::new(|| Recent::new(MOST, |_| true));

impl Client {
    /// The client of this configuration, made when it is asked for the first
    /// time: for processes that live longer than the code that runs in them,
    /// such as PHP-FPM workers.
    ///
    /// Two configurations are the same when all members are, and the
    /// **contents** of their files: a rotated key gives a new client. A client
    /// with a signer, token store, observer, transport, clock or lookup handed
    /// in as code is never shared, since that code may be gone at the next
    /// call; only its connections are. Tokens are shared by all clients of the
    /// process: see [`Client::new`].
    ///
    /// # Errors
    /// `config`, which names the member. A file that cannot be read is an
    /// error, never the old client.
    pub fn shared(config: Config) -> Result<Self, Error> {
        let loaded = config.load()?;
        let fingerprint = loaded.fingerprint();
        let is_shareable = loaded.parts().is_empty();
        let found = with_entry(fingerprint, |entry| entry.clone());
        if let Some(client) = found.client.filter(|_| is_shareable) {
            return Ok(client);
        }
        let share = |made: &Arc<HttpTransport>| {
            with_entry(fingerprint, |entry| {
                Arc::clone(entry.transport.get_or_insert_with(|| Arc::clone(made)))
            })
        };
        let client = Self::assemble(loaded, found.transport, share)?;
        if !is_shareable {
            return Ok(client);
        }
        // Unless another thread was quicker.
        Ok(with_entry(fingerprint, |entry| {
            entry.client.get_or_insert_with(|| client.clone()).clone()
        }))
    }
}

fn with_entry<R>(fingerprint: Fingerprint, act: impl FnOnce(&mut Entry) -> R) -> R {
    REGISTRY.with(fingerprint, Entry::default, act)
}
