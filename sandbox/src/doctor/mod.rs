//! Finds out why a signature does not verify.

mod bearer;
mod difference;
mod encoding;
mod finding;
mod interface_order;
mod known_key;
mod near_miss;
mod rewriting;
mod style;
mod tree_change;

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use payments_core::json::Json;
use payments_core::jws::sign::signing_input;
use payments_core::jws::{Cause, Refusal, sections, verify};

pub use bearer::{BearerFinding, diagnose_bearer};
pub use difference::{Difference, differences, member_at, with_covered_keys};
pub use finding::{SignatureDiagnosis, SignatureFinding};
pub use known_key::KnownKey;
use near_miss::NearMiss;

/// What [`examine`] finds.
#[derive(Clone, PartialEq, Eq)]
pub struct Examination {
    /// What is wrong.
    pub diagnosis: SignatureDiagnosis,
    /// The payload that was signed: the body, or the rewriting of it that was
    /// recognized. It holds payer data: show it only where the body may be
    /// shown.
    pub signed_payload: Option<Vec<u8>>,
}

/// Finds out what is wrong with `token` for `body`, like [`examine`].
///
/// ```
/// use payments_core::jws::Cause;
/// use payments_sandbox::doctor::{SignatureFinding, diagnose};
///
/// let diagnosis = diagnose(None, b"{}", &[]);
/// assert_eq!(diagnosis.cause(), Some(Cause::MissingSignature));
/// assert_eq!(diagnosis.finding(), SignatureFinding::SeeCause);
/// ```
pub fn diagnose(token: Option<&str>, body: &[u8], keys: &[KnownKey]) -> SignatureDiagnosis {
    examine(token, body, keys).diagnosis
}

/// Finds out what is wrong with `token` for `body`, and which bytes were signed.
///
/// The token should verify under the key registered for its kid, or else under
/// the first of `keys` without a known kid. If it does not, this function
/// searches for the mistake: it recovers the signed digest once per key, and
/// compares it with every likely form of the body. For a body over 1 MiB it
/// tries a few forms only.
pub fn examine(token: Option<&str>, body: &[u8], keys: &[KnownKey]) -> Examination {
    let refusal = match verify(token, body, |kid| expected(keys, kid).map(|it| it.key.clone())) {
        Ok(_) => {
            let diagnosis = SignatureDiagnosis::new(SignatureFinding::Valid, None);
            return Examination { diagnosis, signed_payload: Some(body.to_vec()) };
        }
        Err(refusal) => refusal,
    };
    let Some(token) = token.and_then(LooseToken::read) else {
        return Examination { diagnosis: see_cause(&refusal, None), signed_payload: None };
    };
    let expected = token.kid.as_deref().and_then(|kid| expected(keys, kid));
    let others = keys.iter().filter(|key| expected.is_none_or(|expected| *key != expected));
    let by_likelihood: Vec<&KnownKey> = expected.into_iter().chain(others).collect();

    let mut signed_other_bytes = None;
    for &known in &by_likelihood {
        let Some(digest) = known.signed_digest(&token.signature) else { continue };
        match token.near_miss(known, body, digest) {
            Some(found) => {
                let diagnosis = explained(&refusal, &token, &found, known, expected);
                return Examination { diagnosis, signed_payload: found.payload() };
            }
            None => signed_other_bytes = Some(known),
        }
    }
    let diagnosis = match signed_other_bytes {
        Some(known) => over_other_bytes(&refusal, known, expected),
        None => by_no_key(&refusal, &token, body, &by_likelihood, expected),
    };
    Examination { diagnosis, signed_payload: None }
}

/// The diagnosis when `known` signed bytes that are no form of the body.
fn over_other_bytes(
    refusal: &Refusal,
    known: &KnownKey,
    expected: Option<&KnownKey>,
) -> SignatureDiagnosis {
    let diagnosed = |finding| SignatureDiagnosis::new(finding, Some(refusal.cause));
    let is_expected = expected.is_some_and(|expected| expected == known);
    match refusal.cause {
        // Every other cause is fixed by signing again.
        cause if cause != Cause::SignatureMismatch => {
            see_cause(refusal, Some("the signature is over different bytes"))
        }
        _ if is_expected => diagnosed(SignatureFinding::OtherBytesSigned),
        _ => diagnosed(SignatureFinding::OtherKey)
            .with_detail(&format!("it is {}, which signed different bytes", known.description())),
    }
}

/// The diagnosis when none of the keys made the signature.
fn by_no_key(
    refusal: &Refusal,
    token: &LooseToken,
    body: &[u8],
    keys: &[&KnownKey],
    expected: Option<&KnownKey>,
) -> SignatureDiagnosis {
    let diagnosed = |finding| SignatureDiagnosis::new(finding, Some(refusal.cause));
    let input = token.headers.first().map(|header| signing_input(header, body));
    let is_pss = |input: &Vec<u8>| keys.iter().any(|key| key.verifies_pss(input, &token.signature));
    if input.as_ref().is_some_and(is_pss) {
        return diagnosed(SignatureFinding::PssInsteadOfPkcs1);
    }
    match refusal.cause {
        Cause::InvalidTokenFormat if token.is_repaired => diagnosed(SignatureFinding::PaddedBase64),
        Cause::SignatureMismatch if keys.is_empty() => diagnosed(SignatureFinding::CannotTell),
        Cause::SignatureMismatch if expected.is_none() => {
            diagnosed(SignatureFinding::KidUnregistered).with_detail(&refusal.detail)
        }
        Cause::SignatureMismatch => diagnosed(SignatureFinding::NothingFits),
        _ => see_cause(refusal, None),
    }
}

/// Whether `key` made the signature of `token` as RS256, over whatever bytes.
/// `None` if the token has no signature that can be read.
pub fn is_made_by(token: &str, key: &KnownKey) -> Option<bool> {
    let token = LooseToken::read(token)?;
    Some(key.signed_digest(&token.signature).is_some())
}

/// The key that should verify tokens of `kid`.
fn expected<'a>(keys: &'a [KnownKey], kid: &str) -> Option<&'a KnownKey> {
    let registered = keys.iter().find(|key| key.kid.as_deref() == Some(kid));
    registered.or_else(|| keys.iter().find(|key| key.kid.is_none()))
}

fn see_cause(refusal: &Refusal, besides: Option<&str>) -> SignatureDiagnosis {
    let mut detail = format!("{}; {}", refusal.detail, refusal.cause.remedy());
    if let Some(besides) = besides {
        detail.push_str("; ");
        detail.push_str(besides);
    }
    SignatureDiagnosis::new(SignatureFinding::SeeCause, Some(refusal.cause)).with_detail(&detail)
}

/// The diagnosis when the signed bytes are known.
fn explained(
    refusal: &Refusal,
    token: &LooseToken,
    found: &NearMiss,
    signed_by: &KnownKey,
    expected: Option<&KnownKey>,
) -> SignatureDiagnosis {
    let diagnosed = |finding| SignatureDiagnosis::new(finding, Some(refusal.cause));
    let by_other = expected.is_none_or(|expected| expected != signed_by);
    match found.finding {
        None if refusal.cause == Cause::InvalidTokenFormat && token.is_repaired => {
            diagnosed(SignatureFinding::PaddedBase64)
        }
        None if by_other && refusal.cause == Cause::SignatureMismatch => {
            diagnosed(SignatureFinding::OtherKey)
                .with_detail(&format!("it is {}", signed_by.description()))
        }
        None => see_cause(refusal, Some("the signature itself is valid for this body")),
        Some(finding) => {
            let mut detail = format!("what was signed is the body {}", found.written);
            if by_other {
                detail.push_str(&format!(", by {}", signed_by.description()));
            }
            if refusal.cause != Cause::SignatureMismatch {
                detail.push_str(&format!("; besides, {}", refusal.detail));
            }
            diagnosed(finding).with_detail(&detail)
        }
    }
}

/// A token parsed with all mistakes tolerated that leave it readable.
struct LooseToken {
    /// The encoded header as it is in the token, then in other encodings.
    headers: Vec<String>,
    signature: Vec<u8>,
    kid: Option<String>,
    /// Whether the token was not unpadded base64url and had to be converted.
    is_repaired: bool,
}

impl LooseToken {
    /// What the signature covers, if `known` made it over a variant of `body`.
    /// `digest` is the one that `known` recovers from the signature.
    fn near_miss(&self, known: &KnownKey, body: &[u8], digest: [u8; 32]) -> Option<NearMiss> {
        near_miss::search(&self.headers, body, digest)
            .filter(|found| known.key.verifies(&found.signing_input, &self.signature))
    }

    fn read(token: &str) -> Option<Self> {
        let (header, _payload, signature) = sections(token.trim()).ok()?;
        let repair = |text: &str| text.trim_end_matches('=').replace('+', "-").replace('/', "_");
        let plain = repair(header);
        let padded = format!("{plain}{}", "=".repeat((4 - plain.len() % 4) % 4));
        let other_alphabet = |text: &str| text.replace('-', "+").replace('_', "/");
        let kid = Json::parse(&decode_loosely(&plain)?).unwrap_or(Json::Null);
        let mut headers = vec![header.to_owned()];
        for variant in [other_alphabet(&plain), other_alphabet(&padded), padded, plain.clone()] {
            if !headers.contains(&variant) {
                headers.push(variant);
            }
        }
        Some(Self {
            headers,
            signature: decode_loosely(&repair(signature))?,
            kid: kid.get("kid").and_then(Json::as_str).map(str::to_owned),
            is_repaired: repair(signature) != signature || plain != header,
        })
    }
}

fn decode_loosely(encoded: &str) -> Option<Vec<u8>> {
    const FORGIVING: GeneralPurpose = GeneralPurpose::new(
        &URL_SAFE,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    FORGIVING.decode(encoded).ok()
}
