//! Whether what the service shows is what was asked for: the one comparison of
//! ensuring, waiting, following and recovery.
//!
//! - `amounts.rs`: amounts, as services write them
//! - `payer.rs`: the payer
//! - `counting.rs`: which of two payments with one reference counts

mod amounts;
mod counting;
mod payer;

use payments_core::error::Error;
use payments_core::journal::{Entry, EntryState, Filter};
use payments_core::json::{Json, Members};
use payments_core::operation::{Operation, PaymentStatus};
use payments_core::request::{PaymentResponse, PayoutResponse};
use payments_core::{CallContext, Client};

use self::amounts::compare_amounts;
pub(crate) use self::counting::{Counting, Queried, counting};
use self::payer::Payer;
use crate::answer::{first_shown, is_over, money_of};
use crate::journal::show;

/// How one part of a payment compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compared {
    Same,
    Differs,
    NotShown,
    /// It is shown as something that cannot be compared.
    Unreadable,
}

impl Compared {
    pub(crate) fn of(is_same: bool) -> Self {
        if is_same { Self::Same } else { Self::Differs }
    }
}

/// The compared parts of a payment, as a request or an entry of the journal has them.
#[derive(Clone, Default)]
pub(crate) struct Asked {
    amount: Option<String>,
    currency: Option<String>,
    method: Option<String>,
    payer: Payer,
}

/// A payment beside what was asked for, without its reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Comparison {
    pub(crate) amount: Compared,
    pub(crate) currency: Compared,
    pub(crate) method: Compared,
    pub(crate) payer: Compared,
}

impl Asked {
    /// The parts that the request has.
    pub(crate) fn of_request(members: &Members) -> Self {
        let payment = members.get("payment");
        let text = |name: &str| Some(payment?.get(name)?.as_text_or_number()?.to_owned());
        Self {
            amount: text("amount_total"),
            currency: text("currency_code"),
            method: text("payment_type_code"),
            payer: Payer::of(payment),
        }
    }

    /// The parts that an entry has.
    pub(crate) fn of_entry(entry: &Entry) -> Self {
        let (amount, currency) = (entry.amount.clone(), entry.currency.clone());
        Self { amount, currency, ..Self::default() }
    }

    /// Compares the parts with those of a response.
    pub(crate) fn compare(&self, shown: &PaymentResponse) -> Comparison {
        let json = shown.json();
        let customer = json.pointer("/payment/customer").or_else(|| json.get("customer"));
        let method = json.pointer("/payment/payment_type_code");
        let [amount, currency] = money_of(shown);
        Comparison {
            amount: compare_amounts(self.amount.as_deref(), amount),
            currency: compare_texts(self.currency.as_deref(), currency),
            method: compare_texts(self.method.as_deref(), method),
            payer: self.payer.compare(&Payer::of(customer)),
        }
    }
}

fn compare_texts(asked: Option<&str>, shown: Option<&Json>) -> Compared {
    let shown = shown.and_then(Json::as_str).map(str::trim).filter(|it| !it.is_empty());
    let same = asked.zip(shown).map(|(asked, shown)| asked.eq_ignore_ascii_case(shown));
    same.map_or(Compared::NotShown, Compared::of)
}

/// Whether amount and currency, where shown, are those of the entry.
pub(crate) fn same_money(entry: &Entry, answer: &PaymentResponse) -> bool {
    let found = Asked::of_entry(entry).compare(answer);
    found.amount != Compared::Differs && found.currency != Compared::Differs
}

/// Like [`same_money`], of a payout.
pub(crate) fn same_money_of_payout(entry: &Entry, answer: &PayoutResponse) -> bool {
    let amount = ["/payout/request_amount", "/payout/amount", "/amount"];
    let amount = compare_amounts(entry.amount.as_deref(), first_shown(answer.json(), &amount));
    let currency = answer.currency().map(Json::from);
    let currency = compare_texts(entry.currency.as_deref(), currency.as_ref());
    amount != Compared::Differs && currency != Compared::Differs
}

/// Whether `payment` is the one with `reference`: the service spells it like that, letter
/// by letter, or does not show it. A payment with another spelling is another one,
/// unless `own`, the entry of the reference, has its hash, and no other entry has that
/// hash or that spelling. Without a journal, `check_references` decides.
///
/// # Errors
/// `journal`, `cancelled`.
pub(crate) fn has_reference(
    client: &Client,
    reference: &str,
    own: Option<&Entry>,
    payment: &PaymentResponse,
    context: &CallContext,
) -> Result<bool, Error> {
    let shown = payment.merchant_payment_code().filter(|shown| !shown.trim().is_empty());
    if shown == Some(reference) {
        return Ok(true);
    }
    let is_checked = client.rules().check_references;
    if !client.has_journal() {
        return Ok(shown.is_none() || !is_checked);
    }
    let hash = payment.hash();
    if let Some(shown) = shown {
        let has_its_hash = own.is_some_and(|it| hash.is_some() && it.hash.as_deref() == hash);
        if !has_its_hash || is_checked && !differs_in_case(shown, reference) {
            return Ok(false);
        }
    }
    let (journal, own) = (client.client_journal()?, own.map_or("", |own| &own.id));
    client.read(context, |context| journal.has_alone(context, own, [shown, hash]))
}

/// Whether a response proves that the payment of an entry exists: it shows the reference
/// letter by letter, or the hash that the entry has.
///
/// # Errors
/// Those of [`has_reference`].
pub(crate) fn proves(
    client: &Client,
    entry: &Entry,
    payment: &PaymentResponse,
    context: &CallContext,
) -> Result<bool, Error> {
    let has_its_hash = entry.hash.is_some() && entry.hash.as_deref() == payment.hash();
    if payment.merchant_payment_code() != Some(&*entry.reference) && !has_its_hash {
        return Ok(false);
    }
    Ok(has_reference(client, &entry.reference, Some(entry), payment, context)?
        && same_money(entry, payment))
}

/// Whether two references are the same but for capitals.
pub(crate) fn differs_in_case(one: &str, other: &str) -> bool {
    one != other && one.to_lowercase() == other.to_lowercase()
}

/// The remedy where references differ in capitals alone.
pub(crate) const KEEP_CASE: &str = "if the service changes capitals, set check_references to false";

/// A payment that has ended, beside the journal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Agreement {
    /// It is the one that was asked for, as far as the service shows it.
    Agrees,
    /// It is another one.
    Differs(&'static str),
    /// The service shows an amount that cannot be read.
    Unreadable(&'static str),
}

/// The payment that counts, and whether it is the one that was asked for. `reference` is
/// the one that the caller gave, if it did. Only a paid payment is compared.
///
/// # Errors
/// Those of [`counting`].
pub(crate) fn judge(
    client: &Client,
    reference: Option<&str>,
    by_hash: bool,
    answer: PaymentResponse,
    context: &CallContext,
) -> Result<(Counting, Agreement), Error> {
    if !is_over(&answer) {
        return Ok((Counting::alone(answer), Agreement::Agrees));
    }
    let shown = answer.merchant_payment_code().map(str::to_owned);
    let hash = answer.hash().filter(|_| reference.is_none());
    let own = entry_of(client, reference.or(shown.as_deref()), hash, context)?;
    let own = own.as_ref();
    let reference = reference.or(own.map(|it| &*it.reference)).or(shown.as_deref());
    let counting = counting(client, Queried { reference, by_hash, own }, answer, context)?;
    let agreement = match reference {
        _ if counting.is_paid_twice => Agreement::Differs(PAID_TWICE),
        Some(reference) if counting.payment.status() == Some(PaymentStatus::Confirmed) => {
            with_entry(client, reference, own, &counting.payment, context)?
        }
        _ => Agreement::Agrees,
    };
    Ok((counting, agreement))
}

/// Compares a paid payment with the entry of its reference.
fn with_entry(
    client: &Client,
    reference: &str,
    own: Option<&Entry>,
    paid: &PaymentResponse,
    context: &CallContext,
) -> Result<Agreement, Error> {
    if !has_reference(client, reference, own, paid, context)? {
        let shown = paid.merchant_payment_code();
        let is_of_case = shown.is_some_and(|shown| differs_in_case(shown, reference));
        let difference = if is_of_case { SPELLED_OTHERWISE } else { ANOTHER_REFERENCE };
        return Ok(Agreement::Differs(difference));
    }
    let Some(own) = own else { return Ok(Agreement::Agrees) };
    Ok(if !same_money(own, paid) {
        Agreement::Differs(OTHER_MONEY)
    } else if Asked::of_entry(own).compare(paid).amount == Compared::Unreadable {
        Agreement::Unreadable(UNREADABLE_AMOUNT)
    } else {
        Agreement::Agrees
    })
}

/// The entry of the reference that was not refused, or else that of the hash.
fn entry_of(
    client: &Client,
    reference: Option<&str>,
    hash: Option<&str>,
    context: &CallContext,
) -> Result<Option<Entry>, Error> {
    if !client.has_journal() {
        return Ok(None);
    }
    let of_reference = match reference {
        Some(reference) => entries_of(client, Operation::CreatePayment, reference, context)?,
        None => Vec::new(),
    };
    if let Some(own) = of_reference.into_iter().next_back() {
        return Ok(Some(own));
    }
    let journal = client.client_journal()?;
    let Some(hash) = hash else { return Ok(None) };
    let filter = Filter { hash: Some(hash.to_owned()), ..journal.filter() };
    let found = client.read(context, |context| journal.find_all(context, filter))?;
    let is_ours = |it: &Entry| it.operation.is_found_as_payment() && it.state != EntryState::Failed;
    Ok(found.entries.into_iter().rfind(is_ours))
}

/// The difference of a paid payment from the amount and currency of an order. What
/// the service does not show must be that of the journal's entry with this hash.
///
/// # Errors
/// `journal`, `cancelled`.
pub(crate) fn with_order(
    client: &Client,
    reference: &str,
    (amount, currency): (&str, &str),
    answer: &PaymentResponse,
    context: &CallContext,
) -> Result<Option<&'static str>, Error> {
    let [amount, currency] = [amount, currency].map(|it| Some(it.to_owned()));
    let order = Asked { amount, currency, ..Asked::default() };
    let Comparison { amount, currency, .. } = order.compare(answer);
    if [amount, currency].contains(&Compared::Differs) {
        return Ok(Some(NOT_OF_ORDER));
    }
    if [amount, currency] == [Compared::Same; 2] {
        return Ok(None);
    }
    let entries = if client.has_journal() {
        entries_of(client, Operation::CreatePayment, reference, context)?
    } else {
        Vec::new()
    };
    let has_asked = |entry: &Entry| {
        let [amount, currency] =
            [&entry.amount, &entry.currency].map(|it| it.as_deref().map(Json::from));
        let is_same = compare_amounts(order.amount.as_deref(), amount.as_ref()) == Compared::Same
            && compare_texts(order.currency.as_deref(), currency.as_ref()) == Compared::Same;
        is_same && entry.hash.is_some() && entry.hash.as_deref() == answer.hash()
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
    let differs = |entry: &Entry| !same_money_of_payout(entry, answer);
    Ok(entries.last().is_some_and(differs).then_some(OTHER_PAYOUT_MONEY))
}

/// The difference of an answer that does not show the payout that was queried.
pub(crate) const ANOTHER_PAYOUT: &str = "it has ended, but the service shows another payout, or does not say which; look at it on \
     the provider's platform";
const OTHER_PAYOUT_MONEY: &str = "it has ended, but its amount or currency is not that of the \
                                  journal; look at it on the provider's platform";
const ANOTHER_REFERENCE: &str = "it is paid, but the service shows another reference; look at it \
                                 on the provider's platform";
const SPELLED_OTHERWISE: &str = "it is paid, but the service spells its reference with other \
                                 capitals; look at it on the provider's platform; if the service \
                                 changes capitals, set check_references to false";
const OTHER_MONEY: &str = "it is paid, but its amount or currency is not that of the journal; look \
                           at it on the provider's platform";
const NOT_OF_ORDER: &str = "it is paid, but its amount or currency is not that of the order; look \
                            at it on the provider's platform";
const MONEY_NOT_SHOWN: &str = "it is paid, but the service does not show its amount or currency; \
                               compare it with the order on the provider's platform";
const UNREADABLE_AMOUNT: &str = "it is paid, but the service shows an amount that cannot be read; \
                                 look at it on the provider's platform";
pub(crate) const PAID_TWICE: &str = "two payments with this reference are paid; look at both on the \
                          provider's platform";

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
