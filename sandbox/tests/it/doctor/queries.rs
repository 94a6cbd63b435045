//! Queries of requests without a body that were signed in another form.

use payments_core::jws::Cause;
use payments_sandbox::doctor::{SignatureFinding as Finding, examine};

use super::{KID, assert_found, assert_shows_nothing, diagnosis_of};
use crate::support::KEY;

const TARGET: &str = "/ws/query?integration_key=853&merchant_payment_code=a%20b%26c&a=%C3%A9";
const QUERY: &str = "integration_key=853&merchant_payment_code=a%20b%26c&a=%C3%A9";

#[test]
fn a_query_may_be_signed_as_it_was_sent() {
    let url = format!("https://api.example{TARGET}");
    for (signed, said) in [(QUERY, "valid for this query"), ("", "valid for this body")] {
        let token = KEY.token(KID, signed.as_bytes());
        for url in [TARGET, &url] {
            let found = examine(Some(&token), b"", Some(url), &[KEY.public().into()]);
            assert_eq!(found.diagnosis.finding(), Finding::Valid, "{}", found.diagnosis);
            assert!(found.diagnosis.message().contains(said), "{}", found.diagnosis);
            assert_eq!(found.signed_payload.as_deref(), Some(signed.as_bytes()));
            assert_shows_nothing(&found.diagnosis, &token);
        }
    }
}

#[test]
fn a_query_signed_in_another_form_is_recognized() {
    let url = format!("https://api.example{TARGET}");
    for (signed, written) in [
        (format!("?{QUERY}").as_str(), "with its question mark"),
        (TARGET, "behind its path"),
        (&url, "as part of the whole URL"),
        ("integration_key=853&merchant_payment_code=a b&c&a=é", "percent-decoded"),
        ("merchant_payment_code=a%20b%26c&a=%C3%A9", "without the integration key"),
        (
            "a=%C3%A9&integration_key=853&merchant_payment_code=a%20b%26c",
            "with its parameters sorted",
        ),
        (
            r#"{"integration_key":"853","merchant_payment_code":"a b&c","a":"é"}"#,
            "as a JSON object",
        ),
        ("{}", "as a JSON object without members"),
    ] {
        let token = KEY.token(KID, signed.as_bytes());
        let found = examine(Some(&token), b"", Some(&url), &[KEY.public().into()]);
        let said = format!("what was signed is the query {written}");
        assert_found(&found.diagnosis, Finding::QueryRewritten, &said);
        assert_eq!(found.signed_payload.as_deref(), Some(signed.as_bytes()));
        assert_shows_nothing(&found.diagnosis, &token);
    }
}

#[test]
fn a_query_of_a_request_with_a_body_does_not_count() {
    let token = KEY.token(KID, QUERY.as_bytes());
    let found = examine(Some(&token), b"{}", Some(TARGET), &[KEY.public().into()]);
    assert_found(&found.diagnosis, Finding::OtherBytesSigned, "signed different bytes");
    assert_found(&diagnosis_of("", "{}"), Finding::EmptyPayloadSigned, "left out");
    for url in [None, Some("/ws/query"), Some("/ws/query?"), Some("")] {
        let found = examine(Some(&token), b"", url, &[KEY.public().into()]);
        assert_eq!(found.diagnosis.finding(), Finding::OtherBytesSigned, "{url:?}");
        assert_eq!(found.diagnosis.cause(), Some(Cause::SignatureMismatch));
    }
}
