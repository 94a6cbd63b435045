//! A token store that fails on command and records its use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use payments_core::Secret;
use payments_core::context::CallContext;
use payments_core::token::{Fence, StoreError, TokenEntry, TokenKey, TokenStore};

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

/// A store in memory, with a log, faults and a callback.
#[derive(Default)]
pub struct TestStore(Mutex<State>);

#[derive(Default)]
struct State {
    kept: HashMap<TokenKey, Kept>,
    faults: HashMap<Action, Fault>,
    actions: Vec<Action>,
    keys: Vec<TokenKey>,
    last_fence: Option<Fence>,
    callback: Option<Callback>,
}

#[derive(Default)]
struct Kept {
    entry: TokenEntry,
    saved_with: Option<Fence>,
    locked: Option<Fence>,
}

impl State {
    fn of(&mut self, key: &TokenKey) -> &mut Kept {
        self.kept.entry(key.clone()).or_default()
    }

    fn try_lock(&mut self, key: &TokenKey) -> Option<Fence> {
        if self.of(key).locked.is_some() {
            return None;
        }
        let fence = Fence(self.last_fence.map_or(1, |last| last.0 + 1));
        (self.last_fence, self.of(key).locked) = (Some(fence), Some(fence));
        Some(fence)
    }

    fn save(&mut self, key: &TokenKey, entry: &TokenEntry, fence: Fence) -> bool {
        let kept = self.of(key);
        let is_late = kept.saved_with.is_some_and(|saved| saved > fence);
        if !is_late {
            (kept.entry, kept.saved_with) = (entry.clone(), Some(fence));
        }
        !is_late
    }

    fn unlock(&mut self, key: &TokenKey, fence: Fence) {
        self.of(key).locked.take_if(|held| *held == fence);
    }
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
    pub fn keys(&self) -> Vec<TokenKey> {
        self.lock().keys.clone()
    }

    /// The only key that was used.
    pub fn key(&self) -> TokenKey {
        let keys = self.keys();
        assert_eq!(keys.len(), 1, "one entry is used");
        keys[0].clone()
    }

    /// The entry stored under `key`.
    pub fn entry(&self, key: &TokenKey) -> TokenEntry {
        self.lock().of(key).entry.clone()
    }

    /// Takes the lock as another client would.
    pub fn take_lock(&self, key: &TokenKey) -> Fence {
        self.lock().try_lock(key).expect("nobody holds the lock")
    }

    /// Makes the most recent lock lapse.
    pub fn let_lock_lapse(&self, key: &TokenKey) {
        let mut state = self.lock();
        let fence = state.last_fence.expect("there was a lock");
        state.unlock(key, fence);
    }

    /// Saves as another client would.
    pub fn put(&self, key: &TokenKey, entry: &TokenEntry, fence: Fence) {
        assert!(self.lock().save(key, entry, fence));
    }

    /// Releases the lock as another client would.
    pub fn release(&self, key: &TokenKey, fence: Fence) {
        self.lock().unlock(key, fence);
    }

    fn begin(&self, action: Action, key: &TokenKey) -> Result<(), StoreError> {
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TokenStore for TestStore {
    fn load(&self, _: &CallContext, key: &TokenKey) -> Result<TokenEntry, StoreError> {
        self.begin(Action::Load, key)?;
        Ok(self.entry(key))
    }

    fn save(
        &self,
        _: &CallContext,
        key: &TokenKey,
        entry: &TokenEntry,
        fence: Fence,
    ) -> Result<bool, StoreError> {
        self.begin(Action::Save, key)?;
        Ok(self.lock().save(key, entry, fence))
    }

    fn delete_if(
        &self,
        _: &CallContext,
        key: &TokenKey,
        value: &Secret,
    ) -> Result<bool, StoreError> {
        self.begin(Action::Delete, key)?;
        let mut state = self.lock();
        let held = &mut state.of(key).entry.token;
        Ok(held.take_if(|token| token.value == *value).is_some())
    }

    fn try_lock(&self, _: &CallContext, key: &TokenKey) -> Result<Option<Fence>, StoreError> {
        self.begin(Action::Lock, key)?;
        Ok(self.lock().try_lock(key))
    }

    fn unlock(&self, key: &TokenKey, fence: Fence) {
        self.release(key, fence);
        let _ = self.begin(Action::Unlock, key);
    }
}
