//! The service's words about a failure: codes, messages and hashes, wherever
//! they are in a body.

use payments_base::invisible::without_mark;
use payments_base::spelling::has_letters_of;

use crate::model::error::looks_like_code;
use crate::model::json::{Json, ParseOptions};
use crate::model::rules::{contains_code, same_text};

/// A top-level `status` that describes the call, not the payment or payout.
pub(super) const SUCCESS: &str = "SUCCESS";

pub(super) const STATUS_CODE: &str = "status_code";
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

/// How many objects and arrays deep any text may be a code.
const LEVELS: u32 = 4;

/// The service's words about a failure, as far as the body can be read.
#[derive(Default)]
pub(crate) struct ServiceWords {
    /// The service's code, for example `BP-DR-0`.
    pub(crate) code: Option<String>,
    /// The service's message. It may repeat payer data.
    pub(crate) message: Option<String>,
    /// The payment hash in the body.
    pub(crate) hash: Option<String>,
    /// The values of all members that can hold a code.
    codes: Vec<String>,
    /// The words of all members that may mention a code, and the texts that may be one.
    mentioned: Vec<String>,
}

impl ServiceWords {
    /// The service's code, if it is one that errors show.
    pub(super) fn shown_code(&self) -> Option<&str> {
        self.code.as_deref().filter(|code| looks_like_code(code))
    }

    /// Whether one of the service's codes is in `list`.
    pub(crate) fn has_code_in(&self, list: &[String]) -> bool {
        self.codes.iter().any(|code| contains_code(list, code))
    }

    /// Like [`has_code_in`](Self::has_code_in), also in a message, in an array, under another
    /// spelling of the member, or as a whole text anywhere, [`LEVELS`] deep: for codes
    /// that must not be overlooked.
    pub(crate) fn names_code_in(&self, list: &[String]) -> bool {
        self.has_code_in(list) || self.mentioned.iter().any(|word| contains_code(list, word))
    }
}

/// The JSON of a refusal, whose flaws do not matter. `None` if the body is not
/// JSON or exceeds the limits of `options`.
pub(crate) fn json_of_refusal(body: &[u8], options: ParseOptions<'_>) -> Option<Json> {
    Json::parse_with(without_mark(body), options.keeping_duplicates()).ok()
}

/// The service's code, message and payment hash. Members that cannot be read
/// are `None`.
///
/// Not stated in the interface; we look for `status_code`, `code` or `error`,
/// for `status_message`, `message` or `error_description`, and for
/// `payment.hash` or `hash`.
pub(crate) fn words_of(json: &Json) -> ServiceWords {
    let first = |names: &[&str]| {
        let found = names.iter().find_map(|name| text_with_content(json, name));
        found.map(|text| text.trim().to_owned())
    };
    let (mut codes, mut mentioned) = (Vec::new(), Vec::new());
    collect_codes(json, &mut codes);
    collect_mentioned(json, false, &mut mentioned);
    collect_texts(json, LEVELS, &mut mentioned);
    ServiceWords {
        code: first(&[STATUS_CODE, "code", "error"]),
        message: first(&["status_message", "message", "error_description"]),
        hash: text_at(json, &["/payment/hash", "/hash"]).map(str::to_owned),
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

/// Collects the texts in so many levels.
fn collect_texts(json: &Json, levels: u32, texts: &mut Vec<String>) {
    match (json, levels.checked_sub(1)) {
        (Json::String(text), _) => texts.push(text.clone()),
        (Json::Array(elements), Some(rest)) => {
            elements.iter().for_each(|it| collect_texts(it, rest, texts));
        }
        (Json::Object(members), Some(rest)) => {
            members.iter().for_each(|(_, value)| collect_texts(value, rest, texts));
        }
        _ => {}
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

pub(super) fn text_with_content<'a>(json: &'a Json, name: &str) -> Option<&'a str> {
    json.get(name)?.as_text_or_number().filter(|text| !text.trim().is_empty())
}

/// The text at the first of these JSON Pointers that has one.
pub(super) fn text_at<'a>(json: &'a Json, pointers: &[&str]) -> Option<&'a str> {
    pointers.iter().find_map(|pointer| json.pointer(pointer)?.as_str())
}

/// Like [`text_at`], for the state of the operation's object: a top-level
/// `status` that describes the call does not count.
pub(super) fn state_at<'a>(json: &'a Json, pointers: &[&str]) -> Option<&'a str> {
    let is_of_call = |text: &str| [SUCCESS, "ERROR"].iter().any(|word| same_text(text, word));
    pointers.iter().find_map(|&pointer| {
        text_at(json, &[pointer]).filter(|text| pointer != "/status" || !is_of_call(text))
    })
}

/// Like [`text_at`], for a text that may be sent as a number.
pub(super) fn text_or_number_at<'a>(json: &'a Json, pointers: &[&str]) -> Option<&'a str> {
    pointers.iter().find_map(|pointer| json.pointer(pointer)?.as_text_or_number())
}

/// Whether the first of these places with a boolean has `true`.
pub(super) fn flag_at(json: &Json, pointers: &[&str]) -> bool {
    let found = pointers.iter().find_map(|pointer| json.pointer(pointer)?.as_bool());
    found.unwrap_or(false)
}

/// Whether the body has a code of the service, at any depth.
pub(super) fn names_code(json: &Json) -> bool {
    let mut codes = Vec::new();
    collect_codes(json, &mut codes);
    !codes.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::rules::Rules;

    fn words_in(body: impl AsRef<[u8]>) -> Option<ServiceWords> {
        json_of_refusal(body.as_ref(), ParseOptions::new()).as_ref().map(words_of)
    }

    #[test]
    fn service_words_are_found_where_they_can_be() {
        for (body, code, message, hash) in [
            (
                r#"{"status":"ERROR","status_code":"BP-1","status_message":"no","payment":{"hash":"5a"}}"#,
                Some("BP-1"),
                Some("no"),
                Some("5a"),
            ),
            (
                r#"{"error":"invalid_client","error_description":"who?","hash":"5b"}"#,
                Some("invalid_client"),
                Some("who?"),
                Some("5b"),
            ),
            (r#"{"code":404,"message":{"a":1},"code":5}"#, Some("404"), None, None),
        ] {
            let words = words_in(body).unwrap();
            let found = (words.code.as_deref(), words.message.as_deref(), words.hash.as_deref());
            assert_eq!(found, (code, message, hash), "{body}");
        }
        for unreadable in [&b""[..], b"<html>", b"\xff", b"{\"code\":"] {
            assert!(words_in(unreadable).is_none());
        }
        for empty in ["[1]", "null"] {
            assert!(words_in(empty).is_some_and(|words| words.code.is_none()), "{empty}");
        }
    }

    #[test]
    fn a_code_of_a_duplicate_is_found_anywhere() {
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
            (r#"{"details":[{"issue":" BP-DR-0"}]}"#, true),
            (r#"{"result":{"details":[{"issue":"bp-dr-0"}]}}"#, true),
            (r#"{"result":{"more":{"details":[{"issue":"BP-DR-0"}]}}}"#, false),
            (r#"{"details":[{"issue":"not BP-DR-0"}]}"#, false),
        ] {
            let words = words_in(body).unwrap();
            assert_eq!(words.names_code_in(&list), is_found, "{body}");
        }
    }
}
