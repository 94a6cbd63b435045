//! The token store of one host: files that all processes of a user share.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use payments_base::debug_shows;
use payments_base::private_file;
use payments_base::process::PerProcess;
use payments_base::secret::Secret;

use super::sealer::Sealer;
use super::{Fence, StoreError, TokenEntry, TokenKey, TokenStore};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use payments_transport::context::CallContext;

use crate::model::error::{Error, ErrorCode};
use crate::model::json::{Json, Members};

mod record_lock;
mod user;

use record_lock::RecordLock;

/// When the lock of a hanging process lapses.
const LOCK_LIFE: Duration = Duration::from_secs(15);
/// The longest wait for another edit of the same entry.
const LONGEST_EDIT: Duration = Duration::from_secs(2);

/// Keeps tokens in files of one folder, for all processes on a host that run as
/// the same user.
///
/// The folder has mode 0700 and the files 0600. Others are refused, and symbolic links
/// are not followed. On Windows, the folder must be in the user's profile. Files are
/// replaced atomically, so a process that dies at any point leaves either the old file or
/// the new one. An unreadable file counts as empty, and the next save replaces it. Locks
/// are record locks of `fcntl`, or file locks on Windows, and end with their process; a
/// lock held for 15 s lapses. A relative path refers to the working folder at the time
/// the store is made.
///
/// On a network file system, this store needs working record locks and atomic
/// renames.
pub struct FileStore {
    folder: Folder,
    sealer: Option<Sealer>,
}

enum Folder {
    Named(PathBuf),
    /// A folder of the user, chosen by the first action. Per process, since a
    /// forked child may run as another user.
    OfUser(PerProcess<OnceLock<PathBuf>>),
}

impl FileStore {
    /// Makes a store in `folder`, which is created if absent.
    ///
    /// # Errors
    /// `config` if the folder cannot be created, is a symbolic link, belongs to
    /// another user, or is readable by others.
    pub fn new(folder: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::assemble(&folder.into(), None)
    }

    /// Makes a store in `folder`, encrypted if there is a sealer. An entry that
    /// it cannot open counts as empty.
    pub(crate) fn assemble(folder: &Path, sealer: Option<Sealer>) -> Result<Self, Error> {
        // Resolves to one path even if the working folder changes later:
        // closing a file under another name would lose its lock.
        let folder = private_file::prepare_folder(folder).map_err(|problem| {
            Error::config("token_store", ErrorCode::TOKEN_STORE_FAILED, problem)
        })?;
        Ok(Self { folder: Folder::Named(folder), sealer })
    }

    /// A store in the first usable folder of the user, which is created when
    /// first needed.
    pub(crate) fn of_user(sealer: Option<Sealer>) -> Self {
        let folder = PerProcess::new(OnceLock::new(), |_| OnceLock::new());
        Self { folder: Folder::OfUser(folder), sealer }
    }

    fn path(&self, key: &TokenKey, ending: &str) -> Result<PathBuf, StoreError> {
        let name = format!("{}.{ending}", key.as_str());
        let found = match &self.folder {
            Folder::Named(folder) => return Ok(folder.join(name)),
            Folder::OfUser(found) => found.get(),
        };
        if let Some(folder) = found.get() {
            return Ok(folder.join(name));
        }
        let folder = user::choose_folder(|name| std::env::var_os(name))?;
        Ok(found.get_or_init(|| folder).join(name))
    }

    /// Reads the entry and the fence it was saved with.
    fn read(&self, key: &TokenKey) -> Result<(TokenEntry, u64), StoreError> {
        let Some(text) = private_file::read(&self.path(key, "json")?).map_err(StoreError::new)?
        else {
            return Ok((TokenEntry::default(), 0));
        };
        let Ok(json) = Json::parse(&text) else {
            return Ok((TokenEntry::default(), 0));
        };
        let fence = json.get("fence").and_then(Json::as_number_text);
        let fence = fence.and_then(|fence| fence.parse().ok()).filter(|it| *it < u64::MAX);
        let fence = fence.unwrap_or(0);
        let entry = match &self.sealer {
            None => json.get("entry").map(|entry| TokenEntry::from_json(&entry.to_bytes())),
            Some(sealer) => json.get("sealed").and_then(Json::as_str).and_then(|sealed| {
                let sealed = STANDARD.decode(sealed).ok()?;
                Some(TokenEntry::from_json(&sealer.open(key.as_str(), &sealed)?))
            }),
        };
        Ok((entry.unwrap_or_default(), fence))
    }

    fn write(&self, key: &TokenKey, entry: &TokenEntry, fence: u64) -> Result<(), StoreError> {
        let entry = entry.to_json();
        let entry = match &self.sealer {
            None => ("entry", entry),
            Some(sealer) => {
                let sealed = sealer.seal(key.as_str(), &entry.to_bytes());
                let sealed =
                    sealed.ok_or_else(|| StoreError::new("could not encrypt the entry"))?;
                ("sealed", Json::from(STANDARD.encode(sealed)))
            }
        };
        let text = Members::from([("fence", Json::from(fence)), entry]);
        private_file::replace(&self.path(key, "json")?, &text.to_bytes()).map_err(StoreError::new)
    }

    /// Runs `edit` while no other process edits the same entry.
    fn edit<R>(
        &self,
        context: &CallContext,
        key: &TokenKey,
        edit: impl FnOnce() -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        let path = self.path(key, "edit")?;
        let limited = context.limited_to(LONGEST_EDIT);
        loop {
            if let Some(_lock) = RecordLock::try_take(&path).map_err(StoreError::new)? {
                return edit();
            }
            let wait = Duration::from_millis(2);
            let waited = limited.sleep(wait + payments_base::jitter::random_part(wait));
            waited
                .map_err(|_| StoreError::new("another process held the file lock for too long"))?;
        }
    }
}

debug_shows!(FileStore);

impl TokenStore for FileStore {
    fn load(&self, _: &CallContext, key: &TokenKey) -> Result<TokenEntry, StoreError> {
        self.read(key).map(|(entry, _)| entry)
    }

    fn save(
        &self,
        context: &CallContext,
        key: &TokenKey,
        entry: &TokenEntry,
        fence: Fence,
    ) -> Result<bool, StoreError> {
        self.edit(context, key, || {
            let (_, saved_with) = self.read(key)?;
            if saved_with > fence.0 {
                return Ok(false);
            }
            self.write(key, entry, fence.0).map(|()| true)
        })
    }

    fn delete_if(
        &self,
        context: &CallContext,
        key: &TokenKey,
        value: &Secret,
    ) -> Result<bool, StoreError> {
        self.edit(context, key, || {
            let (mut entry, saved_with) = self.read(key)?;
            if entry.token.take_if(|token| token.value == *value).is_none() {
                return Ok(false);
            }
            self.write(key, &entry, saved_with).map(|()| true)
        })
    }

    fn try_lock(&self, context: &CallContext, key: &TokenKey) -> Result<Option<Fence>, StoreError> {
        let path = self.path(key, "lock")?;
        let is_stale = || private_file::is_older(&path, LOCK_LIFE);
        let Some(lock) = RecordLock::try_take(&path).map_err(StoreError::new)? else {
            if is_stale() {
                // A hanging holder keeps its lock on a removed file.
                self.edit(context, key, || {
                    if is_stale() {
                        private_file::remove(&path).map_err(StoreError::new)
                    } else {
                        Ok(())
                    }
                })?;
            }
            return Ok(None);
        };
        // Within an edit: otherwise a process that found the file stale could
        // remove it after the check, and a second one would get the lock.
        let fence = self.edit(context, key, || {
            // A damaged lock file must not lead to a number that was given before.
            let next = lock.number().max(self.read(key)?.1) + 1;
            lock.set_number(next).map_err(StoreError::new)?;
            Ok(lock.is_in_place().then_some(Fence(next)))
        })?;
        if fence.is_some() {
            lock.keep();
        }
        Ok(fence)
    }

    fn unlock(&self, key: &TokenKey, _: Fence) {
        if let Ok(path) = self.path(key, "lock") {
            RecordLock::release(&path);
        }
    }

    fn lock_lapses(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Instant, SystemTime};

    use super::*;
    use crate::test_folder::Folder;

    #[test]
    fn no_lock_is_granted_on_a_file_that_was_removed_as_stale() {
        let folder = Folder::new();
        let store = FileStore::new(folder.path()).unwrap();
        let key = TokenKey::new("https://auth.example", "client", &"secret".into());
        let path = |ending: &str| store.path(&key, ending).unwrap();
        // As the other process, which is about to remove the file.
        let edit = RecordLock::try_take(&path("edit")).unwrap().unwrap();
        let granted = std::thread::scope(|scope| {
            let context = CallContext::with_timeout(Duration::from_secs(30));
            let (store, key) = (&store, &key);
            let taker = scope.spawn(move || store.try_lock(&context, key).unwrap());
            let started = Instant::now();
            while !taker.is_finished() && started.elapsed() < Duration::from_millis(300) {
                std::thread::sleep(Duration::from_millis(5));
            }
            private_file::remove(&path("lock")).unwrap();
            drop(edit);
            taker.join().unwrap()
        });
        assert_eq!(granted, None);
        assert!(store.try_lock(&CallContext::with_timeout(LONGEST_EDIT), &key).unwrap().is_some());
    }

    #[test]
    fn a_lock_on_an_old_file_is_not_stale_while_it_is_held() {
        let folder = Folder::new();
        let store = FileStore::new(folder.path()).unwrap();
        let key = TokenKey::new("https://auth.example", "client", &"secret".into());
        let context = CallContext::with_timeout(LONGEST_EDIT);
        let first = store.try_lock(&context, &key).unwrap().unwrap();
        store.unlock(&key, first);
        let path = store.path(&key, "lock").unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - LOCK_LIFE * 2).unwrap();
        drop(file);
        assert!(private_file::is_older(&path, LOCK_LIFE));
        assert!(store.try_lock(&context, &key).unwrap().is_some());
        assert!(!private_file::is_older(&path, LOCK_LIFE));
        assert_eq!(store.try_lock(&context, &key).unwrap(), None);
    }

    #[test]
    fn a_locked_file_is_waited_for_until_the_call_ends() {
        let folder = Folder::new();
        let store = FileStore::new(folder.path()).unwrap();
        let key = TokenKey::new("https://auth.example", "client", &Secret::from("secret"));
        let save = |milliseconds| {
            let context = CallContext::with_timeout(Duration::from_millis(milliseconds));
            store.save(&context, &key, &TokenEntry::default(), Fence(1))
        };
        let other = RecordLock::try_take(&store.path(&key, "edit").unwrap()).unwrap().unwrap();
        let error = save(20).unwrap_err();
        assert!(error.to_string().contains("another process held the file lock"), "{error}");
        drop(other);
        assert!(save(10_000).unwrap());
    }
}
