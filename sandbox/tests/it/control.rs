//! The control API over HTTP, as other languages use it.

use payments_sandbox::{Response, Sandbox, SandboxConfig};
use serde_json::{Value, json};

use crate::support::{
    Connection, KEY, create_payment, get, payment_body, post, script, start, token,
};

fn call(sandbox: &Sandbox, method: &str, path: &str, body: impl AsRef<[u8]>) -> (u16, Value) {
    let target = format!("/sandbox/{path}");
    let response = Connection::open(sandbox).request(method, &target, &[], body.as_ref());
    (response.status, response.json())
}

fn done(sandbox: &Sandbox, method: &str, path: &str, body: impl AsRef<[u8]>) -> Value {
    let (status, json) = call(sandbox, method, path, body);
    assert_eq!(status, 200, "{json}");
    json
}

#[test]
fn keys_are_registered_in_each_form() {
    let sandbox = start();
    let pem = KEY.public().to_pem();
    let kid = done(&sandbox, "POST", "keys", &pem)["kid"].as_str().unwrap().to_owned();
    done(&sandbox, "POST", "keys?kid=raw", &pem);
    let object = json!({"pem": pem, "kid": "object"}).to_string();
    assert_eq!(done(&sandbox, "POST", "keys", &object), json!({"kid": "object", "bits": 2048}));
    for kid in [kid.as_str(), "raw", "object"] {
        let body = payment_body(kid);
        let signature = KEY.token(kid, &body);
        let headers = [("X-JWS-Signature", signature.as_str())];
        let response = Connection::open(&sandbox).request("POST", "/ws/direct", &headers, &body);
        assert_eq!(response.status, 200);
    }
    done(&sandbox, "DELETE", "keys/raw", "");
    assert_eq!(done(&sandbox, "GET", "keys", "")["kids"].as_array().unwrap().len(), 2);
    let der = "/../tests/vectors/keys/test_rsa_4096_public.der";
    let der = std::fs::read(env!("CARGO_MANIFEST_DIR").to_owned() + der).unwrap();
    let registered = done(&sandbox, "POST", "keys?kid=der", der);
    assert_eq!(registered, json!({"kid": "der", "bits": 4096}));
    assert_eq!(call(&sandbox, "POST", "keys", "no key").0, 400);
    assert_eq!(call(&sandbox, "POST", "keys", "{}").1["error"], "pem: required");
}

#[test]
fn an_extension_serves_what_the_sandbox_does_not() {
    let sandbox = start();
    let serve = |status| {
        move |method: &str, path: &str, body: &[u8]| {
            let asked = json!([method, path, String::from_utf8_lossy(body)]);
            path.starts_with("shop/").then(|| Response::json(status, &asked))
        }
    };
    sandbox.extend(serve(201));
    sandbox.extend(serve(202));
    let (status, body) = call(&sandbox, "PUT", "shop/orders/1", "mug");
    assert_eq!((status, body), (201, json!(["PUT", "shop/orders/1", "mug"])));
    assert_eq!(call(&sandbox, "PUT", "other", "").0, 404);
    assert_eq!(call(&sandbox, "GET", "health", "").0, 200);
    assert_eq!((sandbox.requests().len(), sandbox.connections()), (0, 0));
}

#[test]
fn payments_and_refunds_are_moved() {
    let sandbox = start();
    create_payment(&sandbox, "a b");
    let (status, body) = call(&sandbox, "POST", "payments/a%20b/confirm", "");
    assert_eq!((status, &body["payment"]["status"]), (200, &json!("CO")));
    assert_eq!(call(&sandbox, "POST", "payments/a%20b/cancel", "").0, 409);
    let (status, body) = call(&sandbox, "POST", "payments/a%20c/cancel", "");
    let message = "no payment has the reference or hash \"a c\"; did you mean \"a b\"?";
    assert_eq!((status, &body["error"]), (404, &json!(message)));
    let (status, body) = call(&sandbox, "GET", "payments/something-else", "");
    let message = "no payment has the reference or hash \"something-else\"; the latest: a b";
    assert_eq!((status, &body["error"]), (404, &json!(message)));
    assert_eq!(call(&sandbox, "POST", "payments/a%20b/explode", "").0, 404);
    let shown = done(&sandbox, "GET", "payments/a%20b", "");
    assert_eq!(shown["history"], json!(["OP", "PE", "CO"]));
    let hash = shown["payment"]["hash"].as_str().unwrap();
    let refund = post(&sandbox, "/ws/refund", format!("{{\"hash\":\"{hash}\"}}").as_bytes()).json();
    let (_, body) = call(&sandbox, "POST", "refunds/none/pend", "");
    assert!(
        body["error"].as_str().unwrap().starts_with("no refund has the id \"none\"; "),
        "{body}"
    );
    let id = refund["refund"]["id"].as_str().unwrap();
    assert_eq!(done(&sandbox, "POST", &format!("refunds/{id}/pend"), "")["refund"]["status"], "PE");
    assert_eq!(done(&sandbox, "GET", "payments", "")["payments"].as_array().unwrap().len(), 1);
    assert_eq!(done(&sandbox, "GET", "payouts", ""), json!({"payouts": []}));
    assert_eq!(done(&sandbox, "GET", "trackings", ""), json!({"trackings": []}));
}

#[test]
fn payouts_are_moved() {
    let sandbox = start();
    let create = |amount: f64| {
        let body = json!({"external_reference": "payout-1", "country": "br", "amount": amount,
            "currency_code": "BRL", "payee": {"name": "N"}});
        post(&sandbox, "/ws/payout/create", body.to_string().as_bytes()).json()["payout"].clone()
    };
    let (first, second) = (create(1.0), create(2.0));
    assert_eq!((&first["status"], &first["paid_date"]), (&json!("OP"), &Value::Null));
    let moved = |path: &str, body: &str| {
        done(&sandbox, "POST", &format!("payouts/{path}"), body)["payout"].clone()
    };
    let by_uid = format!("{}/pend", first["uid"].as_str().unwrap());
    assert_eq!(moved(&by_uid, "")["status"], "PE");
    let paid = moved(&by_uid.replace("pend", "pay"), "");
    assert_eq!((&paid["status"], &paid["status_date"]), (&json!("PA"), &paid["paid_date"]));
    assert!(paid["paid_date"].is_string() && paid["code"].is_null());

    // Two payouts have the reference: the newest is meant.
    let cancelled = moved("payout-1/cancel", r#"{"code":"ACCOUNT_BLOCKED"}"#);
    assert_eq!((&cancelled["uid"], &cancelled["status"]), (&second["uid"], &json!("CA")));
    assert_eq!(
        (&cancelled["code"], &cancelled["paid_date"]),
        (&json!("ACCOUNT_BLOCKED"), &Value::Null)
    );
    assert!(cancelled["cancel_date"].is_string());
    let refused = |path: &str, body: &str| call(&sandbox, "POST", &format!("payouts/{path}"), body);
    assert_eq!(refused("payout-1/pay", "").0, 409);
    assert_eq!(refused("payout-1/cancel", r#"{"code":"NONE"}"#).0, 400);
    let (status, body) = refused("payout-1/pay", r#"{"code":"BANK_INFO"}"#);
    assert_eq!((status, &body["error"]), (400, &json!("pay.code: unknown member")));
    let (status, body) = refused("payout-2/pay", "");
    let message = "no payout has the reference or uid \"payout-2\"; did you mean \"payout-1\"?";
    assert_eq!((status, &body["error"]), (404, &json!(message)));
    let codes: Vec<Value> = done(&sandbox, "GET", "payouts", "")["payouts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|payout| payout["status"].clone())
        .collect();
    assert_eq!(codes, ["PA", "CA"]);
}

#[test]
fn requests_are_listed_with_everything_about_them() {
    let sandbox = start();
    let body = payment_body("a");
    let headers = [("X-JWS-Signature", "nonsense")];
    Connection::open(&sandbox).request("POST", "/ws/direct?x=1", &headers, &body);
    get(&sandbox, "/ws/query?integration_key=sandbox-integration-key&hash=a");
    let listed = done(&sandbox, "GET", "requests", "");
    let first = &listed["requests"][0];
    assert_eq!((&first["sequence"], &first["connection"]), (&json!(1), &json!(1)));
    assert_eq!(first["operation"], "create_payment");
    assert_eq!(first["target"], "/ws/direct?x=1");
    assert_eq!(first["headers"][1], json!(["X-JWS-Signature", "nonsense"]));
    assert_eq!(first["signature"], "invalid_token_format");
    assert!(first["refused"].as_str().unwrap().starts_with("invalid_token_format: "));
    assert_eq!((&first["bearer"], &first["integration_key"]), (&json!("absent"), &json!("valid")));
    assert_eq!((&first["response"]["status"], &first["executed"]), (&json!(401), &json!(false)));
    assert_eq!(first["body_length"], body.len());
    assert_eq!(first["body_sha256"], sandbox.requests()[0].body_sha256());
    assert_eq!(listed["requests"][1]["query"], "integration_key=sandbox-integration-key&hash=a");
    let queries = done(&sandbox, "GET", "requests?operation=query_payment", "");
    assert_eq!(queries["requests"].as_array().unwrap().len(), 1);
    done(&sandbox, "DELETE", "requests", "");
    assert_eq!(done(&sandbox, "GET", "requests", ""), json!({"requests": []}));
}

#[test]
fn stats_leave_out_the_control_api() {
    let sandbox = start();
    get(&sandbox, "/ws/query");
    token(&sandbox);
    for _ in 0..3 {
        done(&sandbox, "GET", "health", "");
    }
    let stats = done(&sandbox, "GET", "stats", "");
    assert_eq!((&stats["requests"], &stats["connections"]), (&json!(2), &json!(2)));
    assert_eq!((&stats["token_requests"], &stats["max_in_flight"]), (&json!(1), &json!(1)));
}

#[test]
fn a_request_has_a_duration_when_it_has_ended() {
    let sandbox = start();
    script(&sandbox, r#"{"fault": "slow", "delay_ms": 30}"#);
    get(&sandbox, "/ws/query");
    let duration = || done(&sandbox, "GET", "requests", "")["requests"][0]["duration_ms"].as_u64();
    let took = std::iter::repeat_with(duration).flatten().next();
    assert!(took >= Some(30), "{took:?}");
}

#[test]
fn faults_are_scripted_listed_and_cleared() {
    let sandbox = start();
    let known = done(&sandbox, "GET", "faults/known", "");
    let known = known["faults"].as_array().unwrap();
    let mismatch = known.iter().find(|it| it["name"] == "signature_mismatch").unwrap();
    assert_eq!((&mismatch["times"], known[0]["times"].as_u64()), (&json!(2), Some(1)));
    let ids = done(
        &sandbox,
        "POST",
        "faults",
        r#"[{"then":[{"fault":"empty"}],"path":"/ws/query"},{"then":[{"fault":"html"}],"times":"always"}]"#,
    );
    assert_eq!(ids, json!({"ids": [1, 2]}));
    assert_eq!(get(&sandbox, "/ws/query").body, b"");
    assert!(get(&sandbox, "/ws/query").body.starts_with(b"<!doctype"));
    let pending = done(&sandbox, "GET", "faults", "");
    assert_eq!(pending, json!({"faults": [{"id": 2, "next": "html"}]}));
    let faults: Vec<_> = sandbox.requests().iter().map(|request| request.fault).collect();
    assert_eq!(faults, [Some("empty"), Some("html")]);
    done(&sandbox, "DELETE", "faults", "");
    assert!(get(&sandbox, "/ws/query").body.starts_with(b"{"));
    let (status, body) = call(&sandbox, "POST", "faults", r#"{"then":[{"fault":"explode"}]}"#);
    let message =
        "script.then[0].fault: not the name of a fault (\"explode\"); it is one of response_lost, ";
    assert!(status == 400 && body["error"].as_str().unwrap().starts_with(message), "{body}");
    assert_eq!(call(&sandbox, "POST", "faults", "no json").0, 400);
}

#[test]
fn tokens_are_governed() {
    let sandbox = start();
    done(&sandbox, "POST", "tokens/lifetime", r#"{"seconds":7}"#);
    let first = token(&sandbox).json();
    assert_eq!(first["expires_in"], 7);
    let one = json!({"token": first["access_token"]}).to_string();
    assert_eq!(done(&sandbox, "POST", "tokens/revoke", &one), json!({"revoked": 1}));
    assert_eq!(done(&sandbox, "POST", "tokens/revoke", ""), json!({"revoked": 0}));
    done(&sandbox, "POST", "tokens/block", r#"{"status":403,"retry_after":2}"#);
    let blocked = token(&sandbox);
    assert_eq!((blocked.status, blocked.header("retry-after")), (403, Some("2")));
    done(&sandbox, "POST", "tokens/block", r#"{"blocked":false}"#);
    assert_eq!(token(&sandbox).status, 200);
    assert_eq!(call(&sandbox, "POST", "tokens/lifetime", "{}").0, 400);
    assert_eq!(call(&sandbox, "POST", "tokens/forge", "{}").0, 400);
}

#[test]
fn settings_are_changed_and_reset() {
    let sandbox = start();
    let before = done(&sandbox, "GET", "settings", "");
    assert_eq!(before["base_url"], sandbox.base_url());
    let changed = done(
        &sandbox,
        "POST",
        "settings",
        r#"{"require":["jws","bearer"],"bearer_challenge":true,"latency_ms":1,
            "token_limit":{"requests":1,"window_ms":5000,"status":403}}"#,
    );
    assert_eq!(changed["require"], json!(["jws", "bearer"]));
    let response = get(&sandbox, "/ws/query");
    assert_eq!((response.status, response.body.len()), (401, 0));
    assert_eq!([token(&sandbox).status, token(&sandbox).status], [200, 403]);
    let (status, body) = call(&sandbox, "POST", "settings", r#"{"latency_ms":5,"colour":"red"}"#);
    assert_eq!((status, &body["error"]), (400, &json!("settings.colour: unknown member")));
    assert_eq!(done(&sandbox, "GET", "settings", ""), changed);
    sandbox.register_key_as(&KEY.public(), "kept");
    done(&sandbox, "POST", "reset", "");
    assert_eq!(done(&sandbox, "GET", "settings", ""), before);
    assert_eq!(done(&sandbox, "GET", "keys", ""), json!({"kids": ["kept"]}));
    assert!(sandbox.requests().is_empty());
}

#[test]
fn unknown_control_paths_are_not_found() {
    let sandbox = start();
    for (method, path) in [("POST", ""), ("GET", "nothing"), ("PUT", "keys"), ("GET", "reset")] {
        assert_eq!(call(&sandbox, method, path, "").0, 404, "{method} {path}");
    }
    assert!(sandbox.requests().is_empty());
}

#[test]
fn banner_holds_a_configuration_that_parses() {
    let sandbox = start();
    let kid = sandbox.register_pem(&KEY.public().to_pem()).unwrap();
    let configuration = sandbox.client_configuration(&[
        ("kid", &kid),
        ("key_file", "keys/private_key.pem"),
        ("client_secret_file", "client_secret"),
    ]);
    let text = sandbox.banner(&configuration);
    let json = &text[text.find('{').unwrap()..=text.find("\n}\n").unwrap() + 1];
    let configuration: Value = serde_json::from_str(json).unwrap();
    assert_eq!(configuration["base_url"], sandbox.base_url());
    assert_eq!(configuration["key_file"], "keys/private_key.pem");
    assert_eq!(configuration["environment"], "sandbox");
    assert_eq!(configuration["kid"], kid);
    assert_eq!(configuration["client_secret_file"], "client_secret");
    assert!(configuration["client_secret"].is_null());
    assert!(text.contains(&format!("{}/keys", sandbox.control_url())));
    let taken = SandboxConfig { port: sandbox.port(), ..SandboxConfig::default() };
    assert!(Sandbox::start(taken).is_err());
    assert!(sandbox.register_pem("x").is_err());
}
