//! Clients that outlive the one who asked for them.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};
use std::time::Instant;

use crate::client::{Client, Shareable};
use crate::config::Config;
use crate::error::Error;
use crate::process::{PerProcess, lock, try_lock};

/// More configurations than this in one process: the one that was idle for
/// longest goes.
const MOST: usize = 64;

type Fingerprint = [u8; 32];

#[derive(Clone)]
struct Entry {
    /// `None` while only clients with callbacks were asked for.
    client: Option<Client>,
    parts: Shareable,
    last_used: Instant,
}

type Entries = HashMap<Fingerprint, Entry>;

static REGISTRY: LazyLock<PerProcess<Mutex<Entries>>> = LazyLock::new(|| {
    PerProcess::new(Mutex::default(), |parent| {
        Mutex::new(try_lock(parent).map(|entries| entries.clone()).unwrap_or_default())
    })
});

impl Client {
    /// The client of this configuration, made when it is asked for the first
    /// time: for processes that live longer than the code that runs in them,
    /// such as PHP-FPM workers.
    ///
    /// Two configurations are the same when all members are, and the
    /// **contents** of their files: a rotated key gives a new client. A client
    /// with a signer, token store, observer, transport, clock or lookup handed
    /// in as code is never shared, since that code may be gone at the next
    /// call; only its connections and its token are.
    ///
    /// # Errors
    /// `config`, which names the member. A file that cannot be read is an
    /// error, never the old client.
    pub fn shared(config: Config) -> Result<Self, Error> {
        let loaded = config.load()?;
        let fingerprint = loaded.fingerprint();
        let is_shareable = loaded.parts().is_empty();
        let found = with_entry(&fingerprint, |entry| (entry.client.clone(), entry.parts.clone()));
        match found {
            Some((Some(client), _)) if is_shareable => Ok(client),
            found => {
                let parts = found.map(|(_, parts)| parts).unwrap_or_default();
                let client = Self::assemble(loaded, parts)?;
                let kept = keep(fingerprint, &client, is_shareable);
                Ok(kept.filter(|_| is_shareable).unwrap_or(client))
            }
        }
    }
}

fn with_entry<R>(fingerprint: &Fingerprint, act: impl FnOnce(&Entry) -> R) -> Option<R> {
    let entries = REGISTRY.get();
    let mut entries = lock(&entries);
    let entry = entries.get_mut(fingerprint)?;
    entry.last_used = Instant::now();
    Some(act(entry))
}

/// Keeps a client, unless another thread was quicker: then the answer is the
/// client of that thread.
fn keep(fingerprint: Fingerprint, client: &Client, is_shareable: bool) -> Option<Client> {
    let entries = REGISTRY.get();
    let (kept, dropped) = {
        let mut entries = lock(&entries);
        let now = Instant::now();
        let entry = entries.entry(fingerprint).or_insert_with(|| Entry {
            client: None,
            parts: client.shareable(),
            last_used: now,
        });
        entry.last_used = now;
        if entry.client.is_none() && is_shareable {
            entry.client = Some(client.clone());
        }
        (entry.client.clone(), drop_oldest(&mut entries))
    };
    // Connections are closed outside of the lock.
    drop(dropped);
    kept
}

fn drop_oldest(entries: &mut Entries) -> Option<Entry> {
    if entries.len() <= MOST {
        return None;
    }
    let oldest = entries.iter().min_by_key(|(_, entry)| entry.last_used);
    let oldest = oldest.map(|(fingerprint, _)| *fingerprint)?;
    entries.remove(&oldest)
}
