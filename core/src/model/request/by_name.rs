//! Requests of operations given by name.

use super::all::*;
use super::{Draft, Request, Viewed, sealed};
use crate::model::call_response::CallResponse;
use crate::model::error::Error;
use crate::model::json::Json;
use crate::model::operation::{Operation, operations};
use crate::model::rules::Rules;

/// A request of any operation, for calls by name.
#[doc(hidden)]
pub struct AnyRequest(Box<dyn Anonymous>);

/// What callers can do with a request without knowing its type.
trait Anonymous {
    fn draft(&self, rules: &Rules) -> Result<Draft, Error>;
    fn read_response(&self, response: Response, rules: &Rules) -> Result<CallResponse, Error>;
}

impl<R: Request> Anonymous for R {
    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        Request::draft(self, rules)
    }

    fn read_response(&self, response: Response, rules: &Rules) -> Result<CallResponse, Error> {
        Request::read_response(self, response, rules).map(Viewed::into_call_response)
    }
}

macro_rules! from_json {
    ($($request:ident $name:ident $(-> $response:ident)? { $($rest:tt)* })*) => {
        impl AnyRequest {
            /// Makes the request of `operation` from its JSON text in `input`;
            /// for `send`, `input` is the head. `None` for `access_token`,
            /// which has no request.
            ///
            /// # Errors
            /// `validation`, which names the operation and the member.
            pub fn from_json(
                operation: Operation,
                input: &[u8],
                body: &[u8],
            ) -> Result<Option<Self>, Error> {
                let request: Box<dyn Anonymous> = match operation {
                    $($(Operation::$request => from_json!(@typed $request $response input),)?)*
                    Operation::Send => Box::new(RawRequest::from_json(input, body)?),
                    Operation::AccessToken => return Ok(None),
                };
                Ok(Some(Self(request)))
            }
        }
    };
    (@typed $request:ident $response:ident $input:ident) => {
        Box::new($request::from_json($input)?)
    };
}
operations!(from_json);

impl sealed::Sealed for AnyRequest {}

impl Request for AnyRequest {
    type Response = CallResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        self.0.draft(rules)
    }

    fn read_response(&self, response: Response, rules: &Rules) -> Result<CallResponse, Error> {
        self.0.read_response(response, rules)
    }
}

impl Viewed for CallResponse {
    fn into_call_response(self) -> CallResponse {
        self
    }

    fn identifiers(&self) -> (Option<&str>, Option<&str>) {
        let text = |name| self.view.get(name).and_then(Json::as_str);
        (text("hash"), text("uid").or_else(|| text("refund_id")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::operation::{ResponseObject, ResponseShape};

    /// Every member that a request can have, with minimal values.
    const FULL: &str = r#"{
        "status": "SUCCESS", "pix": {"qr_code_value": "q"}, "refund": {"id": 7, "status": "RE"},
        "payment": {"status": "CO", "hash": "5a", "merchant_payment_code": "order-1"},
        "payout": {"uid": "u", "status": "PE"},
        "result": [{"customer_email": "a@example.com", "tracking_code": "B", "order_number": "1",
                    "status": "CREATED"}]
    }"#;
    const BARE: &str = r#"{"payment": {"status": "PE"}, "status": "SUCCESS"}"#;

    fn view(operation: Operation, response: &str) -> Option<Json> {
        let request = br#"{"hash": "5a", "tracking_code": ["A", "C"]}"#;
        let request = AnyRequest::from_json(operation, request, b"").unwrap()?;
        let response = Response::new(200, Vec::new(), response.as_bytes().to_vec());
        Some(Request::read_response(&request, response, &Rules::default()).unwrap().view)
    }

    fn assert_is_described(view: &Json, object: &ResponseObject, is_full: bool) {
        let names = view.as_object().unwrap().iter().map(|(name, _)| name);
        let names: Vec<_> = names.filter(|name| *name != "response").collect();
        let described: Vec<_> = object.members.iter().map(|member| member.name).collect();
        assert_eq!(names, described, "the view of {} and its table", object.name);
        for member in object.members {
            let place = format!("{}.{}", object.name, member.name);
            let value = view.get(member.name).unwrap();
            if value.is_null() {
                assert!(member.may_be_null && !is_full, "{place} is null");
                continue;
            }
            let fits = match &member.shape {
                ResponseShape::Text(_) | ResponseShape::Code(_) => value.as_str().is_some(),
                ResponseShape::Integer => value.as_i64().is_some(),
                ResponseShape::Flag => value.as_bool().is_some(),
                ResponseShape::Object(object) => {
                    assert_is_described(value, object, is_full);
                    true
                }
                ResponseShape::Objects(object) => {
                    let elements = value.as_array().unwrap();
                    elements.iter().for_each(|it| assert_is_described(it, object, is_full));
                    elements.is_empty() != is_full
                }
            };
            assert!(fits, "{place} is {}", value.kind_name());
        }
    }

    #[test]
    fn views_are_those_of_the_tables() {
        for operation in Operation::ALL {
            if let Some(object) = operation.response()
                && let Some(full) = view(operation, FULL)
            {
                assert_is_described(&full, object, true);
                assert_is_described(&view(operation, BARE).unwrap(), object, false);
            }
        }
    }
}
