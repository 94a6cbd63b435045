//! Keys and tokens by JSON: what the packages for other languages and the
//! command offer beside a client.

use crate::error::Error;
use crate::json::{Json, Members};
use crate::jws::{KnownKey, PublicKey, doctor, verify};

/// Checks `token` over `body` with the public key in `public_key`: an object
/// with `valid`, `kid`, and for a refused token `cause`, `detail` and `remedy`.
///
/// # Errors
/// `config` when the public key cannot be used.
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

/// What the doctor finds of `token` over `body`: an object with `cause`,
/// `finding` and `message`. `keys` are public keys as PEM, each with its kid
/// where that is known.
///
/// # Errors
/// `config` when a public key cannot be used.
pub fn doctor_report<'a>(
    keys: impl IntoIterator<Item = (Option<&'a str>, &'a str)>,
    token: Option<&str>,
    body: &[u8],
) -> Result<Json, Error> {
    let known = keys.into_iter().map(|(kid, pem)| {
        let key = PublicKey::from_pem(pem)?;
        Ok(kid.map_or_else(
            || KnownKey::from(key.clone()),
            |kid| KnownKey::registered(key.clone(), kid),
        ))
    });
    let known = known.collect::<Result<Vec<_>, Error>>()?;
    Ok(doctor(token, body, &known).to_json())
}
