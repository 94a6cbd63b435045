//! The calls and their reports, the journal, and the effects on the sandbox.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use payments_core::journal::{Entry, EntryState};
use payments_core::{Client, Operation};
use payments_host::recovery::Recovery;
use payments_sandbox::Sandbox;

use crate::call::{Call, Kind};
use crate::soak::ledger::executed;

/// How many of the latest calls may be made again.
const RECENT: usize = 30;

#[derive(Default)]
pub(super) struct Ledger {
    /// By their ids.
    calls: BTreeMap<usize, Attempts>,
    /// The ids of payments that were reported as created.
    made: Vec<usize>,
}

/// How often a call was begun, by any process, and how that ended.
struct Attempts {
    call: Call,
    begun: usize,
    succeeded: usize,
    not_executed: usize,
    unknown: usize,
    /// Reports that an earlier attempt was executed.
    known: usize,
}

impl Attempts {
    /// Without a report, because the process was killed.
    fn interrupted(&self) -> usize {
        self.begun - self.succeeded - self.not_executed - self.unknown - self.known
    }
}

impl Ledger {
    /// One of the latest calls.
    pub(super) fn recent(&self, number: usize) -> Option<&Call> {
        self.calls.values().nth_back(number % RECENT).map(|attempts| &attempts.call)
    }

    /// The id of a payment that was created.
    pub(super) fn made(&self, number: usize) -> Option<usize> {
        self.made.get(number % self.made.len().max(1)).copied()
    }

    pub(super) fn begin(&mut self, call: &Call) {
        let new = || Attempts {
            call: call.clone(),
            begun: 0,
            succeeded: 0,
            not_executed: 0,
            unknown: 0,
            known: 0,
        };
        self.calls.entry(call.id).or_insert_with(new).begun += 1;
    }

    pub(super) fn end(&mut self, id: usize, report: &str) {
        let attempts = self.calls.get_mut(&id).unwrap();
        match report {
            "success" | "responded" => attempts.succeeded += 1,
            "not_executed" => attempts.not_executed += 1,
            "unknown" => attempts.unknown += 1,
            "executed" => attempts.known += 1,
            _ => panic!("call {id}: {report}"),
        }
        if report == "success" && matches!(attempts.call.kind, Kind::Payment) {
            self.made.push(id);
        }
    }

    /// Asserts that nothing was executed twice, nothing without an entry or with
    /// one that says `failed`, and that every report agrees.
    pub(super) fn check(&self, sandbox: &Sandbox, client: &Client) -> Totals {
        let executed = executed(sandbox);
        check_entries(&executed, &entries(client));
        let mut totals = Totals { executed: executed.len(), ..Totals::default() };
        for (id, attempts) in &self.calls {
            let times = executed.get(&Call::reference(*id)).copied().unwrap_or(0);
            let is_possible = match times {
                0 => attempts.succeeded + attempts.known == 0,
                _ => attempts.succeeded + attempts.unknown + attempts.interrupted() > 0,
            };
            let Attempts { call, begun, succeeded, not_executed, unknown, known } = attempts;
            assert!(
                is_possible && *succeeded <= 1,
                "executed {times} times; of {begun} attempts {succeeded} succeeded, {not_executed} \
                 were not executed, {unknown} are unknown, {known} were known to be executed: \
                 {call}"
            );
            totals.begun += begun;
            totals.succeeded += succeeded;
            totals.interrupted += attempts.interrupted();
            let is_lost = times == 1 && *succeeded == 0;
            totals.executed_unseen += usize::from(is_lost);
        }
        totals
    }
}

/// The states of the entries of each reference, or code of a refund.
pub(super) fn entries(client: &Client) -> HashMap<String, Vec<EntryState>> {
    let mut states = HashMap::<_, Vec<_>>::new();
    let mut after = None;
    loop {
        let page = payments_host::journal::list(client, false, after.as_deref(), &client.context())
            .unwrap();
        let page = page.entries;
        let Some(last) = page.last() else { return states };
        after = Some(last.id.clone());
        page.into_iter().for_each(|it| states.entry(name_of(&it)).or_default().push(it.state));
    }
}

fn name_of(entry: &Entry) -> String {
    entry.refund_code.clone().unwrap_or_else(|| entry.reference.clone())
}

/// Asserts that the effects and the journal agree.
pub(super) fn check_entries(
    executed: &HashMap<String, usize>,
    entries: &HashMap<String, Vec<EntryState>>,
) {
    assert!(!executed.is_empty(), "nothing was executed");
    for (reference, times) in executed {
        assert_eq!(*times, 1, "{reference} was executed {times} times");
        let states = entries.get(reference).map(Vec::as_slice).unwrap_or_default();
        let counts = states.iter().filter(|state| **state != EntryState::Failed).count();
        assert_eq!(counts, 1, "{reference} was executed, and its entries are {states:?}");
    }
    for (reference, states) in entries {
        let is_done = states.contains(&EntryState::Done);
        assert!(!is_done || executed.contains_key(reference), "{reference} was not executed");
    }
}

/// Asserts that recovery found every payment and refund that was executed.
pub(super) fn check_recovery(sandbox: &Sandbox, recovery: &Recovery) {
    let executed = executed(sandbox);
    assert!(!recovery.recovered.is_empty(), "nothing was left to recovery");
    let by_query = [Operation::CreatePayment, Operation::RefundPayment];
    for open in recovery.open.iter().filter(|it| by_query.contains(&it.entry.operation)) {
        let name = name_of(&open.entry);
        assert!(!executed.contains_key(&name), "{name} was executed: {}", open.reason);
    }
}

/// The numbers of all rounds.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) kills: usize,
    begun: usize,
    succeeded: usize,
    interrupted: usize,
    executed: usize,
    /// Executed, without a reported result.
    executed_unseen: usize,
}

impl Totals {
    pub(super) fn add(&mut self, other: &Self) {
        self.kills += other.kills;
        self.begun += other.begun;
        self.succeeded += other.succeeded;
        self.interrupted += other.interrupted;
        self.executed += other.executed;
        self.executed_unseen += other.executed_unseen;
    }

    /// A run in which every call is interrupted, or none, proves nothing.
    pub(super) fn assert_varied(&self) {
        assert!(self.succeeded > 0 && self.interrupted > 0 && self.executed_unseen > 0, "{self}");
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kills, begun, succeeded, interrupted, executed, executed_unseen } = self;
        write!(
            f,
            "{kills} kills, {begun} calls ({succeeded} succeeded, {interrupted} interrupted), \
             {executed} executed, {executed_unseen} of them without a response"
        )
    }
}
