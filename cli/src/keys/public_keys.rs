//! Public keys given on the command line.

use std::path::Path;

use payments_core::jws::PublicKey;
use payments_sandbox::doctor::KnownKey;

use crate::process::failure::Failure;
use crate::process::input;

/// A public key and, if given, the kid it is registered under.
pub(crate) struct KeyArgument {
    pub(crate) key: PublicKey,
    pub(crate) kid: Option<String>,
}

impl KeyArgument {
    /// Reads `FILE` or `KID=FILE`. If a file with the whole name exists, it is
    /// read as `FILE`.
    ///
    /// # Errors
    /// The file cannot be read or has no RSA public key.
    pub(crate) fn read(argument: &str) -> Result<Self, Failure> {
        let (kid, path) = match argument.rsplit_once('=') {
            Some((kid, path)) if !Path::new(argument).exists() => (Some(kid.to_owned()), path),
            _ => (None, argument),
        };
        let bytes = input::read_file(Path::new(path))?;
        let key = PublicKey::from_contents(&bytes);
        let key = key.map_err(|error| Failure::from(error).with_member("file", path))?;
        Ok(Self { key, kid })
    }
}

impl From<KeyArgument> for KnownKey {
    fn from(given: KeyArgument) -> Self {
        match given.kid {
            Some(kid) => Self::registered(given.key, kid),
            None => Self::from(given.key),
        }
    }
}
