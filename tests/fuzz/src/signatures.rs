//! Tokens and their diagnosis, compared with the crate `rsa`.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use payments_core::jws::{self, PublicKey};
use payments_sandbox::doctor::{KnownKey, SignatureFinding, diagnose};
use rsa::RsaPublicKey;
use rsa::pkcs1v15::{Signature, VerifyingKey};
use rsa::pkcs8::DecodePublicKey as _;
use rsa::sha2::Sha256;
use rsa::signature::Verifier as _;

const KID: &str = "test-key-1";
const PEM: &str = include_str!("../../vectors/keys/test_rsa_2048_public.pem");

static KEY: LazyLock<PublicKey> = LazyLock::new(|| PublicKey::from_pem(PEM).expect("a key"));
static THEIRS: LazyLock<VerifyingKey<Sha256>> =
    LazyLock::new(|| VerifyingKey::new(RsaPublicKey::from_public_key_pem(PEM).expect("a key")));

/// A token, and after a line end the body.
fn parts(data: &[u8]) -> Option<(&str, &[u8])> {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    Some((str::from_utf8(&data[..end]).ok()?, data.get(end + 1..).unwrap_or_default()))
}

fn is_valid(token: &str, body: &[u8]) -> bool {
    jws::verify(Some(token), body, |kid| (kid == KID).then(|| KEY.clone())).is_ok()
}

pub(crate) fn verify(data: &[u8]) {
    let Some((token, body)) = parts(data) else { return };
    if !is_valid(token, body) {
        return;
    }
    let (header, payload, signature) = jws::sections(token).expect("three sections");
    assert_eq!(payload, "");
    let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64url");
    let signature = Signature::try_from(&*signature).expect("a signature");
    let input = [header.as_bytes(), b".", body].concat();
    THEIRS.verify(&input, &signature).expect("valid there, too");
}

pub(crate) fn doctor(data: &[u8]) {
    let Some((token, body)) = parts(data) else { return };
    let diagnosis = diagnose(Some(token), body, &[KnownKey::registered(KEY.clone(), KID)]);
    let is_valid_there = diagnosis.finding() == SignatureFinding::Valid;
    assert_eq!(is_valid_there, is_valid(token, body), "{}", diagnosis.message());
    assert!(!diagnosis.message().is_empty());
}
