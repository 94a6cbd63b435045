//! The authorization server: issues, checks, and withholds tokens.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::config::{SandboxConfig, TokenLimit};
use crate::doctor::{BearerFinding, diagnose_bearer};
use crate::rng::Rng;

/// Above this number, expired tokens are forgotten.
const REMEMBERED_TOKENS: usize = 4096;
/// Fewer letters than this are not a part of a token.
const LEAST_PART: usize = 8;

/// The result of checking a request's bearer token.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum BearerCheck {
    /// Not checked, or the request needs no token.
    #[default]
    NotChecked,
    /// No token, and none is required.
    Absent,
    /// No token, although one is required.
    Missing,
    /// The token was issued and has not expired.
    Valid,
    /// The header does not contain `Bearer` and a token.
    Malformed,
    /// No such token was issued here.
    Unknown,
    /// The end of the token is missing.
    Cut,
    /// The token was issued to another client.
    OtherClient,
    /// The token has expired.
    Expired,
    /// The token was revoked.
    Revoked,
}

impl BearerCheck {
    /// The name in the request log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotChecked => "not_checked",
            Self::Absent => "absent",
            Self::Missing => "missing",
            Self::Valid => "valid",
            Self::Malformed => "malformed",
            Self::Unknown => "unknown",
            Self::Cut => "cut",
            Self::OtherClient => "other_client",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }

    /// Whether the result causes a refusal.
    pub const fn is_refusal(self) -> bool {
        !matches!(self, Self::NotChecked | Self::Absent | Self::Valid)
    }
}

/// How token requests are refused during a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TokenBlock {
    /// The status of the response, for example 429 or 403.
    pub status: u16,
    /// `Retry-After` in seconds; `None` omits the header.
    pub retry_after: Option<u64>,
    /// How long the block lasts; `None` means until it is lifted.
    pub duration: Option<Duration>,
}

#[derive(Debug)]
struct IssuedToken {
    expires: Option<Instant>,
    revoked: bool,
}

/// The issued tokens, and the state of rate limiting.
#[derive(Debug)]
pub(crate) struct Tokens {
    rng: Rng,
    revision: u64,
    issued: HashMap<String, IssuedToken>,
    recent: VecDeque<Instant>,
    block: Option<(TokenBlock, Option<Instant>)>,
}

impl Tokens {
    /// Each start issues other tokens, whatever the seed: after a restart, an
    /// earlier token is refused, and a new one differs from it.
    pub(crate) fn new() -> Self {
        Self {
            rng: Rng::new(RandomState::new().build_hasher().finish(), "tokens"),
            revision: 0,
            issued: HashMap::new(),
            recent: VecDeque::new(),
            block: None,
        }
    }

    /// Forgets tokens, counts, and blocks. New tokens differ from the old ones,
    /// so that the old ones stay unknown.
    pub(crate) fn reset(&mut self) {
        self.revision += 1;
        self.issued.clear();
        self.recent.clear();
        self.block = None;
    }

    /// A counter that every change increments.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// The valid tokens with their remaining lifetimes, longest first. `None`
    /// means that the token never expires.
    pub(crate) fn live(&self, now: Instant) -> Vec<(&str, Option<Duration>)> {
        let valid =
            self.issued.iter().filter(|(token, _)| self.check(token, now) == BearerCheck::Valid);
        let left = |issued: &IssuedToken| issued.expires.map(|end| end.duration_since(now));
        let mut live: Vec<_> = valid.map(|(token, it)| (token.as_str(), left(it))).collect();
        live.sort_by_key(|(token, left)| (left.is_some(), std::cmp::Reverse(*left), *token));
        live
    }

    /// The block in force, if any, with its remaining time.
    pub(crate) fn blocked(&self, now: Instant) -> Option<(TokenBlock, Option<Duration>)> {
        let (block, end) = self.block.as_ref()?;
        match end {
            Some(end) if *end <= now => None,
            Some(end) => Some((*block, Some(end.duration_since(now)))),
            None => Some((*block, None)),
        }
    }

    pub(crate) fn block(&mut self, block: Option<TokenBlock>, now: Instant) {
        self.revision += 1;
        self.recent.clear();
        self.block =
            block.map(|block| (block, block.duration.and_then(|time| now.checked_add(time))));
    }

    /// Counts a request. Returns how to refuse it, if it is blocked.
    pub(crate) fn admit(&mut self, limit: TokenLimit, now: Instant) -> Option<TokenBlock> {
        match self.block {
            Some((_, Some(end))) if end <= now => self.block = None,
            Some((mut block, end)) => {
                if let (Some(end), Some(_)) = (end, block.retry_after) {
                    block.retry_after = Some(whole_seconds(end.duration_since(now)));
                }
                return Some(block);
            }
            None => {}
        }
        if limit.requests == 0 {
            return None;
        }
        while self.recent.front().is_some_and(|&then| now.duration_since(then) >= limit.window) {
            self.recent.pop_front();
        }
        if self.recent.len() < usize::try_from(limit.requests).unwrap_or(usize::MAX) {
            self.recent.push_back(now);
            return None;
        }
        let block = TokenBlock {
            status: limit.status,
            retry_after: Some(whole_seconds(limit.window)),
            duration: Some(limit.window),
        };
        self.block(Some(block), now);
        Some(block)
    }

    /// Issues a token and returns the interface's token response.
    pub(crate) fn issue(&mut self, config: &SandboxConfig, now: Instant) -> Value {
        if self.issued.len() >= REMEMBERED_TOKENS {
            self.issued.retain(|_, token| token.expires.is_none_or(|expires| expires > now));
        }
        self.revision += 1;
        let jti = self.rng.uuid();
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let token = format!(
            "{}.{}.{}",
            part(&json!({"alg": "HS256", "typ": "JWT"})),
            part(&json!({
                "client_id": config.client_id, "jti": jti, "scope": ["all"],
                "user_name": config.user_name,
            })),
            URL_SAFE_NO_PAD.encode(self.rng.bytes(32)),
        );
        let expires = now.checked_add(config.token_lifetime);
        self.issued.insert(token.clone(), IssuedToken { expires, revoked: false });
        json!({
            "access_token": token,
            "token_type": "bearer",
            "expires_in": config.token_lifetime.as_secs(),
            "scope": "all",
            "user_name": config.user_name,
            "jti": jti,
        })
    }

    pub(crate) fn check(&self, token: &str, now: Instant) -> BearerCheck {
        match self.issued.get(token) {
            None => BearerCheck::Unknown,
            Some(token) if token.revoked => BearerCheck::Revoked,
            Some(token) if token.expires.is_some_and(|expires| expires <= now) => {
                BearerCheck::Expired
            }
            Some(_) => BearerCheck::Valid,
        }
    }

    /// Like [`check`](Self::check), and describes a token that was not issued
    /// here.
    pub(crate) fn check_presented(
        &self,
        token: &str,
        client_id: &str,
        now: Instant,
    ) -> BearerCheck {
        match self.check(token, now) {
            BearerCheck::Unknown => {}
            known => return known,
        }
        if token.len() >= LEAST_PART && self.issued.keys().any(|issued| issued.starts_with(token)) {
            return BearerCheck::Cut;
        }
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        match diagnose_bearer(token, Some(client_id), since_1970.as_secs()) {
            BearerFinding::Cut => BearerCheck::Cut,
            BearerFinding::OtherClient => BearerCheck::OtherClient,
            BearerFinding::Expired => BearerCheck::Expired,
            _ => BearerCheck::Unknown,
        }
    }

    /// Revokes one token, or all. Returns how many were valid.
    pub(crate) fn revoke(&mut self, only: Option<&str>) -> usize {
        self.revision += 1;
        let mut revoked = 0;
        for (token, issued) in &mut self.issued {
            if only.is_none_or(|only| only == token) && !issued.revoked {
                issued.revoked = true;
                revoked += 1;
            }
        }
        revoked
    }
}

fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(tokens: &mut Tokens, config: &SandboxConfig, now: Instant) -> String {
        tokens.issue(config, now)["access_token"].as_str().unwrap().to_owned()
    }

    #[test]
    fn token_lives_until_it_expires_or_is_revoked() {
        let config =
            SandboxConfig { token_lifetime: Duration::from_secs(10), ..SandboxConfig::default() };
        let mut tokens = Tokens::new();
        let now = Instant::now();
        let first = token(&mut tokens, &config, now);
        assert_eq!(tokens.check(&first, now), BearerCheck::Valid);
        assert_eq!(tokens.check(&first, now + config.token_lifetime), BearerCheck::Expired);
        assert_eq!(tokens.check("another", now), BearerCheck::Unknown);
        assert_eq!(tokens.revoke(None), 1);
        assert_eq!(tokens.check(&first, now), BearerCheck::Revoked);
        tokens.reset();
        let second = token(&mut tokens, &config, now);
        assert_ne!(first, second);
        assert_eq!(tokens.check(&first, now), BearerCheck::Unknown);
    }

    #[test]
    fn two_starts_issue_different_tokens() {
        let config = SandboxConfig::default();
        let now = Instant::now();
        let [first, second] = [(); 2].map(|()| Tokens::new().issue(&config, now));
        assert_ne!(first["access_token"], second["access_token"]);
        assert_ne!(first["jti"], second["jti"]);
    }

    #[test]
    fn the_kind_of_a_foreign_token_is_named() {
        let config = SandboxConfig { client_id: "mine".to_owned(), ..SandboxConfig::default() };
        let other = SandboxConfig { client_id: "other".to_owned(), ..SandboxConfig::default() };
        let mut tokens = Tokens::new();
        let mut elsewhere = Tokens::new();
        let now = Instant::now();
        let issued = token(&mut tokens, &config, now);
        let check = |token: &str| tokens.check_presented(token, "mine", now);
        assert_eq!(check(&issued), BearerCheck::Valid);
        assert_eq!(check(&issued[..20]), BearerCheck::Cut);
        let foreign = token(&mut elsewhere, &other, now);
        assert_eq!(check(&foreign), BearerCheck::OtherClient);
        assert_eq!(check(&foreign[..foreign.len() - 5]), BearerCheck::Cut);
        assert_eq!(check(&token(&mut elsewhere, &config, now)), BearerCheck::Unknown);
        assert_eq!(check("e"), BearerCheck::Unknown);
    }

    #[test]
    fn mass_requests_are_blocked_for_one_window() {
        let limit = TokenLimit { requests: 2, ..TokenLimit::default() };
        let mut tokens = Tokens::new();
        let now = Instant::now();
        assert_eq!(tokens.admit(limit, now), None);
        assert_eq!(tokens.admit(limit, now), None);
        assert_eq!(tokens.admit(limit, now).unwrap().retry_after, Some(60));
        let later = now + Duration::from_secs(20);
        assert_eq!(tokens.admit(limit, later).unwrap().retry_after, Some(40));
        assert_eq!(tokens.admit(limit, now + limit.window), None);
    }

    #[test]
    fn block_by_hand_lasts_until_it_is_lifted() {
        let limit = TokenLimit { requests: 0, ..TokenLimit::default() };
        let mut tokens = Tokens::new();
        let now = Instant::now();
        let block = TokenBlock { status: 403, retry_after: None, duration: None };
        tokens.block(Some(block), now);
        assert_eq!(tokens.admit(limit, now + Duration::from_secs(9999)), Some(block));
        tokens.block(None, now);
        assert_eq!(tokens.admit(limit, now), None);
    }
}
