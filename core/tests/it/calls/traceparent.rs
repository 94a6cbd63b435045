//! The option `traceparent` of a call.

use payments_core::context::TraceSlot;
use payments_core::{CallOptions as _, Client, QueryPayment, RawRequest};

use crate::support::calls::{self, TRACEPARENT, traced};
use crate::support::raw_server::{RawServer, created, json, response};

/// A service, and a token server in one.
fn server() -> RawServer {
    RawServer::start(|mut connection| {
        let mut refused = false;
        while let Some(request) = connection.read_request() {
            let answer = if request.head.contains("oauth/token") {
                json(r#"{"access_token":"t","token_type":"bearer","expires_in":3600}"#)
            } else if request.head.contains("/ws/query") && !refused {
                refused = true;
                response("503 Service Unavailable", "", "")
            } else {
                created()
            };
            if !connection.write(&answer) {
                break;
            }
        }
    })
}

#[test]
fn only_requests_to_the_service_carry_it() {
    let server = server();
    let url = server.base_url();
    let config = calls::config(&url).client_credentials(&url, "traced", "secret");
    let client = Client::new(config).unwrap();
    client.execute(&calls::payment("order-1"), &traced(&client)).unwrap();
    client.execute(&QueryPayment::by_hash("5f2c"), &traced(&client)).unwrap();
    client.execute(&RawRequest::new("POST", "/ws/other"), &traced(&client)).unwrap();
    client.create_payment(&calls::payment("order-2")).unwrap();
    let seen: Vec<_> = server
        .requests()
        .iter()
        .map(|request| {
            let path = request.head.split(' ').nth(1).unwrap();
            let path = path.split('?').next().unwrap().rsplit('/').next().unwrap().to_owned();
            (path, request.header("traceparent").map(str::to_owned))
        })
        .collect();
    let carried = Some(TRACEPARENT.to_owned());
    let expected = [
        ("token", None),
        ("direct", carried.clone()),
        ("query", carried.clone()),
        ("query", carried.clone()),
        ("other", carried),
        ("direct", None),
    ];
    assert_eq!(seen, expected.map(|(path, value)| (path.to_owned(), value)));
}

/// Set as by an observer that begins a span for each call.
#[test]
fn a_value_set_before_the_call_is_carried() {
    let server = RawServer::responding(created());
    let client = calls::client(&server.base_url());
    let slot = TraceSlot::default();
    let context = client.context().with_trace_slot(slot.clone());
    slot.set(TRACEPARENT.parse().unwrap());
    client.execute(&calls::payment("order-1"), &context).unwrap();
    assert_eq!(server.requests()[0].header("traceparent"), Some(TRACEPARENT));
}
