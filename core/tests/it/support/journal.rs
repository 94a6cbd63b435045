//! A journal in memory, and a folder for journals in files.

#[cfg(all(unix, feature = "journal-sqlite"))]
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use payments_core::CallContext;
use payments_core::journal::{
    Counted, Entry, EntryState, Filter, Found, Journal, JournalError, Updated,
};

#[cfg(all(unix, feature = "journal-sqlite"))]
use super::folder::Folder;

/// The change that a test makes to a journal before it works.
type Hook = Box<dyn Fn() -> Result<(), JournalError> + Send + Sync>;

/// Follows the rules of the schema.
#[derive(Default)]
pub struct MemoryJournal {
    pub entries: Mutex<Vec<Entry>>,
    /// Runs before each insert.
    pub before_insert: Mutex<Option<Hook>>,
    /// Runs after each insert: if it fails, the entry is stored anyway.
    pub after_insert: Mutex<Option<Hook>>,
    /// Runs before each update.
    pub before_update: Mutex<Option<Hook>>,
    /// Runs before entries are read.
    pub before_find: Mutex<Option<Hook>>,
    /// Whether an insert refuses nothing.
    pub has_lost_its_indexes: Mutex<bool>,
    /// Whether an insert refuses everything.
    pub stores_nothing: Mutex<bool>,
    /// Whether an insert fails while its commit is under way, until [`MemoryJournal::land`].
    pub commits_late: Mutex<bool>,
    under_way: Mutex<Vec<Entry>>,
    /// Whether a search by several filters leaves out the last one.
    pub forgets_a_filter: Mutex<bool>,
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

    /// Stores the entries whose commits were under way.
    pub fn land(&self) {
        let under_way = std::mem::take(&mut *self.under_way.lock().unwrap());
        self.entries.lock().unwrap().extend(under_way);
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
    fn insert(&self, _: &CallContext, entry: &Entry) -> Result<bool, JournalError> {
        run(&self.before_insert)?;
        let now = self.now();
        if *self.stores_nothing.lock().unwrap() {
            return Ok(false);
        }
        let mut entries = self.entries.lock().unwrap();
        let refuses = !*self.has_lost_its_indexes.lock().unwrap();
        if refuses && entries.iter().any(|earlier| earlier.blocks(entry)) {
            return Ok(false);
        }
        let moved = |time: u64| now + (time - entry.created_at);
        let (deadline_at, settles_at) = (moved(entry.deadline_at), moved(entry.settles_at));
        let entry = Entry { created_at: now, deadline_at, settles_at, ..entry.clone() };
        if *self.commits_late.lock().unwrap() {
            self.under_way.lock().unwrap().push(entry);
            return Err(JournalError::new("the connection was lost").during_commit());
        }
        entries.push(entry);
        drop(entries);
        run(&self.after_insert)?;
        Ok(true)
    }

    fn update(&self, _: &CallContext, entry: &Entry) -> Result<Updated, JournalError> {
        run(&self.before_update)?;
        let now = self.now();
        let mut entries = self.entries.lock().unwrap();
        let Some(index) = entries.iter().position(|it| it.id == entry.id) else {
            return Ok(Updated::ChangedMeanwhile);
        };
        let stored = entries[index].clone();
        if stored.version != entry.version {
            return Ok(Updated::ChangedMeanwhile);
        }
        let Entry { created_at, deadline_at, settles_at, .. } = stored;
        let (version, ended_at) = (entry.version + 1, Some(now));
        let times = Entry { created_at, deadline_at, settles_at, ..entry.clone() };
        let updated = Entry { version, ended_at, ..times };
        let others = entries.iter().filter(|it| it.id != entry.id);
        let taken = others.filter(|it| updated.blocks(it) && it.blocks(&updated));
        if let Some(other) = taken.map(|it| it.id.clone()).next() {
            return Ok(Updated::TakenBy(other));
        }
        entries[index] = updated;
        Ok(Updated::Changed)
    }

    fn find_each(
        &self,
        context: &CallContext,
        filters: &[Filter],
    ) -> Result<Vec<Found>, JournalError> {
        let last = usize::from(*self.forgets_a_filter.lock().unwrap());
        filters[..filters.len() - last].iter().map(|it| self.find(context, it)).collect()
    }

    fn find(&self, _: &CallContext, filter: &Filter) -> Result<Found, JournalError> {
        run(&self.before_find)?;
        let matches = |entry: &&Entry| {
            entry.scope == filter.scope
                && filter.names(entry)
                && (!filter.is_open || entry.is_open())
                && filter.ended_from.is_none_or(|from| entry.ended_at.is_some_and(|at| at >= from))
                && filter.after.as_ref().is_none_or(|after| entry.id > *after)
        };
        let entries = self.entries.lock().unwrap();
        let mut entries: Vec<_> = entries.iter().filter(matches).cloned().collect();
        entries.sort_by(|one, other| one.id.cmp(&other.id));
        entries.truncate(filter.limit as usize);
        Ok(Found { now: self.now(), entries })
    }

    fn count(&self, _: &CallContext, scope: &str, before: u64) -> Result<Counted, JournalError> {
        let entries = self.entries.lock().unwrap();
        let of_scope = || entries.iter().filter(|it| it.scope == scope);
        let count = |matches: fn(&Entry) -> bool| {
            of_scope().filter(|it| it.created_at < before && matches(it)).count() as u64
        };
        Ok(Counted {
            now: self.now(),
            newest: of_scope().map(|it| it.created_at).max(),
            done: count(|it| !it.is_open() && it.state == EntryState::Done),
            failed: count(|it| !it.is_open() && it.state == EntryState::Failed),
            open: count(Entry::is_open),
        })
    }

    fn prune(
        &self,
        _: &CallContext,
        scope: &str,
        before: u64,
        limit: u32,
    ) -> Result<u64, JournalError> {
        let mut entries = self.entries.lock().unwrap();
        let mut left = limit;
        let count = entries.len();
        entries.retain(|it| {
            let stays = it.scope != scope || it.is_open() || it.created_at >= before || left == 0;
            left -= u32::from(!stays);
            stays
        });
        Ok((count - entries.len()) as u64)
    }
}

#[cfg(all(unix, feature = "journal-sqlite"))]
impl Folder {
    /// The path of a journal in it.
    pub fn journal(&self) -> PathBuf {
        self.path().join("journal.db")
    }
}
