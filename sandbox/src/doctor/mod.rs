//! Finds out why a signature does not verify.

mod bearer;
mod block;
mod difference;
mod finding;
mod hash;
mod interface;
mod known_key;
mod near_miss;
mod query;
mod rewriting;
mod style;

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use payments_core::json::Json;
use payments_core::jws::{Cause, Refusal, sections, verify};

pub use bearer::{BearerFinding, diagnose_bearer};
pub use difference::{Difference, differences, member_at, with_covered_keys};
pub use finding::{SignatureDiagnosis, SignatureFinding};
pub use known_key::KnownKey;

use self::block::{Block, Recipe};
use self::near_miss::NearMiss;
use self::query::query_of;

/// The result of [`examine`].
#[derive(Clone, PartialEq, Eq)]
pub struct Examination {
    /// The mistake.
    pub diagnosis: SignatureDiagnosis,
    /// The payload that was signed: the body or the query, or the rewriting of it
    /// that was recognized. It holds payer data, and of a query the integration key:
    /// show it only where the request may be shown.
    pub signed_payload: Option<Vec<u8>>,
}

impl Examination {
    fn valid(payload: &[u8]) -> Self {
        let diagnosis = SignatureDiagnosis::new(SignatureFinding::Valid, None);
        Self { diagnosis, signed_payload: Some(payload.to_vec()) }
    }
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
    examine(token, body, None, keys).diagnosis
}

/// Finds out what is wrong with `token` for `body`, and which bytes were signed.
///
/// The token should verify under the key registered for its kid, or else under
/// the first of `keys` without a known kid. If it does not, this function
/// searches for the mistake: it recovers the signed data once per key, and
/// compares it with digests of every likely form of the body. Of a body over 64
/// KiB, it changes only the ends.
///
/// Without a body, the token may also be over the query string as sent, and the
/// signed bytes are searched among the forms of the query: `url` is the URL of
/// the request, or its target.
pub fn examine(
    token: Option<&str>,
    body: &[u8],
    url: Option<&str>,
    keys: &[KnownKey],
) -> Examination {
    let verified =
        |payload| verify(token, payload, |kid| expected(keys, kid).map(|it| it.key.clone()));
    let url = url.filter(|_| body.is_empty());
    let refusal = match verified(body) {
        Ok(_) => return Examination::valid(body),
        Err(refusal) => refusal,
    };
    if let Some(query) = url.and_then(query_of).map(str::as_bytes)
        && verified(query).is_ok()
    {
        let Examination { diagnosis, signed_payload } = Examination::valid(query);
        let message =
            "the token is valid for this query and this key, as signed_query: query signs";
        return Examination {
            diagnosis: diagnosis.with_message(message.to_owned()),
            signed_payload,
        };
    }
    let Some(token) = token.and_then(LooseToken::read) else {
        return Examination { diagnosis: see_cause(&refusal, None), signed_payload: None };
    };
    if token.has_hexadecimal_signature() {
        let finding = SignatureFinding::HexadecimalSignature;
        let diagnosis = SignatureDiagnosis::new(finding, Some(refusal.cause));
        return Examination { diagnosis, signed_payload: None };
    }
    let expected = token.kid.as_deref().and_then(|kid| expected(keys, kid));
    let others = keys.iter().filter(|key| expected.is_none_or(|expected| *key != expected));
    let by_likelihood: Vec<&KnownKey> = expected.into_iter().chain(others).collect();

    let mut other_bytes = None;
    for &known in &by_likelihood {
        let Some(block) = known.block(&token.signature) else { continue };
        if let Some(found) = token.near_miss(known, body, url, &block) {
            let diagnosis = explained(&refusal, &token, &found, known, expected);
            return Examination { diagnosis, signed_payload: Some(found.payload) };
        }
        if block.is_certain() {
            other_bytes.get_or_insert((known, block));
        }
    }
    let diagnosis = match other_bytes {
        Some((known, block)) => over_other_bytes(&refusal, known, &block, expected),
        None => by_no_key(&refusal, &token, keys, expected),
    };
    Examination { diagnosis, signed_payload: None }
}

/// The diagnosis when `known` made `block` from bytes that are not a form of the
/// body.
fn over_other_bytes(
    refusal: &Refusal,
    known: &KnownKey,
    block: &Block,
    expected: Option<&KnownKey>,
) -> SignatureDiagnosis {
    let diagnosed = |finding| SignatureDiagnosis::new(finding, Some(refusal.cause));
    let is_expected = expected.is_some_and(|expected| expected == known);
    if let Some(what) = block.described() {
        let finding = match block {
            Block::Pss(_) => SignatureFinding::PssInsteadOfPkcs1,
            _ => SignatureFinding::OtherDigest,
        };
        let by = (!is_expected).then_some(known);
        return otherwise_signed(refusal, finding, &what, by);
    }
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
    keys: &[KnownKey],
    expected: Option<&KnownKey>,
) -> SignatureDiagnosis {
    const TRY_OWN: &str =
        "`payments doctor --key FILE` tells whether a private key of yours made it";
    let diagnosed = |finding| SignatureDiagnosis::new(finding, Some(refusal.cause));
    let own = keys.iter().find(|key| key.is_own());
    let advised = |diagnosis: SignatureDiagnosis| match own {
        None => diagnosis.with_advice(TRY_OWN),
        Some(own) if keys.iter().all(KnownKey::is_own) => diagnosis.with_message(format!(
            "{} did not make the signature, and no known mistake explains it; `--public-key FILE` \
             tells whether a registered key made it",
            own.description()
        )),
        Some(own) => {
            diagnosis.with_advice(&format!("{} did not make it either", own.description()))
        }
    };
    match refusal.cause {
        Cause::InvalidTokenFormat if token.is_repaired => diagnosed(SignatureFinding::PaddedBase64),
        Cause::SignatureMismatch if keys.is_empty() => {
            advised(diagnosed(SignatureFinding::CannotTell))
        }
        Cause::SignatureMismatch if expected.is_none() => {
            let found = diagnosed(SignatureFinding::KidUnregistered).with_detail(&refusal.detail);
            advised(found)
        }
        Cause::SignatureMismatch => advised(diagnosed(SignatureFinding::NothingFits)),
        _ => see_cause(refusal, None),
    }
}

/// Whether `key` made the signature of `token`, over any bytes. `None` if the
/// token has no signature that can be read.
pub fn is_made_by(token: &str, body: &[u8], key: &KnownKey) -> Option<bool> {
    let token = LooseToken::read(token)?;
    let block = key.block(&token.signature);
    Some(block.is_some_and(|it| it.is_certain() || token.near_miss(key, body, None, &it).is_some()))
}

/// The key that should verify tokens of `kid`.
fn expected<'a>(keys: &'a [KnownKey], kid: &str) -> Option<&'a KnownKey> {
    let registered = keys.iter().find(|key| key.kid.as_deref() == Some(kid));
    let of_any_kid = || keys.iter().find(|key| key.kid.is_none() && !key.is_own());
    registered.or_else(of_any_kid).or_else(|| keys.first().filter(|key| key.is_own()))
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
    let (finding, what) = match (&found.recipe, found.finding) {
        (Recipe::Rs256, None)
            if refusal.cause == Cause::InvalidTokenFormat && token.is_repaired =>
        {
            return diagnosed(SignatureFinding::PaddedBase64);
        }
        (Recipe::Rs256, None) if by_other && refusal.cause == Cause::SignatureMismatch => {
            return diagnosed(SignatureFinding::OtherKey)
                .with_detail(&format!("it is {}", signed_by.description()));
        }
        (Recipe::Rs256, None) => {
            return see_cause(refusal, Some("the signature itself is valid for this body"));
        }
        (Recipe::Other(what), _) => (SignatureFinding::OtherDigest, what.as_str()),
        (Recipe::Pss, None) => (SignatureFinding::PssInsteadOfPkcs1, "the signing input"),
        (Recipe::Pss, Some(_)) => (SignatureFinding::PssInsteadOfPkcs1, ""),
        (Recipe::Rs256, Some(finding)) => (finding, ""),
    };
    let part = match found.finding {
        Some(SignatureFinding::QueryRewritten) => "query",
        _ => "body",
    };
    let what = match (what, found.finding) {
        ("", _) => format!("the {part} {}", found.written),
        (what, None) => what.to_owned(),
        (what, Some(_)) => format!("{what}, with the {part} {}", found.written),
    };
    otherwise_signed(refusal, finding, &what, by_other.then_some(signed_by))
}

/// The diagnosis when `what` was signed, by an unexpected key if `by` names one.
fn otherwise_signed(
    refusal: &Refusal,
    finding: SignatureFinding,
    what: &str,
    by: Option<&KnownKey>,
) -> SignatureDiagnosis {
    let mut detail = format!("what was signed is {what}");
    if let Some(by) = by {
        detail.push_str(&format!(", by {}", by.description()));
    }
    if finding == SignatureFinding::OtherDigest && what.contains("SHA-1 digest") {
        detail.push_str("; openssl_sign of PHP takes SHA-1 unless OPENSSL_ALGO_SHA256 is given");
    }
    if refusal.cause != Cause::SignatureMismatch {
        detail.push_str(&format!("; besides, {}", refusal.detail));
    }
    SignatureDiagnosis::new(finding, Some(refusal.cause)).with_detail(&detail)
}

/// The hexadecimal digits of the shortest signature, of a key of 2048 bits.
const SHORTEST_HEX: usize = 512;

/// A token, parsed in spite of all mistakes that leave it readable.
struct LooseToken {
    /// The encoded header as it is in the token, then in other encodings.
    headers: Vec<String>,
    signature: Vec<u8>,
    kid: Option<String>,
    /// Whether the token was not unpadded base64url and had to be converted.
    is_repaired: bool,
}

impl LooseToken {
    /// The bytes that the signature covers, if `known` made it over a variant
    /// of `body`. `block` is the one that `known` recovers from the signature.
    fn near_miss(
        &self,
        known: &KnownKey,
        body: &[u8],
        url: Option<&str>,
        block: &Block,
    ) -> Option<NearMiss> {
        near_miss::search(&self.headers, body, url, block).filter(|found| {
            found.recipe != Recipe::Rs256
                || known.key.verifies(&found.signing_input, &self.signature)
        })
    }

    /// Whether the signature is hexadecimal text, as it is or in base64url.
    fn has_hexadecimal_signature(&self) -> bool {
        let is_hex =
            |text: &[u8]| text.len() >= SHORTEST_HEX && text.iter().all(u8::is_ascii_hexdigit);
        is_hex(&self.signature) || is_hex(URL_SAFE_NO_PAD.encode(&self.signature).as_bytes())
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

pub(crate) fn decode_loosely(encoded: &str) -> Option<Vec<u8>> {
    const FORGIVING: GeneralPurpose = GeneralPurpose::new(
        &URL_SAFE,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    FORGIVING.decode(encoded).ok()
}
