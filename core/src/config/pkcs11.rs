//! The configuration of a key in an HSM.

use std::path::PathBuf;

use super::{Pkcs11, Source};
use crate::model::error::{Error, ErrorCode};
use crate::signing::signer::{KeyChoice, Pkcs11Key, TokenChoice};

impl Pkcs11 {
    /// A key accessed through the module (the shared library of the HSM's
    /// maker) at this path.
    pub fn new(module: impl Into<PathBuf>) -> Self {
        Self { module: Some(module.into()), ..Self::default() }
    }

    /// Checks the members together; `None` if there is no module.
    pub(super) fn resolve(&self, allow_small_keys: bool) -> Result<Option<Pkcs11Key>, Error> {
        let Some(module) = &self.module else {
            return Ok(None);
        };
        let token = match (&self.token, self.slot) {
            (Some(label), _) => TokenChoice::Label(label.clone()),
            (None, Some(slot)) => TokenChoice::Slot(slot),
            (None, None) => {
                return required("pkcs11_token", "with pkcs11_module: the label of the token");
            }
        };
        let id = self.key_id.as_deref().map(read_id).transpose()?;
        if id.is_none() && self.key_label.is_none() {
            return required(
                "pkcs11_key_label",
                "with pkcs11_module: the label of the key that signs; or set pkcs11_key_id",
            );
        }
        Ok(Some(Pkcs11Key {
            module: module.clone(),
            token,
            key: KeyChoice { label: self.key_label.clone(), id },
            pin: self.pin.as_ref().map(Source::secret),
            pin_member: self
                .pin
                .as_ref()
                .map_or_else(|| "pkcs11_pin".to_owned(), |pin| pin.named("pkcs11_pin")),
            sessions: usize::try_from(self.sessions).unwrap_or(usize::MAX),
            allow_small_keys,
        }))
    }
}

fn required<T>(member: &str, why: &str) -> Result<T, Error> {
    Err(Error::required(member, format!("required {why}")))
}

/// Parses a hexadecimal id, with or without colons between its bytes.
fn read_id(text: &str) -> Result<Vec<u8>, Error> {
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b':').collect();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let bytes: Option<Vec<u8>> = digits
        .chunks(2)
        .map(|pair| match *pair {
            [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
            _ => None,
        })
        .collect();
    bytes.filter(|bytes| !bytes.is_empty()).ok_or_else(|| {
        Error::config(
            "pkcs11_key_id",
            ErrorCode::VALUE_INVALID,
            "must be the CKA_ID of the key in hexadecimal, two digits for each byte and no 0x, \
             such as 0a1f",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_hexadecimal() {
        assert_eq!(read_id("0a:Ff").unwrap(), [0x0a, 0xff]);
        assert_eq!(read_id("0aff").unwrap(), [0x0a, 0xff]);
        for text in ["", ":", "a", "0a f", "0x0a", "zz", "+1"] {
            assert_eq!(read_id(text).unwrap_err().path(), Some("pkcs11_key_id"), "{text}");
        }
    }

    #[test]
    fn debug_does_not_show_the_pin() {
        let shown = format!("{:?}", Pkcs11::new("m").pin("canary").key_label("l"));
        assert!(!shown.contains("canary") && shown.contains("\"l\""), "{shown}");
    }
}
