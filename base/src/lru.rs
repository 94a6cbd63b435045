//! A per-process table that drops the entries unused for longest.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Mutex;
use std::time::Instant;

use crate::process::{PerProcess, lock, try_lock};

/// Values by key. A forked child starts with its parent's entries.
pub struct LruTable<K, V> {
    entries: PerProcess<Mutex<Entries<K, V>>>,
    most: usize,
    may_go: fn(&V) -> bool,
}

type Entries<K, V> = HashMap<K, Used<V>>;

#[derive(Clone)]
struct Used<V> {
    value: V,
    last: Instant,
}

impl<K, V> LruTable<K, V>
where
    K: Clone + Eq + Hash + 'static,
    V: Clone + 'static,
{
    /// A table of at most `most` values. Beyond that it drops the oldest one
    /// that `may_go`.
    pub fn new(most: usize, may_go: fn(&V) -> bool) -> Self {
        let entries = PerProcess::new(Mutex::default(), |parent: &Mutex<Entries<K, V>>| {
            Mutex::new(try_lock(parent).map(|entries| entries.clone()).unwrap_or_default())
        });
        Self { entries, most, may_go }
    }

    /// Calls `act` with the value under `key`, which `make` creates if absent.
    /// Both run under the lock of the table.
    pub fn with<R>(&self, key: K, make: impl FnOnce() -> V, act: impl FnOnce(&mut V) -> R) -> R {
        let entries = self.entries.get();
        let (result, dropped) = {
            let mut entries = lock(&entries);
            let last = Instant::now();
            let used = entries.entry(key).or_insert_with(|| Used { value: make(), last });
            used.last = last;
            (act(&mut used.value), self.drop_oldest(&mut entries))
        };
        // Dropped outside the lock, since this may close connections.
        drop(dropped);
        result
    }

    fn drop_oldest(&self, entries: &mut Entries<K, V>) -> Option<Used<V>> {
        if entries.len() <= self.most {
            return None;
        }
        let idle = entries.iter().filter(|(_, used)| (self.may_go)(&used.value));
        let oldest = idle.min_by_key(|(_, used)| used.last).map(|(key, _)| key.clone())?;
        entries.remove(&oldest)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_least_recently_used_goes() {
        let table = LruTable::new(2, |value: &Arc<u32>| Arc::strong_count(value) == 1);
        let get = |key: u32| table.with(key, || Arc::new(key), |value| Arc::clone(value));
        let in_use = get(1);
        drop(get(2));
        drop(get(3));
        let made = |key: u32| {
            let mut made = false;
            table.with(
                key,
                || {
                    made = true;
                    Arc::new(key)
                },
                |_| {},
            );
            made
        };
        assert!(!made(1), "it is in use");
        assert!(!made(3));
        assert!(made(2), "it was the oldest");
        drop(in_use);
    }
}
