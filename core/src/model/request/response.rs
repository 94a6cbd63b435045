//! The common parts of all typed responses.

pub(super) mod generated;

use super::read::{outcome_of_unread, wrong_type};
pub use crate::model::amount::{amounts_as_text, names_amount};
use crate::model::error::{Error, Outcome};
use crate::model::json::{Json, Members};
use crate::model::response::{CallResponse, RawResponse};
use crate::model::rules::Rules;

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

    /// The members of the response about its operation. One that was read is a
    /// success.
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
