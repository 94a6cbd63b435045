//! Calls by name, and other requests of a package to a client.

use std::sync::Arc;

use payments_core::observer::Event;
use payments_core::{Client, Config};
use payments_host::by_name;

use crate::support::calls::{self, assert_says};

#[test]
fn an_unknown_operation_is_refused_with_those_that_exist() {
    let client = calls::client("http://127.0.0.1:9");
    let error = by_name::call(&client, "pay", b"{}", &client.context()).map(drop).unwrap_err();
    assert_says(&error, &["create_payment", "refund_payment", "access_token"]);
    assert!(!error.message().contains("send"), "{error}");
    let error = Config::from_json(br#"{"auth":{"pay":{}}}"#).map(drop).unwrap_err();
    assert_says(&error, &["create_payment", "send"]);
}

#[test]
fn whether_a_client_has_an_observer_is_known() {
    let config = || Config::new("https://payments.example").integration_key("k");
    assert!(!by_name::is_observed(&Client::new(config()).unwrap()));
    let observed = config().observer(Arc::new(|_: &Event<'_>| {}));
    assert!(by_name::is_observed(&Client::new(observed).unwrap()));
}
