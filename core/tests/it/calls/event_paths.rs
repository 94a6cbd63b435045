//! The paths that events contain.

use std::sync::{Arc, Mutex};

use payments_core::observer::Event;
use payments_core::request::{QueryPayment, RawRequest};
use payments_core::transport::Transport;
use payments_core::transport::{FailureKind, PreparedRequest, Received, TransportFailure};
use payments_core::{CallContext, Client, Config, bridge};

struct Nowhere;

impl Transport for Nowhere {
    fn send(&self, _: &CallContext, _: &PreparedRequest) -> Result<Received, TransportFailure> {
        Err(TransportFailure::new(FailureKind::Broken, "nothing is there").nothing_sent())
    }
}

/// Returns the path in the events of a call.
fn shown(call: impl FnOnce(&Client)) -> String {
    let paths = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&paths);
    let observer = move |event: &Event<'_>| {
        if let Event::RequestStarted { path, .. } = event {
            seen.lock().unwrap().push((*path).to_owned());
        }
    };
    let config = Config::new("https://payments.example").integration_key("k").query_retries(0);
    let config = config.transport(Arc::new(Nowhere)).observer(Arc::new(observer));
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
fn the_paths_of_operations_are_whole() {
    let path = shown(|client| drop(client.query_payment(&QueryPayment::by_hash("5f2c"))));
    assert_eq!(path, "/ws/query");
}

#[test]
fn whether_a_client_has_an_observer_is_known() {
    let config = || Config::new("https://payments.example").integration_key("k");
    assert!(!bridge::is_observed(&Client::new(config()).unwrap()));
    let observed = config().observer(Arc::new(|_: &Event<'_>| {}));
    assert!(bridge::is_observed(&Client::new(observed).unwrap()));
}
