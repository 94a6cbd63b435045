//! `register_tracking`: `POST /ws/tracking`.

use std::fmt;

use super::answer::{amounts_as_text, answer_accessors};
use super::read::{complete, read_tree, wrong_type};
use super::{Answer, Draft, Request, parse_members, push_given, sealed, text_member};
use crate::config::Rules;
use crate::error::Error;
use crate::json::{Json, Members};
use crate::operation::Operation;

/// The body of a tracking request.
///
/// Interface, "Tracking request".
#[derive(Clone, Default)]
pub struct Tracking {
    /// The merchant's order reference.
    pub order_number: String,
    /// Customer e-mail.
    pub email: String,
    /// At least one tracking code; their order is kept.
    pub tracking_code: Vec<TrackingCode>,
    /// Hash of the related payment.
    pub payment_hash: Option<String>,
    /// Further members, written after the others as they are.
    pub extra: Members,
}

impl Tracking {
    fn into_members(self) -> Members {
        let mut members = Members::with_capacity(4 + self.extra.len());
        members.push("order_number", self.order_number);
        members.push("email", self.email);
        let codes: Vec<_> = self.tracking_code.into_iter().map(Json::from).collect();
        members.push("tracking_code", codes);
        push_given(&mut members, "payment_hash", self.payment_hash);
        members.append(self.extra);
        members
    }
}

/// Hides the customer.
impl fmt::Debug for Tracking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tracking")
            .field("tracking_codes", &self.tracking_code.len())
            .finish_non_exhaustive()
    }
}

/// One tracking code. Both forms may be mixed in one request.
///
/// Interface, "Tracking request".
#[derive(Clone)]
pub enum TrackingCode {
    /// The code alone, written as a text.
    Plain(String),
    /// The code with items and address, written as an object.
    Detailed(TrackingDetails),
}

impl From<&str> for TrackingCode {
    fn from(code: &str) -> Self {
        Self::Plain(code.to_owned())
    }
}

impl From<String> for TrackingCode {
    fn from(code: String) -> Self {
        Self::Plain(code)
    }
}

impl From<TrackingDetails> for TrackingCode {
    fn from(details: TrackingDetails) -> Self {
        Self::Detailed(details)
    }
}

impl From<TrackingCode> for Json {
    fn from(code: TrackingCode) -> Self {
        match code {
            TrackingCode::Plain(code) => Self::String(code),
            TrackingCode::Detailed(details) => Self::Object(details.into_members()),
        }
    }
}

/// Shows which form it has.
impl fmt::Debug for TrackingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(_) => f.write_str("Plain"),
            Self::Detailed(details) => details.fmt(f),
        }
    }
}

/// A tracking code with what was sent, and where.
///
/// Interface, "Tracking-code object".
#[derive(Clone, Default)]
pub struct TrackingDetails {
    /// The code.
    pub tracking_code: String,
    /// What was sent; not written when there are none.
    pub items: Vec<Item>,
    /// Where it was sent.
    pub address: Option<Address>,
    /// Further members, written after the others as they are.
    pub extra: Members,
}

impl TrackingDetails {
    fn into_members(self) -> Members {
        let mut members = Members::with_capacity(3 + self.extra.len());
        members.push("tracking_code", self.tracking_code);
        if !self.items.is_empty() {
            let items = self.items.into_iter().map(|item| Json::Object(item.into_members()));
            members.push("items", items.collect::<Vec<_>>());
        }
        push_given(&mut members, "address", self.address.map(Address::into_members));
        members.append(self.extra);
        members
    }
}

/// Hides code, items and address.
impl fmt::Debug for TrackingDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrackingDetails")
            .field("items", &self.items.len())
            .field("address", &self.address.is_some())
            .finish_non_exhaustive()
    }
}

/// An item that was sent.
///
/// Interface, "Item". Which members are required is not stated in the
/// interface; we require none.
#[derive(Clone, Default)]
pub struct Item {
    /// Stock keeping unit.
    pub sku: Option<String>,
    /// Name of the item.
    pub name: Option<String>,
    /// Description of the item.
    pub description: Option<String>,
    /// Price of one. The unit is not stated in the interface.
    pub unit_price: Option<i64>,
    /// How many.
    pub quantity: Option<i64>,
    /// Category of item.
    pub r#type: Option<String>,
    /// Further members, written after the others as they are.
    pub extra: Members,
}

impl Item {
    fn into_members(self) -> Members {
        let mut members = Members::with_capacity(6 + self.extra.len());
        push_given(&mut members, "sku", self.sku);
        push_given(&mut members, "name", self.name);
        push_given(&mut members, "description", self.description);
        push_given(&mut members, "unit_price", self.unit_price);
        push_given(&mut members, "quantity", self.quantity);
        push_given(&mut members, "type", self.r#type);
        members.append(self.extra);
        members
    }
}

/// Shows how many.
impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Item").field("quantity", &self.quantity).finish_non_exhaustive()
    }
}

/// Where something was sent.
///
/// Interface, "Address". Which members are required is not stated in the
/// interface; we require none.
#[derive(Clone, Default)]
pub struct Address {
    /// Postal code.
    pub zipcode: Option<String>,
    /// Street.
    pub address: Option<String>,
    /// Number in the street.
    pub street_number: Option<String>,
    /// Floor, flat and the like.
    pub street_complement: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State.
    pub state: Option<String>,
    /// Upper-case two-letter country code, for example `BR`.
    pub country: Option<String>,
    /// Further members, written after the others as they are.
    pub extra: Members,
}

impl Address {
    fn into_members(self) -> Members {
        let mut members = Members::with_capacity(7 + self.extra.len());
        push_given(&mut members, "zipcode", self.zipcode);
        push_given(&mut members, "address", self.address);
        push_given(&mut members, "street_number", self.street_number);
        push_given(&mut members, "street_complement", self.street_complement);
        push_given(&mut members, "city", self.city);
        push_given(&mut members, "state", self.state);
        push_given(&mut members, "country", self.country);
        members.append(self.extra);
        members
    }
}

/// Shows the country.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("country", &self.country).finish_non_exhaustive()
    }
}

/// A request to register tracking codes for an order.
///
/// Interface, "Endpoints": `POST {base_url}/ws/tracking`.
#[derive(Clone)]
pub struct RegisterTracking {
    members: Members,
}

impl RegisterTracking {
    /// A request for these tracking codes.
    pub fn new(tracking: Tracking) -> Self {
        Self { members: tracking.into_members() }
    }

    /// A request given as the JSON text of its body; the order of its members
    /// and of the tracking codes is kept.
    ///
    /// # Errors
    /// `validation` if the text is not a JSON object.
    pub fn from_json(text: &[u8]) -> Result<Self, Error> {
        parse_members(Operation::RegisterTracking, text).map(|members| Self { members })
    }

    /// Adds a member. One that is there already makes the request invalid.
    #[must_use]
    pub fn extra(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.members.push(name, value);
        self
    }
}

/// Shows how many members there are.
impl fmt::Debug for RegisterTracking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RegisterTracking").field(&self.members).finish()
    }
}

impl sealed::Sealed for RegisterTracking {}

impl Request for RegisterTracking {
    type Answer = TrackingAnswer;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        let reference = text_member(&self.members, "order_number");
        Draft::of_members(Operation::RegisterTracking, &self.members, reference, rules)
    }

    fn read_answer(&self, answer: Answer, rules: &Rules) -> Result<TrackingAnswer, Error> {
        let codes = self.members.get("tracking_code").and_then(Json::as_array);
        TrackingAnswer::read(answer, codes.map_or(0, <[Json]>::len), rules)
    }
}

/// The answer to `register_tracking`.
///
/// Interface, "Tracking response".
#[derive(Clone)]
pub struct TrackingAnswer {
    raw: Answer,
    json: Json,
    result: Vec<TrackingResult>,
    sent: usize,
}

answer_accessors!(TrackingAnswer);

/// What became of one tracking code.
///
/// Interface, "Tracking response". A member that did not come is `None`.
#[derive(Clone, PartialEq, Eq)]
pub struct TrackingResult {
    /// Customer e-mail.
    pub customer_email: Option<String>,
    /// The code.
    pub tracking_code: Option<String>,
    /// The merchant's order reference.
    pub order_number: Option<String>,
    /// `CREATED` for a newly registered code; other texts survive.
    pub status: Option<String>,
}

impl TrackingResult {
    /// Whether the code was newly registered.
    pub fn is_created(&self) -> bool {
        self.status.as_deref() == Some("CREATED")
    }

    fn read(entry: &Json, index: usize) -> Result<Self, Error> {
        let Some(members) = entry.as_object() else {
            return Err(wrong_type(&format!("result[{index}]"), "an object", entry));
        };
        let text = |name: &str| match members.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(wrong_type(&format!("result[{index}].{name}"), "a text", other)),
        };
        Ok(Self {
            customer_email: text("customer_email")?,
            tracking_code: text("tracking_code")?,
            order_number: text("order_number")?,
            status: text("status")?,
        })
    }

    fn view(&self) -> Json {
        Json::Object(Members::from([
            ("customer_email", self.customer_email.as_deref()),
            ("tracking_code", self.tracking_code.as_deref()),
            ("order_number", self.order_number.as_deref()),
            ("status", self.status.as_deref()),
        ]))
    }
}

/// Shows the status only.
impl fmt::Debug for TrackingResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrackingResult").field("status", &self.status).finish_non_exhaustive()
    }
}

impl TrackingAnswer {
    fn read(raw: Answer, sent: usize, rules: &Rules) -> Result<Self, Error> {
        let operation = Operation::RegisterTracking;
        let json = read_tree(operation, &raw, rules, &[], &["/status"])?;
        let result = match json.get("result") {
            None | Some(Json::Null) => Ok(Vec::new()),
            Some(Json::Array(entries)) => {
                let entries = entries.iter().enumerate();
                entries.map(|(index, entry)| TrackingResult::read(entry, index)).collect()
            }
            Some(other) => Err(wrong_type("result", "an array", other)),
        };
        let result = result.map_err(|error| complete(operation, &raw, error))?;
        Ok(Self { raw, json, result, sent })
    }

    /// The overall result: `SUCCESS` on success.
    pub fn status(&self) -> Option<&str> {
        self.json.get("status").and_then(Json::as_str)
    }

    /// One entry per submitted code, in the order in which they came.
    pub fn result(&self) -> &[TrackingResult] {
        &self.result
    }

    /// How many codes were sent and how many entries came back, if these
    /// differ. Which entry belongs to which code is then told by its
    /// `tracking_code` only.
    pub fn count_mismatch(&self) -> Option<(usize, usize)> {
        let received = self.result.len();
        (self.sent != received).then_some((self.sent, received))
    }

    /// The answer for a host language: `status`, `result`, `count_mismatch`
    /// (`null`, or an object with `sent` and `received`), and the whole tree
    /// as `answer`, with every amount as text.
    pub fn view(&self) -> Json {
        let result: Vec<_> = self.result.iter().map(TrackingResult::view).collect();
        let mismatch = self
            .count_mismatch()
            .map(|(sent, received)| Members::from([("sent", sent), ("received", received)]));
        Json::Object(Members::from([
            ("status", Json::from(self.status())),
            ("result", Json::Array(result)),
            ("count_mismatch", Json::from(mismatch)),
            ("answer", amounts_as_text(&self.json)),
        ]))
    }
}

/// Shows the status and the counts.
impl fmt::Debug for TrackingAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrackingAnswer")
            .field("status", &self.status())
            .field("sent", &self.sent)
            .field("received", &self.result.len())
            .field("raw", &self.raw)
            .finish_non_exhaustive()
    }
}
