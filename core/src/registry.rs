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
        let parts = match found {
            Some((Some(client), _)) if is_shareable => return Ok(client),
            found => found.map(|(_, parts)| parts).unwrap_or_default(),
        };
        let share = |parts: &mut Shareable| {
            with_new_entry(fingerprint, |entry| entry.parts.unite(parts));
        };
        let client = Self::assemble(loaded, parts, share)?;
        if !is_shareable {
            return Ok(client);
        }
        // Unless another thread was quicker.
        Ok(with_new_entry(fingerprint, |entry| {
            entry.client.get_or_insert_with(|| client.clone()).clone()
        }))
    }
}

fn with_entry<R>(fingerprint: &Fingerprint, act: impl FnOnce(&Entry) -> R) -> Option<R> {
    let entries = REGISTRY.get();
    let mut entries = lock(&entries);
    let entry = entries.get_mut(fingerprint)?;
    entry.last_used = Instant::now();
    Some(act(entry))
}

/// As [`with_entry`], with an empty entry if there is none.
fn with_new_entry<R>(fingerprint: Fingerprint, act: impl FnOnce(&mut Entry) -> R) -> R {
    let entries = REGISTRY.get();
    let (result, dropped) = {
        let mut entries = lock(&entries);
        let last_used = Instant::now();
        let empty = Entry { client: None, parts: Shareable::default(), last_used };
        let entry = entries.entry(fingerprint).or_insert(empty);
        entry.last_used = last_used;
        (act(entry), drop_oldest(&mut entries))
    };
    // Connections are closed outside of the lock.
    drop(dropped);
    result
}

fn drop_oldest(entries: &mut Entries) -> Option<Entry> {
    if entries.len() <= MOST {
        return None;
    }
    let oldest = entries.iter().min_by_key(|(_, entry)| entry.last_used);
    let oldest = oldest.map(|(fingerprint, _)| *fingerprint)?;
    entries.remove(&oldest)
}
