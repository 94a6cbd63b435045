//! Codes of the service do not decide outcomes, except for those that the
//! configuration lists as duplicate or doubtful.

use std::path::Path;

use payments_core::ErrorKind::{Rejected, Status};
use payments_core::Outcome::{NotExecuted, Unknown};
use payments_core::json::Json;
use payments_core::request::RefundPayment;
use payments_core::rules::Rules;
use payments_core::{Client, Error, ErrorKind, Outcome};
use payments_sandbox::{Fault, Require, Response, Sandbox, SandboxConfig};
use serde_json::{Value, json};

use crate::support::calls;

/// Where a response has its code.
type Body = fn(&str) -> Vec<u8>;
/// An operation that moves money.
type Call = fn(&Client) -> Result<(), Error>;
/// A response, and the results with any other code and with one that the configuration lists.
type Row = (u16, Body, [(ErrorKind, Outcome); 2]);

const PAYMENT: Call = |it| it.create_payment(&calls::payment("order-1")).map(drop);
const REFUND: Call = |it| it.refund_payment(&RefundPayment::by_hash("5f2c")).map(drop);
const PAYOUT: Call = |it| it.create_payout(&calls::payout("payout-1")).map(drop);

const READABLE: Body = |code| bytes(&json!({"status": "ERROR", "status_code": code}));
const CUT_OFF: Body = |code| format!(r#"{{"status":"ERROR","status_code":"{code}""#).into_bytes();
const API_ERROR: Body = |code| bytes(&json!({"type": "api_error", "code": code, "message": "no"}));
const IN_ANOTHER_MEMBER: Body = |code| bytes(&json!({"status": "ERROR", "code": code}));
const IN_THE_MESSAGE: Body = |code| bytes(&json!({"status": "ERROR", "status_message": code}));

/// The table "Outcome of failures" in `docs/interface.md`.
const ROWS: [Row; 6] = [
    (400, READABLE, [(Status, NotExecuted), (Rejected, Unknown)]),
    (422, CUT_OFF, [(Status, Unknown); 2]),
    (500, READABLE, [(Status, Unknown); 2]),
    (503, READABLE, [(Status, Unknown); 2]),
    (200, IN_ANOTHER_MEMBER, [(Rejected, Unknown); 2]),
    (200, IN_THE_MESSAGE, [(Rejected, Unknown); 2]),
];

fn bytes(body: &Value) -> Vec<u8> {
    body.to_string().into_bytes()
}

/// All codes of `spec/service_codes.toml`, in whose lines they are JSON too.
fn known_codes() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/service_codes.toml");
    let file = std::fs::read_to_string(path).unwrap();
    let lists = file.lines().filter_map(|line| line.strip_prefix("codes = "));
    let lists = lists.map(|list| Json::parse(list.as_bytes()).unwrap());
    let codes: Vec<String> = lists
        .flat_map(|list| list.as_array().unwrap().to_vec())
        .map(|code| code.as_str().unwrap().to_owned())
        .collect();
    assert!(codes.len() >= 70 && codes.contains(&"HP-CM-21".to_owned()), "{codes:?}");
    codes
}

#[test]
fn a_code_that_is_known_changes_no_outcome() {
    let require = Require { integration_key: true, ..Require::NOTHING };
    let sandbox = Sandbox::start(SandboxConfig { require, ..SandboxConfig::default() }).unwrap();
    let config = calls::config(sandbox.base_url());
    let client = Client::new(config.integration_key(sandbox.config().integration_key)).unwrap();
    let Rules { duplicate_codes, doubtful_codes, .. } = Rules::default();
    let listed = [duplicate_codes, doubtful_codes].concat();
    let outcome_of = |call: Call, status, body: Vec<u8>| {
        sandbox.script_next([Fault::response(Response { body, ..Response::empty(status) })]);
        let error = call(&client).unwrap_err();
        (error.kind(), error.outcome())
    };
    // The first is one that nobody knows.
    let codes = std::iter::once("ZZ-1".to_owned()).chain(known_codes());
    for code in codes {
        let is_listed = usize::from(listed.contains(&code));
        for (status, body, expected) in ROWS {
            for call in [PAYMENT, REFUND, PAYOUT] {
                let found = outcome_of(call, status, body(&code));
                assert_eq!(found, expected[is_listed], "{status} {code}");
            }
        }
        assert_eq!(outcome_of(PAYOUT, 200, API_ERROR(&code)), (Rejected, Unknown), "{code}");
    }
}
