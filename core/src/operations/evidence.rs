//! Checks that a 2xx shows a sign of success from its operation's table.

use super::read::undecodable;
use crate::config::{Rules, same_text};
use crate::error::Error;
use crate::json::Json;
use crate::json::path::Path;
use crate::operation::{Operation, Success};

/// A `status` that describes the call, not the payment or payout.
pub(super) const SUCCESS: &str = "SUCCESS";

/// Checks that the response shows a sign of success.
pub(super) fn check(operation: Operation, json: &Json, rules: &Rules) -> Result<(), Error> {
    let Some(Success { signs, states, lone_success }) = operation.definition().success else {
        return Ok(());
    };
    let stands_at = |pointer: &str| json.pointer(pointer).is_some_and(says_something);
    let further = rules.success_signs.get(&operation);
    if signs.iter().any(|pointer| stands_at(pointer))
        || further.is_some_and(|pointers| pointers.iter().any(|pointer| stands_at(pointer)))
    {
        return Ok(());
    }
    match json.get("status").and_then(Json::as_str) {
        Some(status) if lone_success && same_text(status, SUCCESS) => Ok(()),
        Some(status) if states.contains(&status) => Ok(()),
        _ => Err(undecodable("no_sign_of_success", message(json))),
    }
}

/// Whether the value is more than an empty placeholder.
fn says_something(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => false,
        Json::Bool(true) | Json::Number(_) => true,
        Json::String(text) => !text.trim().is_empty(),
        Json::Array(elements) => elements.iter().any(says_something),
        Json::Object(members) => members.iter().any(|(_, value)| says_something(value)),
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
    use crate::json::Members;

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
    fn the_message_names_what_was_found_and_shows_no_value() {
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
