//! Values that need a feature which is off.
//!
//! The configuration is the same in every build. These values are refused before
//! anything is read for them, and again where the missing part would be made:
//! `client/stores.rs`, `pkcs11_key.rs` and `config/journal.rs`.

use super::journal::journals_unsupported;
use super::{Config, JournalKind, TokenStoreKind};
use crate::model::error::Error;

impl Config {
    /// Refuses values that this build cannot use, before a file is read for
    /// them: nothing takes their place. A part that code provides replaces a
    /// value anyway.
    pub(super) fn check_features(&self) -> Result<(), Error> {
        if !cfg!(feature = "pkcs11")
            && let Some(member) = self.pkcs11.given_member()
        {
            return Err(Error::not_in_this_build(&member, "pkcs11"));
        }
        if !cfg!(feature = "redis")
            && self.components.token_store.is_none()
            && let Some(TokenStoreKind::Redis(_)) = &self.inputs.token_store
        {
            return Err(Error::not_in_this_build("token_store", "redis"));
        }
        if !cfg!(all(unix, feature = "journal-sqlite"))
            && self.components.journal.is_none()
            && let JournalKind::File(path) = &self.inputs.journal
        {
            return Err(journals_unsupported(path));
        }
        Ok(())
    }
}
