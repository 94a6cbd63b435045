//! Calls to the service.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use payments_sandbox::{PaymentStatus, Sandbox};
use serde_json::{Value, json};

/// Ids are unique across rounds.
static NEXT: AtomicUsize = AtomicUsize::new(1);

pub(crate) fn next_id() -> usize {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A refund of the payment of the call `payment`, which is confirmed first if
/// needed.
pub(crate) fn refund(sandbox: &Sandbox, payment: usize) -> Option<Kind> {
    let reference = Call::reference(payment);
    let record = sandbox.payment(&reference)?;
    if record.status != PaymentStatus::Confirmed {
        sandbox.confirm_payment(&reference).ok()?;
    }
    Some(Kind::Refund(record.hash))
}

/// A call, and the id that identifies what it executes.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) id: usize,
    pub(crate) kind: Kind,
    cancel_ms: Option<u64>,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Payment,
    Payout,
    /// Of the payment with this hash.
    Refund(String),
    /// Of the payment created by the call with this id.
    Query(usize),
}

impl Call {
    pub(crate) fn new(id: usize, kind: Kind, cancel_ms: Option<u64>) -> Self {
        Self { id, kind, cancel_ms }
    }

    /// The merchant's reference of the object that a call creates.
    pub(crate) fn reference(id: usize) -> String {
        format!("call-{id}")
    }

    pub(crate) fn operation(&self) -> &'static str {
        match self.kind {
            Kind::Payment => "create_payment",
            Kind::Payout => "create_payout",
            Kind::Refund(_) => "refund_payment",
            Kind::Query(_) => "query_payment",
        }
    }

    pub(crate) fn request(&self) -> Value {
        let reference = Self::reference(self.id);
        match &self.kind {
            Kind::Payment => json!({"payment": {
                "name": "Ana Pérez", "email": "ana@example.com", "country": "mx",
                "payment_type_code": "oxxo", "merchant_payment_code": reference,
                "currency_code": "MXN", "amount_total": "150.00",
            }}),
            Kind::Payout => json!({
                "external_reference": reference, "country": "br", "amount": "10.00",
                "currency_code": "BRL", "target": "pix_key", "target_account": "joao@example.com",
                "payee": {
                    "name": "João Souza", "email": "joao@example.com",
                    "document": "853.513.468-93", "document_type": "CPF",
                },
            }),
            Kind::Refund(hash) => {
                json!({"hash": hash, "amount": "1.00", "merchant_refund_code": reference})
            }
            Kind::Query(payment) => json!({"merchant_payment_code": Self::reference(*payment)}),
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cancel = self.cancel_ms.map_or("null".to_owned(), |after| after.to_string());
        let (id, operation, request) = (self.id, self.operation(), self.request());
        write!(
            f,
            r#"{{"id":{id},"cancel_ms":{cancel},"operation":"{operation}","request":{request}}}"#
        )
    }
}
