//! The paths that events contain.

use std::sync::{Arc, Mutex};

use payments_core::config::AuthOverride;
use payments_core::observer::{Event, EventKind};
use payments_core::request::{QueryPayment, RawRequest};
use payments_core::transport::{
    FailureKind, PreparedRequest, Received, Transport, TransportFailure,
};
use payments_core::{CallContext, Client, Config, Environment, Operation};

struct Nowhere;

impl Transport for Nowhere {
    fn send(&self, _: &CallContext, _: &PreparedRequest) -> Result<Received, TransportFailure> {
        Err(TransportFailure::new(FailureKind::Broken, "nothing is there").nothing_sent())
    }
}

/// Returns the path in the events of a call.
fn shown(call: impl FnOnce(&Client)) -> String {
    let config = Config::new("https://payments.example").integration_key("k");
    shown_by(config, call)
}

fn shown_by(config: Config, call: impl FnOnce(&Client)) -> String {
    let paths = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&paths);
    let observer = move |event: &Event<'_>| {
        if let EventKind::RequestStarted { path, .. } = event.kind {
            seen.lock().unwrap().push((*path).to_owned());
        }
    };
    let config = config.query_retries(0).transport(Arc::new(Nowhere)).observer(Arc::new(observer));
    call(&Client::new(config).unwrap());
    let paths = paths.lock().unwrap();
    assert_eq!(paths.len(), 1);
    paths[0].clone()
}

#[test]
fn the_path_of_send_ends_after_its_second_segment() {
    for (path, expected) in [
        ("/", "/"),
        ("/ws", "/ws"),
        ("/ws/", "/ws/"),
        ("/ws/transfer", "/ws/transfer"),
        ("/ws/transfer/", "/ws/transfer"),
        ("/ws/transfer/853.513.468-93", "/ws/transfer"),
        ("/ws/accounts/maria%40example.com/transfers", "/ws/accounts"),
    ] {
        let sent = shown(|client| drop(client.send(&RawRequest::new("POST", path))));
        assert_eq!(sent, expected, "{path}");
    }
}

#[test]
fn a_secret_of_the_configuration_is_hidden_in_a_path() {
    let config = || {
        Config::new("https://payments.example")
            .environment(Environment::Sandbox)
            .allow_insecure_http(true)
            .integration_key("canary-key-0001")
            .client_credentials("https://auth.example", "id", "canary/secret+0002")
            .auth(Operation::Send, AuthOverride { bearer: Some(false), ..Default::default() })
    };
    for (path, expected) in [
        ("/ws/query/canary-key-0001", "/ws/query"),
        ("/ws/canary-key-0001", "/ws/***"),
        ("/canary-key-0001/query", "/***/query"),
        ("/ws/query;integration_key=canary-key-0001", "/ws/query;integration_key=***"),
        ("/ws/canary%2Dkey%2D0001", "/ws/***"),
        ("/ws/canary/secret+0002/more", "/ws/***"),
        ("/ws/payout", "/ws/payout"),
    ] {
        let sent = shown_by(config(), |client| drop(client.send(&RawRequest::new("GET", path))));
        assert_eq!(sent, expected, "{path}");
    }
    let client = Client::new(config()).unwrap();
    let request = RawRequest::new("GET", "/ws/query/canary-key-0001").query("k", "canary-key-0001");
    let prepared = format!("{:?}", client.prepare(&request, &client.context()).unwrap());
    assert!(prepared.contains("payments.example") && !prepared.contains("canary"), "{prepared}");
}

#[test]
fn the_paths_of_operations_are_whole() {
    let path = shown(|client| drop(client.query_payment(&QueryPayment::by_hash("5f2c"))));
    assert_eq!(path, "/ws/query");
}
