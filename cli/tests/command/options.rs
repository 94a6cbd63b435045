//! Request members given as options.

use serde_json::{Value, json};

use crate::support::{Merchant, payment};

const PAYMENT: [&str; 16] = [
    "--name",
    "Maria Souza",
    "--email",
    "maria@example.com",
    "--country",
    "br",
    "--payment-type-code",
    "pix",
    "--merchant-payment-code",
    "order-1",
    "--currency-code",
    "BRL",
    "--amount-total",
    "100.10",
    "--document",
    "853.513.468-93",
];

fn last_body(merchant: &Merchant) -> String {
    String::from_utf8(merchant.sandbox.requests().pop().unwrap().body).unwrap()
}

#[test]
fn a_payment_is_created_from_options_and_keeps_its_digits() {
    let merchant = Merchant::new();
    let response = merchant.run(["create-payment"].iter().chain(&PAYMENT)).response();
    assert_eq!(response["status"], "PE");
    let body = last_body(&merchant);
    assert!(body.contains(r#""payment":{"name":"Maria Souza","email""#), "{body}");
    assert!(body.contains(r#""amount_total":100.10,"#), "{body}");
}

#[test]
fn a_payout_is_created_from_options_and_its_payee_has_a_prefix() {
    let merchant = Merchant::new();
    let response = merchant.run([
        "create-payout",
        "--external-reference",
        "payout-1",
        "--country",
        "br",
        "--amount",
        "10.00",
        "--currency-code",
        "BRL",
        "--target",
        "pix_key",
        "--target-account",
        "joao@example.com",
        "--payee-name",
        "João Silva",
        "--payee-extra",
        r#"{"bank":"001"}"#,
    ]);
    assert!(response.response()["uid"].is_string());
    let body = last_body(&merchant);
    assert!(body.contains(r#""payee":{"name":"João Silva","bank":"001"}"#), "{body}");
}

#[test]
fn tracking_codes_are_given_more_than_once_plain_or_as_json() {
    let merchant = Merchant::new();
    let run = merchant.run([
        "register-tracking",
        "--order-number",
        "1",
        "--email",
        "maria@example.com",
        "--tracking-code",
        "A1",
        "--tracking-code",
        r#"{"tracking_code":"B2"}"#,
    ]);
    let response = run.response();
    let codes: Vec<&Value> =
        response["result"].as_array().unwrap().iter().map(|it| &it["tracking_code"]).collect();
    assert_eq!(codes, ["A1", "B2"]);
    let failure = merchant.run(["register-tracking", "--tracking-code", "{"]).failure(2);
    assert_eq!(failure["code"], "invalid_arguments");
}

#[test]
fn options_override_a_file_standard_input_and_json_text() {
    let merchant = Merchant::new();
    std::fs::write(merchant.folder.join("request.json"), payment("order-1")).unwrap();
    let options = ["--merchant-payment-code", "order-2", "--amount-total", "2.50"];
    for source in ["request.json", "-", &payment("order-1")] {
        let arguments = ["prepare", "create-payment", source].into_iter().chain(options);
        let shown = merchant.payments(arguments).stdin(payment("order-1")).run().response();
        let body = shown["body"].as_str().unwrap();
        assert!(body.contains(r#""merchant_payment_code":"order-2""#), "{body}");
        assert!(body.contains(r#""amount_total":2.50"#) && !body.contains("order-1"), "{body}");
    }
    let failure = merchant.run(["query-payment", "request.json", "--hash", "a", "--extra", "{"]);
    assert_eq!(failure.failure(2)["code"], "invalid_arguments");
}

#[test]
fn required_members_that_are_missing_are_named_by_their_options() {
    let merchant = Merchant::new();
    let failure = merchant.run(["create-payment", "--name", "Maria", "--country", "br"]).failure(1);
    assert_eq!((&failure["code"], &failure["path"]), (&json!("required"), &json!("payment.email")));
    let message = failure["message"].as_str().unwrap();
    for option in ["--email", "--payment-type-code", "--amount-total", "--document"] {
        assert!(message.contains(option), "{failure}");
    }
    assert!(!message.contains("--name") && !message.contains("--country"), "{failure}");
    let failure = merchant.run(["create-payout", "--amount", "1"]).failure(1);
    assert!(failure["message"].as_str().unwrap().contains("--payee-name"), "{failure}");
    let failure = merchant.run(["query-payment", "--extra", "{}"]).failure(1);
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("give --hash or --merchant-payment-code"), "{failure}");
    assert!(merchant.sandbox.requests().is_empty());
}

#[test]
fn values_of_the_wrong_type_name_their_option() {
    let merchant = Merchant::new();
    for (option, value) in [
        ("--amount-total", "ten"),
        ("--amount-total", "-5"),
        ("--amount-total", ""),
        ("--country", "BR"),
        ("--currency-code", "R$"),
    ] {
        let mut words: Vec<_> = ["create-payment"].into_iter().chain(PAYMENT).collect();
        let place = words.iter().position(|word| *word == option).unwrap();
        words[place + 1] = value;
        let failure = merchant.run(&words).failure(1);
        assert_eq!(failure["kind"], "validation", "{failure}");
        let message = failure["message"].as_str().unwrap();
        assert!(message.ends_with(&format!("it comes from {option}")), "{failure}");
    }
    assert!(merchant.sandbox.requests().is_empty());
}

#[test]
fn a_misspelled_option_is_refused_with_a_suggestion() {
    let merchant = Merchant::new();
    for (wrong, meant) in [
        ("--amount_total", "--amount-total"),
        ("--curency-code", "--currency-code"),
        ("--payment-type", "--payment-type-code"),
    ] {
        let failure = merchant.run(["create-payment", wrong, "1"]).failure(2);
        assert_eq!(failure["code"], "invalid_arguments");
        assert!(failure["message"].as_str().unwrap().contains(meant), "{failure}");
    }
    let run = merchant.run(["create-payment", "--name", "A", "--name", "B"]);
    assert_eq!(run.failure(2)["code"], "invalid_arguments");
}
