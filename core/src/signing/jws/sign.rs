//! The texts around a signature: protected header, signing input, token.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use crate::model::json::Json;

/// The protected header for `kid`, base64url-encoded without padding.
///
/// Its members are in the order `alg`, `kid`, `b64`, `crit`, so the same kid
/// always gives the same bytes.
///
/// ```
/// let header = payments_core::jws::sign::encoded_header("key-1");
/// assert_eq!(
///     header,
///     "eyJhbGciOiJSUzI1NiIsImtpZCI6ImtleS0xIiwiYjY0IjpmYWxzZSwiY3JpdCI6WyJiNjQiXX0"
/// );
/// ```
pub fn encoded_header(kid: &str) -> String {
    let kid = Json::from(kid).to_text();
    URL_SAFE_NO_PAD.encode(format!(r#"{{"alg":"RS256","kid":{kid},"b64":false,"crit":["b64"]}}"#))
}

/// The signing input for `body`: encoded header, period, body.
pub fn signing_input(encoded_header: &str, body: &[u8]) -> Vec<u8> {
    [encoded_header.as_bytes(), b".", body].concat()
}

/// The token: encoded header, two periods, encoded signature.
pub fn token(encoded_header: &str, signature: &[u8]) -> String {
    let signature = Zeroizing::new(URL_SAFE_NO_PAD.encode(signature));
    [encoded_header, "..", &signature].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded_header(kid: &str) -> String {
        String::from_utf8(URL_SAFE_NO_PAD.decode(encoded_header(kid)).unwrap()).unwrap()
    }

    #[test]
    fn header_members_stand_in_order_and_the_kid_is_escaped() {
        assert_eq!(
            decoded_header("a\"b\\c"),
            r#"{"alg":"RS256","kid":"a\"b\\c","b64":false,"crit":["b64"]}"#
        );
        assert_eq!(
            decoded_header("clé-é"),
            r#"{"alg":"RS256","kid":"clé-é","b64":false,"crit":["b64"]}"#
        );
    }

    #[test]
    fn a_token_has_an_empty_payload_section() {
        assert_eq!(token("abc", &[0xfb, 0xff]), "abc..-_8");
    }
}
