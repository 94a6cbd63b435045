//! Bearer tokens: requested as rarely and shared as widely as possible.

// - `manager.rs`: when to ask the token server: one caller asks, the others use
//   the result
// - `state.rs`: the token of this process, and the next step of a caller
// - `need.rs`: the token that a caller needs, and whether it may ask
// - `source.rs`, `access.rs`: waiting for the token or the lock of a store; the
//   stores of one call, and events deferred until the locks are released
// - `request.rs`, `refusal.rs`, `refusal/`, `credentials.rs`, `backoff.rs`: the
//   request, its refusals, and how long to stay away then
// - `arbitration.rs`, `replacements.rs`, `forgetting.rs`: whether the token is
//   to blame for a 401, when a refused one may be replaced again, and dropping
//   one on demand
// - `file/`, `redis/`, `sealer.rs`, `entry_json.rs`, `dated.rs`: the stores, the
//   encrypted form of their entries, and entries that another clock wrote
// - `fuzzing.rs`: readers for `tests/fuzz`

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use payments_base::debug_shows;
use payments_base::hex::hex;
use payments_base::secret::Secret;
use sha2::{Digest as _, Sha256};

use payments_transport::context::CallContext;

mod access;
mod arbitration;
mod backoff;
mod credentials;
mod dated;
mod entry_json;
mod file;
mod forgetting;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod manager;
mod need;
#[cfg(feature = "redis")]
mod redis;
mod refusal;
mod replacements;
mod request;
mod sealer;
mod source;
mod state;

pub(crate) use access::Dependencies;
pub(crate) use arbitration::{Challenge, NoReplacement, TokenAcceptance};
pub(crate) use credentials::Credentials;
pub use file::FileStore;
pub(crate) use manager::TokenManager;
pub use manager::TokenStatus;
#[cfg(feature = "redis")]
pub use redis::RedisStore;
pub use replacements::Replacements;
#[cfg(test)]
pub(crate) use replacements::{Rest, RestReason};
pub(crate) use sealer::Sealer;
pub(crate) use state::TokenCache;

/// `POST {auth_url}/authorization-server/oauth/token`. Interface, "OAuth 2.0
/// client credentials".
const TOKEN_PATH: &str = "/authorization-server/oauth/token";

/// A source of time. Tests can supply their own.
pub trait Clock: Send + Sync {
    /// Monotonic time.
    fn monotonic(&self) -> Instant;
    /// Time since 1970-01-01 UTC, by the system's wall clock.
    fn unix(&self) -> Duration;
}

/// The clocks of the operating system.
#[derive(Clone, Copy, Default, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn monotonic(&self) -> Instant {
        Instant::now()
    }

    fn unix(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

/// The longest token lifetime of any environment: 24 hours in the sandbox.
pub(crate) const LONGEST_LIFETIME: Duration = Duration::from_secs(86_400);

/// Times further in the future come from a clock that ran ahead.
const TOLERATED_SKEW: u64 = 60;

/// One reading of both clocks.
#[derive(Clone, Copy)]
struct Now {
    monotonic: Instant,
    unix: Duration,
}

impl Now {
    fn read(clock: &dyn Clock) -> Self {
        Self { monotonic: clock.monotonic(), unix: clock.unix() }
    }

    /// Time since that moment. `None` if it is too far in the future to make
    /// sense.
    fn since(self, unix_seconds: u64) -> Option<Duration> {
        let is_ahead = unix_seconds > self.unix.as_secs().saturating_add(TOLERATED_SKEW);
        (!is_ahead).then(|| self.unix.saturating_sub(Duration::from_secs(unix_seconds)))
    }

    /// The time of this clock for `time` of one that shows `since` now.
    fn translate(self, since: u64, time: u64) -> u64 {
        time.saturating_add(self.unix.as_secs()).saturating_sub(since)
    }

    /// Whether that moment is less than `span` ago.
    fn is_within(self, span: Duration, unix_seconds: Option<u64>) -> bool {
        unix_seconds.and_then(|since| self.since(since)).is_some_and(|age| age < span)
    }
}

/// Identifies the owner of a token: token server, client id and client secret.
/// Neither two merchants nor two secrets of one merchant share an entry.
///
/// The key is a hash, so it is safe in file names and logs.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TokenKey(String);

impl TokenKey {
    /// The key for these credentials at this token server.
    pub fn new(auth_url: &str, client_id: &str, client_secret: &Secret) -> Self {
        let mut digest = Sha256::new();
        for part in [auth_url, client_id, client_secret.expose()] {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        Self(hex(&digest.finalize()))
    }

    /// 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenKey({})", self.0.get(..8).unwrap_or_default())
    }
}

/// A bearer token with its times in seconds since 1970 UTC. `Debug` shows
/// neither the value nor the values of the members.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// The token as sent in the header.
    pub value: Secret,
    /// When the token was requested.
    pub obtained_at: u64,
    /// When the token expires.
    pub expires_at: u64,
    /// `scope`, `user_name` and `jti` of the token response, as received.
    pub members: BTreeMap<String, String>,
}

debug_shows!(
    Token,
    |it| obtained_at = it.obtained_at,
    expires_at = it.expires_at,
    members = it.members.keys()
);

impl Token {
    fn lifetime(&self) -> Duration {
        Duration::from_secs(self.expires_at.saturating_sub(self.obtained_at))
    }

    /// Whether the value is valid in a header.
    fn can_stand_in_a_header(&self) -> bool {
        !self.value.expose().is_empty() && self.value.expose().bytes().all(|b| b.is_ascii_graphic())
    }
}

/// A period in which no client contacts the token server. Times are seconds
/// since 1970 UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    /// When the token server failed or refused.
    pub since: u64,
    /// When the token server may be contacted again.
    pub until: u64,
    /// The number of failures in a row.
    pub failures: u32,
}

/// The entry of a store for one key.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TokenEntry {
    /// The token, if any.
    pub token: Option<Token>,
    /// The backoff, if any.
    pub backoff: Option<Backoff>,
    /// The replacements of refused tokens so far, and when the next one may be
    /// replaced.
    pub replacements: Replacements,
}

/// The number of a lock. A later lock of the same key has a larger one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fence(pub u64);

/// Stores tokens for all clients that share it, in one process, on one host, or
/// in a fleet.
///
/// If a store fails, calls bypass it and use a token in memory, and the
/// observer gets an event. The crate holds no lock while it calls
/// these methods. A method that waits must check `context` at least every
/// 100 ms.
pub trait TokenStore: Send + Sync {
    /// Returns the entry for `key`. An absent or unreadable one is an empty
    /// entry.
    ///
    /// # Errors
    /// If the store does not work.
    fn load(&self, context: &CallContext, key: &TokenKey) -> Result<TokenEntry, StoreError>;

    /// Saves `entry`, unless a holder with a later fence has saved already;
    /// then returns `false`.
    ///
    /// # Errors
    /// If the store does not work.
    fn save(
        &self,
        context: &CallContext,
        key: &TokenKey,
        entry: &TokenEntry,
        fence: Fence,
    ) -> Result<bool, StoreError>;

    /// Removes the token if it is still `value`, and keeps the rest of the
    /// entry. Returns whether it removed the token.
    ///
    /// # Errors
    /// If the store does not work.
    fn delete_if(
        &self,
        context: &CallContext,
        key: &TokenKey,
        value: &Secret,
    ) -> Result<bool, StoreError>;

    /// Takes the lock of `key`. Returns `None` at once if another holder has
    /// it. A holder keeps it while it fetches a token, for at most 15 s. A call
    /// that has waited that long continues without the lock and saves nothing,
    /// unless the lock [lapses](Self::lock_lapses).
    ///
    /// # Errors
    /// If the store does not work.
    fn try_lock(&self, context: &CallContext, key: &TokenKey) -> Result<Option<Fence>, StoreError>;

    /// Releases the lock, unless it lapsed and another holder has it.
    fn unlock(&self, key: &TokenKey, fence: Fence);

    /// Whether another holder can take a lock that was not released after 15 s.
    /// If so, callers wait for it as long as their deadlines allow, so that
    /// only one asks the token server at a time. The default is `false`.
    fn lock_lapses(&self) -> bool {
        false
    }

    /// Removes an entry with which the other methods fail, on demand of a person.
    /// Returns whether it was one. The default is `false`: an unreadable entry
    /// counts as empty, and the next save replaces it.
    ///
    /// # Errors
    /// If the store does not work.
    fn remove_unreadable(&self, context: &CallContext, key: &TokenKey) -> Result<bool, StoreError> {
        let _ = (context, key);
        Ok(false)
    }
}

/// Why a store does not work. The text must not contain secrets.
#[derive(Clone, Debug)]
pub struct StoreError(String);

impl StoreError {
    /// An error with a text for the observer.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StoreError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_merchants_apart() {
        let key = |url: &str, id: &str, secret: &str| TokenKey::new(url, id, &secret.into());
        assert_ne!(key("u", "ab", "c"), key("u", "a", "bc"));
        assert_ne!(key("u", "a", "c"), key("u", "a", "d"));
        assert_eq!(key("u", "a", "c").as_str().len(), 64);
    }
}
