//! Verifies a token against a body.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use payments_base::quoted::quoted;

use super::sign::signing_input;
use super::{Cause, PublicKey};
use crate::model::json::{Json, JsonErrorKind};

/// A valid token.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Verified {
    /// The key id in the token.
    pub kid: String,
}

/// Why a token is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// The cause, as the interface names it.
    pub cause: Cause,
    /// Details. They contain neither the signature nor any part of the payload.
    pub detail: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.cause, self.detail)
    }
}

impl std::error::Error for Refusal {}

/// Checks that `token` is a detached RS256 signature over `body` by the key
/// that `key_of` returns for the token's kid.
///
/// A kid without a key is [`Cause::SignatureMismatch`], since the interface has
/// no separate cause for it.
///
/// # Errors
/// The cause, with details.
///
/// ```
/// use payments_core::jws::{Cause, verify};
///
/// let refusal = verify(None, b"{}", |_kid| None).unwrap_err();
/// assert_eq!(refusal.cause, Cause::MissingSignature);
/// ```
pub fn verify(
    token: Option<&str>,
    body: &[u8],
    key_of: impl FnOnce(&str) -> Option<PublicKey>,
) -> Result<Verified, Refusal> {
    let token = token.ok_or_else(|| {
        refusal(Cause::MissingSignature, "the request has no header X-JWS-Signature")
    })?;
    let (encoded_header, payload, encoded_signature) = sections(token)?;
    let header = decode_section("header", encoded_header)?;
    let signature = decode_section("signature", encoded_signature)?;
    if !payload.is_empty() {
        return Err(refusal(
            Cause::PayloadNotDetached,
            format!("the payload section holds {} characters", payload.len()),
        ));
    }
    let kid = checked_kid(&header)?;
    let Some(key) = key_of(&kid) else {
        return Err(refusal(
            Cause::SignatureMismatch,
            format!("no key is registered for the kid {}", shown(&kid)),
        ));
    };
    if !key.verifies(&signing_input(encoded_header, body), &signature) {
        let bits = signature.len() * 8;
        let detail = if bits.div_ceil(8) == key.bits().div_ceil(8) {
            format!(
                "the key for the kid {} did not sign these {} bytes of body",
                shown(&kid),
                body.len()
            )
        } else {
            format!(
                "the signature has {bits} bits, but the key for the kid {} has {}",
                shown(&kid),
                key.bits()
            )
        };
        return Err(refusal(Cause::SignatureMismatch, detail));
    }
    Ok(Verified { kid })
}

fn refusal(cause: Cause, detail: impl Into<String>) -> Refusal {
    Refusal { cause, detail: detail.into() }
}

/// A text from the token for a message.
fn shown(text: &str) -> String {
    quoted(text, 64)
}

/// Splits a token into header, payload and signature. An unencoded payload may
/// contain periods, so it extends to the last one.
///
/// # Errors
/// [`Cause::InvalidTokenFormat`] if the token does not have two periods.
pub fn sections(token: &str) -> Result<(&str, &str, &str), Refusal> {
    let malformed = |detail: &str| Err(refusal(Cause::InvalidTokenFormat, detail));
    if token.is_empty() {
        return malformed("the token is empty");
    }
    let Some((header, rest)) = token.split_once('.') else {
        return malformed("the token has no periods; there must be two");
    };
    let Some((payload, signature)) = rest.rsplit_once('.') else {
        return malformed("the token has one period; there must be two");
    };
    if payload.contains('.') && payload.bytes().all(|b| is_base64url(b) || b == b'.') {
        return malformed("the token has more than two periods");
    }
    Ok((header, payload, signature))
}

fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

fn decode_section(name: &str, encoded: &str) -> Result<Vec<u8>, Refusal> {
    let malformed =
        |detail: &str| Err(refusal(Cause::InvalidTokenFormat, format!("the {name} {detail}")));
    if encoded.is_empty() {
        return malformed("section is empty");
    }
    if encoded.contains('=') {
        return malformed("section is padded with =; use base64url without padding");
    }
    if encoded.bytes().any(|byte| byte == b'+' || byte == b'/') {
        return malformed("section has + or /; base64url uses - and _ instead");
    }
    if !encoded.bytes().all(is_base64url) {
        return malformed("section has characters that are not base64url");
    }
    match URL_SAFE_NO_PAD.decode(encoded) {
        Ok(decoded) => Ok(decoded),
        Err(_) => malformed("section ends in the middle of a byte"),
    }
}

/// Checks the protected header and returns its kid.
fn checked_kid(header: &[u8]) -> Result<String, Refusal> {
    let header = match Json::parse(header) {
        Ok(header @ Json::Object(_)) => header,
        Err(error) if error.kind() == JsonErrorKind::DuplicateMember => {
            return wrong(format!("the header has a duplicate member {}", shown(error.path())));
        }
        _ => {
            let detail = "the decoded header is not a JSON object";
            return Err(refusal(Cause::InvalidTokenFormat, detail));
        }
    };
    let member = |name| {
        header.get(name).ok_or_else(|| {
            refusal(Cause::InvalidHeader, format!("the header has no member {name}"))
        })
    };
    match member("alg")?.as_str() {
        Some("RS256") => {}
        Some(alg) => return wrong(format!("alg is {}; it must be RS256", shown(alg))),
        None => return wrong("alg is not a string; it must be RS256"),
    }
    let kid = match member("kid")?.as_str() {
        Some("") => return wrong("kid is empty"),
        Some(kid) => kid,
        None => return wrong("kid is not a string"),
    };
    match member("b64")?.as_bool() {
        Some(false) => {}
        Some(true) => return wrong("b64 is true; it must be false"),
        None => return wrong("b64 is not a boolean; it must be false"),
    }
    let Some(crit) = member("crit")?.as_texts() else {
        return wrong("crit is not an array of strings");
    };
    if let Some(unknown) = crit.iter().find(|name| *name != "b64") {
        return wrong(format!("crit names {}, which is not supported", shown(unknown)));
    }
    match crit.len() {
        1 => Ok(kid.to_owned()),
        0 => wrong("crit is empty; it must contain b64"),
        _ => wrong("crit names b64 more than once"),
    }
}

fn wrong<T>(detail: impl Into<String>) -> Result<T, Refusal> {
    Err(refusal(Cause::InvalidHeader, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_of_a_token_is_shown_in_part() {
        assert_eq!(shown(&"é".repeat(64)), format!("\"{}\"", "é".repeat(64)));
        assert_eq!(shown(&"é".repeat(65)), format!("\"{}…\"", "é".repeat(63)));
    }
}
