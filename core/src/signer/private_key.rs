//! Private keys as they are handed in: found, decrypted, identified.

use std::fmt;
use std::sync::Arc;

use pkcs8::EncryptedPrivateKeyInfo;
use pkcs8::pkcs5;

use super::key_refusal as refusal;
use super::local::LocalSigner;
use crate::error::Error;
use crate::jws::key_form::{self, Algorithm, Form};
use crate::jws::pem::{self, Contents};
use crate::secret::{Secret, SecretBytes};

/// The size of modulus that the interface asks for, and the largest that the
/// `rsa` crate verifies.
const EXPECTED_BITS: usize = 4096;
/// Smaller keys are refused even with `allow_small_keys`.
const SMALLEST_BITS: usize = 2048;

/// An RSA private key, decrypted and identified, not yet parsed.
///
/// It is kept as DER beside the [`LocalSigner`] made from it, since a forked
/// process must parse its key anew. The memory is wiped when the last clone is
/// dropped.
#[derive(Clone)]
pub struct PrivateKey {
    der: Arc<SecretBytes>,
    encoding: Encoding,
}

#[derive(Clone, Copy)]
pub(super) enum Encoding {
    Pkcs8,
    Pkcs1,
}

impl PrivateKey {
    /// Takes the first private key out of a PEM text: PKCS#8 (`PRIVATE KEY`),
    /// encrypted PKCS#8 (`ENCRYPTED PRIVATE KEY`) or PKCS#1
    /// (`RSA PRIVATE KEY`). Text around it and CRLF line ends do no harm.
    ///
    /// `allow_small_keys` admits 2048 to 4095 bits, where 4096 are expected.
    /// A passphrase that is not needed is not looked at.
    ///
    /// # Errors
    /// `config` that says what was found, what is wanted, and what to do. It
    /// shows nothing of the key or of the passphrase.
    pub fn from_pem(
        text: &str,
        passphrase: Option<&Secret>,
        allow_small_keys: bool,
    ) -> Result<Self, Error> {
        let blocks = pem::blocks(text);
        let block = blocks.iter().find(|block| block.label.ends_with("PRIVATE KEY"));
        let Some(block) = block.or(blocks.first()) else {
            return Err(if pem::is_pem(text) {
                refusal::truncated()
            } else {
                refusal::of_text(text)
            });
        };
        match &block.contents {
            _ if block.label == "OPENSSH PRIVATE KEY" => Err(refusal::openssh()),
            Contents::Der(der) => Self::from_der(der.expose(), passphrase, allow_small_keys),
            Contents::Truncated => Err(refusal::truncated()),
            Contents::LegacyEncrypted => Err(refusal::legacy_encrypted()),
            Contents::EscapedLineEnds => Err(refusal::escaped_line_ends()),
            Contents::NotBase64 => Err(refusal::not_base64()),
        }
    }

    /// Takes a private key from DER: PKCS#8, encrypted PKCS#8 or PKCS#1.
    ///
    /// # Errors
    /// As [`from_pem`](Self::from_pem).
    pub fn from_der(
        der: &[u8],
        passphrase: Option<&Secret>,
        allow_small_keys: bool,
    ) -> Result<Self, Error> {
        if der.is_empty() {
            return Err(refusal::empty());
        }
        let form = key_form::identify(der);
        let encoding = match form {
            Form::Pkcs8(Algorithm::Rsa) => Encoding::Pkcs8,
            Form::Pkcs1 => Encoding::Pkcs1,
            Form::EncryptedPkcs8 => {
                let passphrase = passphrase.ok_or_else(refusal::passphrase_missing)?;
                let decrypted = decrypt(der, passphrase)?;
                // An encrypted key inside an encrypted key is nobody's key.
                return match key_form::identify(decrypted.expose()) {
                    Form::Pkcs8(_) => Self::from_der(decrypted.expose(), None, allow_small_keys),
                    _ => Err(refusal::passphrase_wrong()),
                };
            }
            _ => return Err(refusal::of_form(form)),
        };
        match key_form::modulus_bits(form, der) {
            None => return Err(refusal::damaged()),
            Some(bits) if bits > EXPECTED_BITS => return Err(refusal::too_large(bits)),
            Some(bits) if bits < SMALLEST_BITS => return Err(refusal::too_small(bits)),
            Some(bits) if bits < EXPECTED_BITS && !allow_small_keys => {
                return Err(refusal::small(bits));
            }
            Some(_) => {}
        }
        Ok(Self { der: Arc::new(SecretBytes::new(der.to_vec())), encoding })
    }

    /// Parses the key into a signer that signs as `kid`.
    ///
    /// # Errors
    /// `config` if the kid cannot be used or the numbers of the key do not fit
    /// together.
    pub fn signer(&self, kid: &str) -> Result<LocalSigner, Error> {
        LocalSigner::new(self, kid)
    }

    pub(super) fn der(&self) -> (&[u8], Encoding) {
        (self.der.expose(), self.encoding)
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(***)")
    }
}

fn decrypt(der: &[u8], passphrase: &Secret) -> Result<SecretBytes, Error> {
    let unsupported = |_| refusal::encryption_unsupported();
    let encrypted = EncryptedPrivateKeyInfo::try_from(der).map_err(unsupported)?;
    match encrypted.decrypt(passphrase.expose()) {
        Ok(document) => Ok(SecretBytes::new(document.as_bytes().to_vec())),
        // What a wrong passphrase decrypts to is noise: it rarely ends in
        // proper padding, and then it is no DER.
        Err(
            pkcs8::Error::EncryptedPrivateKey(
                pkcs5::Error::DecryptFailed | pkcs5::Error::EncryptFailed,
            )
            | pkcs8::Error::Asn1(_),
        ) => Err(refusal::passphrase_wrong()),
        Err(_) => Err(refusal::encryption_unsupported()),
    }
}
