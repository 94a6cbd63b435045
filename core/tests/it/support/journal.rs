//! A journal in memory, and a folder for journals in files.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use payments_core::CallContext;
use payments_core::journal::{Entry, Filter, Found, Journal, JournalError, State};

/// What a test changes in a journal before it works.
type Hook = Box<dyn Fn() -> Result<(), JournalError> + Send + Sync>;

/// Follows the rules of the schema.
#[derive(Default)]
pub struct MemoryJournal {
    pub entries: Mutex<Vec<Entry>>,
    /// Runs before each insert.
    pub before_insert: Mutex<Option<Hook>>,
    /// Runs before each update.
    pub before_update: Mutex<Option<Hook>>,
    /// Added to the clock, in milliseconds.
    pub ahead: Mutex<u64>,
}

impl MemoryJournal {
    pub fn all(&self) -> Vec<Entry> {
        self.entries.lock().unwrap().clone()
    }

    /// The only entry.
    pub fn one(&self) -> Entry {
        let mut all = self.all();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    pub fn change(&self, change: impl FnOnce(&mut Entry)) {
        change(self.entries.lock().unwrap().last_mut().unwrap());
    }

    fn now(&self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        now.as_millis() as u64 + *self.ahead.lock().unwrap()
    }
}

fn run(hook: &Mutex<Option<Hook>>) -> Result<(), JournalError> {
    hook.lock().unwrap().as_ref().map_or(Ok(()), |hook| hook())
}

impl Journal for MemoryJournal {
    fn insert(
        &self,
        _: &CallContext,
        entry: &Entry,
        superseded: &[Entry],
    ) -> Result<bool, JournalError> {
        run(&self.before_insert)?;
        let now = self.now();
        let mut entries = self.entries.lock().unwrap();
        let mut changed = entries.clone();
        for earlier in superseded {
            let stored = changed.iter_mut().find(|it| it.id == earlier.id).unwrap();
            if stored.version != earlier.version {
                return Ok(false);
            }
            stored.superseded_by = Some(entry.id.clone());
            stored.version += 1;
        }
        if changed.iter().any(|earlier| earlier.blocks(entry)) {
            return Ok(false);
        }
        let deadline_at = now + (entry.deadline_at - entry.created_at);
        changed.push(Entry { created_at: now, deadline_at, ..entry.clone() });
        *entries = changed;
        Ok(true)
    }

    fn update(&self, _: &CallContext, entry: &Entry) -> Result<bool, JournalError> {
        run(&self.before_update)?;
        let now = self.now();
        let mut entries = self.entries.lock().unwrap();
        let stored = entries.iter_mut().find(|it| it.id == entry.id).unwrap();
        if stored.version != entry.version {
            return Ok(false);
        }
        let superseded_by = stored.superseded_by.clone();
        let (created_at, deadline_at) = (stored.created_at, stored.deadline_at);
        let version = entry.version + 1;
        let ended_at = Some(now);
        let ended = Entry { version, ended_at, created_at, deadline_at, ..entry.clone() };
        *stored = Entry { superseded_by: superseded_by.clone(), ..ended };
        if entry.state == State::Failed {
            for it in entries.iter_mut().filter(|it| it.superseded_by.as_ref() == Some(&entry.id)) {
                it.superseded_by.clone_from(&superseded_by);
                it.version += 1;
            }
        }
        Ok(true)
    }

    fn find(&self, _: &CallContext, filter: &Filter) -> Result<Found, JournalError> {
        let matches = |entry: &&Entry| {
            entry.scope == filter.scope
                && filter.id.as_ref().is_none_or(|id| *id == entry.id)
                && filter.reference.as_ref().is_none_or(|it| *it == entry.reference)
                && (!filter.is_open || entry.is_open())
                && filter.after.as_ref().is_none_or(|after| entry.id > *after)
        };
        let entries = self.entries.lock().unwrap();
        let mut entries: Vec<_> = entries.iter().filter(matches).cloned().collect();
        entries.sort_by(|one, other| one.id.cmp(&other.id));
        entries.truncate(filter.limit as usize);
        Ok(Found { now: self.now(), entries })
    }

    fn prune(&self, _: &CallContext, scope: &str, age: Duration) -> Result<u64, JournalError> {
        let mut entries = self.entries.lock().unwrap();
        let done = entries.iter().filter(|it| it.scope == scope && it.state == State::Done);
        let newest = done.map(|it| it.created_at).max().unwrap_or_default();
        let before = self.now().min(newest).saturating_sub(age.as_millis() as u64);
        let count = entries.len();
        entries.retain(|it| it.scope != scope || it.is_open() || it.created_at >= before);
        Ok((count - entries.len()) as u64)
    }
}

/// A folder that is removed with its contents.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("payments-journal-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// The path of a journal in it.
    pub fn journal(&self) -> PathBuf {
        self.0.join("journal.db")
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
