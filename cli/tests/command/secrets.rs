//! Failing runs print no secrets and no payer data.

use payments_sandbox::{At, Fault};
use serde_json::json;

use crate::support::{Merchant, Run, test_key};

const INTEGRATION_KEY: &str = "CANARY-integration-key";
const CLIENT_SECRET: &str = "CANARY-client-secret";
const NAME: &str = "CANARY-payer";
const EMAIL: &str = "CANARY@example.com";

fn merchant() -> Merchant {
    let merchant = Merchant::new();
    merchant.sandbox.configure(|config| {
        config.integration_key = INTEGRATION_KEY.to_owned();
        config.client_secret = CLIENT_SECRET.to_owned();
    });
    merchant.configure(|members| members["environment"] = json!("production"));
    merchant
}

fn pay(merchant: &Merchant) -> crate::support::Payments {
    let payment = crate::support::payment("order-1")
        .replace("Maria Souza", NAME)
        .replace("maria@example.com", EMAIL);
    merchant.payments(["create-payment", "-", "--timeout-ms", "3000"]).stdin(payment)
}

#[track_caller]
fn assert_shows_nothing(merchant: &Merchant, run: &Run) {
    assert_ne!(run.code, 0, "it was to fail: {}", run.text());
    let printed = format!("{}{}", run.text(), run.stderr);
    for canary in ["CANARY", "PRIVATE KEY", "Bearer", "eyJ"] {
        assert!(!printed.contains(canary), "{canary} in {printed}");
    }
    let key = std::fs::read_to_string(test_key("test_rsa_4096_pkcs8.pem")).unwrap();
    for line in key.lines().filter(|line| line.len() > 32) {
        assert!(!printed.contains(line));
    }
    for request in merchant.sandbox.requests() {
        for name in ["authorization", "x-jws-signature"] {
            if let Some(value) = request.header(name) {
                assert!(!printed.contains(value), "{name} in {printed}");
            }
        }
    }
}

#[test]
fn calls_that_fail_on_the_way_reveal_nothing() {
    for fault in [
        Fault::close(At::Head),
        Fault::reset(At::Body),
        Fault::execute_then_close(),
        Fault::hang(At::Body),
        Fault::garbage(),
        Fault::html(),
        Fault::truncated_json(),
        Fault::status(302),
        Fault::status(400),
        Fault::status(401),
        Fault::status(429),
        Fault::status(500),
    ] {
        let merchant = merchant();
        let name = fault.name();
        merchant.sandbox.script_next([fault]);
        // A 401 causes a new token and one retry.
        merchant.sandbox.script_next([Fault::status(401)]);
        let run = pay(&merchant).run();
        assert_shows_nothing(&merchant, &run);
        assert!(run.code == 1 || run.code == 3, "{name}");
    }
}

#[test]
fn configurations_that_do_not_work_reveal_nothing() {
    for (member, value) in [
        ("kid", json!("wrong")),
        ("kid", json!(7)),
        ("integration_key", json!("CANARY-wrong")),
        ("integration_key", json!(["CANARY-wrong"])),
        ("client_secret", json!("CANARY-wrong")),
        ("client_secret", json!("CANARY\nwrong")),
        ("base_url", json!("https://user:CANARY@nowhere.invalid")),
        ("auth_url", json!("https://nowhere.invalid?secret=CANARY")),
        ("proxy", json!("http://user:CANARY@nowhere.invalid:1")),
        ("proxy", json!("CANARY")),
        ("key", json!("-----BEGIN PRIVATE KEY-----\nCANARY")),
        ("key_file", json!("-----BEGIN PRIVATE KEY-----\nCANARY")),
        ("key_passphrase", json!(["CANARY"])),
    ] {
        let merchant = merchant();
        merchant.configure(|members| {
            if member == "key" {
                members.as_object_mut().unwrap().remove("key_file");
            }
            members[member] = value.clone();
        });
        let run = pay(&merchant).run();
        assert_shows_nothing(&merchant, &run);
    }
}

#[test]
fn requests_that_are_refused_here_reveal_nothing() {
    let merchant = merchant();
    for request in [
        r#"{"payment":{"name":"CANARY","email":7}}"#,
        r#"{"payment":{"name":"CANARY","card_number":"4111111111111111"}}"#,
        r#"{"payment":"CANARY"#,
        r#""CANARY""#,
    ] {
        let run = merchant.payments(["create-payment", "-"]).stdin(request).run();
        assert_shows_nothing(&merchant, &run);
        assert!(!run.stderr.contains("4111"));
    }
}

#[test]
fn the_message_of_the_service_is_shown_on_request() {
    let merchant = merchant();
    let said = json!({
        "status": "ERROR", "status_code": "BP-1", "status_message": format!("{NAME} is wrong")
    });
    let refusal = payments_sandbox::Response::json(200, &said);
    merchant.sandbox.script_next([Fault::response(refusal.clone()), Fault::response(refusal)]);
    let run = pay(&merchant).run();
    assert_shows_nothing(&merchant, &run);
    let failure = run.failure(1);
    assert_eq!((&failure["service_code"], failure.get("service_message")), (&json!("BP-1"), None));

    let payment = crate::support::payment("order-2");
    let shown = merchant.payments(["create-payment", "-", "--show-service-message"]).stdin(payment);
    let failure = shown.run().failure(1);
    assert_eq!(failure["service_message"], format!("{NAME} is wrong"));
}
