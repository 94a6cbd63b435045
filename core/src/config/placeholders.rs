//! Placeholders copied from an example.

use super::Config;
use super::fields::FIELDS;
use super::resolve::Loaded;
use crate::base::secret::Secret;
use crate::model::error::Error;

impl Loaded {
    /// Refuses placeholders that were copied from an example and not replaced.
    ///
    /// # Errors
    /// `config`, which names the member and what to write there.
    pub(super) fn refuse_placeholders(&self) -> Result<(), Error> {
        let Config { base_url, auth_url, client_id, kid, pkcs11, .. } = &self.config;
        let texts = [
            ("base_url", base_url),
            ("auth_url", auth_url),
            ("client_id", client_id),
            ("kid", kid),
            ("pkcs11_token", &pkcs11.token),
            ("pkcs11_key_label", &pkcs11.key_label),
            ("pkcs11_key_id", &pkcs11.key_id),
        ];
        let secrets = [
            ("integration_key", &self.integration_key),
            ("client_secret", &self.client_secret),
            ("key_passphrase", &self.key_passphrase),
            ("token_store_key", &self.token_store_key),
            ("pkcs11_pin", &self.pkcs11_pin),
        ];
        let texts = texts.iter().map(|(member, text)| (*member, text.as_deref()));
        let secrets = secrets.iter().map(|(member, it)| (*member, it.as_ref().map(Secret::expose)));
        for (member, text) in texts.chain(secrets) {
            if text.is_some_and(is_placeholder) {
                let field = FIELDS.iter().find(|field| field.name == member);
                let meaning = field.map_or("", |field| field.doc);
                let meaning = meaning.split([';', ',']).next().unwrap_or_default();
                let advice = format!("is still a placeholder; replace it with the {meaning}");
                return Err(Error::config(member, "placeholder", advice));
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
