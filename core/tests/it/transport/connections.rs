//! The connection of a response that the client does not believe.

use payments_core::ErrorKind;

use crate::support::calls;
use crate::support::raw_server::{RawServer, created, json};

#[test]
fn a_connection_with_a_wrong_response_is_not_reused() {
    let server = RawServer::start(|mut connection| {
        let wrong =
            json(r#"{"status":"SUCCESS","payment":{"hash":"1","merchant_payment_code":"x"}}"#);
        let right = created();
        while connection.read_request().is_some() {
            connection.write(if connection.number == 1 { &wrong } else { &right });
        }
    });
    let client = calls::client(&server.base_url());
    let refused = client.create_payment(&calls::payment("order-1")).map(drop).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Protocol);
    let paid = client.create_payment(&calls::payment("order-1")).unwrap();
    assert_eq!((paid.hash(), server.connections()), (Some("5f2c"), 2));
}
