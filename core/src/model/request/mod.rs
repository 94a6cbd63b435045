//! Requests and responses. Pure: no I/O and no clock.
//!
//! A request becomes a [`Draft`]: method, path, query and body, before
//! credentials are added. A [`Response`] is the response as received; each
//! operation reads it into a response type of its own.

mod by_name;
mod check;
mod evidence;
mod payment;
mod payout;
mod query;
mod read;
mod reference;
mod refund;
mod response;
mod send;
mod tracking;
mod tracking_body;
mod typed;
mod unknown;

use std::fmt;

use zeroize::Zeroizing;

pub use all::*;
pub use by_name::AnyRequest;
pub(crate) use evidence::refusal_shows_success;
pub use read::{ServiceWords, service_words};
pub(crate) use read::{
    duplicate_reference, is_not_found, outcome_of_unread, payment_not_found, words_of_json,
};
pub use response::{Viewed, amounts_as_text, names_amount};

use crate::model::card_guard;
use crate::model::currency::exceeded_places;
use crate::model::error::{Error, ErrorKind, Outcome};
use crate::model::json::{Json, Members};
use crate::model::operation::{EXTRA, Operation, Presence};
use crate::model::rules::Rules;

/// The requests and responses, which are re-exported at the root of the crate.
pub(crate) mod all {
    pub use super::payment::*;
    pub use super::payout::*;
    pub use super::query::*;
    pub use super::refund::*;
    pub use super::response::Response;
    pub use super::send::*;
    pub use super::tracking::*;
    pub use super::tracking_body::*;
    pub use crate::model::operation::{PaymentStatus, RefundStatus};
}

/// A request of one operation. Sealed: only the request types of this crate
/// implement it.
pub trait Request: sealed::Sealed {
    /// The result of a successful call.
    type Response: Viewed;

    /// Checks the request and makes its draft.
    ///
    /// # Errors
    /// `validation` with the operation and the path of the member at fault.
    #[doc(hidden)]
    fn draft(&self, rules: &Rules) -> Result<Draft, Error>;

    /// Reads a 2xx response to this request.
    ///
    /// # Errors
    /// `decode` or `rejected`, with outcome, operation, status and the bytes of
    /// the response. The caller adds the bytes of the request.
    #[doc(hidden)]
    fn read_response(&self, response: Response, rules: &Rules) -> Result<Self::Response, Error>;
}

mod sealed {
    pub trait Sealed {}
}

/// A checked request before credentials are added.
#[doc(hidden)]
pub struct Draft {
    pub operation: Operation,
    /// Upper case.
    pub method: String,
    /// Begins with `/`; has no query.
    pub path: String,
    /// Names and values, not encoded yet.
    pub query: Vec<(String, String)>,
    pub body: DraftBody,
    /// The merchant's own reference, for errors.
    pub reference: Option<String>,
}

/// The amount and the currency in the members of a request.
fn money_of(operation: Operation, members: &Members) -> (Option<&str>, Option<&str>) {
    let (members, amount) = match operation {
        Operation::CreatePayment => {
            (members.get("payment").and_then(Json::as_object), "amount_total")
        }
        _ => (Some(members), "amount"),
    };
    let text = |name| members.and_then(|it| it.get(name)?.as_text_or_number());
    (text(amount), text("currency_code"))
}

/// Refuses an amount with digits that its currency does not have. Not stated in
/// the interface. A refund names no currency.
fn check_amount_digits(operation: Operation, members: &Members) -> Result<(), Error> {
    let (Some(amount), Some(currency)) = money_of(operation, members) else { return Ok(()) };
    let Some(places) = exceeded_places(amount, currency) else { return Ok(()) };
    let path = match operation {
        Operation::CreatePayment => "payment.amount_total",
        _ => "amount",
    };
    let message = format!(
        "has more decimal places than its currency, which has {places}; round it, or turn \
         check_amount_digits off if the service takes it"
    );
    Err(Error::validation(path, "amount_digits", message))
}

impl Draft {
    /// Makes the draft of a JSON request. Checks the members against the tables
    /// of the operation and, unless turned off, searches them for card numbers.
    fn of_members(
        operation: Operation,
        members: &Members,
        reference: Option<&str>,
        rules: &Rules,
    ) -> Result<Self, Error> {
        let completed = |error: Error| error.with_operation(operation, reference);
        // Runs first: otherwise another error could advise moving the card
        // number to another member.
        if rules.card_guard {
            card_guard::refuse_card_numbers(members).map_err(completed)?;
        }
        let mut checked = check::checked_request(operation, members).map_err(completed)?;
        if rules.check_amount_digits {
            check_amount_digits(operation, &checked).map_err(completed)?;
        }
        if operation == Operation::RefundPayment {
            place_hash(&mut checked, &rules.refund_hash_member).map_err(completed)?;
        }
        Ok(Self {
            operation,
            method: operation.method().to_owned(),
            path: operation.path().to_owned(),
            query: Vec::new(),
            body: DraftBody::Members(checked),
            reference: reference.map(str::to_owned),
        })
    }

    /// The amount of what it moves and its currency, as far as the request says.
    pub(crate) fn money(&self) -> (Option<&str>, Option<&str>) {
        match &self.body {
            DraftBody::Members(members) => money_of(self.operation, members),
            DraftBody::Empty | DraftBody::Bytes { .. } => (None, None),
        }
    }

    /// The path that events show. For `send` it is cut after the second
    /// segment: the rest may name a payer or an account.
    pub fn shown_path(&self) -> &str {
        let cut = self.path.match_indices('/').nth(2).map(|(at, _)| at);
        match (self.operation, cut) {
            (Operation::Send, Some(at)) => &self.path[..at],
            _ => &self.path,
        }
    }

    /// The path of an integration key in the request itself. It collides with a
    /// configured one.
    pub fn given_integration_key(&self) -> Option<&'static str> {
        if self.query.iter().any(|(name, _)| name == "integration_key") {
            return Some("integration_key");
        }
        self.body.given_integration_key()
    }
}

/// Hides values, since query and body contain payer data.
impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draft")
            .field("operation", &self.operation)
            .field("method", &self.method)
            .field("body", &self.body)
            .finish_non_exhaustive()
    }
}

#[doc(hidden)]
pub enum DraftBody {
    /// No body.
    Empty,
    /// A JSON object, which may receive the integration key.
    Members(Members),
    /// The caller's own bytes, and the content type to send.
    Bytes { bytes: Zeroizing<Vec<u8>>, content_type: Option<String> },
}

impl DraftBody {
    /// The most bytes that the written body can take.
    pub(crate) fn longest_written(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Members(members) => members.longest_written(),
            Self::Bytes { bytes, .. } => bytes.len(),
        }
    }

    /// As [`Draft::given_integration_key`], for the body only.
    pub fn given_integration_key(&self) -> Option<&'static str> {
        let Self::Members(members) = self else {
            return None;
        };
        if members.contains("integration_key") {
            return Some("integration_key");
        }
        let payment = members.get("payment").and_then(Json::as_object)?;
        payment.contains("integration_key").then_some("payment.integration_key")
    }
}

impl fmt::Debug for DraftBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("Empty"),
            Self::Members(members) => members.fmt(f),
            Self::Bytes { bytes, .. } => write!(f, "Bytes({})", bytes.len()),
        }
    }
}

/// Parses the members of a request given as JSON text.
fn parse_members(operation: Operation, text: &[u8]) -> Result<Members, Error> {
    let wrong = match Json::parse(text) {
        Ok(Json::Object(members)) => return Ok(members),
        Ok(other) => ("wrong_type", format!("must be an object, not {}", other.kind_name())),
        Err(error) if !error.path().is_empty() => {
            return Err(Error::from(error).with_operation(operation, None));
        }
        Err(error) => (error.code(), error.to_string()),
    };
    let (code, mut message) = (wrong.0, format!("the request {}", wrong.1));
    // Text that does not look like JSON was probably meant as the value of the
    // main member.
    let is_value = !text.trim_ascii_start().starts_with(b"{");
    let mut fields = operation.fields().iter();
    let member = fields.find(|it| matches!(it.presence, Presence::Required | Presence::OneOf));
    if let Some(field) = member.filter(|_| is_value) {
        message.push_str(&format!("; pass {{\"{}\": …}}", field.name));
    }
    let error = Error::new(ErrorKind::Validation, Outcome::NotExecuted, code, message);
    Err(error.with_operation(operation, None))
}

/// The text of a member, used as the draft's reference.
fn text_member<'m>(members: &'m Members, name: &str) -> Option<&'m str> {
    members.get(name).and_then(Json::as_str)
}

/// Adds a member to the request's `extra` object.
fn push_extra(members: &mut Members, name: &str, value: impl Into<Json>) {
    match members.get_mut(EXTRA).and_then(Json::as_object_mut) {
        Some(extra) => extra.push(name, value),
        None => members.push(EXTRA, Members::from_iter([(name, value)])),
    }
}
