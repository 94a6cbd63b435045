//! An item to follow, and the result of a query for it.

use crate::answer::{Refund, is_over, refunds_of};
use payments_core::journal::{Entry, EntryState};
use payments_core::json::{Json, Members};
use payments_core::operation::{Operation, PaymentStatus, RefundStatus};
use payments_core::request::{PaymentResponse, QueryPayment};

/// A payment or a refund that is followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Item {
    /// The operation of the payment or of the refund.
    pub(super) operation: Operation,
    /// The merchant's reference of a payment, or its hash if no reference is
    /// known; for a refund the payment hash.
    pub(super) reference: String,
    pub(super) refund_code: Option<String>,
    /// The service's id of a refund.
    pub(super) uid: Option<String>,
    /// The payment hash.
    pub(super) hash: Option<String>,
    /// From when on its age counts, in milliseconds since 1970 UTC.
    pub(super) since: u64,
    /// Whether the service is known to have it.
    pub(super) was_found: bool,
}

/// The identity of an item.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Key(&'static str, String, Option<String>);

impl Key {
    /// The members that tell it apart from others.
    pub(super) fn parts(&self) -> [Option<&str>; 3] {
        [Some(self.0), Some(&self.1), self.2.as_deref()]
    }
}

/// The result of a query for an item.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// The code that the service gave it, if it shows one.
    pub(super) status: Option<String>,
    pub(super) is_over: bool,
    /// Whether it is paid, or refunded.
    pub(super) is_confirmed: bool,
    /// Whether the answer shows the item.
    pub(super) is_found: bool,
    pub(super) hash: Option<String>,
}

impl Item {
    /// A payment that somebody names.
    pub(super) fn named(reference: &str, is_hash: bool, since: u64) -> Self {
        Self {
            operation: Operation::CreatePayment,
            reference: reference.to_owned(),
            refund_code: None,
            uid: None,
            hash: is_hash.then(|| reference.to_owned()),
            since,
            was_found: false,
        }
    }

    /// The payment or the refund of an entry. `None` if nothing is to follow.
    pub(super) fn of_entry(entry: &Entry) -> Option<Self> {
        let is_followed = entry.operation.definition().recorded.found_by.is_some();
        let is_refund = entry.operation.is_repeatable();
        (is_followed && entry.state == EntryState::Done).then(|| {
            let mut item = Self {
                operation: entry.operation,
                reference: entry.reference.clone(),
                refund_code: entry.refund_code.clone(),
                uid: entry.uid.clone().filter(|_| is_refund),
                hash: if is_refund { Some(entry.reference.clone()) } else { entry.hash.clone() },
                since: entry.created_at,
                was_found: true,
            };
            // The time of one that cannot be queried tells it from others.
            if item.can_be_queried() {
                item.since = done_at(entry);
            }
            item
        })
    }

    pub(super) fn key(&self) -> Key {
        // Refunds that nothing else tells apart began at different times.
        let refund = match (&self.refund_code, &self.uid) {
            (Some(name), _) | (None, Some(name)) => Some(name.clone()),
            _ if self.can_be_queried() => None,
            _ => Some(self.since.to_string()),
        };
        Key(self.operation.name(), self.reference.clone(), refund)
    }

    /// Whether a query can find its outcome: not that of a refund without code
    /// and id.
    pub(super) fn can_be_queried(&self) -> bool {
        self.is_payment() || self.refund_code.is_some() || self.uid.is_some()
    }

    pub(super) fn is_payment(&self) -> bool {
        self.operation.is_found_as_payment()
    }

    /// The merchant's reference of a payment, if it is known.
    pub(super) fn named_reference(&self) -> Option<&str> {
        let is_hash = self.hash.as_deref() == Some(&*self.reference);
        (self.is_payment() && !is_hash).then_some(&*self.reference)
    }

    /// The query. The interface states the one by hash.
    pub(super) fn query(&self) -> QueryPayment {
        match &self.hash {
            Some(hash) => QueryPayment::by_hash(hash),
            None => QueryPayment::by_merchant_payment_code(&self.reference),
        }
    }

    pub(super) fn read(&self, response: &PaymentResponse) -> Answer {
        let hash = response.hash().map(str::to_owned);
        if self.is_payment() {
            let status = response.status();
            return Answer {
                is_over: is_over(response),
                is_confirmed: status == Some(PaymentStatus::Confirmed),
                status: status.map(|status| status.as_str().to_owned()),
                is_found: true,
                hash,
            };
        }
        let is_ours = |refund: &Refund<'_>| match (&self.uid, &self.refund_code) {
            (Some(uid), _) if refund.id == Some(uid) => true,
            (_, Some(code)) => refund.code == Some(code),
            _ => false,
        };
        let ours: Vec<_> = refunds_of(response).filter(is_ours).collect();
        // A code may have cancelled attempts before the one that counts.
        let rank = |refund: &&Refund<'_>| match &refund.status {
            Some(RefundStatus::Confirmed) => 0,
            Some(RefundStatus::Cancelled) => 2,
            _ => 1,
        };
        let refund = ours.iter().min_by_key(rank);
        let status = refund.and_then(|refund| refund.status.as_ref());
        Answer {
            is_over: status.is_some_and(RefundStatus::is_final),
            is_confirmed: status == Some(&RefundStatus::Confirmed),
            status: status.map(|status| status.as_str().to_owned()),
            is_found: refund.is_some(),
            hash,
        }
    }

    /// The members that name it.
    pub(super) fn to_members(&self) -> Members {
        let mut members = Members::from([("operation", self.operation.name())]);
        members.push("reference", self.reference.as_str());
        members.push("refund_code", self.refund_code.as_deref());
        members.push("uid", self.uid.as_deref());
        members.push("hash", self.hash.as_deref());
        members
    }

    /// Reads those members, and when the item began.
    pub(super) fn from_json(json: &Json) -> Option<Self> {
        let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(Self {
            operation: Operation::from_name(json.get("operation")?.as_str()?)?,
            reference: text("reference")?,
            refund_code: text("refund_code"),
            uid: text("uid"),
            hash: text("hash"),
            since: json.get("since")?.as_u64()?,
            was_found: json.get("was_found")?.as_bool()?,
        })
    }
}

/// When an entry became done: a person may find out after days.
pub(super) fn done_at(entry: &Entry) -> u64 {
    entry.ended_at.unwrap_or(entry.created_at).max(entry.created_at)
}

#[cfg(test)]
mod tests {
    use payments_core::request::{RawResponse, Request as _};
    use payments_core::rules::Rules;

    use super::*;

    fn answer(payment: &str) -> PaymentResponse {
        let body = format!(r#"{{"payment":{{"hash":"5a4f",{payment}}}}}"#);
        let answer = RawResponse::new(200, Vec::new(), body.into_bytes());
        QueryPayment::by_hash("5a4f").read_response(answer, &Rules::default()).unwrap()
    }

    fn query_of(item: &Item) -> Option<String> {
        let query = item.query().draft(&Rules::default()).unwrap().query;
        query.first().map(|(name, value)| format!("{name}={value}"))
    }

    fn refund(code: Option<&str>, uid: Option<&str>) -> Item {
        let (refund_code, uid) = (code.map(str::to_owned), uid.map(str::to_owned));
        let operation = Operation::RefundPayment;
        Item { operation, refund_code, uid, ..Item::named("5a4f", true, 0) }
    }

    #[test]
    fn a_payment_is_over_when_it_is_paid_or_cancelled() {
        for (code, expected) in [
            ("OP", (false, false)),
            ("PE", (false, false)),
            ("XX", (false, false)),
            ("CO", (true, true)),
            ("CA", (true, false)),
        ] {
            let read =
                Item::named("order-1", false, 0).read(&answer(&format!(r#""status":"{code}""#)));
            assert_eq!((read.is_over, read.is_confirmed), expected, "{code}");
            assert_eq!((read.status.as_deref(), read.hash.as_deref()), (Some(code), Some("5a4f")));
        }
    }

    #[test]
    fn a_refund_is_found_despite_a_cancelled_attempt() {
        let listed = r#""status":"CO","refunds":[{"id":"1","merchant_refund_code":"a","status":"CA"},
            {"id":"2","merchant_refund_code":"a","status":"RE"},
            {"id":"3","merchant_refund_code":"b","status":"CO"},{"id":4,"status":"CA"},
            {"merchant_refund_code":"d","status":"RE"},{"merchant_refund_code":"d","status":"CO"}]"#;
        let answer = answer(listed);
        for (item, status, expected) in [
            (refund(Some("a"), None), Some("RE"), (false, false)),
            (refund(Some("b"), None), Some("CO"), (true, true)),
            (refund(None, Some("4")), Some("CA"), (true, false)),
            (refund(Some("d"), None), Some("CO"), (true, true)),
            (refund(Some("c"), None), None, (false, false)),
            (refund(None, None), None, (false, false)),
        ] {
            let read = item.read(&answer);
            assert_eq!((read.status.as_deref(), read.is_found), (status, status.is_some()));
            assert_eq!((read.is_over, read.is_confirmed), expected, "{item:?}");
        }
        assert!(!refund(None, None).can_be_queried() && refund(None, Some("4")).can_be_queried());
    }

    #[test]
    fn entries_that_are_done_are_followed_if_they_can_change() {
        let entry = Entry { state: EntryState::Done, ..Entry::of_test("order-1") };
        let payment = Item::of_entry(&Entry { hash: Some("5a4f".to_owned()), ..entry.clone() });
        let payment = payment.unwrap();
        assert_eq!((payment.since, payment.was_found), (entry.created_at, true));
        let late = Entry { ended_at: Some(entry.created_at + 7), ..entry.clone() };
        assert_eq!(Item::of_entry(&late).unwrap().since, entry.created_at + 7);
        assert_eq!(query_of(&payment).as_deref(), Some("hash=5a4f"));
        assert_eq!(Item::of_entry(&Entry::of_test("order-1")), None, "in progress");
        let payout = Entry { operation: Operation::CreatePayout, ..entry.clone() };
        assert_eq!(Item::of_entry(&payout), None);
        let refund = Entry { operation: Operation::RefundPayment, ..entry };
        let one = |code: &str| {
            let refund_code = Some(code.to_owned());
            Item::of_entry(&Entry { refund_code, ..refund.clone() }).unwrap()
        };
        assert_ne!(one("a").key(), one("b").key());
        assert_eq!(query_of(&one("a")).as_deref(), Some("hash=order-1"));
        assert_eq!(
            query_of(&Item::named("order-1", false, 0)).as_deref(),
            Some("merchant_payment_code=order-1")
        );
    }

    #[test]
    fn an_item_is_read_as_it_was_written() {
        for item in [Item::named("order-1", false, 7), refund(Some("a"), Some("4"))] {
            let mut members = item.to_members();
            members.push("since", item.since);
            members.push("was_found", item.was_found);
            assert_eq!(Item::from_json(&members.into()), Some(item));
        }
    }
}
