//! Names in texts for people, as the language of the caller writes them.
//!
//! A text of the core names a function of a client as `query_payment()`, and an option of
//! a call as `timeout_ms`, both in backticks. Everything else in it is the same in every
//! language: members of requests and of the configuration, and operations as values.

use std::borrow::Cow;

/// The options of a call that languages write differently.
const OPTIONS: [&str; 2] = ["timeout_ms", "ensure_wait_ms"];

/// How a caller writes functions and the options of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// As the core: `query_payment()` and `timeout_ms`.
    SnakeCase,
    /// `queryPayment()` and `timeoutMs`.
    CamelCase,
    /// `payments query-payment` and `--timeout-ms`.
    Command,
}

/// A text of the core for a caller with this spelling.
pub fn spelled(text: &str, spelling: Spelling) -> String {
    let parts: Vec<_> = text.split('`').collect();
    let is_quoted = |at: usize| at > 0 && at + 1 < parts.len();
    let written = parts.iter().enumerate().map(|(at, part)| match part.strip_suffix("()") {
        Some(function) if is_quoted(at) && is_name(function) => spelling.function(part, function),
        None if is_quoted(at) && OPTIONS.contains(part) => spelling.option(part),
        _ => Cow::Borrowed(*part),
    });
    written.collect::<Vec<_>>().join("`")
}

/// `http_status` as `httpStatus`.
pub fn in_camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut whole, part| {
        let mut letters = part.chars();
        whole.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        whole + letters.as_str()
    })
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')
}

impl Spelling {
    fn function<'t>(self, call: &'t str, name: &str) -> Cow<'t, str> {
        match self {
            Self::SnakeCase => call.into(),
            Self::CamelCase => (in_camel_case(name) + "()").into(),
            Self::Command => format!("payments {}", name.replace('_', "-")).into(),
        }
    }

    fn option(self, name: &str) -> Cow<'_, str> {
        match self {
            Self::SnakeCase => name.into(),
            Self::CamelCase => in_camel_case(name).into(),
            Self::Command => format!("--{}", name.replace('_', "-")).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use payments_core::{Operation, Outcome};

    use super::*;

    #[test]
    fn functions_and_options_are_written_as_the_caller_has_them() {
        let advice = Outcome::Executed.advice(Operation::CreatePayment).unwrap();
        for (spelling, function, option) in [
            (Spelling::SnakeCase, "query_payment()", "timeout_ms"),
            (Spelling::CamelCase, "queryPayment()", "timeoutMs"),
            (Spelling::Command, "payments query-payment", "--timeout-ms"),
        ] {
            let said = spelled(advice, spelling);
            assert!(said.ends_with(&format!("; call `{function}` for its state")), "{said}");
            let raise = spelled("raise `timeout_ms` if that needs longer", spelling);
            assert_eq!(raise, format!("raise `{option}` if that needs longer"));
        }
    }

    #[test]
    fn the_first_word_of_a_name_is_lower_case() {
        for (name, ours) in [("kind", "kind"), ("qr_code_value", "qrCodeValue"), ("", "")] {
            assert_eq!(in_camel_case(name), ours);
        }
    }

    #[test]
    fn members_and_values_are_written_as_they_are() {
        for text in [
            "set exactly one of `hash` and `merchant_payment_code`",
            "the operations are create_payment, send",
            "raise `connect_timeout_ms`, or timeout_ms",
            "see `a b()`, `()` and query_payment()",
            "timeout_ms",
            "`timeout_ms",
        ] {
            assert_eq!(spelled(text, Spelling::CamelCase), text);
        }
    }
}
