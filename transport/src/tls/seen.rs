//! Notes facts about a server that messages state and the errors of rustls lack.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use payments_base::process::lock;
use rustls::client::ResolvesClientCert;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::sign::CertifiedKey;
use rustls::{DigitallySignedStruct, Error, SignatureScheme};

use super::trust::Trust;

/// The observed properties of a host.
#[derive(Default, Debug)]
pub(super) struct Seen {
    refused: Mutex<Refused>,
    wants_certificate: AtomicBool,
}

/// The certificates that were refused last.
#[derive(Clone, Default, Debug)]
pub(super) struct Refused {
    /// The server's own certificate, and those that it sent with it.
    pub(super) chain: Vec<CertificateDer<'static>>,
    /// Whether its own is trusted, but the handshake is not signed with its key.
    pub(super) is_of_handshake: bool,
}

impl Seen {
    pub(super) fn refused(&self) -> Refused {
        lock(&self.refused).clone()
    }

    /// Whether it has asked for a certificate of the client.
    pub(super) fn wants_certificate(&self) -> bool {
        self.wants_certificate.load(Ordering::SeqCst)
    }

    pub(super) fn refuse(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        of_handshake: bool,
    ) {
        let chain = [own].into_iter().chain(others).map(|it| it.clone().into_owned()).collect();
        *lock(&self.refused) = Refused { chain, is_of_handshake: of_handshake };
    }
}

/// Decides whether a certificate is trusted.
#[derive(Clone, Debug)]
pub(super) enum Judge {
    List(Arc<Trust>),
    #[cfg(any(windows, target_os = "android", target_vendor = "apple"))]
    System(Arc<rustls_platform_verifier::Verifier>),
}

/// Asks a judge and checks the handshake, and notes the certificates that are refused.
#[derive(Debug)]
pub(super) struct Verifier {
    judge: Judge,
    algorithms: WebPkiSupportedAlgorithms,
    seen: Arc<Seen>,
}

impl Verifier {
    pub(super) fn new(judge: Judge, provider: &CryptoProvider, seen: &Arc<Seen>) -> Self {
        let algorithms = provider.signature_verification_algorithms;
        Self { judge, algorithms, seen: Arc::clone(seen) }
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = match &self.judge {
            Judge::List(trust) => {
                trust.check(own, others, name, now).map(|()| ServerCertVerified::assertion())
            }
            #[cfg(any(windows, target_os = "android", target_vendor = "apple"))]
            Judge::System(system) => {
                system.verify_server_cert(own, others, name, _ocsp_response, now)
            }
        };
        verified.inspect_err(|_| self.seen.refuse(own, others, false))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let verified = verify_tls12_signature(message, own, signed, &self.algorithms);
        verified.inspect_err(|_| self.seen.refuse(own, &[], true))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let verified = verify_tls13_signature(message, own, signed, &self.algorithms);
        verified.inspect_err(|_| self.seen.refuse(own, &[], true))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

/// Has no certificate for a server that asks for one, and notes that it did.
#[derive(Debug)]
pub(super) struct NoCertificate(pub(super) Arc<Seen>);

impl ResolvesClientCert for NoCertificate {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.0.wants_certificate.store(true, Ordering::SeqCst);
        None
    }

    fn has_certs(&self) -> bool {
        false
    }
}
