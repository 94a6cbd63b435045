//! Error messages: the event, its subject, and the next check.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use payments_core::config::AuthOverride;
use payments_core::request::{CreatePayment, QueryPayment, RawRequest};
use payments_core::signer::PrivateKey;
use payments_core::transport::Lookup;
use payments_core::{Client, Config, Environment, Error, Operation};

use crate::support::calls::{self, assert_says};
#[cfg(unix)]
use crate::support::child;
use crate::support::raw_server::{RawServer, json, response};
use crate::support::silent::{FullQueue, refused_port};
use crate::support::vectors::key_path;

fn pay(config: Config) -> Error {
    let client = Client::new(config).unwrap();
    client.create_payment(&calls::payment("order-1")).unwrap_err()
}

fn by_name(lookup: Lookup) -> Config {
    calls::config("http://service.test").allow_insecure_http(true).lookup(lookup)
}

#[test]
fn a_host_that_cannot_be_reached_is_named_with_its_member() {
    let port = refused_port();
    let error = pay(calls::config(&format!("http://127.0.0.1:{port}")));
    assert_says(&error, &[&format!("127.0.0.1:{port}"), "connection refused", "check base_url"]);
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("refused"), "{source}");

    let closing = RawServer::start(|mut connection| drop(connection.read_request()));
    let broke = format!("the connection to 127.0.0.1:{} broke before the", closing.port());
    assert_says(&pay(calls::config(&closing.base_url())), &[&broke]);

    let unknown: Lookup = Arc::new(|_: &str, _: u16| Err(io::ErrorKind::NotFound.into()));
    assert_says(&pay(by_name(unknown)), &["service.test", "check base_url"]);
    let nowhere: Lookup = Arc::new(|_: &str, _: u16| Ok(Vec::<SocketAddr>::new()));
    assert_says(&pay(by_name(nowhere)), &["service.test", "check base_url"]);

    let silent = FullQueue::new();
    let config = calls::config(&silent.url("http")).connect_timeout(Duration::from_millis(200));
    assert_says(&pay(config), &["connect_timeout_ms", "check base_url"]);
}

#[test]
#[cfg(unix)]
fn a_lack_of_file_descriptors_is_named() {
    use payments_core::Outcome;
    use rustix::process::{Resource, Rlimit, setrlimit};

    // The limit is that of the process.
    if !child::is_alone(a_lack_of_file_descriptors_is_named, &[]) {
        return;
    }
    let client = calls::client(&format!("http://127.0.0.1:{}", refused_port()));
    setrlimit(Resource::Nofile, Rlimit { current: Some(0), maximum: Some(0) }).unwrap();
    let error = client.create_payment(&calls::payment("order-1")).unwrap_err();
    assert_eq!(
        (error.code().as_str(), error.outcome()),
        ("resources_exhausted", Outcome::NotExecuted)
    );
    assert_says(&error, &["file descriptor", "ulimit -n"]);
}

#[test]
fn a_401_names_the_missing_credential() {
    let service = RawServer::responding(response("401 Unauthorized", "", ""));
    let error = pay(calls::config(&service.base_url()));
    let finding = error.diagnosis().unwrap().message();
    assert_says(&error, &["401", finding, "set key_file and kid", "set client_id"]);

    let no_signature = AuthOverride { signature: Some(false), ..AuthOverride::default() };
    let signed = calls::config(&service.base_url())
        .signing_key_file(key_path("test_rsa_4096_pkcs8.pem"), "kid")
        .auth(Operation::CreatePayment, no_signature);
    assert_says(&pay(signed), &["not signed", "auth"]);
}

#[test]
fn a_refusal_without_a_reason_has_advice() {
    let refusal = |status: &str, body: &str| {
        let service = RawServer::responding(response(status, "", body));
        pay(calls::config(&service.base_url()).environment(Environment::Production))
    };
    for (status, says) in [
        ("403 Forbidden", "the account may do this"),
        ("404 Not Found", "base_url first, to which the client appends /ws/direct"),
        ("410 Gone", "base_url first, to which the client appends /ws/direct"),
        ("413 Too Large", "bytes; send less"),
        ("414 URI Too Long", "make the request shorter"),
        ("415 Unsupported", "ask the provider"),
        ("431 Request Header Fields Too Large", "make the request shorter"),
    ] {
        assert_says(&refusal(status, ""), &[&status[..3], says]);
    }
    let error = refusal("422 Unprocessable", "{}");
    assert_says(&error, &["compare the request with the provider's documentation"]);
    let error = refusal("403 Forbidden", r#"{"code":"BP-1"}"#);
    assert_says(&error, &["look up its code"]);
    assert!(!error.message().contains("base_url"), "{error}");
    // These have no code that could be looked up.
    for body in [r#"{"status":403,"error":"Forbidden"}"#, r#"{"code":403}"#, r#"{"error":"a b"}"#] {
        assert_says(&refusal("403 Forbidden", body), &["the account may do this"]);
    }
    let error = refusal("403 Forbidden", r#"{"status_code":"bp-sa-2","message":"CANARY"}"#);
    assert_says(&error, &["the integration key is invalid; check integration_key"]);
    assert!(!error.to_string().contains("CANARY"), "{error}");
}

#[test]
fn only_a_sandbox_on_this_host_is_repeated() {
    let said = |text: &str, environment| {
        let body =
            format!(r#"{{"status":"ERROR","status_code":"BP-1","status_message":"{text}"}}"#);
        let service = RawServer::responding(json(&body));
        pay(calls::config(&service.base_url()).environment(environment))
    };
    let error = said("no such method", Environment::Sandbox);
    assert_says(&error, &[r#"; the service says "no such method""#]);
    assert!(error.shows_service_message());
    // Neither a secret of the configuration nor a long text.
    for text in ["key-1", "not key-1 again"] {
        let error = said(text, Environment::Sandbox);
        assert!(!error.message().contains("says") && !error.shows_service_message(), "{error}");
    }
    let error = said(&"é".repeat(301), Environment::Sandbox);
    assert!(error.message().ends_with(&format!("\"{}\"…", "é".repeat(300))), "{error}");
    let error = said("no such method", Environment::Production);
    assert!(!error.message().contains("says") && !error.shows_service_message(), "{error}");
    assert_eq!(error.service_message(), Some("no such method"));
}

#[test]
fn a_path_in_place_of_a_key_is_called_one() {
    for path in ["/etc/shop/private_key.pem", "key.pem\n", "~/key", "secrets\\key.der"] {
        let error = PrivateKey::from_contents(path.as_bytes(), None, false).unwrap_err();
        assert_eq!(error.code().as_str(), "key_unreadable", "{path}");
        assert_says(&error, &["set key_file"]);
        assert!(!error.message().contains(path.trim()), "{error}");
    }
    for (text, code) in
        [("no key", "key_unreadable"), ("MIIJQgIBADANBgkqhkiG9w0BAQEFAASC/w==", "key_unreadable")]
    {
        let error = PrivateKey::from_contents(text.as_bytes(), None, false).unwrap_err();
        assert_eq!(error.code().as_str(), code, "{text}");
    }
}

#[test]
fn a_wrong_type_is_named_with_the_one_that_is_meant() {
    for (text, message) in [
        (r#"{"timeout_ms":"5"}"#, "must be a whole number without quotes, not a string"),
        (r#"{"timeout_ms":1.5}"#, "must be a whole number"),
        (r#"{"timeout_ms":true}"#, "must be a whole number, not a boolean"),
        (r#"{"allow_small_keys":1}"#, "must be true or false, not a number"),
        (r#"{"base_url":5}"#, "must be a string, not a number"),
        (r#"{"duplicate_codes":"BP-1"}"#, "must be a list of strings, not a string"),
        (r#"{"duplicate_codes":[1]}"#, "must be a list of strings"),
        (r#"{"auth":[]}"#, "must be an object, not an array"),
    ] {
        let error = Config::from_json(text.as_bytes()).map(drop).unwrap_err();
        assert_eq!(error.message(), message, "{text}");
    }
}

#[test]
fn a_refusal_says_where_its_reason_is() {
    let body = r#"{"status":"ERROR","status_code":"BP-1","status_message":"no"}"#;
    let service = RawServer::responding(response("200 OK", "", body));
    assert_says(&pay(calls::config(&service.base_url())), &["see the service's code and message"]);
}

#[test]
fn a_byte_order_mark_is_named() {
    let text = "\u{feff}{}".as_bytes();
    let error = CreatePayment::from_json(text).map(drop).unwrap_err();
    assert_says(&error, &["byte order mark", "UTF-8"]);
    assert!(Config::from_json(text).is_ok(), "a configuration may begin with one");
    let twice = "\u{feff}\u{feff}{}".as_bytes();
    assert_says(&Config::from_json(twice).map(drop).unwrap_err(), &["byte order mark"]);
}

#[test]
fn broken_characters_differ_from_another_encoding() {
    for (body, path, says) in [
        (&b"{\"a\":\"\xe9\"}"[..], None, "the request is not UTF-8; convert it to UTF-8"),
        (br#"{"\udc00":1}"#, None, "half of a surrogate pair; remove it, or complete it"),
        (br#"{"a":"\udc00"}"#, Some("a"), "half of a surrogate pair; remove it, or complete it"),
    ] {
        let error = CreatePayment::from_json(body).map(drop).unwrap_err();
        assert_eq!((error.code().as_str(), error.path()), ("json_invalid", path));
        assert_says(&error, &[says]);
    }
}

#[test]
fn a_path_that_is_not_there_is_named() {
    let server = RawServer::responding(response("404 Not Found", "", ""));
    let client = calls::client(&server.base_url());
    let error = client.send(&RawRequest::new("POST", "/ws/nowhere")).map(drop).unwrap_err();
    assert_says(&error, &["check base_url first, and the path of the request"]);
    assert_says(&pay(calls::config(&server.base_url())), &["/ws/direct"]);
}

#[test]
fn an_address_without_accepted_calls_is_named_without_secrets() {
    const PAGE: &str = "<!doctype html><html><body>CANARY</body></html>";
    for (status, body) in [
        ("404 Not Found", ""),
        ("404 Not Found", r#"{"code":404,"error":"Not Found","message":"CANARY"}"#),
        ("405 Method Not Allowed", r#"{"code":"BP-1"}"#),
        ("410 Gone", PAGE),
        ("200 OK", PAGE),
        ("400 Bad Request", PAGE),
        ("401 Unauthorized", PAGE),
        ("403 Forbidden", PAGE),
        ("302 Found", PAGE),
        ("429 Too Many Requests", PAGE),
        ("503 Service Unavailable", PAGE),
    ] {
        let server = RawServer::responding(response(status, "", body));
        let config = calls::config(&server.base_url()).query_retries(0);
        let client = Client::new(config.environment(Environment::Production)).unwrap();
        let query = QueryPayment::by_hash("5a4f");
        for _ in 0..2 {
            let error = client.execute(&query, &client.context()).map(drop).unwrap_err();
            let asked = format!("and this one asked {}/ws/query", server.base_url());
            assert_says(&error, &["check base_url first, to which the client ", &asked]);
            assert_eq!(error.message().matches(&asked).count(), 1, "{error}");
            assert!(!error.message().contains("asked ?"), "{error}");
            for secret in ["CANARY", "key-1", "5a4f", "integration_key"] {
                assert!(!error.message().contains(secret), "{error}");
            }
        }
        let error = client.create_payment(&calls::payment("order-1")).unwrap_err();
        assert_says(&error, &[&format!("asked {}/ws/direct", server.base_url())]);
    }
    let server = RawServer::responding(response("404 Not Found", "", ""));
    let client = calls::client(&server.base_url());
    let long = RawRequest::new("GET", "/v2/payees/853.513.468-93").query("hash", "CANARY");
    let error = client.send(&long).map(drop).unwrap_err();
    assert!(error.message().ends_with(&format!("asked {}/v2/payees/...", server.base_url())));
}
