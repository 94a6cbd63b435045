//! Exit codes, and the JSON report of a failure.

use payments_core::Operation;
use payments_sandbox::{Fault, FaultScript, Response};
use serde_json::{Value, json};

use crate::support::{Merchant, payment};

#[test]
fn refused_by_the_service_is_1() {
    let merchant = Merchant::new();
    let failure = merchant.run(["query-payment", "0000"]).failure(1);
    assert_eq!(failure["kind"], "rejected");
    assert_eq!(failure["outcome"], "not_executed");
    assert_eq!(failure["operation"], "query_payment");
    assert!(failure["service_code"].is_string());
}

#[test]
fn invalid_requests_are_1_and_name_the_member() {
    let merchant = Merchant::new();
    for (request, path) in [
        (r#"{"payment":{"name":1}}"#, json!("payment.name")),
        (r#"{"payment":{"name":"a","name":"b"}}"#, json!("payment.name")),
        ("[]", Value::Null),
        ("{", Value::Null),
    ] {
        let failure = merchant.payments(["create-payment", "-"]).stdin(request).run().failure(1);
        assert_eq!((&failure["kind"], &failure["path"]), (&json!("validation"), &path));
    }
    assert!(merchant.sandbox.requests().is_empty());
}

#[test]
fn an_unknown_outcome_is_3_and_says_how_to_find_out() {
    let merchant = Merchant::new();
    let cut =
        FaultScript::for_operation(Operation::CreatePayment, vec![Fault::execute_then_close()]);
    merchant.sandbox.script_fault(cut);
    let run = merchant.payments(["create-payment", "-"]).stdin(payment("order-1")).run();
    let failure = run.failure(3);
    assert_eq!(failure["outcome"], "unknown");
    assert_eq!(failure["reference"], "order-1");
    assert!(failure["advice"].as_str().unwrap().contains("query_payment"), "{failure}");
    let found = merchant.run(["query-payment", "--merchant-payment-code", "order-1"]).response();
    assert_eq!(found["status"], "PE");
    assert_eq!(merchant.sandbox.payments().len(), 1);
}

#[test]
fn a_reference_used_before_is_3() {
    let merchant = Merchant::new();
    merchant.pay("order-1");
    let run = merchant.payments(["create-payment", "-"]).stdin(payment("order-1")).run();
    assert_eq!(run.failure(3)["code"], "duplicate_reference");
}

#[test]
fn silence_ends_at_the_deadline() {
    let merchant = Merchant::new();
    merchant.sandbox.script_next([Fault::hang(payments_sandbox::At::Body)]);
    let started = std::time::Instant::now();
    let run = merchant
        .payments(["create-payment", "-", "--timeout-ms", "8000"])
        .stdin(payment("order-1"))
        .run();
    assert_eq!(run.failure(3)["kind"], "timeout");
    assert!(started.elapsed().as_secs() < 60);
}

#[test]
fn an_unreachable_service_is_1() {
    let merchant = Merchant::new();
    merchant.sandbox.stop();
    let run = merchant.payments(["create-payment", "-"]).stdin(payment("order-1")).run();
    let failure = run.failure(1);
    assert_eq!(failure["outcome"], "not_executed");
    let message = failure["message"].as_str().unwrap();
    let address = merchant.sandbox.base_url().strip_prefix("http://").unwrap();
    for part in [address, "connection refused", "check auth_url"] {
        assert!(message.contains(part), "{failure}");
    }
}

#[test]
fn a_401_carries_a_diagnosis() {
    let merchant = Merchant::new();
    merchant.configure(|members| members["kid"] = json!("another-kid"));
    let failure = merchant.run(["query-payment", "0000"]).failure(1);
    assert_eq!(failure["kind"], "unauthorized");
    assert_eq!(failure["diagnosis"]["finding"], "cannot_tell", "{failure}");
    assert_eq!(merchant.sandbox.token_requests(), 2);
}

#[test]
fn a_response_that_cannot_be_written_is_4() {
    let merchant = Merchant::new();
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        return;
    };
    std::fs::write(merchant.folder.join("payment.json"), payment("order-1")).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_payments"))
        .args(["create-payment", "payment.json"])
        .current_dir(&merchant.folder)
        .env("XDG_CACHE_HOME", merchant.folder.join("cache"))
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4));
    let failure: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(failure["code"], "response_lost");
    assert_eq!(failure["outcome"], "executed");
    assert!(failure["advice"].as_str().unwrap().contains("does not mean paid"), "{failure}");
}

#[test]
fn a_refusal_says_how_to_see_its_reason() {
    let merchant = Merchant::new();
    let body =
        json!({"status": "ERROR", "status_code": "BP-REF-CAN-2", "status_message": "CANARY"});
    for (status, told) in [
        (200, "the service refused the operation (BP-REF-CAN-2); --show-service-message"),
        (400, "the service refused the request with status 400; --show-service-message"),
    ] {
        merchant.sandbox.script_next([Fault::response(Response::json(status, &body))]);
        let hidden = merchant.run(["refund-payment", "abc"]).failure(1);
        assert!(hidden["message"].as_str().unwrap().starts_with(told), "{hidden}");
        assert!(!hidden.to_string().contains("CANARY"), "{hidden}");
        merchant.sandbox.script_next([Fault::response(Response::json(status, &body))]);
        let shown = merchant.run(["refund-payment", "abc", "--show-service-message"]).failure(1);
        assert_eq!(shown["service_message"], "CANARY");
        assert!(!shown["message"].as_str().unwrap().contains("--show"), "{shown}");
    }
}
