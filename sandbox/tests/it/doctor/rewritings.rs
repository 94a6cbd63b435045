//! Bodies that the serializers of four languages wrote again.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payments_core::jws::Cause;
use payments_sandbox::doctor::{SignatureFinding as Finding, examine};
use serde_json::Value;

use super::{KID, assert_shows_nothing};
use crate::support::KEY;

/// The vectors of `make_rewritings.py`.
fn vectors() -> Vec<Value> {
    serde_json::from_str(include_str!("../../../../tests/vectors/rewritings.json")).unwrap()
}

fn bytes(vector: &Value, name: &str) -> Vec<u8> {
    STANDARD.decode(vector[name].as_str().unwrap()).unwrap()
}

#[test]
fn a_rewritten_body_is_recognized() {
    let mut missed = Vec::new();
    for vector in vectors() {
        let [original, rewritten] =
            ["original_base64", "rewritten_base64"].map(|it| bytes(&vector, it));
        for (signed, sent, expected) in [
            (&original, &rewritten, &vector["original_signed"]),
            (&rewritten, &original, &vector["rewritten_signed"]),
        ] {
            let token = KEY.token(KID, signed);
            let found = examine(Some(&token), sent, None, &[KEY.public().into()]);
            assert_shows_nothing(&found.diagnosis, &token);
            assert_eq!(found.diagnosis.cause(), Some(Cause::SignatureMismatch));
            let finding = found.diagnosis.finding();
            let (wanted, payload) = match expected.as_str() {
                Some(name) => (name, Some(signed.clone())),
                // The digits are lost.
                None => (Finding::OtherBytesSigned.as_str(), None),
            };
            if finding.as_str() != wanted || found.signed_payload != payload {
                missed.push(format!("{}: {wanted}, not {}", vector["name"], found.diagnosis));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
