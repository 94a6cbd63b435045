//! The doctor finds every near miss, and claims nothing when nothing fits.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::signature::RSA_PSS_SHA256;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use payments_core::jws::{Cause, Diagnosis, Finding, KnownKey, PublicKey, doctor, sign};
use payments_core::signer::LocalSigner;

use crate::support::vectors;

const KID: &str = "key-1";

fn signer() -> LocalSigner {
    vectors::private_key("test_rsa_4096").signer(KID).unwrap()
}

fn key() -> PublicKey {
    vectors::public_key("test_rsa_4096")
}

fn other_key() -> PublicKey {
    vectors::public_key("test_other_rsa_4096")
}

/// Diagnoses a request whose signature covers `signed`, but whose body is
/// `sent`.
#[track_caller]
fn diagnose(signed: impl AsRef<[u8]>, sent: impl AsRef<[u8]>) -> Diagnosis {
    let token = vectors::token(&signer(), signed.as_ref());
    let diagnosis = doctor(Some(&token), sent.as_ref(), &[key().into()]);
    assert_shows_nothing(&diagnosis, &token);
    diagnosis
}

#[track_caller]
fn assert_shows_nothing(diagnosis: &Diagnosis, token: &str) {
    let shown = format!("{diagnosis} {diagnosis:?}");
    for hidden in ["853", "Jos", "rua", &token[token.len() - 40..], "BEGIN"] {
        assert!(!shown.contains(hidden), "{shown}");
    }
}

#[track_caller]
fn assert_found(diagnosis: &Diagnosis, finding: Finding, message: &str) {
    assert_eq!(diagnosis.finding(), finding, "{diagnosis}");
    assert_eq!(diagnosis.cause(), Some(Cause::SignatureMismatch));
    assert_eq!(diagnosis.code(), finding.as_str());
    assert!(diagnosis.message().contains(message), "{diagnosis}");
}

const COMPACT: &str = r#"{"document":"853.513","list":[1.50,{}],"address":{"b":1,"a":[]}}"#;
const SPACED: &str = r#"{"document": "853.513", "list": [1.50, {}], "address": {"b": 1, "a": []}}"#;
const INDENTED_BY_2: &str = "{\n  \"document\": \"853.513\",\n  \"list\": [\n    1.50,\n    {}\n  ],\n  \"address\": {\n    \"b\": 1,\n    \"a\": []\n  }\n}";

#[test]
fn a_good_token_is_valid() {
    let diagnosis = diagnose(COMPACT, COMPACT);
    assert_eq!((diagnosis.finding(), diagnosis.cause()), (Finding::Valid, None));
}

#[test]
fn a_body_serialized_again() {
    let found = |signed, sent| {
        assert_found(&diagnose(signed, sent), Finding::BodyReserialized, "as compact JSON");
    };
    found(COMPACT, SPACED);
    found(COMPACT, INDENTED_BY_2);
    found(COMPACT, r#"{ "document":"853.513","list":[1.50,{}],"address":{"b":1,"a":[]}}"#);
    let diagnosis = diagnose(SPACED, COMPACT);
    assert_found(&diagnosis, Finding::BodyReserialized, "a space after each comma and colon");
}

#[test]
fn a_body_pretty_printed() {
    let diagnosis = diagnose(INDENTED_BY_2, COMPACT);
    assert_found(&diagnosis, Finding::BodyPrettyPrinted, "indented by 2 spaces");
    let indented_by_4 = INDENTED_BY_2.replace("  ", "    ");
    let diagnosis = diagnose(indented_by_4, COMPACT);
    assert_found(&diagnosis, Finding::BodyPrettyPrinted, "indented by 4 spaces");
}

#[test]
fn members_sorted() {
    let sorted = r#"{"address":{"a":[],"b":1},"document":"853.513","list":[1.50,{}]}"#;
    let diagnosis = diagnose(sorted, COMPACT);
    assert_found(&diagnosis, Finding::BodyReserialized, "sorted by name");
}

#[test]
fn a_line_end_at_the_end() {
    let found = |signed: &str, sent: &str, message| {
        assert_found(&diagnose(signed, sent), Finding::TrailingNewline, message);
    };
    for body in [COMPACT, "", "853 no JSON", "\u{fffd}"] {
        found(&format!("{body}\n"), body, "with a line feed at its end");
        found(&format!("{body}\r\n"), body, "with CR LF at its end");
        if !body.is_empty() {
            found(body, &format!("{body}\n"), "without the line end");
            found(body, &format!("{body}\r\n"), "without the line end");
        }
    }
}

#[test]
fn other_line_ends() {
    let windows = INDENTED_BY_2.replace('\n', "\r\n");
    let diagnosis = diagnose(&windows, INDENTED_BY_2);
    assert_found(&diagnosis, Finding::LineEnds, "with CR LF in place of each LF");
    let diagnosis = diagnose(INDENTED_BY_2, &windows);
    assert_found(&diagnosis, Finding::LineEnds, "with LF in place of each CR LF");
}

#[test]
fn a_byte_order_mark() {
    let marked = format!("\u{feff}{COMPACT}");
    let diagnosis = diagnose(&marked, COMPACT);
    assert_found(&diagnosis, Finding::ByteOrderMark, "with a byte order mark");
    let diagnosis = diagnose(COMPACT, &marked);
    assert_found(&diagnosis, Finding::ByteOrderMark, "without its byte order mark");
}

#[test]
fn escaped_non_ascii_characters() {
    let raw = r#"{"name":"José 😀"}"#;
    let lower = "{\"name\":\"Jos\\u00e9 \\ud83d\\ude00\"}";
    let upper = "{\"name\":\"Jos\\u00E9 \\uD83D\\uDE00\"}";
    for (signed, sent, message) in [
        (lower, raw, "lower-case"),
        (upper, raw, "upper-case"),
        (raw, lower, "in place of their escapes"),
        (raw, upper, "in place of their escapes"),
    ] {
        assert_found(&diagnose(signed, sent), Finding::EscapedNonAscii, message);
    }
}

#[test]
fn escaped_slashes() {
    let raw = r#"{"url":"https://rua.test/a"}"#;
    let escaped = r#"{"url":"https:\/\/rua.test\/a"}"#;
    assert_found(&diagnose(escaped, raw), Finding::EscapedSlashes, "with slashes escaped");
    assert_found(&diagnose(raw, escaped), Finding::EscapedSlashes, "in place of their escapes");
}

#[test]
fn several_changes_at_once_are_all_named() {
    let sent = "{\"name\": \"Jos\u{e9}\", \"url\": \"rua/1\"}\n";
    let signed = r#"{"name":"Jos\u00e9","url":"rua\/1"}"#;
    let diagnosis = diagnose(signed, sent);
    assert_found(&diagnosis, Finding::BodyReserialized, "as compact JSON");
    for change in ["non-ASCII characters escaped", "slashes escaped"] {
        assert!(diagnosis.message().contains(change), "{diagnosis}");
    }
}

#[test]
fn an_empty_payload_was_signed() {
    assert_found(&diagnose("", COMPACT), Finding::EmptyPayloadSigned, "left out");
}

#[test]
fn another_base64() {
    let token = vectors::token(&signer(), COMPACT.as_bytes());
    let (header, signature) = token.split_once("..").unwrap();
    let bytes = URL_SAFE_NO_PAD.decode(signature).unwrap();
    let padded_header = format!("{header}==");
    let over_padded_header =
        vectors::signature(&signer(), &sign::signing_input(&padded_header, COMPACT.as_bytes()));
    let urlsafe_padded = URL_SAFE.encode(&bytes);
    assert!(urlsafe_padded.ends_with('='));
    for token in [
        format!("{header}..{urlsafe_padded}"),
        format!("{header}..{}", STANDARD_NO_PAD.encode(&bytes)),
        format!("{padded_header}..{signature}"),
        sign::token(&padded_header, &over_padded_header),
    ] {
        let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &[key().into()]);
        assert_eq!(diagnosis.finding(), Finding::PaddedBase64, "{diagnosis}");
        assert_eq!(diagnosis.cause(), Some(Cause::InvalidTokenFormat));
        assert_shows_nothing(&diagnosis, &token);
    }
    // Even without a matching key, the padding is reported first.
    let token = format!("{header}..{urlsafe_padded}");
    let diagnosis = doctor(Some(&token), b"", &[]);
    assert_eq!(diagnosis.finding(), Finding::PaddedBase64);
}

#[test]
fn a_header_signed_in_another_base64_than_it_was_sent() {
    // `header` needs no padding; `header_1` needs two characters.
    let header = sign::encoded_header("key-12");
    assert_eq!(header.len() % 4, 0);
    let header_1 = sign::encoded_header("key-123");
    assert_eq!(header_1.len() % 4, 2);
    let input = sign::signing_input(&format!("{header_1}=="), COMPACT.as_bytes());
    let token = sign::token(&header_1, &vectors::signature(&signer(), &input));
    let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &[key().into()]);
    assert_found(&diagnosis, Finding::PaddedBase64, "another base64");
}

#[test]
fn a_payload_that_was_encoded_after_all() {
    let encoded = URL_SAFE_NO_PAD.encode(COMPACT);
    let diagnosis = diagnose(&encoded, COMPACT);
    assert_found(&diagnosis, Finding::PayloadBase64Encoded, "base64-encoded");

    // The output of an ordinary JWS library: no b64, and the payload in the
    // token.
    let header = URL_SAFE_NO_PAD.encode(format!(r#"{{"alg":"RS256","kid":"{KID}"}}"#));
    let signature =
        vectors::signature(&signer(), &sign::signing_input(&header, encoded.as_bytes()));
    let detached = sign::token(&header, &signature);
    let attached = detached.replace("..", &format!(".{encoded}."));
    for (token, cause, besides) in [
        (detached, Cause::InvalidHeader, "no member b64"),
        (attached, Cause::PayloadNotDetached, "payload section"),
    ] {
        let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &[key().into()]);
        assert_eq!(diagnosis.finding(), Finding::PayloadBase64Encoded, "{diagnosis}");
        assert_eq!(diagnosis.cause(), Some(cause));
        assert!(diagnosis.message().contains(besides), "{diagnosis}");
    }
}

#[test]
fn pss_instead_of_pkcs1() {
    let pair = KeyPair::from_pkcs8(&vectors::key_bytes("test_rsa_4096_pkcs8.der")).unwrap();
    let pss = |header: &str| {
        let input = sign::signing_input(header, COMPACT.as_bytes());
        let mut signature = vec![0; 512];
        pair.sign(&RSA_PSS_SHA256, &SystemRandom::new(), &input, &mut signature).unwrap();
        sign::token(header, &signature)
    };
    let keys = [KnownKey::from(other_key()), key().into()];
    let token = pss(&sign::encoded_header(KID));
    let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &keys);
    assert_found(&diagnosis, Finding::PssInsteadOfPkcs1, "RS256");

    let header = URL_SAFE_NO_PAD
        .encode(format!(r#"{{"alg":"PS256","kid":"{KID}","b64":false,"crit":["b64"]}}"#));
    let diagnosis = doctor(Some(&pss(&header)), COMPACT.as_bytes(), &keys);
    assert_eq!(diagnosis.finding(), Finding::PssInsteadOfPkcs1);
    assert_eq!(diagnosis.cause(), Some(Cause::InvalidHeader));
}

#[test]
fn another_of_the_given_keys() {
    let token = vectors::token(&signer(), COMPACT.as_bytes());
    let keys = [KnownKey::registered(other_key(), KID), KnownKey::registered(key(), "key-2")];
    let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &keys);
    assert_found(&diagnosis, Finding::OtherKey, "registered for the kid \"key-2\"");

    // Without kids, the first key is the one expected to have signed.
    let keys = [KnownKey::from(other_key()), key().into()];
    let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &keys);
    assert_found(&diagnosis, Finding::OtherKey, key().thumbprint());

    // An unknown kid, and a registered key that matches.
    let keys = [KnownKey::registered(key(), "key-2")];
    let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &keys);
    assert_found(&diagnosis, Finding::OtherKey, "registered for the kid \"key-2\"");

    let diagnosis = doctor(Some(&token), SPACED.as_bytes(), &keys);
    assert_found(&diagnosis, Finding::BodyReserialized, "by the key registered for the kid");
    let diagnosis = doctor(Some(&token), b"unlike", &keys);
    assert_found(&diagnosis, Finding::OtherKey, "signed different bytes");
}

#[test]
fn a_key_with_the_kid_of_the_token_comes_before_one_without() {
    let token = vectors::token(&signer(), COMPACT.as_bytes());
    let keys = [KnownKey::from(other_key()), KnownKey::registered(key(), KID)];
    let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &keys);
    assert_eq!(diagnosis.finding(), Finding::Valid);
}

#[test]
fn an_unknown_kid_and_a_key_that_is_not_given() {
    let foreign = vectors::private_key("test_other_rsa_4096").signer(KID).unwrap();
    let token = vectors::token(&foreign, COMPACT.as_bytes());
    let keys = [KnownKey::registered(key(), "key-2")];
    let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &keys);
    assert_found(&diagnosis, Finding::KidUnregistered, "\"key-1\"");
    let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &[]);
    assert_found(&diagnosis, Finding::CannotTell, "no public key was given");
}

#[test]
fn nothing_is_said_when_nothing_fits() {
    let foreign = vectors::private_key("test_other_rsa_4096").signer(KID).unwrap();
    let token = vectors::token(&foreign, COMPACT.as_bytes());
    let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &[key().into()]);
    assert_found(&diagnosis, Finding::NothingFits, "no known mistake");

    let mut signature = vectors::signature(&signer(), b"");
    for at in [0, 100, 511] {
        signature[at] ^= 1;
        let token = sign::token(&sign::encoded_header(KID), &signature);
        let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &[key().into()]);
        assert_found(&diagnosis, Finding::NothingFits, "no known mistake");
    }
    for length in [0_usize, 1, 511, 513] {
        let token = sign::token(&sign::encoded_header(KID), &vec![0xff; length]);
        let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &[key().into()]);
        assert!(
            matches!(diagnosis.finding(), Finding::NothingFits | Finding::SeeCause),
            "{diagnosis}"
        );
    }
}

#[test]
fn a_token_that_is_broken_anywhere_is_refused_without_harm() {
    let token = vectors::token(&signer(), COMPACT.as_bytes());
    for at in (0..token.len()).step_by(5) {
        let broken = [
            token[..at].to_owned(),
            token[at..].to_owned(),
            format!("{}.{}", &token[..at], &token[at..]),
            format!("{}é=+/{}", &token[..at], &token[at + 1..]),
            format!("{}A{}", &token[..at], &token[at + 1..]),
        ];
        for broken in broken.iter().filter(|broken| **broken != token) {
            let diagnosis = doctor(Some(broken), COMPACT.as_bytes(), &[key().into()]);
            assert!(diagnosis.cause().is_some(), "{diagnosis}");
        }
    }
}

#[test]
fn the_right_key_over_unlike_bytes() {
    for (signed, sent) in [
        (r#"{"amount":1.50}"#, r#"{"amount":1.5}"#),
        (r#"{"amount":1.50}"#, r#"{"amount":2.50}"#),
        ("a", "b"),
        (r#"{"a":1}"#, ""),
    ] {
        let diagnosis = diagnose(signed, sent);
        assert_found(&diagnosis, Finding::OtherBytesSigned, "signed different bytes");
    }
}

#[test]
fn a_cause_that_says_everything() {
    let good = vectors::token(&signer(), COMPACT.as_bytes());
    let wrong_header = {
        let header =
            URL_SAFE_NO_PAD.encode(format!(r#"{{"alg":"RS256","kid":"{KID}","b64":false}}"#));
        let input = sign::signing_input(&header, COMPACT.as_bytes());
        sign::token(&header, &vectors::signature(&signer(), &input))
    };
    let attached = good.replace("..", ".e30.");
    let signature_good = "the signature itself is valid";
    for (token, cause, message) in [
        (None, Cause::MissingSignature, "X-JWS-Signature"),
        (Some("hello"), Cause::InvalidTokenFormat, "no periods"),
        (Some(""), Cause::InvalidTokenFormat, "empty"),
        (Some(attached.as_str()), Cause::PayloadNotDetached, signature_good),
        (Some(wrong_header.as_str()), Cause::InvalidHeader, signature_good),
        (Some(wrong_header.as_str()), Cause::InvalidHeader, "no member crit"),
    ] {
        let diagnosis = doctor(token, COMPACT.as_bytes(), &[key().into()]);
        assert_eq!(diagnosis.finding(), Finding::SeeCause, "{diagnosis}");
        assert_eq!(diagnosis.cause(), Some(cause));
        assert!(diagnosis.message().contains(message), "{diagnosis}");
    }
}

#[test]
fn a_header_that_was_replaced_is_told_before_the_bytes() {
    let good = vectors::token(&signer(), COMPACT.as_bytes());
    let (_, signature) = good.split_once("..").unwrap();
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256","b64":false,"crit":["b64"]}"#);
    for keys in [vec![KnownKey::registered(key(), KID)], vec![key().into()]] {
        let token = format!("{header}..{signature}");
        let diagnosis = doctor(Some(&token), COMPACT.as_bytes(), &keys);
        assert_eq!(diagnosis.cause(), Some(Cause::InvalidHeader));
        assert_eq!(diagnosis.finding(), Finding::SeeCause, "{diagnosis}");
        assert!(diagnosis.message().contains("kid"), "{diagnosis}");
    }
}

#[test]
fn a_large_body_is_compared_in_few_forms() {
    let item = r#"{"name":"José/x"},"#.repeat(80_000);
    let body = format!("[{}]", item.trim_end_matches(','));
    assert!(body.len() > 1024 * 1024);
    let diagnosis = diagnose(format!("{body}\n"), &body);
    assert_found(&diagnosis, Finding::TrailingNewline, "line feed");
    let diagnosis = diagnose(&body, body.replace(',', ", "));
    assert_found(&diagnosis, Finding::OtherBytesSigned, "");
}

#[test]
fn the_search_is_bounded() {
    let item = r#"{"b":"José/x\u00e9\/","a":[1,2,[3]]},"#.repeat(25_000);
    let body = format!("[{}]", item.trim_end_matches(','));
    assert!((900_000..1024 * 1024).contains(&body.len()), "{}", body.len());
    let start = std::time::Instant::now();
    assert_found(&diagnose("unlike", &body), Finding::OtherBytesSigned, "");
    assert_found(&diagnose("unlike", "[".repeat(900_000)), Finding::OtherBytesSigned, "");
    // Without a bound, this would take hours.
    assert!(start.elapsed().as_secs() < 300, "{:?}", start.elapsed());
}

#[test]
fn findings_of_a_client_carry_their_own_message() {
    for finding in Finding::ALL {
        let diagnosis = Diagnosis::new(finding, None);
        assert_eq!((diagnosis.finding(), diagnosis.cause()), (finding, None));
        assert_eq!(diagnosis.code(), finding.to_string());
        assert!(!diagnosis.message().is_empty());
    }
    let names: std::collections::HashSet<_> = Finding::ALL.iter().map(|it| it.as_str()).collect();
    assert_eq!(names.len(), Finding::ALL.len());
}
