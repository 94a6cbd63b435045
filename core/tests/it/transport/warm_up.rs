//! `warm_up`, and its use by the next call.

use payments_core::{CallContext, CancelHandle, Client, ErrorKind, Outcome};

use crate::support::calls;
use crate::support::merchant::{BEARER, Merchant};
use crate::support::raw_server::{Connection, RawServer, created};
use crate::support::silent::refused_port;
use crate::support::tokens;

fn respond_to_all(mut connection: Connection) {
    while connection.read_request().is_some() && connection.write(&created()) {}
}

fn warm(client: &Client) {
    client.warm_up(&client.context()).unwrap();
}

fn pay(client: &Client) {
    client.create_payment(&calls::payment("order-1")).unwrap();
}

#[test]
fn a_warm_up_fetches_the_token_too() {
    let merchant = Merchant::with(BEARER);
    let client = Client::new(merchant.config(BEARER)).unwrap();
    warm(&client);
    let before = merchant.sandbox.connections();
    pay(&client);
    assert_eq!(merchant.sandbox.connections(), before);
    assert_eq!(merchant.sandbox.stats().token_requests, 1);
}

#[test]
fn a_cancelled_warm_up_says_so_with_an_idle_connection() {
    let server = RawServer::start(respond_to_all);
    let client = calls::client(&server.base_url());
    warm(&client);
    let cancel = CancelHandle::new();
    cancel.cancel();
    let context = CallContext::new(calls::SLACK, cancel, None);
    assert_eq!(client.warm_up(&context).unwrap_err().kind(), ErrorKind::Cancelled);
}

#[test]
fn a_service_that_cannot_be_reached_is_an_error() {
    let client = calls::client(&format!("http://127.0.0.1:{}", refused_port()));
    let error = client.warm_up(&client.context()).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Connect, Outcome::NotExecuted));
    assert!(error.to_string().contains("base_url"), "{error}");
}

#[test]
fn a_custom_transport_need_not_prepare_anything() {
    let service = tokens::Service::new();
    let client = tokens::client(tokens::config(&service, &tokens::ManualClock::new()));
    warm(&client);
    assert_eq!((service.token_requests(), service.calls().len()), (1, 0));
}
