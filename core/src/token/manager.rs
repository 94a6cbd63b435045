//! One caller asks the token server; the others use what it gets.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::news::Means;
use super::request::{self, FetchFailure};
use super::shared::{FetchTurn, Shared};
use super::state::{Held, Now, State, Turn};
use super::{Clock, Entry, EntryKey, Fence, StoreError, Token, TokenStore};
use crate::context::CallContext;
use crate::error::{Error, ErrorKind, Outcome};
use crate::jitter::random_part;
use crate::observer::Event;
use crate::process::{PerProcess, lock, try_lock};
use crate::reentrancy::callback;
use crate::secret::Secret;
use crate::transport::{PreparedRequest, Transport};

/// How long one request for a token may take.
const FETCH_LIMIT: Duration = Duration::from_secs(10);
/// How long a refresh may keep a call waiting that has a token still.
const EARLY_REFRESH_LIMIT: Duration = Duration::from_secs(5);
/// How long somebody may have the lock of a store; see
/// [`TokenStore::try_lock`].
const LOCK_LIMIT: Duration = Duration::from_secs(15);

/// Whose tokens, and how long they live at most.
#[derive(Clone)]
pub(crate) struct TokenSettings {
    pub(crate) auth_url: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: Secret,
    /// The lifetime that the interface states for the environment.
    pub(crate) longest: Duration,
}

/// What the caller lends to the manager: a shared manager keeps nothing that
/// belongs to one client.
#[derive(Clone, Copy)]
pub(crate) struct Wiring<'a> {
    pub(crate) transport: &'a dyn Transport,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) observe: &'a dyn Fn(&Event<'_>),
}

/// Gives the bearer token of one entry.
pub(crate) struct TokenManager {
    settings: TokenSettings,
    request: PreparedRequest,
    pub(super) key: EntryKey,
    pub(super) store: Arc<dyn TokenStore>,
    pub(super) shared: PerProcess<Shared>,
}

/// What is known of the token without asking for one. The `Debug` form shows
/// the names of the members only.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct TokenStatus {
    /// Whether there is a token that is not expired.
    pub is_usable: bool,
    /// How long it has been there.
    pub age: Option<Duration>,
    /// How long it lives still.
    pub remaining: Option<Duration>,
    /// For how long the token server is left alone.
    pub quiet: Option<Duration>,
    /// `scope`, `user_name` and `jti` of the token response.
    pub members: BTreeMap<String, String>,
}

impl fmt::Debug for TokenStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { is_usable, age, remaining, quiet, members } = self;
        f.debug_struct("TokenStatus")
            .field("is_usable", is_usable)
            .field("age", age)
            .field("remaining", remaining)
            .field("quiet", quiet)
            .field("members", &members.keys())
            .finish()
    }
}

impl TokenManager {
    pub(crate) fn new(settings: TokenSettings, store: Arc<dyn TokenStore>) -> Self {
        let TokenSettings { auth_url, client_id, client_secret, .. } = &settings;
        Self {
            key: EntryKey::new(auth_url, client_id, client_secret),
            request: request::build(auth_url, client_id, client_secret),
            settings,
            store,
            shared: PerProcess::new(Shared::new(State::default()), |parent| {
                let state = try_lock(&parent.state).map(|state| state.inherited());
                Shared::new(state.unwrap_or_default())
            }),
        }
    }

    /// A token that is valid now.
    ///
    /// # Errors
    /// `token` when none can be had; `timeout` or `cancelled` when the call
    /// ends first.
    pub(crate) fn token(
        &self,
        context: &CallContext,
        wiring: Wiring<'_>,
    ) -> Result<Arc<Token>, Error> {
        let shared = self.shared.get();
        loop {
            context.check()?;
            let seen = shared.changed.seen();
            let now = Now::read(wiring.clock);
            let turn = lock(&shared.state).turn(now);
            match turn {
                Turn::Use(held) => {
                    (wiring.observe)(&Event::TokenReused { remaining: held.remaining(now) });
                    return Ok(held.token);
                }
                // Another process may have had better luck.
                Turn::Quiet(error) => {
                    let stored = wiring.telling_afterwards(|means| {
                        self.adopt_stored(&shared, context, means, Need::Any)
                    });
                    return stored.map(|held| held.token).ok_or(error);
                }
                Turn::Wait => shared.changed.wait(seen, context, context.wait_slice()),
                Turn::Suspended => return Err(suspended()),
                Turn::Fetch => {
                    let held = wiring.telling_afterwards(|means| {
                        let _turn = FetchTurn::begin(&shared);
                        self.obtain(&shared, context, means, Need::Any)
                    });
                    return held.map(|held| held.token);
                }
                Turn::Refresh(old) => {
                    let token = wiring.telling_afterwards(|means| {
                        let _turn = FetchTurn::begin(&shared);
                        self.refresh(&shared, context, means, old)
                    });
                    if let Some(token) = token {
                        return Ok(token);
                    }
                }
            }
        }
    }

    /// A newer token, or the old one if it is not expired meanwhile: a call
    /// does not fail because of a refresh that could wait.
    fn refresh(
        &self,
        shared: &Shared,
        context: &CallContext,
        means: Means<'_>,
        old: Held,
    ) -> Option<Arc<Token>> {
        let limited = context.limited_to(EARLY_REFRESH_LIMIT.min(context.remaining() / 2));
        if let Ok(held) = self.obtain(shared, &limited, means, Need::Newer(&old)) {
            return Some(held.token);
        }
        let now = Now::read(means.clock);
        if limited.ended().is_some() {
            lock(&shared.state).pause_refreshing(now);
        }
        (!old.remaining(now).is_zero()).then_some(old.token)
    }

    /// What is known of the token, without asking for one.
    pub(crate) fn status(&self, context: &CallContext, wiring: Wiring<'_>) -> TokenStatus {
        let shared = self.shared.get();
        let now = Now::read(wiring.clock);
        if lock(&shared.state).usable(now).is_none() {
            wiring
                .telling_afterwards(|means| self.adopt_stored(&shared, context, means, Need::Any));
        }
        let state = lock(&shared.state);
        let quiet = state.quiet_left(now);
        match state.usable(now) {
            None => TokenStatus { quiet, ..TokenStatus::default() },
            Some(held) => TokenStatus {
                is_usable: true,
                age: Some(now.unix.saturating_sub(Duration::from_secs(held.token.obtained_at))),
                remaining: Some(held.remaining(now)),
                quiet,
                members: held.token.members.clone(),
            },
        }
    }

    /// Gets a token from the store or the token server. The caller holds the
    /// turn to fetch.
    pub(super) fn obtain(
        &self,
        shared: &Shared,
        context: &CallContext,
        means: Means<'_>,
        need: Need<'_>,
    ) -> Result<Held, Error> {
        let began = means.clock.monotonic();
        let lock_of_store = loop {
            if let Some(held) = self.look_into_store(shared, context, means, need)? {
                return Ok(held);
            }
            match self.lock_store(context, means) {
                Some(Some(lock)) => break Some(lock),
                Some(None) => {}
                None => break None,
            }
            // A lock should have lapsed by now. Its holder stands still.
            if means.clock.monotonic().saturating_duration_since(began) >= LOCK_LIMIT {
                break None;
            }
            if let Need::Newer(old) = need {
                // Somebody else is refreshing it already.
                return Ok(old.clone());
            }
            let wait = Duration::from_millis(10);
            context.sleep(wait + random_part(wait * 4))?;
        };
        // Somebody may have saved between the look and the lock.
        if let Some(held) = self.look_into_store(shared, context, means, need)? {
            return Ok(held);
        }
        if let Need::After401 { refused, .. } = need {
            let delete = || self.store.delete_if(context, &self.key, refused);
            self.attempt(means, "delete", delete);
        }
        let fence = lock_of_store.as_ref().map(|lock| lock.fence);
        self.ask(shared, context, means, need, fence)
    }

    /// A token that somebody else got, or the error of a quiet period.
    fn look_into_store(
        &self,
        shared: &Shared,
        context: &CallContext,
        means: Means<'_>,
        need: Need<'_>,
    ) -> Result<Option<Held>, Error> {
        if let Some(held) = self.adopt_stored(shared, context, means, need) {
            return Ok(Some(held));
        }
        let now = Now::read(means.clock);
        lock(&shared.state).quiet_error(now).map_or(Ok(None), Err)
    }

    fn ask(
        &self,
        shared: &Shared,
        context: &CallContext,
        means: Means<'_>,
        need: Need<'_>,
        fence: Option<Fence>,
    ) -> Result<Held, Error> {
        let started = Instant::now();
        let limited = context.limited_to(FETCH_LIMIT).with_own_record();
        let asked = means.clock.monotonic();
        let (transport, longest) = (means.transport, self.settings.longest);
        let fetched = request::fetch(&limited, transport, &self.request, longest);
        let now = Now::read(means.clock);
        // The wall clock may have been set in between.
        let asked_at = now.unix.saturating_sub(now.monotonic.saturating_duration_since(asked));
        let fetched = fetched.map(|issued| {
            Held::pin(issued.at(asked_at), true, now)
                .unwrap_or_else(|| Held::arrived(issued.at(now.unix), now))
        });
        match fetched {
            Ok(held) => {
                let is_replacement = matches!(need, Need::After401 { .. });
                let entry = shared.adopt_new(held.clone(), is_replacement, now);
                self.save(context, means, &entry, fence);
                let (duration, lifetime) = (started.elapsed(), held.token.lifetime());
                means.news.note(Event::TokenFetched { duration, lifetime });
                Ok(held)
            }
            Err(FetchFailure::Answer { error, status, retry_after }) => {
                let (entry, quiet) = shared.begin_shared_quiet(status, retry_after, &error, now);
                self.save(context, means, &entry, fence);
                Err(failed(means, error, quiet))
            }
            Err(FetchFailure::Local { error, was_sent }) => {
                if let Some(ended) = context.ended() {
                    let error = context.ended_error(ended);
                    // An early refresh has a pause of its own.
                    let counts = was_sent && !matches!(need, Need::Newer(_));
                    return Err(match counts.then(|| shared.note_abandoned(now)).flatten() {
                        Some(quiet) => failed(means, error, quiet),
                        None => error,
                    });
                }
                let error = if limited.ended().is_some() { too_slow() } else { error };
                let quiet = shared.begin_local_quiet(error.message(), now);
                Err(failed(means, error, quiet))
            }
        }
    }

    /// Uses what the store has, if it is what is needed.
    pub(super) fn adopt_stored(
        &self,
        shared: &Shared,
        context: &CallContext,
        means: Means<'_>,
        need: Need<'_>,
    ) -> Option<Held> {
        let entry = self.attempt(means, "load", || self.store.load(context, &self.key))?;
        let now = Now::read(means.clock);
        let mut state = lock(&shared.state);
        let is_unwanted = need.excludes(&entry, now);
        if is_unwanted || entry.token.is_none() {
            state.adopt(&Entry { token: None, ..entry }, now);
            return None;
        }
        state.adopt(&entry, now)
    }

    /// `None` when the store fails, `Some(None)` when somebody else has the
    /// lock.
    pub(super) fn lock_store<'a>(
        &'a self,
        context: &CallContext,
        means: Means<'a>,
    ) -> Option<Option<StoreLock<'a>>> {
        let fence = self.attempt(means, "lock", || self.store.try_lock(context, &self.key))?;
        Some(fence.map(|fence| StoreLock { manager: self, means, fence }))
    }

    pub(super) fn save(
        &self,
        context: &CallContext,
        means: Means<'_>,
        entry: &Entry,
        fence: Option<Fence>,
    ) {
        if let Some(fence) = fence {
            let saved = || self.store.save(context, &self.key, entry, fence);
            self.attempt(means, "save", saved);
        }
    }

    /// Runs an action of the store. A store that fails, or panics, is
    /// bypassed.
    pub(super) fn attempt<T>(
        &self,
        means: Means<'_>,
        action: &'static str,
        run: impl FnOnce() -> Result<T, StoreError>,
    ) -> Option<T> {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| callback(run)));
        let reason = match result {
            Ok(Ok(value)) => return Some(value),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the store panicked".to_owned(),
        };
        means.news.note_bypassed(action, reason);
        None
    }
}

fn failed(means: Means<'_>, error: Error, quiet: Duration) -> Error {
    means.news.note(Event::TokenFailed { kind: error.kind(), quiet: Some(quiet) });
    error.with_retry_after(Some(quiet))
}

/// The one who fetches is on this thread and cannot go on before this call
/// returns.
fn suspended() -> Error {
    Error::new(
        ErrorKind::Token,
        Outcome::NotExecuted,
        "token_fetch_suspended",
        "a suspended call of this thread is fetching the token; resume that call first, or call \
         access_token before calls take turns on one thread",
    )
}

fn too_slow() -> Error {
    Error::new(
        ErrorKind::Token,
        Outcome::NotExecuted,
        "token_server_silent",
        "the token server did not answer in time; check auth_url and the network",
    )
}

/// Which token will do.
#[derive(Clone, Copy)]
pub(super) enum Need<'a> {
    Any,
    /// Any but this one, which is in use and close to expiry.
    Newer(&'a Held),
    /// Any but this one, which was refused, unless it was fetched within
    /// `rest` because of a refusal: then it is not to blame, as somebody who
    /// shares the store has found out.
    After401 {
        refused: &'a Secret,
        rest: Duration,
    },
}

impl Need<'_> {
    fn excludes(self, entry: &Entry, now: Now) -> bool {
        let is = |value: &Secret| entry.token.as_ref().is_some_and(|token| token.value == *value);
        match self {
            Self::Any => false,
            Self::Newer(old) => is(&old.token.value),
            Self::After401 { refused, rest } => {
                is(refused) && !now.is_within(rest, entry.unproven_since)
            }
        }
    }
}

/// Gives the lock of the store back when dropped.
pub(super) struct StoreLock<'a> {
    manager: &'a TokenManager,
    means: Means<'a>,
    pub(super) fence: Fence,
}

impl Drop for StoreLock<'_> {
    fn drop(&mut self) {
        let Self { manager, means, fence } = self;
        let unlock = || {
            manager.store.unlock(&manager.key, *fence);
            Ok(())
        };
        manager.attempt(*means, "unlock", unlock);
    }
}
