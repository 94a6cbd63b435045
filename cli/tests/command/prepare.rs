//! `payments prepare`: requests that are printed, not sent.

use payments_core::Operation;
use serde_json::{Value, json};

use crate::support::{Merchant, payment, takes_json};

#[test]
fn a_request_is_printed_without_secrets_and_not_sent() {
    let merchant = Merchant::new();
    let run = merchant.payments(["prepare", "create-payment", "-"]).stdin(payment("order-1")).run();
    let shown = run.response();
    assert_eq!(shown["operation"], "create_payment");
    assert_eq!(shown["method"], "POST");
    assert_eq!(shown["url"], format!("{}/ws/direct", merchant.sandbox.base_url()));
    assert_eq!(shown["headers"]["content-type"], "application/json");
    for name in ["Authorization", "X-JWS-Signature"] {
        let header = shown["headers"].as_object().unwrap().iter();
        let mut header = header.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        assert_eq!(header.next().unwrap().1, "***", "{name}: {shown}");
    }
    let body = shown["body"].as_str().unwrap();
    assert!(body.contains(r#""amount_total":100.10"#), "{body}");
    assert!(body.contains(r#""integration_key":"***""#), "{body}");
    assert!(!run.text().contains(&merchant.sandbox.config().integration_key));
    assert!(merchant.service_requests().is_empty());
    assert_eq!(merchant.sandbox.token_requests(), 1);
}

#[test]
fn secrets_are_shown_on_request() {
    let merchant = Merchant::new();
    let key = merchant.sandbox.config().integration_key;
    for arguments in [
        ["prepare", "--show-secrets", "create-payment", "-"],
        ["prepare", "create-payment", "-", "--show-secrets"],
    ] {
        let run = merchant.payments(arguments).stdin(payment("order-1")).run();
        let shown = run.response();
        let body = shown["body"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(body).unwrap()["integration_key"], key);
        assert!(!run.text().contains("***") && run.text().contains("Bearer "), "{shown}");
    }
}

#[test]
fn the_key_in_a_query_and_in_the_callers_bytes_is_masked() {
    let merchant = Merchant::new();
    let run = merchant.run(["prepare", "query-payment", "abc"]);
    let url = run.response()["url"].as_str().unwrap().to_owned();
    assert!(url.contains("hash=abc") && url.contains("integration_key=***"), "{url}");
    for body in
        [r#"{"a": [{"integration_key": "CANARY"}]}"#, r#"{"integration_key": "\u0043ANARY"}"#]
    {
        let run = merchant.run(["prepare", "send", "POST", "/ws/x", body]);
        assert!(!run.response()["body"].as_str().unwrap().contains("ANARY"), "{}", run.text());
    }
    let binary = merchant.payments(["prepare", "send", "POST", "/ws/x", "-"]).stdin(b"\xff").run();
    assert_eq!(binary.response()["body_base64"], "/w==");
    assert!(merchant.service_requests().is_empty());
}

#[test]
fn every_operation_is_prepared_by_the_example_of_its_help() {
    let merchant = Merchant::new();
    for operation in Operation::ALL.into_iter().filter(|it| takes_json(*it)) {
        let name = operation.name().replace('_', "-");
        let help = merchant.run(["prepare", &name, "--help"]).text().to_owned();
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        let example = examples.replace("\\\n", " ");
        let example = example.lines().next().unwrap().replace("'Maria Souza'", "Maria");
        let words: Vec<_> = example.split_whitespace().skip(1).collect();
        let payments = merchant.payments(&words).env("PAYMENTS_PAYOUT_QUERY", "true");
        let shown = payments.run().response();
        assert_eq!(shown["operation"], operation.name(), "{example}");
        assert_eq!(shown["method"], operation.method());
    }
    assert!(merchant.service_requests().is_empty());
}

#[test]
fn a_request_that_breaks_a_rule_fails_as_the_call_would() {
    let merchant = Merchant::new();
    let failure = merchant.run(["prepare", "refund-payment", "abc", "--amount", "1e3"]).failure(1);
    assert_eq!((&failure["kind"], &failure["path"]), (&json!("validation"), &json!("amount")));
    assert!(failure["message"].as_str().unwrap().ends_with("it comes from --amount"), "{failure}");
    assert_eq!(merchant.run(["prepare"]).failure(2)["code"], "invalid_arguments");
}
