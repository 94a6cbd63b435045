//! Trusted certificates, and connections that break within TLS.

use payments_transport::CallContext;
use payments_transport::FailureKind::{Broken, Tls};
use payments_transport::inside::Cause::{
    CertificateExpired, CertificateOfAnotherHost, CertificateRefused,
};

use crate::support::caller::{Caller, DISTANT, settings, tls_url, trusting};
use crate::support::raw_server::{Connection, RawServer, json, response};
use crate::support::tls_server::{self, Authority};

fn response_all(mut connection: Connection) {
    while connection.read_request().is_some() && connection.write(&json("{}")) {}
}

fn trusted(server: &RawServer, authority: &Authority) -> Caller {
    Caller::new(&tls_url(server), &trusting(&authority.pem()))
}

#[test]
fn a_certificate_of_the_given_authority_is_trusted() {
    let authority = Authority::new("ours");
    let server = tls_server::start(authority.server(&["localhost"]), response_all);
    let caller = trusted(&server, &authority);
    for _ in 0..3 {
        caller.body();
    }
    assert_eq!((server.connections(), server.requests().len()), (1, 3));
}

#[test]
fn an_address_may_be_in_the_certificate() {
    let authority = Authority::new("ours");
    let server = tls_server::start(authority.server(&["127.0.0.1"]), response_all);
    let url = server.base_url().replace("http:", "https:");
    Caller::new(&url, &trusting(&authority.pem())).body();
}

#[test]
fn invalid_certificates_are_refused_before_a_byte_is_sent() {
    let ours = Authority::new("ours");
    let foreign = Authority::new("foreign");
    for (name, tls, cause) in [
        ("unknown authority", foreign.server(&["localhost"]), CertificateRefused),
        ("another name", ours.server(&["payments.example"]), CertificateOfAnotherHost),
        ("expired", ours.server_until(&["localhost"], 2020), CertificateExpired),
    ] {
        let server = tls_server::start(tls, response_all);
        let failed = trusted(&server, &ours).failure();
        assert_eq!(failed.cause(), (cause, true), "{name}: {failed:?}");
        assert!(!failed.failure.can_connect_again(), "{name}");
        assert_eq!((server.connections(), server.requests().len()), (1, 0), "{name}");
    }
}

#[test]
fn after_a_refused_certificate_a_good_one_works() {
    let ours = Authority::new("ours");
    let bad = Authority::new("foreign").server(&["localhost"]);
    let good = ours.server(&["localhost"]);
    let server = RawServer::start(move |connection| {
        let tls = if connection.number == 1 { &bad } else { &good };
        if let Some(connection) = tls_server::accept(tls, connection) {
            response_all(connection);
        }
    });
    let caller = trusted(&server, &ours);
    assert_eq!(caller.failure().kind(), (Tls, true));
    caller.body();
}

#[test]
fn the_operating_systems_roots_do_not_know_a_private_authority() {
    let server = tls_server::start(Authority::new("ours").server(&["localhost"]), response_all);
    let failed = Caller::new(&tls_url(&server), &settings()).failure();
    assert_eq!(failed.kind(), (Tls, true), "{failed:?}");
    assert!(failed.message().contains("ca_file"), "{failed:?}");
}

#[test]
fn a_refusal_is_read_after_an_incomplete_write() {
    // The service responds to the head, then closes without reading the body.
    let authority = Authority::new("ours");
    let server = tls_server::start(authority.server(&["localhost"]), |mut connection| {
        let mut part = [0; 1024];
        std::io::Read::read(&mut connection.stream, &mut part).unwrap();
        connection.write(&response("413 Too Large", "connection: close\r\n", ""));
    });
    let large = vec![b' '; 8 << 20];
    let context = CallContext::with_timeout(DISTANT);
    let response = trusted(&server, &authority).send("POST", &large, &context).unwrap();
    assert_eq!(response.raw.status(), 413);
}

#[test]
fn connections_that_break_inside_tls_are_unknown() {
    let authority = Authority::new("ours");
    let half = &response("200 OK", "", "{\"status\":\"SUCCESS\"}")[..50];
    for sent in [&b""[..], half] {
        let sent = sent.to_vec();
        let server = tls_server::start(authority.server(&["localhost"]), move |mut connection| {
            connection.read_request();
            connection.write(&sent);
        });
        let failure = match trusted(&server, &authority).post() {
            Ok(response) => response.body_failure.unwrap(),
            Err(failed) => {
                assert!(!failed.nothing_sent, "{failed:?}");
                failed.failure
            }
        };
        assert_eq!((failure.kind(), server.requests().len()), (Broken, 1), "{failure:?}");
    }
}

#[test]
fn bytes_that_are_not_tls_after_the_handshake_are_unknown() {
    let authority = Authority::new("ours");
    let server = tls_server::start(authority.server(&["localhost"]), |mut connection| {
        connection.read_request();
        std::io::Write::write_all(&mut connection.socket, b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        connection.wait_for_the_end();
    });
    let failed = trusted(&server, &authority).failure();
    assert_eq!(failed.kind(), (Broken, false), "{failed:?}");
}

#[test]
fn a_large_body_and_a_large_response_pass_through_tls() {
    let authority = Authority::new("ours");
    let large = format!("{{\"status\":\"SUCCESS\",\"pad\":\"{}\"}}", "x".repeat(2_000_000));
    let reply = response("200 OK", "", &large);
    let server = tls_server::start(authority.server(&["localhost"]), move |mut connection| {
        while connection.read_request().is_some() && connection.write(&reply) {}
    });
    let caller = trusted(&server, &authority);
    let body: Vec<u8> = (0..4 << 20).map(|index: u32| (index % 251) as u8).collect();
    for _ in 0..2 {
        let context = CallContext::with_timeout(DISTANT);
        let response = caller.send("POST", &body, &context).unwrap();
        assert_eq!(response.raw.body(), large.as_bytes());
    }
    assert!(server.requests().iter().all(|request| request.body == body));
    assert_eq!(server.connections(), 1);
}
