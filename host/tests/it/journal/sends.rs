//! A `send` that the journal takes for an operation, and its recovery.

use payments_core::Outcome::Unknown;

use crate::support::calls::payment;
use crate::support::journaled::{journaled, sent_as};
use crate::support::raw_server::{RawServer, response};

#[test]
fn a_send_with_a_lost_response_is_settled_as_its_operation() {
    let server = RawServer::responding(response("500 No", "", "{}"));
    let (client, journal) = journaled(&server.base_url());
    assert_eq!(
        client.send(&sent_as("/ws/direct", &payment("o-1"))).unwrap_err().outcome(),
        Unknown
    );
    assert_eq!(journal.one().operation.name(), "create_payment");
    let error = client.create_payment(&payment("o-1")).unwrap_err();
    assert_eq!((error.code().as_str(), error.outcome()), ("unresolved", Unknown));
    let recovery = payments_host::recover(&client, &client.context()).unwrap();
    assert_eq!(recovery.open[0].needs.as_str(), "query");
}
