//! The journal within one call: an entry before the transport, its end
//! afterwards.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use payments_base::process::Identity;
use payments_base::reentrancy::callback;
use payments_base::utc::iso_8601;
use payments_transport::context::{CallContext, CancelHandle, Ended};

use super::Client;
use super::intent::Intent;
use crate::config::Resolved;
use crate::journal::{
    CallEnd, Commit, Entry, EntryState, Filter, Found, Journal, JournalError, Updated, blocked,
};
use crate::model::error::{Error, ErrorCode, Outcome};
use crate::model::observer::EventKind;
use crate::model::operation::Operation;
use crate::model::request::{CANCELLED, TypedResponse, cancelled_with};

/// How long the end of a call may take beyond its deadline or cancellation, and how long
/// it is recorded again after a failure that will not pass by itself.
const END_WITHIN: Duration = Duration::from_millis(250);
/// How often to insert an entry again after the call that blocked it has failed.
const MOST_INSERTS: u32 = 4;
/// How often a change is tried again after another one came first.
const MOST_CHANGES: u32 = 4;
/// How long to wait before the end of a call is recorded again: at first, and at most.
const RECORD_AGAIN_AFTER: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The journal of a client, with its scope and clock.
pub struct ClientJournal {
    journal: Arc<dyn Journal>,
    /// The URL of the service: other services have other entries.
    pub(super) service: String,
    /// The entries that belong to this client.
    pub scope: String,
    settle_after: Duration,
}

/// The entry of a call, until the call has ended.
pub(super) struct BegunEntry {
    entry: Entry,
    commit: Commit,
}

impl BegunEntry {
    pub(super) fn operation(&self) -> Operation {
        self.entry.operation
    }

    /// The error of a call that sent nothing, and whose entry may be in the journal, or
    /// appear there later.
    pub(super) fn may_block(&self, error: Error) -> Error {
        let message = format!(
            "{}; its entry {} may still be stored, and block the reference until this process uses \
             the journal again, or until {}, when it can be resolved with `payments journal \
             resolve`",
            error.message(),
            self.entry.id,
            iso_8601(self.entry.settles_at)
        );
        error.with_message(message)
    }
}

/// Why no call is made.
struct Refused {
    error: Error,
    /// Where the entry of the call is, if it may be in the journal.
    commit: Option<Commit>,
}

impl ClientJournal {
    pub(super) fn of(settings: &Resolved) -> Result<Option<Self>, Error> {
        let Some(journal) = settings.open_journal()? else {
            return Ok(None);
        };
        let (service, scope) = (settings.base_url.clone(), settings.journal_scope.clone());
        Ok(Some(Self { journal, service, scope, settle_after: settings.options.settle_after }))
    }

    /// Calls the journal, which may be code of the host.
    ///
    /// # Errors
    /// That of the journal.
    pub fn with<R>(
        &self,
        act: impl FnOnce(&dyn Journal) -> Result<R, JournalError>,
    ) -> Result<R, JournalError> {
        let process = Identity::current();
        let result = catch_unwind(AssertUnwindSafe(|| callback(|| act(&*self.journal))))
            .unwrap_or_else(|_| Err(JournalError::new("the journal panicked; fix the journal")));
        if process.is_current() {
            result
        } else {
            Err(JournalError::with_code(ErrorCode::CALL_FORKED, Ended::Forked.message()))
        }
    }

    /// A filter of the entries of its scope.
    pub fn filter(&self) -> Filter {
        Filter::of_scope(&*self.scope)
    }

    /// Where the journal is in the memory of this process.
    pub(super) fn address(&self) -> usize {
        Arc::as_ptr(&self.journal).cast::<()>().addr()
    }

    /// Writes the entry of a call into `slot` and into the journal.
    ///
    /// # Errors
    /// Why the call must not be made. `slot` has the entry if it may be stored.
    pub(super) fn begin(
        &self,
        slot: &mut Option<BegunEntry>,
        intent: Intent,
        context: &CallContext,
    ) -> Result<(), Error> {
        let entry = self.entry_of(intent, context);
        self.record_remembered(context);
        // First, so that the call ends its entry although its hook panics meanwhile.
        let begun = slot.insert(BegunEntry { entry, commit: Commit::Unknown });
        let inserted = self.insert(context, &begun.entry);
        let commit = match &inserted {
            Ok(()) => Some(Commit::Over),
            Err(refused) => refused.commit,
        };
        match commit {
            Some(commit) => begun.commit = commit,
            None => *slot = None,
        }
        inserted.map_err(|refused| refused.error)
    }

    /// The entry of a call that begins now.
    pub(super) fn entry_of(&self, intent: Intent, context: &CallContext) -> Entry {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        intent.entry(&self.scope, context, self.settle_after, now)
    }

    /// Writes `entry`, or says why the call must not be made.
    fn insert(&self, context: &CallContext, entry: &Entry) -> Result<(), Refused> {
        // A journal that waited when the call was cancelled did not fail.
        let failed = |error: JournalError| match context.check_cancelled() {
            Ok(()) => error.before_sending(),
            Err(cancelled) => cancelled.into(),
        };
        let refused = |error, commit| Refused { error, commit };
        for _ in 0..MOST_INSERTS {
            let inserted = self.with(|journal| journal.insert(context, entry));
            let stored = match inserted {
                Ok(is_stored) => is_stored.then_some(Commit::Over),
                Err(error) if error.is_of_copy() => {
                    return Err(self.refused_by_copy(context, entry, error));
                }
                Err(error) => {
                    let commit = Some(error.commit()).filter(|it| *it != Commit::NotBegun);
                    return Err(refused(failed(error), commit));
                }
            };
            if stored.is_some() {
                context.check().map_err(|stopped| refused(stopped.into(), stored))?;
            }
            // Also after the entry is stored: if the indexes are missing, both of
            // two calls get here, and at least one of them finds the other.
            let blocking = self.blocking(context, entry);
            match blocking.map_err(|error| refused(failed(error), stored))? {
                Some((earlier, _)) if stored.is_none() && self.frees(context, &earlier) => {}
                Some((earlier, now)) => {
                    return Err(refused(blocked(entry, &earlier, now), stored));
                }
                None if stored.is_some() => {
                    return context.check().map_err(|stopped| refused(stopped.into(), stored));
                }
                // The entry that refused it has failed in the meantime.
                None => {}
            }
        }
        let message = "the journal refuses the entry, and has none that blocks it; check that its \
                       table has the documented indexes";
        Err(refused(JournalError::new(message).before_sending(), None))
    }

    /// Why a copy that was not adopted refuses `entry`: its own entry of the
    /// reference counts first.
    fn refused_by_copy(
        &self,
        context: &CallContext,
        entry: &Entry,
        error: JournalError,
    ) -> Refused {
        let error = match self.blocking(context, entry) {
            Ok(Some((earlier, now))) => blocked(entry, &earlier, now),
            Ok(None) | Err(_) => error.before_sending(),
        };
        Refused { error, commit: None }
    }

    /// Another entry that blocks the call of `entry`, and the journal's time.
    fn blocking(
        &self,
        context: &CallContext,
        entry: &Entry,
    ) -> Result<Option<(Entry, u64)>, JournalError> {
        let Found { now, entries } = self.find_reference(context, &entry.reference)?;
        let mut others = entries.into_iter().filter(|it| it.id != entry.id);
        Ok(others.find(|it| it.blocks(entry)).map(|earlier| (earlier, now)))
    }

    /// Whether the created payment, which the service shows as `shown`, is that of
    /// `begun` for certain: no other entry has its hash or that spelling. The hash is
    /// stored before, so that two calls at once see each other.
    pub(super) fn is_of(
        &self,
        begun: &BegunEntry,
        shown: &str,
        hash: Option<&str>,
        call: &CallContext,
    ) -> bool {
        let entry = &begun.entry;
        if shown == entry.reference {
            return true;
        }
        let context = &shortly_after(call);
        let stored = hash
            .map_or(Ok(None), |hash| self.change(context, entry, |stored| stored.with_hash(hash)));
        stored.is_ok() && self.has_alone(context, &entry.id, [Some(shown), hash]).unwrap_or(false)
    }

    /// Whether no entry but that with the id `own` has, or may have created, a payment
    /// with the reference or the hash that is shown.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn has_alone(
        &self,
        context: &CallContext,
        own: &str,
        shown: [Option<&str>; 2],
    ) -> Result<bool, JournalError> {
        let [reference, hash] = shown.map(|it| it.map(str::to_owned));
        if reference.is_none() && hash.is_none() {
            return Ok(true);
        }
        let filter = Filter { reference, hash, ..self.filter() };
        let is_another = |it: &Entry| {
            let counts = it.state != EntryState::Failed || it.is_open();
            counts && it.id != own && it.operation.is_found_as_payment()
        };
        Ok(!self.find_all(context, filter)?.entries.iter().any(is_another))
    }

    /// Reads all entries with this reference. A reference whose calls fail again
    /// and again has more than one page.
    pub fn find_reference(
        &self,
        context: &CallContext,
        reference: &str,
    ) -> Result<Found, JournalError> {
        let reference = Some(reference.to_owned());
        self.find_all(context, Filter { reference, ..self.filter() })
    }

    /// [`find_reference`](Self::find_reference) for each of the references.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn find_references(
        &self,
        context: &CallContext,
        references: &[&str],
    ) -> Result<Vec<Found>, JournalError> {
        let filter_of = |reference: &&str| {
            let reference = Some((*reference).to_owned());
            Filter { reference, ..self.filter() }
        };
        let filters: Vec<_> = references.iter().map(filter_of).collect();
        let found = self.with(|journal| journal.find_each(context, &filters))?;
        if found.len() != filters.len() {
            return Err(JournalError::new("find_each gave a result for some references only"));
        }
        let completed = found.into_iter().zip(filters).map(|(found, filter)| {
            let is_whole = found.entries.len() < filter.limit as usize;
            if is_whole { Ok(found) } else { self.find_all(context, filter) }
        });
        completed.collect()
    }

    /// Reads all entries of `filter`.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn find_all(
        &self,
        context: &CallContext,
        mut filter: Filter,
    ) -> Result<Found, JournalError> {
        let mut all = Vec::new();
        loop {
            let Found { now, entries } = self.with(|journal| journal.find(context, &filter))?;
            let is_last = entries.len() < filter.limit as usize;
            filter.after = entries.last().map(|entry| entry.id.clone());
            all.extend(entries);
            if is_last {
                return Ok(Found { now, entries: all });
            }
        }
    }

    /// Stores the result of `decide` for `entry`, or for the journal's newer
    /// version of it. Returns what it stored; `None` if the entry stays as it
    /// is.
    pub fn change(
        &self,
        context: &CallContext,
        entry: &Entry,
        decide: impl Fn(&Entry) -> Option<Entry>,
    ) -> Result<Option<Entry>, JournalError> {
        let mut stored = entry.clone();
        for _ in 0..MOST_CHANGES {
            let Some(mut changed) = decide(&stored) else { return Ok(None) };
            let mut updated = self.with(|journal| journal.update(context, &changed))?;
            if let Updated::TakenBy(id) = updated {
                changed = stored.taken(changed, id);
                updated = self.with(|journal| journal.update(context, &changed))?;
            }
            if updated == Updated::Changed {
                return Ok(Some(changed));
            }
            let filter = Filter { id: Some(entry.id.clone()), ..self.filter() };
            let found = self.with(|journal| journal.find(context, &filter))?;
            let found = found.entries.into_iter().next();
            stored = found.ok_or_else(|| JournalError::of_missing_entry(&entry.id))?;
        }
        Err(JournalError::new(format!("the entry {} kept changing", entry.id)))
    }

    /// Records the end of a call, and tells the observer what is wrong with its
    /// entry. Returns `false` if nothing was sent, and the entry may still be stored
    /// and block its reference.
    pub(super) fn end(
        &self,
        begun: &BegunEntry,
        ending: CallEnd,
        may_have_sent: bool,
        call: &CallContext,
        observe: &dyn Fn(&EventKind<'_>),
    ) -> bool {
        let BegunEntry { entry, commit } = begun;
        let tell = |reason: &str| observe(&EventKind::JournalFailed { id: &entry.id, reason });
        let error = match self.record_end(&shortly_after(call), begun, &ending) {
            Ok(contradiction) => {
                contradiction.as_deref().map(tell);
                return true;
            }
            Err(error) => error,
        };
        let is_missing = error.is_of_missing_entry();
        if !is_missing || may_have_sent {
            tell(&error.to_string());
        }
        if !(is_missing && *commit == Commit::Over) {
            self.remember(entry, ending);
        }
        may_have_sent || (is_missing && *commit != Commit::UnderWay)
    }

    /// Records the end of a call, and tries again after a failure until its deadline:
    /// a connection to a database may be lost, or the entry may not be there yet.
    /// Returns how the entry and the call differ.
    fn record_end(
        &self,
        context: &CallContext,
        begun: &BegunEntry,
        ending: &CallEnd,
    ) -> Result<Option<String>, JournalError> {
        let failed_at = OnceLock::new();
        let mut pause = RECORD_AGAIN_AFTER;
        loop {
            let error = match self.change(context, &begun.entry, |stored| stored.ended(ending)) {
                Ok(changed) => return Ok(changed.and_then(|it| contradiction(&it, ending))),
                Err(error) => error,
            };
            // A failure that took long is followed by another attempt, too.
            let since = failed_at.get_or_init(Instant::now).elapsed();
            let is_missing = error.is_of_missing_entry() && begun.commit != Commit::UnderWay;
            let is_final = is_missing || (!error.may_pass() && since >= END_WITHIN);
            if is_final || context.sleep(pause).is_err() {
                return Err(error);
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

/// How the stored entry differs from the call's.
fn contradiction(stored: &Entry, ending: &CallEnd) -> Option<String> {
    if stored.state == ending.state || !ending.state.is_definite() {
        return None;
    }
    Some(match &stored.rival {
        Some(rival) => format!(
            "the call of the entry {} was executed, and so may be that of the entry {rival}, which \
             took its reference after a person said no; settle it with `payments journal resolve`",
            stored.id
        ),
        None => format!(
            "the entry {} says {}, and its call ended as {}; check it on the provider's platform",
            stored.id,
            stored.state.as_str(),
            ending.state.as_str()
        ),
    })
}

/// The result of the call itself: its error may be about another one.
pub(super) fn ending_of<A: TypedResponse>(
    client: &Client,
    result: &Result<A, Error>,
    operation: Operation,
    may_have_sent: bool,
) -> CallEnd {
    match result {
        Ok(answer) => {
            let (hash, uid) = answer.identifiers();
            let (hash, uid) = (hash.map(str::to_owned), uid.map(str::to_owned));
            let state = state_after(client.outcome_of(answer));
            let keeps_code = operation.definition().recorded.keeps_code;
            let code = if keeps_code { cancelled_code(client, answer) } else { None };
            CallEnd { state, hash, uid, kind: None, code }
        }
        Err(error) => CallEnd {
            state: if may_have_sent { state_after(error.outcome()) } else { EntryState::Failed },
            hash: error.payment_hash().filter(|_| may_have_sent).map(str::to_owned),
            uid: None,
            kind: Some(error.kind().as_str()),
            code: Some(error.code().to_string()),
        },
    }
}

/// The service's code for a payout that was created, and cancelled at once.
fn cancelled_code(client: &Client, answer: &impl TypedResponse) -> Option<String> {
    let payout = answer.received()?.json().ok()?;
    let code = cancelled_with(&payout)?;
    let shown = if client.is_secret(code) { CANCELLED } else { code };
    Some(shown.to_owned())
}

/// The state of an entry whose own call ended with `outcome`.
fn state_after(outcome: Outcome) -> EntryState {
    match outcome {
        Outcome::NotExecuted => EntryState::Failed,
        Outcome::Unknown => EntryState::Unknown,
        Outcome::Executed => EntryState::Done,
    }
}

/// A context that ends a moment after the deadline or the cancellation of
/// `call`.
fn shortly_after(call: &CallContext) -> CallContext {
    let limit = call.remaining().saturating_add(END_WITHIN);
    let call = call.clone();
    let cancelled_at = OnceLock::new();
    let is_over = move || {
        let is_cancelled = call.check_cancelled().is_err();
        is_cancelled && cancelled_at.get_or_init(Instant::now).elapsed() >= END_WITHIN
    };
    CallContext::new(limit, CancelHandle::new(), Some(Arc::new(is_over))).begun()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_cancelled_call_may_be_recorded_for_a_moment() {
        let cancel = CancelHandle::new();
        let hour = Duration::from_secs(3600);
        let call = CallContext::new(hour, cancel.clone(), None).begun();
        let end = shortly_after(&call);
        assert_eq!(end.ended(), None);
        cancel.cancel();
        assert_eq!(end.ended(), None, "it begins now");
        assert!(end.sleep(hour).is_err(), "it ends long before the deadline");
    }
}
