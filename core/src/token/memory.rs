//! The in-memory token store.

use std::collections::HashMap;
use std::sync::Mutex;

use super::{Entry, EntryKey, Fence, StoreError, TokenStore};
use crate::base::debug::debug_shows;
use crate::base::process::{PerProcess, lock, try_lock};
use crate::base::secret::Secret;
use crate::call::context::CallContext;

/// Keeps tokens in the memory of this process. A forked child starts with the
/// parent's tokens, without its locks.
pub struct MemoryStore {
    slots: PerProcess<Mutex<Stored>>,
}

type Stored = HashMap<EntryKey, StoredEntry>;

#[derive(Clone, Default)]
struct StoredEntry {
    entry: Entry,
    saved_with: Option<Fence>,
    last_fence: u64,
    locked: Option<Fence>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self { slots: PerProcess::new(Mutex::default(), |parent| Mutex::new(inherit(parent))) }
    }

    fn with_stored<R>(&self, key: &EntryKey, act: impl FnOnce(&mut StoredEntry) -> R) -> R {
        act(lock(&self.slots.get()).entry(key.clone()).or_default())
    }
}

/// A thread that does not exist in the child may hold the parent's lock. The
/// child then starts empty.
fn inherit(parent: &Mutex<Stored>) -> Stored {
    let mut slots = try_lock(parent).map(|slots| slots.clone()).unwrap_or_default();
    for slot in slots.values_mut() {
        slot.locked = None;
    }
    slots
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

debug_shows!(MemoryStore);

impl TokenStore for MemoryStore {
    fn load(&self, _: &CallContext, key: &EntryKey) -> Result<Entry, StoreError> {
        Ok(self.with_stored(key, |slot| slot.entry.clone()))
    }

    fn save(
        &self,
        _: &CallContext,
        key: &EntryKey,
        entry: &Entry,
        fence: Fence,
    ) -> Result<bool, StoreError> {
        Ok(self.with_stored(key, |slot| {
            let is_late = slot.saved_with.is_some_and(|saved| saved > fence);
            if !is_late {
                slot.entry = entry.clone();
                slot.saved_with = Some(fence);
            }
            !is_late
        }))
    }

    fn delete_if(
        &self,
        _: &CallContext,
        key: &EntryKey,
        value: &Secret,
    ) -> Result<bool, StoreError> {
        Ok(self.with_stored(key, |slot| {
            slot.entry.token.take_if(|token| token.value == *value).is_some()
        }))
    }

    fn try_lock(&self, _: &CallContext, key: &EntryKey) -> Result<Option<Fence>, StoreError> {
        Ok(self.with_stored(key, |slot| {
            if slot.locked.is_some() {
                return None;
            }
            slot.last_fence += 1;
            slot.locked = Some(Fence(slot.last_fence));
            slot.locked
        }))
    }

    fn unlock(&self, key: &EntryKey, fence: Fence) {
        self.with_stored(key, |slot| {
            slot.locked.take_if(|held| *held == fence);
        });
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::token::Token;

    fn token(value: &str) -> Entry {
        let token = Token {
            value: value.into(),
            obtained_at: 0,
            expires_at: 1,
            members: Default::default(),
        };
        Entry { token: Some(token), ..Entry::default() }
    }

    #[test]
    fn a_late_saver_does_not_overwrite() {
        let (store, context) = (MemoryStore::new(), CallContext::with_timeout(Duration::MAX));
        let key = EntryKey::new("https://auth", "id", &"secret".into());
        let first = store.try_lock(&context, &key).unwrap().unwrap();
        assert_eq!(store.try_lock(&context, &key).unwrap(), None);
        store.unlock(&key, first);
        let second = store.try_lock(&context, &key).unwrap().unwrap();
        assert!(store.save(&context, &key, &token("new"), second).unwrap());
        assert!(!store.save(&context, &key, &token("old"), first).unwrap());
        store.unlock(&key, first);
        assert_eq!(store.try_lock(&context, &key).unwrap(), None, "the lock of another");
        assert!(!store.delete_if(&context, &key, &"old".into()).unwrap());
        assert!(store.delete_if(&context, &key, &"new".into()).unwrap());
        assert_eq!(store.load(&context, &key).unwrap(), Entry::default());
    }

    #[test]
    fn keys_tell_merchants_apart() {
        let key = |url: &str, id: &str, secret: &str| EntryKey::new(url, id, &secret.into());
        assert_ne!(key("u", "ab", "c"), key("u", "a", "bc"));
        assert_ne!(key("u", "a", "c"), key("u", "a", "d"));
        assert_eq!(key("u", "a", "c").as_str().len(), 64);
    }
}
