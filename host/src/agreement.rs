//! Whether a payment is the one that the journal, or its caller, asked for.

use crate::journal::show;
use payments_core::amount::same_amount;
use payments_core::error::Error;
use payments_core::for_host::ClientInside as _;
use payments_core::journal::{Entry, EntryState};
use payments_core::operation::Operation;
use payments_core::request::{PaymentResponse, PayoutResponse};
use payments_core::{CallContext, Client};

/// The payment that the answer to a query shows.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Agreement {
    /// The difference from the journal's entry.
    pub(crate) difference: Option<&'static str>,
    /// The reference as the service spells it, if only its letter case differs.
    pub(crate) spelling: Option<String>,
}

/// Whether amount and currency, where both are there, are those of the entry. An
/// `amount_br` is not compared: it may be in another currency.
pub(crate) fn same_money(entry: &Entry, answer: &PaymentResponse) -> bool {
    let (amount, currency) = shown_money(answer);
    agrees_in_money(entry, amount, currency)
}

fn shown_money(answer: &PaymentResponse) -> (Option<&str>, Option<&str>) {
    let shown = |names: [&str; 2]| names.into_iter().find_map(|name| answer.amount(name));
    (shown(["amount_total", "amount_ext"]), shown(["currency_code", "currency_ext"]))
}

/// Whether amount and currency, where shown, are those of the entry.
pub(crate) fn agrees_in_money(entry: &Entry, amount: Option<&str>, currency: Option<&str>) -> bool {
    let agrees = |shown: Option<&str>, ours: Option<&str>, same: fn(&str, &str) -> bool| {
        shown.zip(ours).is_none_or(|(shown, ours)| same(shown, ours))
    };
    let is_same_currency: fn(&str, &str) -> bool = |shown, ours| shown.eq_ignore_ascii_case(ours);
    agrees(amount, entry.amount.as_deref(), same_amount)
        && agrees(currency, entry.currency.as_deref(), is_same_currency)
}

/// Compares a paid payment with its entry in the journal. `reference` is
/// the one that the caller gave, if it did.
pub(crate) fn with_journal(
    client: &Client,
    reference: Option<&str>,
    answer: &PaymentResponse,
    context: &CallContext,
) -> Result<Agreement, Error> {
    let shown = answer.merchant_payment_code();
    let Some(own) = reference.or(shown) else { return Ok(Agreement::default()) };
    if shown.is_some_and(|shown| shown.to_lowercase() != own.to_lowercase()) {
        let difference = Some(ANOTHER_REFERENCE);
        return Ok(Agreement { difference, spelling: None });
    }
    let spelling = shown.filter(|shown| *shown != own);
    let mut found = Agreement { difference: None, spelling: spelling.map(str::to_owned) };
    if !client.has_journal() {
        return Ok(found);
    }
    let differs = |entry: &Entry| !same_money(entry, answer);
    if entries_of(client, Operation::CreatePayment, own, context)?.last().is_some_and(differs) {
        found.difference = Some(OTHER_MONEY);
    } else if let Some(spelling) = spelling
        && !entries_of(client, Operation::CreatePayment, spelling, context)?.is_empty()
    {
        found.difference = Some(SPELLED_OTHERWISE);
    }
    Ok(found)
}

/// The difference of a paid payment from the amount and currency of an order. What
/// the service does not show must be that of the journal's entry with this hash.
pub(crate) fn with_order(
    client: &Client,
    reference: &str,
    order: (&str, &str),
    answer: &PaymentResponse,
    context: &CallContext,
) -> Result<Option<&'static str>, Error> {
    let is_of_order = |(amount, currency): (Option<&str>, Option<&str>)| {
        let is_same_amount = amount.map(|amount| same_amount(amount, order.0));
        let is_same_currency = currency.map(|currency| currency.eq_ignore_ascii_case(order.1));
        [is_same_amount, is_same_currency]
    };
    let shown = is_of_order(shown_money(answer));
    if shown.contains(&Some(false)) {
        return Ok(Some(NOT_OF_ORDER));
    }
    if !shown.contains(&None) {
        return Ok(None);
    }
    let entries = if client.has_journal() {
        entries_of(client, Operation::CreatePayment, reference, context)?
    } else {
        Vec::new()
    };
    let has_asked = |entry: &Entry| {
        let asked = (entry.amount.as_deref(), entry.currency.as_deref());
        entry.hash.is_some()
            && entry.hash.as_deref() == answer.hash()
            && is_of_order(asked) == [Some(true); 2]
    };
    Ok((!entries.iter().any(has_asked)).then_some(MONEY_NOT_SHOWN))
}

/// The difference of a payout that has ended from its entry in the journal.
pub(crate) fn of_payout(
    client: &Client,
    answer: &PayoutResponse,
    context: &CallContext,
) -> Result<Option<&'static str>, Error> {
    let Some(reference) = answer.external_reference().filter(|_| client.has_journal()) else {
        return Ok(None);
    };
    let entries = entries_of(client, Operation::CreatePayout, reference, context)?;
    let differs = |entry: &Entry| !agrees_in_money(entry, answer.amount(), answer.currency());
    Ok(entries.last().is_some_and(differs).then_some(OTHER_PAYOUT_MONEY))
}

/// The difference of an answer that does not show the payout that was queried.
pub(crate) const ANOTHER_PAYOUT: &str = "it has ended, but the service shows another payout, or does not say which; look at it on \
     the provider's platform";
const OTHER_PAYOUT_MONEY: &str = "it has ended, but its amount or currency is not that of the journal; look at it on the \
     provider's platform";
const ANOTHER_REFERENCE: &str = "it is paid, but the service shows another reference; look at it \
                                 on the provider's platform";
const OTHER_MONEY: &str = "it is paid, but its amount or currency is not that of the journal; look \
                           at it on the provider's platform";
const NOT_OF_ORDER: &str = "it is paid, but its amount or currency is not that of the order; look at it on the \
     provider's platform";
const MONEY_NOT_SHOWN: &str = "it is paid, but the service does not show its amount or currency; compare it with \
     the order on the provider's platform";
/// The difference of a payment with the reference of another one.
pub(crate) const SPELLED_OTHERWISE: &str = "it is paid, but the service spells its reference as that of another payment; look at both on \
     the provider's platform";

/// The entries of that operation and reference that were not refused.
fn entries_of(
    client: &Client,
    operation: Operation,
    reference: &str,
    context: &CallContext,
) -> Result<Vec<Entry>, Error> {
    let found = show(client, reference, context)?;
    let is_ours = |entry: &Entry| {
        entry.operation == operation
            && entry.reference == reference
            && entry.state != EntryState::Failed
    };
    Ok(found.entries.into_iter().filter(is_ours).collect())
}
