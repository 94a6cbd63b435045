//! The limits of the authorities on a path that rustls-webpki accepts. It checks
//! no certificate that is trusted, and of the others no key usage.

use rustls::pki_types::{CertificateDer, UnixTime};
use webpki::VerifiedPath;

use payments_base::certificate::Certificate;

/// An authority that may not have issued what it did.
#[derive(Debug)]
pub(super) struct Exceeded {
    pub(super) authority: CertificateDer<'static>,
    /// Whether it is a trusted one, rather than between it and the server's.
    pub(super) is_trusted: bool,
    pub(super) limit: Limit,
}

impl std::fmt::Display for Exceeded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the limits of an authority are exceeded")
    }
}

impl std::error::Error for Exceeded {}

/// A right that a certificate lacks.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Limit {
    Expired {
        now: UnixTime,
        at: UnixTime,
    },
    NotYetValid {
        now: UnixTime,
        from: UnixTime,
    },
    NoAuthority,
    KeyUsage,
    Purpose,
    PathLength,
    /// A critical extension that is not supported.
    Extension(String),
    Unreadable,
}

/// Checks the authorities on `path`, which ends at `trusted`.
///
/// # Errors
/// The first one, from the server's certificate on, whose limits are exceeded.
pub(super) fn check(
    path: &VerifiedPath<'_>,
    trusted: &CertificateDer<'_>,
    now: UnixTime,
) -> Result<(), Exceeded> {
    let mut below = 0;
    let between = path.intermediate_certificates().map(|it| (it.der(), false));
    for (der, is_trusted) in between.chain([(trusted.clone(), true)]) {
        let certificate = Certificate::read(&der);
        if let Err(limit) = certificate.as_ref().map_or(Err(Limit::Unreadable), |it| {
            check_dates(it, now).and_then(|()| check_authority(it, below))
        }) {
            return Err(Exceeded { authority: der.into_owned(), is_trusted, limit });
        }
        // One that replaces another of its name is not a further authority.
        below += u64::from(!certificate.is_some_and(|it| it.is_self_issued()));
    }
    Ok(())
}

pub(super) fn check_dates(certificate: &Certificate<'_>, now: UnixTime) -> Result<(), Limit> {
    if now < certificate.not_before {
        return Err(Limit::NotYetValid { now, from: certificate.not_before });
    }
    if now > certificate.not_after {
        return Err(Limit::Expired { now, at: certificate.not_after });
    }
    Ok(())
}

/// Whether it may issue certificates of servers, with `below` other
/// authorities in between.
fn check_authority(certificate: &Certificate<'_>, below: u64) -> Result<(), Limit> {
    if !certificate.is_of_authority() {
        return Err(Limit::NoAuthority);
    }
    if !certificate.signs_certificates() {
        return Err(Limit::KeyUsage);
    }
    if certificate.is_for_others() {
        return Err(Limit::Purpose);
    }
    if certificate.path_length().is_some_and(|most| below > most) {
        return Err(Limit::PathLength);
    }
    match certificate.critical_extension_of_trusted() {
        Some(extension) => Err(Limit::Extension(extension)),
        None => Ok(()),
    }
}
