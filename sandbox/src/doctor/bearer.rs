//! Findings about a bearer token from its text alone.

use payments_core::json::Json;

use super::decode_loosely;

/// How a JSON object begins in base64url.
const OBJECT: &str = "ey";

/// A finding about a bearer token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BearerFinding {
    /// Nothing that can be seen is wrong.
    NothingSeen,
    /// The end of the token is missing.
    Cut,
    /// The token has expired.
    Expired,
    /// The token was issued to another client.
    OtherClient,
    /// The token is not a JWT.
    NotAJwt,
}

impl BearerFinding {
    /// The finding's name, for example `other_client`.
    pub const fn as_str(self) -> &'static str {
        self.texts().0
    }

    /// The finding and its remedy.
    pub const fn explanation(self) -> &'static str {
        self.texts().1
    }

    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::NothingSeen => (
                "nothing_seen",
                "the token is whole and has not expired; only the service can tell whether it \
                 accepts it",
            ),
            Self::Cut => (
                "cut",
                "the end of the token is missing; look for a column, a header or a variable that \
                 is too short for it",
            ),
            Self::Expired => ("expired", "the token has expired; request a new one"),
            Self::OtherClient => (
                "other_client",
                "the token was issued to another client; request one with the client id of this \
                 configuration, and do not share a token store between clients",
            ),
            Self::NotAJwt => {
                ("not_a_jwt", "this is not a JWT; send the access_token of the token response")
            }
        }
    }
}

/// Looks at a bearer token: whether it is whole, and whether its claims say that
/// it has expired or belongs to a client other than `client_id`. `now` is in
/// seconds since 1970. Verifies nothing.
pub fn diagnose_bearer(token: &str, client_id: Option<&str>, now: u64) -> BearerFinding {
    let parts: Vec<&str> = token.trim().split('.').collect();
    if !parts[0].starts_with(OBJECT) || parts.len() > 3 {
        return BearerFinding::NotAJwt;
    }
    let &[header, claims, signature] = parts.as_slice() else { return BearerFinding::Cut };
    let (Some(header), Some(claims)) = (object(header), object(claims)) else {
        return BearerFinding::NotAJwt;
    };
    let length = decode_loosely(signature).map_or(0, |bytes| bytes.len());
    if length < least_signature(header.get("alg").and_then(Json::as_str)) {
        return BearerFinding::Cut;
    }
    let is_other = |own: &str| client_id.is_some_and(|client_id| client_id != own);
    let names = ["client_id", "azp"];
    let owner = names.iter().find_map(|name| claims.get(name).and_then(Json::as_str));
    if owner.is_some_and(is_other) {
        return BearerFinding::OtherClient;
    }
    match claims.get("exp").and_then(Json::as_u64) {
        Some(end) if end <= now => BearerFinding::Expired,
        _ => BearerFinding::NothingSeen,
    }
}

fn object(part: &str) -> Option<Json> {
    Json::parse(&decode_loosely(part)?).ok().filter(|json| json.as_object().is_some())
}

/// The fewest bytes of a signature by that algorithm (RFC 7518).
fn least_signature(algorithm: Option<&str>) -> usize {
    match algorithm {
        Some("none") => 0,
        Some("HS256") => 32,
        Some("HS384") => 48,
        Some("ES384") => 96,
        Some("RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512") => 256,
        Some("HS512" | "ES256" | "EdDSA") => 64,
        Some("ES512") => 132,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;

    fn jwt(claims: &str) -> String {
        let encoded = |text: &[u8]| URL_SAFE_NO_PAD.encode(text);
        let header = encoded(br#"{"alg":"HS256","typ":"JWT"}"#);
        format!("{header}.{}.{}", encoded(claims.as_bytes()), encoded(&[7; 32]))
    }

    #[test]
    fn a_bearer_token_is_described() {
        let token = jwt(r#"{"client_id":"mine","exp":1000}"#);
        let found = |token: &str, client, now| diagnose_bearer(token, client, now);
        assert_eq!(found(&token, Some("mine"), 999), BearerFinding::NothingSeen);
        assert_eq!(found(&token, None, 1000), BearerFinding::Expired);
        assert_eq!(found(&token, Some("other"), 1000), BearerFinding::OtherClient);
        assert_eq!(found(&jwt("{}"), Some("mine"), 1000), BearerFinding::NothingSeen);
        for other in ["", "Bearer x", "0123456789abcdef", "a.b.c", "eyJ9.e30.x.y"] {
            assert_eq!(found(other, None, 0), BearerFinding::NotAJwt, "{other}");
        }
    }

    #[test]
    fn a_truncated_token_is_recognized() {
        let token = jwt(r#"{"client_id":"mine"}"#);
        for length in 4..token.len() {
            let found = diagnose_bearer(&token[..length], Some("mine"), 0);
            assert_eq!(found, BearerFinding::Cut, "{length}: {}", &token[..length]);
        }
    }
}
