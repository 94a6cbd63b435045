//! Forms in which the query of a request without a body may have been signed.

use payments_core::json::{Json, Members};
use payments_core::operation::INTEGRATION_KEY;
use percent_encoding::percent_decode_str;

/// The query string of a URL or of a request target, if it has one.
pub(super) fn query_of(url: &str) -> Option<&str> {
    url.split_once('?').map(|(_, query)| query).filter(|query| !query.is_empty())
}

/// The forms that are not the query string as sent, in words that complete a
/// sentence.
pub(super) fn other_forms(url: &str) -> Vec<(&'static str, Vec<u8>)> {
    let Some(query) = query_of(url) else { return Vec::new() };
    let target = url.split_once("://").map_or(url, |(_, rest)| rest);
    let target = &target[target.find('/').unwrap_or(0)..];
    let mut pairs: Vec<&str> = query.split('&').collect();
    let is_key = |pair: &&str| pair.split('=').next() == Some(INTEGRATION_KEY.name);
    let without_key: Vec<_> = pairs.iter().copied().filter(|pair| !is_key(pair)).collect();
    let mut members = Members::new();
    for pair in &pairs {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        members.push(decode(name), decode(value));
    }
    pairs.sort_unstable();
    let forms = [
        ("with its question mark", format!("?{query}")),
        ("behind its path", target.to_owned()),
        ("as part of the whole URL", url.to_owned()),
        ("percent-decoded", decode(query)),
        ("without the integration key", without_key.join("&")),
        ("with its parameters sorted", pairs.join("&")),
        ("as a JSON object", Json::Object(members).to_text()),
        ("as a JSON object without members", "{}".to_owned()),
    ];
    forms.into_iter().map(|(written, form)| (written, form.into_bytes())).collect()
}

fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
