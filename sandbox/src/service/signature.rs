//! The registered public keys, and the verification of request signatures.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use payments_core::jws::{self, PublicKey};

use crate::doctor::KnownKey;
use crate::rng::Rng;

/// The result of checking a request's `X-JWS-Signature`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum SignatureCheck {
    /// Not checked.
    #[default]
    NotChecked,
    /// The header is absent, and nothing requires it.
    Absent,
    /// The exact body was signed with a registered key.
    Verified,
    /// The exact query string of a request without a body was signed with a
    /// registered key.
    VerifiedQuery,
    /// The signature was refused.
    Refused {
        /// One of the interface's five causes: `missing_signature`,
        /// `invalid_token_format`, `payload_not_detached`, `invalid_header`,
        /// `signature_mismatch`.
        cause: String,
        /// The exact reason.
        detail: String,
    },
}

impl SignatureCheck {
    /// `verified`, `absent`, `not_checked`, or the cause of the refusal.
    pub fn as_str(&self) -> &str {
        match self {
            Self::NotChecked => "not_checked",
            Self::Absent => "absent",
            Self::Verified | Self::VerifiedQuery => "verified",
            Self::Refused { cause, .. } => cause,
        }
    }
}

/// The registered keys by kid.
#[derive(Debug)]
pub(crate) struct KeyRing {
    keys: RwLock<HashMap<String, PublicKey>>,
    kids: Mutex<Rng>,
    revision: AtomicU64,
}

impl KeyRing {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            keys: RwLock::default(),
            kids: Mutex::new(Rng::new(seed, "kids")),
            revision: AtomicU64::new(0),
        }
    }

    /// Registers a key under `kid`, or under a new kid. Replaces any key that
    /// has that kid.
    pub(crate) fn register(&self, key: PublicKey, kid: Option<&str>) -> String {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        let kid = match kid {
            Some(kid) => kid.to_owned(),
            None => {
                let mut kids = self.kids.lock().unwrap_or_else(PoisonError::into_inner);
                loop {
                    let kid = kids.uuid();
                    if !keys.contains_key(&kid) {
                        break kid;
                    }
                }
            }
        };
        keys.insert(kid.clone(), key);
        self.revision.fetch_add(1, Ordering::Relaxed);
        kid
    }

    pub(crate) fn forget(&self, kid: &str) -> bool {
        self.revision.fetch_add(1, Ordering::Relaxed);
        self.keys.write().unwrap_or_else(PoisonError::into_inner).remove(kid).is_some()
    }

    /// A counter that every change increments.
    pub(crate) fn revision(&self) -> u64 {
        self.revision.load(Ordering::Relaxed)
    }

    /// The keys with their kids, sorted by kid.
    pub(crate) fn all(&self) -> Vec<(String, PublicKey)> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = keys.iter().map(|(kid, key)| (kid.clone(), key.clone())).collect();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        all
    }

    pub(crate) fn kids(&self) -> Vec<String> {
        self.all().into_iter().map(|(kid, _)| kid).collect()
    }

    /// The keys in the form the doctor expects.
    pub(crate) fn known(&self) -> Vec<KnownKey> {
        self.all().into_iter().map(|(kid, key)| KnownKey::registered(key, kid)).collect()
    }

    /// Verifies the token of a request over its exact body, or if it has none, over
    /// its exact query.
    pub(crate) fn check(
        &self,
        token: Option<&str>,
        body: &[u8],
        query: Option<&str>,
    ) -> SignatureCheck {
        let key_of =
            |kid: &str| self.keys.read().unwrap_or_else(PoisonError::into_inner).get(kid).cloned();
        let is_over = |query: &str| jws::verify(token, query.as_bytes(), key_of).is_ok();
        match jws::verify(token, body, key_of) {
            Ok(_) => SignatureCheck::Verified,
            Err(_) if body.is_empty() && query.is_some_and(is_over) => {
                SignatureCheck::VerifiedQuery
            }
            Err(refusal) => SignatureCheck::Refused {
                cause: refusal.cause.as_str().to_owned(),
                detail: refusal.detail,
            },
        }
    }
}

/// Reads an RSA public key from the contents of a file: PEM or DER.
pub(crate) fn read_public_key(contents: impl AsRef<[u8]>) -> Result<PublicKey, String> {
    PublicKey::from_contents(contents.as_ref()).map_err(|error| error.to_string())
}
