//! Entries of the journal that stayed open: read, recovered by queries, resolved
//! by a person.

mod finding;

use finding::{Finding, finding_of_payment, finding_of_refund, not_found, open};

use crate::client::{Client, Keeper};
use crate::context::CallContext;
use crate::error::Error;
use crate::journal::{Entry, Filter, Found, Journal, JournalError, State};
use crate::json::{Json, Members};
use crate::operation::Operation;
use crate::operations::QueryPayment;

/// How often a change is tried again after another one came first.
const MOST_CHANGES: u32 = 4;

/// What an open entry needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Time: the call may still run, or its effect may still appear. Recover
    /// again later.
    Time,
    /// A query that works: recover again.
    Query,
    /// A person, who finds out elsewhere and resolves the entry.
    Person,
}

impl Needs {
    /// Its name in every language: `time`, `query` or `person`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Query => "query",
            Self::Person => "person",
        }
    }
}

/// An entry that stays open.
#[derive(Clone, Debug)]
pub struct OpenEntry {
    /// The entry.
    pub entry: Entry,
    /// What it needs.
    pub needs: Needs,
    /// Why, in one sentence.
    pub reason: String,
}

/// The result of a recovery.
#[derive(Clone, Default, Debug)]
pub struct Recovery {
    /// Entries whose operation was found to be executed.
    pub recovered: Vec<Entry>,
    /// Entries that stay open.
    pub open: Vec<OpenEntry>,
    /// The number of old entries that were deleted.
    pub deleted: u64,
}

impl Recovery {
    /// The result as an object: `recovered`, `open` and `deleted`.
    pub fn to_json(&self) -> Json {
        let open = |it: &OpenEntry| {
            Json::Object(Members::from([
                ("entry", it.entry.to_json()),
                ("needs", Json::from(it.needs.as_str())),
                ("reason", Json::from(it.reason.as_str())),
            ]))
        };
        Json::Object(Members::from([
            ("recovered", self.recovered.iter().map(Entry::to_json).collect::<Vec<_>>().into()),
            ("open", self.open.iter().map(open).collect::<Vec<_>>().into()),
            ("deleted", Json::from(self.deleted)),
        ]))
    }
}

impl Client {
    /// Reads entries of this client's scope, by their ids, the oldest first: at
    /// most 1,000, with ids after `after`.
    ///
    /// # Errors
    /// `config` without a journal, `journal` if it does not work.
    pub fn list_journal(
        &self,
        only_open: bool,
        after: Option<&str>,
        context: &CallContext,
    ) -> Result<Vec<Entry>, Error> {
        let keeper = self.keeper()?;
        let after = after.map(str::to_owned);
        let filter = Filter { is_open: only_open, after, ..keeper.filter() };
        self.find(keeper, &filter, context).map(|found| found.entries)
    }

    /// Reads the entries with this reference or id.
    ///
    /// # Errors
    /// `config` without a journal, `journal` if it does not work.
    pub fn show_journal(
        &self,
        reference: &str,
        context: &CallContext,
    ) -> Result<Vec<Entry>, Error> {
        let keeper = self.keeper()?;
        let by_id = Filter { id: Some(reference.to_owned()), ..keeper.filter() };
        let found = self.find(keeper, &by_id, context)?.entries;
        if !found.is_empty() {
            return Ok(found);
        }
        self.find_reference(keeper, reference, context)
    }

    /// Finds out by queries what became of open entries of this client's scope,
    /// and deletes old ones. It may run beside calls and other recoveries. Each
    /// query has the client's own deadline; `context` can cancel them all.
    ///
    /// # Errors
    /// `config` without a journal, `journal` if it does not work, `cancelled`.
    pub fn recover_journal(&self, context: &CallContext) -> Result<Recovery, Error> {
        let keeper = self.keeper()?;
        let context = &context.begun();
        let mut recovery = Recovery::default();
        let mut filter = Filter { is_open: true, ..keeper.filter() };
        loop {
            let Found { now, entries } = self.find(keeper, &filter, context)?;
            let Some(last) = entries.last() else { break };
            filter.after = Some(last.id.clone());
            for entry in entries {
                self.recover(keeper, entry, now, context, &mut recovery)?;
            }
        }
        let fresh = self.renewed(context);
        let deleted = keeper.with(|it| it.prune(&fresh, &keeper.scope, keeper.keep));
        recovery.deleted = fresh.unless_forked(deleted.map_err(|error| error.in_books()))?;
        Ok(recovery)
    }

    /// Records a person's decision about an open entry, given by its id, or by
    /// its reference if only one of that reference is open. Returns the entry.
    ///
    /// # Errors
    /// `validation` if there is no such entry or it cannot be resolved now,
    /// `config` without a journal, `journal` if it does not work.
    pub fn resolve_journal(
        &self,
        entry: &str,
        executed: bool,
        note: &str,
        context: &CallContext,
    ) -> Result<Entry, Error> {
        let refused = |code, message: &str| Err(Error::validation("entry", code, message));
        if note.trim().is_empty() {
            let message = "must say how the decision was reached";
            return Err(Error::validation("note", "required", message));
        }
        let keeper = self.keeper()?;
        let mut entry = entry.to_owned();
        for _ in 0..MOST_CHANGES {
            let mut found = self.show_journal(&entry, context)?;
            if found.is_empty() {
                return refused(
                    "entry_unknown",
                    "the journal has no entry with this id or reference",
                );
            }
            found.retain(Entry::is_open);
            let open = match <[Entry; 1]>::try_from(found) {
                Ok([open]) => open,
                Err(found) if found.is_empty() => {
                    return refused("entry_not_open", "the entry is not open; nothing was changed");
                }
                Err(_) => {
                    return refused(
                        "entry_ambiguous",
                        "several entries with this reference are open; give the id of one",
                    );
                }
            };
            // The decision is about this one, whatever else comes to be open.
            entry.clone_from(&open.id);
            let filter = Filter { id: Some(open.id.clone()), ..keeper.filter() };
            let now = self.find(keeper, &filter, context)?.now;
            if open.state_at(now) == State::InProgress {
                return refused(
                    "entry_in_progress",
                    "the call may still be running; wait until a minute after its deadline",
                );
            }
            let Some(resolved) = open.resolved(executed, note) else { continue };
            if self.update(keeper, &resolved, context)? {
                return Ok(resolved);
            }
        }
        refused("entry_not_open", "the entry kept changing; look at it again")
    }

    fn renewed(&self, context: &CallContext) -> CallContext {
        context.renewed(self.context().remaining())
    }

    fn find(
        &self,
        keeper: &Keeper,
        filter: &Filter,
        context: &CallContext,
    ) -> Result<Found, Error> {
        self.read(context, |context| keeper.with(|journal| journal.find(context, filter)))
    }

    fn find_reference(
        &self,
        keeper: &Keeper,
        reference: &str,
        context: &CallContext,
    ) -> Result<Vec<Entry>, Error> {
        self.read(context, |context| keeper.find_reference(context, reference))
            .map(|found| found.entries)
    }

    /// Reads a journal, with a deadline of its own.
    fn read(
        &self,
        context: &CallContext,
        find: impl FnOnce(&CallContext) -> Result<Found, JournalError>,
    ) -> Result<Found, Error> {
        let context = self.renewed(context);
        context.check_cancelled()?;
        context.unless_forked(find(&context).map_err(|error| error.in_books()))
    }

    fn update(&self, keeper: &Keeper, entry: &Entry, context: &CallContext) -> Result<bool, Error> {
        let context = self.renewed(context);
        let updated = keeper.with(|journal: &dyn Journal| journal.update(&context, entry));
        context.unless_forked(updated.map_err(|error| error.in_books()))
    }

    fn recover(
        &self,
        keeper: &Keeper,
        entry: Entry,
        now: u64,
        context: &CallContext,
        recovery: &mut Recovery,
    ) -> Result<(), Error> {
        let finding = match entry.state_at(now) {
            State::InProgress => open(Needs::Time, "the call may still be running"),
            _ => self.investigate(keeper, &entry, now, context)?,
        };
        match finding {
            Finding::Open(needs, reason) => {
                recovery.open.push(OpenEntry { entry, needs, reason });
            }
            Finding::Executed { hash, uid } => {
                let Some(found) = entry.found(hash.as_deref(), uid.as_deref()) else {
                    return Ok(());
                };
                // If another process was faster, it knows at least as much.
                if self.update(keeper, &found, context)? {
                    recovery.recovered.push(found);
                }
            }
        }
        Ok(())
    }

    fn investigate(
        &self,
        keeper: &Keeper,
        entry: &Entry,
        now: u64,
        context: &CallContext,
    ) -> Result<Finding, Error> {
        let query = match entry.operation {
            Operation::CreatePayment => QueryPayment::by_merchant_payment_code(&entry.reference),
            Operation::RefundPayment => QueryPayment::by_hash(&entry.reference),
            _ => {
                let reason = "no query finds it; look for its reference on the provider's platform";
                return Ok(open(Needs::Person, reason));
            }
        };
        let finding = match self.execute(&query, &self.renewed(context)) {
            Ok(answer) if entry.operation == Operation::CreatePayment => {
                finding_of_payment(entry, &answer)
            }
            Ok(answer) => {
                let others = self.find_reference(keeper, &entry.reference, context)?;
                finding_of_refund(entry, &answer, &others)
            }
            Err(error) if error.code() == "payment_not_found" => None,
            Err(error) => {
                context.check_cancelled()?;
                Some(Finding::Open(Needs::Query, format!("the query failed: {}", error.message())))
            }
        };
        Ok(finding.unwrap_or_else(|| not_found(entry, now)))
    }
}

impl Keeper {
    fn filter(&self) -> Filter {
        Filter::of_scope(&*self.scope)
    }
}
