//! Exit codes, and the JSON report of a failure.

use payments_core::Operation;
use payments_sandbox::{Fault, FaultScript, Response};
use serde_json::{Value, json};

use crate::support::{Merchant, Payments, new_folder, payment};

#[test]
fn a_refusal_by_the_service_is_1() {
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
    assert!(failure["advice"].as_str().unwrap().contains("payments query-payment"), "{failure}");
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
    // Not a port that another test could be given.
    merchant.configure(|members| {
        for address in ["base_url", "auth_url"] {
            members[address] = json!("http://127.0.0.1:1");
        }
    });
    let run = merchant.payments(["create-payment", "-"]).stdin(payment("order-1")).run();
    let failure = run.failure(1);
    assert_eq!(failure["outcome"], "not_executed");
    let message = failure["message"].as_str().unwrap();
    for part in ["127.0.0.1:1", "connection refused", "check auth_url"] {
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

/// The exit code and the failure of a command whose output cannot be written.
#[cfg(target_os = "linux")]
fn without_output(merchant: &Merchant, arguments: &[&str]) -> (Option<i32>, Value) {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_payments"))
        .args(arguments)
        .current_dir(&merchant.folder)
        .env("XDG_CACHE_HOME", merchant.folder.join("cache"))
        .stdout(full)
        .output()
        .unwrap();
    (output.status.code(), serde_json::from_slice(&output.stderr).unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn a_response_that_cannot_be_written_is_4() {
    let merchant = Merchant::new();
    std::fs::write(merchant.folder.join("payment.json"), payment("order-1")).unwrap();
    let (exit, failure) = without_output(&merchant, &["create-payment", "payment.json"]);
    assert_eq!((exit, &failure["code"]), (Some(4), &json!("response_lost")));
    assert_eq!(failure["outcome"], "executed");
    assert!(failure["advice"].as_str().unwrap().contains("does not mean paid"), "{failure}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_unwritten_picture_is_not_called_the_response() {
    let merchant = Merchant::new();
    std::fs::write(merchant.folder.join("payment.json"), payment("order-1")).unwrap();
    let run = merchant.run(["create-payment", "payment.json", "--qr", "/dev/full"]);
    assert!(run.text().contains("qr_code_value"), "{}", run.text());
    let failure: Value = serde_json::from_str(&run.stderr).unwrap();
    let found = (run.code, &failure["code"], &failure["outcome"]);
    assert_eq!(found, (4, &json!("response_lost"), &json!("executed")));
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("its QR code could not be written to /dev/full"), "{message}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_unwritten_response_of_a_send_keeps_its_outcome() {
    let merchant = Merchant::new();
    for (status, exit, outcome) in [("ERROR", 3, "unknown"), ("SUCCESS", 4, "executed")] {
        let body = json!({"status": status, "payment": {"hash": "5a"}});
        merchant.sandbox.script_next([Fault::response(Response::json(200, &body))]);
        let arguments = ["send", "POST", "/ws/direct", "{}"];
        let (found, failure) = without_output(&merchant, &arguments);
        assert_eq!((found, &failure["code"]), (Some(exit), &json!("response_lost")), "{failure}");
        assert_eq!(failure["outcome"], outcome, "{failure}");
    }
}

#[test]
fn a_refusal_says_how_to_see_its_reason() {
    let merchant = Merchant::new();
    merchant.configure(|members| members["environment"] = json!("production"));
    let body =
        json!({"status": "ERROR", "status_code": "BP-REF-CAN-2", "status_message": "CANARY"});
    for (status, part) in [
        (200, "the service refused the operation: there is no such payment"),
        (400, "the service refused the request with status 400 (bad request): there is no such"),
    ] {
        merchant.sandbox.script_next([Fault::response(Response::json(status, &body))]);
        let refund = ["refund-payment", "abc", "--amount", "1.50"];
        let hidden = merchant.run(refund).failure(1);
        let message = hidden["message"].as_str().unwrap();
        assert!(message.starts_with(part), "{hidden}");
        assert!(message.contains("; --show-service-message shows"), "{hidden}");
        assert!(!hidden.to_string().contains("CANARY"), "{hidden}");
        merchant.sandbox.script_next([Fault::response(Response::json(status, &body))]);
        let shown = merchant.run([&refund[..], &["--show-service-message"]].concat()).failure(1);
        assert_eq!(shown["service_message"], "CANARY");
        assert!(!shown["message"].as_str().unwrap().contains("--show"), "{shown}");
    }
}

#[test]
fn a_sandbox_on_this_host_needs_no_option_to_say_why() {
    let merchant = Merchant::new();
    let refused = merchant.run(["refund-payment", "abc", "--amount", "1.50"]).failure(1);
    assert_eq!(refused["service_message"], "payment not found");
    let message = refused["message"].as_str().unwrap();
    let hint = "this does not look like a hash; is it a `merchant_payment_code`?";
    assert!(
        message.ends_with(&format!("; the service says \"payment not found\"; {hint}")),
        "{message}"
    );
    let hash = "0".repeat(48);
    let refused = merchant.run(["query-payment", &hash]).failure(1);
    assert_eq!(refused["code"], "payment_not_found");
    assert!(!refused["message"].as_str().unwrap().contains("look like a hash"), "{refused}");
}

#[test]
fn explain_says_what_happened_and_what_to_do() {
    let explain = |code: &str| Payments::new(&new_folder(), ["explain", code]).run();
    let found: Value = serde_json::from_str(explain("duplicate_reference").text()).unwrap();
    assert_eq!(
        (&found["name"], &found["kind"]),
        (&json!("duplicate_reference"), &json!("rejected"))
    );
    for (member, part) in [("cause", "was used before"), ("remedy", "Query the payment")] {
        assert!(found[member].as_str().unwrap().contains(part), "{found}");
    }
    assert_eq!(found["outcome"], "Perhaps (unknown). Do not send it again before you know.");
    assert!(!found["messages"].as_array().unwrap().is_empty(), "{found}");
    assert_eq!(
        explain("rejected/Duplicate_Reference").text(),
        explain("duplicate_reference").text()
    );
    let lost: Value = serde_json::from_str(explain("response_lost").text()).unwrap();
    assert_eq!(lost["kind"], "io");
    assert!(lost["outcome"].as_str().unwrap().contains("executed"), "{lost}");

    let all = Payments::new(&new_folder(), ["explain"]).run();
    let all: Value = serde_json::from_str(all.text()).unwrap();
    assert!(all["entries"].as_array().unwrap().contains(&lost), "{all}");

    let known: Value = serde_json::from_str(explain("bp-ref-7").text()).unwrap();
    assert_eq!(known["name"], "BP-REF-7");
    assert!(known["cause"].as_str().unwrap().contains("confirmed"), "{known}");

    let failure = explain("duplicate_referense").failure(2);
    assert_eq!(failure["code"], "invalid_arguments");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("did you mean duplicate_reference"), "{message}");
    assert!(message.ends_with("? `payments explain` lists all"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_colors_unless_they_are_not_wanted() {
    let merchant = Merchant::new();
    let shown = |name: &str, value: &str| {
        let run = Payments::on_terminal(&merchant.folder, ["query-payment", "5a4f"]);
        let run = run.env("TERM", "xterm").env("NO_COLOR", "").env(name, value).run();
        assert!(run.code == 1 && run.text().contains("payment_not_found"), "{run:?}");
        run.text().to_owned()
    };
    assert!(shown("TERM", "xterm").starts_with("\x1b[1merror    \x1b[0mthe service"));
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        assert!(shown(name, value).starts_with("error    the service"), "{name}");
    }
}
