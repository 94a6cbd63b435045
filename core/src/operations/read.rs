//! What the responses of all operations have in common: the envelope, and the
//! ways a 2xx can report a failure.

use super::Response;
use super::evidence::{self, SUCCESS};
use super::reference::Asked;
use crate::config::{Rules, lists, same_text};
use crate::error::{Error, ErrorKind, Outcome};
use crate::json::{Bounds, Json, JsonError, JsonErrorKind};
use crate::near::has_letters_of;
use crate::operation::Operation;

const STATUS_CODE: &str = "status_code";
/// Members that can hold a code of the service.
const CODES: [&str; 4] = [STATUS_CODE, "code", "error", "error_code"];

/// Members whose texts can mention a code, in any spelling.
const MENTIONS: [&str; 10] = [
    STATUS_CODE,
    "code",
    "codes",
    "error",
    "errors",
    "error_code",
    "message",
    "status_message",
    "error_message",
    "error_description",
];

/// What the service says about a failure, as far as the body can be read.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ServiceWords {
    /// The service's code, for example `BP-DR-0`.
    pub code: Option<String>,
    /// The service's message. It may repeat payer data.
    pub message: Option<String>,
    /// The payment hash in the body.
    pub hash: Option<String>,
    /// The values of all members that can hold a code.
    codes: Vec<String>,
    /// The words of all members that may mention a code.
    mentioned: Vec<String>,
}

impl ServiceWords {
    /// Whether one of the service's codes is in `list`.
    pub(crate) fn says(&self, list: &[String]) -> bool {
        self.codes.iter().any(|code| lists(list, code))
    }

    /// As [`says`](Self::says), also in a message, in an array, or under another
    /// spelling of the member: for codes that must not be overlooked.
    pub(crate) fn mentions(&self, list: &[String]) -> bool {
        self.says(list) || self.mentioned.iter().any(|word| lists(list, word))
    }
}

/// Shows only which members are present.
impl std::fmt::Debug for ServiceWords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServiceWords")
            .field("code", &self.code.is_some())
            .field("message", &self.message.is_some())
            .field("hash", &self.hash.is_some())
            .finish()
    }
}

/// Reads the service's code, message and payment hash from any body. Members
/// that cannot be read are `None`.
///
/// Not stated in the interface; we look for `status_code`, `code` or `error`,
/// for `status_message`, `message` or `error_description`, and for
/// `payment.hash` or `hash`.
pub fn service_words(body: &[u8]) -> ServiceWords {
    words_of_json(body, Bounds::of_values(usize::MAX)).unwrap_or_default()
}

/// As [`service_words`]; `None` if the body is not JSON or exceeds `bounds`.
pub(crate) fn words_of_json(body: &[u8], bounds: Bounds<'_>) -> Option<ServiceWords> {
    json_of_refusal(body, bounds).map(|json| words_of(&json))
}

/// The JSON of a refusal, whose flaws do not matter.
pub(super) fn json_of_refusal(body: &[u8], bounds: Bounds<'_>) -> Option<Json> {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let body = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body);
    Json::parse_bounded_keeping_duplicates(body, bounds).ok()
}

fn words_of(json: &Json) -> ServiceWords {
    let first = |names: &[&str]| {
        let found = names.iter().find_map(|name| text_that_says_something(json, name));
        found.map(|text| text.trim().to_owned())
    };
    let (mut codes, mut mentioned) = (Vec::new(), Vec::new());
    collect_codes(json, &mut codes);
    collect_mentioned(json, false, &mut mentioned);
    ServiceWords {
        code: first(&[STATUS_CODE, "code", "error"]),
        message: first(&["status_message", "message", "error_description"]),
        hash: hash_of(json).map(str::to_owned),
        codes,
        mentioned,
    }
}

/// Collects the words of members that may mention a code, at any depth.
fn collect_mentioned(json: &Json, is_mention: bool, words: &mut Vec<String>) {
    match json {
        Json::Array(elements) => {
            elements.iter().for_each(|it| collect_mentioned(it, is_mention, words));
        }
        Json::Object(members) => {
            for (name, value) in members.iter() {
                let may_mention = MENTIONS.iter().any(|known| has_letters_of(name, known));
                collect_mentioned(value, is_mention || may_mention, words);
            }
        }
        text => {
            let text = text.as_text_or_number().filter(|_| is_mention).unwrap_or_default();
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
            let found = text.split(|c| !is_part(c)).map(|word| word.trim_matches('.'));
            words.extend(found.filter(|word| !word.is_empty()).map(str::to_owned));
        }
    }
}

/// Collects codes at any depth: overlooking one could lead to a second payment.
fn collect_codes(json: &Json, codes: &mut Vec<String>) {
    match json {
        Json::Array(elements) => elements.iter().for_each(|it| collect_codes(it, codes)),
        Json::Object(members) => {
            for (name, value) in members.iter() {
                match value.as_text_or_number() {
                    Some(code) if CODES.contains(&name) => codes.push(code.to_owned()),
                    Some(_) => {}
                    None => collect_codes(value, codes),
                }
            }
        }
        _ => {}
    }
}

fn text_that_says_something<'a>(json: &'a Json, name: &str) -> Option<&'a str> {
    json.get(name)?.as_text_or_number().filter(|text| !text.trim().is_empty())
}

/// The payment hash in a response body.
pub(super) fn hash_of(json: &Json) -> Option<&str> {
    let hash = json.pointer("/payment/hash").and_then(Json::as_str);
    hash.or_else(|| json.get("hash").and_then(Json::as_str))
}

/// Whether a top-level `status` describes the call, not the payment or payout.
pub(super) fn tells_of_the_call(status: &str) -> bool {
    [SUCCESS, "ERROR"].iter().any(|word| same_text(status, word))
}

/// Parses the body of a 2xx. Checks that it is about the requested payment or
/// payout, that it does not report a failure, that its members have the right
/// types, and that it shows a sign of success.
pub(super) fn read_tree(
    operation: Operation,
    response: &mut Response,
    rules: &Rules,
    asked: &Asked<'_>,
    shape: &BodyTypes,
) -> Result<Json, Error> {
    // A refusal that is about something else says nothing about this request
    // either.
    let json = parse_object(response, rules)
        .and_then(|json| asked.check(&json, rules).map(|()| json))
        .and_then(|json| check_refusal(operation, &json, rules).map(|()| json))
        .and_then(|json| shape.check(&json).map(|()| json))
        .and_then(|json| evidence::check(operation, &json, rules).map(|()| json));
    json.map_err(|error| complete(operation, response, error))
}

/// Adds status, operation and bytes of the response to an error.
pub(super) fn complete(operation: Operation, response: &Response, error: Error) -> Error {
    error
        .with_operation(operation, None)
        .with_http_status(response.status())
        .with_response_bytes(response.body())
}

/// The error for a response that is not what the operation promises. The
/// outcome is unknown.
pub(super) fn undecodable(code: &'static str, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Decode, Outcome::Unknown, code, message)
}

/// The error for a response member of the wrong type.
pub(super) fn wrong_type(path: &str, expected: &str, found: &Json) -> Error {
    let message = format!("the response has {} instead of {expected}", found.kind_name());
    undecodable("wrong_type", message).with_path(path)
}

fn parse_object(response: &mut Response, rules: &Rules) -> Result<Json, Error> {
    match response.take_tree(rules.max_response_values) {
        Ok(json @ Json::Object(_)) => Ok(json),
        Ok(other) => {
            let message = format!("the response is {}, not an object", other.kind_name());
            Err(undecodable("not_an_object", message))
        }
        Err(error) if error.kind() == JsonErrorKind::Empty => {
            Err(undecodable("empty_body", "the response has no body"))
        }
        Err(error) if error.kind() == JsonErrorKind::TooManyValues => Err(Error::new(
            ErrorKind::TooLarge,
            Outcome::Unknown,
            "response_too_large",
            "the response has more JSON values than max_response_values; raise max_response_values",
        )),
        Err(error) if error.kind() == JsonErrorKind::Stopped => Err(Error::new(
            ErrorKind::Timeout,
            Outcome::Unknown,
            "deadline_passed",
            "the deadline of the call passed while the client read the response; raise timeout_ms",
        )),
        Err(error) => {
            let unreadable = undecodable("not_json", format!("the response {error}"));
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

/// What a 2xx body says about the operation.
enum Verdict {
    Refused,
    Duplicate,
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
        .is_some_and(|status| lists(&rules.failure_statuses, status));
    let envelope = json.get("type").filter(|envelope| !envelope.is_null());
    let failed_by_type = match envelope.and_then(Json::as_str) {
        Some("authentication_error" | "invalid_request_error" | "request_error") => {
            Some(Verdict::Refused)
        }
        Some("api_error") => Some(Verdict::ServiceFailed),
        _ => None,
    };
    let words = words_of(json);
    let has_status_code = text_that_says_something(json, STATUS_CODE).is_some();
    let verdict = match failed_by_type {
        None if !says_error => return check_envelope(operation, envelope),
        _ if words.mentions(&rules.duplicate_codes) => Verdict::Duplicate,
        _ if is_not_found(operation, &words, rules) => Verdict::NotFound,
        Some(verdict) => verdict,
        // Only `status_code` shows that the service itself refused.
        None if has_status_code => Verdict::Refused,
        None => Verdict::RefusedWithoutCode,
    };
    Err(rejection(&verdict)
        .with_service(words.code.as_deref(), words.message.as_deref())
        .with_payment_hash(words.hash.as_deref()))
}

/// Whether a 2xx body of an operation without a table reports a failure.
pub(super) fn reports_failure(json: &Json, rules: &Rules) -> bool {
    check_refusal(Operation::Send, json, rules).is_err()
}

/// What a 2xx says whose body was returned unread.
pub(crate) fn outcome_of_unread(body: Result<Json, JsonError>, rules: &Rules) -> Outcome {
    match body {
        Ok(json) if reports_failure(&json, rules) => Outcome::Unknown,
        Ok(_) | Err(_) => Outcome::Executed,
    }
}

/// Whether the body has a code of the service, at any depth.
pub(super) fn names_code(json: &Json) -> bool {
    let mut codes = Vec::new();
    collect_codes(json, &mut codes);
    !codes.is_empty()
}

fn check_envelope(operation: Operation, envelope: Option<&Json>) -> Result<(), Error> {
    match envelope {
        Some(envelope) if operation == Operation::CreatePayout => {
            match envelope.as_str() {
                Some("success") => Ok(()),
                Some(_) => Err(undecodable("unknown_type", "the response has an unknown `type`")
                    .with_path("type")),
                None => Err(wrong_type("type", "a string", envelope)),
            }
        }
        _ => Ok(()),
    }
}

/// Whether a refused query says that the payment does not exist.
pub(crate) fn is_not_found(operation: Operation, words: &ServiceWords, rules: &Rules) -> bool {
    operation == Operation::QueryPayment && words.says(&rules.not_found_codes)
}

/// The error for a query that the service refused because it knows no such
/// payment.
pub(crate) fn payment_not_found() -> Error {
    let message = "the service finds no such payment; a payment that was just created may appear \
                   later";
    Error::new(ErrorKind::Rejected, Outcome::NotExecuted, "payment_not_found", message)
}

/// The refused request was not executed, but an earlier one with this reference
/// may have been: treating this as a refusal risks a double payment.
pub(crate) fn duplicate_reference() -> Error {
    let message = "the service says that the reference was used before; an earlier attempt may \
                   have been executed";
    Error::new(ErrorKind::Rejected, Outcome::Unknown, "duplicate_reference", message)
}

fn rejection(verdict: &Verdict) -> Error {
    let (outcome, code, message) = match verdict {
        Verdict::Duplicate => return duplicate_reference(),
        Verdict::NotFound => return payment_not_found(),
        Verdict::Refused => (
            Outcome::NotExecuted,
            "refused",
            "the service refused the operation; see service_code and service_message of this error",
        ),
        Verdict::RefusedWithoutCode => (
            Outcome::Unknown,
            "refused_without_code",
            "the service says that the operation failed, and gives no code",
        ),
        Verdict::ServiceFailed => (
            Outcome::Unknown,
            "service_failed",
            "the service failed while it executed the operation",
        ),
    };
    Error::new(ErrorKind::Rejected, outcome, code, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_of_a_duplicate_is_found_wherever_it_is() {
        let list = Rules::default().duplicate_codes;
        for (body, is_found) in [
            (r#"{"status_code":"BP-DR-0"}"#, true),
            (r#"{"statusCode":"bp-dr-0"}"#, true),
            (r#"{"ErrorCode":"BP-DR-0"}"#, true),
            (r#"{"errors":["BP-DR-0"]}"#, true),
            (r#"{"errors":[{"detail":{"text":"BP-DR-0"}}]}"#, true),
            (r#"{"codes":["X-1","BP-DR-0"]}"#, true),
            (r#"{"code":"BP-DR-0: used before"}"#, true),
            (r#"{"message":"used before (BP-DR-0)."}"#, true),
            (r#"{"code":"BP-DR-01"}"#, false),
            (r#"{"message":"XBP-DR-0"}"#, false),
            (r#"{"payment":{"name":"BP-DR-0"}}"#, false),
        ] {
            let words = service_words(body.as_bytes());
            assert_eq!(words.mentions(&list), is_found, "{body}");
        }
    }
}
