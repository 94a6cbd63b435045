//! What the doctor can find.

use std::fmt;

use super::Cause;

/// What is behind a refused token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Finding {
    /// Nothing: the token is good for the body.
    Valid,
    /// The cause says everything, for example that there is no token.
    SeeCause,
    /// Other white space or another order of members was signed.
    BodyReserialized,
    /// The body was signed in lines, and not sent so.
    BodyPrettyPrinted,
    /// A line end at the end of the body was signed and not sent, or the
    /// other way round.
    TrailingNewline,
    /// The line ends within the body changed after it was signed.
    LineEnds,
    /// A byte order mark was signed and not sent, or the other way round.
    ByteOrderMark,
    /// Non-ASCII characters were escaped before or after signing.
    EscapedNonAscii,
    /// Slashes were escaped before or after signing.
    EscapedSlashes,
    /// The token is written in base64 with padding or in the other alphabet.
    PaddedBase64,
    /// The payload was encoded in the signing input.
    PayloadBase64Encoded,
    /// The signature is over an empty payload.
    EmptyPayloadSigned,
    /// The signature is PS256.
    PssInsteadOfPkcs1,
    /// The signature is that of another of the given keys.
    OtherKey,
    /// The right key signed something that is no known form of this body.
    OtherBytesSigned,
    /// Nobody knows the kid, or it belongs to another key.
    KidUnregistered,
    /// The bearer token was refused.
    BearerRefused,
    /// The request was changed between here and the service.
    AlteredOnTheWay,
    /// What is known here does not say why.
    CannotTell,
    /// No known mistake explains the signature.
    NothingFits,
}

impl Finding {
    /// Every finding.
    pub const ALL: [Self; 20] = [
        Self::Valid,
        Self::SeeCause,
        Self::BodyReserialized,
        Self::BodyPrettyPrinted,
        Self::TrailingNewline,
        Self::LineEnds,
        Self::ByteOrderMark,
        Self::EscapedNonAscii,
        Self::EscapedSlashes,
        Self::PaddedBase64,
        Self::PayloadBase64Encoded,
        Self::EmptyPayloadSigned,
        Self::PssInsteadOfPkcs1,
        Self::OtherKey,
        Self::OtherBytesSigned,
        Self::KidUnregistered,
        Self::BearerRefused,
        Self::AlteredOnTheWay,
        Self::CannotTell,
        Self::NothingFits,
    ];

    /// The finding's name in every language, for example `other_key`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::SeeCause => "see_cause",
            Self::BodyReserialized => "body_reserialized",
            Self::BodyPrettyPrinted => "body_pretty_printed",
            Self::TrailingNewline => "trailing_newline",
            Self::LineEnds => "line_ends",
            Self::ByteOrderMark => "byte_order_mark",
            Self::EscapedNonAscii => "escaped_non_ascii",
            Self::EscapedSlashes => "escaped_slashes",
            Self::PaddedBase64 => "padded_base64",
            Self::PayloadBase64Encoded => "payload_base64_encoded",
            Self::EmptyPayloadSigned => "empty_payload_signed",
            Self::PssInsteadOfPkcs1 => "pss_instead_of_pkcs1",
            Self::OtherKey => "other_key",
            Self::OtherBytesSigned => "other_bytes_signed",
            Self::KidUnregistered => "kid_unregistered",
            Self::BearerRefused => "bearer_refused",
            Self::AlteredOnTheWay => "altered_on_the_way",
            Self::CannotTell => "cannot_tell",
            Self::NothingFits => "nothing_fits",
        }
    }

    /// What was found and what to do about it.
    const fn explanation(self) -> &'static str {
        match self {
            Self::Valid => "the token is good for this body and this key",
            Self::SeeCause => "the cause says what is wrong",
            Self::BodyReserialized => {
                "the body was serialized again after it was signed; serialize it once, and sign \
                 and send those same bytes"
            }
            Self::BodyPrettyPrinted => {
                "the body was signed pretty-printed and sent otherwise; serialize it once, and \
                 sign and send those same bytes"
            }
            Self::TrailingNewline => {
                "a line end at the end of the body was signed and not sent, or sent and not \
                 signed; look at the editor, `echo` or file that added or removed it"
            }
            Self::LineEnds => {
                "the line ends of the body changed after it was signed; read and send it as \
                 bytes, not as text"
            }
            Self::ByteOrderMark => {
                "a byte order mark was signed and not sent, or sent and not signed; write the \
                 body as UTF-8 without one"
            }
            Self::EscapedNonAscii => {
                "non-ASCII characters were escaped (\\uXXXX) either when the body was signed or \
                 when it was sent; serialize it once, and sign and send those same bytes"
            }
            Self::EscapedSlashes => {
                "slashes were escaped (\\/) either when the body was signed or when it was sent; \
                 serialize it once, and sign and send those same bytes"
            }
            Self::PaddedBase64 => {
                "the header or the signature is in another base64 than base64url without padding; \
                 remove each =, and write - for + and _ for /, in the header before it is signed"
            }
            Self::PayloadBase64Encoded => {
                "the payload was base64-encoded in the signing input; with b64 false it stands \
                 there raw, and the protected header must say so (b64 and crit)"
            }
            Self::EmptyPayloadSigned => {
                "an empty payload was signed; give the signer the bytes of the body"
            }
            Self::PssInsteadOfPkcs1 => {
                "the signature is RSASSA-PSS (PS256); sign with RSASSA-PKCS1-v1_5 and SHA-256 \
                 (RS256)"
            }
            Self::OtherKey => {
                "another of the given keys made the signature; use the kid that is registered for \
                 that key, or sign with the key that is registered for this kid"
            }
            Self::OtherBytesSigned => {
                "the right key made the signature, but over other bytes; compare the bytes that \
                 were signed with the bytes that were sent"
            }
            Self::KidUnregistered => {
                "the kid is not registered or belongs to another key; compare it with the one the \
                 provider assigned to this public key, in this environment"
            }
            Self::BearerRefused => {
                "the bearer token was refused; check the client id and secret, and that they are \
                 for this environment"
            }
            Self::AlteredOnTheWay => {
                "the request was good when it left and was altered on the way; look for a proxy \
                 that rewrites bodies or headers"
            }
            Self::CannotTell => {
                "nothing known here says why the request was refused; ask the provider, who can \
                 see the reason in the log"
            }
            Self::NothingFits => {
                "no known mistake explains the signature; compare the key, the kid and the signed \
                 bytes with what the other side has"
            }
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What was found out about a token. It holds nothing of the body, the token
/// or a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnosis {
    cause: Option<Cause>,
    finding: Finding,
    message: String,
}

impl Diagnosis {
    /// A diagnosis with the finding's own message: for what is found out
    /// without the token, such as that the bearer token was refused.
    pub fn new(finding: Finding, cause: Option<Cause>) -> Self {
        Self { cause, finding, message: finding.explanation().to_owned() }
    }

    /// The same with what is known besides.
    pub(crate) fn with_detail(mut self, detail: &str) -> Self {
        if self.finding == Finding::SeeCause {
            self.message.clear();
        } else {
            self.message.push_str(": ");
        }
        self.message.push_str(detail);
        self
    }

    /// The interface's cause, if the token is refused.
    pub fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// What is behind it.
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
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.finding, self.message)
    }
}
