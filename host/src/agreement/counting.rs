//! Which of two payments with one reference counts: a payer whose payment was cancelled
//! may try again at the gateway.

use payments_core::error::{Error, Reason};
use payments_core::journal::Entry;
use payments_core::operation::PaymentStatus;
use payments_core::request::{PaymentResponse, QueryPayment};
use payments_core::{CallContext, CallOptions as _, Client};

use super::has_reference;
use crate::answer::is_over;

/// The payment that counts.
#[derive(Clone, Debug)]
pub(crate) struct Counting {
    pub(crate) payment: PaymentResponse,
    /// The hash of the other payment with the reference, if that is cancelled and this
    /// one is paid.
    pub(crate) other_hash: Option<String>,
    /// Whether the other payment is paid too.
    pub(crate) is_paid_twice: bool,
}

impl Counting {
    pub(crate) fn alone(payment: PaymentResponse) -> Self {
        Self { payment, other_hash: None, is_paid_twice: false }
    }
}

/// The reference of a payment, and how it was queried.
#[derive(Clone, Copy)]
pub(crate) struct Queried<'a> {
    pub(crate) reference: Option<&'a str>,
    pub(crate) by_hash: bool,
    /// The entry of the reference.
    pub(crate) own: Option<&'a Entry>,
}

/// The payment that counts, of `payment` and another one with its reference. A payment
/// that was found by its hash is cancelled only if the query by the reference shows none
/// that is paid or still open, and one that has ended and is not that of the entry counts
/// only if the entry's is not paid.
///
/// # Errors
/// Those of that query, but a refusal says that there is no other payment; `journal`,
/// `cancelled`.
pub(crate) fn counting(
    client: &Client,
    queried: Queried<'_>,
    payment: PaymentResponse,
    context: &CallContext,
) -> Result<Counting, Error> {
    let Some(query) = queried.other_way(&payment) else { return Ok(Counting::alone(payment)) };
    let once = client.renewed(context).without_retries();
    let other = match client.execute(&query, &once) {
        Ok(other) => other,
        Err(error) if is_refusal(&error) => return Ok(Counting::alone(payment)),
        Err(error) => return Err(error),
    };
    let is_another = other.hash().is_some() && other.hash() != payment.hash();
    if !is_another || !queried.is_of_reference(client, &other, context)? {
        return Ok(Counting::alone(payment));
    }
    let hash = |it: &PaymentResponse| it.hash().map(str::to_owned);
    if !is_over(&other) && payment.status() == Some(PaymentStatus::Cancelled) {
        return Ok(Counting::alone(other));
    }
    Ok(match [&payment, &other].map(PaymentResponse::status) {
        [Some(PaymentStatus::Confirmed), Some(PaymentStatus::Confirmed)] => {
            Counting { is_paid_twice: true, ..Counting::alone(payment) }
        }
        [Some(PaymentStatus::Confirmed), Some(PaymentStatus::Cancelled)] => {
            Counting { other_hash: hash(&other), ..Counting::alone(payment) }
        }
        [Some(PaymentStatus::Cancelled), Some(PaymentStatus::Confirmed)] => {
            Counting { other_hash: hash(&payment), ..Counting::alone(other) }
        }
        _ => Counting::alone(payment),
    })
}

impl Queried<'_> {
    /// The query that may show another payment with the reference.
    fn other_way(&self, payment: &PaymentResponse) -> Option<QueryPayment> {
        let is_cancelled = payment.status() == Some(PaymentStatus::Cancelled);
        let own = self.own.and_then(|own| own.hash.as_deref());
        match own.filter(|own| payment.hash().is_some_and(|hash| hash != *own)) {
            Some(own) if is_over(payment) => Some(QueryPayment::by_hash(own)),
            _ if self.by_hash && is_cancelled => {
                let shown = payment.merchant_payment_code();
                self.reference.or(shown).map(QueryPayment::by_merchant_payment_code)
            }
            _ => None,
        }
    }

    /// Whether `other` is a payment of the reference.
    fn is_of_reference(
        &self,
        client: &Client,
        other: &PaymentResponse,
        context: &CallContext,
    ) -> Result<bool, Error> {
        if self.own.is_some_and(|own| own.hash.as_deref() == other.hash()) {
            return Ok(true);
        }
        let Some(reference) = self.reference else { return Ok(true) };
        has_reference(client, reference, self.own, other, context)
    }
}

/// Whether the service answered, and shows no payment.
fn is_refusal(error: &Error) -> bool {
    matches!(error.reason(), Some(Reason::NotFound | Reason::Refused))
}
