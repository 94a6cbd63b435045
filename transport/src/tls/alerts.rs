//! Alerts with which a server ends a handshake.

use std::net::IpAddr;

use rustls::AlertDescription as Alert;

/// The reason, and the remedy. `wants_certificate` says whether the server has
/// asked for a certificate of the client.
pub(super) fn in_words(alert: Alert, host: &str, wants_certificate: bool) -> (String, String) {
    let explanation =
        |reason: &str, advice: &str| (format!("{reason} ({})", name(alert)), advice.into());
    match alert {
        _ if is_of_client(alert, wants_certificate) => {
            (format!("{WANTS_CERTIFICATE} ({})", name(alert)), NO_CLIENT_CERTIFICATES.to_owned())
        }
        Alert::ProtocolVersion => explanation(
            "it offers neither TLS 1.2 nor TLS 1.3",
            "have the server offer one of them, or check the port",
        ),
        Alert::HandshakeFailure | Alert::InsufficientSecurity => explanation(
            "it has no version, cipher, key exchange or kind of certificate in common with this \
             library",
            NOTHING_IN_COMMON_ADVICE,
        ),
        Alert::UnrecognisedName if host.parse::<IpAddr>().is_ok() => explanation(
            "it expects a host name, which is not sent where the address is an IP address",
            "write the host name in the address",
        ),
        Alert::UnrecognisedName => {
            explanation("it does not know the host name in the address", "check that name")
        }
        Alert::AccessDenied => explanation(
            "it denies access",
            "ask the provider whether it allows the addresses of this host",
        ),
        Alert::InternalError | Alert::UserCanceled => explanation(
            "it ended the handshake for a reason of its own",
            "try again later; if that fails too, tell the provider",
        ),
        _ => explanation("it ended the handshake", TELL_BOTH),
    }
}

pub(super) const WANTS_CERTIFICATE: &str = "it requires a certificate of the client";
pub(super) const NO_CLIENT_CERTIFICATES: &str = "this library has none to give: ask the provider for an address that requires none, or send \
     the requests through a TLS client of your own, such as stunnel, which has the certificate";
pub(super) const NOTHING_IN_COMMON_ADVICE: &str = "have the server offer TLS 1.3, or TLS 1.2 with ECDHE and AES-GCM or ChaCha20, a key exchange \
     with X25519, P-256 or P-384 (not P-521 alone), and a certificate with an RSA, ECDSA or \
     Ed25519 key";
pub(super) const TELL_BOTH: &str =
    "tell the provider, or the administrator of the proxy or firewall that inspects the connection";

/// Whether the server refuses the client for having no certificate.
pub(super) fn is_of_client(alert: Alert, wants_certificate: bool) -> bool {
    match alert {
        Alert::CertificateRequired | Alert::NoCertificate => true,
        Alert::HandshakeFailure
        | Alert::BadCertificate
        | Alert::UnsupportedCertificate
        | Alert::CertificateUnknown
        | Alert::UnknownCA
        | Alert::AccessDenied => wants_certificate,
        _ => false,
    }
}

/// The name in RFC 8446 and the registry of IANA, or the number.
fn name(alert: Alert) -> String {
    let known = NAMES.iter().find(|(number, _)| *number == u8::from(alert));
    known.map_or_else(|| format!("alert {}", u8::from(alert)), |(_, name)| (*name).to_owned())
}

const NAMES: [(u8, &str); 36] = [
    (0, "close_notify"),
    (10, "unexpected_message"),
    (20, "bad_record_mac"),
    (21, "decryption_failed"),
    (22, "record_overflow"),
    (30, "decompression_failure"),
    (40, "handshake_failure"),
    (41, "no_certificate"),
    (42, "bad_certificate"),
    (43, "unsupported_certificate"),
    (44, "certificate_revoked"),
    (45, "certificate_expired"),
    (46, "certificate_unknown"),
    (47, "illegal_parameter"),
    (48, "unknown_ca"),
    (49, "access_denied"),
    (50, "decode_error"),
    (51, "decrypt_error"),
    (52, "too_many_cids_requested"),
    (60, "export_restriction"),
    (70, "protocol_version"),
    (71, "insufficient_security"),
    (80, "internal_error"),
    (86, "inappropriate_fallback"),
    (90, "user_canceled"),
    (100, "no_renegotiation"),
    (109, "missing_extension"),
    (110, "unsupported_extension"),
    (111, "certificate_unobtainable"),
    (112, "unrecognized_name"),
    (113, "bad_certificate_status_response"),
    (114, "bad_certificate_hash_value"),
    (115, "unknown_psk_identity"),
    (116, "certificate_required"),
    (120, "no_application_protocol"),
    (121, "ech_required"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alert_has_words_and_its_name() {
        for number in 0..=u8::MAX {
            for wants_certificate in [false, true] {
                let (reason, advice) = in_words(number.into(), "api.example", wants_certificate);
                let name = name(number.into());
                assert!(reason.ends_with(&format!(" ({name})")), "{reason}");
                assert!(reason.starts_with("it ") && !advice.is_empty(), "{number}: {advice}");
                assert_eq!(name == format!("alert {number}"), !is_listed(number), "{name}");
            }
        }
        assert!(NAMES.is_sorted());
    }

    /// Those that rustls knows have a name here.
    fn is_listed(number: u8) -> bool {
        !matches!(Alert::from(number), Alert::Unknown(_)) || number == 52
    }

    #[test]
    fn a_client_certificate_is_wanted_where_the_server_said_so() {
        let words = |alert, wants| in_words(alert, "api.example", wants).0;
        for alert in [Alert::HandshakeFailure, Alert::BadCertificate, Alert::CertificateUnknown] {
            assert!(words(alert, true).starts_with(WANTS_CERTIFICATE));
            assert!(!words(alert, false).starts_with(WANTS_CERTIFICATE));
        }
        assert!(words(Alert::CertificateRequired, false).starts_with(WANTS_CERTIFICATE));
        assert!(words(Alert::ProtocolVersion, true).contains("neither TLS 1.2 nor TLS 1.3"));
    }

    #[test]
    fn an_unknown_host_name_differs_from_an_address() {
        let words = |host| in_words(Alert::UnrecognisedName, host, false).0;
        assert!(words("api.example").contains("does not know the host name"));
        assert!(words("127.0.0.1").contains("expects a host name"));
        assert!(words("::1").contains("expects a host name"));
    }
}
