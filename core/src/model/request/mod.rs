//! Requests and responses. Pure: no I/O and no clock.
//!
//! A request becomes a [`Draft`]: method, path, query and body, before
//! credentials are added. A [`RawResponse`] is the response as received; each
//! operation reads it into its own response type.

// - `check.rs`, `unknown.rs`: the rules for members, and those that are unknown
// - `typed.rs`, `typed/`, `by_name.rs`, `send.rs`, `refund.rs`: requests as types, by name,
//   of any path, and the one that is irregular
// - `addressed.rs`: the operation that a `send` executes
// - `response.rs`, `response/`, `read.rs`: typed responses, and their common parts
// - `refusal.rs`, `refusal/`, `words.rs`: why the service refused, and its words about it

mod addressed;
pub(crate) mod by_name;
mod check;
mod read;
mod refund;
mod refusal;
mod response;
mod send;
pub(crate) mod typed;
mod unknown;
mod words;

use std::fmt;

use payments_base::debug_shows;
use zeroize::Zeroizing;

pub use all::*;
pub(crate) use read::{is_not_found, not_found, refusal_shows_success};
pub(crate) use refusal::{check_address, doubt_of_codes, refused_with};
pub(crate) use response::generated::ACCESS_TOKEN_MAY_LACK;
pub use response::{CANCELLED, TypedResponse, amounts_as_text, cancelled_with, names_amount};
pub(crate) use words::{ServiceWords, json_of_refusal, words_of};

use crate::model::amount::{ambiguity, exceeded_places};
use crate::model::card_guard;
use crate::model::error::{Error, ErrorCode, Reason};
use crate::model::json::path::Path;
use crate::model::json::{Json, Members};
use crate::model::operation::{EXTRA, INTEGRATION_KEY, Operation, Recorded};
use crate::model::response::CallResponse;
use crate::model::rules::Rules;

/// The requests and responses, which are re-exported at the root of the crate.
pub(crate) mod all {
    pub use super::response::NextAction;
    pub use super::response::generated::*;
    pub use super::send::*;
    pub use super::typed::generated::*;
    pub use crate::model::operation::status::*;
    pub use crate::model::response::RawResponse;
}

/// A request of one operation. Sealed: only the request types of this crate
/// implement it.
pub trait Request: sealed::Sealed {
    /// The result of a successful call.
    type Response: TypedResponse;

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
    fn read_response(&self, response: RawResponse, rules: &Rules) -> Result<Self::Response, Error>;
}

/// A request whose type was erased.
trait ErasedRequest {
    fn draft(&self, rules: &Rules) -> Result<Draft, Error>;
    fn read_response(&self, response: RawResponse, rules: &Rules) -> Result<CallResponse, Error>;
}

impl<R: Request> ErasedRequest for R {
    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        Request::draft(self, rules)
    }

    fn read_response(&self, response: RawResponse, rules: &Rules) -> Result<CallResponse, Error> {
        Request::read_response(self, response, rules).map(TypedResponse::into_call_response)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// The member of a request with the hash of a payment.
const HASH: &str = "hash";

/// A checked request before credentials are added.
#[doc(hidden)]
pub struct Draft {
    pub operation: Operation,
    /// The operation that the service executes. For a `send` with the method
    /// and path of an operation that moves money, that operation: the journal
    /// does not distinguish the two.
    pub(crate) executes: Operation,
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

impl Draft {
    /// Makes the draft of a JSON request. Checks the members against the tables
    /// of the operation and, unless turned off, searches them for card numbers.
    fn of_members(operation: Operation, members: &Members, rules: &Rules) -> Result<Self, Error> {
        let text = |pointer: &&str| value_at(members, pointer).and_then(Json::as_str);
        let reference = operation.definition().reference.iter().find_map(text);
        Self::checked(operation, members, reference, rules)
            .map_err(|error| error.with_operation(operation, reference))
    }

    fn checked(
        operation: Operation,
        members: &Members,
        reference: Option<&str>,
        rules: &Rules,
    ) -> Result<Self, Error> {
        // Runs first: otherwise another error could advise moving the card
        // number to another member.
        if rules.card_guard {
            card_guard::refuse_card_numbers(members)?;
        }
        let mut checked = check::checked_request(operation, members);
        if rules.check_amount_digits {
            checked = checked.map_err(|error| with_whole_number(operation, members, error));
        }
        let checked = checked?;
        // A query asks for what exists, which others may have made.
        let named = if operation.is_read_only() { &[] } else { operation.definition().reference };
        for pointer in named {
            let reference = value_at(&checked, pointer).and_then(Json::as_str).unwrap_or_default();
            check::check_reference(reference, &path_of(pointer))?;
        }
        let (mut query, mut body) = (Vec::new(), DraftBody::Empty);
        let method = rules.method_of(operation);
        match method {
            "GET" => query = checked.into_iter().map(query_parameter).collect::<Result<_, _>>()?,
            _ => body = DraftBody::Members(checked),
        }
        let draft = Self {
            operation,
            executes: operation,
            method: method.to_owned(),
            path: operation.path().to_owned(),
            query,
            body,
            reference: reference.map(str::to_owned),
        };
        if rules.check_amount_digits {
            draft.check_amount_digits(members)?;
        }
        Ok(draft)
    }

    /// Refuses an amount with digits that its currency does not have, and a text
    /// in `given` whose point may separate thousands. Not stated in the
    /// interface. A refund names no currency.
    fn check_amount_digits(&self, given: &Members) -> Result<(), Error> {
        let Recorded { amount: Some(pointer), currency, .. } = self.operation.definition().recorded
        else {
            return Ok(());
        };
        let currency = self.recorded(currency);
        let path = || path_of(pointer);
        let text = value_at(given, pointer).and_then(Json::as_str);
        if let Some(ambiguous) = text.and_then(|text| ambiguity(text, currency)) {
            let code = ErrorCode::AMOUNT_AMBIGUOUS;
            let error = Error::validation(path(), code, ambiguous.to_string());
            return Err(error.because(Reason::DecimalMark));
        }
        let values = self.recorded(Some(pointer)).zip(currency);
        let Some(places) = values.and_then(|(amount, of)| exceeded_places(amount, of)) else {
            return Ok(());
        };
        let message = format!(
            "has more decimal places than its currency, which has {places}; round it, or turn \
             check_amount_digits off if the service takes it"
        );
        Err(Error::validation(path(), ErrorCode::AMOUNT_DIGITS, message))
    }

    /// Whether it cancels an earlier request instead of moving money.
    pub fn is_cancellation(&self) -> bool {
        self.cancellation().is_some()
    }

    /// The operation of the request in a journal, if it cancels an earlier one.
    pub(crate) fn cancellation(&self) -> Option<Operation> {
        let cancellation = self.executes.definition().cancellation?;
        let members = self.members()?;
        cancellation.condition.is_met_by(&members).then_some(cancellation.operation)
    }

    /// The hash of the payment that the request names.
    pub(crate) fn payment_hash(&self) -> Option<&str> {
        match &self.body {
            DraftBody::Members(members) => members.get(HASH)?.as_str(),
            DraftBody::Empty | DraftBody::Bytes { .. } => {
                self.query.iter().find(|(name, _)| name == HASH).map(|(_, value)| value.as_str())
            }
        }
    }

    /// The text or number in the body at one of the places that the journal
    /// records.
    pub(crate) fn recorded(&self, pointer: Option<&str>) -> Option<&str> {
        match &self.body {
            DraftBody::Members(members) => value_at(members, pointer?)?.as_text_or_number(),
            DraftBody::Empty | DraftBody::Bytes { .. } => None,
        }
    }

    /// The part of `path` that events show; `path` is that of this request,
    /// without secrets. For `send` it is cut after the second segment: the rest
    /// may name a payer or an account.
    pub(crate) fn shown_part<'p>(&self, path: &'p str) -> &'p str {
        let cut = path.match_indices('/').nth(2).map(|(at, _)| at);
        match (self.operation, cut) {
            (Operation::Send, Some(at)) => &path[..at],
            _ => path,
        }
    }

    /// The path of an integration key in the request itself. It collides with a
    /// configured one.
    pub fn given_integration_key(&self) -> Option<String> {
        let key = INTEGRATION_KEY.name;
        if self.query.iter().any(|(name, _)| name == key) {
            return Some(key.to_owned());
        }
        let DraftBody::Members(members) = &self.body else { return None };
        if members.contains(key) {
            return Some(key.to_owned());
        }
        let holder = self.inner_key_holder()?;
        members.get(holder)?.get(key).map(|_| format!("{holder}.{key}"))
    }

    /// The member of the request that may hold an integration key too.
    pub(crate) fn inner_key_holder(&self) -> Option<&'static str> {
        self.operation.request()?.inner_key_holder()
    }
}

/// A decimal comma in a currency that lacks the decimals: the amount with a point would be refused too.
fn with_whole_number(operation: Operation, members: &Members, error: Error) -> Error {
    let text = |pointer: &str| value_at(members, pointer).and_then(Json::as_str);
    let Recorded { amount, currency, .. } = operation.definition().recorded;
    let amount = amount.and_then(text).filter(|_| error.reason() == Some(Reason::DecimalMark));
    let places = amount
        .zip(currency.and_then(text))
        .and_then(|(amount, currency)| exceeded_places(&amount.replace(',', "."), currency));
    match places {
        Some(0) => error.with_message(
            "the amount has a decimal comma, and its currency has no decimals; write a whole number",
        ),
        _ => error,
    }
}

// Hides values, since query and body contain payer data.
debug_shows!(Draft, |it| operation = it.operation, method = it.method, body = it.body);

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
    /// Whether the request is sent without a body.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Members(_) => false,
            Self::Bytes { bytes, .. } => bytes.is_empty(),
        }
    }

    /// The most bytes that the written body can take.
    pub(crate) fn longest_written(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Members(members) => members.longest_written(),
            Self::Bytes { bytes, .. } => bytes.len(),
        }
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

/// A JSON Pointer of the tables as errors show it.
fn path_of(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

/// The value at a JSON Pointer of the tables, whose names need no escapes.
pub(crate) fn value_at<'m>(members: &'m Members, pointer: &str) -> Option<&'m Json> {
    let mut names = pointer.split('/').skip(1);
    let first = members.get(names.next()?)?;
    names.try_fold(first, Json::get)
}

fn query_parameter((name, value): (String, Json)) -> Result<(String, String), Error> {
    match value {
        Json::String(text) | Json::Number(text) => Ok((name, text)),
        Json::Bool(value) => Ok((name, value.to_string())),
        // All known members are texts, so this one comes from `extra`.
        other => Err(Error::validation(
            Path::Root.member(EXTRA).member(&name).to_string(),
            ErrorCode::WRONG_TYPE,
            format!(
                "a query parameter must be a string, a number or a boolean, not {}",
                other.kind_name()
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A buffer that grows leaves a copy of its contents.
    #[test]
    fn the_room_for_a_body_is_estimated_from_above() {
        let members = Members::from([("hash", "5a"), ("amount", "10.00")]);
        let length = members.to_bytes().len();
        assert!(DraftBody::Members(members).longest_written() >= length);
        let bytes = Zeroizing::new(b"{\"id\": 1}".to_vec());
        assert_eq!(DraftBody::Bytes { bytes, content_type: None }.longest_written(), 9);
        assert_eq!(DraftBody::Empty.longest_written(), 0);
    }
}
