//! The findings of the doctor.

use std::fmt;

use payments_core::json::{Json, Members};
use payments_core::jws::Cause;

/// A finding about a signature.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum SignatureFinding {
    /// Nothing is wrong: the token is valid for the body.
    Valid,
    /// The cause is already the answer, for example that there is no token.
    SeeCause,
    /// The signed body had different white space or a different order of members.
    BodyReserialized,
    /// The body was pretty-printed when it was signed, but not when it was sent.
    BodyPrettyPrinted,
    /// The signed body had the same numbers in other digits.
    NumbersRewritten,
    /// Non-ASCII characters were escaped either when the body was signed or when it was sent.
    EscapedNonAscii,
    /// Slashes were escaped either when the body was signed or when it was sent.
    EscapedSlashes,
    /// A trailing line break was signed but not sent, or sent but not signed.
    TrailingNewline,
    /// A byte order mark was signed but not sent, or sent but not signed.
    ByteOrderMark,
    /// The header or the signature is base64 with padding or in the standard alphabet.
    PaddedBase64,
    /// The signature is in hexadecimal.
    HexadecimalSignature,
    /// The payload was encoded in the signing input.
    PayloadBase64Encoded,
    /// The signature is over an empty payload.
    EmptyPayloadSigned,
    /// The query of a request without a body was signed in a form other than the sent
    /// one.
    QueryRewritten,
    /// The key signed another digest, or something other than a digest.
    OtherDigest,
    /// The signature is RSASSA-PSS, such as PS256.
    PssInsteadOfPkcs1,
    /// Another of the given keys made the signature.
    OtherKey,
    /// The right key signed bytes that are not a known form of this body.
    OtherBytesSigned,
    /// The kid is not registered, or belongs to another key.
    KidUnregistered,
    /// No public key was given.
    CannotTell,
    /// No known mistake explains the signature.
    NothingFits,
}

/// A difference from the body as sent: the finding, and how the payload was
/// written.
pub(super) type Change = (SignatureFinding, &'static str);

impl SignatureFinding {
    /// The finding's name, for example `other_key`.
    pub const fn as_str(self) -> &'static str {
        self.texts().0
    }

    /// The finding and its remedy.
    pub const fn explanation(self) -> &'static str {
        self.texts().1
    }

    const fn texts(self) -> (&'static str, &'static str) {
        let (_, name, explanation) = TEXTS[self as usize];
        (name, explanation)
    }
}

/// The name and the explanation of each finding, in their order.
const TEXTS: [(SignatureFinding, &str, &str); 21] = [
    (SignatureFinding::Valid, "valid", "the token is valid for this body and this key"),
    (SignatureFinding::SeeCause, "see_cause", "the cause says what is wrong"),
    (
        SignatureFinding::BodyReserialized,
        "body_reserialized",
        "the body was serialized again after it was signed; serialize it once, and sign \
                 and send those same bytes",
    ),
    (
        SignatureFinding::BodyPrettyPrinted,
        "body_pretty_printed",
        "the body was pretty-printed when it was signed, but not when it was sent; \
                 serialize it once, and sign and send those same bytes",
    ),
    (
        SignatureFinding::NumbersRewritten,
        "numbers_rewritten",
        "the body was parsed and serialized again between signing and sending, which wrote \
                 its numbers in other digits (100.10 as 100.1, 100.00 as 100.0 or 100); \
                 serialize it once, and sign and send those same bytes",
    ),
    (
        SignatureFinding::EscapedNonAscii,
        "escaped_non_ascii",
        "non-ASCII characters were escaped (\\uXXXX) either when the body was signed or \
                 when it was sent; serialize it once, and sign and send those same bytes",
    ),
    (
        SignatureFinding::EscapedSlashes,
        "escaped_slashes",
        "slashes were escaped (\\/) either when the body was signed or when it was sent; \
                 serialize it once, and sign and send those same bytes",
    ),
    (
        SignatureFinding::TrailingNewline,
        "trailing_newline",
        "a trailing line break was signed but not sent, or sent but not signed; find the \
                 editor, `echo` or file that added or removed it",
    ),
    (
        SignatureFinding::ByteOrderMark,
        "byte_order_mark",
        "a byte order mark was signed but not sent, or sent but not signed; write the \
                 body as UTF-8 without one",
    ),
    (
        SignatureFinding::PaddedBase64,
        "padded_base64",
        "the header or the signature is not in base64url without padding; remove each = \
                 and replace + by - and / by _, in the header before it is signed",
    ),
    (
        SignatureFinding::HexadecimalSignature,
        "hexadecimal_signature",
        "the signature is in hexadecimal; encode the bytes of the signature itself in base64url \
                 without padding",
    ),
    (
        SignatureFinding::PayloadBase64Encoded,
        "payload_base64_encoded",
        "the payload was base64-encoded in the signing input; with b64 false it must not \
                 be encoded, and the protected header must say so (b64 and crit)",
    ),
    (
        SignatureFinding::EmptyPayloadSigned,
        "empty_payload_signed",
        "an empty payload was signed; pass the bytes of the body to the signer",
    ),
    (
        SignatureFinding::QueryRewritten,
        "query_rewritten",
        "the request has no body, and its query was signed in another form than it was sent; \
                 sign the empty payload (signed_query: empty), or if the service wants it, the \
                 query string as sent, without its question mark (signed_query: query)",
    ),
    (
        SignatureFinding::OtherDigest,
        "other_digest",
        "RS256 signs the SHA-256 digest of the signing input, in a DigestInfo; pass the \
                 signing input itself to a function that does all of it (RSASSA-PKCS1-v1_5 with \
                 SHA-256)",
    ),
    (
        SignatureFinding::PssInsteadOfPkcs1,
        "pss_instead_of_pkcs1",
        "the signature is RSASSA-PSS, such as PS256; sign with RSASSA-PKCS1-v1_5 and SHA-256 \
                 (RS256)",
    ),
    (
        SignatureFinding::OtherKey,
        "other_key",
        "another of the given keys made the signature; use the kid that is registered for \
                 that key, or sign with the key that is registered for this kid",
    ),
    (
        SignatureFinding::OtherBytesSigned,
        "other_bytes_signed",
        "the right key signed different bytes, and no known rewriting of the body explains \
                 them; compare the bytes that were signed with the bytes that were sent",
    ),
    (
        SignatureFinding::KidUnregistered,
        "kid_unregistered",
        "the kid is not registered, and none of the registered keys made the signature; \
                 compare the kid with the one the provider assigned to this public key, in this \
                 environment",
    ),
    (
        SignatureFinding::CannotTell,
        "cannot_tell",
        "the signature cannot be checked without a public key",
    ),
    (
        SignatureFinding::NothingFits,
        "nothing_fits",
        "none of the registered keys made the signature, and no known mistake explains it",
    ),
];

impl fmt::Display for SignatureFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The diagnosis of a signature. It contains nothing of the body, the token or
/// a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureDiagnosis {
    cause: Option<Cause>,
    finding: SignatureFinding,
    message: String,
}

impl SignatureDiagnosis {
    pub(super) fn new(finding: SignatureFinding, cause: Option<Cause>) -> Self {
        Self { cause, finding, message: finding.explanation().to_owned() }
    }

    /// Adds a detail to the message.
    pub(super) fn with_detail(mut self, detail: &str) -> Self {
        if self.finding == SignatureFinding::SeeCause {
            self.message.clear();
        } else {
            self.message.push_str(": ");
        }
        self.message.push_str(detail);
        self
    }

    /// Says it in other words.
    pub(super) fn with_message(mut self, message: String) -> Self {
        self.message = message;
        self
    }

    /// Adds what to do next.
    pub(super) fn with_advice(mut self, advice: &str) -> Self {
        self.message.push_str("; ");
        self.message.push_str(advice);
        self
    }

    /// The cause as the interface names it, if the token is refused.
    pub fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// The finding.
    pub fn finding(&self) -> SignatureFinding {
        self.finding
    }

    /// The finding and its remedy.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Cause, finding and message.
    pub fn to_json(&self) -> Json {
        let mut members = Members::new();
        members.push("cause", self.cause.map(Cause::as_str));
        members.push("finding", self.finding.as_str());
        members.push("message", self.message.as_str());
        Json::Object(members)
    }
}

impl fmt::Display for SignatureDiagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.finding, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_finding_has_its_own_texts() {
        for (index, (finding, name, _)) in TEXTS.iter().enumerate() {
            assert_eq!(*finding as usize, index, "{name}");
        }
        assert_eq!(TEXTS.len(), SignatureFinding::NothingFits as usize + 1);
    }
}
