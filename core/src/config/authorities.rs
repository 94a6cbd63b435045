//! Certificates from files.

use der::asn1::ObjectIdentifier;
use der::{Tag, TagNumber, Tagged as _};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;

use crate::model::error::{Error, ErrorCode};
use crate::signing::pem::form::{self, Form};
use crate::signing::pem::{self, Foreign, Use};

const SERVER: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");
const ANY_USE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37.0");

/// The certificates of a PEM file. Each must be usable as an authority.
pub(super) fn authorities(contents: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let mut store = RootCertStore::empty();
    let mut certificates = Vec::new();
    let mut other = None;
    let mut is_distrusted = false;
    for document in pem::read(contents).map_err(|foreign| unusable(foreign_message(foreign)))? {
        let is_labeled = document.label.is_none() || document.is_labeled("CERTIFICATE");
        let der = match &document.der {
            Ok(der) => der.expose(),
            Err(fault) if is_labeled => return Err(unusable(fault.message("certificate"))),
            Err(_) => continue,
        };
        // OpenSSL's own form: what it is trusted for follows the certificate.
        let with_trust =
            if document.is_labeled("TRUSTED CERTIFICATE") { form::split_first(der) } else { None };
        let (certificate, trust) = with_trust.unwrap_or((der, &[]));
        match form::identify(certificate) {
            Form::Certificate if pem::is_der(contents) => {
                return Err(unusable(Foreign::DerCertificate.message(Use::Authorities)));
            }
            Form::Certificate if !trusts_servers(trust) => is_distrusted = true,
            Form::Certificate => {
                let parsed = CertificateDer::from(certificate);
                store.add(parsed).map_err(|_| unusable(UNPARSABLE))?;
                certificates.push(certificate.to_vec());
            }
            Form::Truncated if is_labeled => {
                return Err(unusable(pem::Fault::Incomplete.message("certificate")));
            }
            Form::Unknown | Form::TrailingBytes if document.is_labeled("CERTIFICATE") => {
                return Err(unusable(UNPARSABLE));
            }
            form => other = other.or(Some(form)),
        }
    }
    if !certificates.is_empty() {
        return Ok(certificates);
    }
    Err(if is_distrusted {
        unusable(
            "contains no certificate that is trusted for servers; see which uses \
             `openssl x509 -in FILE -noout -text` lists for each",
        )
    } else {
        unusable(other.map_or(NONE.to_owned(), other_message))
    })
}

const NONE: &str = "contains no certificate; give a PEM file with BEGIN CERTIFICATE lines";
const UNPARSABLE: &str = "contains a certificate that cannot be parsed; export it again, as X.509 \
                          in PEM";

fn unusable(message: impl Into<String>) -> Error {
    Error::config("ca_file", ErrorCode::FILE_UNREADABLE, message)
}

fn foreign_message(foreign: Foreign) -> String {
    match foreign {
        Foreign::Empty | Foreign::Unknown | Foreign::Path => NONE.to_owned(),
        _ => foreign.message(Use::Authorities),
    }
}

/// Why a file without certificates has no authorities.
fn other_message(form: Form) -> String {
    let found = match form {
        Form::Pkcs7 => return Foreign::Pkcs7.message(Use::Authorities),
        Form::Pkcs12 => return Foreign::Pkcs12.message(Use::Authorities),
        Form::Pkcs8(_) | Form::EncryptedPkcs8 | Form::Pkcs1 | Form::Sec1 => "a private key",
        Form::Spki(_) | Form::Pkcs1Public => "a public key",
        Form::CertificateRequest => "a certificate request",
        _ => return NONE.to_owned(),
    };
    format!(
        "contains {found} and no certificate; give a PEM file with BEGIN CERTIFICATE lines of the \
         authorities"
    )
}

/// Whether the trust that OpenSSL adds to a certificate includes servers. No trust
/// at all restricts nothing.
fn trusts_servers(trust: &[u8]) -> bool {
    let rejected = Tag::ContextSpecific { constructed: true, number: TagNumber::N0 };
    let has_servers = |uses: &[u8]| {
        let uses = form::elements(uses);
        uses.iter().any(|it| matches!(it.decode_as(), Ok(SERVER | ANY_USE)))
    };
    let Some((list, _)) = form::split_first(trust) else { return trust.is_empty() };
    let Some(list) = form::elements(list).into_iter().next() else { return false };
    form::members(list).iter().all(|part| match part.tag() {
        Tag::Sequence => has_servers(part.value()),
        tag if tag == rejected => !has_servers(part.value()),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CERTIFICATE: &str = include_str!("../../../tests/vectors/keys/refused_certificate.pem");
    /// Trusted for servers, and not for clients, and with a name.
    const TRUST: &[u8] = &[
        0x30, 0x1b, 0x30, 10, 6, 8, 0x2b, 6, 1, 5, 5, 7, 3, 1, 0xa0, 10, 6, 8, 0x2b, 6, 1, 5, 5, 7,
        3, 2, 0x0c, 1, b'a',
    ];

    #[test]
    fn trust_that_is_changed_or_cut_is_read_or_refused() {
        let mut documents = pem::read(CERTIFICATE.as_bytes()).unwrap();
        let der = documents.remove(0).der.unwrap();
        let read = |trust: &[u8]| {
            let der = [der.expose(), trust].concat();
            authorities(pem::encode("TRUSTED CERTIFICATE", &der).as_bytes())
        };
        assert_eq!(read(TRUST).unwrap(), [der.expose()]);
        for end in 1..TRUST.len() {
            assert!(read(&TRUST[..end]).is_err(), "{end}");
        }
        for (at, bit) in (0..TRUST.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut changed = TRUST.to_vec();
            changed[at] ^= 1 << bit;
            if let Ok(certificates) = read(&changed) {
                assert_eq!(certificates, [der.expose()], "{at} {bit}");
            }
        }
    }
}
