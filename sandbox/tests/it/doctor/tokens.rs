//! Tokens that were made wrongly, and unexpected keys.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use payments_core::jws::{Cause, sign};
use payments_sandbox::doctor::{KnownKey, SignatureFinding as Finding, diagnose};

use super::{COMPACT, KID, SPACED, assert_found, assert_shows_nothing, diagnosis_of};
use crate::support::{KEY, OTHER_KEY};

#[test]
fn a_good_token_is_valid() {
    let diagnosis = diagnosis_of(COMPACT, COMPACT);
    assert_eq!((diagnosis.finding(), diagnosis.cause()), (Finding::Valid, None));
}

#[test]
fn another_base64_is_recognized() {
    let token = KEY.token(KID, COMPACT.as_bytes());
    let (header, signature) = token.split_once("..").unwrap();
    let bytes = URL_SAFE_NO_PAD.decode(signature).unwrap();
    let padded_header = format!("{header}==");
    let over_padded_header =
        KEY.signature(&sign::signing_input(&padded_header, COMPACT.as_bytes()));
    let urlsafe_padded = URL_SAFE.encode(&bytes);
    assert!(urlsafe_padded.ends_with('='));
    for token in [
        format!("{header}..{urlsafe_padded}"),
        format!("{header}..{}", STANDARD_NO_PAD.encode(&bytes)),
        format!("{padded_header}..{signature}"),
        sign::token(&padded_header, &over_padded_header),
    ] {
        let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &[KEY.public().into()]);
        assert_eq!(diagnosis.finding(), Finding::PaddedBase64, "{diagnosis}");
        assert_eq!(diagnosis.cause(), Some(Cause::InvalidTokenFormat));
        assert_shows_nothing(&diagnosis, &token);
    }
    // Even without a matching key, the padding is reported first.
    let token = format!("{header}..{urlsafe_padded}");
    let diagnosis = diagnose(Some(&token), b"", &[]);
    assert_eq!(diagnosis.finding(), Finding::PaddedBase64);
}

#[test]
fn a_hexadecimal_signature_is_recognized() {
    let header = sign::encoded_header("key-1");
    let signature = KEY.signature(&sign::signing_input(&header, COMPACT.as_bytes()));
    let lower: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
    let upper = lower.to_uppercase();
    for token in [
        format!("{header}..{lower}"),
        format!("{header}..{upper}"),
        sign::token(&header, lower.as_bytes()),
        sign::token(&header, upper.as_bytes()),
    ] {
        for keys in [vec![], vec![KEY.public().into()]] {
            let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &keys);
            assert_eq!(diagnosis.finding(), Finding::HexadecimalSignature, "{diagnosis}");
            assert_eq!(diagnosis.cause(), Some(Cause::SignatureMismatch));
            assert_shows_nothing(&diagnosis, &token);
        }
    }
    let short = format!("{header}..{}", &lower[..508]);
    let diagnosis = diagnose(Some(&short), COMPACT.as_bytes(), &[KEY.public().into()]);
    assert_eq!(diagnosis.finding(), Finding::NothingFits, "{diagnosis}");
}

#[test]
fn a_header_signed_in_another_base64_is_recognized() {
    // `header` needs no padding; `header_1` needs two characters.
    let header = sign::encoded_header("key-12");
    assert_eq!(header.len() % 4, 0);
    let header_1 = sign::encoded_header("key-123");
    assert_eq!(header_1.len() % 4, 2);
    let input = sign::signing_input(&format!("{header_1}=="), COMPACT.as_bytes());
    let token = sign::token(&header_1, &KEY.signature(&input));
    let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &[KEY.public().into()]);
    assert_found(&diagnosis, Finding::PaddedBase64, "another base64");
}

#[test]
fn an_encoded_payload_is_recognized() {
    let encoded = URL_SAFE_NO_PAD.encode(COMPACT);
    let diagnosis = diagnosis_of(&encoded, COMPACT);
    assert_found(&diagnosis, Finding::PayloadBase64Encoded, "base64-encoded");

    // The output of an ordinary JWS library: no b64, and the payload in the
    // token.
    let header = URL_SAFE_NO_PAD.encode(format!(r#"{{"alg":"RS256","kid":"{KID}"}}"#));
    let signature = KEY.signature(&sign::signing_input(&header, encoded.as_bytes()));
    let detached = sign::token(&header, &signature);
    let attached = detached.replace("..", &format!(".{encoded}."));
    for (token, cause, besides) in [
        (detached, Cause::InvalidHeader, "no member b64"),
        (attached, Cause::PayloadNotDetached, "payload section"),
    ] {
        let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &[KEY.public().into()]);
        assert_eq!(diagnosis.finding(), Finding::PayloadBase64Encoded, "{diagnosis}");
        assert_eq!(diagnosis.cause(), Some(cause));
        assert!(diagnosis.message().contains(besides), "{diagnosis}");
    }
}

#[test]
fn pss_instead_of_pkcs1_is_recognized() {
    let pss = |header: &str| {
        sign::token(header, &KEY.pss(&sign::signing_input(header, COMPACT.as_bytes())))
    };
    let keys = [KnownKey::from(OTHER_KEY.public()), KEY.public().into()];
    let token = pss(&sign::encoded_header(KID));
    let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &keys);
    assert_found(&diagnosis, Finding::PssInsteadOfPkcs1, "RS256");

    let header = URL_SAFE_NO_PAD
        .encode(format!(r#"{{"alg":"PS256","kid":"{KID}","b64":false,"crit":["b64"]}}"#));
    let diagnosis = diagnose(Some(&pss(&header)), COMPACT.as_bytes(), &keys);
    assert_eq!(diagnosis.finding(), Finding::PssInsteadOfPkcs1);
    assert_eq!(diagnosis.cause(), Some(Cause::InvalidHeader));
}

#[test]
fn another_of_the_given_keys_is_recognized() {
    let token = KEY.token(KID, COMPACT.as_bytes());
    let keys = [
        KnownKey::registered(OTHER_KEY.public(), KID),
        KnownKey::registered(KEY.public(), "key-2"),
    ];
    let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &keys);
    assert_found(&diagnosis, Finding::OtherKey, "registered for the kid \"key-2\"");

    // Without kids, the first key is the one expected to have signed.
    let keys = [KnownKey::from(OTHER_KEY.public()), KEY.public().into()];
    let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &keys);
    assert_found(&diagnosis, Finding::OtherKey, KEY.public().thumbprint());

    // An unknown kid, and a registered key that matches.
    let keys = [KnownKey::registered(KEY.public(), "key-2")];
    let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &keys);
    assert_found(&diagnosis, Finding::OtherKey, "registered for the kid \"key-2\"");

    let diagnosis = diagnose(Some(&token), SPACED.as_bytes(), &keys);
    assert_found(&diagnosis, Finding::BodyReserialized, "by the key registered for the kid");
    let diagnosis = diagnose(Some(&token), b"unlike", &keys);
    assert_found(&diagnosis, Finding::OtherKey, "signed different bytes");
}

#[test]
fn a_key_with_the_kid_of_the_token_comes_before_one_without() {
    let token = KEY.token(KID, COMPACT.as_bytes());
    let keys = [KnownKey::from(OTHER_KEY.public()), KnownKey::registered(KEY.public(), KID)];
    let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &keys);
    assert_eq!(diagnosis.finding(), Finding::Valid);
}

#[test]
fn an_unregistered_kid_differs_from_a_missing_key() {
    let token = OTHER_KEY.token(KID, COMPACT.as_bytes());
    let keys = [KnownKey::registered(KEY.public(), "key-2")];
    let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &keys);
    assert_found(&diagnosis, Finding::KidUnregistered, "\"key-1\"");
    let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &[]);
    assert_found(&diagnosis, Finding::CannotTell, "without a public key");
}

#[test]
fn nothing_is_claimed_when_nothing_fits() {
    let token = OTHER_KEY.token(KID, COMPACT.as_bytes());
    let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &[KEY.public().into()]);
    assert_found(&diagnosis, Finding::NothingFits, "none of the registered keys made");

    let mut signature = KEY.signature(b"");
    for at in [0, 100, 255] {
        signature[at] ^= 1;
        let token = sign::token(&sign::encoded_header(KID), &signature);
        let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &[KEY.public().into()]);
        assert_found(&diagnosis, Finding::NothingFits, "none of the registered keys made");
    }
    for length in [0_usize, 1, 255, 257] {
        let token = sign::token(&sign::encoded_header(KID), &vec![0xff; length]);
        let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &[KEY.public().into()]);
        assert!(
            matches!(diagnosis.finding(), Finding::NothingFits | Finding::SeeCause),
            "{diagnosis}"
        );
    }
}

#[test]
fn a_token_that_is_broken_anywhere_is_refused_without_harm() {
    let token = KEY.token(KID, COMPACT.as_bytes());
    for at in (0..token.len()).step_by(5) {
        let broken = [
            token[..at].to_owned(),
            token[at..].to_owned(),
            format!("{}.{}", &token[..at], &token[at..]),
            format!("{}é=+/{}", &token[..at], &token[at + 1..]),
            format!("{}A{}", &token[..at], &token[at + 1..]),
        ];
        for broken in broken.iter().filter(|broken| **broken != token) {
            let diagnosis = diagnose(Some(broken), COMPACT.as_bytes(), &[KEY.public().into()]);
            assert!(diagnosis.cause().is_some(), "{diagnosis}");
        }
    }
}

#[test]
fn some_causes_need_no_finding() {
    let good = KEY.token(KID, COMPACT.as_bytes());
    let wrong_header = {
        let header =
            URL_SAFE_NO_PAD.encode(format!(r#"{{"alg":"RS256","kid":"{KID}","b64":false}}"#));
        let input = sign::signing_input(&header, COMPACT.as_bytes());
        sign::token(&header, &KEY.signature(&input))
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
        let diagnosis = diagnose(token, COMPACT.as_bytes(), &[KEY.public().into()]);
        assert_eq!(diagnosis.finding(), Finding::SeeCause, "{diagnosis}");
        assert_eq!(diagnosis.cause(), Some(cause));
        assert!(diagnosis.message().contains(message), "{diagnosis}");
    }
}

#[test]
fn a_replaced_header_is_reported_before_the_bytes() {
    let good = KEY.token(KID, COMPACT.as_bytes());
    let (_, signature) = good.split_once("..").unwrap();
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256","b64":false,"crit":["b64"]}"#);
    for keys in [vec![KnownKey::registered(KEY.public(), KID)], vec![KEY.public().into()]] {
        let token = format!("{header}..{signature}");
        let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &keys);
        assert_eq!(diagnosis.cause(), Some(Cause::InvalidHeader));
        assert_eq!(diagnosis.finding(), Finding::SeeCause, "{diagnosis}");
        assert!(diagnosis.message().contains("kid"), "{diagnosis}");
    }
}
