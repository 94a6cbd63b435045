//! The result of the call, the entry in the journal, and the effects on the
//! service.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use payments_core::journal::{DecidedBy, Entry, EntryState};
use payments_core::{CallContext, Client, ErrorCode, QueryPayment};
use serde_json::Value;

use crate::rows::{Kind, Place, call};

/// A call that was cut, or not.
pub(crate) struct Attempt {
    pub(crate) reference: String,
    /// The hash of the payment that it refunds.
    pub(crate) hash: String,
    /// `None` if the process was killed.
    pub(crate) reported: Option<Value>,
    pub(crate) cut: Option<String>,
    /// Whether its entry was on the disk before its first byte left.
    pub(crate) is_durable: bool,
}

/// How often each end was seen.
#[derive(Default)]
pub(crate) struct Totals {
    runs: usize,
    killed: usize,
    success: usize,
    not_executed: usize,
    unknown: usize,
    /// Executed, and the caller was killed before it knew.
    executed_unseen: usize,
    recovered: usize,
    /// Decided by a person, because no query tells.
    resolved: usize,
    again: usize,
    /// Without a journal, and not tried again, because no query tells.
    left: usize,
}

/// Compares the records of the callers, the journal and the service of a row, before and
/// after recovery and new attempts.
pub(crate) struct RowCheck<'a> {
    place: &'a Place,
    attempts: &'a [Attempt],
    client: Client,
    pub(crate) totals: Totals,
    pub(crate) findings: Vec<String>,
}

/// How many days pass before recovery: more than a wall clock jumps.
const DAYS: i64 = 410;

/// How many calls are made again at a time.
const PARALLEL: usize = 8;
/// How long a call that is made again queries a payment that stays in doubt.
const OF_DOUBT: Duration = Duration::from_secs(5);
/// How long any other call may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

type Entries = HashMap<String, Vec<Entry>>;

impl<'a> RowCheck<'a> {
    pub(crate) fn new(place: &'a Place, attempts: &'a [Attempt]) -> Self {
        let client = place.client();
        let (totals, findings) = (Totals::default(), Vec::new());
        Self { place, attempts, client, totals, findings }
    }

    /// Finishes all calls of the row as a worker would, and compares.
    pub(crate) fn finish(&mut self) {
        let executed = self.place.executed();
        let executed = |it: &Attempt| executed.get(&it.reference).copied().unwrap_or(0);
        for attempt in self.attempts {
            self.count(attempt, executed(attempt));
            self.check_result(attempt, executed(attempt));
        }
        let is_ensured = self.place.row.kind == Kind::Ensure;
        match (self.place.row.has_journal, is_ensured) {
            (true, _) => self.finish_by_journal(executed),
            (false, true) => drop(self.ensure_again()),
            (false, false) => {
                self.attempts.iter().for_each(|attempt| self.finish_by_query(attempt));
            }
        }
        let executed = self.place.executed();
        let left = self.totals.left;
        let times = |it: &Attempt| executed.get(&it.reference).copied().unwrap_or(0);
        let not_once: Vec<_> = self.attempts.iter().filter(|it| times(it) != 1).collect();
        for attempt in &not_once {
            if left == 0 || times(attempt) > 1 {
                self.finding(attempt, &format!("executed {} times at the end", times(attempt)));
            }
        }
    }

    fn finding(&mut self, attempt: &Attempt, what: &str) {
        self.findings.push(format!("{}: {what}: {attempt}", self.place.row));
    }

    fn require(&mut self, is_true: bool, attempt: &Attempt, otherwise: &str) {
        if !is_true {
            self.finding(attempt, otherwise);
        }
    }

    fn count(&mut self, attempt: &Attempt, executed: usize) {
        let totals = &mut self.totals;
        totals.runs += 1;
        match attempt.outcome() {
            None => {
                totals.killed += 1;
                totals.executed_unseen += executed;
            }
            Some("not_executed") => totals.not_executed += 1,
            Some("unknown") => totals.unknown += 1,
            Some(_) => totals.success += 1,
        }
    }

    /// The caller and the service agree.
    fn check_result(&mut self, attempt: &Attempt, executed: usize) {
        let agrees = match attempt.outcome() {
            Some("success" | "executed") => executed == 1,
            Some("not_executed") => executed == 0,
            _ => executed <= 1,
        };
        self.require(agrees, attempt, &format!("executed {executed} times"));
        self.require(attempt.is_durable, attempt, "sent before its entry was on the disk");
    }

    /// Recovers the journal once, and makes each call again. A person who looks
    /// at the ledger of the service decides about operations that no query
    /// finds.
    fn finish_by_journal(&mut self, executed: impl Fn(&Attempt) -> usize) {
        let entries = self.entries();
        for attempt in self.attempts {
            self.check_entries(attempt, executed(attempt), &entries);
        }
        let ensured = match self.place.row.kind {
            Kind::Ensure => Some(self.ensure_again()),
            _ => None,
        };
        let executed = |it: &Attempt| match &ensured {
            Some(ensured) => ensured.get(&it.reference).copied().unwrap_or(0),
            None => executed(it),
        };
        self.place.age_journal(DAYS);
        let recovery = payments_host::recover(&self.client, &self.client.context()).unwrap();
        self.totals.recovered = recovery.recovered.len();
        let entries = self.entries();
        let again = self.call_all(|it| it.is_open_in(&entries));
        for (attempt, reported) in self.attempts.iter().zip(again) {
            if ensured.is_none() {
                self.check_entries(attempt, executed(attempt), &entries);
            }
            let open = attempt.entries(&entries).iter().find(|entry| entry.is_open());
            let can_be_found = !matches!(self.place.row.kind, Kind::Payout | Kind::Send);
            let is_found = open.is_none() || executed(attempt) == 0 || !can_be_found;
            self.require(is_found, attempt, "recovery does not find it");
            self.check_again(attempt, executed(attempt), reported, open);
        }
        let entries = self.entries();
        for attempt in self.attempts {
            let of_attempt = attempt.entries(&entries);
            let done = of_attempt.iter().filter(|entry| entry.state == EntryState::Done).count();
            let open = of_attempt.iter().any(Entry::is_open);
            self.require(done == 1 && !open, attempt, "the journal is not settled at the end");
        }
    }

    /// Makes each call a second time, as after a kill: the payment is found,
    /// created once, or stays unknown while the journal has its entry open. Returns
    /// how often each was executed then.
    fn ensure_again(&mut self) -> HashMap<String, usize> {
        let before = self.place.executed();
        let entries = if self.place.row.has_journal { self.entries() } else { HashMap::new() };
        let stays = |it: &Attempt| !before.contains_key(&it.reference) && it.is_open_in(&entries);
        let again = self.call_all(stays);
        let after = self.place.executed();
        for (attempt, reported) in self.attempts.iter().zip(again) {
            let times = |of: &HashMap<String, usize>| of.get(&attempt.reference).copied();
            let expected = if stays(attempt) { ("unknown", None) } else { ("success", Some(1)) };
            self.totals.again += usize::from(times(&before).is_none() && reported == "success");
            let (found, times) = ((reported, times(&after)), times(&before));
            let what = format!("executed {times:?} times, {found:?} by a second call");
            self.require(found == expected, attempt, &what);
        }
        after
    }

    /// The journal agrees with the service and with the caller.
    fn check_entries(&mut self, attempt: &Attempt, executed: usize, entries: &Entries) {
        let entries = attempt.entries(entries);
        let has = |state| entries.iter().any(|entry| entry.state == state);
        let (is_done, is_failed) = (has(EntryState::Done), has(EntryState::Failed));
        let is_open = entries.iter().any(Entry::is_open);
        let states: Vec<_> = entries.iter().map(|entry| entry.state.as_str()).collect();
        let may_lack = entries.is_empty() && self.place.row.setting.may_lack_entry();
        let agrees = match executed {
            _ if may_lack => attempt.outcome() != Some("executed"),
            0 => !is_done,
            _ => (is_done || is_open) && !is_failed && entries.len() == 1,
        };
        self.require(agrees, attempt, &format!("executed {executed} times, journal {states:?}"));
        let agrees = match attempt.outcome() {
            Some("success") if attempt.cut.is_none() => is_done,
            _ if may_lack => true,
            Some("success" | "executed") => is_done || is_open,
            Some("not_executed") => !is_done,
            // A journal that does not work, or a failed query, proves nothing.
            Some(_) if executed == 0 && self.place.row.kind == Kind::Ensure => true,
            Some(_) => is_open || entries.iter().any(is_recovered),
            None => true,
        };
        self.require(agrees, attempt, &format!("the journal says {states:?}"));
    }

    /// Checks the call that was made again. The journal lets it pass if it was not
    /// executed.
    fn check_again(
        &mut self,
        attempt: &Attempt,
        executed: usize,
        mut reported: &'static str,
        open: Option<&Entry>,
    ) {
        if let Some(open) = open {
            self.require(
                reported == "unknown",
                attempt,
                &format!("open, and then reported {reported}"),
            );
            self.totals.resolved += 1;
            let note = "seen on the platform";
            let context = self.client.context();
            payments_host::journal::resolve(&self.client, &open.id, executed > 0, note, &context)
                .unwrap();
            reported = self.call(attempt, PATIENCE);
        }
        let is_found = self.place.row.kind == Kind::Ensure;
        let expected = if executed > 0 && !is_found { "executed" } else { "success" };
        self.totals.again += usize::from(reported == "success");
        self.require(reported == expected, attempt, &format!("made again, it reported {reported}"));
    }

    /// Without a journal, a merchant makes a call again if the outcome allows
    /// it, or if a query does not find its result.
    fn finish_by_query(&mut self, attempt: &Attempt) {
        let was_executed = match attempt.outcome() {
            Some("success" | "executed") => Some(true),
            Some("not_executed") => Some(false),
            _ => self.ask(attempt),
        };
        match was_executed {
            Some(true) => {}
            Some(false) => {
                let reported = self.call(attempt, PATIENCE);
                self.totals.again += 1;
                self.require(
                    reported == "success",
                    attempt,
                    &format!("made again, it reported {reported}"),
                );
            }
            None => self.totals.left += 1,
        }
    }

    /// Whether a query finds the operation. `None` if there is no such query.
    fn ask(&mut self, attempt: &Attempt) -> Option<bool> {
        match self.place.row.kind {
            Kind::Payment | Kind::Ensure => {
                let query = QueryPayment::by_merchant_payment_code(&attempt.reference);
                match self.client.query_payment(&query) {
                    Ok(_) => Some(true),
                    Err(error) if error.code() == ErrorCode::PAYMENT_NOT_FOUND => Some(false),
                    Err(error) => panic!("{error}"),
                }
            }
            Kind::Refund => {
                let found = self.client.query_payment(&QueryPayment::by_hash(&attempt.hash));
                let body = String::from_utf8_lossy(found.unwrap().raw().body()).into_owned();
                Some(body.contains(&format!("\"{}\"", attempt.reference)))
            }
            Kind::Payout | Kind::Send => None,
        }
    }

    /// Makes all calls again, some at a time: those whose doubt `stays` use all their time.
    fn call_all(&self, stays: impl Fn(&Attempt) -> bool + Sync) -> Vec<&'static str> {
        let size = self.attempts.len().div_ceil(PARALLEL).max(1);
        std::thread::scope(|scope| {
            let limit = |it: &Attempt| if stays(it) { OF_DOUBT } else { PATIENCE };
            let call = |some: &'a [Attempt]| {
                scope.spawn(move || {
                    some.iter().map(|it| self.call(it, limit(it))).collect::<Vec<_>>()
                })
            };
            let threads: Vec<_> = self.attempts.chunks(size).map(call).collect();
            threads.into_iter().flat_map(|it| it.join().unwrap()).collect()
        })
    }

    fn call(&self, attempt: &Attempt, limit: Duration) -> &'static str {
        let Attempt { reference, hash, .. } = attempt;
        let context = CallContext::with_timeout(limit);
        match call(&self.client, self.place.row.kind, [reference, hash], &context) {
            Ok(()) => "success",
            Err(error) => error.outcome().as_str(),
        }
    }

    /// By the references of calls; for a refund, by its code.
    fn entries(&self) -> Entries {
        let mut entries = Entries::new();
        let found = payments_host::journal::list_whole(&self.client, false, &self.client.context())
            .unwrap();
        for entry in found.entries {
            let name = entry.refund_code.clone().unwrap_or_else(|| entry.reference.clone());
            entries.entry(name).or_default().push(entry);
        }
        entries
    }
}

fn is_recovered(entry: &Entry) -> bool {
    entry.state == EntryState::Done && entry.decided_by == Some(DecidedBy::Recovery)
}

impl Attempt {
    fn outcome(&self) -> Option<&str> {
        self.reported.as_ref().and_then(|reported| reported["outcome"].as_str())
    }

    fn entries<'a>(&self, entries: &'a Entries) -> &'a [Entry] {
        entries.get(&self.reference).map(Vec::as_slice).unwrap_or_default()
    }

    fn is_open_in(&self, entries: &Entries) -> bool {
        self.entries(entries).iter().any(Entry::is_open)
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = self.cut.as_deref().unwrap_or("no cut");
        match &self.reported {
            None => write!(f, "{} ({cut}), killed", self.reference),
            Some(reported) => write!(f, "{} ({cut}), reported {reported}", self.reference),
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, killed, success, not_executed, unknown, executed_unseen, .. } = self;
        let Self { recovered, resolved, again, left, .. } = self;
        write!(
            f,
            "{runs} runs: {killed} killed ({executed_unseen} of them executed), {success} \
             succeeded, {not_executed} not executed, {unknown} unknown; {recovered} recovered, \
             {resolved} decided by a person, {again} made again, {left} left"
        )
    }
}
