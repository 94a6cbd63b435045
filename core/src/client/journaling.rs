//! The journal within one call: an entry before the transport, its end
//! afterwards.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::call::RunningCall;
use super::intent::Intent;
use crate::config::Resolved;
use crate::context::{CallContext, CancelHandle, Ended};
use crate::error::{Error, Outcome};
use crate::journal::{
    Decision, Ending, Entry, Filter, Found, Journal, JournalError, State, blocked,
};
use crate::observer::Event;
use crate::operations::Viewed;
use crate::process::Identity;
use crate::reentrancy::callback;
use crate::transport::PreparedRequest;

/// How long the end of a call may take beyond its deadline or cancellation.
const END_WITHIN: Duration = Duration::from_millis(250);
/// How often a call that lost against one that then failed tries again.
const MOST_INSERTS: u32 = 4;

/// The journal of a client, and what belongs to it.
pub(crate) struct Keeper {
    journal: Arc<dyn Journal>,
    pub(crate) scope: String,
    pub(crate) keep: Duration,
}

impl Keeper {
    pub(super) fn of(settings: &Resolved) -> Result<Option<Self>, Error> {
        let Some(journal) = settings.open_journal()? else {
            return Ok(None);
        };
        let scope = settings.journal_scope.clone();
        Ok(Some(Self {
            journal,
            scope,
            keep: Duration::from_secs(86_400 * u64::from(settings.options.journal_keep_days)),
        }))
    }

    /// Calls the journal, which may be code of the host.
    pub(crate) fn with<R>(
        &self,
        act: impl FnOnce(&dyn Journal) -> Result<R, JournalError>,
    ) -> Result<R, JournalError> {
        let process = Identity::current();
        let result = catch_unwind(AssertUnwindSafe(|| callback(|| act(&*self.journal))))
            .unwrap_or_else(|_| Err(JournalError::new("the journal panicked; fix the journal")));
        match process.is_current() {
            true => result,
            false => Err(JournalError::with_code(Ended::Forked.code(), Ended::Forked.message())),
        }
    }

    /// Writes `entry`, or says which entry forbids it.
    fn insert(&self, context: &CallContext, entry: &Entry) -> Result<(), Error> {
        // A journal that waited when the call was cancelled did not fail.
        let failed = |error: JournalError| match context.check_cancelled() {
            Ok(()) => error.before_sending(),
            Err(cancelled) => cancelled,
        };
        let mut superseded = Vec::new();
        for _ in 0..MOST_INSERTS {
            let insert = |journal: &dyn Journal| journal.insert(context, entry, &superseded);
            if self.with(insert).map_err(failed)? {
                return Ok(());
            }
            let Found { now, entries } =
                self.find_reference(context, &entry.reference).map_err(failed)?;
            superseded = entries.into_iter().filter(|it| it.blocks(entry)).collect();
            // A call that may still be running is never superseded.
            let may_be_superseded = |it: &Entry| context.supersedes() && it.deadline_at < now;
            if let Some(earlier) = superseded.iter().find(|it| !may_be_superseded(it)) {
                return Err(blocked(entry, earlier, now));
            }
        }
        let message = "the journal refuses the entry, and has none that blocks it; check that its \
                       table has the documented indexes";
        Err(JournalError::new(message).before_sending())
    }

    /// Reads all entries with this reference. A reference whose calls fail again
    /// and again has more than one page.
    pub(crate) fn find_reference(
        &self,
        context: &CallContext,
        reference: &str,
    ) -> Result<Found, JournalError> {
        let reference = Some(reference.to_owned());
        let mut filter = Filter { reference, ..Filter::of_scope(&*self.scope) };
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

    /// Records the end of a call. Returns what the call found if a person had
    /// decided otherwise.
    fn end(
        &self,
        context: &CallContext,
        entry: &Entry,
        ending: &Ending,
    ) -> Result<Option<&'static str>, JournalError> {
        let mut stored = entry.clone();
        loop {
            let (changed, conflict) = match stored.ended(ending) {
                Decision::Keep => return Ok(None),
                Decision::Change(changed) => (changed, None),
                Decision::Conflict(changed) => (changed, Some(ending.state.as_str())),
            };
            if self.with(|journal| journal.update(context, &changed))? {
                return Ok(conflict);
            }
            let filter = Filter { id: Some(entry.id.clone()), ..Filter::of_scope(&*self.scope) };
            let found = self.with(|journal| journal.find(context, &filter))?;
            stored = found.entries.into_iter().next().ok_or_else(|| {
                JournalError::new("the entry of the call is no longer in the journal")
            })?;
            if context.ended().is_some() {
                return Err(JournalError::new("the entry kept changing"));
            }
        }
    }
}

impl RunningCall<'_> {
    /// Writes the entry of the call. From here on, the first byte of the
    /// request leaves before the deadline of the entry or never.
    pub(super) fn begin_entry(
        &mut self,
        intent: Option<Intent>,
        request: &PreparedRequest,
    ) -> Result<(), Error> {
        let (Some(keeper), Some(intent)) = (&self.client.0.journal, intent) else {
            return Ok(());
        };
        let context = self.context.clone().departing_in_time();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let entry = intent.entry(&keeper.scope, request.body(), &context, now);
        keeper.insert(&context, &entry)?;
        self.context = context;
        self.entry = Some(entry);
        Ok(())
    }

    /// Records how the call ended. Never changes that end.
    pub(super) fn end_entry<A: Viewed>(&mut self, result: &Result<A, Error>) {
        let (Some(keeper), Some(entry)) = (&self.client.0.journal, self.entry.take()) else {
            return;
        };
        let context = shortly_after(&self.context);
        let reason = match keeper.end(&context, &entry, &ending_of(result)) {
            Ok(None) => return,
            Ok(Some(found)) => format!("a person decided otherwise, and the call ended as {found}"),
            Err(error) => error.to_string(),
        };
        let failed = Event::JournalFailed { id: &entry.id, reason: &reason };
        self.client.observe(&self.context, &failed);
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
    CallContext::new(limit, CancelHandle::new(), Some(Arc::new(is_over)))
}

fn ending_of<A: Viewed>(result: &Result<A, Error>) -> Ending {
    match result {
        Ok(answer) => {
            let (hash, uid) = answer.identifiers();
            let (hash, uid) = (hash.map(str::to_owned), uid.map(str::to_owned));
            Ending { state: State::Done, hash, uid, kind: None, code: None }
        }
        Err(error) => Ending {
            state: match error.outcome() {
                Outcome::NotExecuted => State::Failed,
                Outcome::Unknown => State::Unknown,
            },
            hash: error.payment_hash().map(str::to_owned),
            uid: None,
            kind: Some(error.kind().as_str()),
            code: Some(error.code()),
        },
    }
}
