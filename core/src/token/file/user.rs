//! Files in a folder that needs no configuration.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwapOption;

use super::{FileStore, Sealer};
use crate::context::CallContext;
use crate::process::PerProcess;
use crate::secret::Secret;
use crate::token::{Entry, EntryKey, Fence, StoreError, TokenStore};

/// Keeps tokens in the first folder of the user that can be used, from the first
/// action on. A forked child may be another user's.
pub(crate) struct UserStore {
    sealer: Option<Sealer>,
    found: PerProcess<ArcSwapOption<FileStore>>,
}

impl UserStore {
    /// A store for which no folder is made yet.
    pub(crate) fn new(sealer: Option<Sealer>) -> Self {
        let empty = ArcSwapOption::empty;
        Self { sealer, found: PerProcess::new(empty(), move |_| empty()) }
    }

    fn files(&self) -> Result<Arc<FileStore>, StoreError> {
        let found = self.found.get();
        if let Some(store) = found.load_full() {
            return Ok(store);
        }
        let mut problems = Vec::new();
        for folder in user_folders(|name| std::env::var_os(name)) {
            match FileStore::assemble(&folder, self.sealer.clone()) {
                Ok(store) => {
                    let store = Arc::new(store);
                    found.store(Some(Arc::clone(&store)));
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

/// The cache folder of the user, then one under the temporary directory.
fn user_folders(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    let user = rustix::process::geteuid().as_raw();
    let temporary = absolute("TMPDIR").unwrap_or_else(std::env::temp_dir);
    let cache = cache.map(|folder| folder.join("libpayments"));
    cache.into_iter().chain([temporary.join(format!("libpayments-{user}"))]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_folder_of_the_user_comes_first() {
        let folders = |cache: Option<&str>, home: Option<&str>| {
            let folders = user_folders(|name| match name {
                "XDG_CACHE_HOME" => cache.map(Into::into),
                "HOME" => home.map(Into::into),
                _ => Some("/run/temporary".into()),
            });
            let shown: Vec<_> = folders.iter().map(|it| it.display().to_string()).collect();
            shown
        };
        let user = rustix::process::geteuid().as_raw();
        let temporary = format!("/run/temporary/libpayments-{user}");
        for (cache, home, first) in [
            (Some("/cache"), Some("/users/maria"), "/cache/libpayments"),
            (Some("relative"), Some("/users/maria"), "/users/maria/.cache/libpayments"),
            (Some(""), Some("/users/maria"), "/users/maria/.cache/libpayments"),
            (None, Some("/users/maria"), "/users/maria/.cache/libpayments"),
        ] {
            assert_eq!(folders(cache, home), [first, &temporary]);
        }
        assert_eq!(folders(None, None), [&*temporary]);
        assert_eq!(folders(None, Some("")), [&*temporary]);
    }
}
