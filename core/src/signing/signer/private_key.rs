//! Private keys: found in their input, decrypted, and identified.

use std::fmt;
use std::sync::Arc;

use pkcs8::EncryptedPrivateKeyInfo;
use pkcs8::pkcs5;

use super::key_refusal::{of_form, of_size, of_text};
use super::local::LocalSigner;
use crate::base::secret::{Secret, SecretBytes};
use crate::model::error::{Error, messages};
use crate::signing::jws::key_form::{self, Algorithm, Form};
use crate::signing::jws::pem::{self, Contents};

/// An RSA private key, decrypted and identified but not parsed.
///
/// A [`LocalSigner`] keeps it as DER, since a forked process must parse the key
/// again. The memory is wiped when the last clone is dropped.
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
    /// Reads the first private key of a PEM text: PKCS#8 (`PRIVATE KEY`),
    /// encrypted PKCS#8 (`ENCRYPTED PRIVATE KEY`) or PKCS#1 (`RSA PRIVATE
    /// KEY`). Accepts text around it and CRLF line ends.
    ///
    /// `allow_small_keys` accepts 2048 to 4095 bits instead of the expected
    /// 4096. The passphrase is ignored if the key is not encrypted.
    ///
    /// # Errors
    /// `config`, which says what was found, what is expected, and what to do.
    /// It shows nothing of the key or the passphrase.
    pub fn from_pem(
        text: &str,
        passphrase: Option<&Secret>,
        allow_small_keys: bool,
    ) -> Result<Self, Error> {
        let blocks = pem::blocks(text);
        let block = blocks.iter().find(|block| block.label.ends_with("PRIVATE KEY"));
        let Some(block) = block.or(blocks.first()) else {
            return Err(match pem::is_pem(text) {
                true => messages::key_truncated(),
                false => of_text(text),
            });
        };
        Err(match &block.contents {
            _ if block.label == "OPENSSH PRIVATE KEY" => messages::key_is_openssh(),
            Contents::Der(der) => {
                return Self::from_der(der.expose(), passphrase, allow_small_keys);
            }
            Contents::Truncated => messages::key_truncated(),
            Contents::LegacyEncrypted => messages::key_legacy_encrypted(),
            Contents::EscapedLineEnds => messages::key_line_ends(),
            Contents::NotBase64 => messages::key_not_base64(),
        })
    }

    /// Reads a private key from DER: PKCS#8, encrypted PKCS#8 or PKCS#1.
    ///
    /// # Errors
    /// As [`from_pem`](Self::from_pem).
    pub fn from_der(
        der: &[u8],
        passphrase: Option<&Secret>,
        allow_small_keys: bool,
    ) -> Result<Self, Error> {
        if der.is_empty() {
            return Err(messages::key_empty());
        }
        let form = key_form::identify(der);
        let encoding = match form {
            Form::Pkcs8(Algorithm::Rsa) => Encoding::Pkcs8,
            Form::Pkcs1 => Encoding::Pkcs1,
            Form::EncryptedPkcs8 => {
                let passphrase = passphrase.ok_or_else(messages::key_passphrase_missing)?;
                let decrypted = decrypt(der, passphrase)?;
                // Encrypted twice: no tool writes this.
                return match key_form::identify(decrypted.expose()) {
                    Form::Pkcs8(_) => Self::from_der(decrypted.expose(), None, allow_small_keys),
                    _ => Err(messages::key_passphrase_wrong()),
                };
            }
            _ => return Err(of_form(form)),
        };
        let bits = key_form::modulus_bits(form, der).ok_or_else(messages::key_damaged)?;
        if let Some(refused) = of_size("key", bits, allow_small_keys, "with `payments keygen`") {
            return Err(refused);
        }
        Ok(Self { der: Arc::new(SecretBytes::new(der.to_vec())), encoding })
    }

    /// Parses the key into a signer for `kid`.
    ///
    /// # Errors
    /// `config` if the kid cannot be used or the numbers of the key are
    /// inconsistent.
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
    use pkcs5::Error::{DecryptFailed, EncryptFailed};

    let encrypted = EncryptedPrivateKeyInfo::try_from(der);
    let encrypted = encrypted.map_err(|_| messages::key_encryption_unsupported())?;
    match encrypted.decrypt(passphrase.expose()) {
        Ok(document) => Ok(SecretBytes::new(document.as_bytes().to_vec())),
        // A wrong passphrase decrypts to noise, which rarely has valid padding
        // and then is not DER.
        Err(
            pkcs8::Error::EncryptedPrivateKey(DecryptFailed | EncryptFailed)
            | pkcs8::Error::Asn1(_),
        ) => Err(messages::key_passphrase_wrong()),
        Err(_) => Err(messages::key_encryption_unsupported()),
    }
}
