//! `register_tracking`: `POST /ws/tracking`.

use std::fmt;

use super::read::{BodyTypes, complete, read_tree, wrong_type};
use super::reference::Asked;
use super::response::{amounts_as_text, response_accessors};
use super::typed::json_request;
use super::{Draft, Request, Response, Tracking, text_member};
use crate::model::error::Error;
use crate::model::json::{Json, Members};
use crate::model::operation::Operation;
use crate::model::rules::{Rules, same_text};

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
        TrackingResponse::read(response, &self.members, rules)
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
    mismatches: Vec<TrackingMismatch>,
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

/// A member of a response entry that differs from what was sent for it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrackingMismatch {
    /// The index of the entry in [`result`](TrackingResponse::result), from zero.
    pub index: usize,
    /// `tracking_code`, `order_number` or `customer_email`.
    pub member: &'static str,
    /// The text sent for it.
    pub sent: String,
    /// The text received.
    pub received: String,
}

impl TrackingMismatch {
    fn view(&self) -> Json {
        Json::Object(Members::from([
            ("index", Json::from(self.index)),
            ("member", Json::from(self.member)),
            ("sent", Json::from(self.sent.as_str())),
            ("received", Json::from(self.received.as_str())),
        ]))
    }
}

/// Shows where it is only.
impl fmt::Debug for TrackingMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrackingMismatch")
            .field("index", &self.index)
            .field("member", &self.member)
            .finish_non_exhaustive()
    }
}

/// The code of a request element, which is a text or an object.
fn code_of(element: &Json) -> &str {
    let code = element.get("tracking_code").unwrap_or(element);
    code.as_str().unwrap_or_default()
}

/// What differs in the entries of the codes that were sent. A member that is not
/// there counts as equal.
fn compare(codes: &[Json], request: &Members, result: &[TrackingResult]) -> Vec<TrackingMismatch> {
    let pairs = codes.iter().zip(result).enumerate();
    let differing = pairs.flat_map(|(index, (code, entry))| {
        let compared = [
            ("tracking_code", Some(code_of(code)), &entry.tracking_code),
            ("order_number", text_member(request, "order_number"), &entry.order_number),
            ("customer_email", text_member(request, "email"), &entry.customer_email),
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

impl TrackingResponse {
    fn read(mut raw: Response, request: &Members, rules: &Rules) -> Result<Self, Error> {
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
        let codes = request.get("tracking_code").and_then(Json::as_array).unwrap_or_default();
        let mismatches = match rules.check_references {
            true => compare(codes, request, &result),
            false => Vec::new(),
        };
        Ok(Self { raw, json, result, sent: codes.len(), mismatches })
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

    /// What differs in the entries from what was sent: such an entry is about
    /// another code, order or customer. Empty when `check_references` is off.
    pub fn mismatches(&self) -> &[TrackingMismatch] {
        &self.mismatches
    }

    /// Whether every code was newly registered: the status is `SUCCESS`, each
    /// code has an entry that is `CREATED`, and nothing differs from what was
    /// sent.
    pub fn all_created(&self) -> bool {
        self.status() == Some("SUCCESS")
            && self.count_mismatch().is_none()
            && self.mismatches.is_empty()
            && self.result.iter().all(TrackingResult::is_created)
    }

    /// The response for other languages: `status`, `all_created`, `result`,
    /// `count_mismatch` (`null`, or an object with `sent` and `received`),
    /// `mismatches` (`null`, or an array of objects with `index`, `member`,
    /// `sent` and `received`), and the whole body as `response`, with amounts
    /// as text.
    pub fn view(&self) -> Json {
        let result: Vec<_> = self.result.iter().map(TrackingResult::view).collect();
        let mismatch = self
            .count_mismatch()
            .map(|(sent, received)| Members::from([("sent", sent), ("received", received)]));
        let mismatches: Vec<_> = self.mismatches.iter().map(TrackingMismatch::view).collect();
        Json::Object(Members::from([
            ("status", Json::from(self.status())),
            ("all_created", Json::from(self.all_created())),
            ("result", Json::Array(result)),
            ("count_mismatch", Json::from(mismatch)),
            ("mismatches", Json::from((!mismatches.is_empty()).then_some(mismatches))),
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
