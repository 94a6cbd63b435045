//! A key in an HSM, as the configuration describes it.

#![cfg_attr(not(feature = "pkcs11"), allow(dead_code, reason = "nothing reaches the key"))]

use std::path::PathBuf;

use payments_base::secret::Secret;

/// Identifies the signing key and its token, and how to reach the token.
#[derive(Clone)]
pub(crate) struct Pkcs11Key {
    pub(crate) module: PathBuf,
    pub(crate) token: TokenChoice,
    pub(crate) key: KeyChoice,
    pub(crate) pin: Option<Secret>,
    /// The configuration member that contains the PIN.
    pub(crate) pin_member: String,
    /// The maximum number of sessions per process.
    pub(crate) sessions: usize,
    pub(crate) allow_small_keys: bool,
}

/// A token as identified by the configuration.
#[derive(Clone, Debug)]
pub(crate) enum TokenChoice {
    Label(String),
    Slot(u64),
}

/// A key as identified by the configuration: by label, by id, or by both.
#[derive(Clone, Debug)]
pub(crate) struct KeyChoice {
    pub(crate) label: Option<String>,
    pub(crate) id: Option<Vec<u8>>,
}
