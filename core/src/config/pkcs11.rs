//! The configuration of a key in an HSM.

use std::fmt;
use std::path::PathBuf;

use super::Source;
use crate::base::secret::Secret;
use crate::model::error::Error;
use crate::signing::signer::{KeyChoice, Pkcs11Key, TokenChoice};

/// The default for the most sessions of one process.
pub(super) const SESSIONS: u64 = 8;
/// The largest value accepted.
const MOST_SESSIONS: u64 = 256;

/// A signing key in a PKCS#11 token: an HSM, or software that emulates one. The
/// key never leaves the token.
///
/// Select the token with [`token`](Self::token) or [`slot`](Self::slot), and
/// the key with [`key_label`](Self::key_label), [`key_id`](Self::key_id) or
/// both. `Debug` does not show the PIN.
///
/// ```
/// use payments_core::Config;
/// use payments_core::config::Pkcs11;
///
/// let key = Pkcs11::new("/usr/lib/softhsm/libsofthsm2.so")
///     .token("payments")
///     .key_label("signing-2026")
///     .pin_file("/run/secrets/pin");
/// let config = Config::new("https://api.example").pkcs11(key, "kid-1");
/// # let _ = config;
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct Pkcs11 {
    pub(super) module: Option<PathBuf>,
    pub(super) token: Option<String>,
    pub(super) slot: Option<u64>,
    pub(super) key_label: Option<String>,
    pub(super) key_id: Option<String>,
    pub(super) pin: Option<Source>,
    pub(super) sessions: Option<u64>,
}

impl Pkcs11 {
    /// A key accessed through the module (the shared library of the HSM's
    /// maker) at this path.
    pub fn new(module: impl Into<PathBuf>) -> Self {
        Self { module: Some(module.into()), ..Self::default() }
    }

    /// The label of the token.
    pub fn token(mut self, label: impl Into<String>) -> Self {
        self.token = Some(label.into());
        self
    }

    /// The number of the slot that holds the token. Use it if labels do not
    /// distinguish the tokens.
    pub fn slot(mut self, slot: u64) -> Self {
        self.slot = Some(slot);
        self
    }

    /// The label of the private key (`CKA_LABEL`).
    pub fn key_label(mut self, label: impl Into<String>) -> Self {
        self.key_label = Some(label.into());
        self
    }

    /// The id of the private key (`CKA_ID`) in hexadecimal.
    pub fn key_id(mut self, hexadecimal: impl Into<String>) -> Self {
        self.key_id = Some(hexadecimal.into());
        self
    }

    /// The user PIN of the token.
    pub fn pin(mut self, pin: impl Into<Secret>) -> Self {
        self.pin = Some(Source::Text(pin.into()));
        self
    }

    /// The file that contains the user PIN of the token.
    pub fn pin_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.pin = Some(Source::File(file.into()));
        self
    }

    /// The most sessions of one process with the token, which is also the most
    /// signatures at once. The default is 8.
    pub fn sessions(mut self, sessions: u64) -> Self {
        self.sessions = Some(sessions);
        self
    }

    pub(super) fn is_given(&self) -> bool {
        self.first_given().is_some()
    }

    /// The first member given, by name.
    fn first_given(&self) -> Option<&'static str> {
        let Self { module, token, slot, key_label, key_id, pin, sessions } = self;
        [
            ("pkcs11_module", module.is_some()),
            ("pkcs11_token", token.is_some()),
            ("pkcs11_slot", slot.is_some()),
            ("pkcs11_key_label", key_label.is_some()),
            ("pkcs11_key_id", key_id.is_some()),
            (self.pin_member(), pin.is_some()),
            ("pkcs11_sessions", sessions.is_some()),
        ]
        .into_iter()
        .find_map(|(name, is_given)| is_given.then_some(name))
    }

    fn pin_member(&self) -> &'static str {
        let source = self.pin.as_ref();
        source.map_or("pkcs11_pin", |it| it.member("pkcs11_pin", "pkcs11_pin_file"))
    }

    /// Checks the members; `None` if none is given. `pin` is the PIN, already
    /// read from its file if there is one.
    pub(super) fn resolve(
        &self,
        pin: Option<&Secret>,
        allow_small_keys: bool,
    ) -> Result<Option<Pkcs11Key>, Error> {
        let Some(given) = self.first_given() else {
            return Ok(None);
        };
        let Some(module) = &self.module else {
            return required("pkcs11_module", &format!("because {given} is set"));
        };
        let token = match (&self.token, self.slot) {
            (Some(_), Some(_)) => {
                let message = "pkcs11_token is set too; remove one of them";
                return Err(Error::config("pkcs11_slot", "given_twice", message));
            }
            (Some(label), None) => TokenChoice::Label(label.clone()),
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
        let sessions = self.sessions.unwrap_or(SESSIONS);
        if !(1..=MOST_SESSIONS).contains(&sessions) {
            let message = "must be between 1 and 256";
            return Err(Error::config("pkcs11_sessions", "value_invalid", message));
        }
        Ok(Some(Pkcs11Key {
            module: module.clone(),
            token,
            key: KeyChoice { label: self.key_label.clone(), id },
            pin: pin.cloned(),
            pin_member: self.pin_member(),
            sessions: usize::try_from(sessions).unwrap_or(usize::MAX),
            allow_small_keys,
        }))
    }
}

fn required<T>(member: &str, why: &str) -> Result<T, Error> {
    Err(Error::config(member, "required", format!("required {why}")))
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
            "value_invalid",
            "must be the CKA_ID of the key in hexadecimal, two digits for each byte, such as 0a1f",
        )
    })
}

/// Shared clients are told apart by this, so the default is the same as the
/// number itself.
impl fmt::Debug for Pkcs11 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pkcs11")
            .field("module", &self.module)
            .field("token", &self.token)
            .field("slot", &self.slot)
            .field("key_label", &self.key_label)
            .field("key_id", &self.key_id)
            .field("pin", &self.pin)
            .field("sessions", &self.sessions.unwrap_or(SESSIONS))
            .finish()
    }
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
