//! A configuration is read or refused, and never shows a secret.

use payments_core::Config;
use payments_core::json::{Json, ParseOptions};

const SECRETS: [&str; 5] =
    ["integration_key", "client_secret", "key", "key_passphrase", "token_store_key"];

pub(crate) fn configuration(data: &[u8]) {
    let shown = match Config::from_json(data) {
        Ok(config) => format!("{config:?}"),
        Err(error) => format!("{error} {error:?}"),
    };
    let Ok(tree) = Json::parse_with(data, ParseOptions::new().keeping_duplicates()) else { return };
    let (form, text) = (format!("{:?}", Config::new("")), String::from_utf8_lossy(data));
    for secret in SECRETS.iter().filter_map(|name| tree.get(name)?.as_str()) {
        // A shorter one may be part of a word, and others are the name of a member or
        // stand elsewhere too.
        let is_elsewhere = form.contains(secret) || text.matches(secret).count() > 1;
        assert!(secret.len() < 12 || is_elsewhere || !shown.contains(secret), "{shown}");
    }
}
