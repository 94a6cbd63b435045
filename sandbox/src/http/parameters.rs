//! Form and query parameters.

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
    let bytes = encoded.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = match byte {
            b'%' => bytes.get(at + 1..at + 3).and_then(hex_byte),
            _ => None,
        };
        decoded.push(match (byte, escaped) {
            (_, Some(escaped)) => escaped,
            (b'+', None) => b' ',
            (other, None) => other,
        });
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn hex_byte(digits: &[u8]) -> Option<u8> {
    let mut value = 0;
    for &digit in digits {
        value = value * 16 + char::from(digit).to_digit(16)?;
    }
    u8::try_from(value).ok()
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
