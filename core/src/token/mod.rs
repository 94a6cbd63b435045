//! Bearer tokens: asked for as rarely as can be, shared as widely as can be.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

use crate::context::CallContext;
use crate::debug::debug_shows;
use crate::hex::hex;
use crate::secret::Secret;

mod access;
mod arbitration;
mod backoff;
mod cache;
mod deferred;
mod entry_json;
#[cfg(unix)]
mod file;
mod manager;
mod memory;
mod redis;
mod refused;
mod request;
mod sealer;
mod state;

pub(crate) use arbitration::Challenge;
pub(crate) use backoff::parse_retry_after;
pub(crate) use cache::TokenCache;
pub(crate) use deferred::Dependencies;
#[cfg(unix)]
pub use file::FileStore;
pub(crate) use manager::TokenManager;
pub use manager::TokenStatus;
pub use memory::MemoryStore;
pub use redis::RedisStore;
pub(crate) use request::Credentials;
pub(crate) use sealer::Sealer;
pub(crate) use state::LONGEST_LIFETIME;

/// Tells the time. Tests hand in one of their own.
pub trait Clock: Send + Sync {
    /// Time that never goes back.
    fn monotonic(&self) -> Instant;
    /// Time since 1970-01-01 UTC, as the system believes it to be.
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

/// Whose token it is: the token server, the client id, and the client secret.
/// Two merchants never share an entry, nor do two secrets of one merchant.
///
/// The key is a hash, so that it may stand in a file name or a log.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EntryKey(String);

impl EntryKey {
    /// The key of these credentials for this token server.
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

impl fmt::Debug for EntryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EntryKey({})", self.0.get(..8).unwrap_or_default())
    }
}

/// A bearer token and when it was had. Times are seconds since 1970 UTC. The
/// `Debug` form shows neither the value nor those of the members.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// What goes into the header.
    pub value: Secret,
    /// When it was asked for.
    pub obtained_at: u64,
    /// When it must no longer be used.
    pub expires_at: u64,
    /// `scope`, `user_name` and `jti` of the token response, as they came.
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

    /// Whether the value is what a header can hold, and nothing else.
    fn can_stand_in_a_header(&self) -> bool {
        !self.value.expose().is_empty() && self.value.expose().bytes().all(|b| b.is_ascii_graphic())
    }
}

/// A time during which nobody asks the token server. Times are seconds since
/// 1970 UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    /// When the token server refused.
    pub since: u64,
    /// When it may be asked again.
    pub until: u64,
    /// How many refusals came one after the other.
    pub failures: u32,
}

/// What a store keeps under one key.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Entry {
    /// The token, if there is one.
    pub token: Option<Token>,
    /// The backoff, if there is one.
    pub backoff: Option<Backoff>,
    /// When a token was last replaced because a call was answered 401, unless
    /// a call was accepted since. Seconds since 1970 UTC.
    pub unproven_since: Option<u64>,
}

/// Clocks that differ by less count as equal: the way to a server takes time.
const SAME_CLOCK: u64 = 2_000;

impl Entry {
    /// The same entry for a clock that differs from its writer's by so many
    /// milliseconds.
    fn moved_by(self, milliseconds: i64) -> Self {
        if milliseconds.unsigned_abs() < SAME_CLOCK {
            return self;
        }
        let moved = |time: u64| time.saturating_add_signed(milliseconds / 1_000);
        Self {
            token: self.token.map(|token| Token {
                obtained_at: moved(token.obtained_at),
                expires_at: moved(token.expires_at),
                ..token
            }),
            backoff: self.backoff.map(|backoff| Backoff {
                since: moved(backoff.since),
                until: moved(backoff.until),
                ..backoff
            }),
            unproven_since: self.unproven_since.map(moved),
        }
    }
}

/// Given by a lock; a later lock of the same key gives a larger one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fence(pub u64);

/// Keeps tokens for all clients that share it: those of one process, of one
/// host, or of a fleet.
///
/// A store that fails is bypassed: calls go on with a token in memory, and
/// the observer is told. No method is called under a lock of this crate.
/// A method that waits asks `context` at least every 100 ms.
pub trait TokenStore: Send + Sync {
    /// What is kept under `key`; an empty entry when there is nothing, or
    /// nothing that can be read.
    ///
    /// # Errors
    /// When the store does not work.
    fn load(&self, context: &CallContext, key: &EntryKey) -> Result<Entry, StoreError>;

    /// Keeps `entry`, unless somebody with a later fence has saved already:
    /// then the answer is `false`.
    ///
    /// # Errors
    /// When the store does not work.
    fn save(
        &self,
        context: &CallContext,
        key: &EntryKey,
        entry: &Entry,
        fence: Fence,
    ) -> Result<bool, StoreError>;

    /// Removes the token if it is still `value`, and leaves the rest of the
    /// entry. The answer says whether it was.
    ///
    /// # Errors
    /// When the store does not work.
    fn delete_if(
        &self,
        context: &CallContext,
        key: &EntryKey,
        value: &Secret,
    ) -> Result<bool, StoreError>;

    /// Takes the lock of `key`, or gives `None` at once when somebody else
    /// has it. It is held while a token is fetched, for at most 15 s. A call
    /// that has waited that long goes on without it and saves nothing, unless
    /// the lock [lapses](Self::lock_lapses).
    ///
    /// # Errors
    /// When the store does not work.
    fn try_lock(&self, context: &CallContext, key: &EntryKey) -> Result<Option<Fence>, StoreError>;

    /// Gives the lock back, unless it lapsed and somebody else has it.
    fn unlock(&self, key: &EntryKey, fence: Fence);

    /// Whether a lock that is not given back can be taken by another after
    /// 15 s. Callers then wait for it as long as their deadlines allow, so
    /// that one asks the token server at a time. `false` unless overridden.
    fn lock_lapses(&self) -> bool {
        false
    }
}

/// Why a store does not work. The text must hold no secret.
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
