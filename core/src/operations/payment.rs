//! `create_payment`: `POST /ws/direct`.

use std::fmt;

use super::read::{BodyTypes, hash_of, read_tree, tells_of_the_call};
use super::reference::Asked;
use super::response::{amounts_as_text, response_accessors};
use super::typed::{json_request, request_object};
use super::{Draft, PaymentStatus, Request, Response, text_member};
use crate::amount::Amount;
use crate::config::Rules;
use crate::error::Error;
use crate::json::{Json, Members};
use crate::operation::Operation;

request_object! {
    /// The object `payment` of a payment request.
    ///
    /// Interface, "Payment request".
    ///
    /// ```
    /// use payments_core::{CreatePayment, Payment};
    ///
    /// let payment = Payment {
    ///     name: "José Silva".to_owned(),
    ///     email: "jose@example.com".to_owned(),
    ///     country: "br".to_owned(),
    ///     payment_type_code: "pix".to_owned(),
    ///     merchant_payment_code: "order-7".to_owned(),
    ///     currency_code: "BRL".to_owned(),
    ///     amount_total: "100.10".parse()?,
    ///     document: Some("853.513.468-93".to_owned()),
    ///     ..Payment::default()
    /// };
    /// let request = CreatePayment::new(payment).operation("request");
    /// # Ok::<(), payments_core::amount::AmountError>(())
    /// ```
    pub struct Payment {
        /// Payer name.
        pub name: String,
        /// Payer e-mail.
        pub email: String,
        /// Lower-case two-letter country code, for example `br`.
        pub country: String,
        /// Country-specific method code, for example `pix`, `oxxo` or `pse`.
        /// Any non-blank text; the service knows which codes exist.
        pub payment_type_code: String,
        /// The merchant's own reference for the payment. Use a new one for each
        /// payment: it resolves an unknown outcome.
        pub merchant_payment_code: String,
        /// Three-letter currency code, for example `BRL`.
        pub currency_code: String,
        /// Decimal amount of the payment, in `currency_code`.
        pub amount_total: Amount,
        /// Payer tax id; required when `country` is `br`.
        pub document: Option<String>,
    }
}

/// Hides payer data.
impl fmt::Debug for Payment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payment")
            .field("country", &self.country)
            .field("payment_type_code", &self.payment_type_code)
            .field("currency_code", &self.currency_code)
            .finish_non_exhaustive()
    }
}

/// A request to create a payment.
///
/// Interface, "Endpoints": `POST {base_url}/ws/direct`.
#[derive(Clone)]
pub struct CreatePayment {
    members: Members,
}

impl CreatePayment {
    /// A request with this payment and no other members.
    pub fn new(payment: Payment) -> Self {
        Self { members: Members::from([("payment", payment.into_members())]) }
    }

    /// Sets the top-level member `operation`, which is written before
    /// `payment`. Without this call it is left out.
    ///
    /// Not stated in the interface; public clients send `request`.
    #[must_use]
    pub fn operation(mut self, operation: &str) -> Self {
        match self.members.get_mut("operation") {
            Some(place) => *place = operation.into(),
            None => self.members.insert_first("operation", operation),
        }
        self
    }

    fn reference(&self) -> Option<&str> {
        text_member(self.members.get("payment")?.as_object()?, "merchant_payment_code")
    }
}

json_request!(CreatePayment, &["operation", "payment"]);

impl Request for CreatePayment {
    type Response = PaymentResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        Draft::of_members(Operation::CreatePayment, &self.members, self.reference(), rules)
    }

    fn read_response(&self, response: Response, rules: &Rules) -> Result<PaymentResponse, Error> {
        let asked = Asked::payment(None, self.reference());
        PaymentResponse::read(Operation::CreatePayment, response, rules, &asked)
    }
}

/// The response to `create_payment` and `query_payment`.
///
/// Interface, "Payment request" and "Endpoints". The interface states
/// `pix.qr_code_value`, and that a query returns the status. Not stated in the
/// interface: the rest of the shape. We expect an object `payment` and keep
/// everything.
#[derive(Clone)]
pub struct PaymentResponse {
    raw: Response,
    json: Json,
}

response_accessors!(PaymentResponse, Self::hash, |_| None);

impl PaymentResponse {
    pub(super) fn read(
        operation: Operation,
        mut raw: Response,
        rules: &Rules,
        asked: &Asked<'_>,
    ) -> Result<Self, Error> {
        let shape = BodyTypes {
            objects: &["/payment", "/pix", "/payment/pix"],
            texts: &[
                "/status",
                "/hash",
                "/payment/status",
                "/payment/hash",
                "/payment/merchant_payment_code",
                "/pix/qr_code_value",
                "/payment/pix/qr_code_value",
            ],
            ..BodyTypes::default()
        };
        let json = read_tree(operation, &mut raw, rules, asked, &shape)?;
        Ok(Self { raw, json })
    }

    /// The status of the payment: `payment.status`, or else the top-level
    /// `status` unless that describes the call (`SUCCESS`, `ERROR`).
    pub fn status(&self) -> Option<PaymentStatus> {
        status_of(&self.json)
    }

    /// Whether the payment is confirmed (`CO`). `SUCCESS` alone does not mean
    /// paid.
    pub fn is_paid(&self) -> bool {
        self.status() == Some(PaymentStatus::Confirmed)
    }

    /// The payment hash, used to query and refund the payment.
    pub fn hash(&self) -> Option<&str> {
        hash_of(&self.json)
    }

    /// The merchant's own reference for the payment.
    pub fn merchant_payment_code(&self) -> Option<&str> {
        self.text("/payment/merchant_payment_code")
    }

    /// For a `pix` payment: the code that the payer's bank application reads,
    /// from `pix.qr_code_value` or `payment.pix.qr_code_value`. A `pix` payment
    /// without it was created all the same: query it.
    pub fn qr_code_value(&self) -> Option<&str> {
        self.text("/pix/qr_code_value").or_else(|| self.text("/payment/pix/qr_code_value"))
    }

    /// The text of a decimal amount inside `payment`, for example `amount_br`
    /// or `amount_ext`. The service may send it as a text or as a number.
    ///
    /// Not stated in the interface.
    pub fn amount(&self, name: &str) -> Option<&str> {
        self.json.get("payment")?.get(name)?.as_text_or_number()
    }

    /// The response for other languages: `status`, `is_paid`, `hash`,
    /// `merchant_payment_code`, `qr_code_value`, and the whole body as
    /// `response`, with amounts as text.
    pub fn view(&self) -> Json {
        Json::Object(Members::from([
            ("status", Json::from(self.status().as_ref().map(PaymentStatus::as_str))),
            ("is_paid", Json::from(self.is_paid())),
            ("hash", Json::from(self.hash())),
            ("merchant_payment_code", Json::from(self.merchant_payment_code())),
            ("qr_code_value", Json::from(self.qr_code_value())),
            ("response", amounts_as_text(&self.json)),
        ]))
    }

    fn text(&self, pointer: &str) -> Option<&str> {
        self.json.pointer(pointer).and_then(Json::as_str)
    }
}

/// The payment status in a response body.
pub(super) fn status_of(json: &Json) -> Option<PaymentStatus> {
    let inside = json.pointer("/payment/status").and_then(Json::as_str);
    let outside =
        || json.get("status").and_then(Json::as_str).filter(|text| !tells_of_the_call(text));
    inside.or_else(outside).map(PaymentStatus::from_code)
}

/// Shows the status only.
impl fmt::Debug for PaymentResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PaymentResponse")
            .field("status", &self.status())
            .field("raw", &self.raw)
            .finish_non_exhaustive()
    }
}
