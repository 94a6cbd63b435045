//! The common parts of all responses: the envelope, the signs of a success, and
//! the ways a 2xx can report a failure.

use super::refusal::{doubt_of_codes, reason_of};
use super::words::{STATUS_CODE, SUCCESS, ServiceWords, names_code, text_with_content, words_of};
use super::{RawResponse, value_at};
use crate::model::error::{Error, ErrorCode, ErrorKind, Message, Outcome, Reason};
use crate::model::json::path::Path;
use crate::model::json::{Json, JsonError, JsonErrorKind, Members};
use crate::model::operation::{Echo, Operation, Success};
use crate::model::response::compression;
use crate::model::rules::{Rules, contains_code, same_text};

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
        .and_then(|json| check_reference(operation, sent, &json, rules).map(|()| json))
        .and_then(|json| check_refusal(operation, &json, rules).map(|()| json))
        .and_then(|json| shape.check(&json).map(|()| json))
        .and_then(|json| check_success(operation, &json, rules).map(|()| json));
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

fn unreadable(message: impl Into<String>) -> Error {
    undecodable(ErrorCode::RESPONSE_UNREADABLE, message)
}

/// The error for a response member of the wrong type.
pub(super) fn wrong_type(path: &str, expected: &str, found: &Json) -> Error {
    let message = format!("the response has {} instead of {expected}", found.kind_name());
    unreadable(message).with_path(path)
}

fn parse_object(response: &mut RawResponse, rules: &Rules) -> Result<Json, Error> {
    match response.take_tree(rules.max_response_values) {
        Ok(json @ Json::Object(_)) => Ok(json),
        Ok(other) => {
            let message = format!("the response is {}, not an object", other.kind_name());
            Err(unreadable(message))
        }
        Err(error) if error.kind() == JsonErrorKind::Empty => {
            Err(unreadable("the response has no body; check base_url, and any proxy in between"))
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
            "the deadline of the call passed while the client read the response; raise `timeout_ms`",
        )),
        Err(error) => {
            if let Some(why) = compression(response) {
                return Err(unreadable(why).because(Reason::NotJson));
            }
            let advice = match error.kind() {
                JsonErrorKind::Syntax => "; check base_url, and any proxy in between",
                _ => "",
            };
            let message = format!("the response {error}{advice}");
            let unreadable = unreadable(message).because(Reason::NotJson);
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
        .unwrap_or_else(|| rejection(operation, &failure, &words))
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
            let Message { code, text } = Message::UNKNOWN_TYPE;
            Err(undecodable(code, text).with_path("type"))
        }
        None => Err(wrong_type("type", "a string", envelope)),
    }
}

/// Whether a refused query says that it finds nothing.
pub(crate) fn is_not_found(operation: Operation, words: &ServiceWords, rules: &Rules) -> bool {
    words.has_code_in(rules.not_found_codes_of(operation))
}

/// The error for a query that the service refused because it finds nothing.
pub(crate) fn not_found(operation: Operation) -> Error {
    let Message { code, text } = match operation {
        Operation::QueryPayout => Message::PAYOUT_NOT_FOUND,
        _ => Message::PAYMENT_NOT_FOUND,
    };
    Error::new(ErrorKind::Rejected, Outcome::NotExecuted, code, text).because(Reason::NotFound)
}

fn rejection(operation: Operation, failure: &ReportedFailure, words: &ServiceWords) -> Error {
    let unknown = |message: Message| {
        Error::new(ErrorKind::Rejected, Outcome::Unknown, message.code, message.text)
    };
    match failure {
        ReportedFailure::NotFound => not_found(operation),
        ReportedFailure::Refused => {
            let message = format!("the service refused the operation: {}", reason_of(words));
            Error::new(ErrorKind::Rejected, Outcome::NotExecuted, ErrorCode::REFUSED, message)
                .because(Reason::Refused)
        }
        ReportedFailure::RefusedWithoutCode => unknown(Message::REFUSED_WITHOUT_CODE),
        ReportedFailure::ServiceFailed => unknown(Message::SERVICE_FAILED),
    }
}

/// Checks that the response shows a sign of success.
fn check_success(operation: Operation, json: &Json, rules: &Rules) -> Result<(), Error> {
    let Some(Success { signs, states, lone_success, .. }) = operation.definition().success else {
        return Ok(());
    };
    let stands_at = |pointer: &str| json.pointer(pointer).is_some_and(has_content);
    let further = rules.success_signs.get(&operation);
    if signs.iter().any(|pointer| stands_at(pointer))
        || further.is_some_and(|pointers| pointers.iter().any(|pointer| stands_at(pointer)))
    {
        return Ok(());
    }
    match json.get("status").and_then(Json::as_str) {
        Some(status) if lone_success && same_text(status, SUCCESS) => Ok(()),
        Some(status) if states.contains(&status) => Ok(()),
        _ => Err(undecodable(ErrorCode::NO_SIGN_OF_SUCCESS, no_success(json))),
    }
}

/// Signs that a refusal may have without being executed, such as the id of the
/// request.
const WEAK: [&str; 3] = ["/id", "/uid", "/type"];

/// Whether the JSON of a refusal says that the operation was executed: it shows
/// a sign of success that does not echo `sent`, and no word of failure. Not
/// stated in the interface: which refusals have a body.
pub(crate) fn refusal_shows_success(
    operation: Operation,
    json: &Json,
    sent: &[u8],
    rules: &Rules,
) -> bool {
    let names_error = |name| json.get(name).is_some_and(has_content);
    if reports_failure(json, rules) || names_code(json) || names_error("errors") {
        return false;
    }
    let sent = Json::parse(sent).unwrap_or_default();
    let is_new = |pointer: &str| {
        let found = json.pointer(pointer).filter(|found| has_content(found));
        found.is_some_and(|found| !is_echo(found, &sent)) && !WEAK.contains(&pointer)
    };
    let status = json.get("status").and_then(Json::as_str);
    // A `send` may call any operation that moves money.
    let may_be =
        |it: &Operation| *it == operation || (operation == Operation::Send && it.moves_money());
    Operation::ALL.into_iter().filter(may_be).any(|it| {
        let Some(Success { signs, states, .. }) = it.definition().success else { return false };
        let further = rules.success_signs.get(&it).into_iter().flatten();
        signs.iter().copied().chain(further.map(String::as_str)).any(is_new)
            || status.is_some_and(|it| same_text(it, SUCCESS) || states.contains(&it))
    })
}

/// Whether a text or number is also in the request, at any place.
fn is_echo(found: &Json, sent: &Json) -> bool {
    let Some(text) = found.as_text_or_number() else { return false };
    match sent {
        Json::Array(elements) => elements.iter().any(|it| is_echo(found, it)),
        Json::Object(members) => members.iter().any(|(_, it)| is_echo(found, it)),
        other => other.as_text_or_number() == Some(text),
    }
}

/// Whether the value is more than an empty placeholder.
fn has_content(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => false,
        Json::Bool(true) | Json::Number(_) => true,
        Json::String(text) => !text.trim().is_empty(),
        Json::Array(elements) => elements.iter().any(has_content),
        Json::Object(members) => members.iter().any(|(_, value)| has_content(value)),
    }
}

/// Names the members found, without their values.
fn no_success(json: &Json) -> String {
    const MOST_NAMES: usize = 12;
    let mut names = Vec::new();
    for (name, value) in json.as_object().iter().flat_map(|members| members.iter()) {
        let path = Path::Root.member(name);
        match value.as_object().filter(|inner| !inner.is_empty()) {
            Some(inner) => {
                names.extend(inner.iter().map(|(name, _)| path.member(name).to_string()))
            }
            None => names.push(path.to_string()),
        }
    }
    let found = match names.len() {
        0 => "it has no members".to_owned(),
        1..=MOST_NAMES => format!("its members are {}", names.join(", ")),
        more => format!(
            "its members are {} and {} more",
            names[..MOST_NAMES].join(", "),
            more - MOST_NAMES
        ),
    };
    format!(
        "the response shows no sign of success: {found}; check base_url, or add a sign to \
         success_signs"
    )
}

/// Checks that the response is about the subject of `sent`, at the top level or
/// in its object. The first identifier that it has decides.
fn check_reference(
    operation: Operation,
    sent: &Members,
    response: &Json,
    rules: &Rules,
) -> Result<(), Error> {
    let Some(Echo { object, members, exact }) = operation.definition().echo else { return Ok(()) };
    if !rules.check_references {
        return Ok(());
    }
    let holders = [(response.get(object), Path::Root.member(object)), (Some(response), Path::Root)];
    for (name, pointer) in members {
        let Some(expected) = value_at(sent, pointer).and_then(Json::as_str) else { continue };
        let mut is_named = false;
        for (holder, path) in &holders {
            let found = holder.and_then(|holder| holder.get(name));
            let Some(found) = found.and_then(Json::as_text_or_number) else { continue };
            let is_same = found == expected || !exact.contains(name) && same_text(found, expected);
            if !is_same {
                return Err(error_of_another_value(&path.member(name)));
            }
            is_named = true;
        }
        if is_named {
            break;
        }
    }
    Ok(())
}

/// A response about something else leaves the outcome of this request open.
fn error_of_another_value(path: &Path<'_>) -> Error {
    let message = "the response names a different value than the request, so it may belong to \
                   another operation; if the service reformats references, set check_references \
                   to false";
    Error::new(ErrorKind::Protocol, Outcome::Unknown, ErrorCode::OTHER_REFERENCE, message)
        .with_path(path.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::json::ParseOptions;
    use crate::model::request::json_of_refusal;

    fn error_of(operation: Operation, response: &str, rules: &Rules) -> Option<Error> {
        check_success(operation, &Json::parse(response.as_bytes()).unwrap(), rules).err()
    }

    #[test]
    fn every_sign_is_enough_unless_it_is_empty() {
        for operation in Operation::ALL {
            for pointer in operation.definition().success.map_or(&[][..], |it| it.signs) {
                for (value, is_sign) in
                    [(Json::from("x"), true), (Json::Null, false), (Json::from(" "), false)]
                {
                    let mut response = Json::Object(Members::new());
                    response.set_pointer(pointer, value).unwrap();
                    let checked = check_success(operation, &response, &Rules::default());
                    assert_eq!(checked.is_ok(), is_sign, "{operation} {pointer}");
                }
            }
        }
    }

    #[test]
    fn a_sign_of_the_configuration_is_enough_for_its_operation() {
        let signs = [(Operation::CreatePayment, vec!["/data/0/key".to_owned()])];
        let rules = Rules { success_signs: signs.into(), ..Rules::default() };
        let response = r#"{"data":[{"key":7}]}"#;
        assert!(error_of(Operation::CreatePayment, response, &rules).is_none());
        assert!(error_of(Operation::CreatePayment, response, &Rules::default()).is_some());
        assert!(error_of(Operation::CreatePayout, response, &rules).is_some());
    }

    fn shows_success(operation: Operation, body: &str, sent: &str, rules: &Rules) -> bool {
        let options = ParseOptions::new().max_values(100);
        let json = json_of_refusal(body.as_bytes(), options);
        json.is_some_and(|json| refusal_shows_success(operation, &json, sent.as_bytes(), rules))
    }

    #[test]
    fn a_refusal_shows_success_by_members_that_are_no_echo() {
        let sent = r#"{"payment":{"merchant_payment_code":"order-1"},"hash":"5a4f"}"#;
        for (operation, body, expected) in [
            (Operation::CreatePayment, r#"{"payment":{"hash":"77","status":"PE"}}"#, true),
            (Operation::CreatePayment, r#"{"status":"SUCCESS"}"#, true),
            (Operation::CreatePayment, r#"{"status":"PE"}"#, true),
            (Operation::CreatePayment, r#"{"payment":{"merchant_payment_code":"order-1"}}"#, false),
            (Operation::CreatePayment, r#"{"status":"ERROR","payment":{"hash":"77"}}"#, false),
            (Operation::CreatePayment, r#"{"code":"X-1","payment":{"hash":"77"}}"#, false),
            (Operation::CreatePayment, r#"{"errors":[{"no":1}],"payment":{"hash":"77"}}"#, false),
            (Operation::CreatePayment, r#"{"id":"request-7","message":"no"}"#, false),
            (Operation::CreatePayment, "", false),
            (Operation::CreatePayment, "\u{feff}{\"payment\":{\"hash\":\"77\"}}", true),
            (Operation::CreatePayment, r#"{"hash":"77","hash":"77"}"#, true),
            (Operation::RefundPayment, r#"{"hash":"5a4f"}"#, false),
            (Operation::RefundPayment, r#"{"refund":{"id":"7"}}"#, true),
            (Operation::CreatePayout, r#"{"type":"validation"}"#, false),
            (Operation::CreatePayout, r#"{"payout":{"uid":"7"}}"#, true),
            (Operation::Send, r#"{"payout":{"uid":"7"}}"#, true),
            (Operation::Send, r#"{"message":"no"}"#, false),
        ] {
            let shown = shows_success(operation, body, sent, &Rules::default());
            assert_eq!(shown, expected, "{operation} {body}");
        }
        let (body, sent) = (r#"{"payment":{"hash":"77"}}"#, r#"{"items":["5",{"id":"77"}]}"#);
        assert!(!shows_success(Operation::CreatePayment, body, sent, &Rules::default()));
    }

    #[test]
    fn a_refusal_shows_success_by_a_sign_of_the_configuration() {
        let signs = [(Operation::CreatePayment, vec!["/data/key".to_owned()])];
        let rules = Rules { success_signs: signs.into(), ..Rules::default() };
        let body = r#"{"data":{"key":"k-1"}}"#;
        for (operation, sent, expected) in [
            (Operation::CreatePayment, "{}", true),
            (Operation::CreatePayment, r#"{"key":"k-1"}"#, false),
            (Operation::Send, "{}", true),
            (Operation::CreatePayout, "{}", false),
        ] {
            let shown = shows_success(operation, body, sent, &rules);
            assert_eq!(shown, expected, "{operation} {sent}");
        }
    }

    #[test]
    fn the_message_names_the_finding_and_shows_no_value() {
        let response = r#"{"a":"secret","payment":{"b":1,"maria@example.com":2},"c":{}}"#;
        let error = error_of(Operation::QueryPayment, response, &Rules::default()).unwrap();
        assert!(error.message().contains("a, payment.b, payment.?, c;"), "{error}");
        assert!(!error.message().contains("secret"));
        let many: Vec<_> = (0..40).map(|index| format!("\"m{index}\":1")).collect();
        let many = format!("{{{}}}", many.join(","));
        let error = error_of(Operation::CreatePayment, &many, &Rules::default()).unwrap();
        assert!(error.message().contains("m11 and 28 more"), "{error}");
    }
}
