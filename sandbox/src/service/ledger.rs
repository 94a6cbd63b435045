//! The service's records: payments with their refunds, payouts, and trackings.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::faults::cancellation::PayoutCancellation;
use crate::rng::Rng;
use crate::service::clock::{Calendar, now_ms};
use crate::service::status::{PaymentStatus, PayoutStatus, RefundStatus};

/// A payment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PaymentRecord {
    /// 48 hexadecimal digits.
    pub hash: String,
    /// The merchant's reference.
    pub merchant_payment_code: String,
    /// The current status.
    pub status: PaymentStatus,
    /// Every status so far, with its start in seconds since 1970.
    pub history: Vec<(PaymentStatus, u64)>,
    /// The amount as sent.
    pub amount_total: String,
    /// The three-letter currency code.
    pub currency_code: String,
    /// The two-letter country code.
    pub country: String,
    /// The payment method.
    pub payment_type_code: String,
    /// The payer's name, email, and document.
    pub payer: Payer,
    /// The order number, if sent.
    pub order_number: Option<String>,
    /// The payer's means of payment.
    pub means: PaymentMeans,
    /// The refunds, oldest first.
    pub refunds: Vec<RefundRecord>,
}

/// The payer of a payment.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Payer {
    /// The name.
    pub name: String,
    /// The email address.
    pub email: String,
    /// The tax id, if sent.
    pub document: Option<String>,
}

/// The payer's means of payment, as a response shows it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct PaymentMeans {
    /// The text of a pix QR code.
    pub qr_code_value: Option<String>,
    /// Members of `payment` with their values, for example `oxxo_url` and
    /// `oxxo_barcode`.
    pub members: Vec<(String, String)>,
    /// The page that the payer is redirected to.
    pub redirect_url: Option<String>,
    /// Whether it is a card, with which there is nothing left to do for the payer.
    pub is_card: bool,
    /// Whether the card is authorized and captured later.
    pub awaits_capture: bool,
}

/// A refund.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RefundRecord {
    /// The id of the refund.
    pub id: String,
    /// The merchant's reference, if sent.
    pub merchant_refund_code: Option<String>,
    /// The current status.
    pub status: RefundStatus,
    /// The amount as sent, or else the payment's.
    pub amount: String,
    /// The reason, if sent.
    pub description: Option<String>,
    /// The time of the request, in seconds since 1970.
    pub requested: u64,
}

/// A payout.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PayoutRecord {
    /// The service's id.
    pub uid: String,
    /// The merchant's reference; not unique.
    pub external_reference: String,
    /// The amount as sent.
    pub amount: String,
    /// The three-letter currency code.
    pub currency_code: String,
    /// The two-letter country code.
    pub country: String,
    /// The kind of destination, if the request names it.
    pub target: Option<String>,
    /// The destination, if it is not a bank account of the payee.
    pub target_account: Option<String>,
    /// The current status.
    pub status: PayoutStatus,
    /// Every status so far, with its start in seconds since 1970.
    pub history: Vec<(PayoutStatus, u64)>,
    /// Why it was cancelled.
    pub cancellation: Option<PayoutCancellation>,
}

/// A registered tracking code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrackingRecord {
    /// The tracking code.
    pub tracking_code: String,
    /// The order number.
    pub order_number: String,
    /// The customer's email address.
    pub customer_email: String,
}

/// Why a payment, refund or payout could not be moved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveError {
    /// No payment has that hash or reference, no refund that id, or no payout that
    /// id or reference.
    NotFound,
    /// The transition is not allowed; the text names both states.
    NotAllowed(String),
}

impl std::fmt::Display for MoveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFound => f.write_str("not found"),
            Self::NotAllowed(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for MoveError {}

/// The path of the page where the payer pays a payment.
pub(crate) fn pay_path(hash: &str) -> String {
    format!("/sandbox/pay/{hash}")
}

/// All records of the service, which are kept across restarts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ledger {
    pub(crate) rng: Rng,
    /// When each step of a payment, a refund or a payout happened by the system
    /// clock, in milliseconds since 1970: the service's own dates may be seeded.
    #[serde(default)]
    times: HashMap<String, Vec<u64>>,
    payments: Vec<PaymentRecord>,
    payouts: Vec<PayoutRecord>,
    trackings: Vec<TrackingRecord>,
    #[serde(skip)]
    revision: u64,
    #[serde(skip)]
    by_hash: HashMap<String, usize>,
    #[serde(skip)]
    by_code: HashMap<String, usize>,
}

impl Ledger {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            rng: Rng::new(seed, "ledger"),
            revision: 0,
            payments: Vec::new(),
            by_hash: HashMap::new(),
            by_code: HashMap::new(),
            payouts: Vec::new(),
            trackings: Vec::new(),
            times: HashMap::new(),
        }
    }

    /// Removes all records and restarts the hashes.
    pub(crate) fn reset(&mut self, seed: u64) {
        *self = Self { revision: self.revision + 1, ..Self::new(seed) };
    }

    /// Restores the saved records, moving the addresses of payer pages to
    /// `base_url`.
    pub(crate) fn restore(&mut self, mut saved: Self, base_url: &str) {
        let payments = std::mem::take(&mut saved.payments);
        *self = Self { revision: self.revision, ..saved };
        for mut payment in payments {
            let page = format!("{base_url}{}", pay_path(&payment.hash));
            let means = &mut payment.means;
            let addresses = means.members.iter_mut().filter(|(name, _)| name.ends_with("_url"));
            let addresses = addresses.map(|(_, address)| address).chain(&mut means.redirect_url);
            addresses.for_each(|address| page.clone_into(address));
            self.insert_payment(payment);
        }
    }

    /// When each step of the payment, refund or payout with that hash or id
    /// happened, in milliseconds since 1970.
    pub(crate) fn times(&self, id: &str) -> &[u64] {
        self.times.get(id).map_or(&[], Vec::as_slice)
    }

    /// Records that something happens to a payment, a refund or a payout now.
    pub(crate) fn mark(&mut self, id: &str) {
        self.times.entry(id.to_owned()).or_default().push(now_ms());
    }

    /// A counter that every change increments.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn knows_code(&self, merchant_payment_code: &str) -> bool {
        self.by_code.contains_key(merchant_payment_code)
    }

    pub(crate) fn add_payment(&mut self, payment: PaymentRecord) {
        payment.history.iter().for_each(|_| self.mark(&payment.hash));
        self.insert_payment(payment);
    }

    fn insert_payment(&mut self, payment: PaymentRecord) {
        self.revision += 1;
        let index = self.payments.len();
        self.by_hash.insert(payment.hash.clone(), index);
        self.by_code.insert(payment.merchant_payment_code.clone(), index);
        self.payments.push(payment);
    }

    pub(crate) fn payments(&self) -> &[PaymentRecord] {
        &self.payments
    }

    pub(crate) fn payouts(&self) -> &[PayoutRecord] {
        &self.payouts
    }

    /// Finds a payout by id, or the newest one with that reference.
    pub(crate) fn payout(&self, reference: &str) -> Option<&PayoutRecord> {
        let is_meant = |it: &&PayoutRecord| it.external_reference == reference;
        let by_uid = self.payouts.iter().find(|it| it.uid == reference);
        by_uid.or_else(|| self.payouts.iter().rev().find(is_meant))
    }

    pub(crate) fn add_payout(&mut self, payout: PayoutRecord) {
        self.revision += 1;
        payout.history.iter().for_each(|_| self.mark(&payout.uid));
        self.payouts.push(payout);
    }

    pub(crate) fn trackings(&self) -> &[TrackingRecord] {
        &self.trackings
    }

    pub(crate) fn add_trackings(&mut self, trackings: Vec<TrackingRecord>) {
        self.revision += 1;
        self.trackings.extend(trackings);
    }

    pub(crate) fn by_hash(&self, hash: &str) -> Option<&PaymentRecord> {
        self.payments.get(*self.by_hash.get(hash)?)
    }

    pub(crate) fn by_code(&self, merchant_payment_code: &str) -> Option<&PaymentRecord> {
        self.payments.get(*self.by_code.get(merchant_payment_code)?)
    }

    /// Finds a payment by hash or reference.
    pub(crate) fn payment(&self, reference: &str) -> Option<&PaymentRecord> {
        self.by_hash(reference).or_else(|| self.by_code(reference))
    }

    /// Like [`payment`](Self::payment), but mutable.
    pub(crate) fn payment_mut(&mut self, reference: &str) -> Option<&mut PaymentRecord> {
        let index = self.by_hash.get(reference).or_else(|| self.by_code.get(reference))?;
        self.revision += 1;
        self.payments.get_mut(*index)
    }

    /// Moves a payment, found by hash or reference, along the interface's
    /// transitions.
    pub(crate) fn move_payment(
        &mut self,
        reference: &str,
        to: PaymentStatus,
        clock: &Calendar,
    ) -> Result<PaymentRecord, MoveError> {
        let payment = self.payment_mut(reference).ok_or(MoveError::NotFound)?;
        if !payment.status.may_become(to) {
            let (from, to) = (payment.status.code(), to.code());
            return Err(MoveError::NotAllowed(format!(
                "a payment does not go from {from} to {to}"
            )));
        }
        payment.status = to;
        payment.history.push((to, clock.now()));
        let moved = payment.clone();
        self.mark(&moved.hash);
        Ok(moved)
    }

    /// Moves a refund, found by id.
    pub(crate) fn move_refund(
        &mut self,
        id: &str,
        to: RefundStatus,
    ) -> Result<RefundRecord, MoveError> {
        let refund = self
            .payments
            .iter_mut()
            .flat_map(|payment| &mut payment.refunds)
            .find(|refund| refund.id == id)
            .ok_or(MoveError::NotFound)?;
        if !refund.status.may_become(to) {
            let (from, to) = (refund.status.code(), to.code());
            return Err(MoveError::NotAllowed(format!("a refund does not go from {from} to {to}")));
        }
        refund.status = to;
        self.revision += 1;
        Ok(refund.clone())
    }

    /// Moves a payout, found by id, or the newest one with that reference. The
    /// reason counts if it is cancelled.
    pub(crate) fn move_payout(
        &mut self,
        reference: &str,
        to: PayoutStatus,
        why: PayoutCancellation,
        clock: &Calendar,
    ) -> Result<PayoutRecord, MoveError> {
        let uid = self.payout(reference).ok_or(MoveError::NotFound)?.uid.clone();
        let found = self.payouts.iter_mut().find(|payout| payout.uid == uid);
        let payout = found.ok_or(MoveError::NotFound)?;
        if !payout.status.may_become(to) {
            let (from, to) = (payout.status.code(), to.code());
            return Err(MoveError::NotAllowed(format!("a payout does not go from {from} to {to}")));
        }
        payout.status = to;
        payout.history.push((to, clock.now()));
        payout.cancellation = (to == PayoutStatus::Cancelled).then_some(why);
        let moved = payout.clone();
        self.revision += 1;
        self.mark(&uid);
        Ok(moved)
    }
}
