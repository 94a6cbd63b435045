//! The status decides the outcome, whatever happens to the body.

use std::time::Duration;

use payments_core::ErrorKind::{Protocol, RateLimited, Status, Unauthorized};
use payments_core::Outcome::{NotExecuted, Unknown};
use payments_core::jws::Finding;
use payments_core::request::QueryPayment;
use payments_core::{Client, Error, ErrorKind, Outcome};
use payments_sandbox::{
    EndlessFraming, Fault, FaultKind, Require, Response, Sandbox, SandboxConfig,
};

use crate::support::calls;
use crate::support::raw_server::{RawServer, response};
use crate::support::vectors;

/// The refusals that mean that nothing was executed; 400 and 422 only if the
/// body can be read.
const NOT_EXECUTED: [u16; 14] =
    [400, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 426, 428, 431];

fn row_of(status: u16, is_readable: bool) -> (ErrorKind, Outcome) {
    match status {
        400 | 422 if !is_readable => (Status, Unknown),
        300..=399 => (Protocol, Unknown),
        401 => (Unauthorized, NotExecuted),
        429 => (RateLimited, NotExecuted),
        _ if NOT_EXECUTED.contains(&status) => (Status, NotExecuted),
        _ => (Status, Unknown),
    }
}

fn sandbox() -> (Sandbox, Client) {
    let require = Require { integration_key: true, ..Require::NOTHING };
    let sandbox = Sandbox::start(SandboxConfig { require, ..SandboxConfig::default() }).unwrap();
    let config = calls::config(sandbox.base_url())
        .integration_key(sandbox.config().integration_key)
        .max_response_bytes(200_000);
    (sandbox, Client::new(config).unwrap())
}

fn pay(client: &Client) -> Error {
    calls::fail_within(client, Duration::from_secs(10), "order-1")
}

#[test]
fn every_status_from_400_to_599_has_its_row_and_is_sent_once() {
    let (sandbox, client) = sandbox();
    for status in 400..=599 {
        sandbox.clear_requests();
        sandbox.script_next([Fault::status(status)]);
        let error = pay(&client);
        assert_eq!((error.kind(), error.outcome()), row_of(status, false), "{status}: {error}");
        assert_eq!(error.http_status(), Some(status));
        assert_eq!((error.attempts(), sandbox.requests().len()), (1, 1), "{status}");
        assert_eq!(error.diagnosis().is_some(), status == 401);
    }
    assert!(client.create_payment(&calls::payment("order-2")).is_ok());
    assert_eq!(sandbox.connections(), 1, "a refusal does not cost the connection");
}

#[test]
fn statuses_that_do_not_exist_are_unknown() {
    for status in ["600 Odd", "999 Odd"] {
        let server = RawServer::responding(response(status, "", ""));
        let error = pay(&calls::client(&server.base_url()));
        assert_eq!((error.kind(), error.outcome()), (Status, Unknown), "{status}: {error}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn no_redirect_reaches_the_host_it_names() {
    let other = RawServer::responding(response("200 OK", "", "{}"));
    for status in 300..=399 {
        for place in [format!("{}/ws/direct", other.base_url()), "/elsewhere".into()] {
            let headers = format!("location: {place}\r\n");
            let server = RawServer::responding(response(&format!("{status} Away"), &headers, ""));
            let error = pay(&calls::client(&server.base_url()));
            assert_eq!((error.kind(), error.outcome()), row_of(status, true), "{status}: {error}");
            assert_eq!(error.code().as_str(), "redirect");
            assert_eq!(server.requests().len(), 1, "{status}");
        }
    }
    assert_eq!(other.connections(), 0);
}

#[test]
fn no_operation_follows_a_redirect() {
    let other = RawServer::responding(response("200 OK", "", "{}"));
    let headers = format!("location: {}/ws/direct\r\n", other.base_url());
    let server = RawServer::responding(response("307 Away", &headers, ""));
    let client = calls::client(&server.base_url());
    for (name, result) in calls::every_operation(&client) {
        let outcome = if name == "query_payment" { NotExecuted } else { Unknown };
        assert_eq!(calls::error_summary(result), (Protocol, "redirect", outcome), "{name}");
    }
    assert_eq!((server.requests().len(), other.connections()), (6, 0));
}

#[test]
fn a_status_keeps_its_row_with_any_end_of_the_body() {
    let (sandbox, client) = sandbox();
    let bodies = [
        FaultKind::EndlessBody(EndlessFraming::Chunked),
        FaultKind::EndlessBody(EndlessFraming::Close),
        FaultKind::GiantBody(1 << 40),
        FaultKind::BrokenChunks,
        FaultKind::LongContentLength(5),
    ];
    for status in [400, 401, 413, 429, 500, 503] {
        for kind in &bodies {
            sandbox.clear_requests();
            let body = Response::json(status, &serde_json::json!({"status_code": "BP-X-1"}));
            sandbox.script_next([Fault { response: Some(body), ..Fault::new(kind.clone()) }]);
            let error = pay(&client);
            let name = kind.name();
            // A 401 that broke off may have said that it was executed.
            let row = match status {
                401 => (Unauthorized, Unknown),
                _ => row_of(status, false),
            };
            assert_eq!((error.kind(), error.outcome()), row, "{status} {name}: {error}");
            assert_eq!(error.http_status(), Some(status), "{name}");
            assert_eq!(sandbox.requests().len(), 1, "{status} {name}");
        }
    }
}

#[test]
fn a_refusal_whose_body_hangs_is_reported_early() {
    let server = RawServer::start(|mut connection| {
        connection.read_request();
        connection.write(b"HTTP/1.1 422 No\r\ncontent-length: 9\r\n\r\n{}");
        connection.wait_for_the_end();
    });
    let client = calls::client(&server.base_url());
    let (error, took) = calls::timed(|| pay(&client));
    assert_eq!((error.code().as_str(), error.outcome()), ("refusal_doubtful", Unknown));
    assert!(took < Duration::from_secs(15), "{took:?}");
}

#[test]
fn the_response_to_a_large_body_is_read_after_a_break() {
    // The service responds to the head, then closes without reading the body.
    let server = RawServer::start(|mut connection| {
        let mut part = [0; 1024];
        std::io::Read::read(&mut connection.stream, &mut part).unwrap();
        connection.write(&response("413 Too Large", "connection: close\r\n", ""));
        std::thread::sleep(Duration::from_millis(100));
    });
    let client = calls::client(&server.base_url());
    let large = payments_core::request::RawRequest::new("POST", "/ws/x").body(vec![b' '; 8 << 20]);
    let result = client.send(&large);
    assert_eq!(calls::error_summary(result), (Status, "refused", NotExecuted));
}

#[test]
fn retry_after_is_read_and_capped_and_nonsense_is_ignored() {
    let hour = Duration::from_secs(3600);
    for (value, expected) in [
        ("7", Some(Duration::from_secs(7))),
        ("0", Some(Duration::ZERO)),
        ("3601", Some(hour)),
        ("99999999999", Some(hour)),
        ("-1", None),
        ("soon", None),
        ("1.5", None),
        ("99999999999999999999999999", None),
        ("Fri, 31 Dec 1999 23:59:59 GMT", None),
        ("", None),
    ] {
        let headers = format!("retry-after: {value}\r\n");
        let server = RawServer::responding(response("429 Slow", &headers, ""));
        let error = pay(&calls::client(&server.base_url()));
        assert_eq!((error.kind(), error.outcome()), (RateLimited, NotExecuted));
        assert_eq!(error.retry_after(), expected, "{value:?}");
        assert_eq!(server.requests().len(), 1, "{value:?}");
    }
}

#[test]
fn interim_responses_are_not_the_response() {
    let interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: x\r\n\r\n".to_vec();
    let refused = [interim, response("422 No", "", "{}")].concat();
    let server = RawServer::responding(refused);
    let client = calls::client(&server.base_url());
    for _ in 0..2 {
        let error = pay(&client);
        assert_eq!((error.http_status(), error.outcome()), (Some(422), NotExecuted));
    }
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_failure_names_the_hash_and_the_code_that_the_service_gave() {
    let body = r#"{"status_code":"BP-X-1","status_message":"no","payment":{"hash":"5f2c"}}"#;
    let server = RawServer::responding(response("500 No", "", body));
    let error = pay(&calls::client(&server.base_url()));
    assert_eq!(error.payment_hash(), Some("5f2c"));
    assert_eq!(error.service_code(), Some("BP-X-1"));
    assert_eq!(error.response_body(), Some(body.as_bytes()));
    // The start of a refusal that is too long is kept.
    let long = format!("{body}{}", " ".repeat(1 << 20));
    let long_winded = RawServer::responding(response("500 No", "", &long));
    let error = pay(&calls::client(&long_winded.base_url()));
    assert_eq!(error.response_body(), Some(&long.as_bytes()[..64 * 1024]));
    let query = calls::client(&server.base_url()).query_payment(&QueryPayment::by_hash("5f2c"));
    assert_eq!(query.unwrap_err().attempts(), 3);
}

#[test]
fn a_refused_signature_without_a_token_names_both() {
    let server = RawServer::responding(response("401 No", "", ""));
    let key = vectors::key_text("test_rsa_4096_pkcs8.pem");
    let client = Client::new(calls::config(&server.base_url()).signing_key(key, "kid-1")).unwrap();
    let error = calls::fail_within(&client, Duration::from_secs(10), "order-1");
    let diagnosis = error.diagnosis().unwrap();
    assert_eq!(diagnosis.finding(), Finding::CannotTell);
    for named in ["no bearer token; set client_id", "with this kid was accepted yet"] {
        assert!(diagnosis.message().contains(named), "{diagnosis}");
    }
}

#[test]
fn a_clear_status_is_believed_with_any_code_in_its_body() {
    let body = r#"{"status":"ERROR","status_code":"BP-DR-0"}"#;
    let codes = [
        ("302 Found", "redirect"),
        ("401 Unauthorized", "unauthorized"),
        ("429 Too Many Requests", "rate_limited"),
        ("409 Conflict", "duplicate_reference"),
    ];
    for (status, code) in codes {
        let server = RawServer::responding(response(status, "", body));
        let error = pay(&calls::client(&server.base_url()));
        assert_eq!(error.code().as_str(), code, "{status}");
    }
}
