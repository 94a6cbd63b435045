//! Calls to the service.

use std::fmt;

use serde_json::{Value, json};

/// A call, and the id that identifies what it executes.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) id: usize,
    pub(super) kind: Kind,
    cancel_ms: Option<u64>,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Payment,
    Payout,
    /// Of the payment with this hash.
    Refund(String),
    /// Of the payment created by the call with this id.
    Query(usize),
}

impl Call {
    pub(super) fn new(id: usize, kind: Kind, cancel_ms: Option<u64>) -> Self {
        Self { id, kind, cancel_ms }
    }

    /// The merchant's reference for what a call creates.
    pub(super) fn reference(id: usize) -> String {
        format!("soak-{id}")
    }

    fn operation(&self) -> &'static str {
        match self.kind {
            Kind::Payment => "create_payment",
            Kind::Payout => "create_payout",
            Kind::Refund(_) => "refund_payment",
            Kind::Query(_) => "query_payment",
        }
    }

    fn request(&self) -> Value {
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
