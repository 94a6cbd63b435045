//! The credentials for the token server, and how they are written.

use payments_base::secret::Secret;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::TokenKey;

/// The credentials for the token server.
pub(crate) struct Credentials {
    pub(crate) auth_url: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: Secret,
    /// Whether client id and secret are form-encoded, as RFC 6749 says in section
    /// 2.3.1.
    pub(crate) is_form_encoded: bool,
}

impl Credentials {
    /// The identity that the tokens belong to. It is that of the credentials as
    /// they are sent: after a correction of their encoding, no earlier backoff
    /// applies.
    pub(crate) fn key(&self) -> TokenKey {
        let [client_id, secret] = self.as_sent();
        TokenKey::new(&self.auth_url, client_id.expose(), &secret)
    }

    /// Client id and secret as they are sent.
    pub(super) fn as_sent(&self) -> [Secret; 2] {
        let encoded =
            |text: &str| if self.is_form_encoded { form_encoded(text) } else { text.into() };
        [&self.client_id, self.client_secret.expose()].map(encoded)
    }

    /// The advice of a refusal about the encoding of credentials: none, unless
    /// the other encoding may make a difference.
    pub(super) fn encoding_advice(&self) -> &'static str {
        let is_ambiguous = |c: char| "+%:".contains(c) || !c.is_ascii();
        let mut texts = [&self.client_id, self.client_secret.expose()].into_iter();
        if self.is_form_encoded && texts.any(|text| form_encoded(text).expose() != text) {
            "; the credentials are sent form-encoded: if nothing else is wrong, set \
             client_auth_encoding to raw"
        } else if !self.is_form_encoded && texts.any(|text| text.contains(is_ambiguous)) {
            "; the credentials contain + % : or letters beyond ASCII: if nothing else is wrong, \
             set client_auth_encoding to form"
        } else {
            ""
        }
    }
}

/// The characters of `application/x-www-form-urlencoded` that stay as they are.
const FORM: &AsciiSet = &NON_ALPHANUMERIC.remove(b'*').remove(b'-').remove(b'.').remove(b'_');

fn form_encoded(text: &str) -> Secret {
    // Growing would leave a copy behind.
    let mut encoded = String::with_capacity(3 * text.len());
    for part in utf8_percent_encode(text, FORM) {
        encoded.push_str(if part == "%20" { "+" } else { part });
    }
    Secret::new(encoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials(client_id: &str, secret: &str, is_form_encoded: bool) -> Credentials {
        Credentials {
            auth_url: "https://auth.example".to_owned(),
            client_id: client_id.to_owned(),
            client_secret: secret.into(),
            is_form_encoded,
        }
    }

    /// The example of RFC 6749, appendix B, and other differences between
    /// encodings.
    #[test]
    fn credentials_can_be_form_encoded() {
        for (text, encoded) in [
            (" %&+£€", "+%25%26%2B%C2%A3%E2%82%AC"),
            ("Abc-1._*", "Abc-1._*"),
            ("a:b/c=d~e", "a%3Ab%2Fc%3Dd%7Ee"),
            ("%20", "%2520"),
        ] {
            assert_eq!(form_encoded(text).expose(), encoded);
            for (is_form_encoded, sent) in [(true, encoded), (false, text)] {
                let credentials = credentials(text, text, is_form_encoded);
                assert_eq!(credentials.as_sent(), [sent.into(), sent.into()]);
            }
        }
    }

    #[test]
    fn tokens_belong_to_the_credentials_as_they_are_sent() {
        let key = |secret, is_form_encoded| credentials("id", secret, is_form_encoded).key();
        assert_ne!(key("a+b", true), key("a+b", false));
        assert_eq!(key("a-b", true), key("a-b", false));
        assert_eq!(key("a-b", false), TokenKey::new("https://auth.example", "id", &"a-b".into()));
    }

    #[test]
    fn the_encoding_is_mentioned_only_if_it_can_matter() {
        for (client_id, secret, raw, form) in [
            ("id", "Abc-1._*", false, false),
            ("id", "a+b", true, true),
            ("id", "a%b", true, true),
            ("id", "a:b", true, true),
            ("id", "sécret", true, true),
            ("größe", "secret", true, true),
            ("id", "a/b=", false, true),
        ] {
            let advice = |is_form| credentials(client_id, secret, is_form).encoding_advice();
            assert_eq!(advice(false).contains("client_auth_encoding to form"), raw, "{secret}");
            assert_eq!(advice(true).contains("client_auth_encoding to raw"), form, "{secret}");
        }
    }
}
