//! The vectors that all languages share, and how the core is asked about them.

use std::path::Path;

use payments_core::config::Rules;
use payments_core::error::Error;
use payments_core::json::{Json, Members};
use payments_core::operation::Operation;
use payments_core::operations::{
    Answer, CreatePayment, CreatePayout, Draft, DraftBody, QueryPayment, RefundPayment,
    RegisterTracking, Request,
};

/// The vector file of that name in `tests/vectors`.
pub fn load(name: &str) -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors").join(name);
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Json::parse(&text).unwrap_or_else(|error| panic!("{name}: {} {error}", error.path()))
}

/// The cases of a vector file.
pub fn cases(name: &str) -> Vec<Json> {
    load(name).get("cases").and_then(Json::as_array).expect("cases").to_vec()
}

/// A text member of a case.
pub fn text<'c>(case: &'c Json, name: &str) -> &'c str {
    case.get(name).and_then(Json::as_str).unwrap_or_else(|| panic!("{name} must be a text"))
}

/// The operation of a case.
pub fn operation(case: &Json) -> Operation {
    Operation::from_name(text(case, "operation")).expect("a known operation")
}

/// The defaults with what a case says in `config`.
pub fn rules(case: &Json) -> Rules {
    let mut rules = Rules::default();
    for (name, value) in
        case.get("config").and_then(Json::as_object).iter().flat_map(|it| it.iter())
    {
        match name {
            "refund_hash_member" => {
                value.as_str().unwrap().clone_into(&mut rules.refund_hash_member)
            }
            "duplicate_codes" => {
                let codes = value.as_array().unwrap().iter();
                rules.duplicate_codes =
                    codes.map(|code| code.as_str().unwrap().to_owned()).collect();
            }
            other => panic!("unknown config member {other}"),
        }
    }
    rules
}

/// The draft of a request given as JSON text.
pub fn draft(operation: Operation, input: &[u8], rules: &Rules) -> Result<Draft, Error> {
    match operation {
        Operation::CreatePayment => CreatePayment::from_json(input)?.draft(rules),
        Operation::QueryPayment => QueryPayment::from_json(input)?.draft(rules),
        Operation::RefundPayment => RefundPayment::from_json(input)?.draft(rules),
        Operation::CreatePayout => CreatePayout::from_json(input)?.draft(rules),
        Operation::RegisterTracking => RegisterTracking::from_json(input)?.draft(rules),
        other => panic!("{other} takes no JSON"),
    }
}

/// The view of an answer to a request that held `codes` tracking codes.
pub fn view(
    operation: Operation,
    answer: Answer,
    codes: usize,
    rules: &Rules,
) -> Result<Json, Error> {
    match operation {
        Operation::CreatePayment => {
            let request = CreatePayment::from_json(b"{}")?;
            request.read_answer(answer, rules).map(|it| it.view())
        }
        Operation::QueryPayment => {
            QueryPayment::by_hash("x").read_answer(answer, rules).map(|it| it.view())
        }
        Operation::RefundPayment => {
            RefundPayment::new("x").read_answer(answer, rules).map(|it| it.view())
        }
        Operation::CreatePayout => {
            let request = CreatePayout::from_json(b"{}")?;
            request.read_answer(answer, rules).map(|it| it.view())
        }
        Operation::RegisterTracking => {
            let codes = vec![Json::from("AA1"); codes];
            let body = Members::from([("tracking_code", codes)]).to_bytes();
            let request = RegisterTracking::from_json(&body)?;
            request.read_answer(answer, rules).map(|it| it.view())
        }
        other => panic!("{other} has no typed answer"),
    }
}

/// The body of a draft as text.
pub fn body_text(draft: &Draft) -> String {
    match &draft.body {
        DraftBody::Empty => String::new(),
        DraftBody::Members(members) => String::from_utf8(members.to_bytes()).unwrap(),
        DraftBody::Bytes { bytes, .. } => String::from_utf8(bytes.clone()).unwrap(),
    }
}
