//! Encryption of stored entries.

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payments_base::secret::{Secret, SecretBytes};
use zeroize::Zeroizing;

use crate::model::error::{Error, messages};

const KEY_BYTES: usize = 32;

/// Encrypts with AES-256-GCM and a random nonce each time.
///
/// It keeps the raw key and sets it up for each use, since a key set up before
/// a fork must not be used after it.
#[derive(Clone, Debug)]
pub(crate) struct Sealer(SecretBytes);

impl Sealer {
    /// Reads a key of 32 bytes in base64.
    ///
    /// # Errors
    /// `config` if it is anything else.
    pub(crate) fn from_base64(key: &Secret) -> Result<Self, Error> {
        let key = STANDARD.decode(key.expose().trim()).map(SecretBytes::new);
        let key = key.ok().filter(|key| key.expose().len() == KEY_BYTES);
        key.map(Self).ok_or_else(messages::token_store_key_invalid)
    }

    /// Encrypts `plain` so that it opens only under the same `name`. Returns
    /// the nonce and the ciphertext, or `None` if the system has no random
    /// numbers.
    pub(crate) fn seal(&self, name: &str, plain: &[u8]) -> Option<Vec<u8>> {
        let mut encrypted = plain.to_vec();
        let key = self.cipher()?;
        let nonce = key.seal_in_place_append_tag(Aad::from(name), &mut encrypted).ok()?;
        Some([nonce.as_ref().as_slice(), &encrypted].concat())
    }

    /// Decrypts. `None` if the text was sealed with another key or under
    /// another name, or was changed.
    pub(crate) fn open(&self, name: &str, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, encrypted) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut buffer = Zeroizing::new(encrypted.to_vec());
        let length = self.cipher()?.open_in_place(nonce, Aad::from(name), &mut buffer).ok()?.len();
        buffer.truncate(length);
        Some(buffer)
    }

    /// The bytes of the key, for comparing keys.
    pub(crate) fn key(&self) -> &[u8] {
        self.0.expose()
    }

    fn cipher(&self) -> Option<RandomizedNonceKey> {
        RandomizedNonceKey::new(&AES_256_GCM, self.key()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealer(byte: u8) -> Sealer {
        Sealer::from_base64(&STANDARD.encode([byte; KEY_BYTES]).into()).unwrap()
    }

    #[test]
    fn only_the_same_key_and_name_open_a_sealed_text() {
        let sealed = sealer(1).seal("name", b"secret text").unwrap();
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
        assert_ne!(sealed, sealer(1).seal("name", b"secret text").unwrap());
        assert_eq!(sealer(1).open("name", &sealed).unwrap().as_slice(), b"secret text");
        assert!(sealer(2).open("name", &sealed).is_none());
        assert!(sealer(1).open("other", &sealed).is_none());
        for length in 0..sealed.len() {
            assert!(sealer(1).open("name", &sealed[..length]).is_none());
        }
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            assert!(sealer(1).open("name", &changed).is_none());
        }
    }

    #[test]
    fn keys_of_another_length_are_refused_and_not_shown() {
        for key in ["", "hunter2", &STANDARD.encode([7; 16]), &STANDARD.encode([7; 33])] {
            let error = Sealer::from_base64(&key.into()).unwrap_err();
            assert_eq!(error.code(), "value_invalid");
            assert!(key.is_empty() || !format!("{error:?}").contains(key));
        }
        assert_eq!(format!("{:?}", sealer(1)), "Sealer(***)");
    }
}
