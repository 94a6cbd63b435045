//! What the service keeps: payments with their refunds, payouts, trackings.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::clock::Calendar;
use crate::page::payer;
use crate::rng::Rng;
use crate::status::{PaymentStatus, RefundStatus};

/// A payment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PaymentRecord {
    /// 48 hexadecimal digits.
    pub hash: String,
    /// The merchant's reference.
    pub merchant_payment_code: String,
    /// The status now.
    pub status: PaymentStatus,
    /// Every status it had, with the time it began in seconds since 1970.
    pub history: Vec<(PaymentStatus, u64)>,
    /// The amount as it was sent.
    pub amount_total: String,
    /// Three-letter currency code.
    pub currency_code: String,
    /// Two-letter country code.
    pub country: String,
    /// The payment method.
    pub payment_type_code: String,
    /// The payer's name, e-mail and document.
    pub payer: Payer,
    /// The order number, when one was sent.
    pub order_number: Option<String>,
    /// What the payer pays by.
    pub means: PaymentMeans,
    /// Its refunds, oldest first.
    pub refunds: Vec<RefundRecord>,
}

/// Who pays.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Payer {
    /// Name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// Tax id, when one was sent.
    pub document: Option<String>,
}

/// What the payer pays by.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PaymentMeans {
    /// A pix QR code.
    Pix {
        /// The text of the code.
        qr_code_value: String,
    },
    /// An oxxo voucher.
    Oxxo {
        /// The voucher's page.
        url: String,
        /// The voucher's barcode digits.
        barcode: String,
    },
    /// A page the payer is sent to.
    Redirect {
        /// Its address.
        url: String,
    },
}

/// A refund.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RefundRecord {
    /// The refund's number.
    pub id: String,
    /// The merchant's reference, when one was sent.
    pub merchant_refund_code: Option<String>,
    /// The status now.
    pub status: RefundStatus,
    /// The amount as it was sent, or the payment's.
    pub amount: String,
    /// The reason, when one was sent.
    pub description: Option<String>,
    /// When it was requested, in seconds since 1970.
    pub requested: u64,
}

/// A payout. It stays `OP`: the interface knows no states of payouts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PayoutRecord {
    /// The service's id.
    pub uid: String,
    /// The merchant's reference; not unique.
    pub external_reference: String,
    /// The amount as it was sent.
    pub amount: String,
    /// Three-letter currency code.
    pub currency_code: String,
    /// Two-letter country code.
    pub country: String,
    /// Kind of destination.
    pub target: String,
    /// The destination.
    pub target_account: String,
    /// When it was created, in seconds since 1970.
    pub created: u64,
}

/// A registered tracking code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrackingRecord {
    /// The code.
    pub tracking_code: String,
    /// The order.
    pub order_number: String,
    /// The customer's e-mail address.
    pub customer_email: String,
}

/// Why a payment or refund could not be moved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveError {
    /// There is none of that hash, reference or id.
    NotFound,
    /// The states allow no such move; the text names both.
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

/// What of it is kept across restarts.
#[derive(Serialize, Deserialize)]
pub(crate) struct LedgerState {
    rng: Rng,
    payments: Vec<PaymentRecord>,
    payouts: Vec<PayoutRecord>,
    trackings: Vec<TrackingRecord>,
}

/// All of it.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) rng: Rng,
    revision: u64,
    payments: Vec<PaymentRecord>,
    by_hash: HashMap<String, usize>,
    by_code: HashMap<String, usize>,
    payouts: Vec<PayoutRecord>,
    trackings: Vec<TrackingRecord>,
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
        }
    }

    /// Forgets everything; hashes begin again.
    pub(crate) fn reset(&mut self, seed: u64) {
        *self = Self { revision: self.revision + 1, ..Self::new(seed) };
    }

    pub(crate) fn state(&self) -> LedgerState {
        LedgerState {
            rng: self.rng.clone(),
            payments: self.payments.clone(),
            payouts: self.payouts.clone(),
            trackings: self.trackings.clone(),
        }
    }

    /// Takes up what was kept. The addresses that payers are sent to move to
    /// `base_url`.
    pub(crate) fn restore(&mut self, state: LedgerState, base_url: &str) {
        self.rng = state.rng;
        self.payouts = state.payouts;
        self.trackings = state.trackings;
        for mut payment in state.payments {
            if let PaymentMeans::Oxxo { url, .. } | PaymentMeans::Redirect { url } =
                &mut payment.means
            {
                *url = payer::url(base_url, &payment.hash);
            }
            self.add_payment(payment);
        }
    }

    /// A number that every change raises.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn knows_code(&self, merchant_payment_code: &str) -> bool {
        self.by_code.contains_key(merchant_payment_code)
    }

    pub(crate) fn add_payment(&mut self, payment: PaymentRecord) {
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

    pub(crate) fn add_payout(&mut self, payout: PayoutRecord) {
        self.revision += 1;
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

    /// A payment by its hash or reference.
    pub(crate) fn payment(&self, reference: &str) -> Option<&PaymentRecord> {
        self.by_hash(reference).or_else(|| self.by_code(reference))
    }

    /// The same, to change it.
    pub(crate) fn payment_mut(&mut self, reference: &str) -> Option<&mut PaymentRecord> {
        let index = self.by_hash.get(reference).or_else(|| self.by_code.get(reference))?;
        self.revision += 1;
        self.payments.get_mut(*index)
    }

    /// Moves a payment, named by its hash or reference, along the interface's
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
        Ok(payment.clone())
    }

    /// Moves a refund, named by its id.
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
}
