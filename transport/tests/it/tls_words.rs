//! Messages for failed handshakes: the reason, and the remedy.

use std::io::{Read as _, Write as _};
use std::sync::Arc;

use payments_transport::FailureKind::Tls;
use rcgen::{BasicConstraints, CustomExtension, ExtendedKeyUsagePurpose, IsCa, SanType};
use rustls::ServerConfig;
use rustls::version::{TLS12, TLS13};

use crate::support::caller::{Caller, Failed, settings, tls_url, trusting};
use crate::support::raw_server::{Connection, RawServer, json};
use crate::support::tls_server::{self, Authority, self_signed};

/// The failure of a request to a server at `host`; without `pem`, the operating
/// system decides.
fn failure_at(host: &str, server: &RawServer, pem: Option<&str>) -> Failed {
    let settings = pem.map_or_else(settings, trusting);
    Caller::new(&format!("https://{host}:{}", server.port()), &settings).failure()
}

/// The message for a server with this TLS, from the reason on.
fn message_at(host: &str, tls: Arc<ServerConfig>, pem: Option<&str>) -> String {
    let server = tls_server::start(tls, |_| {});
    let failed = failure_at(host, &server, pem);
    assert_eq!(failed.kind(), (Tls, true), "{failed:?}");
    let start = format!("the TLS handshake with {host}:{} failed: ", server.port());
    failed.message().strip_prefix(&start).unwrap().to_owned()
}

fn message_of(tls: Arc<ServerConfig>, pem: Option<&str>) -> String {
    message_at("localhost", tls, pem)
}

#[test]
fn a_missing_authority_is_named_with_a_remedy() {
    let (ours, foreign) = (Authority::new("Company Root"), Authority::new("Another").pem());
    let named = "\"CN=Company Root\"; ";
    let message = message_of(ours.server(&["localhost"]), Some(&foreign));
    let expected = format!("ca_file does not have the authority of its certificate: {named}");
    assert!(message.starts_with(&expected) && !message.contains("set ca_file"), "{message}");
    let message = message_of(ours.server(&["localhost"]), None);
    let expected = format!("its certificate is of an authority that is not trusted: {named}");
    assert!(message.starts_with(&expected) && message.contains("set ca_file"), "{message}");
    // The missing authority is the one that the server's own authority names.
    for (is_sent, missing) in [(false, "\"CN=Issuing\""), (true, "\"CN=Company Root\"")] {
        let message = message_of(ours.server_of_another("Issuing", is_sent), Some(&foreign));
        assert!(message.contains(missing), "{message}");
    }
    let message = message_of(ours.server_of_another("Issuing", false), Some(&ours.pem()));
    assert!(
        message.contains("\"CN=Issuing\"") && message.contains("send its whole chain"),
        "{message}"
    );
    let again = Authority::new("Company Root").pem();
    let message = message_of(ours.server(&["localhost"]), Some(&again));
    assert!(
        message.contains("not signed by the authority \"CN=Company Root\" in ca_file"),
        "{message}"
    );
}

#[test]
fn a_self_signed_certificate_works_without_an_authority() {
    let (tls, pem) = self_signed(|_| {});
    let server = tls_server::start(tls.clone(), |mut connection| {
        connection.read_request();
        connection.write(&json("{}"));
    });
    Caller::new(&tls_url(&server), &trusting(&pem)).body();
    for pem in [None, Some(Authority::new("Another").pem())] {
        let message = message_of(tls.clone(), pem.as_deref());
        assert!(message.starts_with("its certificate is self-signed: "), "{message}");
    }

    let ours = Authority::new("ours");
    let of_authority = ours.server_with(&["localhost"], |params| {
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    });
    let message = message_of(of_authority, Some(&ours.pem()));
    let expected = "its certificate is one of an authority (CA:TRUE), which a server may not use \
                    as its own unless ca_file has it; make one for the server, and set ca_file to \
                    it: openssl ";
    assert!(message.starts_with(expected), "{message}");
    let made = "-addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE";
    assert!(message.ends_with(made), "{message}");
}

#[test]
fn the_limit_of_an_authority_has_its_remedy() {
    let old = Authority::until("ours", 2020);
    let message = message_of(old.server(&["localhost"]), Some(&old.pem()));
    let expected = "the certificate \"CN=ours\" in ca_file expired at 2020-01-01T00:00:00Z; the \
                    clock of this host says ";
    assert!(message.starts_with(expected), "{message}");
    let remedy = "; check that clock, and get another certificate of that authority for ca_file";
    assert!(message.ends_with(remedy), "{message}");
    let site = Authority::of_server("site.example");
    let message = message_of(site.server(&["localhost"]), Some(&site.pem()));
    let remedy = "; trust the certificate of the server itself, or that of an authority";
    assert!(message.ends_with(remedy), "{message}");
}

#[test]
fn the_purpose_of_a_certificate_decides() {
    let ours = Authority::new("ours");
    let pem = ours.pem();
    let as_dns = ours.server_with(&[], |params| {
        params.subject_alt_names = vec![SanType::DnsName("127.0.0.1".try_into().unwrap())];
    });
    let message = message_at("127.0.0.1", as_dns, Some(&pem));
    assert!(
        message.starts_with("its certificate has the address 127.0.0.1 as a DNS name"),
        "{message}"
    );
    assert!(message.contains("have it issued with IP:127.0.0.1"), "{message}");

    let message = message_of(ours.server(&["payments.example", "10.0.0.7", "::1"]), Some(&pem));
    let names = "is for another host: payments.example, 10.0.0.7, ::1; check the host";
    assert!(message.contains(names), "{message}");
    let many: Vec<_> = (0..90).map(|number| format!("host{number}.example")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    let message = message_of(ours.server(&many), Some(&pem));
    assert!(message.contains(" more; check the host") && message.len() < 400, "{message}");
    let message = message_of(ours.server(&[]), Some(&pem));
    assert!(message.contains("has no name of a host in subjectAltName"), "{message}");
}

#[test]
fn unsupported_parts_of_a_certificate_are_named() {
    let ours = Authority::new("ours");
    let pem = ours.pem();
    for (pem, purpose) in [
        (Some(pem.as_str()), ExtendedKeyUsagePurpose::ClientAuth),
        (None, ExtendedKeyUsagePurpose::CodeSigning),
    ] {
        let of_others = ours.server_with(&["localhost"], |params| {
            params.extended_key_usages = vec![purpose.clone()];
        });
        let message = message_of(of_others, pem);
        assert!(message.contains("is not for servers (extended key usage); have it"), "{message}");
    }
    let with_critical = ours.server_with(&["localhost"], |params| {
        let mut extension = CustomExtension::from_oid_content(&[1, 2, 3, 4, 5], vec![5, 0]);
        extension.set_criticality(true);
        params.custom_extensions = vec![extension];
    });
    let message = message_of(with_critical, Some(&pem));
    assert!(
        message.contains("its certificate has the critical extension 1.2.3.4.5, which"),
        "{message}"
    );
    let message = message_of(ours.server_until(&["localhost"], 2020), Some(&pem));
    assert!(
        message.contains("its certificate expired at 2020-01-01T00:00:00Z; the clock"),
        "{message}"
    );
}

#[test]
fn a_required_certificate_of_the_client_is_named() {
    let ours = Authority::new("ours");
    for version in [&TLS12, &TLS13] {
        let tls = ours.server_for_known_clients(&[version]);
        let server = tls_server::start(tls, |_| {});
        let failed = failure_at("localhost", &server, Some(&ours.pem()));
        // In TLS 1.3 it refuses the client after the client's handshake: a request
        // may have left, and the evidence may be lost.
        let wants = ["it requires a certificate of the client", "asked for a certificate of the"];
        let message = failed.message();
        assert!(wants.iter().any(|it| message.contains(it)), "{message}");
        assert!(message.contains("this library has none to give: ask the"), "{message}");
        assert!(version == &TLS13 || failed.nothing_sent, "{message}");
        assert_eq!((server.connections(), server.requests().len()), (1, 0), "{message}");
    }
}

/// The message for a server that responds to TLS with these bytes.
fn message_after(host: &str, bytes: &'static [u8]) -> String {
    let server = RawServer::start(move |mut connection: Connection| {
        let _ = connection.stream.read(&mut [0; 4096]);
        let _ = connection.stream.write_all(bytes);
        connection.wait_for_the_end();
    });
    let failed = failure_at(host, &server, None);
    assert_eq!(failed.kind(), (Tls, true), "{failed:?}");
    failed.message()
}

#[test]
fn an_alert_is_shown_in_words_and_by_its_name() {
    for (bytes, reason) in [
        (b"\x15\x03\x03\0\x02\x02\x46", "neither TLS 1.2 nor TLS 1.3 (protocol_version); "),
        (b"\x15\x03\x03\0\x02\x02\x28", "in common with this library (handshake_failure); "),
        (
            b"\x15\x03\x03\0\x02\x02\x70",
            "not know the host name in the address (unrecognized_name)",
        ),
        (b"\x15\x03\x03\0\x02\x02\x74", "a certificate of the client (certificate_required); "),
        (b"\x15\x03\x03\0\x02\x02\x31", "it denies access (access_denied); ask the provider"),
        (b"\x15\x03\x03\0\x02\x02\xc8", "it ended the handshake (alert 200); tell the provider"),
    ] {
        let message = message_after("localhost", bytes);
        assert!(message.contains(reason), "{message}");
    }
    let message = message_after("127.0.0.1", b"\x15\x03\x03\0\x02\x02\x70");
    assert!(message.contains("expects a host name"), "{message}");
}

#[test]
fn a_server_without_tls_is_named() {
    for bytes in
        [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"SSH-2.0-OpenSSH_9\r\n", b"220 mail\r\n"]
    {
        let message = message_after("localhost", bytes);
        assert!(message.contains("it does not respond with TLS; check that the port"), "{message}");
    }
    let message = message_after("localhost", b"\x16\x03\x03\0\x05hello");
    assert!(message.contains("its messages do not follow the rules of TLS; tell"), "{message}");
}
