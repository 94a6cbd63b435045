//! Ends of calls that the journal does not have yet: it was away when the call
//! ended, or the entry appears later, because its commit was under way. The
//! process records them when it uses the journal again.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use payments_base::process::{PerProcess, lock};
use payments_transport::context::CallContext;

use super::journaling::ClientJournal;
use crate::journal::{CallEnd, Entry, EntryState, Filter};

/// The most entries to remember. The oldest are left to recovery.
const MOST: usize = 10_000;

/// By the ids of the entries, the oldest first. They belong to the process: its
/// clients may not live for longer than a call.
static UNRECORDED: LazyLock<PerProcess<Mutex<BTreeMap<String, Unrecorded>>>> =
    LazyLock::new(|| PerProcess::new(Mutex::default(), |_| Mutex::default()));

/// How a call ended. Only the call itself knows the id of its entry.
struct Unrecorded {
    service: String,
    scope: String,
    ending: CallEnd,
    /// The time from which a person may decide.
    until: Instant,
}

impl Unrecorded {
    fn is_of(&self, journal: &ClientJournal) -> bool {
        self.service == journal.service && self.scope == journal.scope
    }
}

impl ClientJournal {
    /// Remembers how the call of `entry` ended.
    pub(super) fn remember(&self, entry: &Entry, ending: CallEnd) {
        let left = Duration::from_millis(entry.settles_at.saturating_sub(entry.created_at));
        let Some(until) = Instant::now().checked_add(left) else { return };
        let (service, scope) = (self.service.clone(), self.scope.clone());
        let all = UNRECORDED.get();
        let mut all = lock(&all);
        all.insert(entry.id.clone(), Unrecorded { service, scope, ending, until });
        if all.len() > MOST {
            all.pop_first();
        }
    }

    /// Records the remembered ends whose entries are in the journal by now. If
    /// it does not work, the next use tries again.
    pub(crate) fn record_remembered(&self, context: &CallContext) {
        let Some((first, last)) = self.remembered() else { return };
        let after = u128::from_str_radix(&first, 16).unwrap_or(0).saturating_sub(1);
        let after = Some(format!("{after:032x}"));
        let mut filter = Filter { is_open: true, after, ..self.filter() };
        let mut is_last = false;
        while !is_last {
            let Ok(found) = self.with(|journal| journal.find(context, &filter)) else { return };
            filter.after = found.entries.last().map(|entry| entry.id.clone());
            is_last =
                found.entries.len() < filter.limit as usize || filter.after >= Some(last.clone());
            for entry in &found.entries {
                if context.ended().is_some() {
                    return;
                }
                self.frees(context, entry);
            }
        }
    }

    /// Records the end of the call of `entry`, if it is remembered. Returns whether
    /// that frees its reference.
    pub(super) fn frees(&self, context: &CallContext, entry: &Entry) -> bool {
        let all = UNRECORDED.get();
        let ending =
            lock(&all).get(&entry.id).filter(|it| it.is_of(self)).map(|it| it.ending.clone());
        let Some(ending) = ending else { return false };
        let Ok(changed) = self.change(context, entry, |stored| stored.ended(&ending)) else {
            return false;
        };
        lock(&all).remove(&entry.id);
        changed.is_some_and(|it| it.state == EntryState::Failed)
    }

    /// The first and the last id that is remembered of this journal.
    fn remembered(&self) -> Option<(String, String)> {
        let all = UNRECORDED.get();
        let mut all = lock(&all);
        let now = Instant::now();
        all.retain(|_, it| it.until > now);
        let mut ids = all.iter().filter(|(_, it)| it.is_of(self)).map(|(id, _)| id);
        let first = ids.next()?.clone();
        let last = ids.next_back().unwrap_or(&first).clone();
        Some((first, last))
    }
}
