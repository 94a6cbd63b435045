// Generated from spec/operations by generate/templates/methods.rs.jinja; do not edit. To update: cargo xtask generate

//! A method for each operation with a typed response.

use super::Client;
use crate::model::error::Error;
use crate::model::request::all::*;

impl Client {
    /// Creates a payment in one of a country's methods.
    ///
    /// # Errors
    /// Every kind. With
    /// [`Outcome::Unknown`](crate::model::error::Outcome::Unknown), the payment
    /// may exist. Do not send it again; query it by its `merchant_payment_code`
    /// until it is found.
    pub fn create_payment(&self, request: &CreatePayment) -> Result<PaymentResponse, Error> {
        self.execute(request, &self.context())
    }

    /// Queries a payment, by its hash or by your own reference. Try the query
    /// by reference with your service before you depend on it. A query moves no
    /// money, and is sent again a few times when the connection or the service
    /// fails.
    ///
    /// # Errors
    /// Every kind. Nothing was moved: call it again.
    pub fn query_payment(&self, request: &QueryPayment) -> Result<PaymentResponse, Error> {
        self.execute(request, &self.context())
    }

    /// Refunds a payment, in whole or in part. Check the refunded amount in the
    /// response of your first partial refund: a service that ignores `amount`
    /// refunds the whole payment.
    ///
    /// # Errors
    /// Every kind. With
    /// [`Outcome::Unknown`](crate::model::error::Outcome::Unknown), the refund
    /// may exist. Do not send it again; query the payment by its `hash` until
    /// its response lists the refund.
    pub fn refund_payment(&self, request: &RefundPayment) -> Result<RefundResponse, Error> {
        self.execute(request, &self.context())
    }

    /// Sends money to a payee.
    ///
    /// # Errors
    /// Every kind. With
    /// [`Outcome::Unknown`](crate::model::error::Outcome::Unknown), the payout
    /// may exist. Do not send it again; query it by its `external_reference` if
    /// `payout_query` is on, or look for it on the provider's platform.
    pub fn create_payout(&self, request: &CreatePayout) -> Result<PayoutResponse, Error> {
        self.execute(request, &self.context())
    }

    /// Queries a payout, by its uid or by your own reference. It is off until
    /// `payout_query` is on: the interface does not state it, so ask your
    /// provider whether the service has it. A query moves no money, and is sent
    /// again a few times when the connection or the service fails.
    ///
    /// # Errors
    /// Every kind. Nothing was moved: call it again.
    pub fn query_payout(&self, request: &QueryPayout) -> Result<PayoutResponse, Error> {
        self.execute(request, &self.context())
    }

    /// Registers the tracking codes of an order.
    ///
    /// # Errors
    /// Every kind. With
    /// [`Outcome::Unknown`](crate::model::error::Outcome::Unknown), the codes
    /// may be registered, and the interface has no query for them. Registering
    /// them moves no money.
    pub fn register_tracking(&self, request: &RegisterTracking) -> Result<TrackingResponse, Error> {
        self.execute(request, &self.context())
    }
}
