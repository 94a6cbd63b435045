//! Texts, keys and certificates from files.

use std::path::Path;

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use super::Source;
use crate::base::secret::{Secret, SecretBytes};
use crate::model::error::Error;

/// The largest file read for a secret or for certificates.
const LARGEST_FILE: u64 = 4 * 1024 * 1024;

pub(super) fn read_text(
    source: &Option<Source>,
    member: &'static str,
) -> Result<Option<Secret>, Error> {
    let text = match source {
        None => return Ok(None),
        Some(Source::Text(text)) => text.clone(),
        Some(Source::File(path)) => {
            let contents = read_file(path, &format!("{member}_file"))?;
            let text = std::str::from_utf8(contents.expose()).map_err(|_| {
                refused(
                    &format!("{member}_file"),
                    "file_not_text",
                    "the file is not UTF-8 text; save it as UTF-8",
                )
            })?;
            // Editors and `echo` append a line end.
            Secret::new(text.trim_end_matches(['\r', '\n']))
        }
    };
    if text.expose().is_empty() {
        let given_as = match source {
            Some(Source::File(_)) => &format!("{member}_file"),
            _ => member,
        };
        return Err(refused(given_as, "value_empty", "is empty; fill it in or remove it"));
    }
    Ok(Some(text))
}

pub(super) fn read_bytes(
    source: &Option<Source>,
    member: &str,
) -> Result<Option<SecretBytes>, Error> {
    match source {
        None => Ok(None),
        Some(Source::Text(text)) => Ok(Some(SecretBytes::new(text.expose().as_bytes().to_vec()))),
        Some(Source::File(path)) => read_file(path, member).map(Some),
    }
}

pub(super) fn read_file(path: &Path, member: &str) -> Result<SecretBytes, Error> {
    let unreadable =
        |why: &str| refused(member, "file_unreadable", &format!("could not read the file {why}"));
    let failed =
        |error: std::io::Error| unreadable(&crate::base::unreadable::unreadable(path, &error));
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(unreadable(&format!("{}: it is a directory", path.display())));
    }
    if metadata.len() > LARGEST_FILE {
        return Err(unreadable(&format!("{}: it is larger than 4 MiB", path.display())));
    }
    std::fs::read(path).map(SecretBytes::new).map_err(failed)
}

fn refused(member: &str, code: &'static str, message: &str) -> Error {
    Error::config(member, code, message)
}

/// The certificates of a PEM file. Each must be usable as an authority.
pub(super) fn authorities(pem: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let unusable = |message: &str| Error::config("ca_file", "ca_file_unusable", message);
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
