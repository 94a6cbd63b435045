//! Certificates of servers, and those that are trusted.

use payments_core::transport::fuzzing::is_trusted;
use x509_parser::certificate::X509Certificate;
use x509_parser::oid_registry::OID_X509_EXT_BASIC_CONSTRAINTS;
use x509_parser::prelude::{ASN1Time, FromDer, KeyUsage, ParsedExtension, X509Version};

/// When they are checked: in January 2027.
const NOW: i64 = 1_800_000_000;

/// `data` is what a server sends, and at its end a certificate that is trusted.
/// The server is trusted only if that one allows it, as another crate reads it.
pub(crate) fn certificate(data: &[u8]) {
    let certificates = elements(data);
    let Some((trusted, sent)) = certificates.split_last() else { return };
    let sent = if sent.is_empty() { &certificates } else { sent };
    if is_trusted(sent, trusted, NOW as u64) != Some(true) {
        return;
    }
    let Ok((_, read)) = X509Certificate::from_der(trusted) else { return };
    let now = ASN1Time::from_timestamp(NOW).expect("a time");
    assert!(read.validity().is_valid_at(now), "it has expired, or is not valid yet");
    // The other crate does not read padding that is not zero, for example.
    let (Ok(purposes), Ok(usage)) = (read.extended_key_usage(), read.key_usage()) else { return };
    assert!(purposes.is_none_or(|it| it.value.server_auth), "it is not for servers");
    let usage = usage.map(|it| it.value);
    if sent[0] == *trusted {
        let is_for_tls = |usage: &KeyUsage| {
            usage.digital_signature() || usage.key_encipherment() || usage.key_agreement()
        };
        assert!(usage.is_none_or(is_for_tls), "its key is not for TLS");
        return;
    }
    assert!(usage.is_none_or(|it| it.key_cert_sign()), "it may not sign certificates");
    check_authority(&read);
}

fn check_authority(read: &X509Certificate<'_>) {
    if read.version() == X509Version::V1 {
        assert_eq!(read.subject().as_raw(), read.issuer().as_raw());
        return;
    }
    let mut oids = read.extensions().iter().map(|it| &it.oid);
    assert!(oids.any(|it| *it == OID_X509_EXT_BASIC_CONSTRAINTS), "it has no constraints");
    if let Ok(Some(constraints)) = read.basic_constraints() {
        assert!(constraints.value.ca, "it is of no authority");
    }
    for extension in read.extensions().iter().filter(|it| it.critical) {
        let parsed = extension.parsed_extension();
        assert!(!matches!(parsed, ParsedExtension::UnsupportedExtension { .. }), "{extension:?}");
    }
}

/// The DER elements at the beginning.
fn elements(mut data: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while let [0x30, 0x82, high, low, ..] = *data {
        let length = 4 + usize::from(u16::from_be_bytes([high, low]));
        let Some((element, rest)) = data.split_at_checked(length) else { break };
        found.push(element);
        data = rest;
    }
    found
}
