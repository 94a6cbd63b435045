//! Key and token tools with JSON results, for the packages of other languages
//! and the command.

use crate::model::error::Error;
use crate::model::json::{Json, Members};
use crate::signing::jws::{KnownKey, PublicKey, doctor, verify};

/// Verifies `token` over `body` with `public_key` (PEM). Returns an object with
/// `valid` and `kid`, or for a refused token `cause`, `detail` and `remedy`.
///
/// # Errors
/// `config` if the public key cannot be used.
pub fn verify_report(public_key: &str, token: Option<&str>, body: &[u8]) -> Result<Json, Error> {
    let key = PublicKey::from_pem(public_key)?;
    let mut report = Members::new();
    match verify(token, body, |_| Some(key)) {
        Ok(verified) => {
            report.push("valid", true);
            report.push("kid", verified.kid);
        }
        Err(refusal) => {
            report.push("valid", false);
            report.push("cause", refusal.cause.as_str());
            report.push("detail", refusal.detail);
            report.push("remedy", refusal.cause.remedy());
        }
    }
    Ok(Json::Object(report))
}

/// Runs the doctor on `token` over `body`. Returns an object with `cause`,
/// `finding` and `message`. `keys` is the JSON text of an array of public keys:
/// PEM texts, or objects with `public_key` and `kid`.
///
/// # Errors
/// `config` if a public key cannot be used, `validation` if `keys` is not such
/// an array.
pub fn doctor_report(keys: &[u8], token: Option<&str>, body: &[u8]) -> Result<Json, Error> {
    let keys = Json::parse(keys)?;
    let keys = keys.as_array().ok_or_else(not_keys)?;
    let known = keys.iter().map(known_key).collect::<Result<Vec<_>, Error>>()?;
    Ok(doctor(token, body, &known).to_json())
}

fn known_key(json: &Json) -> Result<KnownKey, Error> {
    if let Some(pem) = json.as_str() {
        return PublicKey::from_pem(pem).map(KnownKey::from);
    }
    let member = |name| json.get(name).and_then(Json::as_str);
    let key = PublicKey::from_pem(member("public_key").ok_or_else(not_keys)?)?;
    Ok(match member("kid") {
        Some(kid) => KnownKey::registered(key, kid),
        None => KnownKey::from(key),
    })
}

fn not_keys() -> Error {
    let message = "must be an array of PEM strings, or of objects with public_key and kid";
    Error::validation("public_keys", "wrong_type", message)
}
