//! The token of one identity in this process, which all its clients share.

use std::sync::{Arc, Mutex, Weak};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use payments_base::jitter::random_part;
use payments_base::process::{PerProcess, lock, try_lock};
use payments_transport::context::CallContext;
use payments_transport::inside::Waiters;

use super::Now;
use super::access::{FetchContext, StoreAccess};
use super::backoff::{self, LONGEST_BACKOFF};
use super::refusal::failed;
use super::replacements::{OwnReplacements, Replacements};
use super::{Backoff, LONGEST_LIFETIME, Token, TokenEntry, TokenKey, TokenStore};
use crate::model::error::{Error, ErrorCode};

/// The token of one identity, the thread that fetches it, and the backoff. It
/// holds no credentials, and nothing that belongs to one client.
pub(crate) struct TokenCache {
    key: TokenKey,
    /// The stores in order of preference; each is used while those before it
    /// fail.
    stores: Vec<Arc<dyn TokenStore>>,
    shared: PerProcess<Shared>,
}

impl TokenCache {
    pub(crate) fn new(key: TokenKey, stores: Vec<Arc<dyn TokenStore>>) -> Self {
        let shared = PerProcess::new(Shared::default(), |parent| {
            let state = try_lock(&parent.state).map(|state| state.inherited());
            Shared { state: state.unwrap_or_default().into(), ..Shared::default() }
        });
        Self { key, stores, shared }
    }

    pub(super) fn shared(&self) -> Arc<Shared> {
        self.shared.get()
    }

    /// The stores, for one call.
    pub(super) fn stores<'a>(
        &'a self,
        context: &'a CallContext,
        fetch: FetchContext<'a>,
    ) -> impl Iterator<Item = StoreAccess<'a>> + Clone {
        let access = move |store: &'a Arc<dyn TokenStore>| StoreAccess {
            store: &**store,
            key: &self.key,
            context,
            fetch,
        };
        self.stores.iter().map(access)
    }
}

/// The state that the threads of one process share.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) state: Mutex<TokenState>,
    /// Wakes the waiting threads when a fetch ends.
    pub(super) changed: Waiters,
}

/// Held by the one thread of this process that fetches and has set `fetching`.
/// However it ends, exactly one waiting thread is next.
pub(super) struct FetchGuard<'a>(pub(super) &'a Shared);

impl Drop for FetchGuard<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).fetching = None;
        self.0.changed.wake();
    }
}

/// The longest time before expiry at which a token is refreshed early; normally
/// a tenth of its lifetime.
const LONGEST_MARGIN: Duration = Duration::from_secs(300);
/// How long early refreshes pause after one took too long.
const REFRESH_PAUSE: Duration = Duration::from_secs(30);
/// Why a backoff started; completes a message.
const ABANDONED: &str = "earlier calls ended before it responded; give calls more time";

/// A token with its times pinned to the monotonic clock, so that setting the
/// wall clock back does not prolong it.
#[derive(Clone)]
pub(super) struct CachedToken {
    pub(super) token: Arc<Token>,
    /// Whether this process requested it, rather than reading it from the
    /// store.
    pub(super) is_own: bool,
    expires: Instant,
    refresh_from: Instant,
}

impl CachedToken {
    /// Pins the token. `None` if it cannot be used now.
    pub(super) fn pin(token: Token, is_own: bool, now: Now) -> Option<Self> {
        now.since(token.obtained_at)?;
        let lifetime = Duration::from_secs(token.expires_at.checked_sub(token.obtained_at)?);
        let left = Duration::from_secs(token.expires_at).checked_sub(now.unix)?.min(lifetime);
        if left.is_zero() || lifetime > LONGEST_LIFETIME || !token.can_stand_in_a_header() {
            return None;
        }
        Some(Self::new(token, is_own, left, now))
    }

    /// Pins a token whose response took longer than its lifetime. Its lifetime
    /// starts on arrival; otherwise all waiting calls would ask again.
    pub(super) fn arrived(token: Token, now: Now) -> Self {
        let lifetime = token.lifetime();
        Self::new(token, true, lifetime, now)
    }

    fn new(token: Token, is_own: bool, left: Duration, now: Now) -> Self {
        let expires = now.monotonic + left;
        let refresh_from = draw_refresh(expires, token.lifetime()).unwrap_or(now.monotonic);
        Self { token: Arc::new(token), is_own, expires, refresh_from }
    }

    /// The token for a forked process, which refreshes it at another time.
    fn inherited(&self) -> Self {
        let drawn = draw_refresh(self.expires, self.token.lifetime());
        Self { refresh_from: drawn.unwrap_or(self.refresh_from), ..self.clone() }
    }

    /// Time until expiry. Zero if either clock says that the token has expired.
    pub(super) fn remaining(&self, now: Now) -> Duration {
        let by_wall = Duration::from_secs(self.token.expires_at).saturating_sub(now.unix);
        self.expires.saturating_duration_since(now.monotonic).min(by_wall)
    }
}

/// When to refresh the token early. Random, so that processes do not refresh at
/// once.
fn draw_refresh(expires: Instant, lifetime: Duration) -> Option<Instant> {
    let margin = (lifetime / 10).min(LONGEST_MARGIN);
    expires.checked_sub(margin - random_part(margin / 4))
}

/// A backoff pinned to the monotonic clock.
#[derive(Clone)]
struct LocalBackoff {
    until: Instant,
    why: String,
}

#[derive(Clone, Default)]
pub(super) struct TokenState {
    held: Option<CachedToken>,
    backoff: Option<LocalBackoff>,
    /// The last backoff read from, or written to, the store.
    known_backoff: Option<Backoff>,
    /// Failures in a row: of the token server, and local ones.
    pub(super) failures: u32,
    local_failures: u32,
    /// Token requests in a row that their calls did not wait for.
    abandoned: u32,
    /// With times of [`steady`](Self::steady).
    pub(super) replacements: Replacements,
    /// As last read from, or written to, the store, with times of the wall clock.
    known_replacements: Option<Replacements>,
    pub(super) own_replacements: OwnReplacements,
    /// Both clocks when this process first needed them together.
    started: Option<Now>,
    /// The last token that the service accepted, while anybody holds it.
    pub(super) worked: Option<Weak<Token>>,
    /// The thread of this process that is fetching a token.
    pub(super) fetching: Option<ThreadId>,
}

/// The next step of a caller that needs a token.
pub(super) enum Step {
    Use(CachedToken),
    /// Fetch a new token; if that fails, use the old one.
    Refresh(CachedToken),
    Fetch,
    Wait,
    /// This thread itself is fetching, and cannot continue until this call
    /// returns.
    Suspended,
    Backoff(Error),
}

impl TokenState {
    /// Decides what the caller does next. [`Step::Refresh`] and [`Step::Fetch`]
    /// make the caller the one that fetches.
    pub(super) fn next_step(&mut self, now: Now) -> Step {
        let this_thread = std::thread::current().id();
        let backoff = self.backoff_error(now);
        match self.usable(now) {
            Some(held) => {
                let is_early = now.monotonic < held.refresh_from;
                if is_early || self.fetching.is_some() || backoff.is_some() {
                    return Step::Use(held);
                }
                self.fetching = Some(this_thread);
                Step::Refresh(held)
            }
            None if backoff.is_some() => backoff.map_or(Step::Wait, Step::Backoff),
            None if self.fetching == Some(this_thread) => Step::Suspended,
            None if self.fetching.is_some() => Step::Wait,
            None => {
                self.fetching = Some(this_thread);
                Step::Fetch
            }
        }
    }

    pub(super) fn usable(&self, now: Now) -> Option<CachedToken> {
        self.held.as_ref().filter(|held| !held.remaining(now).is_zero()).cloned()
    }

    /// Adopts an entry from a store. Returns its token, if usable.
    pub(super) fn adopt(&mut self, entry: &TokenEntry, now: Now) -> Option<CachedToken> {
        self.adopt_replacements(&entry.replacements, now);
        self.adopt_backoff(entry.backoff, now);
        let token = entry.token.as_ref()?;
        if self.usable(now).is_none_or(|held| held.token.value != token.value) {
            self.held = Some(CachedToken::pin(token.clone(), false, now)?);
            self.own_replacements.dropped_until = None;
            self.abandoned = 0;
            if entry.backoff.is_none() {
                self.failures = 0;
            }
        }
        self.usable(now)
    }

    /// The wall clock, as it would show now if nobody had set it. Pauses and
    /// counts are kept in its time.
    pub(super) fn steady(&mut self, now: Now) -> Now {
        let started = *self.started.get_or_insert(now);
        let since = now.monotonic.saturating_duration_since(started.monotonic);
        Now { unix: started.unix + since, ..now }
    }

    /// Adopts the replacements of a store, unless it still has those that this
    /// process knows: if the wall clock jumped back, their pauses would otherwise
    /// never end.
    pub(super) fn adopt_replacements(&mut self, stored: &Replacements, now: Now) {
        if self.known_replacements.as_ref() == Some(stored) {
            return;
        }
        self.known_replacements = Some(stored.clone());
        let steady = self.steady(now);
        self.replacements = stored.clone().moved(|time| steady.translate(now.unix.as_secs(), time));
    }

    /// The replacements for a store.
    fn replacements_to_store(&mut self, now: Now) -> Replacements {
        let steady = self.steady(now).unix.as_secs();
        let to_store = self.replacements.clone().moved(|time| now.translate(steady, time));
        self.known_replacements = Some(to_store.clone());
        to_store
    }

    /// Has the store's replacements adopted when they are read next.
    pub(super) fn expect_replacements(&mut self) {
        self.known_replacements = None;
    }

    fn adopt_backoff(&mut self, backoff: Option<Backoff>, now: Now) {
        // Pins the same backoff only once: if the wall clock jumped back, it
        // would otherwise never end.
        let Some(backoff) =
            backoff.filter(|backoff| self.known_backoff.replace(*backoff) != Some(*backoff))
        else {
            return;
        };
        self.failures = self.failures.max(backoff.failures);
        let length = Duration::from_secs(backoff.until.saturating_sub(backoff.since));
        let left = Duration::from_secs(backoff.until).saturating_sub(now.unix);
        let left = left.min(length).min(LONGEST_BACKOFF);
        if left > self.backoff_left(now).unwrap_or_default() {
            self.begin_backoff(left, "it refused or failed before", now);
        }
    }

    /// Adopts a new token from the token server and clears earlier failures.
    /// Returns the entry to save.
    pub(super) fn adopt_new(&mut self, held: CachedToken, now: Now) -> TokenEntry {
        let token = Some(Token::clone(&held.token));
        self.held = Some(held);
        self.backoff = None;
        (self.failures, self.local_failures, self.abandoned) = (0, 0, 0);
        self.note_answered();
        TokenEntry { token, backoff: None, replacements: self.replacements_to_store(now) }
    }

    /// Records that the token server, or a failure, answered a request: the next
    /// one replaces no token.
    fn note_answered(&mut self) {
        self.replacements.note_answered();
        self.own_replacements.dropped_until = None;
    }

    /// Pauses early refreshes after one took too long. The current token stays
    /// in use.
    pub(super) fn pause_refreshing(&mut self, now: Now) {
        if let Some(held) = &mut self.held {
            held.refresh_from = now.monotonic + REFRESH_PAUSE;
        }
    }

    fn begin_backoff(&mut self, length: Duration, why: &str, now: Now) {
        self.backoff = Some(LocalBackoff { until: now.monotonic + length, why: why.to_owned() });
    }

    /// Starts a backoff for this process and returns its length.
    pub(super) fn begin_local_backoff(&mut self, why: &str, now: Now) -> Duration {
        self.local_failures = self.local_failures.saturating_add(1);
        let length = backoff::after_local_failure(self.local_failures);
        self.begin_backoff(length, why, now);
        length
    }

    /// Starts a backoff for all clients of the store, and returns the entry to
    /// save. A backoff of length zero only reports a failure.
    fn begin_shared_backoff(&mut self, length: Duration, why: &str, now: Now) -> TokenEntry {
        self.begin_backoff(length, why, now);
        self.note_answered();
        let since = now.unix.as_secs();
        let until = if length.is_zero() { since } else { (now.unix + length).as_secs() + 1 };
        self.known_backoff = Some(Backoff { since, until, failures: self.failures });
        TokenEntry {
            token: self.usable(now).map(|held| Token::clone(&held.token)),
            backoff: self.known_backoff,
            replacements: self.replacements_to_store(now),
        }
    }

    /// Records that a call ended while its token request was in progress. Once,
    /// this says nothing about the token server, and the next caller asks at
    /// once. Repeated, it means that calls have too little time: a backoff
    /// starts for this process. Returns its length.
    pub(super) fn note_abandoned(&mut self, now: Now) -> Option<Duration> {
        self.abandoned = self.abandoned.saturating_add(1);
        (self.abandoned > 1).then(|| self.begin_local_backoff(ABANDONED, now))
    }

    /// Records that the token server refused or failed. Starts a backoff for
    /// all clients of the store. Returns its length and the entry to save.
    pub(super) fn note_refusal(
        &mut self,
        is_refusal: bool,
        retry_after: Option<Duration>,
        why: &str,
        now: Now,
    ) -> (Duration, Option<TokenEntry>) {
        self.failures = self.failures.saturating_add(1);
        self.abandoned = 0;
        let length = backoff::after_response(is_refusal, retry_after, self.failures);
        (length, Some(self.begin_shared_backoff(length, why, now)))
    }

    /// Records that the token server did not respond to a request. The first
    /// time, the network may be the cause: the backoff applies to this process
    /// only, and the entry to save reports the failure. From the second time in
    /// a row, the backoff is shared.
    pub(super) fn note_silence(&mut self, why: &str, now: Now) -> (Duration, Option<TokenEntry>) {
        self.failures = self.failures.saturating_add(1);
        if self.failures == 1 {
            let entry = self.begin_shared_backoff(Duration::ZERO, why, now);
            return (self.begin_local_backoff(why, now), Some(entry));
        }
        let length = backoff::after_silence(self.failures);
        (length, Some(self.begin_shared_backoff(length, why, now)))
    }

    pub(super) fn backoff_left(&self, now: Now) -> Option<Duration> {
        let left = self.backoff.as_ref()?.until.saturating_duration_since(now.monotonic);
        (!left.is_zero()).then_some(left)
    }

    pub(super) fn backoff_error(&self, now: Now) -> Option<Error> {
        let left = self.backoff_left(now)?;
        let why = &self.backoff.as_ref()?.why;
        let message = format!(
            "not contacting the token server for another {} s (backing off), because {why}",
            left.as_secs().max(1)
        );
        Some(failed(ErrorCode::TOKEN_BACKOFF, message).with_retry_after(Some(left)))
    }

    /// Stops using the token. The requests for another one count, until one is
    /// obtained.
    pub(super) fn drop_token(&mut self, now: Now) {
        let steady = self.steady(now);
        if let Some(held) = self.held.take() {
            let expires = steady.unix + held.remaining(now);
            self.replacements.note_dropped(expires.as_secs());
            self.own_replacements.dropped_until = Some(held.expires);
        }
    }

    /// Whether the next token replaces one that was refused or forgotten.
    pub(super) fn is_dropped(&mut self, now: Now) -> bool {
        let steady = self.steady(now);
        self.replacements.is_dropped(steady) || self.own_replacements.is_dropped(now)
    }

    /// How long no token is requested instead of a refused or forgotten one.
    pub(super) fn rest(&mut self, now: Now) -> Duration {
        let steady = self.steady(now);
        self.replacements.rest(steady).max(self.own_replacements.rest(now))
    }

    /// Takes back a request that counted, and was not sent. Returns the entry to
    /// save.
    pub(super) fn uncount(&mut self, now: Now) -> TokenEntry {
        self.replacements.uncount();
        self.own_replacements.uncount();
        self.entry(now)
    }

    /// The state of the entry, for a store.
    pub(super) fn entry(&mut self, now: Now) -> TokenEntry {
        TokenEntry {
            token: self.usable(now).map(|held| Token::clone(&held.token)),
            backoff: self.known_backoff.filter(|_| self.failures > 0),
            replacements: self.replacements_to_store(now),
        }
    }

    /// The state that a forked child starts with.
    fn inherited(&self) -> Self {
        let held = self.held.as_ref().map(CachedToken::inherited);
        Self { held, fetching: None, ..self.clone() }
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
