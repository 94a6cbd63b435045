//! The common parts of all responses: the envelope, and the ways a 2xx can
//! report a failure.

use super::evidence;
use super::refusal::{doubt_of_codes, reason_of};
use super::words::{STATUS_CODE, ServiceWords, text_with_content, words_of};
use super::{RawResponse, reference};
use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome};
use crate::model::json::{Json, JsonError, JsonErrorKind, Members};
use crate::model::operation::Operation;
use crate::model::rules::{Rules, contains_code};

/// Parses the body of a 2xx. Checks that it is about the requested payment or
/// payout, that it does not report a failure, that its members have the right
/// types, and that it shows a sign of success.
pub(super) fn read_tree(
    operation: Operation,
    sent: &Members,
    response: &mut RawResponse,
    rules: &Rules,
    shape: &BodyTypes,
) -> Result<Json, Error> {
    // A refusal that is about something else says nothing about this request
    // either.
    let json = parse_object(response, rules)
        .and_then(|json| reference::check(operation, sent, &json, rules).map(|()| json))
        .and_then(|json| check_refusal(operation, &json, rules).map(|()| json))
        .and_then(|json| shape.check(&json).map(|()| json))
        .and_then(|json| evidence::check(operation, &json, rules).map(|()| json));
    json.map_err(|error| complete(operation, response, error))
}

/// Adds status, operation and bytes of the response to an error.
pub(super) fn complete(operation: Operation, response: &RawResponse, error: Error) -> Error {
    error
        .with_operation(operation, None)
        .with_http_status(response.status())
        .with_response_bytes(response.body())
}

/// The error for a response that is not what the operation promises. The
/// outcome is unknown.
pub(super) fn undecodable(code: ErrorCode, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Decode, Outcome::Unknown, code, message)
}

/// The error for a response member of the wrong type.
pub(super) fn wrong_type(path: &str, expected: &str, found: &Json) -> Error {
    let message = format!("the response has {} instead of {expected}", found.kind_name());
    undecodable(ErrorCode::WRONG_TYPE, message).with_path(path)
}

fn parse_object(response: &mut RawResponse, rules: &Rules) -> Result<Json, Error> {
    match response.take_tree(rules.max_response_values) {
        Ok(json @ Json::Object(_)) => Ok(json),
        Ok(other) => {
            let message = format!("the response is {}, not an object", other.kind_name());
            Err(undecodable(ErrorCode::NOT_AN_OBJECT, message))
        }
        Err(error) if error.kind() == JsonErrorKind::Empty => {
            Err(undecodable(ErrorCode::EMPTY_BODY, ErrorCode::EMPTY_BODY.message()))
        }
        Err(error) if error.kind() == JsonErrorKind::TooManyValues => Err(Error::new(
            ErrorKind::TooLarge,
            Outcome::Unknown,
            ErrorCode::RESPONSE_TOO_LARGE,
            "the response has more JSON values than max_response_values; raise max_response_values",
        )),
        Err(error) if error.kind() == JsonErrorKind::Stopped => Err(Error::new(
            ErrorKind::Timeout,
            Outcome::Unknown,
            ErrorCode::DEADLINE_PASSED,
            "the deadline of the call passed while the client read the response; raise timeout_ms",
        )),
        Err(error) => {
            let advice = match error.kind() {
                JsonErrorKind::Syntax => "; check base_url, and any proxy in between",
                _ => "",
            };
            let message = format!("the response {error}{advice}");
            let unreadable = undecodable(ErrorCode::NOT_JSON, message);
            let path = error.path().to_owned();
            Err(if path.is_empty() { unreadable } else { unreadable.with_path(path) })
        }
    }
}

/// The types expected at JSON Pointers. Members may be absent or `null`.
#[derive(Default)]
pub(super) struct BodyTypes {
    pub(super) objects: &'static [&'static str],
    pub(super) texts: &'static [&'static str],
    pub(super) texts_or_numbers: &'static [&'static str],
}

impl BodyTypes {
    fn check(&self, json: &Json) -> Result<(), Error> {
        check_all(json, self.objects, "an object", |found| found.as_object().is_some())?;
        check_all(json, self.texts, "a string", |found| found.as_str().is_some())?;
        let fits = |found: &Json| found.as_text_or_number().is_some();
        check_all(json, self.texts_or_numbers, "a string or number", fits)
    }
}

fn check_all(
    json: &Json,
    pointers: &[&str],
    expected: &str,
    fits: fn(&Json) -> bool,
) -> Result<(), Error> {
    pointers.iter().try_for_each(|pointer| match json.pointer(pointer) {
        Some(found) if !found.is_null() && !fits(found) => {
            let path = pointer.trim_start_matches('/').replace('/', ".");
            Err(wrong_type(&path, expected, found))
        }
        _ => Ok(()),
    })
}

/// The result of the operation in a 2xx body.
enum ReportedFailure {
    Refused,
    NotFound,
    RefusedWithoutCode,
    ServiceFailed,
}

/// Checks whether a 2xx body reports a failure.
///
/// Not stated in the interface. We know `status: "ERROR"` with a `status_code`,
/// and for payouts a `type` other than `success`. Types that mean failure count
/// for all operations.
fn check_refusal(operation: Operation, json: &Json, rules: &Rules) -> Result<(), Error> {
    let says_error = json
        .get("status")
        .and_then(Json::as_str)
        .is_some_and(|status| contains_code(&rules.failure_statuses, status));
    let envelope = json.get("type").filter(|envelope| !envelope.is_null());
    let failed_by_type = match envelope.and_then(Json::as_str) {
        Some("authentication_error" | "invalid_request_error" | "request_error") => {
            Some(ReportedFailure::Refused)
        }
        Some("api_error") => Some(ReportedFailure::ServiceFailed),
        _ => None,
    };
    if failed_by_type.is_none() && !says_error {
        return check_envelope(operation, envelope);
    }
    let words = words_of(json);
    let has_status_code = text_with_content(json, STATUS_CODE).is_some();
    let failure = match failed_by_type {
        _ if is_not_found(operation, &words, rules) => ReportedFailure::NotFound,
        Some(failure) => failure,
        // Only `status_code` shows that the service itself refused.
        None if has_status_code => ReportedFailure::Refused,
        None => ReportedFailure::RefusedWithoutCode,
    };
    let doubt = doubt_of_codes(operation, &words, rules);
    Err(doubt
        .unwrap_or_else(|| rejection(&failure, &words))
        .with_service(words.code.as_deref(), words.message.as_deref())
        .with_payment_hash(words.hash.as_deref()))
}

/// Whether a 2xx body of an operation without a table reports a failure.
pub(super) fn reports_failure(json: &Json, rules: &Rules) -> bool {
    check_refusal(Operation::Send, json, rules).is_err()
}

/// The result of a 2xx whose body was returned unread.
pub(super) fn outcome_of_unread(body: Result<Json, JsonError>, rules: &Rules) -> Outcome {
    match body {
        Ok(json) if reports_failure(&json, rules) => Outcome::Unknown,
        Ok(_) | Err(_) => Outcome::Executed,
    }
}

fn check_envelope(operation: Operation, envelope: Option<&Json>) -> Result<(), Error> {
    let of_success = operation.definition().success.and_then(|it| it.envelope);
    let Some((expected, envelope)) = of_success.zip(envelope) else { return Ok(()) };
    match envelope.as_str() {
        Some(text) if text == expected => Ok(()),
        Some(_) => {
            let code = ErrorCode::UNKNOWN_TYPE;
            Err(undecodable(code, code.message()).with_path("type"))
        }
        None => Err(wrong_type("type", "a string", envelope)),
    }
}

/// Whether a refused query says that the payment does not exist.
pub(crate) fn is_not_found(operation: Operation, words: &ServiceWords, rules: &Rules) -> bool {
    operation.definition().is_query && words.has_code_in(&rules.not_found_codes)
}

/// The error for a query that the service refused because it knows no such
/// payment.
pub(crate) fn payment_not_found() -> Error {
    let code = ErrorCode::PAYMENT_NOT_FOUND;
    Error::new(ErrorKind::Rejected, Outcome::NotExecuted, code, code.message())
}

fn rejection(failure: &ReportedFailure, words: &ServiceWords) -> Error {
    let unknown =
        |code: ErrorCode| Error::new(ErrorKind::Rejected, Outcome::Unknown, code, code.message());
    match failure {
        ReportedFailure::NotFound => payment_not_found(),
        ReportedFailure::Refused => {
            let message = format!("the service refused the operation: {}", reason_of(words));
            Error::new(ErrorKind::Rejected, Outcome::NotExecuted, ErrorCode::REFUSED, message)
        }
        ReportedFailure::RefusedWithoutCode => unknown(ErrorCode::REFUSED_WITHOUT_CODE),
        ReportedFailure::ServiceFailed => unknown(ErrorCode::SERVICE_FAILED),
    }
}
