//! The common parts of all typed responses, and members that are more than the
//! value at a place in the body. The description in `spec/operations` names these
//! functions.

// - `generated.rs`: the types

pub(super) mod generated;

use payments_base::debug_shows;

use super::read::{outcome_of_unread, wrong_type};
use super::value_at;
use super::words::{flag_at, state_at, text_at, text_or_number_at};
use super::{
    PaymentResponse, PaymentStatus, PayoutStatus, TrackingMismatch, TrackingResponse,
    TrackingResult,
};
pub use crate::model::amount::{amounts_as_text, names_amount};
use crate::model::error::{Error, Outcome, looks_like_code};
use crate::model::json::{Json, Members};
use crate::model::response::{CallResponse, RawResponse};
use crate::model::rules::{Rules, same_text};

/// A response that can become the [`CallResponse`] of all languages.
#[doc(hidden)]
pub trait TypedResponse {
    fn into_call_response(self) -> CallResponse;

    /// The response as received.
    fn received(&self) -> Option<&RawResponse>;

    /// The payment hash, and the service's id of the payout or of the refund.
    fn identifiers(&self) -> (Option<&str>, Option<&str>) {
        (None, None)
    }

    /// The merchant's reference of a payment, as the service shows it.
    fn shown_reference(&self) -> Option<&str> {
        None
    }

    /// The members of the response about its operation. A response that was
    /// read is a success.
    fn outcome(&self, _rules: &Rules) -> Outcome {
        Outcome::Executed
    }
}

impl TypedResponse for RawResponse {
    fn outcome(&self, rules: &Rules) -> Outcome {
        outcome_of_unread(self.json(), rules)
    }

    fn into_call_response(self) -> CallResponse {
        // Only the sender knows the format of this body.
        CallResponse { raw: self, view: Json::Object(Members::new()) }
    }

    fn received(&self) -> Option<&RawResponse> {
        Some(self)
    }
}

/// The objects in the list at the first of `places` that has one.
fn entries_at<'j>(json: &'j Json, places: &[&str]) -> impl Iterator<Item = &'j Json> {
    let list = places.iter().find_map(|at| json.pointer(at)?.as_array()).unwrap_or_default();
    list.iter().filter(|it| it.as_object().is_some())
}

/// The text or number of a member that the interface does not state.
fn lenient_text_in(object: &Json, name: &str) -> Option<String> {
    object.get(name)?.as_text_or_number().map(str::to_owned)
}

/// The text of a member of the object at `path` of a response.
fn text_in(object: &Json, path: &str, name: &str) -> Result<Option<String>, Error> {
    let Some(members) = object.as_object() else {
        return Err(wrong_type(path, "an object", object));
    };
    match members.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(wrong_type(&format!("{path}.{name}"), "a string", other)),
    }
}

impl PaymentResponse {
    /// The text of a decimal amount inside `payment`, for example `amount_br`
    /// or `amount_ext`. The service may send it as a text or as a number.
    ///
    /// Not stated in the interface.
    pub fn amount(&self, name: &str) -> Option<&str> {
        self.json().get("payment")?.get(name)?.as_text_or_number()
    }
}

/// The status of a cancelled payout.
#[doc(hidden)]
pub const CANCELLED: &str = "CA";

/// The service's code for a payout that it cancelled, or the status if it gives
/// none; `None` for any other payout.
#[doc(hidden)]
pub fn cancelled_with(payout: &Json) -> Option<&str> {
    let status = state_at(payout, &["/payout/status", "/status"]).map(PayoutStatus::from_code)?;
    let code = text_at(payout, &["/payout/code", "/code"]).filter(|code| looks_like_code(code));
    (status == PayoutStatus::Cancelled).then(|| code.unwrap_or(CANCELLED))
}

/// A way to pay that a payer is shown if a response has a value at one of these
/// places.
pub(super) struct PayerAction {
    kind: &'static str,
    value: &'static [&'static str],
    /// Where the reference is that belongs to the value.
    reference: &'static [&'static str],
    is_address: bool,
}

/// The next action to show the payer, so that the payment is made.
///
/// Not stated in the interface, except for `pix`: its members were seen in
/// responses.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NextAction {
    /// `qr_code`, `pay_slip`, `account` or `page`; `none` if there is nothing to
    /// do, and `unknown` if the response does not say.
    pub kind: &'static str,
    /// The code, address, digits or account.
    pub value: Option<String>,
    /// The reference to name with a transfer, or the digits of a pay slip that has
    /// an address.
    pub reference: Option<String>,
    /// The last day on which the payer can pay.
    pub expires: Option<String>,
}

/// Words in the name of a member whose address is not a pay slip.
const NOT_A_PAY_SLIP: [&str; 11] = [
    "notification",
    "callback",
    "webhook",
    "return",
    "success",
    "failure",
    "cancel",
    "logo",
    "image",
    "terms",
    "receipt",
];

impl NextAction {
    /// The first known way to pay in a response to a request with the members
    /// `sent`, or else a pay slip by [the rule of names](slip_by_name).
    pub(super) fn read(json: &Json, sent: &Members, rules: &Rules) -> Self {
        let status = state_at(json, &["/payment/status", "/status"]).map(PaymentStatus::from_code);
        // A card that is authorized waits for the merchant.
        let is_over = status.as_ref().is_some_and(PaymentStatus::is_final)
            || flag_at(json, &["/payment/capture_available"]);
        if is_over {
            return Self::without_value("none");
        }
        let known = generated::PAYMENT_RESPONSE_ACTIONS.iter().find_map(|it| it.found_in(json));
        let by_name = || {
            let is_searched = rules.next_action_rule && status.is_some();
            let value = is_searched.then(|| slip_by_name(json, sent)).flatten()?;
            Some(("pay_slip", value, None))
        };
        let Some((kind, value, reference)) = known.or_else(by_name) else {
            return Self::without_value("unknown");
        };
        let expires = text_at(json, &["/payment/due_date"]);
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Self {
            kind,
            value: Some(value.to_owned()),
            reference: owned(reference),
            expires: owned(expires),
        }
    }

    fn without_value(kind: &'static str) -> Self {
        Self { kind, value: None, reference: None, expires: None }
    }

    pub(super) fn view(&self) -> Json {
        let Self { kind, value, reference, expires } = self;
        let texts = [("value", value), ("reference", reference), ("expires", expires)];
        let texts = texts.map(|(name, text)| (name, Json::from(text.as_deref())));
        Json::Object([("kind", Json::from(*kind))].into_iter().chain(texts).collect())
    }
}

impl PayerAction {
    /// The kind, the value and its reference.
    fn found_in<'j>(&self, json: &'j Json) -> Option<(&'static str, &'j str, Option<&'j str>)> {
        let text_in = |places| text_or_number_at(json, places).filter(|it| !it.is_empty());
        let value = text_in(self.value).filter(|it| !self.is_address || is_web_address(it))?;
        Some((self.kind, value, text_in(self.reference)))
    }
}

/// The address in the first member of an open payment whose name ends in `_url`, unless
/// it is a text of the request, or its name suggests something other than a pay slip.
///
/// Not stated in the interface: methods that this library does not know have such members.
fn slip_by_name<'j>(json: &'j Json, sent: &Members) -> Option<&'j str> {
    let members = json.get("payment")?.as_object()?;
    let mut addresses = members.iter().filter_map(|(name, value)| {
        let name = name.to_ascii_lowercase();
        let is_slip = name.ends_with("_url") && !NOT_A_PAY_SLIP.iter().any(|it| name.contains(it));
        value.as_str().filter(|text| is_slip && is_web_address(text))
    });
    addresses.find(|address| !sent.iter().any(|(_, value)| holds_text(value, address)))
}

/// Whether `text` is somewhere in a value.
fn holds_text(value: &Json, text: &str) -> bool {
    match value {
        Json::String(it) => it == text,
        Json::Array(elements) => elements.iter().any(|it| holds_text(it, text)),
        Json::Object(members) => members.iter().any(|(_, it)| holds_text(it, text)),
        _ => false,
    }
}

/// Whether a browser opens a page there, and runs no script.
fn is_web_address(text: &str) -> bool {
    let rest = text.split_once("://").filter(|(scheme, _)| {
        scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
    });
    rest.is_some_and(|(_, rest)| !rest.is_empty() && !rest.starts_with(['/', '?', '#']))
}

// Hides what only the payer needs.
debug_shows!(NextAction, |it| kind = it.kind);

/// The entries of a tracking response, and how they differ from its request.
#[derive(Clone)]
pub(super) struct TrackingEntries {
    result: Vec<TrackingResult>,
    sent: usize,
    mismatches: Vec<TrackingMismatch>,
}

impl TrackingEntries {
    pub(super) fn read(json: &Json, request: &Members, rules: &Rules) -> Result<Self, Error> {
        let result = match json.get("result") {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::Array(entries)) => {
                let entries = entries.iter().enumerate();
                let read = |(index, it)| TrackingResult::read(it, &format!("result[{index}]"));
                entries.map(read).collect::<Result<_, _>>()?
            }
            Some(other) => return Err(wrong_type("result", "an array", other)),
        };
        let codes = request.get("tracking_code").and_then(Json::as_array).unwrap_or_default();
        let mismatches =
            if rules.check_references { compare(codes, request, &result) } else { Vec::new() };
        Ok(Self { result, sent: codes.len(), mismatches })
    }
}

/// The differences in the entries of the sent codes. A missing member counts as
/// equal.
fn compare(codes: &[Json], request: &Members, result: &[TrackingResult]) -> Vec<TrackingMismatch> {
    let sent = |name| value_at(request, name).and_then(Json::as_str);
    let pairs = codes.iter().zip(result).enumerate();
    let differing = pairs.flat_map(|(index, (code, entry))| {
        // A code is a text, or an object that has it.
        let code = code.get("tracking_code").unwrap_or(code);
        let compared = [
            ("tracking_code", Some(code.as_str().unwrap_or_default()), &entry.tracking_code),
            ("order_number", sent("/order_number"), &entry.order_number),
            ("customer_email", sent("/email"), &entry.customer_email),
        ];
        compared.into_iter().filter_map(move |(member, sent, received)| {
            let (sent, received) = sent.zip(received.as_deref())?;
            (!same_text(sent, received)).then(|| TrackingMismatch {
                index,
                member,
                sent: sent.to_owned(),
                received: received.to_owned(),
            })
        })
    });
    differing.collect()
}

impl TrackingResult {
    /// Whether the code was newly registered.
    pub fn is_created(&self) -> bool {
        self.status.as_deref() == Some("CREATED")
    }
}

pub(super) fn result(response: &TrackingResponse) -> &[TrackingResult] {
    &response.by_hand.result
}

pub(super) fn count_mismatch(response: &TrackingResponse) -> Option<(usize, usize)> {
    let (sent, received) = (response.by_hand.sent, response.by_hand.result.len());
    (sent != received).then_some((sent, received))
}

pub(super) fn mismatches(response: &TrackingResponse) -> &[TrackingMismatch] {
    &response.by_hand.mismatches
}

pub(super) fn all_created(response: &TrackingResponse) -> bool {
    response.status() == Some("SUCCESS")
        && response.count_mismatch().is_none()
        && response.mismatches().is_empty()
        && response.result().iter().all(TrackingResult::is_created)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error::{ErrorCode, ErrorKind, Outcome};
    use crate::model::request::{QueryPayment, Request as _};
    use crate::model::rules::Rules;

    #[test]
    fn a_response_that_is_not_read_in_time_is_a_timeout() {
        let body =
            format!(r#"{{"payment":{{"status":"PE","pad":["{}",1]}}}}"#, "x".repeat(1 << 20));
        let read = |should_continue: bool| {
            let mut response = RawResponse::new(200, Vec::new(), body.clone().into_bytes());
            response.read(&|| should_continue);
            QueryPayment::by_hash("5a").read_response(response, &Rules::default())
        };
        assert!(read(true).is_ok());
        let error = read(false).unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Timeout, Outcome::NotExecuted));
        assert_eq!((error.code(), error.http_status()), (ErrorCode::DEADLINE_PASSED, Some(200)));
    }
}
