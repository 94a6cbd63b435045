//! A response as received.

use std::fmt;

use super::read::outcome_of_unread;
pub use crate::model::amount::{amounts_as_text, names_amount};
use crate::model::call_response::CallResponse;
use crate::model::error::Outcome;
use crate::model::json::{Bounds, Json, JsonError, Members};
use crate::model::rules::Rules;

/// A response of the service as received: status, headers and body.
#[derive(Clone)]
pub struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// The parsed body, until the operation takes it.
    tree: Option<Result<Json, JsonError>>,
    max_values: usize,
}

impl Response {
    /// Makes a response from its parts, for a transport or a test.
    pub fn new(status: u16, headers: Vec<(String, String)>, body: Vec<u8>) -> Self {
        Self { status, headers, body, tree: None, max_values: usize::MAX }
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Header names and values, in order.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// The value of the first header with that name, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The bytes of the body. They may contain payer data.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the body.
    pub fn into_body(self) -> Vec<u8> {
        self.body
    }

    /// Parses the body.
    ///
    /// # Errors
    /// If the body is not JSON, or has more values than the client accepts.
    pub fn json(&self) -> Result<Json, JsonError> {
        Json::parse_bounded(&self.body, Bounds::of_values(self.max_values))
    }

    /// Limits how many JSON values are read from the body.
    pub(crate) fn bounded(mut self, max_values: usize) -> Self {
        self.max_values = max_values;
        self
    }

    /// Parses the body while `goes_on` returns `true`.
    pub(crate) fn read(&mut self, goes_on: &dyn Fn() -> bool) {
        let bounds = Bounds { values: self.max_values, goes_on };
        self.tree = Some(Json::parse_bounded(&self.body, bounds));
    }

    /// The parsed body; parses it now if that has not happened yet.
    pub(super) fn take_tree(&mut self, max_values: usize) -> Result<Json, JsonError> {
        self.tree.take().unwrap_or_else(|| {
            Json::parse_bounded(&self.body, Bounds::of_values(self.max_values.min(max_values)))
        })
    }
}

impl Response {
    pub(super) fn with_view(self, view: Json) -> CallResponse {
        let Self { status, headers, body, tree: _, max_values } = self;
        CallResponse { http_status: status, headers, body, view, max_values }
    }
}

/// A response that other languages can see.
#[doc(hidden)]
pub trait Viewed {
    fn into_call_response(self) -> CallResponse;

    /// The payment hash, and the service's id of the payout or of the refund.
    fn identifiers(&self) -> (Option<&str>, Option<&str>) {
        (None, None)
    }

    /// What the response says of its operation. One that was read is a success.
    fn outcome(&self, _rules: &Rules) -> Outcome {
        Outcome::Executed
    }
}

impl Viewed for Response {
    fn outcome(&self, rules: &Rules) -> Outcome {
        outcome_of_unread(self.json(), rules)
    }

    fn into_call_response(self) -> CallResponse {
        // Only the sender knows the format of this body.
        self.with_view(Json::Object(Members::new()))
    }
}

/// Hides the body and the values of headers.
impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .field("headers", &self.headers.len())
            .field("body_length", &self.body.len())
            .finish()
    }
}

/// Accessors of all typed responses. Each has the fields `raw: Response` and `json:
/// Json`.
macro_rules! response_accessors {
    ($response:ty $(, $hash:expr, $uid:expr)?) => {
        impl $response {
            /// The value at a JSON Pointer (RFC 6901) into the response body,
            /// for example `/payment/due_date`.
            pub fn member(&self, pointer: &str) -> Option<&$crate::model::json::Json> {
                self.json.pointer(pointer)
            }

            /// The whole response body.
            pub fn json(&self) -> &$crate::model::json::Json {
                &self.json
            }

            /// Status, headers and body as received.
            pub fn raw(&self) -> &$crate::model::request::Response {
                &self.raw
            }
        }

        impl $crate::model::request::Viewed for $response {
            fn into_call_response(self) -> $crate::model::call_response::CallResponse {
                let view = self.view();
                self.raw.with_view(view)
            }

            $(
                fn identifiers(&self) -> (Option<&str>, Option<&str>) {
                    let (hash, uid): (fn(&Self) -> Option<&str>, fn(&Self) -> Option<&str>) =
                        ($hash, $uid);
                    (hash(self), uid(self))
                }
            )?
        }
    };
}
pub(super) use response_accessors;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error::{ErrorKind, Outcome};
    use crate::model::request::{QueryPayment, Request as _};
    use crate::model::rules::Rules;

    #[test]
    fn a_response_that_is_not_read_in_time_is_a_timeout_of_unknown_outcome() {
        let body =
            format!(r#"{{"payment":{{"status":"PE","pad":["{}",1]}}}}"#, "x".repeat(1 << 20));
        let read = |goes_on: bool| {
            let mut response = Response::new(200, Vec::new(), body.clone().into_bytes());
            response.read(&|| goes_on);
            QueryPayment::by_hash("5a").read_response(response, &Rules::default())
        };
        assert!(read(true).is_ok());
        let error = read(false).unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Timeout, Outcome::Unknown));
        assert_eq!((error.code(), error.http_status()), ("deadline_passed", Some(200)));
    }
}
