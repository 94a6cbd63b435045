//! Form and query parameters.

use percent_encoding::percent_decode_str;

/// The values of a query or form parameter, percent-decoded.
pub(crate) fn parameters<'a>(encoded: &'a str, name: &'a str) -> impl Iterator<Item = String> {
    encoded.split('&').filter_map(move |pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(key) == name).then(|| decode(value))
    })
}

/// The first value of a query or form parameter, percent-decoded.
pub(crate) fn parameter(encoded: &str, name: &str) -> Option<String> {
    parameters(encoded, name).next()
}

/// Decodes percent-encoding, and `+` as a space; a stray `%` is kept.
pub(crate) fn decode(encoded: &str) -> String {
    let spaced = encoded.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        let query = "hash=a%20b+c&integration_key=%C3%A9%zz%";
        assert_eq!(parameter(query, "hash").as_deref(), Some("a b c"));
        assert_eq!(parameter(query, "integration_key").as_deref(), Some("é%zz%"));
        assert_eq!(parameter(query, "other"), None);
    }
}
