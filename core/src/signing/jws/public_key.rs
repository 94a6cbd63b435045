//! RSA public keys.

use std::sync::Arc;

use payments_base::debug_shows;
use payments_base::hex::hex;
use payments_base::pem::form::{self, Algorithm, Form};
use payments_base::pem::{self, Document, Fault, Foreign, Use, ber};
use payments_base::secret::SecretBytes;
use rsa::pkcs8::EncodePublicKey as _;
use rsa::traits::PublicKeyParts as _;
use rsa::{BigUint, Pkcs1v15Sign, RsaPublicKey};
use sha2::{Digest as _, Sha256};

use crate::model::error::{Error, ErrorCode, messages};

/// Smaller moduli are unsafe, and the `rsa` crate does not verify larger ones.
const ACCEPTED_BITS: std::ops::RangeInclusive<usize> = 2048..=4096;

/// The size of the largest exponent that the `rsa` crate uses.
const EXPONENT_BITS: usize = 33;

/// An RSA public key of 2048 to 4096 bits. Clones share one parsed key.
#[derive(Clone)]
pub struct PublicKey(Arc<Parsed>);

struct Parsed {
    key: RsaPublicKey,
    spki: Vec<u8>,
    thumbprint: String,
}

impl PublicKey {
    /// Reads the first public key of a PEM text: `PUBLIC KEY` (SPKI) or `RSA
    /// PUBLIC KEY` (PKCS#1). Accepts text around it, CRLF line ends, and base64
    /// without a BEGIN line.
    ///
    /// # Errors
    /// `config`, which names the actual contents of the text.
    pub fn from_pem(text: &str) -> Result<Self, Error> {
        Self::from_contents(text.as_bytes())
    }

    /// Reads a public key from the contents of a file: PEM, as
    /// [`from_pem`](Self::from_pem), or DER.
    ///
    /// # Errors
    /// `config`, which names the actual contents of the file.
    pub fn from_contents(contents: &[u8]) -> Result<Self, Error> {
        let documents = pem::read(contents).map_err(error_of_foreign)?;
        let labeled = documents.iter().find(|document| document.is_labeled("PUBLIC KEY"));
        match labeled.or(documents.first()) {
            Some(document) if document.is_labeled("PRIVATE KEY") => {
                Err(messages::public_key_is_private())
            }
            Some(Document { der: Ok(der), .. }) => Self::from_der(der.expose()),
            Some(Document { der: Err(fault), .. }) => Err(error_of_fault(*fault)),
            None => Err(messages::public_key_empty()),
        }
    }

    /// Reads a public key from DER: SPKI or PKCS#1.
    ///
    /// # Errors
    /// `config`, which names the actual contents of the bytes.
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        let (form, rewritten) = form::identify_key(der);
        let der = rewritten.as_ref().map_or(der, SecretBytes::expose);
        let key = form::rsa_public_key(form, der).ok_or_else(|| error_of_form(form))?;
        let key = ber::to_der(key).ok_or_else(messages::public_key_damaged)?;
        let numbers = form::numbers(key.expose()).filter(|(_, rest)| rest.is_empty());
        let numbers: Option<[_; 2]> = numbers.and_then(|(numbers, _)| numbers.try_into().ok());
        let [modulus, exponent] = numbers.ok_or_else(messages::public_key_damaged)?;
        let bits = form::bits_of(modulus);
        if !ACCEPTED_BITS.contains(&bits) {
            return Err(messages::public_key_size(bits));
        }
        if form::bits_of(exponent) > EXPONENT_BITS {
            return Err(unusable(
                "the exponent of this RSA key has more than 33 bits, which is not supported; give \
                 the RSA key of 4096 bits that signs",
            ));
        }
        Self::from_numbers(modulus.as_bytes(), exponent.as_bytes())
            .ok_or_else(messages::public_key_damaged)
    }

    /// The key with this modulus and exponent, both big-endian. `None` if they
    /// do not form a usable RSA public key.
    pub(crate) fn from_numbers(modulus: &[u8], exponent: &[u8]) -> Option<Self> {
        let number = BigUint::from_bytes_be;
        RsaPublicKey::new(number(modulus), number(exponent)).ok().and_then(Self::of_parsed)
    }

    fn of_parsed(key: RsaPublicKey) -> Option<Self> {
        let spki = key.to_public_key_der().ok()?.into_vec();
        let thumbprint = hex(&Sha256::digest(&spki));
        Some(Self(Arc::new(Parsed { key, spki, thumbprint })))
    }

    /// The key as SPKI PEM, the form to send to the provider.
    pub fn to_pem(&self) -> String {
        pem::encode("PUBLIC KEY", &self.0.spki).to_string()
    }

    /// The size of the modulus in bits.
    pub fn bits(&self) -> usize {
        self.0.key.n().bits()
    }

    /// The SHA-256 of the SPKI DER in lower-case hexadecimal, as printed by
    /// `openssl pkey -pubin -outform DER | sha256sum`.
    pub fn thumbprint(&self) -> &str {
        &self.0.thumbprint
    }

    /// Whether `signature` is an RS256 signature of this key over
    /// `signing_input`.
    pub fn verifies(&self, signing_input: &[u8], signature: &[u8]) -> bool {
        let digest = Sha256::digest(signing_input);
        self.0.key.verify(Pkcs1v15Sign::new::<Sha256>(), &digest, signature).is_ok()
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.spki == other.0.spki
    }
}

impl Eq for PublicKey {}

debug_shows!(PublicKey, |it| bits = it.bits(), thumbprint = it.thumbprint());

/// Why a document is not an RSA public key.
fn error_of_form(form: Form) -> Error {
    match form {
        Form::Pkcs8(_) | Form::EncryptedPkcs8 | Form::Pkcs1 | Form::Sec1 => {
            messages::public_key_is_private()
        }
        Form::Spki(Algorithm::Ec) => messages::public_key_is_ec(),
        Form::Spki(Algorithm::Ed25519) => messages::public_key_is_ed25519(),
        Form::Spki(Algorithm::RsaPss) => messages::public_key_is_pss(),
        Form::Spki(Algorithm::Other) => messages::public_key_is_not_rsa(),
        Form::Certificate => messages::public_key_is_certificate(),
        Form::CertificateRequest => messages::public_key_is_certificate_request(),
        Form::Pkcs7 => error_of_foreign(Foreign::Pkcs7),
        Form::Pkcs12 => error_of_foreign(Foreign::Pkcs12),
        Form::Truncated => error_of_fault(Fault::Incomplete),
        Form::TrailingBytes => messages::public_key_trailing_bytes(),
        Form::Pkcs1Public | Form::Spki(Algorithm::Rsa) => messages::public_key_damaged(),
        Form::Unknown => messages::public_key_not_recognized(),
    }
}

/// Why the contents of a PEM block are not a public key.
fn error_of_fault(fault: Fault) -> Error {
    let code = match fault {
        Fault::Incomplete => ErrorCode::KEY_UNREADABLE,
        Fault::EscapedLineEnds => return messages::public_key_line_ends(),
        _ => ErrorCode::KEY_UNREADABLE,
    };
    Error::config("public_key", code, fault.message("key"))
}

/// Why a text that is neither PEM nor DER is not a public key.
fn error_of_foreign(foreign: Foreign) -> Error {
    match foreign {
        Foreign::Empty => messages::public_key_empty(),
        Foreign::Jwk { is_private: true, .. } | Foreign::Windows(_) | Foreign::Putty => {
            messages::public_key_is_private()
        }
        Foreign::Jwk { algorithm, .. } if algorithm != Algorithm::Rsa => {
            error_of_form(Form::Spki(algorithm))
        }
        Foreign::OpenSshPublic => messages::public_key_is_openssh(),
        Foreign::Unknown => messages::public_key_not_recognized(),
        _ => unusable(foreign.message(Use::PublicKey)),
    }
}

fn unusable(message: impl Into<String>) -> Error {
    Error::config("public_key", ErrorCode::KEY_UNREADABLE, message)
}
