//! Signatures, bearer tokens, and the texts of refusals.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payments_sandbox::{
    BearerCheck, Require, Sandbox, SandboxConfig, SignatureCheck, TokenBlock, TokenLimit,
};

use serde_json::json;

use crate::support::{Connection, KEY, Response, get, payment_body, start, start_with, token};

fn send(sandbox: &Sandbox, body: &[u8], headers: &[(&str, &str)]) -> Response {
    Connection::open(sandbox).request("POST", "/ws/direct", headers, body)
}

fn last_reason(sandbox: &Sandbox) -> String {
    sandbox.requests().last().unwrap().refused.clone().unwrap()
}

#[test]
fn signed_bytes_are_accepted_and_only_these() {
    let sandbox = start();
    let kid = sandbox.register_key(&KEY.public());
    let body = payment_body("a");
    let signature = KEY.token(&kid, &body);
    assert_eq!(send(&sandbox, &body, &[("X-JWS-Signature", &signature)]).status, 200);
    assert_eq!(sandbox.requests()[0].signature, SignatureCheck::Verified);

    let altered = [&body[..], b"\n"].concat();
    let response = send(&sandbox, &altered, &[("x-jws-signature", &signature)]);
    assert_eq!((response.status, response.body.len()), (401, 0));
    assert!(last_reason(&sandbox).starts_with("signature_mismatch: "));
    assert_eq!(sandbox.payments().len(), 1);
}

#[test]
fn every_cause_of_a_401_is_logged_and_none_is_sent() {
    let sandbox = start_with(|config| config.require = Require { jws: true, ..Require::NOTHING });
    let kid = sandbox.register_key(&KEY.public());
    let body = payment_body("a");
    let good = KEY.token(&kid, &body);
    let (header, signature) = good.split_once("..").unwrap();
    let embedded = format!("{header}.e30.{signature}");
    // {"alg":"none"}
    let none = format!("eyJhbGciOiJub25lIn0..{signature}");
    let unknown = KEY.token("no such kid", &body);
    let cases: [(&[&str], &str); 6] = [
        (&[], "missing_signature"),
        (&["not a token"], "invalid_token_format"),
        (&[&good, &good], "invalid_token_format"),
        (&[&embedded], "payload_not_detached"),
        (&[&none], "invalid_header"),
        (&[&unknown], "signature_mismatch"),
    ];
    for (tokens, cause) in cases {
        let headers: Vec<_> = tokens.iter().map(|token| ("X-JWS-Signature", *token)).collect();
        let response = send(&sandbox, &body, &headers);
        assert_eq!((response.status, response.body.len()), (401, 0));
        assert_eq!(response.header("www-authenticate"), None);
        assert_eq!(sandbox.requests().last().unwrap().signature.as_str(), cause);
        assert!(last_reason(&sandbox).starts_with(cause));
    }
    assert!(sandbox.payments().is_empty());
}

fn without_key(reference: &str) -> Vec<u8> {
    let key = "\"integration_key\":\"sandbox-integration-key\",";
    String::from_utf8(payment_body(reference)).unwrap().replace(key, "").into_bytes()
}

#[test]
fn signature_and_bearer_are_required_by_default() {
    let client_id = "sandbox-client".to_owned();
    let config = SandboxConfig { client_id, ..SandboxConfig::default() };
    let sandbox = Sandbox::start(config).unwrap();
    let kid = sandbox.register_key(&KEY.public());
    let body = without_key("a");
    let signature = KEY.token(&kid, &body);
    let bearer = format!("Bearer {}", token(&sandbox).json()["access_token"].as_str().unwrap());
    let signed = ("X-JWS-Signature", signature.as_str());
    let bearing = ("Authorization", bearer.as_str());
    for (headers, reason) in [
        (vec![], "missing_signature"),
        (vec![bearing], "missing_signature"),
        (vec![signed], "bearer token: missing"),
    ] {
        let response = send(&sandbox, &body, &headers);
        assert_eq!((response.status, response.body.len()), (401, 0));
        assert!(last_reason(&sandbox).starts_with(reason));
    }
    // A signed request needs no integration key, but a wrong one is refused.
    let wrong = [b"{\"integration_key\":\"wrong\",", &body[1..]].concat();
    let headers = [("X-JWS-Signature", &*KEY.token(&kid, &wrong)), bearing];
    assert_eq!(send(&sandbox, &wrong, &headers).json()["status_code"], "BP-SA-2");
    assert_eq!(send(&sandbox, &body, &[signed, bearing]).json()["status"], "SUCCESS");

    sandbox.configure(|config| config.require.jws = false);
    let unsigned = without_key("b");
    assert_eq!(send(&sandbox, &unsigned, &[bearing]).json()["status_code"], "BP-SA-2");
    assert_eq!(send(&sandbox, &payment_body("b"), &[bearing]).json()["status"], "SUCCESS");
    sandbox.configure(|config| config.require = Require::NOTHING);
    assert_eq!(send(&sandbox, &without_key("c"), &[]).json()["status"], "SUCCESS");
    assert_eq!(sandbox.payments().len(), 3);
}

#[test]
fn an_integration_key_that_is_not_text_is_wrong() {
    let sandbox = start();
    for key in ["null", "1", "[]", "\"\""] {
        let body = String::from_utf8(payment_body("a")).unwrap();
        let body = body.replace("\"sandbox-integration-key\"", key);
        let response = send(&sandbox, body.as_bytes(), &[]);
        assert_eq!(response.json()["status_code"], "BP-SA-2", "{key}");
    }
    let query = "/ws/query?hash=a&integration_key=sandbox-integration-key&integration_key=wrong";
    assert_eq!(get(&sandbox, query).json()["status_code"], "BP-SA-2");
}

#[test]
fn a_get_is_signed_over_the_empty_payload_or_its_query() {
    let sandbox = start();
    let kid = sandbox.register_key(&KEY.public());
    let send = |method: &str, target: &str, signed: &str, body: &[u8]| {
        let signature = KEY.token(&kid, signed.as_bytes());
        let mut headers = vec![("X-JWS-Signature", signature.as_str())];
        if !body.is_empty() {
            headers.push(("Content-Type", "application/json"));
        }
        let status = Connection::open(&sandbox).request(method, target, &headers, body).status;
        let record = sandbox.requests().pop().unwrap();
        let detail = record.to_json()["signature_detail"].clone();
        (status, record.signature, detail)
    };
    let query = "hash=a%20b&x=%c3%A9+";
    let target = format!("/ws/query?{query}");
    assert_eq!(send("GET", &target, "", b""), (200, SignatureCheck::Verified, json!(null)));
    let over_query = (200, SignatureCheck::VerifiedQuery, json!("over the query"));
    assert_eq!(send("GET", &target, query, b""), over_query);
    assert_eq!(send("HEAD", &target, query, b""), over_query);
    for other in [&target, "?hash=a%20b&x=%c3%A9+", "hash=a b&x=é ", "hash=a%20b&x=%C3%A9+", "{}"]
    {
        let (status, signature, _) = send("GET", &target, other, b"");
        assert_eq!((status, signature.as_str()), (401, "signature_mismatch"), "{other}");
    }
    let body = br#"{"hash":"a"}"#;
    let signed = std::str::from_utf8(body).unwrap();
    let verified = (200, SignatureCheck::Verified, json!(null));
    assert_eq!(send("POST", "/ws/query?x=1", signed, body), verified);
    for other in ["x=1", ""] {
        let (status, signature, _) = send("POST", "/ws/query?x=1", other, body);
        assert_eq!((status, signature.as_str()), (401, "signature_mismatch"), "{other}");
    }
}

#[test]
fn forgotten_key_no_longer_verifies() {
    let sandbox = start();
    sandbox.register_key_as(&KEY.public(), "mine");
    let body = payment_body("a");
    let signature = KEY.token("mine", &body);
    assert!(sandbox.forget_key("mine"));
    assert_eq!(send(&sandbox, &body, &[("X-JWS-Signature", &signature)]).status, 401);
    assert!(sandbox.register_pem("no key").is_err());
    sandbox.register_pem(&KEY.public().to_pem()).unwrap();
}

#[test]
fn nothing_is_verified_when_measuring() {
    let sandbox = start_with(|config| config.verify_signatures = false);
    let response = send(&sandbox, &payment_body("a"), &[("X-JWS-Signature", "nonsense")]);
    assert_eq!(response.status, 200);
    assert_eq!(sandbox.requests()[0].signature, SignatureCheck::NotChecked);
}

#[test]
fn token_response_has_the_members_of_the_interface() {
    let sandbox = start();
    let response = token(&sandbox);
    assert_eq!(response.status, 200);
    let json = response.json();
    let names: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["access_token", "expires_in", "jti", "scope", "token_type", "user_name"]);
    assert_eq!(json["token_type"], "bearer");
    assert_eq!(json["expires_in"], 86_399);
    assert_eq!(json["scope"], "all");
    assert_eq!(json["access_token"].as_str().unwrap().split('.').count(), 3);
    assert_eq!(sandbox.token_requests(), 1);
}

#[test]
fn token_request_must_follow_the_rules() {
    let sandbox = start();
    let ask = |authorization: &str, content_type: &str, body: &str| {
        let headers = [("Authorization", authorization), ("Content-Type", content_type)];
        let path = "/authorization-server/oauth/token";
        Connection::open(&sandbox).request("POST", path, &headers, body.as_bytes()).status
    };
    let basic = "Basic c2FuZGJveC1jbGllbnQ6c2FuZGJveC1jbGllbnQtc2VjcmV0";
    let form = "application/x-www-form-urlencoded; charset=utf-8";
    let grant = "grant_type=client%5Fcredentials";
    assert_eq!(ask(basic, form, grant), 200);
    assert_eq!(ask("Basic d3Jvbmc6d3Jvbmc=", form, grant), 401);
    assert_eq!(ask("Bearer x", form, grant), 401);
    assert_eq!(ask(basic, "application/json", grant), 400);
    assert_eq!(ask(basic, form, "grant_type=password"), 400);
    assert_eq!(sandbox.token_requests(), 5);
}

#[test]
fn bearer_tokens_live_until_they_expire_or_are_revoked() {
    let sandbox = start();
    let bearer = || {
        let json = token(&sandbox).json();
        format!("Bearer {}", json["access_token"].as_str().unwrap())
    };
    let mut number = 0;
    let mut check = |authorization: &str| {
        number += 1;
        let body = payment_body(&number.to_string());
        let response = send(&sandbox, &body, &[("Authorization", authorization)]);
        let record = sandbox.requests().pop().unwrap();
        assert_eq!(response.status == 401, record.bearer.is_refusal());
        assert_eq!(response.body.is_empty(), record.bearer.is_refusal());
        assert_eq!(response.header("www-authenticate"), None);
        record.bearer
    };
    let first = bearer();
    assert_eq!(check(&first), BearerCheck::Valid);
    assert_eq!(check(&first.replace("Bearer", "bearer")), BearerCheck::Valid);
    assert_eq!(check("Bearer unknown"), BearerCheck::Unknown);
    assert_eq!(check("Basic abc"), BearerCheck::Malformed);
    assert_eq!(sandbox.revoke_tokens(), 1);
    assert_eq!(check(&first), BearerCheck::Revoked);
    sandbox.set_token_lifetime(Duration::from_millis(1));
    let brief = bearer();
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(check(&brief), BearerCheck::Expired);
}

#[test]
fn bearer_header_and_challenge_are_configured() {
    let sandbox = start_with(|config| {
        config.require.bearer = true;
        config.bearer_challenge = true;
        config.bearer_header = "X-Token".to_owned();
        config.bearer_scheme = String::new();
    });
    let response = send(&sandbox, &payment_body("a"), &[]);
    assert_eq!((response.status, response.body.len()), (401, 0));
    assert_eq!(response.header("www-authenticate"), Some("Bearer error=\"invalid_token\""));
    assert_eq!(last_reason(&sandbox), "bearer token: missing");
    let json = token(&sandbox).json();
    let bare = json["access_token"].as_str().unwrap();
    assert_eq!(send(&sandbox, &payment_body("a"), &[("X-Token", bare)]).status, 200);
}

#[test]
fn client_credentials_are_decoded_on_request_only() {
    for (decode_client_auth, presented, status) in [
        (false, "a:b%2B c", 200),
        (false, "a:b%252B+c", 401),
        (true, "a:b%252B+c", 200),
        (true, "%61:%62%252B%20c", 200),
        (true, "a:b%2B c", 401),
    ] {
        let sandbox = start_with(|config| {
            config.decode_client_auth = decode_client_auth;
            (config.client_id, config.client_secret) = ("a".to_owned(), "b%2B c".to_owned());
        });
        let basic = format!("Basic {}", STANDARD.encode(presented));
        let headers =
            [("authorization", &*basic), ("content-type", "application/x-www-form-urlencoded")];
        let path = "/authorization-server/oauth/token";
        let body = b"grant_type=client_credentials";
        let response = Connection::open(&sandbox).request("POST", path, &headers, body);
        assert_eq!(response.status, status, "{presented}");
    }
}

#[test]
fn a_required_user_agent_must_be_there() {
    let sandbox = start_with(|config| config.require_user_agent = true);
    let blocked = send(&sandbox, &payment_body("a"), &[]);
    assert_eq!((blocked.status, blocked.header("content-type")), (403, Some("text/html")));
    assert_eq!((token(&sandbox).status, sandbox.payments().len()), (403, 0));
    assert_eq!(last_reason(&sandbox), "no User-Agent");
    assert_eq!(send(&sandbox, &payment_body("a"), &[("user-agent", "shop/1")]).status, 200);
}

#[test]
fn required_integration_key_must_be_there() {
    let sandbox = start_with(|config| config.require.integration_key = true);
    assert_eq!(send(&sandbox, &payment_body("a"), &[]).json()["status"], "SUCCESS");
    let without = String::from_utf8(payment_body("b")).unwrap().replace("integration_key", "other");
    let response = send(&sandbox, without.as_bytes(), &[]);
    assert_eq!(response.json()["status_code"], "BP-SA-2");
    assert_eq!(sandbox.requests()[1].integration_key.as_str(), "missing");
}

#[test]
fn mass_token_requests_are_blocked() {
    let sandbox = start_with(|config| {
        config.token_limit = TokenLimit { requests: 2, ..TokenLimit::default() };
    });
    assert_eq!([token(&sandbox).status, token(&sandbox).status], [200, 200]);
    let blocked = token(&sandbox);
    assert_eq!((blocked.status, blocked.header("retry-after")), (429, Some("60")));
    sandbox.reset();
    assert_eq!(token(&sandbox).status, 200);
    sandbox.block_tokens(Some(TokenBlock { status: 403, retry_after: None, duration: None }));
    let blocked = token(&sandbox);
    assert_eq!((blocked.status, blocked.header("retry-after")), (403, None));
    sandbox.block_tokens(None);
    assert_eq!(token(&sandbox).status, 200);
}
