//! What the answer to a query says of an open entry.

use super::Needs;
use crate::amount::same_amount;
use crate::journal::{Entry, State};
use crate::json::Json;
use crate::operations::PaymentResponse;

/// How long after the deadline of a call a query may still not find what it did.
const NOT_FOUND_AFTER_MS: u64 = 15 * 60 * 1000;

/// What recovery found out about an entry.
pub(super) enum Finding {
    Executed { hash: Option<String>, uid: Option<String> },
    Open(Needs, String),
}

pub(super) fn open(needs: Needs, reason: &str) -> Finding {
    Finding::Open(needs, reason.to_owned())
}

pub(super) fn not_found(entry: &Entry, now: u64) -> Finding {
    match now < entry.deadline_at.saturating_add(NOT_FOUND_AFTER_MS) {
        true => open(Needs::Time, "the query does not find it yet"),
        false => open(
            Needs::Person,
            "the query does not find it even 15 minutes after the deadline of the call",
        ),
    }
}

/// A payment is found if its reference and, where shown, amount and currency
/// agree.
pub(super) fn finding_of_payment(entry: &Entry, answer: &PaymentResponse) -> Option<Finding> {
    let shown = |names: [&str; 2]| names.into_iter().find_map(|name| answer.amount(name));
    let agrees = |shown: Option<&str>, ours: Option<&str>, same: fn(&str, &str) -> bool| {
        shown.zip(ours).is_none_or(|(shown, ours)| same(shown, ours))
    };
    let is_ours = answer.merchant_payment_code() == Some(&*entry.reference)
        && agrees(shown(["amount_total", "amount_ext"]), entry.amount.as_deref(), same_amount)
        && agrees(
            shown(["currency_code", "currency_ext"]),
            entry.currency.as_deref(),
            |shown, ours| shown.eq_ignore_ascii_case(ours),
        );
    Some(match is_ours {
        true => Finding::Executed { hash: answer.hash().map(str::to_owned), uid: None },
        false => open(
            Needs::Person,
            "the query found a payment whose reference, amount or currency differs",
        ),
    })
}

/// A refund in the answer to a query.
struct Refund<'a> {
    id: Option<&'a str>,
    code: Option<&'a str>,
    amount: Option<&'a str>,
}

/// A refund is found by its code, or by its amount if no other has that amount.
pub(super) fn finding_of_refund(
    entry: &Entry,
    answer: &PaymentResponse,
    others: &[Entry],
) -> Option<Finding> {
    let listed = answer.member("/payment/refunds").or_else(|| answer.member("/refunds"));
    let refunds: Vec<_> =
        listed.and_then(Json::as_array).unwrap_or_default().iter().map(refund_of).collect();
    let found = |refund: &Refund<'_>| Finding::Executed {
        hash: Some(entry.reference.clone()),
        uid: refund.id.map(str::to_owned),
    };
    let code = entry.refund_code.as_deref();
    if let Some(refund) = refunds.iter().find(|refund| code.is_some() && refund.code == code) {
        return Some(found(refund));
    }
    let total = answer.amount("amount_total").or_else(|| answer.amount("amount_ext"));
    let amount = entry.amount.as_deref().or(total);
    let is_other = |refund: &&Refund<'_>| code.is_some() && refund.code.is_some();
    let may_be_ours: Vec<_> = refunds
        .iter()
        .filter(|refund| !is_other(refund))
        .filter(|refund| refund.amount.zip(amount).is_none_or(|(it, ours)| same_amount(it, ours)))
        .collect();
    let has_same_amount = |other: &&Entry| {
        let theirs = other.amount.as_deref().or(total);
        theirs.zip(amount).is_none_or(|(theirs, ours)| same_amount(theirs, ours))
    };
    let in_journal = others
        .iter()
        .filter(|it| it.operation == entry.operation && it.id != entry.id)
        .filter(|it| it.state != State::Failed)
        .filter(has_same_amount)
        .count();
    match may_be_ours[..] {
        [] => None,
        [refund] if in_journal == 0 && refund.amount.is_some() && amount.is_some() => {
            Some(found(refund))
        }
        _ => Some(open(
            Needs::Person,
            "the payment has refunds that may be this one; look at them, and use \
             merchant_refund_code in future",
        )),
    }
}

fn refund_of(json: &Json) -> Refund<'_> {
    let text = |name: &str| json.get(name).and_then(Json::as_text_or_number);
    Refund {
        id: text("id").or_else(|| text("uid")),
        code: text("merchant_refund_code"),
        amount: text("amount").or_else(|| text("amount_ext")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Rules;
    use crate::journal::test_entry;
    use crate::operation::Operation;
    use crate::operations::{QueryPayment, Request as _, Response};

    fn answer(payment: &str) -> PaymentResponse {
        let body = format!(r#"{{"payment":{{"status":"CO","hash":"5a4f",{payment}}}}}"#);
        let answer = Response::new(200, Vec::new(), body.into_bytes());
        QueryPayment::by_hash("5a4f").read_response(answer, &Rules::default()).unwrap()
    }

    fn needs(finding: Option<Finding>) -> &'static str {
        match finding {
            None => "nothing found",
            Some(Finding::Executed { .. }) => "executed",
            Some(Finding::Open(needs, _)) => needs.as_str(),
        }
    }

    #[test]
    fn a_payment_is_found_if_everything_that_is_shown_agrees() {
        let entry = test_entry("order-1");
        for (payment, expected) in [
            (r#""merchant_payment_code":"order-1""#, "executed"),
            (r#""merchant_payment_code":"order-1","amount_total":100.1"#, "executed"),
            (
                r#""merchant_payment_code":"order-1","amount_ext":"100.10","currency_ext":"brl""#,
                "executed",
            ),
            (r#""merchant_payment_code":"order-1","amount_total":100.11"#, "person"),
            (r#""merchant_payment_code":"order-1","currency_code":"MXN""#, "person"),
            (r#""merchant_payment_code":"order-2""#, "person"),
            (r#""other":1"#, "person"),
        ] {
            assert_eq!(needs(finding_of_payment(&entry, &answer(payment))), expected, "{payment}");
        }
    }

    #[test]
    fn a_refund_is_found_by_its_code_or_by_an_amount_that_no_other_has() {
        let entry = |amount: Option<&str>, code: Option<&str>| Entry {
            operation: Operation::RefundPayment,
            amount: amount.map(str::to_owned),
            refund_code: code.map(str::to_owned),
            ..test_entry("5a4f")
        };
        let ten = |code| entry(Some("10"), code);
        for (ours, refunds, expected) in [
            (ten(Some("a")), r#"{"merchant_refund_code":"a","amount":"7"}"#, "executed"),
            (ten(Some("a")), r#"{"merchant_refund_code":"b","amount":"10"}"#, "nothing found"),
            (ten(Some("a")), r#"{"amount":"10.00"}"#, "executed"),
            (ten(None), r#"{"merchant_refund_code":"b","amount":"10"}"#, "executed"),
            (ten(None), r#"{"amount":"10"},{"amount":"10.0"}"#, "person"),
            (ten(None), r#"{"amount":"9"}"#, "nothing found"),
            (ten(None), r#"{"id":7}"#, "person"),
            (ten(None), "", "nothing found"),
            (entry(None, None), r#"{"amount":"100.10"}"#, "executed"),
        ] {
            let answer = answer(&format!(r#""amount_total":100.10,"refunds":[{refunds}]"#));
            assert_eq!(needs(finding_of_refund(&ours, &answer, &[])), expected, "{refunds}");
        }
        let other = Entry { id: "2".to_owned(), state: State::Done, ..ten(Some("z")) };
        let one = answer(r#""refunds":[{"amount":"10"}]"#);
        assert_eq!(needs(finding_of_refund(&ten(None), &one, &[other])), "person");
        let unknown_total = answer(r#""refunds":[{"amount":"10"}]"#);
        assert_eq!(needs(finding_of_refund(&entry(None, None), &unknown_total, &[])), "person");
    }

    #[test]
    fn what_no_query_finds_is_waited_for_before_a_person_is_asked() {
        let entry = test_entry("order-1");
        let at = |now| needs(Some(not_found(&entry, now)));
        assert_eq!(at(entry.deadline_at + 899_999), "time");
        assert_eq!(at(entry.deadline_at + 900_000), "person");
    }
}
