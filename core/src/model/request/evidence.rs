//! Checks that a 2xx shows a sign of success from its operation's table.

use super::read::{reports_failure, undecodable};
use super::words::{SUCCESS, json_of_refusal, names_code};
use crate::model::error::{Error, ErrorCode};
use crate::model::json::path::Path;
use crate::model::json::{Json, ParseOptions};
use crate::model::operation::{Operation, Success};
use crate::model::rules::{Rules, same_text};

/// Checks that the response shows a sign of success.
pub(super) fn check(operation: Operation, json: &Json, rules: &Rules) -> Result<(), Error> {
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
        _ => Err(undecodable(ErrorCode::NO_SIGN_OF_SUCCESS, message(json))),
    }
}

/// Signs that a refusal may have without being executed, such as the id of the
/// request.
const WEAK: [&str; 3] = ["/id", "/uid", "/type"];

/// Whether the body of a refusal says that the operation was executed: it shows
/// a sign of success that does not echo `sent`, and no word of failure. Not
/// stated in the interface: which refusals have a body.
pub(crate) fn refusal_shows_success(
    operation: Operation,
    body: &[u8],
    sent: &[u8],
    rules: &Rules,
    options: ParseOptions<'_>,
) -> bool {
    let Some(json) = json_of_refusal(body, options) else { return false };
    let names_error = |name| json.get(name).is_some_and(has_content);
    if reports_failure(&json, rules) || names_code(&json) || names_error("errors") {
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
fn message(json: &Json) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::json::Members;

    fn error_of(operation: Operation, response: &str, rules: &Rules) -> Option<Error> {
        check(operation, &Json::parse(response.as_bytes()).unwrap(), rules).err()
    }

    #[test]
    fn every_sign_is_enough_and_nothing_in_its_place_is_not() {
        for operation in Operation::ALL {
            for pointer in operation.definition().success.map_or(&[][..], |it| it.signs) {
                for (value, is_sign) in
                    [(Json::from("x"), true), (Json::Null, false), (Json::from(" "), false)]
                {
                    let mut response = Json::Object(Members::new());
                    response.set_pointer(pointer, value).unwrap();
                    let checked = check(operation, &response, &Rules::default());
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
            let options = ParseOptions::new().max_values(100);
            let (body_, sent) = (body.as_bytes(), sent.as_bytes());
            let shown = refusal_shows_success(operation, body_, sent, &Rules::default(), options);
            assert_eq!(shown, expected, "{operation} {body}");
        }
        let (body, sent) = (br#"{"payment":{"hash":"77"}}"#, br#"{"items":["5",{"id":"77"}]}"#);
        let (rules, options) = (Rules::default(), ParseOptions::new().max_values(100));
        assert!(!refusal_shows_success(Operation::CreatePayment, body, sent, &rules, options));
    }

    #[test]
    fn a_refusal_shows_success_by_a_sign_of_the_configuration() {
        let signs = [(Operation::CreatePayment, vec!["/data/key".to_owned()])];
        let rules = Rules { success_signs: signs.into(), ..Rules::default() };
        let body = br#"{"data":{"key":"k-1"}}"#;
        for (operation, sent, expected) in [
            (Operation::CreatePayment, "{}", true),
            (Operation::CreatePayment, r#"{"key":"k-1"}"#, false),
            (Operation::Send, "{}", true),
            (Operation::CreatePayout, "{}", false),
        ] {
            let options = ParseOptions::new().max_values(100);
            let shown = refusal_shows_success(operation, body, sent.as_bytes(), &rules, options);
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
