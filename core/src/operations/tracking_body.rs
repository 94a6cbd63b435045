//! The body of `register_tracking`: codes, items and addresses.

use std::fmt;

use super::{push_extra_of, push_given};
use crate::json::{Json, Members};

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
    /// Members that are in no table, written after the others as they are.
    pub extra: Members,
}

impl Tracking {
    pub(super) fn into_members(self) -> Members {
        let mut members = Members::with_capacity(4);
        members.push("order_number", self.order_number);
        members.push("email", self.email);
        let codes: Vec<_> = self.tracking_code.into_iter().map(Json::from).collect();
        members.push("tracking_code", codes);
        push_given(&mut members, "payment_hash", self.payment_hash);
        push_extra_of(&mut members, self.extra);
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
#[expect(clippy::large_enum_variant, reason = "a request holds few, and they are moved once")]
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
    /// Members that are in no table, written after the others as they are.
    pub extra: Members,
}

impl TrackingDetails {
    fn into_members(self) -> Members {
        let mut members = Members::with_capacity(3);
        members.push("tracking_code", self.tracking_code);
        if !self.items.is_empty() {
            let items = self.items.into_iter().map(|item| Json::Object(item.into_members()));
            members.push("items", items.collect::<Vec<_>>());
        }
        push_given(&mut members, "address", self.address.map(Address::into_members));
        push_extra_of(&mut members, self.extra);
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
    /// Members that are in no table, written after the others as they are.
    pub extra: Members,
}

impl Item {
    fn into_members(self) -> Members {
        let mut members = Members::with_capacity(6);
        push_given(&mut members, "sku", self.sku);
        push_given(&mut members, "name", self.name);
        push_given(&mut members, "description", self.description);
        push_given(&mut members, "unit_price", self.unit_price);
        push_given(&mut members, "quantity", self.quantity);
        push_given(&mut members, "type", self.r#type);
        push_extra_of(&mut members, self.extra);
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
    /// Members that are in no table, written after the others as they are.
    pub extra: Members,
}

impl Address {
    fn into_members(self) -> Members {
        let mut members = Members::with_capacity(7);
        push_given(&mut members, "zipcode", self.zipcode);
        push_given(&mut members, "address", self.address);
        push_given(&mut members, "street_number", self.street_number);
        push_given(&mut members, "street_complement", self.street_complement);
        push_given(&mut members, "city", self.city);
        push_given(&mut members, "state", self.state);
        push_given(&mut members, "country", self.country);
        push_extra_of(&mut members, self.extra);
        members
    }
}

/// Shows the country.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("country", &self.country).finish_non_exhaustive()
    }
}
