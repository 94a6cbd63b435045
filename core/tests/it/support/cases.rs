//! Access to the test vectors that all languages share.

use std::path::Path;

use payments_core::error::Error;
use payments_core::inside::AnyRequest;
use payments_core::json::{Json, Members};
use payments_core::operation::Operation;
use payments_core::request::{Draft, DraftBody, RawResponse, Request};
use payments_core::rules::Rules;

/// Loads a vector file from `tests/vectors`.
pub fn load(name: &str) -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors").join(name);
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Json::parse(&text).unwrap_or_else(|error| panic!("{name}: {} {error}", error.path()))
}

/// The cases of a vector file.
pub fn cases(name: &str) -> Vec<Json> {
    load(name).get("cases").and_then(Json::as_array).expect("cases").to_vec()
}

/// A string member of a case.
pub fn text<'c>(case: &'c Json, name: &str) -> &'c str {
    case.get(name).and_then(Json::as_str).unwrap_or_else(|| panic!("{name} must be a text"))
}

/// The operation of a case.
pub fn operation(case: &Json) -> Operation {
    Operation::from_name(text(case, "operation")).expect("a known operation")
}

/// The default rules, with those from a case's `config` applied.
pub fn rules(case: &Json) -> Rules {
    // A case without a request is only about the response.
    let check_references = case.get("request").is_some();
    let mut rules = Rules { check_references, ..Rules::default() };
    for (name, value) in
        case.get("config").and_then(Json::as_object).iter().flat_map(|it| it.iter())
    {
        match name {
            "refund_hash_member" => {
                value.as_str().unwrap().clone_into(&mut rules.refund_hash_member)
            }
            "duplicate_codes" => rules.duplicate_codes = texts(value),
            "doubtful_codes" => rules.doubtful_codes = texts(value),
            "check_references" => rules.check_references = value.as_bool().unwrap(),
            "next_action_rule" => rules.next_action_rule = value.as_bool().unwrap(),
            "not_found_codes" => rules.not_found_codes = texts(value),
            "failure_statuses" => rules.failure_statuses = texts(value),
            "success_signs" => {
                let signs = value.as_object().unwrap().iter();
                let signs = signs
                    .map(|(name, pointers)| (Operation::from_name(name).unwrap(), texts(pointers)));
                rules.success_signs = signs.collect();
            }
            other => panic!("unknown config member {other}"),
        }
    }
    rules
}

fn texts(list: &Json) -> Vec<String> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Drafts a request given as JSON text.
pub fn draft(operation: Operation, input: &[u8], rules: &Rules) -> Result<Draft, Error> {
    request_of(operation, input)?.draft(rules)
}

fn request_of(operation: Operation, input: &[u8]) -> Result<AnyRequest, Error> {
    let request = AnyRequest::from_json(operation, input, b"")?;
    Ok(request.unwrap_or_else(|| panic!("{operation} takes no JSON")))
}

/// The request that a case's response belongs to.
pub fn request(case: &Json) -> Vec<u8> {
    let given = case.get("request").map(Json::to_bytes);
    given.unwrap_or_else(|| match operation(case) {
        Operation::QueryPayment | Operation::RefundPayment => br#"{"hash":"x"}"#.to_vec(),
        Operation::RegisterTracking => {
            let codes = case.get("sent_tracking_codes").and_then(Json::as_i64).unwrap_or(1);
            let codes = vec![Json::from("AA1"); codes as usize];
            Members::from([("tracking_code", codes)]).to_bytes()
        }
        _ => b"{}".to_vec(),
    })
}

/// The view of a response.
pub fn view(
    operation: Operation,
    request: &[u8],
    response: RawResponse,
    rules: &Rules,
) -> Result<Json, Error> {
    request_of(operation, request)?.read_response(response, rules).map(|it| it.view)
}

pub fn body_text(draft: &Draft) -> String {
    match &draft.body {
        DraftBody::Empty => String::new(),
        DraftBody::Members(members) => String::from_utf8(members.to_bytes()).unwrap(),
        DraftBody::Bytes { bytes, .. } => String::from_utf8(bytes.to_vec()).unwrap(),
    }
}
