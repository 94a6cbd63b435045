//! The option `traceparent` of calls by packages.

use payments_core::{CallContext, Operation, QueryPayment};
use payments_host::by_name;

use crate::support::calls::{self, TRACEPARENT, traced};
use crate::support::raw_server::{RawServer, json};

#[test]
fn each_query_of_a_wait_carries_it() {
    let server = RawServer::responding(json(r#"{"payment":{"hash":"5f2c","status":"CO"}}"#));
    let client = calls::client(&server.base_url());
    payments_host::wait_for_payment(&client, &QueryPayment::by_hash("5f2c"), &traced(&client))
        .unwrap();
    assert_eq!(server.requests()[0].header("traceparent"), Some(TRACEPARENT));
}

#[test]
fn a_malformed_one_is_refused_and_not_repeated() {
    let context = CallContext::with_timeout(calls::SLACK);
    let error = by_name::traced(context, Some("00-x\r\ny: z"), "create_payment").unwrap_err();
    assert_eq!(error.operation(), Some(Operation::CreatePayment));
    assert_eq!((error.code().as_str(), error.path()), ("value_invalid", Some("traceparent")));
    assert!(!error.to_string().contains("y: z"), "{error}");
}
