// Generated from spec/diagnosis.toml by generate/templates/diagnosis.rs.jinja; do not edit. To update: cargo xtask generate

//! The causes of a refusal, and the findings of a client.

use std::fmt;

/// The cause of a refusal. Interface, "Unauthorized requests".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cause {
    /// There is no token.
    MissingSignature,
    /// The token cannot be parsed.
    InvalidTokenFormat,
    /// The token contains a payload.
    PayloadNotDetached,
    /// A member of the protected header is missing or wrong.
    InvalidHeader,
    /// The key did not sign these bytes, or no key is registered for the kid.
    SignatureMismatch,
}

impl Cause {
    /// All variants, in the order of the documentation.
    pub const ALL: [Self; 5] = [
        Self::MissingSignature,
        Self::InvalidTokenFormat,
        Self::PayloadNotDetached,
        Self::InvalidHeader,
        Self::SignatureMismatch,
    ];

    /// The name in every language, for example `missing_signature`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MissingSignature => "missing_signature",
            Self::InvalidTokenFormat => "invalid_token_format",
            Self::PayloadNotDetached => "payload_not_detached",
            Self::InvalidHeader => "invalid_header",
            Self::SignatureMismatch => "signature_mismatch",
        }
    }

    /// The remedy.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::MissingSignature => "send the signed token in the header X-JWS-Signature",
            Self::InvalidTokenFormat => {
                "build the token from the protected header, two periods and the signature; encode header and signature in base64url without padding"
            }
            Self::PayloadNotDetached => "leave the section between the two periods empty",
            Self::InvalidHeader => {
                "set alg to RS256, kid to the key id, b64 to false and crit to [\"b64\"] in the protected header"
            }
            Self::SignatureMismatch => {
                "sign exactly the bytes that are sent, with the key that is registered for the kid"
            }
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The client's findings about a request that got a 401.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Finding {
    /// The cause already says what is wrong: the request was not signed.
    SeeCause,
    /// The kid is not registered, or belongs to another key.
    KidUnregistered,
    /// The request had no bearer token.
    BearerMissing,
    /// The bearer token was refused.
    BearerRefused,
    /// The client cannot tell why; the message has what it knows.
    CannotTell,
}

impl Finding {
    /// All variants, in the order of the documentation.
    pub const ALL: [Self; 5] = [
        Self::SeeCause,
        Self::KidUnregistered,
        Self::BearerMissing,
        Self::BearerRefused,
        Self::CannotTell,
    ];

    /// The name in every language, for example `see_cause`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SeeCause => "see_cause",
            Self::KidUnregistered => "kid_unregistered",
            Self::BearerMissing => "bearer_missing",
            Self::BearerRefused => "bearer_refused",
            Self::CannotTell => "cannot_tell",
        }
    }

    /// The finding and its remedy.
    pub(super) const fn explanation(self) -> &'static str {
        match self {
            Self::SeeCause => "the cause says what is wrong",
            Self::KidUnregistered => {
                "the kid is not registered or belongs to another key; compare it with the one the provider assigned to this public key, in this environment"
            }
            Self::BearerMissing => {
                "a bearer token is missing, and nothing else is known to be wrong"
            }
            Self::BearerRefused => {
                "the bearer token was refused; check the client id and secret, and that they are for this environment; have the client forget this token, and the next call requests another"
            }
            Self::CannotTell => {
                "the client cannot tell why the request was refused; only the provider's log has the reason"
            }
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
