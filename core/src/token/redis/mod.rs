//! The token store for a fleet: a Redis server that all hosts share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use payments_base::debug_shows;
use payments_base::hex::hex;
use payments_base::process::PerProcess;
use payments_base::secret::Secret;
use payments_transport::context::CallContext;
use payments_transport::{Lookup, TlsRoots};
use sha2::{Digest as _, Sha256};

use super::sealer::Sealer;
use super::{Clock, Fence, StoreError, SystemClock, TokenEntry, TokenKey, TokenStore};
use crate::model::error::{Error, messages};

mod address;
mod failure;
mod link;
pub(super) mod resp;
mod scripts;
mod session;

use address::RedisAddress;
use link::{Link, Route};
use resp::{RedisCommand, RedisReply};

/// When the lock of a dead holder lapses. A fetch takes at most 10 s. A server
/// that takes seconds for each of the other three actions may cause one extra
/// token request.
const LOCK_LIFE: Duration = Duration::from_secs(15);
/// How long the server remembers the last fence: longer than any entry.
const FENCE_LIFE: Duration = Duration::from_secs(7 * 86_400);
/// How long [`TokenEntry::replacements`] are remembered.
const REPLACEMENTS_LIFE: u64 = 3_600;
/// How much longer to keep an entry, in case clocks differ.
const ENTRY_GRACE: u64 = 60;
/// Smaller differences in milliseconds count as equal clocks, since a round
/// trip takes time.
const SAME_CLOCK: u64 = 2_000;
const UNREADABLE: &str = "the entry has a number that is too large for one of libpayments; \
                          payments token --forget or forget_token removes it";
/// The limit for releasing a lock. After that, the lock lapses.
const UNLOCK_LIMIT: Duration = Duration::from_millis(500);

/// Keeps tokens in a Redis server, for all processes that can log in there.
/// Needs the feature `redis`.
///
/// One action takes at most 2 s and at most half of the call's remaining time;
/// connecting takes at most 1 s of that. A cancelled call ends within 100 ms,
/// or 350 ms if it has to release a lock at a server that hangs. After a
/// failure, actions fail at once during a pause, of 1 s at first and at most 30
/// s. Each process has one connection; a forked child opens its own.
///
/// The server's clock determines the age of an entry, whatever the clocks of
/// the hosts say. A lock lapses 15 s after it was taken. The names of entries
/// and locks begin with `libpayments:`; the server expires both. A value of
/// another kind under such a name counts as empty and is replaced.
///
/// Without TLS, the password and unencrypted tokens can be read on the network.
/// A primary with replicas is supported. Client certificates and Redis clusters
/// are not.
pub struct RedisStore {
    links: PerProcess<Process>,
    sealer: Option<Sealer>,
    clock: Arc<dyn Clock>,
}

/// The state of one process.
struct Process {
    link: Link,
    /// Distinguishes the locks of this process from those of others.
    name: String,
    /// Counts attempts to take a lock.
    attempts: AtomicU64,
}

impl Process {
    fn new(route: Route) -> Self {
        let mut bytes = [0_u8; 16];
        // Without random numbers, neither TLS nor signing works.
        let _ = aws_lc_rs::rand::fill(&mut bytes);
        Self { link: Link::new(route), name: hex(&bytes), attempts: AtomicU64::new(0) }
    }
}

impl RedisStore {
    /// Makes a store on the server at `url`:
    /// `redis://[[user]:password@]host[:port][/database]`, or `rediss://…` for
    /// TLS, with a server certificate that `roots` trusts. With `key`, 32
    /// bytes in base64, entries are encrypted with AES-256-GCM; an entry that
    /// the key does not open counts as empty.
    ///
    /// It connects later: a server that is down does not prevent making a
    /// client.
    ///
    /// # Errors
    /// `config` if the URL or the key cannot be used. The error shows neither.
    pub fn new(url: &Secret, key: Option<&Secret>, roots: TlsRoots) -> Result<Self, Error> {
        let sealer = key.map(Sealer::from_base64).transpose()?;
        Self::assemble(url, sealer, roots, None, Arc::new(SystemClock))
    }

    /// The host of a URL without TLS.
    pub(crate) fn plain_host(url: &Secret) -> Option<String> {
        RedisAddress::parse(url.expose()).ok().filter(|to| !to.uses_tls).map(|to| to.host)
    }

    pub(crate) fn assemble(
        url: &Secret,
        sealer: Option<Sealer>,
        roots: TlsRoots,
        lookup: Option<Lookup>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let address = RedisAddress::parse(url.expose()).map_err(messages::token_store_invalid)?;
        let route = Route { address: Arc::new(address), roots, lookup };
        Ok(Self {
            links: PerProcess::new(Process::new(route.clone()), move |_| {
                Process::new(route.clone())
            }),
            sealer,
            clock,
        })
    }

    fn ask(&self, context: &CallContext, command: &RedisCommand) -> Result<RedisReply, StoreError> {
        match self.links.get().link.run(context, command)? {
            RedisReply::Number(..0) => Err(StoreError::new(UNREADABLE)),
            reply => Ok(reply),
        }
    }

    fn seal(&self, key: &TokenKey, part: &str, entry: &TokenEntry) -> Result<Vec<u8>, StoreError> {
        let plain = entry.to_json().to_bytes();
        match &self.sealer {
            None => Ok(plain),
            Some(sealer) => sealer
                .seal(&sealed_name(key, part), &plain)
                .ok_or_else(|| StoreError::new("could not encrypt the entry")),
        }
    }

    fn open(&self, key: &TokenKey, part: &str, stored: RedisReply) -> TokenEntry {
        let RedisReply::Text(stored) = stored else {
            return TokenEntry::default();
        };
        match &self.sealer {
            None => TokenEntry::from_json(&stored),
            Some(sealer) => sealer
                .open(&sealed_name(key, part), &stored)
                .map_or_else(TokenEntry::default, |plain| TokenEntry::from_json(&plain)),
        }
    }
}

impl TokenStore for RedisStore {
    fn load(&self, context: &CallContext, key: &TokenKey) -> Result<TokenEntry, StoreError> {
        let command = scripts::run_on_entry(scripts::LOAD, &[name_of(key, "entry")]);
        let RedisReply::Several(values) = self.ask(context, &command)? else {
            return Ok(TokenEntry::default());
        };
        let mut values = values.into_iter();
        let mut next = || values.next().unwrap_or(RedisReply::Nothing);
        let TokenEntry { token, .. } = self.open(key, "token", next());
        let entry = TokenEntry { token, ..self.open(key, "rest", next()) };
        Ok(match (next().number(), next().number()) {
            (Some(written), Some(kept)) => {
                let now = i64::try_from(self.clock.unix().as_millis()).unwrap_or(i64::MAX);
                moved_by(entry, now.saturating_sub(kept).saturating_sub(written))
            }
            _ => entry,
        })
    }

    fn save(
        &self,
        context: &CallContext,
        key: &TokenKey,
        entry: &TokenEntry,
        fence: Fence,
    ) -> Result<bool, StoreError> {
        // Two parts, so that the server can remove a token that it cannot read.
        let (token, tag) = match &entry.token {
            None => (Vec::new(), String::new()),
            Some(token) => {
                let part = TokenEntry { token: Some(token.clone()), ..TokenEntry::default() };
                (self.seal(key, "token", &part)?, tag(key, &token.value))
            }
        };
        let rest = self.seal(key, "rest", &TokenEntry { token: None, ..entry.clone() })?;
        let life = milliseconds(life(entry));
        let command =
            scripts::run_on_entry(scripts::SAVE, &[name_of(key, "entry")]).number(fence.0);
        let now = milliseconds(self.clock.unix());
        let command = command.word(token).word(tag).word(rest).number(life).number(now);
        self.ask(context, &command).map(|reply| reply.is_one())
    }

    fn delete_if(
        &self,
        context: &CallContext,
        key: &TokenKey,
        value: &Secret,
    ) -> Result<bool, StoreError> {
        let command = scripts::run(scripts::DELETE, &[name_of(key, "entry")]).word(tag(key, value));
        self.ask(context, &command).map(|reply| reply.is_one())
    }

    fn try_lock(&self, context: &CallContext, key: &TokenKey) -> Result<Option<Fence>, StoreError> {
        let process = self.links.get();
        let keys = [name_of(key, "entry"), name_of(key, "lock"), name_of(key, "fence")];
        let attempt = process.attempts.fetch_add(1, Ordering::Relaxed);
        let command =
            scripts::run_on_entry(scripts::LOCK, &keys).word(&process.name).number(attempt);
        let command = command.number(milliseconds(LOCK_LIFE)).number(milliseconds(FENCE_LIFE));
        match self.ask(context, &command)? {
            RedisReply::Number(fence) => Ok(u64::try_from(fence).ok().map(Fence)),
            _ => Ok(None),
        }
    }

    fn unlock(&self, key: &TokenKey, fence: Fence) {
        let process = self.links.get();
        let context = CallContext::with_timeout(UNLOCK_LIMIT);
        let owner = format!("{}:{}/", process.name, fence.0);
        let command = scripts::run(scripts::UNLOCK, &[name_of(key, "lock")]).word(owner);
        // A lock that is not released lapses.
        let _ = process.link.run(&context, &command);
    }

    fn lock_lapses(&self) -> bool {
        true
    }

    fn remove_unreadable(&self, context: &CallContext, key: &TokenKey) -> Result<bool, StoreError> {
        let command = scripts::remove_unreadable(&[name_of(key, "entry"), name_of(key, "fence")]);
        self.ask(context, &command).map(|reply| reply.is_one())
    }
}

debug_shows!(RedisStore);

/// The braces keep all names of an entry on one node, in case the server is a
/// proxy in front of several.
fn name_of(key: &TokenKey, part: &str) -> String {
    format!("libpayments:{{{}}}:{part}", key.as_str())
}

/// The name a part is sealed under: it opens nowhere else.
fn sealed_name(key: &TokenKey, part: &str) -> String {
    format!("{} {part}", key.as_str())
}

/// Identifies a token to the server without revealing its value.
fn tag(key: &TokenKey, value: &Secret) -> String {
    let digest = Sha256::new().chain_update(key.as_str()).chain_update(value.expose());
    hex(&digest.finalize())
}

/// The entry for a clock that differs from the writer's by `milliseconds`.
fn moved_by(entry: TokenEntry, milliseconds: i64) -> TokenEntry {
    if milliseconds.unsigned_abs() < SAME_CLOCK {
        return entry;
    }
    entry.moved(|time| time.saturating_add_signed(milliseconds / 1_000))
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// How long an entry is useful. The times in it come from the writer's clock,
/// so only their differences count.
fn life(entry: &TokenEntry) -> Duration {
    let token = entry.token.as_ref().map(|token| token.lifetime().as_secs());
    let backoff = entry.backoff.map(|backoff| backoff.until.saturating_sub(backoff.since));
    let replacements = (!entry.replacements.is_empty()).then_some(REPLACEMENTS_LIFE);
    let longest = token.into_iter().chain(backoff).chain(replacements).max().unwrap_or_default();
    Duration::from_secs(longest.min(FENCE_LIFE.as_secs() / 2) + ENTRY_GRACE)
}
