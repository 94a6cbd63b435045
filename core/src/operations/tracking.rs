//! `register_tracking`: `POST /ws/tracking`.

use std::fmt;

use super::answer::{amounts_as_text, answer_accessors};
use super::read::{complete, read_tree, wrong_type};
use super::{Answer, Draft, Request, Tracking, parse_members, push_extra, sealed, text_member};
use crate::config::Rules;
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

    /// Adds a member that is in no table, as one of `extra`. One that is there
    /// already makes the request invalid.
    #[must_use]
    pub fn extra(mut self, name: &str, value: impl Into<Json>) -> Self {
        push_extra(&mut self.members, name, value);
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
