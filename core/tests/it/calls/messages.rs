//! Error messages: what happened, to what, and what to check next.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use payments_core::transport::{Lookup, ProxySetting};
use payments_core::{Client, Config, Error, bridge};

use crate::support::calls;
use crate::support::raw_server::{RawServer, response};
use crate::support::silent::{FullQueue, refused_port};

fn pay(config: Config) -> Error {
    let client = Client::new(config).unwrap();
    client.create_payment(&calls::payment("order-1")).unwrap_err()
}

fn assert_says(error: &Error, parts: &[&str]) {
    for part in parts {
        assert!(error.message().contains(part), "without {part:?}: {error}");
    }
}

fn by_name(lookup: Lookup) -> Config {
    calls::config("http://service.test").allow_insecure_http(true).lookup(lookup)
}

#[test]
fn a_host_that_cannot_be_reached_is_named_with_its_member() {
    let port = refused_port();
    let error = pay(calls::config(&format!("http://127.0.0.1:{port}")));
    assert_says(&error, &[&format!("127.0.0.1:{port}"), "connection refused", "check base_url"]);

    let unknown: Lookup = Arc::new(|_: &str, _: u16| Err(io::ErrorKind::NotFound.into()));
    assert_says(&pay(by_name(unknown)), &["service.test", "check base_url"]);
    let nowhere: Lookup = Arc::new(|_: &str, _: u16| Ok(Vec::<SocketAddr>::new()));
    assert_says(&pay(by_name(nowhere)), &["service.test", "check base_url"]);

    let silent = FullQueue::new();
    let config = calls::config(&silent.url("http")).connect_timeout(Duration::from_millis(200));
    assert_says(&pay(config), &["connect_timeout_ms", "check base_url"]);
}

#[test]
fn a_token_server_that_cannot_be_used_is_told_from_the_service() {
    let service = RawServer::responding(response("200 OK", "", "{}"));
    let with_tokens = |auth_url: &str| {
        calls::config(&service.base_url()).client_credentials(auth_url, "client", "secret")
    };
    let port = refused_port();
    let error = pay(with_tokens(&format!("http://127.0.0.1:{port}")));
    assert_says(&error, &[&format!("127.0.0.1:{port}"), "check auth_url"]);
    assert!(!error.message().contains("base_url"), "{error}");

    let elsewhere = RawServer::responding(response("404 Not Found", "", ""));
    let error = pay(with_tokens(&elsewhere.base_url()));
    assert_says(&error, &["404", "check auth_url", "/authorization-server/oauth/token"]);
}

#[test]
fn a_proxy_that_cannot_be_used_is_told_from_the_service() {
    let service = RawServer::responding(response("200 OK", "", "{}"));
    let through = |url: String| {
        pay(calls::config(&service.base_url()).proxy(ProxySetting::Url(url.as_str().into())))
    };
    let error = through(format!("http://127.0.0.1:{}", refused_port()));
    assert_says(&error, &["could not connect to the proxy", "check proxy"]);
    assert!(!error.message().contains("base_url"), "{error}");

    let closed = RawServer::responding(response("407 Proxy Authentication Required", "", ""));
    assert_says(&through(closed.base_url()), &["407", "user:password@"]);
}

#[test]
fn a_401_says_its_probable_cause() {
    let service = RawServer::responding(response("401 Unauthorized", "", ""));
    let error = pay(calls::config(&service.base_url()));
    let finding = error.diagnosis().unwrap().message();
    assert_says(&error, &["401", "probable cause", finding]);
}

#[test]
fn a_refusal_names_the_members_that_have_its_reason() {
    let body = r#"{"status":"ERROR","status_code":"BP-1","status_message":"no"}"#;
    let service = RawServer::responding(response("200 OK", "", body));
    assert_says(&pay(calls::config(&service.base_url())), &["service_code", "service_message"]);
}

#[test]
fn an_unknown_operation_is_refused_with_those_that_exist() {
    let client = calls::client("http://127.0.0.1:9");
    let error = bridge::call(&client, "pay", b"{}", &client.context()).map(drop).unwrap_err();
    assert_says(&error, &["create_payment", "refund_payment", "access_token"]);
    assert!(!error.message().contains("send"), "{error}");
    let error = Config::from_json(br#"{"auth":{"pay":{}}}"#).map(drop).unwrap_err();
    assert_says(&error, &["create_payment", "send"]);
}

#[test]
fn a_byte_order_mark_is_called_one() {
    let client = calls::client("http://127.0.0.1:9");
    let text = "\u{feff}{}".as_bytes();
    let error =
        bridge::call(&client, "create_payment", text, &client.context()).map(drop).unwrap_err();
    assert_says(&error, &["byte order mark", "UTF-8"]);
    assert_says(&Config::from_json(text).map(drop).unwrap_err(), &["byte order mark"]);
}

#[test]
fn a_file_that_is_not_there_is_named_with_its_folder() {
    let here = std::env::current_dir().unwrap();
    let full = here.join("nowhere.json").display().to_string();
    let error = Config::from_file("nowhere.json").map(drop).unwrap_err();
    assert_says(&error, &[&full, "no such file"]);
    let key = here.join("nowhere.pem").display().to_string();
    let config = calls::config("http://127.0.0.1:9").signing_key_file("nowhere.pem", "kid");
    assert_says(&Client::new(config).map(drop).unwrap_err(), &[&key, "no such file"]);
}
