//! Certificates from files.

use der::asn1::ObjectIdentifier;
use der::{Tag, TagNumber, Tagged as _};
use payments_base::pem::form::{self, Form};
use payments_base::pem::{self, Document, Foreign, Use};
use webpki::anchor_from_trusted_cert;

use crate::model::error::{Error, ErrorCode};

const SERVER: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");
const ANY_USE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37.0");

/// The certificates of a PEM file.
pub(super) fn authorities(contents: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let documents = pem::read(contents).map_err(|foreign| unusable(foreign_message(foreign)))?;
    let count = documents.iter().filter(|it| is_labeled(it)).count();
    let mut certificates = Vec::new();
    let (mut at, mut other, mut is_distrusted) = (0, None, false);
    for document in documents {
        at += usize::from(is_labeled(&document));
        match read(&document, pem::is_der(contents)) {
            Ok(Found::Trusted(der)) => certificates.push(der),
            Ok(Found::Distrusted) => is_distrusted = true,
            Ok(Found::Other(form)) => other = other.or(Some(form)),
            Ok(Found::Nothing) => {}
            Err(message) if count > 1 => {
                return Err(unusable(format!("certificate {at} of {count}: {message}")));
            }
            Err(message) => return Err(unusable(message)),
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

/// The contents of a document of the file.
enum Found {
    Trusted(Vec<u8>),
    /// A certificate that is not for servers.
    Distrusted,
    Other(Form),
    Nothing,
}

fn is_labeled(document: &Document) -> bool {
    document.label.is_none() || document.is_labeled("CERTIFICATE")
}

/// # Errors
/// Why the file cannot be used.
fn read(document: &Document, is_der: bool) -> Result<Found, String> {
    let der = match &document.der {
        Ok(der) => der.expose(),
        Err(fault) if is_labeled(document) => return Err(fault.message("certificate")),
        Err(_) => return Ok(Found::Nothing),
    };
    // OpenSSL's own form: what it is trusted for follows the certificate.
    let with_trust =
        if document.is_labeled("TRUSTED CERTIFICATE") { form::split_first(der) } else { None };
    let (certificate, trust) = with_trust.unwrap_or((der, &[]));
    match form::identify(certificate) {
        Form::Certificate if is_der => Err(Foreign::DerCertificate.message(Use::Authorities)),
        Form::Certificate if !trusts_servers(trust) => Ok(Found::Distrusted),
        Form::Certificate => match anchor_from_trusted_cert(&certificate.into()) {
            Ok(_) => Ok(Found::Trusted(certificate.to_vec())),
            Err(_) => Err(UNPARSABLE.to_owned()),
        },
        Form::Truncated if is_labeled(document) => {
            Err(pem::Fault::Incomplete.message("certificate"))
        }
        Form::Unknown | Form::TrailingBytes if document.is_labeled("CERTIFICATE") => {
            Err(UNPARSABLE.to_owned())
        }
        form => Ok(Found::Other(form)),
    }
}

const NONE: &str = "contains no certificate; give a PEM file with BEGIN CERTIFICATE lines";
const UNPARSABLE: &str = "the certificate cannot be parsed; export it again, as X.509 in PEM";

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
