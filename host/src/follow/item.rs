//! An item to follow, and the result of a query for it.

use crate::answer::{Refund, code_of, is_over, money_of, refunds_of};
use payments_core::journal::{Entry, EntryState};
use payments_core::json::{Json, Members};
use payments_core::operation::{Operation, PaymentStatus, PayoutStatus, RefundStatus};
use payments_core::request::{
    CANCELLED, PaymentResponse, PayoutResponse, QueryPayment, QueryPayout,
};
use payments_core::rules::Rules;

/// A payment, a refund or a payout that is followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Item {
    /// The operation of the payment, the refund or the payout.
    pub(super) operation: Operation,
    /// The merchant's reference of a payment, or its hash if no reference is
    /// known; for a refund the payment hash; the merchant's reference of a
    /// payout, or its `uid`.
    pub(super) reference: String,
    pub(super) refund_code: Option<String>,
    /// The service's id of a refund or a payout.
    pub(super) uid: Option<String>,
    /// The payment hash.
    pub(super) hash: Option<String>,
    /// The time from which its age counts, in milliseconds since 1970 UTC.
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
    /// The service's id of a payout.
    pub(super) uid: Option<String>,
    /// The service's code of a cancelled payout.
    pub(super) code: Option<String>,
    /// The amount and the currency that a payment or a payout shows.
    pub(super) money: [Option<String>; 2],
}

fn text_of(value: &Json) -> Option<String> {
    value.as_text_or_number().map(str::to_owned)
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

    /// A payout that somebody names.
    pub(super) fn payout(reference: &str, is_uid: bool, since: u64) -> Self {
        Self {
            operation: Operation::CreatePayout,
            uid: is_uid.then(|| reference.to_owned()),
            ..Self::named(reference, false, since)
        }
    }

    /// The payment, the refund or the payout of an entry. `None` if there is
    /// nothing to follow.
    pub(super) fn of_entry(entry: &Entry, rules: &Rules) -> Option<Self> {
        let is_refund = entry.operation.is_repeatable();
        let is_payment = entry.operation.is_found_as_payment();
        let has_end = rules.finds(entry.operation) && !entry.operation.is_cancellation();
        (has_end && entry.state == EntryState::Done).then(|| {
            let mut item = Self {
                operation: entry.operation,
                reference: entry.reference.clone(),
                refund_code: entry.refund_code.clone(),
                uid: entry.uid.clone().filter(|_| !is_payment),
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
            _ if !self.is_refund() => None,
            (Some(name), _) | (None, Some(name)) => Some(name.clone()),
            _ => Some(self.since.to_string()),
        };
        Key(self.operation.name(), self.reference.clone(), refund)
    }

    /// Whether a query can find its outcome. None can for a refund without code
    /// and id.
    pub(super) fn can_be_queried(&self) -> bool {
        !self.is_refund() || self.refund_code.is_some() || self.uid.is_some()
    }

    pub(super) fn is_payment(&self) -> bool {
        self.operation.is_found_as_payment()
    }

    pub(super) fn is_payout(&self) -> bool {
        self.operation == Operation::CreatePayout
    }

    fn is_refund(&self) -> bool {
        self.operation.is_repeatable()
    }

    /// The merchant's reference of a payment, if it is known.
    pub(super) fn named_reference(&self) -> Option<&str> {
        let is_hash = self.hash.as_deref() == Some(&*self.reference);
        (self.is_payment() && !is_hash).then_some(&*self.reference)
    }

    /// The query of a payout: by the merchant's own reference, if it is known.
    pub(super) fn payout_query(&self) -> QueryPayout {
        if self.is_by_uid() {
            QueryPayout::by_uid(&self.reference)
        } else {
            QueryPayout::by_external_reference(&self.reference)
        }
    }

    fn is_by_uid(&self) -> bool {
        self.uid.as_deref() == Some(&*self.reference)
    }

    /// The query of a payment, also for its refunds. The interface states the one
    /// by hash.
    pub(super) fn query(&self) -> QueryPayment {
        match &self.hash {
            Some(hash) => QueryPayment::by_hash(hash),
            None => QueryPayment::by_merchant_payment_code(&self.reference),
        }
    }

    /// An answer shows a payout if the reference is the same, letter by letter.
    pub(super) fn read_payout(
        &self,
        response: &PayoutResponse,
        is_secret: impl Fn(&str) -> bool,
    ) -> Answer {
        let shown = if self.is_by_uid() { response.uid() } else { response.external_reference() };
        let is_found = shown == Some(&*self.reference);
        let status = response.status();
        Answer {
            is_over: status.as_ref().is_some_and(PayoutStatus::is_final),
            is_confirmed: response.is_paid(),
            status: status.map(|status| status.as_str().to_owned()),
            is_found,
            hash: None,
            uid: response.uid().filter(|_| is_found).map(str::to_owned),
            code: code_of(response, is_secret).filter(|code| code != CANCELLED),
            money: [response.amount(), response.currency()].map(|it| it.map(str::to_owned)),
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
                uid: None,
                code: None,
                money: money_of(response).map(|it| it.and_then(text_of)),
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
            uid: None,
            code: None,
            money: [
                refund.and_then(|refund| refund.amount).map(str::to_owned),
                money_of(response)[1].and_then(text_of),
            ],
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
    fn the_money_is_what_the_service_shows() {
        let money = |members: &str| {
            let answer = answer(&format!(r#""status":"CO",{members}"#));
            Item::named("order-1", false, 0).read(&answer).money
        };
        let ext = r#""amount_ext":"1.10","currency_ext":"MXN","amount_br":"9""#;
        assert_eq!(money(ext), ["1.10", "MXN"].map(|it| Some(it.to_owned())));
        let total = format!(r#""amount_total":2.50,"currency_code":"BRL",{ext}"#);
        assert_eq!(money(&total), ["2.50", "BRL"].map(|it| Some(it.to_owned())));
        assert_eq!(money(r#""amount_br":"9""#), [None, None]);
        let refunds = r#""refunds":[{"merchant_refund_code":"a","amount_ext":"0.40"}]"#;
        let refunded = answer(&format!(r#""status":"CO",{ext},{refunds}"#));
        let refunded = refund(Some("a"), None).read(&refunded).money;
        assert_eq!(refunded, ["0.40", "MXN"].map(|it| Some(it.to_owned())));
    }

    fn payout(members: &str) -> PayoutResponse {
        let body = format!(r#"{{"type":"success","payout":{{{members}}}}}"#);
        let answer = RawResponse::new(200, Vec::new(), body.into_bytes());
        let rules = Rules { check_references: false, ..Rules::default() };
        QueryPayout::by_external_reference("payout-1").read_response(answer, &rules).unwrap()
    }

    #[test]
    fn a_payout_is_over_when_it_is_paid_or_cancelled() {
        let ours = r#""uid":"u-1","external_reference":"payout-1","status":"#;
        for (rest, status, expected, code) in [
            (r#""OP""#, "OP", (false, false), None),
            (r#""PE","code":"LATE""#, "PE", (false, false), None),
            (r#""CO""#, "CO", (false, false), None),
            (r#""pa""#, "pa", (false, false), None),
            (r#""PA""#, "PA", (true, true), None),
            (r#""CA""#, "CA", (true, false), None),
            (r#""CA","code":"BANK_INFO""#, "CA", (true, false), Some("BANK_INFO")),
            (r#""CA","code":"SECRET""#, "CA", (true, false), None),
        ] {
            let response = payout(&format!("{ours}{rest}"));
            for item in [Item::payout("payout-1", false, 0), Item::payout("u-1", true, 0)] {
                let read = item.read_payout(&response, |code| code == "SECRET");
                assert_eq!((read.is_over, read.is_confirmed), expected, "{rest}");
                assert_eq!((read.status.as_deref(), read.code.as_deref()), (Some(status), code));
                assert_eq!((read.is_found, read.uid.as_deref()), (true, Some("u-1")));
            }
        }
    }

    #[test]
    fn references_of_payouts_are_compared_letter_by_letter() {
        for other in [
            r#""external_reference":"PAYOUT-1","status":"PA""#,
            r#""external_reference":"payout-1 ","status":"PA""#,
            r#""external_reference":"payout-10","status":"CA""#,
            r#""uid":"payout-1","status":"PA""#,
        ] {
            let read = Item::payout("payout-1", false, 0).read_payout(&payout(other), |_| false);
            assert_eq!((read.is_over, read.is_found, read.uid), (true, false, None), "{other}");
        }
        let other = payout(r#""external_reference":"u-1","status":"PA""#);
        assert!(!Item::payout("u-1", true, 0).read_payout(&other, |_| false).is_found);
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
        let of_entry = |entry: &Entry| Item::of_entry(entry, &Rules::default());
        let payment = of_entry(&Entry { hash: Some("5a4f".to_owned()), ..entry.clone() });
        let payment = payment.unwrap();
        assert_eq!((payment.since, payment.was_found), (entry.created_at, true));
        let late = Entry { ended_at: Some(entry.created_at + 7), ..entry.clone() };
        assert_eq!(of_entry(&late).unwrap().since, entry.created_at + 7);
        assert_eq!(query_of(&payment).as_deref(), Some("hash=5a4f"));
        assert_eq!(of_entry(&Entry::of_test("order-1")), None, "in progress");
        let payout = Entry {
            operation: Operation::CreatePayout,
            uid: Some("u-1".to_owned()),
            ..entry.clone()
        };
        assert_eq!(of_entry(&payout), None);
        let rules = Rules { payout_query: true, ..Rules::default() };
        let payout = Item::of_entry(&payout, &rules).unwrap();
        assert_eq!((payout.uid.as_deref(), payout.since), (Some("u-1"), entry.created_at));
        assert_eq!(payout.key(), Item::payout("order-1", false, 7).key());
        assert_ne!(payout.key(), payment.key());
        let refund = Entry { operation: Operation::RefundPayment, ..entry };
        let one = |code: &str| {
            let refund_code = Some(code.to_owned());
            of_entry(&Entry { refund_code, ..refund.clone() }).unwrap()
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
        for item in [
            Item::named("order-1", false, 7),
            refund(Some("a"), Some("4")),
            Item::payout("payout-1", false, 7),
            Item { was_found: true, ..Item::payout("u-1", true, 7) },
        ] {
            let mut members = item.to_members();
            members.push("since", item.since);
            members.push("was_found", item.was_found);
            assert_eq!(Item::from_json(&members.into()), Some(item));
        }
    }
}
