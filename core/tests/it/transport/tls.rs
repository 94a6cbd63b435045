//! Trusted certificates, and the errors for untrusted ones.

use std::time::Duration;

use payments_core::ErrorKind::Tls;
use payments_core::Outcome::{NotExecuted, Unknown};
use payments_core::{Client, Error, ErrorKind};

use crate::support::calls;
#[cfg(target_os = "linux")]
use crate::support::folder::Folder;
use crate::support::payer;
use crate::support::raw_server::{Connection, RawServer, created, response};
use crate::support::tls_server::{self, Authority, TemporaryFile};

fn response_all(mut connection: Connection) {
    while connection.read_request().is_some() && connection.write(&created()) {}
}

/// The server's URL, with a name that the operating system resolves.
fn url(server: &RawServer) -> String {
    format!("https://localhost:{}", server.port())
}

fn client(server: &RawServer, authority: &TemporaryFile) -> Client {
    Client::new(calls::config(&url(server)).ca_file(&authority.0)).unwrap()
}

fn pay(client: &Client) -> Error {
    calls::fail_within(client, Duration::from_secs(10), "order-1")
}

#[test]
fn a_certificate_of_the_given_authority_is_trusted() {
    let authority = Authority::new("ours");
    let server = tls_server::start(authority.server(&["localhost"]), response_all);
    let client = client(&server, &authority.file());
    for _ in 0..3 {
        client.create_payment(&calls::payment("order-1")).unwrap();
    }
    assert_eq!((server.connections(), server.requests().len()), (1, 3));
}

#[test]
fn an_address_may_be_in_the_certificate() {
    let authority = Authority::new("ours");
    let server = tls_server::start(authority.server(&["127.0.0.1"]), response_all);
    let url = server.base_url().replace("http:", "https:");
    let file = authority.file();
    let client = Client::new(calls::config(&url).ca_file(&file.0)).unwrap();
    client.create_payment(&calls::payment("order-1")).unwrap();
}

#[test]
fn invalid_certificates_are_refused_before_a_byte_is_sent() {
    let ours = Authority::new("ours");
    let foreign = Authority::new("foreign");
    for (name, tls, code) in [
        ("unknown authority", foreign.server(&["localhost"]), "certificate_refused"),
        ("another name", ours.server(&["payments.example"]), "certificate_of_another_host"),
        ("expired", ours.server_until(&["localhost"], 2020), "certificate_expired"),
    ] {
        let server = tls_server::start(tls, response_all);
        let error = pay(&client(&server, &ours.file()));
        assert_eq!((error.kind(), error.outcome()), (Tls, NotExecuted), "{name}: {error}");
        assert_eq!((error.code().as_str(), error.attempts()), (code, 1), "{name}");
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
    let client = client(&server, &ours.file());
    assert_eq!(pay(&client).kind(), Tls);
    client.create_payment(&calls::payment("order-1")).unwrap();
}

#[test]
fn the_operating_systems_roots_do_not_know_a_private_authority() {
    let server = tls_server::start(Authority::new("ours").server(&["localhost"]), response_all);
    let error = pay(&calls::client(&url(&server)));
    assert_eq!((error.kind(), error.outcome()), (Tls, NotExecuted), "{error}");
    assert!(error.message().contains("ca_file"), "{error}");
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
    let large = payments_core::request::RawRequest::new("POST", "/ws/x").body(vec![b' '; 8 << 20]);
    let result = client(&server, &authority.file()).send(&large);
    assert_eq!(calls::error_summary(result), (ErrorKind::Status, "refused", NotExecuted));
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
        let error = pay(&client(&server, &authority.file()));
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Transport, Unknown), "{error}");
        assert_eq!((error.attempts(), server.requests().len()), (1, 1));
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
    let error = pay(&client(&server, &authority.file()));
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Transport, Unknown), "{error}");
}

#[test]
fn a_large_body_and_a_large_response_pass_through_tls() {
    let authority = Authority::new("ours");
    let large = format!("{{\"status\":\"SUCCESS\",\"pad\":\"{}\"}}", "x".repeat(2_000_000));
    let reply = response("200 OK", "", &large);
    let server = tls_server::start(authority.server(&["localhost"]), move |mut connection| {
        while connection.read_request().is_some() && connection.write(&reply) {}
    });
    let client = client(&server, &authority.file());
    let body: Vec<u8> = (0..4 << 20).map(|index: u32| (index % 251) as u8).collect();
    let request = payments_core::request::RawRequest::new("POST", "/ws/x").body(body.clone());
    for _ in 0..2 {
        let got = client.send(&request).unwrap();
        assert_eq!(got.body(), large.as_bytes());
    }
    assert!(server.requests().iter().all(|request| request.body == body));
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_ca_file_that_cannot_be_used_is_a_configuration_error() {
    let refused = |contents: &[u8]| {
        let file = TemporaryFile::new(contents);
        let error = Client::new(calls::config("https://localhost").ca_file(&file.0)).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some("ca_file")), "{error}");
        error.code().as_str()
    };
    let key = rcgen::KeyPair::generate().unwrap().serialize_pem();
    let good = Authority::new("ours").pem();
    let broken = good.replacen("MII", "@@@", 1);
    let not_one = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for contents in ["", "\n", "not pem", &key, not_one, &broken, &[&good, not_one].concat()] {
        assert_eq!(refused(contents.as_bytes()), "file_unreadable", "{contents}");
    }
    for path in ["/nonexistent/ca.pem", "/"] {
        let error = Client::new(calls::config("https://localhost").ca_file(path)).unwrap_err();
        assert_eq!(
            (error.path(), error.code().as_str()),
            (Some("ca_file"), "file_unreadable"),
            "{error}"
        );
    }
}

/// Pays from a child process with these environment variables. Roots are read
/// once per process, so each case needs its own.
fn pay_in_child(test: impl Fn(), server: &RawServer, variables: &[(&str, &str)]) -> String {
    payer::pay(test, &url(server), |command| {
        command.env_remove("SSL_CERT_FILE").env_remove("SSL_CERT_DIR");
        command.envs(variables.iter().copied());
    })
}

#[cfg(target_os = "linux")]
#[test]
fn a_root_of_the_operating_system_keeps_its_limits() {
    if payer::is_child(|config| config) {
        return;
    }
    let (old, site) = (Authority::until("old", 2020), Authority::of_server("localhost"));
    for (authority, tls, result) in [
        (&old, old.server(&["localhost"]), "tls certificate_expired not_executed"),
        (&site, site.server(&["localhost"]), "tls certificate_refused not_executed"),
        (&site, site.own_server(), "paid"),
    ] {
        let server = tls_server::start(tls, response_all);
        let folder = Folder::made();
        let file = folder.write("5ad8a5d6.0", authority.pem());
        for variable in [("SSL_CERT_FILE", &*file), ("SSL_CERT_DIR", folder.path())] {
            let variable = (variable.0, variable.1.to_str().unwrap());
            let test = a_root_of_the_operating_system_keeps_its_limits;
            assert_eq!(pay_in_child(test, &server, &[variable]), result, "{variable:?}");
        }
    }
}

#[test]
fn ssl_cert_file_and_ssl_cert_dir_add_to_the_roots() {
    if payer::is_child(|config| config) {
        return;
    }
    let authority = Authority::new("ours");
    let server = tls_server::start(authority.server(&["localhost"]), response_all);
    let file = authority.file();
    let path = file.0.to_str().unwrap();
    assert_eq!(
        pay_in_child(ssl_cert_file_and_ssl_cert_dir_add_to_the_roots, &server, &[]),
        "tls certificate_refused not_executed"
    );
    assert_eq!(
        pay_in_child(
            ssl_cert_file_and_ssl_cert_dir_add_to_the_roots,
            &server,
            &[("SSL_CERT_FILE", path)]
        ),
        "paid"
    );

    // Files in the directory are found by the hashed names that c_rehash
    // creates.
    let directory = std::env::temp_dir().join(format!("payments-roots-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("5ad8a5d6.0"), authority.pem()).unwrap();
    let result = pay_in_child(
        ssl_cert_file_and_ssl_cert_dir_add_to_the_roots,
        &server,
        &[("SSL_CERT_DIR", directory.to_str().unwrap())],
    );
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(result, "paid");

    let foreign = Authority::new("foreign").file();
    let foreign = foreign.0.to_str().unwrap();
    assert_eq!(
        pay_in_child(
            ssl_cert_file_and_ssl_cert_dir_add_to_the_roots,
            &server,
            &[("SSL_CERT_FILE", foreign)]
        ),
        "tls certificate_refused not_executed"
    );
}
