//! A configuration is read or refused, and never shows a secret.

use payments_core::Config;
use payments_core::json::Json;

const SECRETS: [&str; 5] =
    ["integration_key", "client_secret", "key", "key_passphrase", "token_store_key"];

pub(crate) fn configuration(data: &[u8]) {
    let shown = match Config::from_json(data) {
        Ok(config) => format!("{config:?}"),
        Err(error) => format!("{error} {error:?}"),
    };
    let Ok(tree) = Json::parse_keeping_duplicates(data) else { return };
    for secret in SECRETS.iter().filter_map(|name| tree.get(name)?.as_str()) {
        // A shorter one may be part of a word.
        assert!(secret.len() < 12 || !shown.contains(secret), "{shown}");
    }
}
