//! Notes facts about a server that messages state and the errors of rustls lack.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use payments_base::process::lock;
use rustls::client::ResolvesClientCert;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::sign::CertifiedKey;
use rustls::{DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};

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

/// Decides like another verifier, and notes the certificates that it refuses.
#[derive(Debug)]
pub(super) struct Verifier {
    decides: Arc<dyn ServerCertVerifier>,
    seen: Arc<Seen>,
}

impl Verifier {
    pub(super) fn new(decides: Arc<dyn ServerCertVerifier>, seen: &Arc<Seen>) -> Self {
        Self { decides, seen: Arc::clone(seen) }
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self.decides.verify_server_cert(own, others, name, ocsp_response, now);
        verified.inspect_err(|_| self.seen.refuse(own, others, false))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let verified = self.decides.verify_tls12_signature(message, own, signed);
        verified.inspect_err(|_| self.seen.refuse(own, &[], true))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let verified = self.decides.verify_tls13_signature(message, own, signed);
        verified.inspect_err(|_| self.seen.refuse(own, &[], true))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.decides.supported_verify_schemes()
    }

    fn requires_raw_public_keys(&self) -> bool {
        self.decides.requires_raw_public_keys()
    }

    fn root_hint_subjects(&self) -> Option<&[DistinguishedName]> {
        self.decides.root_hint_subjects()
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
