//! Decides whether a server is trusted, by a list of certificates.
//!
//! rustls-webpki builds the path from a server's certificate to a trusted one and
//! checks it. A path whose authorities exceed their limits is refused here, and
//! rustls-webpki looks for another one.

use std::cell::OnceCell;
use std::sync::Arc;

use payments_base::certificate::Certificate;
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms};
use rustls::pki_types::{CertificateDer, ServerName, TrustAnchor, UnixTime};
use rustls::{CertificateError as Refused, Error, OtherError};
use webpki::{EndEntityCert, Error as Cause, KeyUsage, VerifiedPath, anchor_from_trusted_cert};

use super::limits::{self, Limit, check_dates};

/// Trusts these certificates: each as its server's own, and as an authority
/// within its limits.
#[derive(Debug)]
pub(super) struct Trust {
    certificates: Vec<CertificateDer<'static>>,
    /// Name and key of each certificate, in the same order.
    anchors: Vec<TrustAnchor<'static>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Trust {
    /// Leaves out what cannot be parsed.
    ///
    /// # Errors
    /// If nothing is left.
    pub(super) fn new<'d>(
        certificates: impl IntoIterator<Item = CertificateDer<'d>>,
        provider: &CryptoProvider,
    ) -> Result<Self, Error> {
        let anchor = |der: CertificateDer<'d>| {
            let anchor = anchor_from_trusted_cert(&der).ok()?.to_owned();
            Some((der.into_owned(), anchor))
        };
        let (certificates, anchors): (Vec<_>, Vec<_>) =
            certificates.into_iter().filter_map(anchor).unzip();
        if certificates.is_empty() {
            return Err(Error::General("no certificate is usable".to_owned()));
        }
        Ok(Self { certificates, anchors, algorithms: provider.signature_verification_algorithms })
    }

    /// Checks the server `name` by its `own` certificate and the `others` that it sent.
    ///
    /// # Errors
    /// If it is not trusted.
    pub(super) fn check(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        now: UnixTime,
    ) -> Result<(), Error> {
        let parsed = EndEntityCert::try_from(own).map_err(refused)?;
        let certificate = Certificate::read(own).ok_or(Refused::BadEncoding)?;
        if self.certificates.contains(own) {
            check_pinned(&certificate, now)?;
        } else {
            self.find_path(&parsed, others, now)?;
        }
        if !certificate.is_for_handshakes() {
            return Err(Refused::InvalidPurpose.into());
        }
        Ok(parsed.verify_is_valid_for_subject_name(name).map_err(refused)?)
    }

    /// Checks that a path leads from `own` to a trusted certificate.
    fn find_path(
        &self,
        own: &EndEntityCert<'_>,
        others: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), Refused> {
        let exceeded = OnceCell::new();
        let check = |path: &VerifiedPath<'_>| {
            let at = self.anchors.iter().position(|anchor| std::ptr::eq(anchor, path.anchor()));
            let trusted =
                at.and_then(|at| self.certificates.get(at)).ok_or(Cause::UnknownIssuer)?;
            limits::check(path, trusted, now).map_err(|limit| {
                let _ = exceeded.set(limit);
                Cause::UnknownIssuer
            })
        };
        let found = own.verify_for_usage(
            self.algorithms.all,
            &self.anchors,
            others,
            now,
            KeyUsage::server_auth(),
            None,
            Some(&check),
        );
        // A path that is right but for one limit says more than one that is not.
        found.map(drop).map_err(|cause| exceeded.into_inner().map_or(refused(cause), other))
    }
}

/// Checks a server's own certificate that is trusted as such.
fn check_pinned(own: &Certificate<'_>, now: UnixTime) -> Result<(), Refused> {
    check_dates(own, now).map_err(|limit| match limit {
        Limit::NotYetValid { now, from } => {
            Refused::NotValidYetContext { time: now, not_before: from }
        }
        Limit::Expired { now, at } => Refused::ExpiredContext { time: now, not_after: at },
        _ => Refused::BadEncoding,
    })?;
    if own.is_for_others() { Err(Refused::InvalidPurpose) } else { Ok(()) }
}

fn other(cause: impl std::error::Error + Send + Sync + 'static) -> Refused {
    Refused::Other(OtherError(Arc::new(cause)))
}

/// A cause as rustls names it.
fn refused(cause: Cause) -> Refused {
    match cause {
        Cause::UnknownIssuer => Refused::UnknownIssuer,
        Cause::BadDer | Cause::BadDerTime | Cause::TrailingData(_) => Refused::BadEncoding,
        Cause::CertExpired { time, not_after } => Refused::ExpiredContext { time, not_after },
        Cause::CertNotValidYet { time, not_before } => {
            Refused::NotValidYetContext { time, not_before }
        }
        Cause::InvalidCertValidity => Refused::Expired,
        Cause::CertNotValidForName(_) => Refused::NotValidForName,
        Cause::RequiredEkuNotFoundContext(_) => Refused::InvalidPurpose,
        Cause::InvalidSignatureForPublicKey => Refused::BadSignature,
        Cause::UnsupportedSignatureAlgorithmContext(it) => {
            Refused::UnsupportedSignatureAlgorithmContext {
                signature_algorithm_id: it.signature_algorithm_id,
                supported_algorithms: it.supported_algorithms,
            }
        }
        Cause::UnsupportedSignatureAlgorithmForPublicKeyContext(it) => {
            Refused::UnsupportedSignatureAlgorithmForPublicKeyContext {
                signature_algorithm_id: it.signature_algorithm_id,
                public_key_algorithm_id: it.public_key_algorithm_id,
            }
        }
        cause => other(cause),
    }
}
