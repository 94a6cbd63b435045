//! Certificates from files.

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use crate::model::error::{Error, ErrorCode};

/// The certificates of a PEM file. Each must be usable as an authority.
pub(super) fn authorities(pem: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let unusable = |message: &str| Error::config("ca_file", ErrorCode::CA_FILE_UNUSABLE, message);
    let mut store = RootCertStore::empty();
    let mut certificates = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate
            .map_err(|_| unusable("contains a certificate that is not valid PEM; copy it again"))?;
        store.add(certificate.clone()).map_err(|_| {
            unusable(
                "contains a certificate that cannot be used as an authority; give certificates \
                 of authorities only",
            )
        })?;
        certificates.push(certificate.to_vec());
    }
    if certificates.is_empty() {
        return Err(unusable(
            "contains no certificate; give a PEM file with BEGIN CERTIFICATE lines",
        ));
    }
    Ok(certificates)
}
