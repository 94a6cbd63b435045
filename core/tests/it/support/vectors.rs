//! The contents of `tests/vectors`, which all languages share.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payments_core::context::CallContext;
use payments_core::jws::{PublicKey, sign};
use payments_core::signer::{LocalSigner, PrivateKey, Signer as _, SigningInput};
use std::time::Duration;

/// The passphrase of the encrypted test keys.
pub const PASSPHRASE: &str = "test passphrase, no secret";

pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors").join(name)
}

pub fn key_path(name: &str) -> PathBuf {
    path("keys").join(name)
}

pub fn key_bytes(name: &str) -> Vec<u8> {
    std::fs::read(key_path(name)).unwrap()
}

pub fn key_text(name: &str) -> String {
    String::from_utf8(key_bytes(name)).unwrap()
}

pub fn public_key(name: &str) -> PublicKey {
    PublicKey::from_pem(&key_text(&format!("{name}_public.pem"))).unwrap()
}

pub fn private_key(name: &str) -> PrivateKey {
    PrivateKey::from_pem(&key_text(&format!("{name}_pkcs8.pem")), None, true).unwrap()
}

/// Signs `input`.
pub fn signature(signer: &LocalSigner, input: &[u8]) -> Vec<u8> {
    let context = CallContext::with_timeout(Duration::from_secs(10));
    signer.sign(&context, &SigningInput::new(input)).unwrap()
}

/// Makes the detached token for `body`.
pub fn token(signer: &LocalSigner, body: &[u8]) -> String {
    let header = sign::encoded_header(signer.kid());
    let signature = signature(signer, &sign::signing_input(&header, body));
    sign::token(&header, &signature)
}

pub struct TokenCase {
    pub name: String,
    pub key: String,
    pub kid: String,
    pub body: Vec<u8>,
    pub token: String,
}

#[derive(serde::Deserialize)]
struct Tokens {
    cases: Vec<WrittenCase>,
}

#[derive(serde::Deserialize)]
struct WrittenCase {
    name: String,
    key: String,
    kid: String,
    body_base64: Option<String>,
    body_rule: Option<BodyRule>,
    token: String,
}

#[derive(serde::Deserialize)]
struct BodyRule {
    repeat: String,
    times: usize,
}

pub fn token_cases() -> Vec<TokenCase> {
    let text = std::fs::read_to_string(path("tokens.json")).unwrap();
    let Tokens { cases } = serde_json::from_str(&text).unwrap();
    let read = |case: WrittenCase| {
        let body = match (case.body_base64, case.body_rule) {
            (Some(text), None) => STANDARD.decode(text).unwrap(),
            (None, Some(rule)) => rule.repeat.repeat(rule.times).into_bytes(),
            _ => panic!("{}: one body is wanted", case.name),
        };
        TokenCase { name: case.name, key: case.key, kid: case.kid, body, token: case.token }
    };
    cases.into_iter().map(read).collect()
}
