//! Signatures over another digest, or over something other than a digest.

use aws_lc_rs::digest::{Algorithm, SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA384, SHA512, digest};
use aws_lc_rs::signature::{RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA512};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use payments_core::jws::{Cause, sign};
use payments_sandbox::doctor::{
    KnownKey, SignatureDiagnosis, SignatureFinding as Finding, diagnose, examine, is_made_by,
};

use super::{COMPACT, KID, SPACED, assert_found, assert_shows_nothing};
use crate::support::{KEY, OTHER_KEY};

// The AlgorithmIdentifier of each digest (RFC 8017, B.1).
const SHA_1: &str = "300906052b0e03021a0500";
const SHA_256: &str = "300d06096086480165030402010500";
const SHA_384: &str = "300d06096086480165030402020500";
const SHA_512: &str = "300d06096086480165030402030500";
const MD5: &str = "300c06082a864886f70d02050500";
const SHA_256_WITHOUT_NULL: &str = "300b0609608648016503040201";
const UNKNOWN: &str = "300906052b0e03021b0500";

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
    digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A DigestInfo (RFC 8017, 9.2).
fn info(algorithm: &str, digest: &[u8]) -> Vec<u8> {
    let length = |bytes: &[u8]| u8::try_from(bytes.len()).unwrap();
    let inside = [&bytes(algorithm)[..], &[4, length(digest)], digest].concat();
    [&[0x30, length(&inside)], &inside[..]].concat()
}

fn of(algorithm: &'static Algorithm, data: &[u8]) -> Vec<u8> {
    digest(algorithm, data).as_ref().to_vec()
}

fn input_of(body: &str) -> Vec<u8> {
    sign::signing_input(&sign::encoded_header(KID), body.as_bytes())
}

fn token_of(signature: &[u8]) -> String {
    sign::token(&sign::encoded_header(KID), signature)
}

/// Diagnoses a block with these contents, for a request with the body [`COMPACT`].
#[track_caller]
fn diagnosis_of(contents: &[u8]) -> SignatureDiagnosis {
    let token = token_of(&KEY.over_contents(contents));
    let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &[KEY.public().into()]);
    assert_shows_nothing(&diagnosis, &token);
    let key = KnownKey::from(KEY.public());
    assert_eq!(is_made_by(&token, COMPACT.as_bytes(), &key), Some(true));
    assert_eq!(is_made_by(&token, COMPACT.as_bytes(), &OTHER_KEY.public().into()), Some(false));
    diagnosis
}

#[test]
fn a_digest_of_the_signing_input_is_found() {
    let input = input_of(COMPACT);
    let [d1, d256, d384, d512] =
        [&SHA1_FOR_LEGACY_USE_ONLY, &SHA256, &SHA384, &SHA512].map(|it| of(it, &input));
    let [lower, base64] = [hex(&d256), STANDARD.encode(&d256)].map(String::into_bytes);
    for (contents, part) in [
        (info(SHA_1, &d1), "is the SHA-1 digest of the signing input"),
        (info(SHA_384, &d384), "is the SHA-384 digest of the signing input"),
        (info(SHA_512, &d512), "is the SHA-512 digest of the signing input"),
        (
            info(SHA_1, &d256),
            "is the SHA-256 digest of the signing input, marked as a SHA-1 digest",
        ),
        (
            info(SHA_256_WITHOUT_NULL, &d256),
            "is the SHA-256 digest of the signing input, in a DigestInfo without NULL",
        ),
        (d256.clone(), "is the SHA-256 digest of the signing input, without a DigestInfo"),
        (d1.clone(), "is the SHA-1 digest of the signing input, without a DigestInfo"),
        (lower.clone(), "is the hex text of the SHA-256 digest of the signing input, without"),
        (base64.clone(), "is the base64 text of the SHA-256 digest of the signing input, without"),
        (input.clone(), "is the signing input itself, without a digest"),
    ] {
        assert_found(&diagnosis_of(&contents), Finding::OtherDigest, part);
    }
    assert_eq!(diagnosis_of(&info(SHA_256, &d256)).finding(), Finding::Valid);
}

#[test]
fn a_digest_of_a_digest_or_of_its_text_is_found() {
    let input = input_of(COMPACT);
    let [d256, d512] = [&SHA256, &SHA512].map(|it| of(it, &input));
    let texts = [hex(&d256), hex(&d256).to_uppercase(), STANDARD.encode(&d256)];
    let [lower, upper, base64] = texts.map(String::into_bytes);
    for (contents, part) in [
        (
            info(SHA_256, &of(&SHA256, &d256)),
            "is the SHA-256 digest of the SHA-256 digest of the signing input",
        ),
        (
            info(SHA_256, &of(&SHA256, &lower)),
            "is the SHA-256 digest of the hex text of the SHA-256 digest of the signing input",
        ),
        (
            info(SHA_1, &of(&SHA1_FOR_LEGACY_USE_ONLY, &lower)),
            "is the SHA-1 digest of the hex text of the SHA-256 digest of the signing input",
        ),
        (
            info(SHA_256, &of(&SHA256, &upper)),
            "is the SHA-256 digest of the hex text, in upper case, of the SHA-256 digest",
        ),
        (
            info(SHA_256, &of(&SHA256, &base64)),
            "is the SHA-256 digest of the base64 text of the SHA-256 digest of the signing input",
        ),
        (
            info(SHA_256, &of(&SHA256, &info(SHA_256, &d256))),
            "is the SHA-256 digest of the DigestInfo of the SHA-256 digest of the signing input",
        ),
        (
            info(SHA_512, &of(&SHA512, &d512)),
            "is the SHA-512 digest of the SHA-512 digest of the signing input",
        ),
        (
            info(SHA_256, &of(&SHA256, &d512)),
            "is the SHA-256 digest of the SHA-512 digest of the signing input",
        ),
        (
            of(&SHA256, &lower),
            "is the SHA-256 digest of the hex text of the SHA-256 digest of the signing input, wi",
        ),
        (
            info(SHA_256, &lower),
            "is the hex text of the SHA-256 digest of the signing input, in pl",
        ),
    ] {
        assert_found(&diagnosis_of(&contents), Finding::OtherDigest, part);
    }
}

#[test]
fn the_signed_bytes_of_another_digest_are_found_too() {
    let d1 = |input: &[u8]| info(SHA_1, &of(&SHA1_FOR_LEGACY_USE_ONLY, input));
    let diagnosis = diagnosis_of(&d1(&input_of(SPACED)));
    let part = "the SHA-1 digest of the signing input, with the body as JSON with a space";
    assert_found(&diagnosis, Finding::OtherDigest, part);
    let token = token_of(&KEY.over_contents(&d1(&input_of(SPACED))));
    let found = examine(Some(&token), COMPACT.as_bytes(), None, &[KEY.public().into()]);
    assert_eq!(found.signed_payload.as_deref(), Some(SPACED.as_bytes()));

    // Nothing is known of the bytes.
    for (contents, part) in [
        (
            info(SHA_1, &[7; 20]),
            "is a SHA-1 digest, which is of no known form of this body; openssl_sign",
        ),
        (info(MD5, &[7; 16]), "is an MD5 digest, which is not compared"),
        (info(SHA_512, &[7; 20]), "is 20 bytes in place of a SHA-512 digest"),
        (vec![7; 32], "is 32 bytes like a SHA-256 digest, without a DigestInfo"),
        (vec![b'e'; 64], "is the hex text of a digest, without a DigestInfo"),
        (vec![7; 33], "is 33 bytes that are no digest"),
        (Vec::new(), "is 0 bytes that are no digest"),
        (info(UNKNOWN, &[7; 20]), "is a digest of an unknown algorithm"),
        (
            info(SHA_256_WITHOUT_NULL, &[7; 32]),
            "is a SHA-256 digest in a DigestInfo without NULL, which",
        ),
    ] {
        assert_found(&diagnosis_of(&contents), Finding::OtherDigest, part);
    }
    let diagnosis = diagnosis_of(&info(SHA_256, &[7; 32]));
    assert_found(&diagnosis, Finding::OtherBytesSigned, "the right key signed different bytes");
}

#[test]
fn other_keys_headers_and_paddings_are_recognized() {
    let input = input_of(COMPACT);
    let token = token_of(&KEY.padded(&RSA_PKCS1_SHA512, &input));
    let keys = [
        KnownKey::registered(OTHER_KEY.public(), KID),
        KnownKey::registered(KEY.public(), "key-2"),
    ];
    let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &keys);
    assert_found(&diagnosis, Finding::OtherDigest, "by the key registered for the kid \"key-2\"");
    let diagnosis = diagnose(Some(&token), b"unlike", &keys);
    assert_found(
        &diagnosis,
        Finding::OtherDigest,
        "form of this body, by the key registered for the kid",
    );

    // A header that says so.
    let header = URL_SAFE_NO_PAD
        .encode(format!(r#"{{"alg":"RS384","kid":"{KID}","b64":false,"crit":["b64"]}}"#));
    let input_of_it = sign::signing_input(&header, COMPACT.as_bytes());
    let token = sign::token(&header, &KEY.padded(&RSA_PKCS1_SHA384, &input_of_it));
    for (body, part) in [(COMPACT, "digest of the signing input"), ("x", "a SHA-384 digest, which")]
    {
        let diagnosis = diagnose(Some(&token), body.as_bytes(), &[KEY.public().into()]);
        assert_eq!(
            (diagnosis.finding(), diagnosis.cause()),
            (Finding::OtherDigest, Some(Cause::InvalidHeader))
        );
        assert!(diagnosis.message().contains(part), "{diagnosis}");
        assert!(diagnosis.message().contains("besides, alg is \"RS384\""), "{diagnosis}");
    }

    let pss = token_of(&KEY.padded(&RSA_PSS_SHA512, &input));
    for (body, part) in [
        (COMPACT, "is the signing input"),
        (SPACED, "is the body as compact JSON"),
        ("unlike", "is a PSS block"),
    ] {
        let diagnosis = diagnose(Some(&pss), body.as_bytes(), &[KEY.public().into()]);
        assert_found(&diagnosis, Finding::PssInsteadOfPkcs1, part);
    }
}

#[test]
fn an_option_that_was_given_is_not_advised() {
    let token = token_of(&KEY.signature(b"other bytes"));
    let own = KnownKey::of_file(OTHER_KEY.public(), "own.pem");
    let registered = |kid: &str| KnownKey::registered(OTHER_KEY.public(), kid);
    let advice = ["--key FILE", "--public-key FILE", "of the registered keys", "own.pem"];
    for (keys, finding, expected) in [
        (vec![], Finding::CannotTell, [true, false, false, false]),
        (vec![registered(KID)], Finding::NothingFits, [true, false, true, false]),
        (vec![registered("k")], Finding::KidUnregistered, [true, false, true, false]),
        (vec![own.clone()], Finding::NothingFits, [false, true, false, true]),
        (vec![registered(KID), own.clone()], Finding::NothingFits, [false, false, true, true]),
        (vec![registered("k"), own], Finding::KidUnregistered, [false, false, true, true]),
    ] {
        let diagnosis = diagnose(Some(&token), COMPACT.as_bytes(), &keys);
        assert_eq!(diagnosis.finding(), finding, "{diagnosis}");
        let given = advice.map(|advice| diagnosis.message().contains(advice));
        assert_eq!(given, expected, "{diagnosis}");
    }
}
