//! Entries of the journal that need something: read, recovered by queries,
//! resolved by a person, and deleted when they are old.

mod verdict;

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use payments_base::process::lock;
use payments_core::error::{Error, ErrorKind, Reason};
use payments_core::inside::ClientJournal;
use payments_core::journal::{Entry, Found, Needs};
use payments_core::json::{Json, Members};
use payments_core::request::{PaymentResponse, PayoutResponse, QueryPayment, QueryPayout};
use payments_core::{CallContext, Client};
use verdict::{
    Verdict, not_found, verdict_on_cancellation, verdict_on_payment, verdict_on_payout,
    verdict_on_refund,
};

pub use self::verdict::query_to_turn_on;
pub(crate) use self::verdict::way_to_query;
use crate::agreement::proves;
use crate::journal::{check, decided, list_whole};

/// After this many queries in a row that reached no service, the others are not
/// made.
const MOST_FAILURES: u32 = 3;

/// An entry that stays open.
#[derive(Clone, Debug)]
pub struct OpenEntry {
    /// The entry.
    pub entry: Entry,
    /// The next step that it needs.
    pub needs: Needs,
    /// Why, in one sentence.
    pub reason: String,
}

/// The result of a recovery.
#[derive(Clone, Default, Debug)]
pub struct Recovery {
    /// Entries whose outcome a query found.
    pub recovered: Vec<Entry>,
    /// Entries that stay open.
    pub open: Vec<OpenEntry>,
    /// The journal's clock, in milliseconds since 1970 UTC.
    pub now: u64,
}

impl Recovery {
    /// The result as an object: `recovered`, `open` and `now`.
    pub fn to_json(&self) -> Json {
        let open = |it: &OpenEntry| {
            Json::Object(Members::from([
                ("entry", it.entry.to_json()),
                ("needs", Json::from(it.needs.as_str())),
                ("reason", Json::from(it.reason.as_str())),
            ]))
        };
        Json::Object(Members::from([
            ("recovered", self.recovered.iter().map(decided).collect::<Vec<_>>().into()),
            ("open", self.open.iter().map(open).collect::<Vec<_>>().into()),
            ("now", Json::from(self.now)),
        ]))
    }
}

/// A recovery in progress. Several threads may [`work`](Self::work) at it.
pub struct RunningRecovery<'a> {
    client: &'a Client,
    journal: &'a ClientJournal,
    entries: Mutex<VecDeque<Entry>>,
    failures_in_a_row: AtomicU32,
    result: Mutex<Recovery>,
    _lock: Box<dyn Any + Send + Sync>,
}

/// Queries the outcomes of open entries of this client's scope. It may run in
/// parallel to calls. Each query has the client's own deadline; `context` can
/// cancel them all.
///
/// # Errors
/// `config` without a journal, `journal` if it does not work or another
/// recovery of a journal in a file is running, `cancelled`.
pub fn recover(client: &Client, context: &CallContext) -> Result<Recovery, Error> {
    let running = begin(client, context)?;
    running.work(context)?;
    Ok(running.end())
}

/// Like [`recover`], for several threads: reads the open entries, and queries
/// nothing yet.
///
/// # Errors
/// Those of [`recover`].
pub fn begin<'c>(client: &'c Client, context: &CallContext) -> Result<RunningRecovery<'c>, Error> {
    let journal = client.client_journal()?;
    let context = &context.begun();
    check(client, context)?;
    let lock = journal.with(|it| it.lock_recovery());
    let lock = lock.map_err(|error| error.outside_of_calls())?;
    let Found { now, entries } = list_whole(client, true, context)?;
    Ok(RunningRecovery {
        client,
        journal,
        entries: Mutex::new(entries.into()),
        failures_in_a_row: AtomicU32::new(0),
        result: Mutex::new(Recovery { now, ..Recovery::default() }),
        _lock: lock,
    })
}

impl RunningRecovery<'_> {
    /// Settles entries until none is left.
    ///
    /// # Errors
    /// `journal` if it does not work, `cancelled`.
    pub fn work(&self, context: &CallContext) -> Result<(), Error> {
        let context = &context.begun();
        loop {
            context.check_cancelled()?;
            let Some(entry) = lock(&self.entries).pop_front() else { return Ok(()) };
            let now = lock(&self.result).now;
            match self.investigate(&entry, now, context)? {
                Verdict::Open(needs, reason) => {
                    lock(&self.result).open.push(OpenEntry { entry, needs, reason });
                }
                Verdict::Ended(found) => {
                    let decide = |stored: &Entry| stored.recovered(&found);
                    // If another process was faster, it knows at least as much.
                    let change = |context: &_| self.journal.change(context, &entry, decide);
                    if let Some(found) = self.client.read(context, change)? {
                        lock(&self.result).recovered.push(found);
                    }
                }
            }
        }
    }

    /// The result, the oldest entries first.
    pub fn end(self) -> Recovery {
        let mut result = self.result.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        result.recovered.sort_by(|one, other| one.id.cmp(&other.id));
        result.open.sort_by(|one, other| one.entry.id.cmp(&other.entry.id));
        result
    }

    fn investigate(
        &self,
        entry: &Entry,
        now: u64,
        context: &CallContext,
    ) -> Result<Verdict, Error> {
        if let Some(verdict) = verdict::without_query(entry, now, self.client.rules()) {
            return Ok(verdict);
        }
        if self.failures_in_a_row.load(Ordering::SeqCst) >= MOST_FAILURES {
            let reason = "was not queried, because the service could not be reached";
            return Ok(Verdict::Open(Needs::Query, reason.to_owned()));
        }
        let answer = ask(self.client, entry, context);
        let is_down = answer.as_ref().is_err_and(cannot_be_reached);
        if is_down {
            self.failures_in_a_row.fetch_add(1, Ordering::SeqCst)
        } else {
            self.failures_in_a_row.swap(0, Ordering::SeqCst)
        };
        judge(self.client, self.journal, (entry, now), answer, context)
    }
}

/// Like [`recover`], for one open entry at `now`, by the journal's clock. Returns
/// it if it stays open.
///
/// # Errors
/// Those of [`recover`].
pub fn recover_one(
    client: &Client,
    entry: &Entry,
    now: u64,
    context: &CallContext,
) -> Result<Option<OpenEntry>, Error> {
    let journal = client.client_journal()?;
    let context = &context.begun();
    let verdict = match verdict::without_query(entry, now, client.rules()) {
        Some(verdict) => verdict,
        None => judge(client, journal, (entry, now), ask(client, entry, context), context)?,
    };
    match verdict {
        Verdict::Open(needs, reason) => Ok(Some(OpenEntry { entry: entry.clone(), needs, reason })),
        Verdict::Ended(found) => {
            let decide = |stored: &Entry| stored.recovered(&found);
            client.read(context, |context| journal.change(context, entry, decide))?;
            Ok(None)
        }
    }
}

/// The response to the query of an entry.
enum Answer {
    /// That of a payment, or of the payment of a refund.
    Payment(PaymentResponse),
    Payout(PayoutResponse),
}

/// Queries an entry that a query finds.
fn ask(client: &Client, entry: &Entry, context: &CallContext) -> Result<Answer, Error> {
    let context = client.renewed(context);
    if client.rules().queries(entry.operation) {
        let query = QueryPayout::by_external_reference(&entry.reference);
        return client.execute(&query, &context).map(Answer::Payout);
    }
    let query = match &entry.hash {
        Some(hash) if entry.operation.is_found_as_payment() => QueryPayment::by_hash(hash),
        None if entry.operation.is_found_as_payment() => {
            QueryPayment::by_merchant_payment_code(&entry.reference)
        }
        _ => QueryPayment::by_hash(&entry.reference),
    };
    client.execute(&query, &context).map(Answer::Payment)
}

/// The verdict of an answer on an entry at that time.
fn judge(
    client: &Client,
    journal: &ClientJournal,
    (entry, now): (&Entry, u64),
    answer: Result<Answer, Error>,
    context: &CallContext,
) -> Result<Verdict, Error> {
    let verdict = match answer {
        Ok(Answer::Payout(answer)) => {
            Some(verdict_on_payout(entry, &answer, |code| client.is_secret(code)))
        }
        Ok(Answer::Payment(answer)) if entry.operation.is_found_as_payment() => {
            Some(verdict_on_payment(&answer, proves(client, entry, &answer, context)?))
        }
        Ok(Answer::Payment(answer)) if entry.operation.is_cancellation() => {
            verdict_on_cancellation(entry, &answer, now)
        }
        Ok(Answer::Payment(answer)) => {
            let others =
                client.read(context, |it| journal.find_reference(it, &entry.reference))?.entries;
            verdict_on_refund(entry, &answer, &others, now)
        }
        Err(error) if error.reason() == Some(Reason::NotFound) => None,
        Err(error) => {
            Some(Verdict::Open(Needs::Query, format!("the query failed: {}", error.message())))
        }
    };
    Ok(verdict.unwrap_or_else(|| not_found(entry, now)))
}

/// Whether the next query would fail in the same way.
fn cannot_be_reached(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Connect | ErrorKind::Tls | ErrorKind::Timeout | ErrorKind::Token => true,
        ErrorKind::Status => error.http_status().is_some_and(|status| status >= 500),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use payments_core::error::{ErrorCode, Outcome};

    use payments_core::journal::EntryState;

    use super::*;

    #[test]
    fn an_unreachable_service_is_not_queried_repeatedly() {
        let of = |kind, status: Option<u16>| {
            let error = Error::new(kind, Outcome::NotExecuted, ErrorCode::UNAVAILABLE, "down");
            let error = status.map_or(error.clone(), |status| error.with_http_status(status));
            cannot_be_reached(&error)
        };
        for kind in [ErrorKind::Connect, ErrorKind::Tls, ErrorKind::Timeout, ErrorKind::Token] {
            assert!(of(kind, None), "{kind:?}");
        }
        assert!(of(ErrorKind::Status, Some(500)) && of(ErrorKind::Status, Some(503)));
        assert!(!of(ErrorKind::Status, Some(499)) && !of(ErrorKind::Status, Some(403)));
        assert!(!of(ErrorKind::Rejected, Some(200)) && !of(ErrorKind::Journal, None));
    }

    #[test]
    fn a_recovery_as_an_object_has_all_entries_and_needs() {
        let entry = Entry::of_test("order-1");
        let recovered = vec![Entry { state: EntryState::Done, ..entry.clone() }];
        let open = OpenEntry { entry, needs: Needs::Query, reason: "down".to_owned() };
        let json = Recovery { recovered, open: vec![open], now: 7 }.to_json();
        let at = |pointer: &str| json.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
        assert_eq!((at("/recovered/0/state"), at("/open/0/needs")), ("done", "query"));
        assert_eq!((at("/open/0/entry/reference"), at("/open/0/reason")), ("order-1", "down"));
        assert_eq!(json.get("now"), Some(&Json::from(7_u64)));
    }
}
