//! The body of `register_tracking`: codes, items and addresses.

use std::fmt;

use super::typed::{IntoMember, request_object};
use crate::model::json::Json;

request_object! {
    /// The body of a tracking request.
    ///
    /// Interface, "Tracking request".
    pub struct Tracking {
        /// The merchant's order reference.
        pub order_number: String,
        /// Customer e-mail.
        pub email: String,
        /// At least one tracking code. The order is kept.
        pub tracking_code: Vec<CodeOrDetails>,
        /// Hash of the related payment.
        pub payment_hash: Option<String>,
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

/// An element of `tracking_code`: a code alone, or one with details. A request may
/// mix both.
///
/// Interface, "Tracking request".
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "a request holds few, and they are moved once")]
pub enum CodeOrDetails {
    /// Only the code, written as a text.
    Code(String),
    /// The code with items and address, written as an object.
    Details(TrackingDetails),
}

impl From<&str> for CodeOrDetails {
    fn from(code: &str) -> Self {
        Self::Code(code.to_owned())
    }
}

impl From<String> for CodeOrDetails {
    fn from(code: String) -> Self {
        Self::Code(code)
    }
}

impl From<TrackingDetails> for CodeOrDetails {
    fn from(details: TrackingDetails) -> Self {
        Self::Details(details)
    }
}

impl IntoMember for Vec<CodeOrDetails> {
    fn into_member(self) -> Option<Json> {
        Some(self.into_iter().map(Json::from).collect::<Vec<_>>().into())
    }
}

/// An empty list is not written.
impl IntoMember for Vec<Item> {
    fn into_member(self) -> Option<Json> {
        let items: Vec<_> = self.into_iter().filter_map(Item::into_member).collect();
        (!items.is_empty()).then(|| items.into())
    }
}

impl From<CodeOrDetails> for Json {
    fn from(code: CodeOrDetails) -> Self {
        match code {
            CodeOrDetails::Code(code) => Self::String(code),
            CodeOrDetails::Details(details) => Self::Object(details.into_members()),
        }
    }
}

/// Shows which form it is.
impl fmt::Debug for CodeOrDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(_) => f.write_str("Code"),
            Self::Details(details) => details.fmt(f),
        }
    }
}

request_object! {
    /// A tracking code with the parcel's items and address.
    ///
    /// Interface, "Tracking-code object".
    pub struct TrackingDetails {
        /// The code.
        pub tracking_code: String,
        /// The items in the parcel. An empty list is not written.
        pub items: Vec<Item>,
        /// The address the parcel was sent to.
        pub address: Option<Address>,
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

request_object! {
    /// An item in a parcel.
    ///
    /// Interface, "Item". Not stated in the interface: which members are
    /// required. We require none.
    pub struct Item {
        /// Stock keeping unit.
        pub sku: Option<String>,
        /// Name of the item.
        pub name: Option<String>,
        /// Description of the item.
        pub description: Option<String>,
        /// Price per item. Not stated in the interface: the unit.
        pub unit_price: Option<i64>,
        /// Number of items.
        pub quantity: Option<i64>,
        /// Category of item.
        pub r#type: Option<String>,
    }
}

/// Shows the quantity only.
impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Item").field("quantity", &self.quantity).finish_non_exhaustive()
    }
}

request_object! {
    /// The address a parcel was sent to.
    ///
    /// Interface, "Address". Not stated in the interface: which members are
    /// required. We require none.
    pub struct Address {
        /// Postal code.
        pub zipcode: Option<String>,
        /// Street.
        pub address: Option<String>,
        /// House number.
        pub street_number: Option<String>,
        /// Floor, apartment and the like.
        pub street_complement: Option<String>,
        /// City.
        pub city: Option<String>,
        /// State.
        pub state: Option<String>,
        /// Upper-case two-letter country code, for example `BR`.
        pub country: Option<String>,
    }
}

/// Shows the country only.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("country", &self.country).finish_non_exhaustive()
    }
}
