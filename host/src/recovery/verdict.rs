//! The verdict of a query's answer on an open entry.

use payments_base::utc::iso_8601;
use payments_core::journal::{Entry, EntryState, FoundOutcome, Needs};
use payments_core::operation::{Operation, RefundStatus};
use payments_core::request::{PaymentResponse, PayoutResponse};
use payments_core::rules::Rules;

use crate::agreement::same_money_of_payout;
use crate::answer::{Refund, code_of, refunds_of};

/// The verdict of recovery on an entry.
pub(super) enum Verdict {
    Ended(FoundOutcome),
    Open(Needs, String),
}

fn open(needs: Needs, reason: &str) -> Verdict {
    Verdict::Open(needs, reason.to_owned())
}

/// How to turn on the query that finds the operation of an open entry, if it is
/// off: the end of a sentence.
pub(crate) fn way_to_query(entry: &Entry, rules: &Rules) -> Option<String> {
    if entry.rival.is_some() { None } else { query_to_turn_on(rules, entry.operation) }
}

/// How to turn on the query that finds the result of `operation`, if it is off.
pub fn query_to_turn_on(rules: &Rules, operation: Operation) -> Option<String> {
    let by = operation.definition().queried?.by;
    let switch = rules.missing_switch(by)?;
    Some(format!("if the service has {} {}, turn {switch} on", by.method(), by.path()))
}

/// The verdict on an entry that is not queried; `None` if it is.
pub(super) fn without_query(entry: &Entry, now: u64, rules: &Rules) -> Option<Verdict> {
    let needs = match entry.needs(now, rules).unwrap_or(Needs::Person) {
        Needs::Query => return None,
        needs => needs,
    };
    if entry.state_at(now) == EntryState::InProgress {
        return Some(open(needs, "the call may still be running"));
    }
    let reason = match (&entry.rival, needs) {
        (Some(rival), _) => format!(
            "it was executed after a person said no, and the entry {rival} has taken its reference"
        ),
        (None, Needs::Time) => format!("look for it after {}", iso_8601(entry.settles_at)),
        (None, _) if entry.operation.is_repeatable() => "no query finds a refund without \
             merchant_refund_code; look for it on the provider's platform"
            .to_owned(),
        _ => "no query finds it; look for its reference on the provider's platform".to_owned(),
    };
    let way = way_to_query(entry, rules).map(|way| format!("; {way}")).unwrap_or_default();
    Some(Verdict::Open(needs, reason + &way))
}

pub(super) fn not_found(entry: &Entry, now: u64) -> Verdict {
    let settles_at = iso_8601(entry.settles_at);
    match entry.needs_unless_found(now) {
        needs @ Needs::Time => {
            Verdict::Open(needs, format!("the query does not find it; it may until {settles_at}"))
        }
        needs => {
            Verdict::Open(needs, format!("the query does not find it even after {settles_at}"))
        }
    }
}

/// A payment is found if the answer proves that it is the one of the entry.
pub(super) fn verdict_on_payment(answer: &PaymentResponse, is_proved: bool) -> Verdict {
    if is_proved {
        Verdict::Ended(FoundOutcome {
            state: EntryState::Done,
            hash: answer.hash().map(str::to_owned),
            uid: None,
            cancelled_with: None,
        })
    } else {
        open(Needs::Person, "the query found a payment whose reference, amount or currency differs")
    }
}

/// A payout is found if its reference, letter by letter, and where shown its
/// amount and currency agree. It is done whatever its status: one that was
/// cancelled was created, and keeps the service's code.
pub(super) fn verdict_on_payout(
    entry: &Entry,
    answer: &PayoutResponse,
    is_secret: impl Fn(&str) -> bool,
) -> Verdict {
    let is_ours = answer.external_reference() == Some(&*entry.reference)
        && same_money_of_payout(entry, answer);
    if !is_ours {
        let reason = "the query found a payout whose reference, amount or currency differs";
        return open(Needs::Person, reason);
    }
    Verdict::Ended(FoundOutcome {
        state: EntryState::Done,
        hash: None,
        uid: answer.uid().map(str::to_owned),
        cancelled_with: code_of(answer, is_secret),
    })
}

/// A refund is found by its `merchant_refund_code` only: amounts repeat. A
/// cancelled one may be another attempt under the same code, so it says that the
/// call failed only if there was no other attempt.
pub(super) fn verdict_on_refund(
    entry: &Entry,
    answer: &PaymentResponse,
    others: &[Entry],
    now: u64,
) -> Option<Verdict> {
    let code = entry.refund_code.as_deref();
    let is_ours = |refund: &Refund<'_>| code.is_some() && refund.code == code;
    let ours: Vec<_> = refunds_of(answer).filter(is_ours).collect();
    let is_cancelled = |refund: &Refund<'_>| refund.status == Some(RefundStatus::Cancelled);
    let ended = |state, refund: &Refund<'_>| {
        Verdict::Ended(FoundOutcome {
            state,
            hash: Some(entry.reference.clone()),
            uid: refund.id.map(str::to_owned),
            cancelled_with: None,
        })
    };
    if let Some(refund) = ours.iter().find(|refund| !is_cancelled(refund)) {
        return Some(ended(EntryState::Done, refund));
    }
    let is_other_attempt = |it: &Entry| {
        it.id != entry.id && it.operation == entry.operation && it.refund_code.as_deref() == code
    };
    match &ours[..] {
        [] => None,
        [_] if now < entry.settles_at => {
            let settles_at = iso_8601(entry.settles_at);
            let reason = format!("its refund is cancelled; that counts after {settles_at}");
            Some(Verdict::Open(Needs::Time, reason))
        }
        [refund] if !others.iter().any(is_other_attempt) => Some(ended(EntryState::Failed, refund)),
        _ => Some(open(
            Needs::Person,
            "refunds with its merchant_refund_code are cancelled, and one of them may be another \
             attempt; look at them on the provider's platform",
        )),
    }
}

/// The cancellation of a refund was executed if all refunds with its code and id are
/// cancelled. That one is not cancelled never says that it failed: a code may have
/// several refunds.
pub(super) fn verdict_on_cancellation(
    entry: &Entry,
    answer: &PaymentResponse,
    now: u64,
) -> Option<Verdict> {
    let is_meant = |refund: &Refund<'_>| {
        entry.uid.as_deref().is_none_or(|id| refund.id == Some(id))
            && entry.refund_code.as_deref().is_none_or(|code| refund.code == Some(code))
    };
    let meant: Vec<_> = refunds_of(answer).filter(is_meant).collect();
    let is_cancelled = |refund: &Refund<'_>| refund.status == Some(RefundStatus::Cancelled);
    match &meant[..] {
        [] => None,
        [.., refund] if meant.iter().all(is_cancelled) => Some(Verdict::Ended(FoundOutcome {
            state: EntryState::Done,
            hash: Some(entry.reference.clone()),
            uid: refund.id.map(str::to_owned),
            cancelled_with: None,
        })),
        _ => {
            let settles_at = iso_8601(entry.settles_at);
            let reason = match entry.needs_unless_found(now) {
                Needs::Time => format!("its refund is not cancelled; it may be until {settles_at}"),
                _ => format!("its refund is not cancelled even after {settles_at}"),
            };
            Some(Verdict::Open(entry.needs_unless_found(now), reason))
        }
    }
}

#[cfg(test)]
mod tests {
    use payments_core::request::{QueryPayment, QueryPayout, RawResponse, Request as _};

    use super::*;

    fn answer(payment: &str) -> PaymentResponse {
        let body = format!(r#"{{"payment":{{"status":"CO","hash":"5a4f",{payment}}}}}"#);
        let answer = RawResponse::new(200, Vec::new(), body.into_bytes());
        QueryPayment::by_hash("5a4f").read_response(answer, &Rules::default()).unwrap()
    }

    fn summary(verdict: Option<Verdict>) -> &'static str {
        match verdict {
            None => "nothing found",
            Some(Verdict::Ended(found)) => found.state.as_str(),
            Some(Verdict::Open(needs, _)) => needs.as_str(),
        }
    }

    #[test]
    fn a_refund_is_found_by_its_code_only() {
        let entry = |code: Option<&str>| Entry {
            operation: Operation::RefundPayment,
            amount: Some("10".to_owned()),
            refund_code: code.map(str::to_owned),
            ..Entry::of_test("5a4f")
        };
        let ours = entry(Some("a"));
        let other = Entry { id: "2".to_owned(), state: EntryState::Failed, ..entry(Some("a")) };
        let stranger = Entry { id: "3".to_owned(), ..entry(Some("b")) };
        let (early, late) = (ours.settles_at - 1, ours.settles_at);
        let cancelled = r#"{"merchant_refund_code":"a","status":"CA"}"#;
        let twice = format!("{cancelled},{cancelled}");
        let again = format!(r#"{cancelled},{{"merchant_refund_code":"a","status":"RE"}}"#);
        for (ours, refunds, others, now, expected) in [
            (&ours, r#"{"merchant_refund_code":"a","status":"RE"}"#, &[][..], early, "done"),
            (&ours, r#"{"merchant_refund_code":"a"}"#, &[], early, "done"),
            (&ours, r#"{"merchant_refund_code":"b","amount":"10"}"#, &[], late, "nothing found"),
            (&ours, r#"{"amount":"10","status":"CO"}"#, &[], late, "nothing found"),
            (&entry(None), r#"{"amount":"10","status":"CO"}"#, &[], late, "nothing found"),
            (&ours, cancelled, &[], early, "time"),
            (&ours, cancelled, &[ours.clone(), stranger.clone()], late, "failed"),
            (&ours, cancelled, std::slice::from_ref(&other), late, "person"),
            (&ours, cancelled, &[stranger, other.clone()], late, "person"),
            (&ours, &twice, &[], late, "person"),
            (&ours, &again, &[], late, "done"),
            (&ours, "", &[], late, "nothing found"),
        ] {
            let answer = answer(&format!(r#""amount_total":100.10,"refunds":[{refunds}]"#));
            let found = summary(verdict_on_refund(ours, &answer, others, now));
            assert_eq!(found, expected, "{refunds}");
        }
    }

    #[test]
    fn a_cancellation_is_done_once_its_refund_is_cancelled() {
        let entry = |code: Option<&str>, id: Option<&str>| Entry {
            operation: Operation::CancelRefund,
            refund_code: code.map(str::to_owned),
            uid: id.map(str::to_owned),
            ..Entry::of_test("5a4f")
        };
        let by_code = entry(Some("a"), None);
        let (early, late) = (by_code.settles_at - 1, by_code.settles_at);
        let refund = |id: u32, code: &str, status: &str| {
            format!(r#"{{"id":{id},"merchant_refund_code":"{code}","status":"{status}"}}"#)
        };
        let [open, cancelled, confirmed] = ["RE", "CA", "CO"].map(|status| refund(1, "a", status));
        let other = refund(2, "a", "CA");
        for (entry, refunds, now, expected) in [
            (&by_code, cancelled.clone(), early, "done"),
            (&by_code, format!("{cancelled},{other}"), early, "done"),
            (&by_code, format!("{other},{open}"), early, "time"),
            (&by_code, open.clone(), late, "person"),
            (&by_code, confirmed.clone(), early, "time"),
            (&by_code, confirmed, late, "person"),
            (&by_code, refund(1, "b", "CA"), late, "nothing found"),
            (
                &entry(None, Some("1")),
                format!("{cancelled},{}", refund(2, "b", "RE")),
                early,
                "done",
            ),
            (&entry(None, Some("1")), format!("{open},{other}"), early, "time"),
            (&entry(None, Some("3")), cancelled.clone(), late, "nothing found"),
            (&entry(Some("b"), Some("1")), cancelled, late, "nothing found"),
        ] {
            let answer = answer(&format!(r#""refunds":[{refunds}]"#));
            let found = summary(verdict_on_cancellation(entry, &answer, now));
            assert_eq!(found, expected, "{refunds}");
        }
    }

    #[test]
    fn an_operation_not_found_waits_before_a_person_decides() {
        let entry = Entry::of_test("order-1");
        let at = |now| summary(Some(not_found(&entry, now)));
        assert_eq!(at(entry.settles_at - 1), "time");
        assert_eq!(at(entry.settles_at), "person");
        let Verdict::Open(_, reason) = not_found(&entry, 0) else { panic!("it is open") };
        assert!(reason.contains("it may until 1970-01-01T00:15:31Z"), "{reason}");
    }

    #[test]
    fn an_entry_without_a_query_says_why_and_has_a_remedy() {
        let payout = Entry { operation: Operation::CreatePayout, ..Entry::of_test("payout-1") };
        let refund = Entry { operation: Operation::RefundPayment, ..payout.clone() };
        let rival = Entry { rival: Some("7".to_owned()), ..payout.clone() };
        let (early, late) = (payout.settles_at - 1, payout.settles_at);
        let way = "; if the service has POST /ws/payout/retrieve, turn payout_query on";
        for (entry, now, needs, said) in [
            (&payout, payout.created_at, Needs::Time, "the call may still be running"),
            (&payout, early, Needs::Time, "look for it after 1970-01-01T00:15:31Z"),
            (&payout, early, Needs::Time, way),
            (&payout, late, Needs::Person, "no query finds it; look for its reference"),
            (&payout, late, Needs::Person, way),
            (&refund, late, Needs::Person, "without merchant_refund_code"),
            (&rival, late, Needs::Person, "the entry 7 has taken its reference"),
        ] {
            let verdict = without_query(entry, now, &Rules::default());
            let Some(Verdict::Open(found, reason)) = verdict else { panic!("it is open") };
            assert_eq!(found, needs);
            assert!(reason.contains(said), "{reason}");
        }
        let rules = Rules { payout_query: true, ..Rules::default() };
        assert!(without_query(&payout, late, &rules).is_none());
        assert_eq!(way_to_query(&payout, &rules), None);
        for other in [&refund, &rival, &Entry::of_test("order-1")] {
            assert_eq!(way_to_query(other, &Rules::default()), None);
        }
    }

    #[test]
    fn a_found_payout_is_done_whatever_its_status_and_never_failed() {
        let entry = Entry { operation: Operation::CreatePayout, ..Entry::of_test("payout-1") };
        let rules = Rules { check_references: false, ..Rules::default() };
        let verdict = |payout: &str| {
            let body = format!(r#"{{"type":"success","payout":{{"uid":"u-1",{payout}}}}}"#);
            let answer = RawResponse::new(200, Vec::new(), body.into_bytes());
            let query = QueryPayout::by_external_reference("payout-1");
            let answer = query.read_response(answer, &rules).unwrap();
            verdict_on_payout(&entry, &answer, |code| code == "SECRET")
        };
        let ours = r#""external_reference":"payout-1","status":"#;
        for (rest, code) in [
            (r#""OP""#, None),
            (r#""PE""#, None),
            (r#""PA","amount":100.1,"currency_code":"BRL""#, None),
            (r#""XX","amount":"100.10","code":"LATE""#, None),
            (r#""CA","code":"BANK_INFO""#, Some("BANK_INFO")),
            (r#""CA","code":"SECRET""#, Some("CA")),
            (r#""CA""#, Some("CA")),
        ] {
            let Verdict::Ended(found) = verdict(&format!("{ours}{rest}")) else { panic!("{rest}") };
            assert_eq!((found.state, found.uid.as_deref()), (EntryState::Done, Some("u-1")));
            assert_eq!(found.cancelled_with.as_deref(), code, "{rest}");
        }
        for other in [
            r#""external_reference":"payout-2","status":"PA""#,
            r#""external_reference":"PAYOUT-1","status":"PA""#,
            r#""external_reference":"payout-1 ","status":"PA""#,
            r#""status":"CA""#,
            r#""external_reference":"payout-1","status":"CA","amount":"100.11""#,
            r#""external_reference":"payout-1","status":"PA","currency_code":"MXN""#,
        ] {
            assert_eq!(summary(Some(verdict(other))), "person", "{other}");
        }
    }
}
