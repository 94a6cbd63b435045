//! `register_tracking`: `POST /ws/tracking`.

use std::fmt;

use super::read::{BodyTypes, complete, read_tree, wrong_type};
use super::reference::Asked;
use super::response::{amounts_as_text, response_accessors};
use super::typed::json_request;
use super::{Draft, Request, Response, Tracking, text_member};
use crate::config::{Rules, same_text};
use crate::error::Error;
use crate::json::{Json, Members};
use crate::operation::Operation;

/// A request to register tracking codes for an order.
///
/// Interface, "Endpoints": `POST {base_url}/ws/tracking`.
#[derive(Clone)]
pub struct RegisterTracking {
    members: Members,
}

impl RegisterTracking {
    /// A request to register these tracking codes.
    pub fn new(tracking: Tracking) -> Self {
        Self { members: tracking.into_members() }
    }
}

json_request!(RegisterTracking, Tracking::MEMBERS);

impl Request for RegisterTracking {
    type Response = TrackingResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        let reference = text_member(&self.members, "order_number");
        Draft::of_members(Operation::RegisterTracking, &self.members, reference, rules)
    }

    fn read_response(&self, response: Response, rules: &Rules) -> Result<TrackingResponse, Error> {
        let codes = self.members.get("tracking_code").and_then(Json::as_array);
        let sent = codes.unwrap_or_default().iter().map(code_of).collect();
        TrackingResponse::read(response, sent, rules)
    }
}

/// The response to `register_tracking`.
///
/// Interface, "Tracking response".
#[derive(Clone)]
pub struct TrackingResponse {
    raw: Response,
    json: Json,
    result: Vec<TrackingResult>,
    sent: usize,
    code_mismatch: Vec<CodeMismatch>,
}

response_accessors!(TrackingResponse);

/// The result for one tracking code. Members that were not sent are `None`.
///
/// Interface, "Tracking response".
#[derive(Clone, PartialEq, Eq)]
pub struct TrackingResult {
    /// Customer e-mail.
    pub customer_email: Option<String>,
    /// The code.
    pub tracking_code: Option<String>,
    /// The merchant's order reference.
    pub order_number: Option<String>,
    /// `CREATED` for a newly registered code; other texts are kept.
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
            Some(other) => Err(wrong_type(&format!("result[{index}].{name}"), "a string", other)),
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

/// A response entry whose code differs from the code sent at that position.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CodeMismatch {
    /// The index of the entry in [`result`](TrackingResponse::result), from zero.
    pub index: usize,
    /// The code sent at this position.
    pub sent: String,
    /// The code received at this position.
    pub received: String,
}

impl CodeMismatch {
    fn view(&self) -> Json {
        Json::Object(Members::from([
            ("index", Json::from(self.index)),
            ("sent", Json::from(self.sent.as_str())),
            ("received", Json::from(self.received.as_str())),
        ]))
    }
}

/// Shows the index only.
impl fmt::Debug for CodeMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodeMismatch").field("index", &self.index).finish_non_exhaustive()
    }
}

/// The code of a request element, which is a text or an object.
fn code_of(element: &Json) -> &str {
    let code = element.get("tracking_code").unwrap_or(element);
    code.as_str().unwrap_or_default()
}

/// Entries whose code differs. An entry without a code counts as equal.
fn compare_codes(sent: &[&str], result: &[TrackingResult]) -> Vec<CodeMismatch> {
    let pairs = sent.iter().zip(result).enumerate();
    let differing = pairs.filter_map(|(index, (sent, entry))| {
        let received = entry.tracking_code.as_ref().filter(|code| !same_text(code, sent))?;
        Some(CodeMismatch { index, sent: (*sent).to_owned(), received: received.clone() })
    });
    differing.collect()
}

impl TrackingResponse {
    fn read(mut raw: Response, sent: Vec<&str>, rules: &Rules) -> Result<Self, Error> {
        let operation = Operation::RegisterTracking;
        let shape = BodyTypes { texts: &["/status"], ..BodyTypes::default() };
        let json = read_tree(operation, &mut raw, rules, &Asked::nothing(), &shape)?;
        let result = match json.get("result") {
            None | Some(Json::Null) => Ok(Vec::new()),
            Some(Json::Array(entries)) => {
                let entries = entries.iter().enumerate();
                entries.map(|(index, entry)| TrackingResult::read(entry, index)).collect()
            }
            Some(other) => Err(wrong_type("result", "an array", other)),
        };
        let result = result.map_err(|error| complete(operation, &raw, error))?;
        let code_mismatch = match rules.check_references {
            true => compare_codes(&sent, &result),
            false => Vec::new(),
        };
        Ok(Self { raw, json, result, sent: sent.len(), code_mismatch })
    }

    /// The overall result: `SUCCESS` on success.
    pub fn status(&self) -> Option<&str> {
        self.json.get("status").and_then(Json::as_str)
    }

    /// One entry per submitted code, in the order received.
    pub fn result(&self) -> &[TrackingResult] {
        &self.result
    }

    /// The numbers of codes sent and entries received, if they differ. Match
    /// entries to codes by `tracking_code` then.
    pub fn count_mismatch(&self) -> Option<(usize, usize)> {
        let received = self.result.len();
        (self.sent != received).then_some((self.sent, received))
    }

    /// Entries whose code differs from the code sent at that position: they are
    /// about another code. Empty when `check_references` is off.
    pub fn code_mismatch(&self) -> &[CodeMismatch] {
        &self.code_mismatch
    }

    /// The response for other languages: `status`, `result`, `count_mismatch`
    /// (`null`, or an object with `sent` and `received`), `code_mismatch`
    /// (`null`, or an array of objects with `index`, `sent` and `received`),
    /// and the whole body as `response`, with amounts as text.
    pub fn view(&self) -> Json {
        let result: Vec<_> = self.result.iter().map(TrackingResult::view).collect();
        let mismatch = self
            .count_mismatch()
            .map(|(sent, received)| Members::from([("sent", sent), ("received", received)]));
        let codes: Vec<_> = self.code_mismatch.iter().map(CodeMismatch::view).collect();
        Json::Object(Members::from([
            ("status", Json::from(self.status())),
            ("result", Json::Array(result)),
            ("count_mismatch", Json::from(mismatch)),
            ("code_mismatch", Json::from((!codes.is_empty()).then_some(codes))),
            ("response", amounts_as_text(&self.json)),
        ]))
    }
}

/// Shows the status and the counts.
impl fmt::Debug for TrackingResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrackingResponse")
            .field("status", &self.status())
            .field("sent", &self.sent)
            .field("received", &self.result.len())
            .field("raw", &self.raw)
            .finish_non_exhaustive()
    }
}
