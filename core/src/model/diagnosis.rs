//! Why a request was refused, as errors of a 401 report it and `jws::doctor`
//! finds it.

use std::fmt;

use crate::base::named::named;
use crate::model::json::{Json, Members};

named! {
    /// The cause of a refusal. Interface, "Unauthorized requests".
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    Cause {
        /// The cause's name in every language, for example `missing_signature`.
        as_str,
        /// What to do about it.
        pub remedy,
    }
    MissingSignature "missing_signature" "There is no token."
        "send the signed token in the header X-JWS-Signature";
    InvalidTokenFormat "invalid_token_format" "The token cannot be parsed."
        "build the token from the protected header, two periods and the signature; encode header \
         and signature in base64url without padding";
    PayloadNotDetached "payload_not_detached" "The token contains a payload."
        "leave the section between the two periods empty";
    InvalidHeader "invalid_header" "A member of the protected header is missing or wrong."
        "set alg to RS256, kid to the key id, b64 to false and crit to [\"b64\"] in the \
         protected header";
    SignatureMismatch "signature_mismatch"
        "The key did not sign these bytes, or no key is registered for the kid."
        "sign exactly the bytes that are sent, with the key that is registered for the kid";
}

named! {
    /// What was found about a refused token or request.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    #[non_exhaustive]
    Finding {
        /// The finding's name in every language, for example `other_key`.
        as_str,
        /// What was found and what to do about it.
        explanation,
    }
    Valid "valid" "Nothing is wrong: the token is valid for the body."
        "the token is valid for this body and this key";
    SeeCause "see_cause"
        "The cause already says what is wrong, for example that there is no token."
        "the cause says what is wrong";
    BodyReserialized "body_reserialized"
        "The signed body had different white space or a different order of members."
        "the body was serialized again after it was signed; serialize it once, and sign and send \
         those same bytes";
    BodyPrettyPrinted "body_pretty_printed"
        "The body was pretty-printed when it was signed, but not when it was sent."
        "the body was pretty-printed when it was signed, but not when it was sent; serialize it \
         once, and sign and send those same bytes";
    TrailingNewline "trailing_newline"
        "A trailing line break was signed but not sent, or sent but not signed."
        "a trailing line break was signed but not sent, or sent but not signed; find the editor, \
         `echo` or file that added or removed it";
    LineEnds "line_ends" "The line endings of the body changed after it was signed."
        "the line endings of the body changed after it was signed; read and send it as bytes, \
         not as text";
    ByteOrderMark "byte_order_mark"
        "A byte order mark was signed but not sent, or sent but not signed."
        "a byte order mark was signed but not sent, or sent but not signed; write the body as \
         UTF-8 without one";
    EscapedNonAscii "escaped_non_ascii"
        "Non-ASCII characters were escaped either when the body was signed or when it was sent."
        "non-ASCII characters were escaped (\\uXXXX) either when the body was signed or when it \
         was sent; serialize it once, and sign and send those same bytes";
    EscapedSlashes "escaped_slashes"
        "Slashes were escaped either when the body was signed or when it was sent."
        "slashes were escaped (\\/) either when the body was signed or when it was sent; serialize \
         it once, and sign and send those same bytes";
    PaddedBase64 "padded_base64"
        "The header or the signature is base64 with padding or in the standard alphabet."
        "the header or the signature is not in base64url without padding; remove each = and \
         replace + by - and / by _, in the header before it is signed";
    PayloadBase64Encoded "payload_base64_encoded" "The payload was encoded in the signing input."
        "the payload was base64-encoded in the signing input; with b64 false it must not be \
         encoded, and the protected header must say so (b64 and crit)";
    EmptyPayloadSigned "empty_payload_signed" "The signature is over an empty payload."
        "an empty payload was signed; pass the bytes of the body to the signer";
    PssInsteadOfPkcs1 "pss_instead_of_pkcs1" "The signature is PS256."
        "the signature is RSASSA-PSS (PS256); sign with RSASSA-PKCS1-v1_5 and SHA-256 (RS256)";
    OtherKey "other_key" "Another of the given keys made the signature."
        "another of the given keys made the signature; use the kid that is registered for that \
         key, or sign with the key that is registered for this kid";
    OtherBytesSigned "other_bytes_signed"
        "The right key signed bytes that are no known form of this body."
        "the right key signed different bytes; compare the bytes that were signed with the bytes \
         that were sent";
    KidUnregistered "kid_unregistered" "The kid is not registered, or belongs to another key."
        "the kid is not registered or belongs to another key; compare it with the one the provider \
         assigned to this public key, in this environment";
    BearerMissing "bearer_missing" "The request had no bearer token."
        "a bearer token is missing, and nothing else is known to be wrong";
    BearerRefused "bearer_refused" "The bearer token was refused."
        "the bearer token was refused; check the client id and secret, and that they are for this \
         environment";
    CannotTell "cannot_tell" "The client cannot tell why; the message has what it knows."
        "the client cannot tell why the request was refused; only the provider's log has the reason";
    NothingFits "nothing_fits" "No known mistake explains the signature."
        "no known mistake explains the signature; compare the key, the kid and the signed bytes \
         with those of the other side";
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The diagnosis of a refused token. It contains nothing of the body, the token
/// or a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnosis {
    cause: Option<Cause>,
    finding: Finding,
    message: String,
}

impl Diagnosis {
    /// A diagnosis with the finding's own message, for findings that need no
    /// token, such as a refused bearer token.
    pub fn new(finding: Finding, cause: Option<Cause>) -> Self {
        Self { cause, finding, message: finding.explanation().to_owned() }
    }

    /// Adds a detail to the message.
    pub(crate) fn with_detail(mut self, detail: &str) -> Self {
        if self.finding == Finding::SeeCause {
            self.message.clear();
        } else {
            self.message.push_str(": ");
        }
        self.message.push_str(detail);
        self
    }

    /// The cause as the interface names it, if the token is refused.
    pub fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// What was found.
    pub fn finding(&self) -> Finding {
        self.finding
    }

    /// The finding's name, for example `other_key`.
    pub fn code(&self) -> &'static str {
        self.finding.as_str()
    }

    /// What was found and what to do about it.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Cause, finding and message.
    pub fn to_json(&self) -> Json {
        let mut members = Members::new();
        members.push("cause", self.cause().map(Cause::as_str));
        members.push("finding", self.code());
        members.push("message", self.message());
        Json::Object(members)
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.finding, self.message)
    }
}
