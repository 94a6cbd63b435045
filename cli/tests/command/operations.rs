//! The subcommands of all operations.

use payments_core::Operation;
use serde_json::{Value, json};

use crate::support::{Merchant, payment, takes_json};

#[test]
fn a_payment_is_created_queried_paid_and_refunded() {
    let merchant = Merchant::new();
    let file = merchant.folder.join("payment.json");
    std::fs::write(&file, payment("order-1")).unwrap();
    let created = merchant.run(["create-payment", "payment.json"]).response();
    assert_eq!(created["status"], "PE");
    assert_eq!(created["is_paid"], false);
    assert!(created["qr_code_value"].as_str().unwrap().starts_with("000201"));
    let hash = created["hash"].as_str().unwrap();

    for arguments in [
        vec!["query-payment", hash],
        vec!["query-payment", "--hash", hash],
        vec!["query-payment", "--merchant-payment-code", "order-1"],
        vec!["query-payment", r#"{"merchant_payment_code":"order-1"}"#],
    ] {
        assert_eq!(merchant.run(&arguments).response()["hash"], hash, "{arguments:?}");
    }
    merchant.sandbox.confirm_payment(hash).unwrap();
    assert_eq!(merchant.run(["query-payment", hash]).response()["is_paid"], true);

    let refund = merchant.run(["refund-payment", hash, "--amount", "50.05"]).response();
    assert_eq!(refund["refund_status"], "RE");
    let rest = json!({"hash": hash, "amount": "50.05"}).to_string();
    merchant.payments(["refund-payment", "-"]).stdin(rest).run().response();
    assert_eq!(merchant.sandbox.payment(hash).unwrap().refunds.len(), 2);
}

#[test]
fn a_payment_is_ensured_once() {
    let merchant = Merchant::new();
    std::fs::write(merchant.folder.join("payment.json"), payment("order-1")).unwrap();
    let ensure = |more: &[&str]| merchant.run([&["ensure-payment", "payment.json"], more].concat());
    let created = ensure(&[]).response();
    assert_eq!((&created["is_created"], &created["unchecked"]), (&json!(true), &json!([])));
    let found = ensure(&[]).response();
    assert_eq!((&found["is_created"], &found["hash"]), (&json!(false), &created["hash"]));
    let other = ensure(&["--amount-total", "200.00"]).failure(3);
    assert_eq!((&other["code"], &other["outcome"]), (&json!("reference_used"), &json!("unknown")));
    assert_eq!(merchant.sandbox.payments().len(), 1);
}

#[test]
fn the_code_of_a_payment_is_written_as_a_picture() {
    let merchant = Merchant::new();
    std::fs::write(merchant.folder.join("payment.json"), payment("order-1")).unwrap();
    let created = merchant.run(["create-payment", "payment.json", "--qr", "code.svg"]).response();
    assert_eq!(created["next_action"]["kind"], "qr_code");
    let picture = std::fs::read_to_string(merchant.folder.join("code.svg")).unwrap();
    assert!(picture.contains("<svg"), "{picture}");

    assert_eq!(picture, payments_core::qr_svg(created["qr_code_value"].as_str().unwrap()).unwrap());

    let hash = created["hash"].as_str().unwrap();
    for (name, more, size) in
        [("code.png", vec![], 6), ("A.PNG", vec!["--qr-module-size", "9"], 9), (".png", vec![], 6)]
    {
        let queried = merchant.run([&["query-payment", hash, "--qr", name], &more[..]].concat());
        let code = queried.response()["qr_code_value"].as_str().unwrap().to_owned();
        let written = std::fs::read(merchant.folder.join(name)).unwrap();
        assert_eq!(written, payments_core::qr_png(&code, size).unwrap().unwrap(), "{name}");
    }

    let before = merchant.sandbox.requests().len();
    for refused in [
        vec!["--qr", "code.jpg"],
        vec!["--qr", "code.svg", "--qr-module-size", "9"],
        vec!["--qr", "code.png", "--qr-module-size", "0"],
        vec!["--qr-module-size", "9"],
    ] {
        let run = merchant.run([&["query-payment", hash], &refused[..]].concat());
        assert_eq!(run.failure(2)["kind"], "usage", "{refused:?}");
    }
    for (file, problem) in
        [("missing/code.svg", "there is no folder missing"), (".", ". is a folder")]
    {
        let refused = merchant.run(["query-payment", hash, "--qr", file]);
        assert_eq!(refused.failure(1)["code"], "output_failed");
        assert!(refused.stderr.contains(problem), "{}", refused.stderr);
    }
    assert_eq!(merchant.sandbox.requests().len(), before, "nothing was sent");
}

#[test]
fn amounts_reach_the_wire_as_they_were_written() {
    let merchant = Merchant::new();
    let hash = merchant.pay("order-1");
    assert_eq!(merchant.sandbox.payment(&hash).unwrap().amount_total, "100.10");
    let response = merchant.run(["query-payment", &hash]).response();
    assert_eq!(response["response"]["payment"]["amount_br"], "100.10");
    merchant.sandbox.confirm_payment(&hash).unwrap();
    merchant.run(["refund-payment", &hash, "--amount", "1.50"]).response();
    let body = merchant.sandbox.requests().pop().unwrap().body;
    assert!(String::from_utf8(body).unwrap().contains(r#""amount":1.50"#));
}

#[test]
fn a_payout_is_created_and_queried() {
    let merchant = Merchant::new();
    let payout = json!({
        "external_reference": "payout-1", "country": "br", "amount": "10.00",
        "currency_code": "BRL", "target": "pix_key", "target_account": "joao@example.com",
        "payee": {"name": "João Silva", "email": "joao@example.com", "document": "853.513.468-93", "document_type": "CPF"},
    });
    let response = merchant.payments(["create-payout"]).stdin(payout.to_string()).run().response();
    let uid = response["uid"].as_str().unwrap();
    assert_eq!(merchant.sandbox.payouts()[0].amount, "10.00");
    for arguments in [
        vec!["query-payout", uid],
        vec!["query-payout", "--external-reference", "payout-1"],
        vec!["query-payout", r#"{"external_reference":"payout-1"}"#],
    ] {
        let payments = merchant.payments(&arguments).env("PAYMENTS_PAYOUT_QUERY", "true");
        let found = payments.run().response();
        assert_eq!((&found["uid"], &found["amount"]), (&json!(uid), &json!("10.00")));
    }
}

#[test]
fn tracking_codes_are_registered_in_their_order() {
    let merchant = Merchant::new();
    let tracking = json!({
        "order_number": "1", "email": "maria@example.com",
        "tracking_code": ["A1", {"tracking_code": "B2", "items": [{"sku": "x", "quantity": 1}]}],
    });
    let run = merchant.payments(["register-tracking", "-"]).stdin(tracking.to_string()).run();
    let response = run.response();
    let codes: Vec<&Value> =
        response["result"].as_array().unwrap().iter().map(|it| &it["tracking_code"]).collect();
    assert_eq!(codes, ["A1", "B2"]);
    assert_eq!(response["count_mismatch"], Value::Null);
}

#[test]
fn every_operation_of_the_table_reaches_the_service() {
    let merchant = Merchant::new();
    for operation in Operation::ALL.into_iter().filter(|it| takes_json(*it)) {
        let name = operation.name().replace('_', "-");
        let failure = merchant.payments([name.as_str(), "-"]).stdin("{}").run().failure(1);
        assert_eq!(failure["kind"], "validation", "{failure}");
        assert_eq!(failure["operation"], operation.name());
    }
    assert!(merchant.sandbox.requests().is_empty());
}

#[test]
fn a_request_given_twice_or_not_at_all_is_usage() {
    let merchant = Merchant::new();
    std::fs::write(merchant.folder.join("query.json"), r#"{"hash":"a"}"#).unwrap();
    for (arguments, code) in [
        (vec!["create-payment"], "invalid_arguments"),
        (vec!["query-payment"], "invalid_arguments"),
        (vec!["create-payment", "nowhere.json"], "file_unreadable"),
        (vec!["create-payment", "."], "file_unreadable"),
        (vec!["query-payment", "nowhere.json"], "file_unreadable"),
        (vec!["query-payment", "abc", "--hash", "abc"], "invalid_arguments"),
    ] {
        let failure = merchant.run(&arguments).failure(2);
        assert_eq!(failure["code"], code, "{arguments:?} {failure}");
    }
}

#[test]
fn a_misspelled_amount_refunds_nothing() {
    let merchant = Merchant::new();
    let hash = merchant.pay("order-1");
    merchant.sandbox.confirm_payment(&hash).unwrap();
    for member in ["amount_total", "amout", "Amount", "refund_amount"] {
        let request = json!({"hash": hash, member: "10.00"}).to_string();
        let failure = merchant.run(["refund-payment", &request]).failure(1);
        assert_eq!(
            (&failure["code"], &failure["path"]),
            (&json!("member_unknown"), &json!(member))
        );
        let message = failure["message"].as_str().unwrap();
        assert!(message.contains("`amount`") && message.contains("`extra`"), "{failure}");
    }
    let nothing = json!({"hash": hash, "amount": null}).to_string();
    assert_eq!(merchant.run(["refund-payment", &nothing]).failure(1)["path"], "amount");
    let failure = merchant.run(["refund-payment", &hash, "--amout", "10.00"]).failure(2);
    assert_eq!(failure["code"], "invalid_arguments");
    assert!(merchant.sandbox.payment(&hash).unwrap().refunds.is_empty());
}

#[test]
fn unknown_members_are_given_as_extra() {
    let merchant = Merchant::new();
    let hash = merchant.pay("order-1");
    merchant.sandbox.confirm_payment(&hash).unwrap();
    let last_body = || String::from_utf8(merchant.sandbox.requests().pop().unwrap().body).unwrap();
    let extra = r#"{"reason":"late","rate":0.50}"#;
    merchant.run(["refund-payment", &hash, "--amount", "1.50", "--extra", extra]).response();
    assert!(
        last_body().ends_with(r#""amount":1.50,"reason":"late","rate":0.50}"#),
        "{}",
        last_body()
    );
    let request = json!({"extra": {"reason": "late"}, "hash": hash, "amount": "1.50"}).to_string();
    merchant.run(["refund-payment", &request]).response();
    assert!(last_body().ends_with(r#""amount":1.50,"reason":"late"}"#), "{}", last_body());
    for (extra, code, exit) in [
        ("[1]", "invalid_arguments", 2),
        ("reason", "invalid_arguments", 2),
        (r#"{"amount":1}"#, "conflicting_members", 1),
        (r#"{"card_number":"4111111111111111"}"#, "card_number", 1),
    ] {
        let failure = merchant.run(["refund-payment", &hash, "--extra", extra]).failure(exit);
        assert_eq!(failure["code"], code, "{failure}");
    }
}
