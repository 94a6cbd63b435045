//! Refused requests: those the interface does not allow, and those that are
//! plainly wrong. The README says which is which.

use payments_core::json::Json;
use payments_core::operation::{Operation, Presence, RequestMember};
use payments_core::request::{CreatePayout, Payee, Payout};
use payments_core::{Client, Config};

use crate::support::{Connection, create_payment, get, payment_body, post, start, start_with};
use payments_sandbox::{RefundStatus, Sandbox};
use serde_json::{Value, json};

fn payment() -> Value {
    serde_json::from_slice(&payment_body("a")).unwrap()
}

fn payout() -> Value {
    json!({"external_reference": "payout-1", "country": "br", "amount": 12.5, "currency_code": "BRL",
        "target": "pix_key", "target_account": "a@example.com", "payee": {"name": "N",
        "email": "e@x.y", "document": "85351346893", "document_type": "CPF"}})
}

fn tracking() -> Value {
    json!({"order_number": "o", "email": "e@x.y", "payment_hash": "h", "tracking_code": ["A",
        {"tracking_code": "B", "items": [{"sku": "s", "name": "n", "description": "d",
            "unit_price": 1, "quantity": 2, "type": "t"}],
         "address": {"zipcode": "z", "address": "a", "street_number": "1",
            "street_complement": "c", "city": "c", "state": "s", "country": "BR"}}]})
}

/// Returns the message of a refusal, after checking that nothing was executed.
#[track_caller]
fn refusal(sandbox: &Sandbox, path: &str, body: &Value) -> String {
    let response = post(sandbox, path, body.to_string().as_bytes());
    let json = response.json();
    assert_eq!(response.status, 200, "{json}");
    assert!(!sandbox.requests().pop().unwrap().executed, "{body}");
    if path == "/ws/payout/create" {
        assert_eq!(json["type"], "invalid_request_error");
    } else {
        assert_eq!(json["status"], "ERROR");
    }
    let message = json.get("status_message").or_else(|| json.get("message")).unwrap();
    message.as_str().unwrap().to_owned()
}

#[test]
fn a_value_outside_of_the_interface_is_refused_with_its_place() {
    let sandbox = start();
    let wrong: [(&str, Value, &str, Value); 24] = [
        ("/ws/direct", payment(), "/payment/country", json!("BR")),
        ("/ws/direct", payment(), "/payment/country", json!("brazil")),
        ("/ws/direct", payment(), "/payment/currency_code", json!("reais")),
        ("/ws/direct", payment(), "/payment/amount_total", json!(0)),
        ("/ws/direct", payment(), "/payment/amount_total", json!(0.00)),
        ("/ws/direct", payment(), "/payment/amount_total", json!(-1)),
        ("/ws/direct", payment(), "/payment/amount_total", json!("100.10")),
        ("/ws/direct", payment(), "/payment/name", json!(" ")),
        ("/ws/direct", payment(), "/payment/name", json!(1)),
        ("/ws/direct", payment(), "/payment/document", json!("")),
        ("/ws/direct", payment(), "/payment", json!([])),
        ("/ws/payout/create", payout(), "/country", json!("BR")),
        ("/ws/payout/create", payout(), "/currency_code", json!("R$")),
        ("/ws/payout/create", payout(), "/amount", json!(0)),
        ("/ws/payout/create", payout(), "/amount", json!(-12.5)),
        ("/ws/payout/create", payout(), "/amount", json!("12.5")),
        ("/ws/payout/create", payout(), "/payee", json!("N")),
        ("/ws/payout/create", payout(), "/payee/document", json!(1)),
        ("/ws/tracking", tracking(), "/tracking_code/1/items/0/unit_price", json!(49.90)),
        ("/ws/tracking", tracking(), "/tracking_code/1/items/0/quantity", json!("2")),
        ("/ws/tracking", tracking(), "/tracking_code/1/address/country", json!("br")),
        ("/ws/tracking", tracking(), "/tracking_code/1/address", json!([])),
        ("/ws/tracking", tracking(), "/tracking_code/0", json!("")),
        ("/ws/tracking", tracking(), "/payment_hash", json!(1)),
    ];
    for (path, mut body, pointer, value) in wrong {
        *body.pointer_mut(pointer).unwrap() = value;
        let place = pointer[1..].replace("/0", "[0]").replace("/1", "[1]").replace('/', ".");
        let message = refusal(&sandbox, path, &body);
        assert!(message.starts_with(&format!("{place}: ")), "{message}");
    }
    assert!(sandbox.payments().is_empty() && sandbox.payouts().is_empty());
    for (path, body) in
        [("/ws/direct", payment()), ("/ws/payout/create", payout()), ("/ws/tracking", tracking())]
    {
        post(&sandbox, path, body.to_string().as_bytes());
        assert!(sandbox.requests().pop().unwrap().executed, "{path}");
    }
}

#[test]
fn library_and_sandbox_agree_on_required_members() {
    use Operation::{CreatePayment, CreatePayout, RegisterTracking};
    let sandbox = start_with(|config| config.accept_repeats = true);
    let objects: [(Operation, &str, Value, &str, &[&str]); 8] = [
        (CreatePayment, "/ws/direct", payment(), "", &[]),
        (CreatePayment, "/ws/direct", payment(), "/payment", &["payment"]),
        (CreatePayout, "/ws/payout/create", payout(), "", &[]),
        (CreatePayout, "/ws/payout/create", payout(), "/payee", &["payee"]),
        (RegisterTracking, "/ws/tracking", tracking(), "", &[]),
        (RegisterTracking, "/ws/tracking", tracking(), "/tracking_code/1", &["tracking_code"]),
        (
            RegisterTracking,
            "/ws/tracking",
            tracking(),
            "/tracking_code/1/items/0",
            &["tracking_code", "items"],
        ),
        (
            RegisterTracking,
            "/ws/tracking",
            tracking(),
            "/tracking_code/1/address",
            &["tracking_code", "address"],
        ),
    ];
    let mut looked_at = 0;
    for (operation, path, whole, object, names) in objects {
        let inner = |fields: &'static [RequestMember], name: &&str| {
            fields.iter().find(|field| field.name == *name).unwrap().shape.fields()
        };
        for field in names.iter().fold(operation.fields(), inner) {
            let mut body = whole.clone();
            let members = body.pointer_mut(object).unwrap().as_object_mut().unwrap();
            if members.remove(field.name).is_none() {
                continue;
            }
            post(&sandbox, path, body.to_string().as_bytes());
            let members = whole.pointer(object).unwrap().to_string();
            let members = Json::parse(members.as_bytes()).unwrap();
            let is_needed = match field.presence_in(members.as_object().unwrap()) {
                Presence::Required | Presence::OneOf => true,
                Presence::AtLeastOne | Presence::Optional => false,
            };
            let executed = sandbox.requests().pop().unwrap().executed;
            assert_eq!(executed, !is_needed, "{path} {object}/{}", field.name);
            looked_at += 1;
        }
    }
    assert!(looked_at > 35, "{looked_at}");
}

#[test]
fn a_payee_needs_a_name_or_a_document_and_nothing_else() {
    let sandbox = start();
    let config = Config::new(sandbox.base_url()).integration_key(sandbox.config().integration_key);
    let client = Client::new(config).unwrap();
    let named = Payee { name: Some("N".into()), ..Payee::default() };
    let known = Payee { document: Some("85351346893".into()), ..Payee::default() };
    for payee in [named, known] {
        let request = CreatePayout::new(Payout {
            external_reference: "payout-1".into(),
            country: "br".into(),
            amount: "12.50".parse().unwrap(),
            currency_code: "BRL".into(),
            payee: Some(payee),
            ..Payout::default()
        });
        let response = client.create_payout(&request).unwrap();
        assert_eq!(response.status().map(|status| status.to_string()).as_deref(), Some("OP"));
    }
    assert_eq!(sandbox.payouts().len(), 2);
    let mut nameless = payout();
    nameless["payee"] = json!({"email": "e@x.y", "name": " "});
    let refused = refusal(&sandbox, "/ws/payout/create", &nameless);
    assert_eq!(refused, "payee.name: at least one of name and document is required");
}

#[test]
fn a_payout_has_a_payee_or_the_id_of_a_registered_one() {
    let sandbox = start();
    let refused = |body: &Value| refusal(&sandbox, "/ws/payout/create", body);
    let mut both = payout();
    both["payee_uuid"] = json!("00000000-0000-4000-a000-000000000000");
    let message = "payee: exactly one of payee and payee_uuid is required";
    assert_eq!(refused(&both), message);
    let mut neither = payout();
    neither.as_object_mut().unwrap().remove("payee");
    assert_eq!(refused(&neither), message);
    let mut account = payout();
    account["payee"]["bank_info"] = json!("0001");
    assert_eq!(refused(&account), "payee.bank_info: must be an object");
    account["payee"]["bank_info"] = json!({"bank_branch": "0001"});
    account.as_object_mut().unwrap().remove("target_account");
    assert_eq!(refused(&account), "target_account: required for target \"pix_key\"");
    account.as_object_mut().unwrap().remove("target");
    let mut registered = both;
    registered.as_object_mut().unwrap().remove("payee");
    for body in [account, registered] {
        post(&sandbox, "/ws/payout/create", body.to_string().as_bytes());
        assert!(sandbox.requests().pop().unwrap().executed, "{body}");
    }
}

#[test]
fn a_mistake_that_is_certain_is_refused_unless_lenient() {
    let with = |mut body: Value, pointer: &str, value: Value| {
        *body.pointer_mut(pointer).unwrap() = value;
        body
    };
    let long = |count: usize| json!("x".repeat(count));
    let method = "/payment/payment_type_code";
    let mut with_order = payment();
    with_order["payment"]["order_number"] = long(41);
    let mut bodies = vec![("/ws/direct", with_order, "BP-DR-10")];
    for (pointer, value, code) in [
        (method, json!("pixx"), "BP-DR-35"),
        (method, json!("PIX"), "BP-DR-35"),
        (method, json!("oxxo"), "BP-DR-35"),
        (method, long(33), "BP-DR-10"),
        ("/payment/document", json!("853.513.468-92"), "BP-DR-22"),
        ("/payment/document", json!("8535134689"), "BP-DR-22"),
        ("/payment/document", json!("11.222.333/0001-80"), "BP-DR-22"),
        ("/payment/name", long(101), "BP-DR-10"),
        ("/payment/email", long(101), "BP-DR-10"),
        ("/payment/merchant_payment_code", long(41), "BP-DR-10"),
        ("/payment/currency_code", json!("brl"), "SANDBOX-INVALID"),
    ] {
        bodies.push(("/ws/direct", with(payment(), pointer, value), code));
    }
    for (pointer, value, code) in [
        ("/external_reference", long(5), "HP-CM-02"),
        ("/external_reference", long(41), "HP-CM-02"),
        ("/target_account", json!("Maria"), "HP-BR-03"),
        ("/payee/document", json!("85351346892"), "HP-CM-13"),
        ("/currency_code", json!("brl"), "HP-CM-13"),
    ] {
        bodies.push(("/ws/payout/create", with(payout(), pointer, value), code));
    }
    let sandbox = start_with(|config| config.accept_repeats = true);
    let hash = confirmed(&sandbox);
    let refund = json!({"hash": hash, "amount": 1, "merchant_refund_code": "x".repeat(21)});
    bodies.push(("/ws/refund", refund, "SANDBOX-INVALID"));
    for (path, body, code) in &bodies {
        let message = refusal(&sandbox, path, body);
        let response = sandbox.requests().pop().unwrap().response.unwrap();
        let response: Value = serde_json::from_slice(&response.body).unwrap();
        let sent = response.get("status_code").or_else(|| response.get("code"));
        assert_eq!(sent, Some(&json!(code)), "{body}");
        let found = payments_host::lint(
            Json::parse(body.to_string().as_bytes()).unwrap().as_object().unwrap(),
        );
        assert_eq!(message, format!("{}: {}", found[0].path, found[0].message));
    }
    assert_eq!((sandbox.payments().len(), sandbox.payouts().len()), (1, 0));
    let settings = br#"{"lenient":true}"#;
    assert_eq!(post(&sandbox, "/sandbox/settings", settings).json()["lenient"], true);
    for (path, body, _) in &bodies {
        post(&sandbox, path, body.to_string().as_bytes());
        assert!(sandbox.requests().pop().unwrap().executed, "{body}");
    }
}

#[test]
fn a_finding_that_is_not_certain_is_shown_and_refuses_nothing() {
    let sandbox = start_with(|config| config.accept_repeats = true);
    let hash = confirmed(&sandbox);
    let mut unknown = payment();
    unknown["payment"]["payment_type_code"] = json!("tomorrow");
    let mut pesos = payment();
    pesos["payment"]["currency_code"] = json!("MXN");
    let mut dollars = payment();
    dollars["payment"]["currency_code"] = json!("USD");
    let perhaps: &[&str] = &["perhaps"];
    for (path, body, expected) in [
        ("/ws/direct", unknown, perhaps),
        ("/ws/direct", pesos, perhaps),
        ("/ws/direct", dollars, &[]),
        ("/ws/refund", json!({"hash": hash}), perhaps),
        ("/ws/payout/create", payout(), &[]),
    ] {
        post(&sandbox, path, body.to_string().as_bytes());
        let record = sandbox.requests().pop().unwrap();
        assert!(record.executed, "{body}");
        let shown = get(&sandbox, &format!("/sandbox/view/requests/{}", record.sequence)).json();
        let findings = shown["findings"].as_array().unwrap().iter();
        let found: Vec<_> = findings.map(|it| it["certainty"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{body}");
    }
}

#[test]
fn raw_card_numbers_are_refused_and_tokens_are_not() {
    let sandbox = start();
    let with_card = |card: Value| {
        let mut body = payment();
        body["payment"]["creditcard"] = card;
        body
    };
    let message =
        refusal(&sandbox, "/ws/direct", &with_card(json!({"number": "4111111111111111"})));
    assert!(message.starts_with("payment.creditcard.number: "), "{message}");
    assert!(!message.contains("4111"));
    let mut with_pan = payout();
    with_pan["payee"]["pan"] = json!(4_111_111_111_111_111_u64);
    assert!(refusal(&sandbox, "/ws/payout/create", &with_pan).starts_with("payee.pan: "));
    let token = with_card(json!({"token": "tok_1"}));
    let response = post(&sandbox, "/ws/direct", token.to_string().as_bytes()).json();
    assert_eq!(response["status"], "SUCCESS");
}

#[test]
fn a_body_that_is_not_said_to_be_json_is_refused() {
    let sandbox = start();
    let body = payment_body("a");
    for (content_type, status) in [
        ("application/x-www-form-urlencoded", 415),
        ("text/plain", 415),
        ("", 415),
        ("application/jsonp", 415),
        ("application/json; charset=utf-8", 200),
    ] {
        let headers = [("Content-Type", content_type)];
        let response = Connection::open(&sandbox).request("POST", "/ws/direct", &headers, &body);
        assert_eq!(response.status, status, "{content_type}");
    }
    assert_eq!(sandbox.payments().len(), 1);
    assert!(sandbox.requests()[0].refused.as_ref().unwrap().contains("application/json"));
}

fn confirmed(sandbox: &Sandbox) -> String {
    create_payment(sandbox, "a");
    sandbox.confirm_payment("a").unwrap().hash
}

#[test]
fn a_refund_beyond_the_rest_is_refused() {
    let sandbox = start();
    let hash = confirmed(&sandbox);
    let of = |amount: f64| json!({"hash": hash, "amount": amount});
    let whole = json!({"hash": hash});
    assert!(refusal(&sandbox, "/ws/refund", &of(100.11)).starts_with("amount: "));
    let refund = |body: &Value| post(&sandbox, "/ws/refund", body.to_string().as_bytes()).json();
    let first = refund(&of(60.05));
    assert_eq!(first["status"], "SUCCESS");
    for body in [of(40.06), whole.clone()] {
        assert!(refusal(&sandbox, "/ws/refund", &body).contains("more than is left"));
    }
    assert_eq!(refund(&of(40.05))["status"], "SUCCESS");
    assert!(refusal(&sandbox, "/ws/refund", &of(0.01)).starts_with("amount: "));
    assert!(refusal(&sandbox, "/ws/refund", &of(-1.0)).starts_with("amount: "));

    // A canceled refund no longer counts against the payment.
    sandbox.move_refund(first["refund"]["id"].as_str().unwrap(), RefundStatus::Cancelled).unwrap();
    assert_eq!(refund(&of(60.05))["status"], "SUCCESS");
}

#[test]
fn digits_that_a_currency_does_not_have_are_refused() {
    let sandbox = start();
    let hash = confirmed(&sandbox);
    let with = |mut body: Value, pointer: &str| {
        *body.pointer_mut(pointer).unwrap() = json!(10.001);
        body
    };
    let other = serde_json::from_slice(&payment_body("b")).unwrap();
    let bodies = [
        ("/ws/direct", with(other, "/payment/amount_total")),
        ("/ws/payout/create", with(payout(), "/amount")),
        // That of the payment, since a refund names none.
        ("/ws/refund", json!({"hash": hash, "amount": 10.001})),
    ];
    for (path, body) in &bodies {
        let message = refusal(&sandbox, path, body);
        assert_eq!(message, "amount: BRL has 2 decimal places", "{path}");
    }
    post(&sandbox, "/sandbox/settings", br#"{"accept_any_digits":true}"#);
    for (path, body) in &bodies {
        post(&sandbox, path, body.to_string().as_bytes());
        assert!(sandbox.requests().pop().unwrap().executed, "{path}");
    }
}

#[test]
fn repeats_are_executed_where_they_are_to_be_counted() {
    let sandbox = start();
    let settings = br#"{"accept_repeats":true}"#;
    assert_eq!(post(&sandbox, "/sandbox/settings", settings).json()["accept_repeats"], true);
    create_payment(&sandbox, "a");
    let hash = confirmed(&sandbox);
    for _ in 0..2 {
        post(&sandbox, "/ws/refund", json!({"hash": hash}).to_string().as_bytes());
    }
    assert_eq!(sandbox.payments().len(), 2);
    assert_eq!(sandbox.payment(&hash).unwrap().refunds.len(), 2);
}
