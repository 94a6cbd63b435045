//! The result of the call, the entry in the journal, and the effects on the
//! service.

use std::collections::HashMap;
use std::fmt;

use payments_core::journal::{DecidedBy, Entry, EntryState};
use payments_core::{Client, ErrorCode, QueryPayment};
use serde_json::Value;

use crate::rows::{Kind, Place, call};

/// A call that was cut, or not.
pub(crate) struct Attempt {
    pub(crate) reference: String,
    /// Of the payment that it refunds.
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

/// Compares what the callers, the journal and the service of a row know, before and after recovery and new attempts.
pub(crate) struct RowCheck<'a> {
    place: &'a Place,
    attempts: &'a [Attempt],
    client: Client,
    pub(crate) totals: Totals,
    pub(crate) findings: Vec<String>,
}

/// How many days pass before recovery: more than a wall clock jumps.
const DAYS: i64 = 410;

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
            self.check_told(attempt, executed(attempt));
        }
        if self.place.row.has_journal {
            self.finish_by_journal(executed)
        } else {
            self.attempts.iter().for_each(|attempt| self.finish_by_query(attempt))
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
    fn check_told(&mut self, attempt: &Attempt, executed: usize) {
        let agrees = match attempt.outcome() {
            Some("success" | "executed") => executed == 1,
            Some("not_executed") => executed == 0,
            _ => executed <= 1,
        };
        self.require(agrees, attempt, &format!("executed {executed} times"));
        self.require(attempt.is_durable, attempt, "sent before its entry was on the disk");
    }

    /// Recovers the journal once, and makes each call again. What no query
    /// finds is decided by a person who looks at the ledger of the service.
    fn finish_by_journal(&mut self, executed: impl Fn(&Attempt) -> usize) {
        let entries = self.entries();
        for attempt in self.attempts {
            self.check_entries(attempt, executed(attempt), &entries);
        }
        self.place.age_journal(DAYS);
        let recovery = payments_host::recover(&self.client, &self.client.context()).unwrap();
        self.totals.recovered = recovery.recovered.len();
        let entries = self.entries();
        for attempt in self.attempts {
            self.check_entries(attempt, executed(attempt), &entries);
            let open = attempt.entries(&entries).iter().find(|entry| entry.is_open());
            let can_be_found = matches!(self.place.row.kind, Kind::Payment | Kind::Refund);
            let is_found = open.is_none() || executed(attempt) == 0 || !can_be_found;
            self.require(is_found, attempt, "recovery does not find it");
            self.make_again(attempt, executed(attempt), open);
        }
        let entries = self.entries();
        for attempt in self.attempts {
            let of_attempt = attempt.entries(&entries);
            let done = of_attempt.iter().filter(|entry| entry.state == EntryState::Done).count();
            let open = of_attempt.iter().any(Entry::is_open);
            self.require(done == 1 && !open, attempt, "the journal is not settled at the end");
        }
    }

    /// The journal agrees with the service and with the caller.
    fn check_entries(&mut self, attempt: &Attempt, executed: usize, entries: &Entries) {
        let entries = attempt.entries(entries);
        let has = |state| entries.iter().any(|entry| entry.state == state);
        let (is_done, is_failed) = (has(EntryState::Done), has(EntryState::Failed));
        let is_open = entries.iter().any(Entry::is_open);
        let states: Vec<_> = entries.iter().map(|entry| entry.state.as_str()).collect();
        let agrees = match executed {
            0 => !is_done,
            _ => (is_done || is_open) && !is_failed && entries.len() == 1,
        };
        self.require(agrees, attempt, &format!("executed {executed} times, journal {states:?}"));
        let agrees = match attempt.outcome() {
            Some("success") if attempt.cut.is_none() => is_done,
            Some("success" | "executed") => is_done || is_open,
            Some("not_executed") => !is_done,
            Some(_) => is_open || entries.iter().any(is_recovered),
            None => true,
        };
        self.require(agrees, attempt, &format!("the journal says {states:?}"));
    }

    /// Makes the call again. The journal lets it pass if it was not executed.
    fn make_again(&mut self, attempt: &Attempt, executed: usize, open: Option<&Entry>) {
        let mut reported = self.call(attempt);
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
            reported = self.call(attempt);
        }
        let expected = if executed > 0 { "executed" } else { "success" };
        self.totals.again += usize::from(reported == "success");
        self.require(reported == expected, attempt, &format!("made again, it reported {reported}"));
    }

    /// Without a journal, a merchant makes a call again if the outcome allows
    /// it, or if a query does not find what it would have made.
    fn finish_by_query(&mut self, attempt: &Attempt) {
        let was_executed = match attempt.outcome() {
            Some("success" | "executed") => Some(true),
            Some("not_executed") => Some(false),
            _ => self.ask(attempt),
        };
        match was_executed {
            Some(true) => {}
            Some(false) => {
                let reported = self.call(attempt);
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
            Kind::Payment => {
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

    fn call(&self, attempt: &Attempt) -> &'static str {
        let Attempt { reference, hash, .. } = attempt;
        match call(&self.client, self.place.row.kind, reference, hash) {
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
