//! Placeholders copied from an example.

use super::resolve::Loaded;
use crate::model::error::{Error, messages};

impl Loaded {
    /// Refuses placeholders that were copied from an example and not replaced.
    ///
    /// # Errors
    /// `config`, which names the member and the value to write there.
    pub(super) fn refuse_placeholders(&self) -> Result<(), Error> {
        for (member, text, meaning) in self.0.placeholders() {
            if text.is_some_and(is_placeholder) {
                return Err(messages::placeholder(member, meaning));
            }
        }
        Ok(())
    }
}

/// Whether the whole text is a placeholder such as `<KEY_ID>`.
fn is_placeholder(text: &str) -> bool {
    let inner = text.trim().strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(['<', '>']))
}
