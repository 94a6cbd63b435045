//! A token store that fails on command and records its use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use payments_core::Secret;
use payments_core::context::CallContext;
use payments_core::token::{Entry, EntryKey, Fence, MemoryStore, StoreError, TokenStore};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    Load,
    Save,
    Delete,
    Lock,
    Unlock,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    Error,
    Panic,
}

type Callback = Arc<dyn Fn(Action) + Send + Sync>;

/// A memory store with a log, faults and a callback.
#[derive(Default)]
pub struct TestStore {
    kept: MemoryStore,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    faults: HashMap<Action, Fault>,
    actions: Vec<Action>,
    keys: Vec<EntryKey>,
    last_fence: Option<Fence>,
    callback: Option<Callback>,
}

impl TestStore {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Makes every `action` fail from now on.
    pub fn fail(&self, action: Action, fault: Fault) {
        self.lock().faults.insert(action, fault);
    }

    pub fn work_again(&self) {
        self.lock().faults.clear();
    }

    /// Runs `callback` at the start of every action from now on.
    pub fn on_action(&self, callback: impl Fn(Action) + Send + Sync + 'static) {
        self.lock().callback = Some(Arc::new(callback));
    }

    /// How often `action` was requested.
    pub fn count(&self, action: Action) -> usize {
        self.lock().actions.iter().filter(|known| **known == action).count()
    }

    /// The distinct keys that were used.
    pub fn keys(&self) -> Vec<EntryKey> {
        self.lock().keys.clone()
    }

    /// The only key that was used.
    pub fn key(&self) -> EntryKey {
        let keys = self.keys();
        assert_eq!(keys.len(), 1, "one entry is used");
        keys[0].clone()
    }

    /// The entry stored under `key`.
    pub fn entry(&self, key: &EntryKey) -> Entry {
        self.kept.load(&context(), key).expect("memory does not fail")
    }

    /// Takes the lock as another client would.
    pub fn take_lock(&self, key: &EntryKey) -> Fence {
        let fence = self.kept.try_lock(&context(), key).expect("memory does not fail");
        fence.expect("nobody holds the lock")
    }

    /// Makes the most recent lock lapse.
    pub fn let_lock_lapse(&self, key: &EntryKey) {
        let fence = self.lock().last_fence.expect("there was a lock");
        self.kept.unlock(key, fence);
    }

    /// Saves as another client would.
    pub fn put(&self, key: &EntryKey, entry: &Entry, fence: Fence) {
        assert!(self.kept.save(&context(), key, entry, fence).expect("memory does not fail"));
    }

    /// Releases the lock as another client would.
    pub fn release(&self, key: &EntryKey, fence: Fence) {
        self.kept.unlock(key, fence);
    }

    fn begin(&self, action: Action, key: &EntryKey) -> Result<(), StoreError> {
        let (fault, callback) = {
            let mut state = self.lock();
            state.actions.push(action);
            if !state.keys.contains(key) {
                state.keys.push(key.clone());
            }
            (state.faults.get(&action).copied(), state.callback.clone())
        };
        if let Some(callback) = callback {
            callback(action);
        }
        match fault {
            None => Ok(()),
            Some(Fault::Error) => Err(StoreError::new("the store does not work")),
            Some(Fault::Panic) => panic!("the store panics"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn context() -> CallContext {
    CallContext::with_timeout(super::seconds(60))
}

impl TokenStore for TestStore {
    fn load(&self, context: &CallContext, key: &EntryKey) -> Result<Entry, StoreError> {
        self.begin(Action::Load, key)?;
        self.kept.load(context, key)
    }

    fn save(
        &self,
        context: &CallContext,
        key: &EntryKey,
        entry: &Entry,
        fence: Fence,
    ) -> Result<bool, StoreError> {
        self.begin(Action::Save, key)?;
        self.kept.save(context, key, entry, fence)
    }

    fn delete_if(
        &self,
        context: &CallContext,
        key: &EntryKey,
        value: &Secret,
    ) -> Result<bool, StoreError> {
        self.begin(Action::Delete, key)?;
        self.kept.delete_if(context, key, value)
    }

    fn try_lock(&self, context: &CallContext, key: &EntryKey) -> Result<Option<Fence>, StoreError> {
        self.begin(Action::Lock, key)?;
        let fence = self.kept.try_lock(context, key)?;
        if fence.is_some() {
            self.lock().last_fence = fence;
        }
        Ok(fence)
    }

    fn unlock(&self, key: &EntryKey, fence: Fence) {
        self.kept.unlock(key, fence);
        let _ = self.begin(Action::Unlock, key);
    }
}
