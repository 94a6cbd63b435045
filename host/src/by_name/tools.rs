//! Tools with JSON results, for the packages of other languages.

use payments_core::error::{EXPLAIN, Error, ErrorCode};
use payments_core::json::{Json, Members};
use payments_core::jws::{PublicKey, verify};

use crate::commands::explain;
use crate::lint::{LintWarning, lint};
use crate::spelling::Spelling;

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

/// The meaning of `name`, as text for people, like that of the command `explain`.
///
/// # Errors
/// `validation` if nothing has this name.
pub fn explanation(name: &str) -> Result<String, Error> {
    let explained = explain(EXPLAIN, Some(name), Spelling::SnakeCase).map(|it| it.text);
    explained.map_err(|failure| {
        let message = failure.report.get("message").and_then(Json::as_str);
        Error::validation("name", ErrorCode::VALUE_INVALID, message.unwrap_or_default().to_owned())
    })
}

/// Examines a request, given as the JSON text of an object. Returns an array of
/// objects with `path`, `code`, `certainty` and `message`.
///
/// # Errors
/// `validation` if it is not a JSON object.
pub fn lint_report(request: &[u8]) -> Result<Json, Error> {
    let request = Json::parse(request)?;
    let members = request
        .as_object()
        .ok_or_else(|| Error::validation("request", ErrorCode::WRONG_TYPE, "must be an object"))?;
    Ok(Json::Array(lint(members).iter().map(LintWarning::view).collect()))
}
