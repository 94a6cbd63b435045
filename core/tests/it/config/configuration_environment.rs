//! Environment variables as a source of the configuration.
//!
//! A process cannot change its own environment safely, so each test runs again
//! in a child process that has the variables.

use std::ffi::OsStr;
#[cfg(unix)]
use std::ffi::OsString;

use payments_core::{Client, Config, Error, QueryPayment};

use crate::support::child::is_alone;

fn text(value: &str) -> &OsStr {
    OsStr::new(value)
}

/// Returns the URL of a query prepared with this configuration.
fn prepared_url(config: Config) -> String {
    let client = Client::new(config).unwrap();
    client.prepare(&QueryPayment::by_hash("abc"), &client.context()).unwrap().url().to_owned()
}

#[test]
fn the_environment_overrides_the_file() {
    let variables = [
        ("PAYMENTS_INTEGRATION_KEY", text("of-the-environment")),
        ("PAYMENTS_TIMEOUT_MS", text("1234")),
        ("PAYMENTS_NO_SUCH_MEMBER", text("is ignored")),
    ];
    if !is_alone(the_environment_overrides_the_file, &variables) {
        return;
    }
    let json = br#"{"base_url":"https://of-the-file.example","integration_key":"of-the-file",
        "timeout_ms":9999,"environment":"sandbox"}"#;
    let of_file = Config::from_json(json).unwrap();
    let url = prepared_url(of_file.clone());
    assert_eq!(url, "https://of-the-file.example/ws/query?integration_key=of-the-file&hash=abc");
    let config = of_file.with_env().unwrap();
    let shown = format!("{config:?}");
    assert!(shown.contains("1.234s") && shown.contains("Sandbox"), "{shown}");
    let url = prepared_url(config);
    let expected =
        "https://of-the-file.example/ws/query?integration_key=of-the-environment&hash=abc";
    assert_eq!(url, expected);
}

#[test]
fn a_secret_of_the_environment_wins_over_a_file_of_secrets() {
    let variables = [("PAYMENTS_INTEGRATION_KEY", text("of-the-environment"))];
    if !is_alone(a_secret_of_the_environment_wins_over_a_file_of_secrets, &variables) {
        return;
    }
    let json = br#"{"base_url":"https://api.example","integration_key_file":"no/such/file"}"#;
    let config = Config::from_json(json).unwrap().with_env().unwrap();
    assert!(prepared_url(config).contains("of-the-environment"));
}

#[test]
fn the_environment_alone_is_enough() {
    let key = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/keys/test_rsa_4096_pkcs8.pem");
    let variables = [
        ("PAYMENTS_ENVIRONMENT", text("sandbox")),
        ("PAYMENTS_BASE_URL", text("https://api.example")),
        ("PAYMENTS_KEY_FILE", text(key)),
        ("PAYMENTS_KID", text("kid-1")),
        ("PAYMENTS_ALLOW_SMALL_KEYS", text("0")),
        ("PAYMENTS_CARD_GUARD", text("1")),
        ("PAYMENTS_QUERY_RETRIES", text("0")),
        ("PAYMENTS_DUPLICATE_CODES", text("A-1, B-2,")),
        ("PAYMENTS_AUTH", text(r#"{"query_payment":{"signature":false}}"#)),
    ];
    if !is_alone(the_environment_alone_is_enough, &variables) {
        return;
    }
    let config = Config::from_env().unwrap();
    let shown = format!("{config:?}");
    assert!(shown.contains(r#"["A-1", "B-2"]"#), "{shown}");
    let client = Client::new(config).unwrap();
    let query = client.prepare(&QueryPayment::by_hash("abc"), &client.context()).unwrap();
    assert!(query.header("x-jws-signature").is_none());
    let send = payments_core::RawRequest::new("GET", "/ws/a");
    let send = client.prepare(&send, &client.context()).unwrap();
    assert!(send.header("x-jws-signature").is_some());
}

#[test]
fn nothing_is_read_unless_it_is_asked_for() {
    let variables = [("PAYMENTS_BASE_URL", text("https://of-the-environment.example"))];
    if !is_alone(nothing_is_read_unless_it_is_asked_for, &variables) {
        return;
    }
    assert_eq!(Client::new(Config::default()).unwrap_err().path(), Some("base_url"));
    let config = Config::new("https://api.example").integration_key("k");
    assert!(prepared_url(config).starts_with("https://api.example/"));
}

fn refused() -> Error {
    Config::from_env().and_then(Client::new).unwrap_err()
}

#[test]
fn a_variable_of_the_wrong_type_names_only_the_member() {
    let variables = [("PAYMENTS_TIMEOUT_MS", text("canary"))];
    if !is_alone(a_variable_of_the_wrong_type_names_only_the_member, &variables) {
        return;
    }
    let error = refused();
    assert_eq!((error.path(), error.code().as_str()), (Some("timeout_ms"), "wrong_type"));
    assert!(!format!("{error} {error:?}").contains("canary"));
    assert!(error.message().contains("PAYMENTS_TIMEOUT_MS"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_text_is_named() {
    use std::os::unix::ffi::OsStringExt as _;
    let value = OsString::from_vec(vec![0xff, 0xfe]);
    if !is_alone(a_variable_that_is_not_text_is_named, &[("PAYMENTS_KID", value.as_os_str())]) {
        return;
    }
    let error = refused();
    assert_eq!((error.path(), error.code().as_str()), (Some("kid"), "file_unreadable"));
}

#[test]
fn a_secret_and_its_file_exclude_each_other() {
    let variables =
        [("PAYMENTS_CLIENT_SECRET", text("a")), ("PAYMENTS_CLIENT_SECRET_FILE", text("b"))];
    if !is_alone(a_secret_and_its_file_exclude_each_other, &variables) {
        return;
    }
    let error = refused();
    assert_eq!(
        (error.path(), error.code().as_str()),
        (Some("client_secret_file"), "conflicting_members")
    );
    assert!(error.message().contains("client_secret"), "{error}");
}

#[test]
fn an_empty_list_is_refused_with_advice() {
    let variables = [("PAYMENTS_DUPLICATE_CODES", text(""))];
    if !is_alone(an_empty_list_is_refused_with_advice, &variables) {
        return;
    }
    let error = refused();
    assert_eq!((error.path(), error.code().as_str()), (Some("duplicate_codes"), "value_invalid"));
    for part in ["PAYMENTS_DUPLICATE_CODES", "unset it", "[] in a file"] {
        assert!(error.message().contains(part), "{error}");
    }
}
