//! Files in a folder that needs no configuration.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwapOption;

use super::{FileStore, Sealer};
use crate::context::CallContext;
use crate::secret::Secret;
use crate::token::{Entry, EntryKey, Fence, StoreError, TokenStore};

/// Keeps tokens in the first folder that can be had, from the first action on.
pub(crate) struct UserStore {
    folders: Vec<PathBuf>,
    sealer: Option<Sealer>,
    found: ArcSwapOption<FileStore>,
}

impl UserStore {
    /// A store in one of `folders`, the best one first. None is made yet.
    pub(crate) fn new(folders: Vec<PathBuf>, sealer: Option<Sealer>) -> Self {
        Self { folders, sealer, found: ArcSwapOption::empty() }
    }

    fn files(&self) -> Result<Arc<FileStore>, StoreError> {
        if let Some(found) = self.found.load_full() {
            return Ok(found);
        }
        let mut problems = Vec::new();
        for folder in &self.folders {
            match FileStore::assemble(folder, self.sealer.clone()) {
                Ok(store) => {
                    let store = Arc::new(store);
                    self.found.store(Some(Arc::clone(&store)));
                    return Ok(store);
                }
                Err(error) => problems.push(error.message().to_owned()),
            }
        }
        Err(StoreError::new(format!(
            "this user has no folder for tokens: {}; set XDG_CACHE_HOME, or a folder in the \
             configuration",
            problems.join("; ")
        )))
    }
}

impl TokenStore for UserStore {
    fn load(&self, context: &CallContext, key: &EntryKey) -> Result<Entry, StoreError> {
        self.files()?.load(context, key)
    }

    fn save(
        &self,
        context: &CallContext,
        key: &EntryKey,
        entry: &Entry,
        fence: Fence,
    ) -> Result<bool, StoreError> {
        self.files()?.save(context, key, entry, fence)
    }

    fn delete_if(
        &self,
        context: &CallContext,
        key: &EntryKey,
        value: &Secret,
    ) -> Result<bool, StoreError> {
        self.files()?.delete_if(context, key, value)
    }

    fn try_lock(&self, context: &CallContext, key: &EntryKey) -> Result<Option<Fence>, StoreError> {
        self.files()?.try_lock(context, key)
    }

    fn unlock(&self, key: &EntryKey, fence: Fence) {
        if let Ok(files) = self.files() {
            files.unlock(key, fence);
        }
    }

    fn lock_lapses(&self) -> bool {
        true
    }
}
