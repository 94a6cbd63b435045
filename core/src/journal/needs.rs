//! The needs of an entry.

use super::entry::{Entry, EntryState, Needs};
use crate::model::json::Json;

impl Entry {
    /// The next step that the entry needs at `now`, in milliseconds since 1970
    /// UTC; `None` if it is not open.
    pub fn needs(&self, now: u64) -> Option<Needs> {
        match self.state_at(now) {
            _ if self.rival.is_some() => Some(Needs::Person),
            EntryState::Done | EntryState::Failed => None,
            EntryState::InProgress => Some(Needs::Time),
            EntryState::Unknown if self.can_be_queried() => Some(Needs::Query),
            EntryState::Unknown => Some(self.needs_unless_found(now)),
        }
    }

    /// The entry as an object, with what it `needs` at `now`.
    pub fn to_json_at(&self, now: u64) -> Json {
        let mut json = self.to_json();
        if let Some(members) = json.as_object_mut() {
            members.push("needs", self.needs(now).map(Needs::as_str));
        }
        json
    }

    /// The next step if no query finds the operation.
    pub fn needs_unless_found(&self, now: u64) -> Needs {
        if now < self.settles_at { Needs::Time } else { Needs::Person }
    }

    /// Whether a query can find the operation.
    pub(crate) fn can_be_queried(&self) -> bool {
        let has_query = self.operation.definition().recorded.found_by.is_some();
        has_query && (!self.operation.is_repeatable() || self.refund_code.is_some())
    }

    /// Until when it needs time, in milliseconds since 1970 UTC.
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
        for entry in [&payment, &payout, &refund, &coded] {
            assert_eq!(entry.needs(running), Some(Needs::Time));
            assert_eq!(entry.waits_until(running), running);
        }
        for entry in [&payment, &coded] {
            assert_eq!(entry.needs(running + 1), Some(Needs::Query));
        }
        for entry in [&payout, &refund] {
            assert_eq!(entry.needs(settles - 1), Some(Needs::Time));
            assert_eq!(entry.waits_until(settles - 1), settles);
            assert_eq!(entry.needs(settles), Some(Needs::Person));
        }
        let failed = Entry { state: EntryState::Failed, ..payment };
        assert_eq!(failed.needs(0), None);
        let rival = Entry { rival: Some("2".to_owned()), ..failed };
        assert_eq!(rival.needs(0), Some(Needs::Person));
    }

    #[test]
    fn an_entry_as_an_object_has_its_needs() {
        let entry = Entry::of_test("order-1");
        let needs = |now| entry.to_json_at(now).get("needs").cloned();
        assert_eq!(needs(0), Some(Json::from("time")));
        assert_eq!(needs(entry.settles_at), Some(Json::from("query")));
        assert_eq!(entry.to_json_at(0).get("id"), Some(&Json::from(entry.id.as_str())));
    }
}
