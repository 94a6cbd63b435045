// Generated from spec/operations by generate/templates/requests.rs.jinja; do not edit. To update: cargo xtask generate

//! The typed requests.

use std::borrow::Cow;
use std::fmt;

use payments_base::debug_shows;

use super::{parse_members, push_extra};
use crate::model::amount::Amount;
use crate::model::error::Error;
use crate::model::json::{Json, Members};
use crate::model::operation::{EXTRA, Operation};
use crate::model::request::all::*;
use crate::model::request::{Draft, ErasedRequest, Request, refund, sealed};
use crate::model::rules::Rules;

/// A request for a payment.
///
/// Interface, "Endpoints": `POST {base_url}/ws/direct`.
#[derive(Clone)]
pub struct CreatePayment {
    members: Members,
}

impl CreatePayment {
    /// A request with `payment` only: the payment.
    pub fn new(payment: Payment) -> Self {
        Self { members: Members::from([("payment", payment.into_members())]) }
    }

    /// Sets `operation`: kind of request, known to be `request`.
    #[must_use]
    pub fn operation(mut self, operation: &str) -> Self {
        self.members.remove("operation");
        self.members.insert_first("operation", operation);
        self
    }

    /// A request from JSON text. Members keep their order and are checked when
    /// the request is sent, as in typed requests.
    ///
    /// # Errors
    /// `validation` if the text is not a JSON object.
    pub fn from_json(text: &[u8]) -> Result<Self, Error> {
        parse_members(Operation::CreatePayment, text).map(|members| Self { members })
    }

    /// Adds a member that is in no table, under `extra`. A duplicate makes the
    /// request invalid.
    #[must_use]
    pub fn extra(mut self, name: &str, value: impl Into<Json>) -> Self {
        push_extra(&mut self.members, name, value);
        self
    }
}

/// Shows the number of members only.
impl fmt::Debug for CreatePayment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CreatePayment").field(&self.members).finish()
    }
}

impl sealed::Sealed for CreatePayment {}

impl Request for CreatePayment {
    type Response = PaymentResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        Draft::of_members(Operation::CreatePayment, &self.members, rules)
    }

    fn read_response(&self, response: RawResponse, rules: &Rules) -> Result<Self::Response, Error> {
        PaymentResponse::read(Operation::CreatePayment, &self.members, response, rules)
    }
}

/// A payment to make: the object `payment` of a request.
///
/// Interface, "Payment request".
///
/// Members that only some methods have go beside these: for a card,
/// `creditcard` with its `token`, as public clients send it. A card number is
/// refused.
///
#[doc = include_str!("Payment.md")]
#[derive(Clone, Default)]
pub struct Payment {
    /// Payer name.
    pub name: String,
    /// Payer e-mail.
    pub email: String,
    /// Lower-case two-letter country code.
    pub country: String,
    /// Country-specific method code, for example `pix`. The service knows which
    /// codes exist.
    pub payment_type_code: String,
    /// Merchant's own reference for the payment. Use a new one for each
    /// payment: it resolves an unknown outcome.
    pub merchant_payment_code: String,
    /// Three-letter currency code.
    pub currency_code: String,
    /// Amount of the payment in `currency_code`, a decimal above zero: 10.50,
    /// not 1050 cents.
    pub amount_total: Amount,
    /// Payer tax id. Required if `country` is `br`.
    pub document: Option<String>,
    /// Members that are in no table, written unchanged after the others.
    pub extra: Members,
}

impl Payment {
    pub(in crate::model::request) fn into_members(self) -> Members {
        let mut members = Members::new();
        members.push("name", self.name);
        members.push("email", self.email);
        members.push("country", self.country);
        members.push("payment_type_code", self.payment_type_code);
        members.push("merchant_payment_code", self.merchant_payment_code);
        members.push("currency_code", self.currency_code);
        members.push("amount_total", self.amount_total.into_text());
        if let Some(value) = self.document {
            members.push("document", value);
        }
        if !self.extra.is_empty() {
            members.push(EXTRA, self.extra);
        }
        members
    }
}

// Hides the rest: it is data of a person, or secret.
debug_shows!(
    Payment,
    |it| country = it.country,
    payment_type_code = it.payment_type_code,
    currency_code = it.currency_code
);

/// The payment to query: exactly one of `hash` and `merchant_payment_code`.
///
/// Interface, "Endpoints": `GET {base_url}/ws/query`.
///
/// It moves no money, so it is safe to retry: use it to resolve an unknown
/// outcome. The members of `extra` are sent too: texts, numbers or booleans,
/// unless `query_method` is `post`.
///
#[doc = include_str!("QueryPayment.md")]
#[derive(Clone)]
pub struct QueryPayment {
    members: Members,
}

impl QueryPayment {
    /// A request with `hash` only: the payment hash.
    pub fn by_hash(hash: &str) -> Self {
        Self { members: Members::from([("hash", hash)]) }
    }
    /// A request with `merchant_payment_code` only: merchant's own reference
    /// for the payment.
    pub fn by_merchant_payment_code(merchant_payment_code: &str) -> Self {
        Self { members: Members::from([("merchant_payment_code", merchant_payment_code)]) }
    }

    /// A request from JSON text. Members keep their order and are checked when
    /// the request is sent, as in typed requests.
    ///
    /// # Errors
    /// `validation` if the text is not a JSON object.
    pub fn from_json(text: &[u8]) -> Result<Self, Error> {
        parse_members(Operation::QueryPayment, text).map(|members| Self { members })
    }

    /// Adds a member that is in no table, under `extra`. A duplicate makes the
    /// request invalid.
    #[must_use]
    pub fn extra(mut self, name: &str, value: impl Into<Json>) -> Self {
        push_extra(&mut self.members, name, value);
        self
    }
}

/// Shows the number of members only.
impl fmt::Debug for QueryPayment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("QueryPayment").field(&self.members).finish()
    }
}

impl sealed::Sealed for QueryPayment {}

impl Request for QueryPayment {
    type Response = PaymentResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        Draft::of_members(Operation::QueryPayment, &self.members, rules)
    }

    fn read_response(&self, response: RawResponse, rules: &Rules) -> Result<Self::Response, Error> {
        PaymentResponse::read(Operation::QueryPayment, &self.members, response, rules)
    }
}

/// The payment to refund, and the amount.
///
/// Interface, "Endpoints": `POST {base_url}/ws/refund`.
///
/// The hash is written first, under the name that the configuration gives it.
///
#[doc = include_str!("RefundPayment.md")]
#[derive(Clone)]
pub struct RefundPayment {
    members: Members,
}

impl RefundPayment {
    /// A request with `hash` only: the payment hash of the payment to refund.
    pub fn by_hash(hash: &str) -> Self {
        Self { members: Members::from([("hash", hash)]) }
    }
    /// A request with `merchant_payment_code` only: merchant's own reference
    /// for the payment to refund, without a journal.
    pub fn by_merchant_payment_code(merchant_payment_code: &str) -> Self {
        Self { members: Members::from([("merchant_payment_code", merchant_payment_code)]) }
    }

    /// Sets `operation`: kind of request, known to be `request`, or `cancel` to
    /// cancel an earlier refund.
    #[must_use]
    pub fn operation(mut self, operation: &str) -> Self {
        self.members.set("operation", operation);
        self
    }

    /// Sets `amount`: amount to refund, a decimal above zero: 10.50, not 1050
    /// cents; everything if left out.
    #[must_use]
    pub fn amount(mut self, amount: Amount) -> Self {
        self.members.set("amount", amount.into_text());
        self
    }

    /// Sets `description`: reason for the refund.
    #[must_use]
    pub fn description(mut self, description: &str) -> Self {
        self.members.set("description", description);
        self
    }

    /// Sets `merchant_refund_code`: merchant's own reference for the refund.
    #[must_use]
    pub fn merchant_refund_code(mut self, merchant_refund_code: &str) -> Self {
        self.members.set("merchant_refund_code", merchant_refund_code);
        self
    }

    /// Sets `refund_id`: the service's id of the refund to cancel.
    #[must_use]
    pub fn refund_id(mut self, refund_id: &str) -> Self {
        self.members.set("refund_id", refund_id);
        self
    }

    /// A request from JSON text. Members keep their order and are checked when
    /// the request is sent, as in typed requests.
    ///
    /// # Errors
    /// `validation` if the text is not a JSON object.
    pub fn from_json(text: &[u8]) -> Result<Self, Error> {
        parse_members(Operation::RefundPayment, text).map(|members| Self { members })
    }

    /// Adds a member that is in no table, under `extra`. A duplicate makes the
    /// request invalid.
    #[must_use]
    pub fn extra(mut self, name: &str, value: impl Into<Json>) -> Self {
        push_extra(&mut self.members, name, value);
        self
    }
}

/// Shows the number of members only.
impl fmt::Debug for RefundPayment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RefundPayment").field(&self.members).finish()
    }
}

impl sealed::Sealed for RefundPayment {}

impl Request for RefundPayment {
    type Response = RefundResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        refund::draft(&self.members, rules)
    }

    fn read_response(&self, response: RawResponse, rules: &Rules) -> Result<Self::Response, Error> {
        let members = refund::as_described(&self.members, rules)?;
        RefundResponse::read(Operation::RefundPayment, &members, response, rules)
    }
}

/// A request for a payout.
///
/// Interface, "Payout request": `POST {base_url}/ws/payout/create`.
#[derive(Clone)]
pub struct CreatePayout {
    members: Members,
}

impl CreatePayout {
    /// A request with these members.
    pub fn new(payout: Payout) -> Self {
        Self { members: payout.into_members() }
    }

    /// A request from JSON text. Members keep their order and are checked when
    /// the request is sent, as in typed requests.
    ///
    /// # Errors
    /// `validation` if the text is not a JSON object.
    pub fn from_json(text: &[u8]) -> Result<Self, Error> {
        parse_members(Operation::CreatePayout, text).map(|members| Self { members })
    }

    /// Adds a member that is in no table, under `extra`. A duplicate makes the
    /// request invalid.
    #[must_use]
    pub fn extra(mut self, name: &str, value: impl Into<Json>) -> Self {
        push_extra(&mut self.members, name, value);
        self
    }
}

/// Shows the number of members only.
impl fmt::Debug for CreatePayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CreatePayout").field(&self.members).finish()
    }
}

impl sealed::Sealed for CreatePayout {}

impl Request for CreatePayout {
    type Response = PayoutResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        Draft::of_members(Operation::CreatePayout, &self.members, rules)
    }

    fn read_response(&self, response: RawResponse, rules: &Rules) -> Result<Self::Response, Error> {
        PayoutResponse::read(Operation::CreatePayout, &self.members, response, rules)
    }
}

/// The members of [`CreatePayout`].
///
/// Interface, "Payout request".
#[derive(Clone, Default)]
pub struct Payout {
    /// Merchant's reference for the payout. Do not rely on the service to
    /// refuse a second payout with the same reference.
    pub external_reference: String,
    /// Lower-case two-letter country code.
    pub country: String,
    /// Amount to send in `currency_code`, a decimal above zero: 10.50, not 1050
    /// cents.
    pub amount: Amount,
    /// Three-letter currency code.
    pub currency_code: String,
    /// Kind of destination, for example `pix_key`.
    pub target: Option<String>,
    /// Destination, for `pix_key` the key itself. Required if `target` is
    /// `pix_key`.
    pub target_account: Option<String>,
    /// Recipient of the money.
    pub payee: Option<Payee>,
    /// The service's id of a registered recipient.
    pub payee_uuid: Option<String>,
    /// Kind of transaction, for example `B2C`.
    pub transaction_type: Option<String>,
    /// Members that are in no table, written unchanged after the others.
    pub extra: Members,
}

impl Payout {
    pub(in crate::model::request) fn into_members(self) -> Members {
        let mut members = Members::new();
        members.push("external_reference", self.external_reference);
        members.push("country", self.country);
        members.push("amount", self.amount.into_text());
        members.push("currency_code", self.currency_code);
        if let Some(value) = self.target {
            members.push("target", value);
        }
        if let Some(value) = self.target_account {
            members.push("target_account", value);
        }
        if let Some(value) = self.payee {
            members.push("payee", value.into_members());
        }
        if let Some(value) = self.payee_uuid {
            members.push("payee_uuid", value);
        }
        if let Some(value) = self.transaction_type {
            members.push("transaction_type", value);
        }
        if !self.extra.is_empty() {
            members.push(EXTRA, self.extra);
        }
        members
    }
}

// Hides the rest: it is data of a person, or secret.
debug_shows!(
    Payout,
    |it| country = it.country,
    currency_code = it.currency_code,
    target = it.target,
    transaction_type = it.transaction_type
);

/// The recipient of a payout.
///
/// Interface, "Payee object".
///
/// Only the name or the document is required here; the service may need more.
#[derive(Clone, Default)]
pub struct Payee {
    /// Payee name.
    pub name: Option<String>,
    /// Payee e-mail.
    pub email: Option<String>,
    /// Payee tax id.
    pub document: Option<String>,
    /// Kind of the tax id, for example `CPF`.
    pub document_type: Option<String>,
    /// Payee phone.
    pub phone: Option<String>,
    /// Payee date of birth.
    pub birthdate: Option<String>,
    /// Date of issue of the document.
    pub payee_document_date_issue: Option<String>,
    /// Bank account of the payee: its members depend on the country.
    pub bank_info: Option<Members>,
    /// Members that are in no table, written unchanged after the others.
    pub extra: Members,
}

impl Payee {
    pub(in crate::model::request) fn into_members(self) -> Members {
        let mut members = Members::new();
        if let Some(value) = self.name {
            members.push("name", value);
        }
        if let Some(value) = self.email {
            members.push("email", value);
        }
        if let Some(value) = self.document {
            members.push("document", value);
        }
        if let Some(value) = self.document_type {
            members.push("document_type", value);
        }
        if let Some(value) = self.phone {
            members.push("phone", value);
        }
        if let Some(value) = self.birthdate {
            members.push("birthdate", value);
        }
        if let Some(value) = self.payee_document_date_issue {
            members.push("payee_document_date_issue", value);
        }
        if let Some(value) = self.bank_info {
            members.push("bank_info", value);
        }
        if !self.extra.is_empty() {
            members.push(EXTRA, self.extra);
        }
        members
    }
}

// Hides the rest: it is data of a person, or secret.
debug_shows!(Payee, |it| document_type = it.document_type);

/// The payout to query: exactly one of `uid` and `external_reference`.
///
/// Not stated in the interface: `POST {base_url}/ws/payout/retrieve`.
///
/// It moves no money, so it is safe to retry: use it to resolve an unknown
/// outcome.
///
#[doc = include_str!("QueryPayout.md")]
#[derive(Clone)]
pub struct QueryPayout {
    members: Members,
}

impl QueryPayout {
    /// A request with `uid` only: the service's id of the payout.
    pub fn by_uid(uid: &str) -> Self {
        Self { members: Members::from([("uid", uid)]) }
    }
    /// A request with `external_reference` only: merchant's reference for the
    /// payout.
    pub fn by_external_reference(external_reference: &str) -> Self {
        Self { members: Members::from([("external_reference", external_reference)]) }
    }

    /// A request from JSON text. Members keep their order and are checked when
    /// the request is sent, as in typed requests.
    ///
    /// # Errors
    /// `validation` if the text is not a JSON object.
    pub fn from_json(text: &[u8]) -> Result<Self, Error> {
        parse_members(Operation::QueryPayout, text).map(|members| Self { members })
    }

    /// Adds a member that is in no table, under `extra`. A duplicate makes the
    /// request invalid.
    #[must_use]
    pub fn extra(mut self, name: &str, value: impl Into<Json>) -> Self {
        push_extra(&mut self.members, name, value);
        self
    }
}

/// Shows the number of members only.
impl fmt::Debug for QueryPayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("QueryPayout").field(&self.members).finish()
    }
}

impl sealed::Sealed for QueryPayout {}

impl Request for QueryPayout {
    type Response = PayoutResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        Draft::of_members(Operation::QueryPayout, &self.members, rules)
    }

    fn read_response(&self, response: RawResponse, rules: &Rules) -> Result<Self::Response, Error> {
        PayoutResponse::read(Operation::QueryPayout, &self.members, response, rules)
    }
}

/// The tracking codes of an order: plain, with details, or mixed.
///
/// Interface, "Tracking request": `POST {base_url}/ws/tracking`.
#[derive(Clone)]
pub struct RegisterTracking {
    members: Members,
}

impl RegisterTracking {
    /// A request with these members.
    pub fn new(tracking: Tracking) -> Self {
        Self { members: tracking.into_members() }
    }

    /// A request from JSON text. Members keep their order and are checked when
    /// the request is sent, as in typed requests.
    ///
    /// # Errors
    /// `validation` if the text is not a JSON object.
    pub fn from_json(text: &[u8]) -> Result<Self, Error> {
        parse_members(Operation::RegisterTracking, text).map(|members| Self { members })
    }

    /// Adds a member that is in no table, under `extra`. A duplicate makes the
    /// request invalid.
    #[must_use]
    pub fn extra(mut self, name: &str, value: impl Into<Json>) -> Self {
        push_extra(&mut self.members, name, value);
        self
    }
}

/// Shows the number of members only.
impl fmt::Debug for RegisterTracking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RegisterTracking").field(&self.members).finish()
    }
}

impl sealed::Sealed for RegisterTracking {}

impl Request for RegisterTracking {
    type Response = TrackingResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        Draft::of_members(Operation::RegisterTracking, &self.members, rules)
    }

    fn read_response(&self, response: RawResponse, rules: &Rules) -> Result<Self::Response, Error> {
        TrackingResponse::read(Operation::RegisterTracking, &self.members, response, rules)
    }
}

/// The members of [`RegisterTracking`].
///
/// Interface, "Tracking request".
#[derive(Clone, Default)]
pub struct Tracking {
    /// Merchant's order reference.
    pub order_number: String,
    /// Customer e-mail.
    pub email: String,
    /// One or more tracking codes, plain or with items and address. The order
    /// is kept.
    pub tracking_code: Vec<CodeOrDetails>,
    /// Hash of the related payment.
    pub payment_hash: Option<String>,
    /// Members that are in no table, written unchanged after the others.
    pub extra: Members,
}

impl Tracking {
    pub(in crate::model::request) fn into_members(self) -> Members {
        let mut members = Members::new();
        members.push("order_number", self.order_number);
        members.push("email", self.email);
        members.push(
            "tracking_code",
            self.tracking_code.into_iter().map(Json::from).collect::<Vec<_>>(),
        );
        if let Some(value) = self.payment_hash {
            members.push("payment_hash", value);
        }
        if !self.extra.is_empty() {
            members.push(EXTRA, self.extra);
        }
        members
    }
}

// Hides the rest: it is data of a person, or secret.
debug_shows!(Tracking, |it| tracking_code = it.tracking_code);

/// A tracking code with the items and the address of its parcel.
///
/// Interface, "Tracking-code object".
#[derive(Clone, Default)]
pub struct TrackingDetails {
    /// The code.
    pub tracking_code: String,
    /// Items in the parcel. An empty list is not written.
    pub items: Vec<Item>,
    /// Address the parcel was sent to.
    pub address: Option<Address>,
    /// Hash of the payment of the parcel.
    pub payment_hash: Option<String>,
    /// Members that are in no table, written unchanged after the others.
    pub extra: Members,
}

impl TrackingDetails {
    pub(in crate::model::request) fn into_members(self) -> Members {
        let mut members = Members::new();
        members.push("tracking_code", self.tracking_code);
        if !self.items.is_empty() {
            members.push(
                "items",
                self.items.into_iter().map(|it| it.into_members().into()).collect::<Vec<Json>>(),
            );
        }
        if let Some(value) = self.address {
            members.push("address", value.into_members());
        }
        if let Some(value) = self.payment_hash {
            members.push("payment_hash", value);
        }
        if !self.extra.is_empty() {
            members.push(EXTRA, self.extra);
        }
        members
    }
}

// Hides the rest: it is data of a person, or secret.
debug_shows!(TrackingDetails, |it| items = it.items, address = it.address);

/// An element of `tracking_code`: a code alone, or one with details. A request
/// may mix both.
///
/// Interface, "Tracking request".
#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "a request holds few, and they are moved once")]
pub enum CodeOrDetails {
    /// Written as a text.
    Code(String),
    /// Written as an object.
    Details(TrackingDetails),
}

impl From<&str> for CodeOrDetails {
    fn from(text: &str) -> Self {
        Self::Code(text.to_owned())
    }
}

impl From<String> for CodeOrDetails {
    fn from(text: String) -> Self {
        Self::Code(text)
    }
}

impl From<TrackingDetails> for CodeOrDetails {
    fn from(object: TrackingDetails) -> Self {
        Self::Details(object)
    }
}

impl From<CodeOrDetails> for Json {
    fn from(either: CodeOrDetails) -> Self {
        match either {
            CodeOrDetails::Code(text) => Self::String(text),
            CodeOrDetails::Details(object) => Self::Object(object.into_members()),
        }
    }
}

/// Shows which form it is.
impl fmt::Debug for CodeOrDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(_) => f.write_str("Code"),
            Self::Details(object) => object.fmt(f),
        }
    }
}

/// An item of a parcel.
///
/// Interface, "Item".
///
/// None of its members is required here; the service may need some.
#[derive(Clone, Default)]
pub struct Item {
    /// Stock keeping unit.
    pub sku: Option<String>,
    /// Name of the item.
    pub name: Option<String>,
    /// Description of the item.
    pub description: Option<String>,
    /// Price per item, sent as given: ask the provider for its unit.
    pub unit_price: Option<i64>,
    /// Number of items.
    pub quantity: Option<i64>,
    /// Category of item.
    pub r#type: Option<String>,
    /// Members that are in no table, written unchanged after the others.
    pub extra: Members,
}

impl Item {
    pub(in crate::model::request) fn into_members(self) -> Members {
        let mut members = Members::new();
        if let Some(value) = self.sku {
            members.push("sku", value);
        }
        if let Some(value) = self.name {
            members.push("name", value);
        }
        if let Some(value) = self.description {
            members.push("description", value);
        }
        if let Some(value) = self.unit_price {
            members.push("unit_price", value);
        }
        if let Some(value) = self.quantity {
            members.push("quantity", value);
        }
        if let Some(value) = self.r#type {
            members.push("type", value);
        }
        if !self.extra.is_empty() {
            members.push(EXTRA, self.extra);
        }
        members
    }
}

// Hides the rest: it is data of a person, or secret.
debug_shows!(Item, |it| quantity = it.quantity);

/// The address of a parcel.
///
/// Interface, "Address".
///
/// None of its members is required here; the service may need some.
#[derive(Clone, Default)]
pub struct Address {
    /// Postal code.
    pub zipcode: Option<String>,
    /// Street name.
    pub address: Option<String>,
    /// Street number.
    pub street_number: Option<String>,
    /// Floor, apartment and similar.
    pub street_complement: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State.
    pub state: Option<String>,
    /// Upper-case two-letter country code.
    pub country: Option<String>,
    /// Members that are in no table, written unchanged after the others.
    pub extra: Members,
}

impl Address {
    pub(in crate::model::request) fn into_members(self) -> Members {
        let mut members = Members::new();
        if let Some(value) = self.zipcode {
            members.push("zipcode", value);
        }
        if let Some(value) = self.address {
            members.push("address", value);
        }
        if let Some(value) = self.street_number {
            members.push("street_number", value);
        }
        if let Some(value) = self.street_complement {
            members.push("street_complement", value);
        }
        if let Some(value) = self.city {
            members.push("city", value);
        }
        if let Some(value) = self.state {
            members.push("state", value);
        }
        if let Some(value) = self.country {
            members.push("country", value);
        }
        if !self.extra.is_empty() {
            members.push(EXTRA, self.extra);
        }
        members
    }
}

// Hides the rest: it is data of a person, or secret.
debug_shows!(Address, |it| country = it.country);

/// The request of an operation, from its JSON text.
pub(in crate::model::request) fn from_json(
    operation: Operation,
    text: &[u8],
) -> Result<Option<Box<dyn ErasedRequest>>, Error> {
    Ok(Some(match operation {
        Operation::CreatePayment => Box::new(CreatePayment::from_json(text)?),
        Operation::QueryPayment => Box::new(QueryPayment::from_json(text)?),
        Operation::RefundPayment => Box::new(RefundPayment::from_json(text)?),
        Operation::CreatePayout => Box::new(CreatePayout::from_json(text)?),
        Operation::QueryPayout => Box::new(QueryPayout::from_json(text)?),
        Operation::RegisterTracking => Box::new(RegisterTracking::from_json(text)?),
        _ => return Ok(None),
    }))
}

/// The members of an operation's request as the tables describe them: in some, the
/// configuration names a member.
///
/// # Errors
/// `validation`.
pub(in crate::model::request) fn as_described<'m>(
    operation: Operation,
    members: &'m Members,
    rules: &Rules,
) -> Result<Cow<'m, Members>, Error> {
    match operation {
        Operation::RefundPayment => refund::as_described(members, rules),
        _ => Ok(Cow::Borrowed(members)),
    }
}
