//! The calls and reports of one round, compared with the effects on the
//! sandbox.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use payments_sandbox::Sandbox;
use serde_json::Value;

use crate::call::{Call, Kind, next_id, refund};

#[derive(Default)]
pub(super) struct Ledger {
    /// Calls by id, with their reports once received.
    calls: BTreeMap<usize, (Call, Option<ReportedCall>)>,
    /// The ids of payments reported as created.
    made: Vec<usize>,
}

struct ReportedCall {
    what: String,
    language: &'static str,
}

/// How often each report was received.
#[derive(Default)]
pub(super) struct Totals(BTreeMap<String, usize>);

impl Ledger {
    pub(super) fn calls(&self) -> usize {
        self.calls.len()
    }

    /// The number of calls without a report.
    pub(super) fn open(&self) -> usize {
        self.calls.values().filter(|(_, reported)| reported.is_none()).count()
    }

    /// The next call: mostly payments, and calls that follow up on one.
    pub(super) fn next(&mut self, sandbox: &Sandbox, cancel_ms: Option<u64>) -> Call {
        let id = next_id();
        let of_a_payment = self.made.get(id % self.made.len().max(1)).copied();
        let kind = match (id % 10, of_a_payment) {
            (0..=1, _) => Kind::Payout,
            (2..=3, Some(payment)) => refund(sandbox, payment).unwrap_or(Kind::Payment),
            (4..=5, Some(payment)) => Kind::Query(payment),
            _ => Kind::Payment,
        };
        let call = Call::new(id, kind, cancel_ms);
        self.calls.insert(id, (call.clone(), None));
        call
    }

    pub(super) fn report(&mut self, line: &str, language: &'static str) {
        let report: Value = serde_json::from_str(line)
            .unwrap_or_else(|error| panic!("{language}: {line}: {error}"));
        let id = report["id"].as_u64().unwrap_or_else(|| panic!("{language}: {line}"));
        let what = report["report"].as_str().unwrap_or_else(|| panic!("{language}: {line}"));
        let known = ["success", "responded", "not_executed", "unknown", "executed"];
        assert!(known.contains(&what), "{language} reports {line}");
        let (call, reported) = self.calls.get_mut(&(id as usize)).unwrap();
        assert!(reported.is_none(), "{language} reports twice: {line}");
        *reported = Some(ReportedCall { what: what.to_owned(), language });
        if what == "success" && matches!(call.kind, Kind::Payment) {
            self.made.push(call.id);
        }
    }

    /// Asserts that nothing was executed twice and that every report agrees
    /// with the sandbox.
    pub(super) fn check(&self, sandbox: &Sandbox) -> Totals {
        let executed = executed(sandbox);
        let mut totals = Totals::default();
        for (call, reported) in self.calls.values() {
            let reported = reported.as_ref().unwrap();
            *totals.0.entry(reported.what.clone()).or_default() += 1;
            if matches!(call.kind, Kind::Query(_)) {
                continue;
            }
            let times = executed.get(&Call::reference(call.id)).copied().unwrap_or(0);
            let agrees = match reported.what.as_str() {
                "success" | "responded" | "executed" => times == 1,
                "not_executed" => times == 0,
                _ => times <= 1,
            };
            let ReportedCall { what, language } = reported;
            assert!(agrees, "{language} reports {what}, executed {times} times: {call}");
        }
        totals
    }
}

/// How often the sandbox executed each reference, or code of a refund.
pub(crate) fn executed(sandbox: &Sandbox) -> HashMap<String, usize> {
    let mut executed = HashMap::new();
    let mut count = |reference: String| *executed.entry(reference).or_default() += 1;
    for payment in sandbox.payments() {
        payment.refunds.into_iter().filter_map(|it| it.merchant_refund_code).for_each(&mut count);
        count(payment.merchant_payment_code);
    }
    sandbox.payouts().into_iter().for_each(|payout| count(payout.external_reference));
    executed
}

impl Totals {
    pub(super) fn add(&mut self, other: &Self) {
        for (what, times) in &other.0 {
            *self.0.entry(what.clone()).or_default() += times;
        }
    }

    /// A run in which everything fails, or nothing does, proves nothing.
    pub(super) fn assert_varied(&self) {
        let all: usize = self.0.values().sum();
        let of = |what: &str| self.0.get(what).copied().unwrap_or(0);
        assert!(of("success") * 4 > all, "most calls should work: {self}");
        assert!(of("unknown") > 0 && of("not_executed") > 0, "something should fail: {self}");
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each: Vec<_> = self.0.iter().map(|(what, times)| format!("{times} {what}")).collect();
        f.write_str(&each.join(", "))
    }
}
