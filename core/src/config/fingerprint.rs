//! The parts of a configuration that distinguish shared clients.

use std::hash::{Hash, Hasher};

use sha2::{Digest as _, Sha256};

use super::Config;
use super::resolve::Loaded;

/// Values as `Hash` writes them, for SHA-256.
struct ValueDigest(Sha256);

impl Hasher for ValueDigest {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Unused: `digest_of` takes the SHA-256 digest.
    fn finish(&self) -> u64 {
        0
    }
}

/// SHA-256 over a value. It may differ in another process.
pub(crate) fn digest_of(value: &impl Hash) -> [u8; 32] {
    let mut digest = ValueDigest(Sha256::new());
    value.hash(&mut digest);
    digest.0.finalize().into()
}

impl Loaded {
    /// SHA-256 over everything that distinguishes clients, including the
    /// contents of files. Settings provided as code are not part of it.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        let Config { inputs, pkcs11, options, rules, components: _ } = &self.0;
        digest_of(&(inputs, pkcs11, options, rules))
    }
}
