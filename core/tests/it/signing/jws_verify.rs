//! Accepted tokens, and the reasons for refusing others.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};
use payments_core::jws::{Cause, PublicKey, Refusal, Verified, sign, verify};
use payments_core::signer::LocalSigner;

use crate::support::vectors;

const BODY: &[u8] = br#"{"document":"853.513.468-93","amount":1.50}"#;

fn signer() -> LocalSigner {
    vectors::private_key("test_rsa_2048").signer("key-1").unwrap()
}

fn registered(kid: &str) -> Option<PublicKey> {
    (kid == "key-1").then(|| vectors::public_key("test_rsa_2048"))
}

fn check(token: &str, body: &[u8]) -> Result<Verified, Refusal> {
    verify(Some(token), body, registered)
}

/// A correctly signed token with this protected header.
fn token_with_header(header: impl AsRef<[u8]>) -> String {
    let encoded = URL_SAFE_NO_PAD.encode(header);
    let signature = vectors::signature(&signer(), &sign::signing_input(&encoded, BODY));
    sign::token(&encoded, &signature)
}

#[track_caller]
fn assert_refused(result: Result<Verified, Refusal>, cause: Cause, detail: &str) {
    let refusal = result.unwrap_err();
    assert_eq!(refusal.cause, cause, "{refusal}");
    assert_eq!(refusal.to_string(), format!("{cause}: {}", refusal.detail));
    assert!(refusal.detail.contains(detail), "{refusal}");
    assert!(!refusal.detail.contains("853"), "{refusal}");
    assert!(refusal.detail.len() < 300, "{refusal}");
}

#[test]
fn a_good_token_gives_its_kid() {
    assert_eq!(check(&vectors::token(&signer(), BODY), BODY).unwrap().kid, "key-1");
    assert_eq!(check(&vectors::token(&signer(), b""), b"").unwrap().kid, "key-1");
}

#[test]
fn causes_have_the_names_of_the_interface_and_a_remedy() {
    let names = Cause::ALL.map(Cause::as_str);
    assert_eq!(
        names,
        [
            "missing_signature",
            "invalid_token_format",
            "payload_not_detached",
            "invalid_header",
            "signature_mismatch"
        ]
    );
    for cause in Cause::ALL {
        assert_eq!(cause.to_string(), cause.as_str());
        assert!(!cause.remedy().is_empty());
    }
}

#[test]
fn without_a_token_the_signature_is_missing() {
    assert_refused(verify(None, BODY, registered), Cause::MissingSignature, "X-JWS-Signature");
    assert_refused(verify(None, b"", registered), Cause::MissingSignature, "X-JWS-Signature");
}

#[test]
fn a_token_that_cannot_be_parsed_has_an_invalid_format() {
    let good = vectors::token(&signer(), BODY);
    let (header, signature) = good.split_once("..").unwrap();
    let signature_bytes = URL_SAFE_NO_PAD.decode(signature).unwrap();
    let standard = STANDARD.encode(&signature_bytes);
    let padded = URL_SAFE.encode(&signature_bytes);
    assert!(padded.ends_with('=') && standard.contains('/'));
    // The last character encodes four bits of the last byte and two unused
    // bits.
    let nonzero_trailing = {
        let (rest, last) = signature.split_at(signature.len() - 1);
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let next = alphabet.find(last).unwrap() + 1;
        format!("{header}..{rest}{}", &alphabet[next..=next])
    };
    for (token, detail) in [
        (String::new(), "empty"),
        ("hello".into(), "no periods"),
        (format!("{header}.{signature}"), "one period"),
        (format!("{header}.a.b.{signature}"), "more than two periods"),
        (format!("..{signature}"), "header section is empty"),
        (format!("{header}.."), "signature section is empty"),
        (format!("{header}..{padded}"), "padded"),
        (format!("{header}=..{signature}"), "padded"),
        (format!("{header}..{}", standard.trim_end_matches('=')), "+ or /"),
        (format!("{header}..{signature} "), "characters"),
        (format!(" {good}"), "characters"),
        (format!("{header}..{signature}\n"), "characters"),
        (format!("{header}..{}é", &signature[2..]), "characters"),
        (format!("{header}..{}", &signature[1..]), "middle of a byte"),
        (format!("{}..{signature}", URL_SAFE_NO_PAD.encode("not JSON")), "not a JSON object"),
        (format!("{}..{signature}", URL_SAFE_NO_PAD.encode("[]")), "not a JSON object"),
        (format!("{}..{signature}", URL_SAFE_NO_PAD.encode("{} {}")), "not a JSON object"),
        (format!("{}..{signature}", URL_SAFE_NO_PAD.encode(b"{\"kid\":\"\xff\"}")), "header"),
        (format!("{}..{signature}", URL_SAFE_NO_PAD.encode("[".repeat(5000))), "not a JSON object"),
        (nonzero_trailing, "middle of a byte"),
    ] {
        assert_refused(check(&token, BODY), Cause::InvalidTokenFormat, detail);
    }
}

#[test]
fn an_embedded_payload_is_not_detached() {
    let good = vectors::token(&signer(), BODY);
    let (header, signature) = good.split_once("..").unwrap();
    let raw = String::from_utf8_lossy(BODY);
    for payload in [&URL_SAFE_NO_PAD.encode(BODY), "e30", &raw, " ", "{}"] {
        let token = format!("{header}.{payload}.{signature}");
        assert_refused(check(&token, BODY), Cause::PayloadNotDetached, "characters");
    }
}

#[test]
fn a_header_must_have_its_required_members() {
    assert!(check(&token_with_header(GOOD), BODY).is_ok());
    const GOOD: &str = r#"{"alg":"RS256","kid":"key-1","b64":false,"crit":["b64"]}"#;
    for (header, detail) in [
        ("{}", "no member alg"),
        (&GOOD.replace(r#""alg":"RS256","#, ""), "no member alg"),
        (&GOOD.replace(r#""kid":"key-1","#, ""), "no member kid"),
        (&GOOD.replace(r#""b64":false,"#, ""), "no member b64"),
        (&GOOD.replace(r#","crit":["b64"]"#, ""), "no member crit"),
        (&GOOD.replace("RS256", "none"), r#"alg is "none""#),
        (&GOOD.replace("RS256", "HS256"), r#"alg is "HS256""#),
        (&GOOD.replace("RS256", "rs256"), r#"alg is "rs256""#),
        (&GOOD.replace("RS256", "PS256"), r#"alg is "PS256""#),
        (&GOOD.replace(r#""RS256""#, "256"), "alg is not a string"),
        (&GOOD.replace(r#""key-1""#, r#""""#), "kid is empty"),
        (&GOOD.replace(r#""key-1""#, "1"), "kid is not a string"),
        (&GOOD.replace(r#""key-1""#, "null"), "kid is not a string"),
        (&GOOD.replace("false", "true"), "b64 is true"),
        (&GOOD.replace("false", r#""false""#), "b64 is not a boolean"),
        (&GOOD.replace("false", "null"), "b64 is not a boolean"),
        (&GOOD.replace(r#"["b64"]"#, r#""b64""#), "crit is not an array"),
        (&GOOD.replace(r#"["b64"]"#, "[1]"), "crit is not an array"),
        (&GOOD.replace(r#"["b64"]"#, "[]"), "crit is empty"),
        (&GOOD.replace(r#"["b64"]"#, r#"["b64","exp"]"#), r#"crit names "exp""#),
        (&GOOD.replace(r#"["b64"]"#, r#"["b64","b64"]"#), "more than once"),
        (&GOOD.replace('}', r#","alg":"RS256"}"#), r#"duplicate member "alg""#),
        (&GOOD.replace('}', r#","kid":"key-1"}"#), r#"duplicate member "kid""#),
        (&GOOD.replace('}', r#","k\u0069d":"key-2"}"#), r#"duplicate member "kid""#),
        (&GOOD.replace('}', r#","typ":"a","typ":"b"}"#), r#"duplicate member "typ""#),
    ] {
        assert_refused(check(&token_with_header(header), BODY), Cause::InvalidHeader, detail);
    }
}

#[test]
fn a_header_may_be_written_differently_and_say_more() {
    for header in [
        r#"{ "crit" : ["b64"], "b64" : false, "kid" : "key-1", "alg" : "RS256" }"#,
        r#"{"alg":"RS256","kid":"k\u0065y-1","b64":false,"crit":["b64"],"typ":"JOSE"}"#,
    ] {
        assert!(check(&token_with_header(header), BODY).is_ok(), "{header}");
    }
}

#[test]
fn another_key_or_an_unknown_kid_does_not_match() {
    let token = vectors::token(&signer(), BODY);
    let other = verify(Some(&token), BODY, |_| Some(vectors::public_key("test_rsa_4096")));
    assert_refused(other, Cause::SignatureMismatch, "has 4096");
    let unknown = verify(Some(&token), BODY, |_| None);
    assert_refused(unknown, Cause::SignatureMismatch, "no key is registered for the kid \"key-1\"");

    let foreign = vectors::private_key("test_other_rsa_4096").signer("key-1").unwrap();
    let result = verify(Some(&vectors::token(&foreign, BODY)), BODY, |_| {
        Some(vectors::public_key("test_rsa_4096"))
    });
    assert_refused(result, Cause::SignatureMismatch, "did not sign these");
}

#[test]
fn a_long_or_hostile_kid_is_shown_bounded_and_escaped() {
    for kid in ["x".repeat(5000), "a\u{1b}[2J\nb".to_owned(), "é".repeat(3000)] {
        let header = sign::encoded_header(&kid);
        let token = sign::token(&header, &[0; 256]);
        let refusal = check(&token, BODY).unwrap_err();
        assert_eq!(refusal.cause, Cause::SignatureMismatch);
        assert!(refusal.detail.len() < 300 && !refusal.detail.contains(['\n', '\u{1b}']));
    }
}

#[test]
fn no_byte_of_the_token_can_change() {
    let token = vectors::token(&signer(), b"{}");
    assert!(check(&token, b"{}").is_ok());
    for at in 0..token.len() {
        for change in [1, 2, 0x20] {
            let mut bytes = token.clone().into_bytes();
            bytes[at] ^= change;
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            assert!(check(&changed, b"{}").is_err(), "byte {at} changed by {change}");
        }
        let removed = format!("{}{}", &token[..at], &token[at + 1..]);
        assert!(check(&removed, b"{}").is_err(), "byte {at} removed");
    }
}

#[test]
fn no_byte_of_the_body_can_change() {
    let token = vectors::token(&signer(), BODY);
    let mismatch = |body: &[u8]| {
        assert_refused(check(&token, body), Cause::SignatureMismatch, "did not sign these");
    };
    for at in 0..BODY.len() {
        let mut changed = BODY.to_vec();
        changed[at] ^= 1;
        mismatch(&changed);
        changed.remove(at);
        mismatch(&changed);
    }
    mismatch(b"");
    mismatch(&[BODY, b"\n"].concat());
    mismatch(&[b".", BODY].concat());
}

#[test]
fn header_and_body_cannot_trade_bytes() {
    // The period separates them, because an encoded header contains none.
    let input = sign::signing_input(&sign::encoded_header("key-1"), BODY);
    let signature = vectors::signature(&signer(), &input);
    let short = String::from_utf8(input[..40].to_vec()).unwrap();
    assert!(check(&sign::token(&short, &signature), &input[41..]).is_err());
}
