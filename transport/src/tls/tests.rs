//! Every failure of TLS has its own words and advice.

use std::io;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{AlgorithmIdentifier, CertificateDer, ServerName, UnixTime};
use rustls::server::VerifierBuilderError;
use rustls::{
    AlertDescription, CertRevocationListError, CertificateError, ContentType,
    EncryptedClientHelloError, Error, ExtendedKeyPurpose, HandshakeType, InconsistentKeys,
    InvalidMessage, OtherError, PeerIncompatible, PeerMisbehaved,
};
use webpki::Error as WebpkiError;

use super::handshake::Handshake;
use super::limits::{Exceeded, Limit};
use super::seen::Seen;
use super::words;
use crate::call::context::CallContext;
use crate::failure::{Cause, TransportFailure};
use crate::tls::TlsRoots;

/// The message if the server sent `chain`.
fn failure(error: Error, roots: &TlsRoots, chain: &[Vec<u8>]) -> TransportFailure {
    let seen = Seen::default();
    let chain: Vec<_> = chain.iter().map(|der| CertificateDer::from(der.as_slice())).collect();
    if let Some((own, others)) = chain.split_first() {
        seen.refuse(own, others, false);
    }
    let name = "api.example";
    let handshake =
        Handshake { peer: "api.example:443", name, shown_name: name, roots, seen: &seen };
    handshake.failed(io::Error::new(io::ErrorKind::InvalidData, error))
}

fn said(error: CertificateError, roots: &TlsRoots, chain: &[Vec<u8>]) -> String {
    failure(Error::InvalidCertificate(error), roots, chain).message
}

fn other(cause: impl std::error::Error + Send + Sync + 'static) -> CertificateError {
    CertificateError::Other(OtherError(Arc::new(cause)))
}

/// Each limit of an authority that is trusted, and of one that is not.
fn limits() -> Vec<CertificateError> {
    let limits = || {
        [
            Limit::Expired { now: MOMENT, at: MOMENT },
            Limit::NotYetValid { now: MOMENT, from: MOMENT },
            Limit::NoAuthority,
            Limit::KeyUsage,
            Limit::Purpose,
            Limit::PathLength,
            Limit::Extension("1.2.3".to_owned()),
            Limit::Unreadable,
        ]
    };
    let exceeded = |is_trusted| {
        limits().map(|limit| {
            let authority = CertificateDer::from(vec![0x30]);
            other(Exceeded { authority, is_trusted, limit })
        })
    };
    [true, false].into_iter().flat_map(exceeded).collect()
}

const MOMENT: UnixTime = UnixTime::since_unix_epoch(std::time::Duration::from_secs(1_700_000_000));
/// `sha1WithRSAEncryption`, with its parameters.
const SHA1: [u8; 13] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 5, 5, 0];

fn certificate_errors() -> Vec<CertificateError> {
    use CertificateError as E;
    #[allow(deprecated)]
    let without_algorithm = E::UnsupportedSignatureAlgorithm;
    let supported = AlgorithmIdentifier::from_slice(&SHA1);
    vec![
        E::BadEncoding,
        E::Expired,
        E::ExpiredContext { time: MOMENT, not_after: MOMENT },
        E::NotValidYet,
        E::NotValidYetContext { time: MOMENT, not_before: MOMENT },
        E::Revoked,
        E::UnhandledCriticalExtension,
        E::UnknownIssuer,
        E::UnknownRevocationStatus,
        E::ExpiredRevocationList,
        E::ExpiredRevocationListContext { time: MOMENT, next_update: MOMENT },
        E::BadSignature,
        without_algorithm,
        E::UnsupportedSignatureAlgorithmContext {
            signature_algorithm_id: SHA1.to_vec(),
            supported_algorithms: vec![supported],
        },
        E::UnsupportedSignatureAlgorithmForPublicKeyContext {
            signature_algorithm_id: SHA1.to_vec(),
            public_key_algorithm_id: SHA1.to_vec(),
        },
        E::NotValidForName,
        E::NotValidForNameContext {
            expected: ServerName::try_from("api.example").unwrap(),
            presented: vec!["DnsName(\"other.example\")".to_owned()],
        },
        E::InvalidPurpose,
        E::InvalidPurposeContext {
            required: ExtendedKeyPurpose::ServerAuth,
            presented: vec![ExtendedKeyPurpose::Other(vec![1, 2])],
        },
        E::InvalidOcspResponse,
        E::ApplicationVerificationFailure,
        E::Other(OtherError(Arc::new(io::Error::other("what a system says")))),
    ]
}

fn causes() -> Vec<WebpkiError> {
    vec![
        WebpkiError::CaUsedAsEndEntity,
        WebpkiError::CertDistrusted,
        WebpkiError::EmptyEkuExtension,
        WebpkiError::EndEntityUsedAsCa,
        WebpkiError::ExtensionValueInvalid,
        WebpkiError::InvalidNetworkMaskConstraint,
        WebpkiError::InvalidSerialNumber,
        WebpkiError::MalformedDnsIdentifier,
        WebpkiError::MalformedExtensions,
        WebpkiError::MalformedNameConstraint,
        WebpkiError::MaximumNameConstraintComparisonsExceeded,
        WebpkiError::MaximumPathBuildCallsExceeded,
        WebpkiError::MaximumPathDepthExceeded,
        WebpkiError::MaximumSignatureChecksExceeded,
        WebpkiError::NameConstraintViolation,
        WebpkiError::PathLenConstraintViolated,
        WebpkiError::SignatureAlgorithmMismatch,
        WebpkiError::UnsupportedCertVersion,
        WebpkiError::UnsupportedCriticalExtension,
        WebpkiError::UnsupportedNameType,
    ]
}

fn other_errors() -> Vec<Error> {
    vec![
        Error::InappropriateMessage { expect_types: vec![], got_type: ContentType::Alert },
        Error::InappropriateHandshakeMessage {
            expect_types: vec![HandshakeType::ServerHello],
            got_type: HandshakeType::Finished,
        },
        Error::InvalidEncryptedClientHello(EncryptedClientHelloError::NoCompatibleConfig),
        Error::InvalidMessage(InvalidMessage::InvalidContentType),
        Error::InvalidMessage(InvalidMessage::MissingData("ServerName")),
        Error::NoCertificatesPresented,
        Error::UnsupportedNameType,
        Error::DecryptError,
        Error::EncryptError,
        Error::PeerIncompatible(PeerIncompatible::ServerDoesNotSupportTls12Or13),
        Error::PeerIncompatible(PeerIncompatible::NoCipherSuitesInCommon),
        Error::PeerMisbehaved(PeerMisbehaved::MessageInterleavedWithHandshakeMessage),
        Error::AlertReceived(AlertDescription::HandshakeFailure),
        Error::AlertReceived(AlertDescription::Unknown(200)),
        Error::InvalidCertRevocationList(CertRevocationListError::BadSignature),
        Error::General("some text".to_owned()),
        Error::FailedToGetCurrentTime,
        Error::FailedToGetRandomBytes,
        Error::HandshakeNotComplete,
        Error::PeerSentOversizedRecord,
        Error::NoApplicationProtocol,
        Error::BadMaxFragmentSize,
        Error::InconsistentKeys(InconsistentKeys::KeyMismatch),
        Error::Other(OtherError(Arc::new(VerifierBuilderError::NoRootAnchors))),
    ]
}

#[test]
fn no_message_has_the_words_of_a_dependency() {
    let refused = certificate_errors().into_iter().chain(causes().into_iter().map(other));
    let refused = refused.chain(limits());
    let errors = refused.map(Error::InvalidCertificate).chain(other_errors());
    let some = TlsRoots::Certificates(Arc::new(vec![vec![0x30]]));
    for error in errors {
        for roots in [&TlsRoots::OperatingSystem, &some] {
            let message = failure(error.clone(), roots, &[]).message;
            let start = "the TLS handshake with api.example:443 failed: ";
            let words = message.strip_prefix(start).unwrap();
            assert!(words.contains("; "), "no advice: {message}");
            for debug in ["{", "[", "Other", "Context", "Some(", "\\\"", "some text", "a system"] {
                assert!(!words.contains(debug), "{debug} is in: {message}");
            }
            // Names of variants are written like this.
            let is_camel_case = |word: &str| {
                let mut letters = word.chars();
                letters.next().is_some_and(char::is_uppercase)
                    && letters.clone().any(char::is_lowercase)
                    && letters.any(char::is_uppercase)
            };
            let camel_case =
                words.split(|it: char| !it.is_alphanumeric()).find(|it| is_camel_case(it));
            assert!(camel_case.is_none_or(|it| it == "ChaCha20"), "{message}");
        }
    }
}

#[test]
fn ca_file_is_advised_for_an_unknown_authority_without_it() {
    let some = TlsRoots::Certificates(Arc::new(vec![vec![0x30]]));
    let refused = certificate_errors().into_iter().chain(causes().into_iter().map(other));
    for error in refused {
        let is_authority = matches!(&error, CertificateError::Other(cause)
            if matches!(cause.0.downcast_ref(), Some(WebpkiError::CaUsedAsEndEntity)));
        let is_unknown = error == CertificateError::UnknownIssuer;
        let advises = |roots| said(error.clone(), roots, &[]).contains("set ca_file");
        // A certificate that one makes is its own authority.
        assert_eq!(advises(&TlsRoots::OperatingSystem), is_unknown || is_authority, "{error:?}");
        assert_eq!(advises(&some), is_authority, "{error:?}");
    }
}

/// An authority with this name, and a server's certificate of it.
fn authority(name: &str) -> (Vec<u8>, Vec<u8>) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let params = CertificateParams::new(["api.example".to_owned()]).unwrap();
    let own = params.signed_by(&KeyPair::generate().unwrap(), &issuer).unwrap();
    (issuer.der().to_vec(), own.der().to_vec())
}

#[test]
fn an_authority_that_is_missing_is_named() {
    let (root, own) = authority("Company Root\u{1b}[31m");
    let some = TlsRoots::Certificates(Arc::new(vec![vec![0x30]]));
    let said = |roots, chain: &[Vec<u8>]| said(CertificateError::UnknownIssuer, roots, chain);
    let named = ": \"CN=Company Root\\u{1b}[31m\"; ";
    for chain in [vec![own.clone()], vec![own, root.clone()]] {
        let with_file = said(&some, &chain);
        assert!(with_file.contains("ca_file does not have the authority"), "{with_file}");
        assert!(with_file.contains(named) && with_file.contains("add its certificate"));
        let without = said(&TlsRoots::OperatingSystem, &chain);
        assert!(without.contains(named) && without.contains("set ca_file"), "{without}");
        // A certificate that the server sent need not be added.
        for message in [with_file, without] {
            assert_eq!(message.contains("send its whole chain"), chain.len() == 1, "{message}");
        }
    }
    let alone = said(&some, &[root]);
    assert!(alone.contains("its certificate is self-signed: \"CN=Company"), "{alone}");
    let (_, long) = authority(&"\n".repeat(1000));
    let message = said(&some, &[long]);
    assert!(message.chars().count() < 450, "{message}");
    // Bytes that are not a certificate leave it without a name.
    let nameless = said(&some, &[vec![0x30, 0x80]]);
    assert!(nameless.contains("the authority of its certificate; if you trust"), "{nameless}");
}

#[test]
fn a_wrong_signature_has_a_possible_reason() {
    let (root, own) = authority("Company Root");
    let trusted = TlsRoots::Certificates(Arc::new(vec![root.clone()]));
    let said = |roots, chain: &[Vec<u8>]| said(CertificateError::BadSignature, roots, chain);
    let replaced = said(&trusted, std::slice::from_ref(&own));
    assert!(replaced.contains("\"CN=Company Root\" in ca_file, but by another of"), "{replaced}");
    let foreign = said(&TlsRoots::OperatingSystem, &[own]);
    assert!(foreign.contains("not signed by the authority that it names"), "{foreign}");
    let renewed = said(&trusted, &[root]);
    assert!(renewed.contains("is self-signed: \"CN=Company Root\"; if it is"), "{renewed}");
    let small = said(&trusted, &[STANDARD.decode(SMALL).unwrap()]);
    assert!(small.contains("\"CN=small\" has 1024 bits, where 2048 to 8192"), "{small}");
}

#[test]
fn a_handshake_by_another_key_differs_from_a_bad_certificate() {
    let seen = Seen::default();
    let (_, own) = authority("Company Root");
    seen.refuse(&CertificateDer::from(own.as_slice()), &[], true);
    let roots = TlsRoots::OperatingSystem;
    let name = "api.example";
    let handshake = Handshake { peer: name, name, shown_name: name, roots: &roots, seen: &seen };
    let error = Error::InvalidCertificate(CertificateError::BadSignature);
    let message = handshake.failed(io::Error::other(error)).message;
    assert!(message.contains("it has another key than its certificate is for"), "{message}");
}

#[test]
fn insecure_signature_algorithms_are_named() {
    for (signature_algorithm_id, shown) in [
        (SHA1.to_vec(), "is signed with SHA-1, which is no longer secure; have it issued again"),
        (vec![6, 3, 0x2b, 0x65, 0x71], "is signed with Ed448, which is not supported; have"),
        (
            vec![6, 3, 0x2a, 3, 4],
            "is signed with an algorithm that is not supported (1.2.3.4); have",
        ),
    ] {
        let supported_algorithms = Vec::new();
        let error = CertificateError::UnsupportedSignatureAlgorithmContext {
            signature_algorithm_id,
            supported_algorithms,
        };
        let message = said(error, &TlsRoots::OperatingSystem, &[]);
        assert!(message.contains(shown), "{message}");
    }
    let brainpool = CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext {
        signature_algorithm_id: Vec::new(),
        public_key_algorithm_id: vec![6, 3, 0x2a, 3, 4, 6, 3, 0x2a, 3, 5],
    };
    let message = said(brainpool, &TlsRoots::OperatingSystem, &[]);
    assert!(message.contains("a kind that is not supported there (1.2.3.5); have it"), "{message}");
}

#[test]
fn a_server_that_requires_a_client_certificate_is_named() {
    use rustls::client::ResolvesClientCert as _;

    let seen = Arc::new(Seen::default());
    let (roots, name) = (TlsRoots::OperatingSystem, "api.example");
    let handshake = Handshake { peer: name, name, shown_name: name, roots: &roots, seen: &seen };
    let ended = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let after = |error: &io::Error| words::refused_after_handshake(error, name, &seen);
    assert!(handshake.failed(ended()).message.contains("check that the port speaks TLS"));
    assert!(after(&ended()).is_none());
    super::seen::NoCertificate(Arc::clone(&seen)).resolve(&[], &[]);
    let failure = handshake.failed(ended());
    assert_eq!(failure.cause(), Cause::HandshakeBroken);
    assert!(failure.message.contains("in which it asked for a certificate"), "{}", failure.message);
    let failure = after(&ended()).unwrap().with_peer(|| "api.example:443".to_owned());
    let expected = "the connection to api.example:443 broke before the response was complete; it \
                    had asked for a certificate of the client; this library has none to give";
    assert!(failure.message.starts_with(expected), "{}", failure.message);
    // Nothing has arrived yet.
    assert!(after(&io::ErrorKind::WouldBlock.into()).is_none());
    let alert = |alert| io::Error::other(Error::AlertReceived(alert));
    let failure = after(&alert(AlertDescription::CertificateRequired)).unwrap();
    let context = CallContext::with_timeout(std::time::Duration::ZERO);
    let nothing_sent = failure.proves_nothing_sent(&context);
    assert_eq!((failure.cause(), nothing_sent), (Cause::Tls, false));
    assert!(after(&alert(AlertDescription::InternalError)).is_none());
}

#[test]
fn codes_distinguish_time_name_and_trust() {
    for error in certificate_errors() {
        use CertificateError as E;
        let cause = match &error {
            E::Expired
            | E::ExpiredContext { .. }
            | E::NotValidYet
            | E::NotValidYetContext { .. } => Cause::CertificateExpired,
            E::NotValidForName | E::NotValidForNameContext { .. } => {
                Cause::CertificateOfAnotherHost
            }
            _ => Cause::CertificateRefused,
        };
        let roots = TlsRoots::OperatingSystem;
        let failure = failure(Error::InvalidCertificate(error), &roots, &[]);
        assert_eq!(
            (failure.cause(), failure.can_connect_again()),
            (cause, false),
            "{}",
            failure.message
        );
    }
}

#[test]
fn missing_roots_and_unusable_names_are_reported() {
    let error = Error::General("No CA certificates were loaded from the system".to_owned());
    let failure = words::unusable("api.example:443", error);
    assert_eq!(failure.cause(), Cause::NoRoots);
    assert!(
        failure.message.contains("no root certificates that can be used; "),
        "{}",
        failure.message
    );
    assert!(failure.message.contains("set ca_file") && !failure.message.contains("No CA"));
    let message = words::no_name("a..b:443").message;
    assert!(
        message.contains("no certificate can be for this host name; check the host"),
        "{message}"
    );
}

/// A certificate with an RSA key of 1024 bits.
const SMALL: &str = "MIIB+TCCAWKgAwIBAgIUV6/aOjTb2cR83WeZ0D3xpyH5cqwwDQYJKoZIhvcNAQELBQAwEDEOMAwGA1UEAwwF\
     c21hbGwwHhcNMjYxMTI2MTQ0NjEyWhcNMzYxMTIzMTQ0NjEyWjAQMQ4wDAYDVQQDDAVzbWFsbDCBnzANBgkq\
     hkiG9w0BAQEFAAOBjQAwgYkCgYEA6HBMvmN5MzpDTDlNtx5UJjGgPbRMO0rHoRxQ2u1Sa5wkyBrw58GfJbs1\
     wySVCh6NRzLVCEzbeJHyr20XmeuzePh2YIz/1aUoAEObOer/3Afki15LBcPJmleFytz6+nmiEYr1zfykzJaZ\
     a7LBPW9QkY9iGCyiKpnEM2DAsN/PwUkCAwEAAaNQME4wHQYDVR0OBBYEFLYjOaSJkxxiVOewIcPGypPttS5g\
     MB8GA1UdIwQYMBaAFLYjOaSJkxxiVOewIcPGypPttS5gMAwGA1UdEwEB/wQCMAAwDQYJKoZIhvcNAQELBQAD\
     gYEAn+x20kxxJUrlNu+KbXzSjJXh3WWc5mc0YqPbOCQ4BgwF4sj3ZAKtXiwcTn446ytNO6N9yxxBKAbYZn1K\
     vvAuoQYvpjGoxc49peUcuqoI4upfo6Qsy63IHqGyfVEkTY+lZYfcSdEaDoreLmqAbRoQBaVzEmGAt6/5MZHr\
     UfHIIWc=";
