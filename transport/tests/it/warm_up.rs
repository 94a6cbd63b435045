//! `warm_up`, and its use by the next request.

use std::time::Duration;

use crate::support::caller::{Caller, tls_url, trusting};
use crate::support::raw_server::{Connection, RawServer, json};
use crate::support::tls_server::{self, Authority};

fn response_all(mut connection: Connection) {
    while connection.read_request().is_some() && connection.write(&json("{}")) {}
}

#[test]
fn the_next_call_uses_the_connection() {
    let server = RawServer::start(response_all);
    let caller = Caller::of(&server);
    caller.warm_up();
    caller.warm_up();
    assert_eq!(server.requests().len(), 0);
    caller.body();
    caller.warm_up();
    assert_eq!((server.connections(), server.requests().len()), (1, 1));
}

#[test]
fn tls_records_after_the_handshake_keep_the_connection() {
    let authority = Authority::new("ours");
    let server = tls_server::start(authority.server(&["localhost"]), response_all);
    let caller = Caller::new(&tls_url(&server), &trusting(&authority.pem()));
    caller.warm_up();
    // Session tickets of TLS 1.3 arrive meanwhile.
    std::thread::sleep(Duration::from_millis(100));
    caller.body();
    assert_eq!(server.connections(), 1);
}
