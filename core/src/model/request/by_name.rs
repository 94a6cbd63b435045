//! Requests of operations given by name.

use super::all::*;
use super::read::outcome_of_unread;
use super::response::generated::IDENTIFIERS;
use super::typed::generated::from_json;
use super::{Draft, ErasedRequest, Request, TypedResponse, sealed};
use crate::model::error::{Error, Outcome};
use crate::model::operation::Operation;
use crate::model::response::CallResponse;
use crate::model::rules::Rules;

/// A request of any operation, for calls by name.
#[doc(hidden)]
pub struct AnyRequest(Box<dyn ErasedRequest>);

impl AnyRequest {
    /// Makes the request of `operation` from its JSON text in `input`; for
    /// `send`, `input` is the head. `None` for `access_token`, which has no
    /// request.
    ///
    /// # Errors
    /// `validation`, which names the operation and the member.
    pub fn from_json(
        operation: Operation,
        input: &[u8],
        body: &[u8],
    ) -> Result<Option<Self>, Error> {
        Ok(match operation {
            Operation::Send => Some(Self(Box::new(RawRequest::from_json(input, body)?))),
            operation => from_json(operation, input)?.map(Self),
        })
    }
}

impl sealed::Sealed for AnyRequest {}

impl Request for AnyRequest {
    type Response = CallResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        self.0.draft(rules)
    }

    fn read_response(&self, response: RawResponse, rules: &Rules) -> Result<CallResponse, Error> {
        self.0.read_response(response, rules)
    }
}

impl TypedResponse for CallResponse {
    fn into_call_response(self) -> CallResponse {
        self
    }

    fn received(&self) -> Option<&RawResponse> {
        Some(&self.raw)
    }

    fn outcome(&self, rules: &Rules) -> Outcome {
        if self.is_of_send() {
            outcome_of_unread(self.raw.json(), rules)
        } else {
            Outcome::Executed
        }
    }

    fn shown_reference(&self) -> Option<&str> {
        self.view.get("merchant_payment_code")?.as_str()
    }

    fn identifiers(&self) -> (Option<&str>, Option<&str>) {
        let text = |names: &[&str]| names.iter().find_map(|name| self.view.get(name)?.as_str());
        let [hash, uid] = IDENTIFIERS;
        (text(hash), text(uid))
    }
}
