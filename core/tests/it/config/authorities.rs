//! Files of certificates, as tools write them and people copy them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payments_core::error::Error;
use payments_core::{Client, Config};

use crate::support::calls;
use crate::support::raw_server::created;
use crate::support::tls_server::{self, Authority, TemporaryFile};
use crate::support::vectors::{key_bytes, key_text};

fn client(contents: &[u8]) -> Result<Client, Error> {
    let file = TemporaryFile::new(contents);
    Client::new(Config::new("https://localhost").integration_key("k").ca_file(&file.0))
}

#[track_caller]
fn assert_refused(contents: impl AsRef<[u8]>, parts: &[&str]) {
    let error = client(contents.as_ref()).unwrap_err();
    assert_eq!((error.path(), error.code().as_str()), (Some("ca_file"), "file_unreadable"));
    for part in parts {
        assert!(error.message().contains(part), "{part:?} is not in {:?}", error.message());
    }
}

/// The bytes of a PEM text.
fn der(pem: &str) -> Vec<u8> {
    let lines: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    STANDARD.decode(lines).unwrap()
}

fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der))
}

/// The bytes that `openssl x509 -addtrust` and `-addreject` write after a
/// certificate: for servers, for clients, for any use.
const SERVERS: &[u8] = &[6, 8, 0x2b, 6, 1, 5, 5, 7, 3, 1];
const CLIENTS: &[u8] = &[6, 8, 0x2b, 6, 1, 5, 5, 7, 3, 2];
const ANY: &[u8] = &[6, 4, 0x55, 0x1d, 0x25, 0];

fn list(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
    let contents = contents.concat();
    [&[tag, contents.len() as u8], contents.as_slice()].concat()
}

#[test]
fn other_labels_and_marks_are_read_and_trusted() {
    let authority = Authority::new("ours");
    let server = tls_server::start(authority.server(&["localhost"]), |mut connection| {
        while connection.read_request().is_some() && connection.write(&created()) {}
    });
    let url = format!("https://localhost:{}", server.port());
    let (text, der) = (authority.pem(), authority.der());
    let alias = list(0x30, &[&list(0x0c, &[b"ours"])]);
    for contents in [
        format!("\u{feff}{text}"),
        text.replace('\n', "\r\n"),
        text.replace('\n', "\n    "),
        text.replace("BEGIN CERTIFICATE", "BEGIN\u{a0}CERTIFICATE"),
        format!("Subject: ours\n{text}{text}"),
        format!("{}{text}", key_text("test_rsa_4096_public.pem")),
        format!("{}{text}", key_text("refused_legacy_encrypted.pem")),
        pem("X509 CERTIFICATE", &der),
        pem("TRUSTED CERTIFICATE", &der),
        pem("TRUSTED CERTIFICATE", &[der.as_slice(), &alias].concat()),
        STANDARD.encode(&der),
    ] {
        let file = TemporaryFile::new(contents.as_bytes());
        let client = Client::new(calls::config(&url).ca_file(&file.0));
        let payment = client.and_then(|client| client.create_payment(&calls::payment("order-1")));
        assert!(payment.is_ok(), "{contents}: {payment:?}");
    }
}

#[test]
fn a_certificate_is_trusted_for_the_purposes_of_openssl() {
    let certificate = Authority::new("ours").der();
    let with = |trust: Vec<Vec<u8>>| {
        let trust = list(0x30, &[&trust.concat()]);
        pem("TRUSTED CERTIFICATE", &[certificate.as_slice(), &trust].concat())
    };
    let (trusts, rejects) = (|uses: &[&[u8]]| list(0x30, uses), |uses: &[&[u8]]| list(0xa0, uses));
    for trust in [
        vec![],
        vec![trusts(&[SERVERS])],
        vec![trusts(&[CLIENTS, ANY])],
        vec![trusts(&[SERVERS]), rejects(&[CLIENTS])],
        vec![rejects(&[CLIENTS])],
    ] {
        assert!(client(with(trust.clone()).as_bytes()).is_ok(), "{trust:?}");
    }
    for trust in [
        vec![trusts(&[CLIENTS])],
        vec![trusts(&[])],
        vec![rejects(&[ANY])],
        vec![rejects(&[SERVERS])],
        vec![trusts(&[SERVERS]), rejects(&[SERVERS])],
    ] {
        let distrusted = with(trust);
        assert_refused(&distrusted, &["trusted for servers", "openssl x509 -in FILE -noout -text"]);
        let both = format!("{distrusted}{}", Authority::new("other").pem());
        assert!(client(both.as_bytes()).is_ok());
    }
}

#[test]
fn other_forms_are_named_with_the_command_that_converts_them() {
    let text = Authority::new("ours").pem();
    let (der, pkcs7) = (der(&text), key_text("refused_pkcs7.p7b"));
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_refused(&utf16, &["UTF-16", "iconv -f UTF-16BE -t UTF-8 FILE > ca.pem"]);
    assert_refused(&der, &["DER", "openssl x509 -inform DER -in FILE -out ca.pem"]);
    for contents in [pkcs7.clone(), pkcs7.replace("PKCS7", "CERTIFICATE")] {
        assert_refused(&contents, &["PKCS#7", "openssl pkcs7 -inform DER -in FILE -print_certs"]);
    }
    assert_refused(self::der(&pkcs7), &["PKCS#7"]);
    assert_refused(key_bytes("refused_pkcs12.p12"), &["openssl pkcs12 -in FILE -cacerts -nokeys"]);
    assert_refused(key_bytes("refused_keystore.jks"), &["keytool -exportcert -rfc"]);
    assert_refused(r#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, &["a JWK, which is a key"]);
    assert_refused(STANDARD.encode(&text), &["base64 once more"]);
    assert_refused(text.replace("-----", "\u{2014}"), &["-----BEGIN CERTIFICATE-----"]);
    for (name, found) in [
        ("test_rsa_4096_pkcs8.pem", "a private key"),
        ("test_rsa_4096_public.pem", "a public key"),
        ("refused_certificate_request.pem", "a certificate request"),
    ] {
        assert_refused(key_text(name), &[found, "no certificate", "BEGIN CERTIFICATE"]);
    }
}

#[test]
fn a_badly_copied_certificate_is_named() {
    let text = Authority::new("ours").pem();
    let half = &text[..text.len() / 2];
    for (contents, which) in [
        (half, "the certificate is incomplete"),
        (&format!("{half}{text}"), "certificate 1 of 2: the certificate is incomplete"),
        (&format!("{text}{half}"), "certificate 2 of 2: the certificate is incomplete"),
    ] {
        assert_refused(contents, &[which]);
    }
    assert_refused(text.replacen("MII", "M*I", 1), &["not base64"]);
    assert_refused(text.replace('\n', "\\n"), &["backslash and n"]);
    let mut broken = der(&text);
    broken[8] ^= 0x30;
    assert_refused(pem("CERTIFICATE", &broken), &["cannot be parsed"]);
    assert_refused(pem("CERTIFICATE", b"no certificate"), &["cannot be parsed"]);
    let key = key_text("test_rsa_4096_pkcs8.pem");
    let third = [&key, &text, &text, &*pem("CERTIFICATE", &broken), &text].concat();
    assert_refused(third, &["certificate 3 of 4: the certificate cannot be parsed; export it"]);
    let error = Client::new(Config::new("https://localhost").ca_file(&text)).unwrap_err();
    assert_eq!((error.path(), error.code().as_str()), (Some("ca_file"), "file_unreadable"));
    assert!(error.message().contains("the text of a file, not its path"), "{error}");
    assert!(!error.message().contains("MII"), "{error}");
}
