//! The promises about reports, and the end of a run.

use std::model;
use std::time::Duration;

use payments_core::journal::{Entry, EntryState};
use payments_core::operation::Operation;
use payments_host::follow::{EndKind, FollowEnd};

use crate::service::Service;
use crate::shop::OrderState;
use crate::world::{Report, State};

/// The longest interval between two queries, twice: queries may have been paused before.
const REPORTED_WITHIN: Duration = Duration::from_secs(35 * 60);

impl Service {
    /// Whether the operation of an entry was executed.
    pub fn has(&self, entry: &Entry) -> bool {
        let reference = &entry.reference;
        match entry.operation {
            Operation::CreatePayment => self.payments.iter().any(|it| it.reference == *reference),
            Operation::CreatePayout => self.payouts.iter().any(|it| it.reference == *reference),
            _ => {
                let mut refunds = self.payments.iter().filter(|it| it.hash == *reference);
                refunds.any(|it| {
                    it.refunds.iter().any(|it| Some(&it.code) == entry.refund_code.as_ref())
                })
            }
        }
    }
}

impl State {
    /// Checks and records an end that the follower prints.
    pub fn reported(&mut self, end: &FollowEnd) {
        let now = model::elapsed();
        let key = format!("{} {}", end.operation.name(), end.reference);
        let name = end.end.as_str();
        self.note(|| format!("REPORTED {key}: {name}, repeated: {}", end.repeated));
        self.count("reports");
        let is_end = !matches!(end.end, EndKind::QueryFailing | EndKind::Behind);
        if !is_end {
            return;
        }
        let true_end = self.true_end(end);
        let excuse = true_end.map(|(since, _)| self.excuse(since, end));
        let earlier = self.reports.iter().find(|it| it.key == key);
        let problem = match (true_end, earlier) {
            (None, _) => Some("is not in the ledger"),
            (Some((_, last)), _) if last != name => Some("ended otherwise"),
            (_, Some(earlier)) if earlier.end != name => Some("was reported otherwise before"),
            (_, Some(_)) if !end.repeated => Some("is reported again, unmarked"),
            (_, None) if excuse.is_some_and(|it| now > it + REPORTED_WITHIN) => {
                Some("is reported late")
            }
            _ => None,
        };
        if let Some(problem) = problem {
            self.broken(format!("{key}, {name}: it {problem}"));
        }
        self.reports.push(Report { key, end: name });
    }

    /// When that which the report is about ended, and how.
    fn true_end(&self, end: &FollowEnd) -> Option<(Duration, &'static str)> {
        let now = model::elapsed();
        let (since, last) = match end.operation {
            Operation::CreatePayment => {
                self.service.payments.iter().find(|it| it.reference == end.reference)?.end
            }
            Operation::CreatePayout => {
                self.service.payouts.iter().find(|it| it.reference == end.reference)?.end
            }
            _ => {
                let payment = self.service.payments.iter().find(|it| it.hash == end.reference)?;
                payment.refunds.first()?.end
            }
        };
        let name = if last == "CA" { "cancelled" } else { "confirmed" };
        (since <= now).then_some((since, name))
    }

    /// The moment after which nothing excuses a delay: that at which the entry became
    /// `done`, and the end of the faults that have begun.
    fn excuse(&mut self, since: Duration, end: &FollowEnd) -> Duration {
        let now = model::elapsed();
        let of_entry = self
            .journal
            .entries()
            .into_iter()
            .filter(|it| it.operation == end.operation && it.reference == end.reference);
        let done = of_entry.filter_map(|it| crate::journal::elapsed_at(it.ended_at?)).max();
        let faults = self.plan.faults.iter().filter(|it| it.from <= now).map(|it| it.until);
        faults.chain(done).chain([since, self.restarted]).max().unwrap_or(since)
    }

    /// Something that is not settled yet. Two quiet days after the calls and the faults, nothing
    /// may be left.
    pub fn unsettled(&mut self) -> Option<String> {
        let now = model::elapsed();
        if self.left.iter().any(Option::is_some) || !self.calling.is_empty() {
            return Some("calls are left".to_owned());
        }
        if now < self.last_fault.max(self.restarted) || !self.service.is_quiet() {
            return Some("faults and requests are under way".to_owned());
        }
        let entries = self.journal.entries();
        if let Some(open) = entries.iter().find(|it| it.is_open()) {
            return Some(format!("the entry of {} is open", open.reference));
        }
        let is_reported = |key: String| self.reports.iter().any(|it| it.key == key);
        for entry in entries.iter().filter(|it| it.state == EntryState::Done) {
            let key = format!("{} {}", entry.operation.name(), entry.reference);
            if !is_reported(key.clone()) {
                return Some(format!("the end of {key} is not reported"));
            }
        }
        let open = [OrderState::Delivering];
        let (reference, _) = self.orders.iter().find(|(_, it)| open.contains(&it.state))?;
        Some(format!("{reference} is not delivered"))
    }

    /// Compares journal, ledger and goods, when all is over.
    pub fn compare(&mut self) {
        let mut problems = Vec::new();
        let entries = self.journal.entries();
        for entry in &entries {
            let (name, reference) = (entry.operation.name(), &entry.reference);
            let others = || {
                entries
                    .iter()
                    .filter(|it| it.reference == *reference && it.operation == entry.operation)
            };
            let is_done = others().any(|it| it.state == EntryState::Done);
            if self.service.has(entry) != is_done {
                problems.push(format!("{name} {reference}: ledger and journal differ"));
            }
        }
        for payment in &self.service.payments {
            let reference = &payment.reference;
            if !entries.iter().any(|it| it.reference == *reference) {
                problems.push(format!("payment {reference} has no entry"));
            }
        }
        for (reference, order) in &self.orders {
            let payment = self.service.payments.iter().find(|it| it.reference == *reference);
            let is_paid = payment.is_some_and(|it| it.status(model::elapsed()) == "CO");
            let problem = match (is_paid, order.goods) {
                (true, 0) => "is paid, and not delivered",
                (false, goods) if goods > 0 => "is delivered, and not paid",
                (true, goods) if goods > 1 && !self.interrupted.contains(reference) => {
                    "is delivered twice"
                }
                _ => continue,
            };
            problems.push(format!("{reference} {problem}"));
        }
        self.counts
            .insert("goods twice", self.orders.values().filter(|it| it.goods > 1).count() as u64);
        if let Some(problem) = problems.into_iter().next() {
            self.broken(problem);
        }
    }
}
