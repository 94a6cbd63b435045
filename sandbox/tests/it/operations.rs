//! The effects and responses of operations.

use payments_core::Operation;
use payments_core::operation::{Presence, RequestMember, RequestShape};
use payments_sandbox::{PaymentStatus, PayoutCancellation, PayoutStatus, RefundStatus};
use serde_json::{Value, json};

use crate::support::{Connection, create_payment, get, payment_body, post, start, start_with};

#[test]
fn pix_payment_is_created_and_confirmed() {
    let sandbox = start();
    let response = create_payment(&sandbox, "order-1");
    assert_eq!(response["status"], "SUCCESS");
    let payment = &response["payment"];
    assert_eq!(payment["status"], "PE");
    assert_eq!(payment["amount_ext"], "100.10");
    assert_eq!(payment["merchant_payment_code"], "order-1");
    assert_eq!(payment["confirm_date"], json!(null));
    let hash = payment["hash"].as_str().unwrap();
    assert_eq!(hash.len(), 48);
    assert!(response["pix"]["qr_code_value"].as_str().unwrap().starts_with("000201"));
    assert_eq!(response["pix"], payment["pix"]);

    sandbox.confirm_payment(hash).unwrap();
    for query in [format!("hash={hash}"), "merchant_payment_code=order-1".to_owned()] {
        let response = get(&sandbox, &format!("/ws/query?{query}")).json();
        assert_eq!(response["payment"]["status"], "CO");
        assert!(response["payment"]["confirm_date"].is_string());
    }
    let history: Vec<_> =
        sandbox.payment(hash).unwrap().history.iter().map(|(status, _)| status.code()).collect();
    assert_eq!(history, ["OP", "PE", "CO"]);
    let error = sandbox.cancel_payment(hash).unwrap_err();
    assert_eq!(error.to_string(), "a payment does not go from CO to CA");
}

#[test]
fn other_methods_have_their_own_means() {
    let sandbox = start();
    for (code, country, method) in [("a", "mx", "oxxo"), ("b", "co", "pse")] {
        let body = String::from_utf8(payment_body(code)).unwrap();
        let body = body.replace("\"br\"", &format!("\"{country}\"")).replace("pix", method);
        let response = post(&sandbox, "/ws/direct", body.as_bytes()).json();
        let hash = response["payment"]["hash"].as_str().unwrap();
        let page = format!("{}/pay/{hash}", sandbox.control_url());
        if method == "oxxo" {
            assert_eq!(response["payment"]["oxxo_barcode"].as_str().unwrap().len(), 30);
            assert_eq!(response["payment"]["oxxo_url"], page);
        } else {
            assert_eq!(response["redirect_url"], page);
        }
        assert!(response["pix"].is_null());
    }
}

#[test]
fn payment_left_open_is_moved_to_its_end_by_hand() {
    let sandbox = start_with(|config| config.leave_open = true);
    assert_eq!(create_payment(&sandbox, "a")["payment"]["status"], "OP");
    assert!(sandbox.confirm_payment("a").is_err());
    sandbox.move_payment("a", PaymentStatus::Pending).unwrap();
    sandbox.cancel_payment("a").unwrap();
    assert_eq!(sandbox.payment("a").unwrap().status, PaymentStatus::Cancelled);
}

#[test]
fn reference_used_before_is_refused_with_status_200() {
    let sandbox = start();
    create_payment(&sandbox, "a");
    let response = post(&sandbox, "/ws/direct", &payment_body("a"));
    assert_eq!(response.status, 200);
    assert_eq!(response.json()["status"], "ERROR");
    assert_eq!(response.json()["status_code"], "BP-DR-0");
    assert_eq!(sandbox.payments().len(), 1);
    let requests = sandbox.requests();
    assert_eq!(requests[1].resend_of, Some(1));
    assert!(!requests[1].executed);
    assert!(requests[1].refused.as_ref().unwrap().starts_with("BP-DR-0"));
}

#[test]
fn payment_without_a_required_member_is_refused() {
    let sandbox = start();
    let whole = String::from_utf8(payment_body("a")).unwrap();
    for name in [
        "name",
        "email",
        "country",
        "payment_type_code",
        "merchant_payment_code",
        "currency_code",
        "amount_total",
        "document",
        "payment",
    ] {
        let body = whole.replace(&format!("\"{name}\":"), "\"other\":");
        let response = post(&sandbox, "/ws/direct", body.as_bytes()).json();
        assert_eq!(response["status_code"], "SANDBOX-INVALID", "{name}: {response}");
        assert!(response["status_message"].as_str().unwrap().contains(name), "{response}");
    }
    let text = whole.replace("100.10", "\"100.10\"");
    assert_eq!(post(&sandbox, "/ws/direct", text.as_bytes()).json()["status"], "ERROR");
    for body in [&b"not json"[..], b"", b"[]", &[b'['; 100_000]] {
        assert_eq!(post(&sandbox, "/ws/direct", body).json()["status"], "ERROR");
    }
    assert!(sandbox.payments().is_empty());
}

#[test]
fn only_a_confirmed_payment_is_refunded() {
    let sandbox = start();
    let hash = create_payment(&sandbox, "a")["payment"]["hash"].as_str().unwrap().to_owned();
    let refund = |extra: &str| {
        let body = format!("{{\"operation\":\"request\",\"hash\":\"{hash}\"{extra}}}");
        post(&sandbox, "/ws/refund", body.as_bytes()).json()
    };
    assert_eq!(refund("")["status_code"], "BP-REF-7");
    let unknown = post(&sandbox, "/ws/refund", br#"{"hash":"no such"}"#).json();
    assert_eq!(unknown["status_code"], "BP-REF-CAN-2");
    assert_eq!(post(&sandbox, "/ws/refund", b"{}").json()["status"], "ERROR");

    sandbox.confirm_payment(&hash).unwrap();
    let response = refund(",\"amount\":7.50,\"description\":\"x\",\"merchant_refund_code\":\"r\"");
    assert_eq!(response["status"], "SUCCESS");
    assert_eq!(response["refund"]["status"], "RE");
    assert_eq!(response["refund"]["amount_ext"], "7.50");
    assert_eq!(response["refund"]["merchant_refund_code"], "r");
    assert_eq!(refund(",\"amount\":92.60")["payment"]["refunds"].as_array().unwrap().len(), 2);
    let id = response["refund"]["id"].as_str().unwrap();
    sandbox.move_refund(id, RefundStatus::Confirmed).unwrap();
    assert!(sandbox.move_refund(id, RefundStatus::Cancelled).is_err());
    assert_eq!(sandbox.payment(&hash).unwrap().refunds[0].status, RefundStatus::Confirmed);
}

#[test]
fn refund_hash_member_is_the_configured_one() {
    let sandbox = start_with(|config| config.refund_hash_member = "payment_hash".to_owned());
    create_payment(&sandbox, "a");
    let hash = sandbox.confirm_payment("a").unwrap().hash;
    let body = |member: &str| format!("{{\"{member}\":\"{hash}\"}}").into_bytes();
    assert_eq!(post(&sandbox, "/ws/refund", &body("hash")).json()["status"], "ERROR");
    assert_eq!(post(&sandbox, "/ws/refund", &body("payment_hash")).json()["status"], "SUCCESS");
}

#[test]
fn payout_reference_does_not_prevent_a_second_payout() {
    let sandbox = start();
    let body =
        br#"{"external_reference":"payout-1","country":"br","amount":12.30,"currency_code":"BRL",
        "target":"pix_key","target_account":"a@example.com","payee":{"name":"N","email":"e@x.y",
        "document":"85351346893","document_type":"CPF"}}"#;
    let first = post(&sandbox, "/ws/payout/create", body).json();
    let second = post(&sandbox, "/ws/payout/create", body).json();
    assert_eq!(first["type"], "success");
    assert_eq!(first["payout"]["status"], "OP");
    assert_eq!(first["payout"]["amount"], "12.30");
    assert_eq!(first["payout"]["payee"]["document_type"], "CPF");
    assert_ne!(first["payout"]["uid"], second["payout"]["uid"]);
    assert_eq!(sandbox.payouts().len(), 2);
    let refused = post(&sandbox, "/ws/payout/create", br#"{"payee":{"name":"N"}}"#).json();
    assert_eq!(refused["type"], "invalid_request_error");
    assert_eq!(refused["message"], "external_reference: required");

    sandbox.configure(|config| config.unique_payouts = true);
    let refused = post(&sandbox, "/ws/payout/create", body).json();
    assert_eq!(
        (&refused["type"], &refused["code"]),
        (&json!("invalid_request_error"), &json!("HP-CM-03"))
    );
    assert_eq!(sandbox.payouts().len(), 2);
}

fn payout_body(reference: &str) -> Vec<u8> {
    json!({"external_reference": reference, "country": "br", "amount": 12.5, "currency_code": "BRL",
        "target": "pix_key", "target_account": "a@example.com", "payee": {"name": "N"}})
    .to_string()
    .into_bytes()
}

#[test]
fn a_payout_can_be_cancelled_when_it_is_created() {
    let sandbox = start();
    for (number, why) in PayoutCancellation::ALL.into_iter().enumerate() {
        let code = why.as_str();
        let script = json!({"then": [{"fault": "payout_cancelled", "code": code}]});
        sandbox.script_json(&script.to_string()).unwrap();
        let body = payout_body(&format!("payout-{number}"));
        let cancelled = &post(&sandbox, "/ws/payout/create", &body).json()["payout"];
        assert_eq!((&cancelled["status"], &cancelled["code"]), (&json!("CA"), &json!(code)));
        assert_eq!(cancelled["status_date"], cancelled["cancel_date"]);
        assert_eq!(sandbox.payouts()[number].cancellation, Some(why));
    }
    sandbox.script_json(r#"{"then":[{"fault":"payout_cancelled"}]}"#).unwrap();
    let plain = post(&sandbox, "/ws/payout/create", &payout_body("payout-9")).json();
    assert_eq!(plain["payout"]["code"], "TAX_ID_MISMATCH");
    let unknown = r#"{"then":[{"fault":"payout_cancelled","code":"BANKINFO"}]}"#;
    let error = sandbox.script_json(unknown).unwrap_err();
    assert!(error.ends_with("did you mean \"BANK_INFO\"?"), "{error}");
}

#[test]
fn a_payout_goes_to_each_of_its_states() {
    use PayoutStatus::{Cancelled, Open, Paid, Pending};
    let sandbox = start();
    let states = [Open, Pending, Paid, Cancelled];
    let allowed =
        [(Open, Pending), (Open, Paid), (Open, Cancelled), (Pending, Paid), (Pending, Cancelled)];
    for (number, (from, to)) in
        states.iter().flat_map(|from| states.map(|to| (*from, to))).enumerate()
    {
        let reference = format!("payout-{number}");
        post(&sandbox, "/ws/payout/create", &payout_body(&reference));
        if from != Open {
            sandbox.move_payout(&reference, from).unwrap();
        }
        let moved = sandbox.move_payout(&reference, to);
        assert_eq!(moved.is_ok(), allowed.contains(&(from, to)), "{from:?} to {to:?}");
        if let Err(error) = moved {
            let text = format!("a payout does not go from {} to {}", from.code(), to.code());
            assert_eq!(error.to_string(), text);
        }
    }
    assert!(sandbox.move_payout("payout-none", Paid).is_err());
}

#[test]
fn tracking_codes_of_both_forms_keep_their_order() {
    let sandbox = start();
    let body = br#"{"integration_key":"sandbox-integration-key","order_number":"o","email":"e@x.y",
        "tracking_code":["A1",{"tracking_code":"B2","items":[{"sku":"s","unit_price":1}]},"C3"]}"#;
    let response = post(&sandbox, "/ws/tracking", body).json();
    assert_eq!(response["status"], "SUCCESS");
    let codes: Vec<_> = response["result"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["tracking_code"])
        .collect();
    assert_eq!(codes, ["A1", "B2", "C3"]);
    let entry = json!({"customer_email": "e@x.y", "tracking_code": "A1", "order_number": "o",
        "status": "CREATED"});
    assert_eq!(response["result"][0], entry);
    for bad in ["[]", "[1]", "[{}]", "\"A1\""] {
        let body = format!("{{\"order_number\":\"o\",\"email\":\"e\",\"tracking_code\":{bad}}}");
        assert_eq!(post(&sandbox, "/ws/tracking", body.as_bytes()).json()["status"], "ERROR");
    }
    assert_eq!(sandbox.trackings().len(), 3);
}

#[test]
fn wrong_integration_key_is_refused_in_any_place() {
    let sandbox = start();
    let body = String::from_utf8(payment_body("a")).unwrap();
    let beside = body.replace("sandbox-integration-key", "wrong");
    let inside = body.replace("\"payment\":{", "\"payment\":{\"integration_key\":\"wrong\",");
    for body in [beside, inside] {
        let response = post(&sandbox, "/ws/direct", body.as_bytes());
        assert_eq!((response.status, &response.json()["status_code"]), (200, &json!("BP-SA-2")));
    }
    let response = get(&sandbox, "/ws/query?integration_key=wrong&hash=a").json();
    assert_eq!(response["status_code"], "BP-SA-2");
    let response = post(&sandbox, "/ws/payout/create", br#"{"integration_key":"wrong"}"#).json();
    assert_eq!(
        (&response["type"], &response["code"]),
        (&json!("authentication_error"), &json!("DA-1"))
    );
    assert!(sandbox.payments().is_empty());
    assert!(sandbox.requests().iter().all(|request| request.integration_key.as_str() == "wrong"));
}

#[test]
fn query_without_a_match_says_so() {
    let sandbox = start();
    assert_eq!(get(&sandbox, "/ws/query?hash=x").json()["status_code"], "BP-REF-CAN-2");
    assert_eq!(get(&sandbox, "/ws/query").json()["status_code"], "SANDBOX-INVALID");
}

#[test]
fn other_paths_are_echoed_once_they_are_accepted() {
    let sandbox = start();
    let put = |path: &str| Connection::open(&sandbox).request("PUT", path, &[], b"abc");
    for path in ["/ws/transfer/a?b=c", "/ws/", "/elsewhere"] {
        let response = put(path);
        assert_eq!(response.status, 404);
        assert!(response.json()["error"].as_str().unwrap().contains("--accept-path"));
    }
    assert!(sandbox.requests().iter().all(|request| !request.executed));
    sandbox.clear_requests();

    let settings = br#"{"accept_paths":["/ws/transfer/*","/elsewhere"]}"#;
    assert_eq!(post(&sandbox, "/sandbox/settings", settings).status, 200);
    let response = put("/ws/transfer/a?b=c");
    let echo = &response.json()["echo"];
    assert_eq!((&echo["method"], &echo["path"]), (&json!("PUT"), &json!("/ws/transfer/a")));
    assert_eq!(echo["body_sha256"], sandbox.requests()[0].body_sha256());
    assert_eq!(
        echo["body_sha256"],
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(put("/elsewhere").json()["echo"]["path"], "/elsewhere");
    assert_eq!([put("/ws/transfer").status, put("/elsewhere/a").status], [404, 404]);
    let wrong_method = get(&sandbox, "/ws/direct");
    assert_eq!((wrong_method.status, wrong_method.header("allow")), (405, Some("POST")));
    let deleted = Connection::open(&sandbox).request("DELETE", "/ws/query", &[], b"");
    assert_eq!((deleted.status, deleted.header("allow")), (405, Some("GET, POST")));
}

/// An object with only its required members.
fn least(fields: &[RequestMember]) -> Value {
    let needed = fields.iter().filter(|field| field.presence != Presence::Optional);
    needed.map(|field| (field.name.to_owned(), value_of(&field.shape))).collect()
}

fn value_of(shape: &RequestShape) -> Value {
    match shape {
        RequestShape::Amount | RequestShape::Integer => json!(1),
        RequestShape::LowerCountry => json!("mx"),
        RequestShape::UpperCountry => json!("MX"),
        RequestShape::Currency => json!("MXN"),
        RequestShape::Object(object) => least(object.fields),
        RequestShape::Objects(object) => json!([least(object.fields)]),
        RequestShape::TextsOrObjects(_) => json!(["x"]),
        RequestShape::Open => json!({}),
        RequestShape::Text | RequestShape::Parameters => json!("x"),
    }
}

#[test]
fn the_sandbox_has_every_operation_of_the_table() {
    let sandbox = start();
    for operation in Operation::ALL {
        let mut body = least(operation.fields());
        body["integration_key"] = json!("sandbox-integration-key");
        let bytes = serde_json::to_vec(&body).unwrap();
        let (method, path) = (operation.method(), operation.path());
        if operation != Operation::Send {
            let response = Connection::open(&sandbox).request(method, path, &[], &bytes);
            let text = String::from_utf8_lossy(&response.body);
            assert!(![404, 501].contains(&response.status), "{operation}: {text}");
        }
    }
}
