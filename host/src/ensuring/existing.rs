//! The meaning of an existing payment, or of the journal's entries, for a request
//! with the same reference. Pure.

use payments_core::amount::same_amount;
use payments_core::journal::{Entry, EntryState};
use payments_core::request::PaymentResponse;

/// The compared facts, as a request asks for them, or as the response to a query
/// shows them.
#[derive(Clone, Default, Debug)]
pub(super) struct Facts {
    pub(super) reference: Option<String>,
    pub(super) amount: Option<String>,
    pub(super) currency: Option<String>,
}

impl Facts {
    /// An `amount_br` is left out: it may be in another currency.
    pub(super) fn of(payment: &PaymentResponse) -> Self {
        let shown = |names: [&str; 2]| names.into_iter().find_map(|name| payment.amount(name));
        Self {
            reference: payment.merchant_payment_code().map(str::to_owned),
            amount: shown(["amount_total", "amount_ext"]).map(str::to_owned),
            currency: shown(["currency_code", "currency_ext"]).map(str::to_owned),
        }
    }
}

/// The meaning of an existing payment for a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Existing {
    /// It is the payment of the request, as far as it could be compared: these
    /// could not.
    Same { unchecked: Vec<&'static str> },
    /// It is another payment, which differs in this.
    Other(&'static str),
}

pub(super) const AMOUNT: &str = "amount_total";
pub(super) const CURRENCY: &str = "currency_code";
pub(super) const BODY: &str = "body";
const REFERENCE: &str = "merchant_payment_code";

/// Compares a payment with a request. `has_same_body` is what the journal's entry
/// says, if there is one.
pub(super) fn compare(asked: &Facts, shown: &Facts, has_same_body: Option<bool>) -> Existing {
    let both = |asked: &Option<String>, shown: &Option<String>| {
        Some((asked.clone()?, shown.clone().filter(|it| !it.trim().is_empty())?))
    };
    // A query is answered for the reference of the request, or for a hash.
    let reference = both(&asked.reference, &shown.reference)
        .map(|(asked, shown)| asked.to_lowercase() == shown.to_lowercase());
    let currency = both(&asked.currency, &shown.currency)
        .map(|(asked, shown)| asked.eq_ignore_ascii_case(shown.trim()));
    let amount = both(&asked.amount, &shown.amount)
        .filter(|(asked, shown)| is_decimal(asked) && is_decimal(shown))
        .map(|(asked, shown)| same_amount(&asked, &shown));
    let compared =
        [(REFERENCE, reference), (CURRENCY, currency), (AMOUNT, amount), (BODY, has_same_body)];
    if let Some((differs, _)) = compared.iter().find(|(_, is_same)| *is_same == Some(false)) {
        return Existing::Other(differs);
    }
    // The reference is what was queried.
    let unchecked = compared.iter().skip(1).filter(|(_, is_same)| is_same.is_none());
    Existing::Same { unchecked: unchecked.map(|(name, _)| *name).collect() }
}

/// Other texts, such as `1e2` or `R$ 10`, are no numbers to compare.
fn is_decimal(text: &str) -> bool {
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), "0"));
    let is_digits = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole) && is_digits(fraction)
}

/// The journal's record of a reference.
#[derive(Clone, Debug)]
pub(super) enum JournalRecord<'e> {
    /// A call created the payment.
    Done(&'e Entry),
    /// A call may have created it, or may still create it.
    Open(&'e Entry),
    /// No call created it.
    Nothing,
}

/// The entry of a payment that decides: one that is done, or else an open one.
pub(super) fn recorded<'e>(entries: &'e [Entry], reference: &str) -> JournalRecord<'e> {
    let ours = || {
        let is_ours = |it: &&Entry| it.operation.is_found_as_payment() && it.reference == reference;
        entries.iter().rev().filter(is_ours)
    };
    let done = ours().find(|it| it.state == EntryState::Done);
    let open = || ours().find(|it| it.is_open());
    match (done, open()) {
        (Some(entry), _) => JournalRecord::Done(entry),
        (None, Some(entry)) => JournalRecord::Open(entry),
        (None, None) => JournalRecord::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use payments_core::operation::Operation;
    use payments_core::request::{QueryPayment, RawResponse, Request as _};
    use payments_core::rules::Rules;

    fn asked() -> Facts {
        let text = |text: &str| Some(text.to_owned());
        Facts { reference: text("order-1"), amount: text("100.10"), currency: text("BRL") }
    }

    fn shown(members: &str) -> Facts {
        let body = format!(r#"{{"payment":{{"status":"PE"{members}}}}}"#);
        let answer = RawResponse::new(200, Vec::new(), body.into_bytes());
        let query = QueryPayment::by_hash("5a4f");
        Facts::of(&query.read_response(answer, &Rules::default()).unwrap())
    }

    #[test]
    fn a_payment_is_another_one_if_anything_shown_differs() {
        let same = |unchecked: &[&'static str]| Existing::Same { unchecked: unchecked.to_vec() };
        let both = r#","currency_code":"BRL","amount_total":"100.10""#;
        for (members, has_same_body, expected) in [
            (both, Some(true), same(&[])),
            (both, None, same(&[BODY])),
            (both, Some(false), Existing::Other(BODY)),
            (r#","currency_ext":"brl","amount_ext":100.1"#, Some(true), same(&[])),
            (r#","currency_ext":"BRL","amount_ext":"0100.100""#, Some(true), same(&[])),
            (r#","currency_code":"BRL","amount_total":"100.11""#, Some(true), other(AMOUNT)),
            (r#","currency_code":"BRL","amount_total":"0.00""#, Some(true), other(AMOUNT)),
            (r#","currency_code":"BRL","amount_total":"10010""#, Some(true), other(AMOUNT)),
            (r#","currency_code":"MXN","amount_total":"100.10""#, Some(true), other(CURRENCY)),
            (r#","currency_code":"MXN","amount_total":"1""#, None, other(CURRENCY)),
            (r#","amount_total":"1""#, None, other(AMOUNT)),
            (r#","amount_total":"100.10""#, Some(true), same(&[CURRENCY])),
            (r#","currency_code":"BRL""#, Some(true), same(&[AMOUNT])),
            (r#","currency_code":"BRL","amount_total":"1001e-1""#, None, same(&[AMOUNT, BODY])),
            (
                r#","currency_code":" ","amount_total":"R$ 1""#,
                None,
                same(&[CURRENCY, AMOUNT, BODY]),
            ),
            (r#","amount_br":"1.00""#, Some(true), same(&[CURRENCY, AMOUNT])),
            ("", None, same(&[CURRENCY, AMOUNT, BODY])),
            (r#","merchant_payment_code":"ORDER-1""#, None, same(&[CURRENCY, AMOUNT, BODY])),
            (r#","merchant_payment_code":"order-2""#, Some(true), other(REFERENCE)),
        ] {
            let found = compare(&asked(), &shown(members), has_same_body);
            assert_eq!(found, expected, "{members} {has_same_body:?}");
        }
    }

    fn other(differs: &'static str) -> Existing {
        Existing::Other(differs)
    }

    #[test]
    fn a_done_entry_decides_and_otherwise_an_open_one() {
        use EntryState::{Done, Failed, InProgress, Unknown};
        let of = |states: &[EntryState]| {
            let entry = |state: &EntryState| Entry { state: *state, ..Entry::of_test("order-1") };
            states.iter().map(entry).collect::<Vec<_>>()
        };
        let found = |entries: &[Entry]| match recorded(entries, "order-1") {
            JournalRecord::Done(_) => "done",
            JournalRecord::Open(_) => "open",
            JournalRecord::Nothing => "nothing",
        };
        for (states, expected) in [
            (&[][..], "nothing"),
            (&[Failed, Failed], "nothing"),
            (&[Failed, Unknown], "open"),
            (&[InProgress, Failed], "open"),
            (&[Failed, Done], "done"),
            (&[Done, Unknown], "done"),
        ] {
            assert_eq!(found(&of(states)), expected, "{states:?}");
        }
        let mut entries = of(&[Failed]);
        entries[0].rival = Some("2".to_owned());
        assert_eq!(found(&entries), "open", "its call was executed");
        entries = of(&[Done]);
        entries[0].reference = "Order-1".to_owned();
        assert_eq!(found(&entries), "nothing");
        entries = of(&[Done]);
        entries[0].operation = Operation::RefundPayment;
        assert_eq!(found(&entries), "nothing");
    }
}
