//! The needs of an entry.

use super::entry::{Entry, EntryState, Needs};
use crate::model::json::Json;
use crate::model::rules::Rules;

impl Entry {
    /// The next step that the entry needs at `now`, in milliseconds since 1970
    /// UTC, for a client with these rules; `None` if it is not open.
    pub fn needs(&self, now: u64, rules: &Rules) -> Option<Needs> {
        match self.state_at(now) {
            _ if self.rival.is_some() => Some(Needs::Person),
            EntryState::Done | EntryState::Failed => None,
            EntryState::InProgress => Some(Needs::Time),
            EntryState::Unknown if self.can_be_queried(rules) => Some(Needs::Query),
            EntryState::Unknown => Some(self.needs_unless_found(now)),
        }
    }

    /// The entry as an object, with the member `needs`, its next step at `now`.
    pub fn to_json_at(&self, now: u64, rules: &Rules) -> Json {
        let mut json = self.to_json();
        if let Some(members) = json.as_object_mut() {
            members.push("needs", self.needs(now, rules).map(Needs::as_str));
        }
        json
    }

    /// The next step if no query finds the operation.
    pub fn needs_unless_found(&self, now: u64) -> Needs {
        if now < self.settles_at { Needs::Time } else { Needs::Person }
    }

    /// Whether a query that is on can find the operation.
    fn can_be_queried(&self, rules: &Rules) -> bool {
        let is_told_apart = !self.operation.is_repeatable()
            || self.operation.is_cancellation()
            || self.refund_code.is_some();
        is_told_apart && rules.finds(self.operation)
    }

    /// The time until which it waits, in milliseconds since 1970 UTC.
    pub fn waits_until(&self, now: u64) -> u64 {
        match self.state_at(now) {
            EntryState::InProgress => self.abandoned_at(),
            _ => self.settles_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::operation::Operation;

    #[test]
    fn an_entry_needs_time_then_a_query_or_a_person() {
        let payment = Entry::of_test("order-1");
        let payout = Entry { operation: Operation::CreatePayout, ..payment.clone() };
        let refund = Entry { operation: Operation::RefundPayment, ..payment.clone() };
        let coded = Entry { refund_code: Some("refund-1".to_owned()), ..refund.clone() };
        let (running, settles) = (payment.abandoned_at(), payment.settles_at);
        let rules = Rules::default();
        for entry in [&payment, &payout, &refund, &coded] {
            assert_eq!(entry.needs(running, &rules), Some(Needs::Time));
            assert_eq!(entry.waits_until(running), running);
        }
        for entry in [&payment, &coded] {
            assert_eq!(entry.needs(running + 1, &rules), Some(Needs::Query));
        }
        for entry in [&payout, &refund] {
            assert_eq!(entry.needs(settles - 1, &rules), Some(Needs::Time));
            assert_eq!(entry.waits_until(settles - 1), settles);
            assert_eq!(entry.needs(settles, &rules), Some(Needs::Person));
        }
        let failed = Entry { state: EntryState::Failed, ..payment };
        assert_eq!(failed.needs(0, &rules), None);
        let rival = Entry { rival: Some("2".to_owned()), ..failed };
        assert_eq!(rival.needs(0, &rules), Some(Needs::Person));
    }

    #[test]
    fn a_payout_needs_a_query_where_it_is_on() {
        let rules = Rules { payout_query: true, ..Rules::default() };
        let payout = Entry { operation: Operation::CreatePayout, ..Entry::of_test("payout-1") };
        let (running, settles) = (payout.abandoned_at(), payout.settles_at);
        for (now, needs) in
            [(running, Needs::Time), (running + 1, Needs::Query), (settles, Needs::Query)]
        {
            assert_eq!(payout.needs(now, &rules), Some(needs), "{now}");
        }
        let sent = Entry { operation: Operation::Send, ..payout.clone() };
        assert_eq!(sent.needs(settles, &rules), Some(Needs::Person));
        let refund = Entry { operation: Operation::RefundPayment, ..payout.clone() };
        assert_eq!(refund.needs(settles, &rules), Some(Needs::Person));
        let rival = Entry { rival: Some("2".to_owned()), ..payout };
        assert_eq!(rival.needs(settles, &rules), Some(Needs::Person));
    }

    #[test]
    fn an_entry_as_an_object_has_its_needs() {
        let entry = Entry::of_test("order-1");
        let needs = |now| entry.to_json_at(now, &Rules::default()).get("needs").cloned();
        assert_eq!(needs(entry.created_at), Some(Json::from("time")));
        assert_eq!(needs(0), Some(Json::from("query")), "a clock was ahead");
        assert_eq!(needs(entry.settles_at), Some(Json::from("query")));
        assert_eq!(
            entry.to_json_at(0, &Rules::default()).get("id"),
            Some(&Json::from(entry.id.as_str()))
        );
    }
}
