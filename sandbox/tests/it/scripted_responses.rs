//! Scripted and edited responses, and the requests they apply to.

use payments_core::operation::Operation;
use payments_sandbox::{Fault, FaultKind, FaultScript, PayoutCancellation, Times};
use serde_json::json;

use crate::support::{
    Connection, KEY, create_payment, get, payment_body, post, script, start, strike, token,
};

#[test]
fn invalid_responses_are_sent() {
    let sandbox = start();
    let body_of = |fault: &str| {
        script(&sandbox, fault);
        let response = post(&sandbox, "/ws/direct", &payment_body("a"));
        (response.status, String::from_utf8(response.body).unwrap())
    };
    for of in ["numbers", "names", "nesting", "text", "escapes", "results"] {
        let length = body_of(&format!(r#"{{"fault":"large","of":"{of}"}}"#)).1.len();
        assert!((190_000..2 << 20).contains(&length), "{of}: {length}");
    }
    assert!(body_of(r#"{"fault":"html"}"#).1.starts_with("<!doctype html>"));
    assert_eq!(body_of(r#"{"fault":"html","status":502}"#).0, 502);
    assert_eq!(body_of(r#"{"fault":"truncated_json"}"#).1, "{\"payment\":{\"hash\":\"5f2c");
    assert_eq!(body_of(r#"{"fault":"empty"}"#), (200, String::new()));
    assert_eq!(body_of(r#"{"fault":"no_content"}"#), (204, String::new()));
    assert_eq!(body_of(r#"{"fault":"response","json":{"a":1}}"#), (200, "{\"a\":1}".to_owned()));
    assert_eq!(body_of(r#"{"fault":"response","body_base64":"aGk="}"#).1, "hi");
    assert!(!strike(&sandbox, r#"{"fault":"garbage"}"#).0.contains("HTTP/1.1"));
    assert_eq!(strike(&sandbox, r#"{"fault":"raw","body":"ICY 200 OK\r\n"}"#).0, "ICY 200 OK\r\n");
    assert!(sandbox.payments().is_empty());
}

#[test]
fn every_status_is_sent_with_its_headers() {
    let sandbox = start();
    for status in [100, 301, 400, 401, 403, 404, 408, 409, 422, 425, 429, 451, 500, 503, 599] {
        script(
            &sandbox,
            &json!({"fault": "response", "status": status, "body": "x", "headers": {
                "Location": "http://example.com/", "Retry-After": "3",
                "WWW-Authenticate": ["Basic", "Bearer error=\"invalid_token\""],
            }})
            .to_string(),
        );
        let response = post(&sandbox, "/ws/direct", &payment_body("a"));
        assert_eq!(response.status, status);
        assert_eq!(response.header("retry-after"), Some("3"));
        assert_eq!(response.head.matches("WWW-Authenticate").count(), 2);
    }
}

#[test]
fn scripted_failure_may_take_effect_nevertheless() {
    let sandbox = start();
    script(&sandbox, r#"{"fault":"response","status":500,"execute":true}"#);
    assert_eq!(post(&sandbox, "/ws/direct", &payment_body("a")).status, 500);
    assert_eq!(sandbox.payments().len(), 1);
    script(&sandbox, r#"{"fault":"pass","execute":false}"#);
    assert_eq!(post(&sandbox, "/ws/direct", &payment_body("b")).body, b"{}");
    assert_eq!(sandbox.payments().len(), 1);
}

#[test]
fn response_comes_before_the_body_was_read() {
    let sandbox = start();
    script(&sandbox, r#"{"fault":"response","status":413,"at":"head"}"#);
    let mut connection = Connection::open(&sandbox);
    connection
        .write(b"POST /ws/direct HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n{");
    let response = connection.read_response(false).unwrap();
    assert_eq!((response.status, response.header("connection")), (413, Some("close")));
    assert_eq!(connection.read_to_end(), (vec![], None));
    let record = &sandbox.requests()[0];
    assert_eq!(record.response.as_ref().unwrap().status, 413);
    assert!(!record.complete);
}

#[test]
fn connections_close_with_and_without_an_announcement() {
    let sandbox = start();
    script(&sandbox, r#"{"fault":"connection_close"}"#);
    let mut connection = Connection::open(&sandbox);
    let response = connection.request("GET", "/ws/query", &[], b"");
    assert_eq!(response.header("connection"), Some("close"));
    assert_eq!(connection.read_to_end(), (vec![], None));

    script(&sandbox, r#"{"fault":"close_idle","after_ms":20}"#);
    let mut connection = Connection::open(&sandbox);
    let response = connection.request("GET", "/ws/query", &[], b"");
    assert_eq!(response.header("connection"), None);
    assert_eq!(connection.read_to_end(), (vec![], None));

    script(&sandbox, r#"{"fault":"close_idle","after_ms":5000}"#);
    let mut connection = Connection::open(&sandbox);
    connection.request("GET", "/ws/query", &[], b"");
    assert_eq!(connection.request("GET", "/ws/query", &[], b"").status, 200);
}

#[test]
fn own_response_is_edited() {
    let sandbox = start();
    script(
        &sandbox,
        r#"{"fault":"edit","set":{"/payment/status":"PN","/payment/amount_ext":103.50},"remove":["/pix"]}"#,
    );
    let response = create_payment(&sandbox, "a");
    assert_eq!(response["payment"]["status"], "PN");
    assert_eq!(response["payment"]["amount_ext"], 103.5);
    assert!(response["pix"].is_null() && response["payment"]["pix"].is_object());
    assert_eq!(sandbox.payments().len(), 1);
}

#[test]
fn declined_payment_is_a_success_that_is_cancelled() {
    let sandbox = start();
    script(&sandbox, r#"{"fault":"decline"}"#);
    let response = create_payment(&sandbox, "a");
    assert_eq!(
        (&response["status"], &response["payment"]["status"]),
        (&json!("SUCCESS"), &json!("CA"))
    );
    assert_eq!(sandbox.payment("a").unwrap().status.code(), "CA");
    let found = get(&sandbox, "/ws/query?merchant_payment_code=a").json();
    assert_eq!(found["payment"]["status"], "CA");
}

#[test]
fn token_endpoint_misbehaves() {
    let sandbox = start();
    let ask = |fault: serde_json::Value| {
        let script = json!({"operation": "access_token", "then": [fault]});
        sandbox.script_json(&script.to_string()).unwrap();
        token(&sandbox)
    };
    for odd in [json!(-1), json!("soon"), json!(1e300), json!(null), json!(0)] {
        let response = ask(json!({"fault": "edit", "set": {"/expires_in": odd}}));
        assert_eq!(response.json()["expires_in"], odd);
    }
    let response = ask(json!({"fault": "edit", "remove": ["/expires_in"]}));
    assert!(response.json().get("expires_in").is_none());
    let response =
        ask(json!({"fault": "edit", "set": {"/access_token": "a\r\nb", "/token_type": "mac"}}));
    assert_eq!(response.json()["access_token"], "a\r\nb");
    let response = ask(json!({"fault": "pass", "headers": {"Content-Type": "text/plain"}}));
    assert_eq!(response.header("content-type"), Some("text/plain"));
    for status in [403, 429, 503] {
        assert_eq!(ask(json!({"fault": "response", "status": status})).status, status);
    }
    assert!(ask(json!({"fault": "html"})).body.starts_with(b"<!doctype"));
    assert_eq!(sandbox.token_requests(), 12);
    assert_eq!(get(&sandbox, "/ws/query").status, 200);
}

#[test]
fn scripts_strike_the_requests_they_name() {
    let sandbox = start();
    sandbox.script_fault(FaultScript::for_operation(
        Operation::QueryPayment,
        vec![Fault::status(503), Fault::pass()],
    ));
    let always = FaultScript::for_path(
        "/ws/transfer/*",
        vec![Fault::new(FaultKind::Decline(PayoutCancellation::BankInfo))],
    );
    sandbox.script_fault(always.times(Times::Always));
    assert_eq!(post(&sandbox, "/ws/direct", &payment_body("a")).status, 200);
    assert_eq!(get(&sandbox, "/ws/query?hash=a").status, 503);
    assert_eq!(get(&sandbox, "/ws/query?hash=a").status, 200);
    get(&sandbox, "/ws/transfer/x");
    assert_eq!(sandbox.pending_faults(), [(2, "decline")]);
    let faults: Vec<_> = sandbox.requests().iter().map(|request| request.fault).collect();
    assert_eq!(faults, [None, Some("response"), Some("pass"), Some("decline")]);
    sandbox.clear_faults();
    assert!(sandbox.pending_faults().is_empty());
}

#[test]
fn signature_is_judged_even_where_the_response_is_scripted() {
    let sandbox = start();
    let kid = sandbox.register_key(&KEY.public());
    let body = payment_body("a");
    let signature = KEY.token(&kid, &body);
    script(&sandbox, r#"{"fault":"response","status":503}"#);
    let headers = [("X-JWS-Signature", signature.as_str())];
    let response = Connection::open(&sandbox).request("POST", "/ws/direct", &headers, &body);
    assert_eq!(response.status, 503);
    let record = &sandbox.requests()[0];
    assert_eq!(record.signature.as_str(), "verified");
    assert_eq!((record.executed, record.response.as_ref().unwrap().status), (false, 503));
}
