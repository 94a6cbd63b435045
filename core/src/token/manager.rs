//! One caller asks the token server; the others use what it gets.

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use super::quiet;
use super::request::{self, FetchFailure};
use super::state::{Held, Now, State, Turn};
use super::{Clock, Entry, EntryKey, Fence, Quiet, StoreError, Token, TokenStore};
use crate::context::{CallContext, WAIT_SLICE};
use crate::error::{Error, ErrorKind};
use crate::jitter::random_part;
use crate::observer::Event;
use crate::process::{PerProcess, lock, try_lock};
use crate::secret::Secret;
use crate::transport::{PreparedRequest, Transport};

/// How long one request for a token may take.
const FETCH_LIMIT: Duration = Duration::from_secs(10);
/// How long a refresh may keep a call waiting that has a token still.
const EARLY_REFRESH_LIMIT: Duration = Duration::from_secs(5);

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

pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    changed: Condvar,
}

/// What is known of the token without asking for one.
#[derive(Clone, Debug, Default)]
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
    pub members: std::collections::BTreeMap<String, String>,
}

impl TokenManager {
    pub(crate) fn new(settings: TokenSettings, store: Arc<dyn TokenStore>) -> Self {
        let TokenSettings { auth_url, client_id, client_secret, .. } = &settings;
        Self {
            key: EntryKey::new(auth_url, client_id, client_secret),
            request: request::build(auth_url, client_id, client_secret),
            settings,
            store,
            shared: PerProcess::new(Shared::default(), |parent| {
                let state = try_lock(&parent.state).map(|state| state.inherited());
                Shared { state: Mutex::new(state.unwrap_or_default()), ..Shared::default() }
            }),
        }
    }

    /// A token that is valid now.
    ///
    /// # Errors
    /// `token` when none can be had; `timeout` or `cancelled` when the call
    /// ends first.
    pub(crate) fn token(&self, context: &CallContext, wiring: Wiring<'_>) -> Result<Token, Error> {
        let shared = self.shared.get();
        loop {
            context.check()?;
            let now = Now::read(wiring.clock);
            let turn = lock(&shared.state).turn(now);
            match turn {
                Turn::Use(held) => {
                    (wiring.observe)(&Event::TokenReused { remaining: held.remaining(now) });
                    return Ok(held.token);
                }
                Turn::Quiet(error) => return Err(error),
                Turn::Wait => shared.wait(context.wait_slice()),
                Turn::Fetch => {
                    let _turn = FetchTurn(&shared);
                    return self.obtain(&shared, context, wiring, Need::Any);
                }
                Turn::Refresh(old) => {
                    let _turn = FetchTurn(&shared);
                    let limited = context.limited_to(EARLY_REFRESH_LIMIT);
                    let need = Need::OtherThan { value: &old.token.value, after_401: false };
                    let refreshed = self.obtain(&shared, &limited, wiring, need);
                    if refreshed.is_err() && limited.ended().is_some() && context.ended().is_none()
                    {
                        let now = Now::read(wiring.clock);
                        shared.begin_local_quiet("it did not answer in time".to_owned(), now);
                    }
                    return Ok(refreshed.unwrap_or(old.token));
                }
            }
        }
    }

    /// What is known of the token, without asking for one.
    pub(crate) fn status(&self, context: &CallContext, wiring: Wiring<'_>) -> TokenStatus {
        let shared = self.shared.get();
        let now = Now::read(wiring.clock);
        if lock(&shared.state).usable(now).is_none() {
            self.adopt_stored(&shared, context, wiring, Need::Any);
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
                members: held.token.members,
            },
        }
    }

    /// Gets a token from the store or the token server. The caller holds the
    /// turn to fetch.
    pub(super) fn obtain(
        &self,
        shared: &Shared,
        context: &CallContext,
        wiring: Wiring<'_>,
        need: Need<'_>,
    ) -> Result<Token, Error> {
        let lock_of_store = loop {
            if let Some(held) = self.adopt_stored(shared, context, wiring, need) {
                return Ok(held.token);
            }
            let now = Now::read(wiring.clock);
            if let Some(error) = lock(&shared.state).quiet_error(now) {
                return Err(error);
            }
            match self.attempt(wiring, "lock", || self.store.try_lock(context, &self.key)) {
                Some(Some(fence)) => break Some(StoreLock { manager: self, fence }),
                Some(None) => {
                    let wait = Duration::from_millis(10);
                    context.sleep(wait + random_part(wait * 4))?;
                }
                None => break None,
            }
        };
        // Somebody may have saved between the look and the lock.
        if let Some(held) = self.adopt_stored(shared, context, wiring, need) {
            return Ok(held.token);
        }
        let fence = lock_of_store.as_ref().map(|lock| lock.fence);
        self.ask(shared, context, wiring, need, fence)
    }

    fn ask(
        &self,
        shared: &Shared,
        context: &CallContext,
        wiring: Wiring<'_>,
        need: Need<'_>,
        fence: Option<Fence>,
    ) -> Result<Token, Error> {
        let started = Instant::now();
        let limited = context.limited_to(FETCH_LIMIT).with_own_record();
        let asked_at = wiring.clock.unix();
        let fetched = request::fetch(
            &limited,
            wiring.transport,
            &self.request,
            asked_at,
            self.settings.longest,
        );
        let now = Now::read(wiring.clock);
        match fetched {
            Ok(token) => {
                let unproven_since = match need {
                    Need::OtherThan { after_401: true, .. } => Some(now.unix.as_secs()),
                    _ => lock(&shared.state).unproven_since,
                };
                let lifetime = Duration::from_secs(token.expires_at - token.obtained_at);
                let entry = Entry { token: Some(token.clone()), quiet: None, unproven_since };
                {
                    let mut state = lock(&shared.state);
                    state.end_quiet();
                    state.adopt(&entry, now);
                }
                self.save(context, wiring, &entry, fence);
                (wiring.observe)(&Event::TokenFetched { duration: started.elapsed(), lifetime });
                Ok(token)
            }
            Err(FetchFailure::Answer { error, status, retry_after }) => {
                let entry = shared.begin_shared_quiet(status, retry_after, &error, now);
                self.save(context, wiring, &entry, fence);
                Err(failed(wiring, error, lock(&shared.state).quiet_left(now)))
            }
            Err(FetchFailure::Local(error)) => {
                // A call that ended says nothing of the token server: the
                // next one in line asks at once.
                context.check()?;
                let error = if limited.ended().is_some() { too_slow() } else { error };
                shared.begin_local_quiet(error.message().to_owned(), now);
                Err(failed(wiring, error, lock(&shared.state).quiet_left(now)))
            }
        }
    }

    /// Uses what the store has, if it is what is needed.
    pub(super) fn adopt_stored(
        &self,
        shared: &Shared,
        context: &CallContext,
        wiring: Wiring<'_>,
        need: Need<'_>,
    ) -> Option<Held> {
        let entry = self.attempt(wiring, "load", || self.store.load(context, &self.key))?;
        let now = Now::read(wiring.clock);
        let mut state = lock(&shared.state);
        let is_unwanted = entry.token.as_ref().is_some_and(|token| need.excludes(&token.value));
        if is_unwanted || entry.token.is_none() {
            state.adopt(&Entry { token: None, ..entry }, now);
            return None;
        }
        state.adopt(&entry, now)
    }

    fn save(&self, context: &CallContext, wiring: Wiring<'_>, entry: &Entry, fence: Option<Fence>) {
        if let Some(fence) = fence {
            let saved = || self.store.save(context, &self.key, entry, fence);
            self.attempt(wiring, "save", saved);
        }
    }

    /// Runs an action of the store. A store that fails, or panics, is
    /// bypassed.
    pub(super) fn attempt<T>(
        &self,
        wiring: Wiring<'_>,
        action: &'static str,
        run: impl FnOnce() -> Result<T, StoreError>,
    ) -> Option<T> {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        if let Ok(Ok(value)) = result {
            return Some(value);
        }
        (wiring.observe)(&Event::StoreBypassed { action });
        None
    }
}

fn failed(wiring: Wiring<'_>, error: Error, quiet: Option<Duration>) -> Error {
    (wiring.observe)(&Event::TokenFailed { kind: error.kind(), quiet });
    error.with_retry_after(quiet)
}

fn too_slow() -> Error {
    Error::new(
        ErrorKind::Token,
        "token_server_silent",
        "the token server did not answer in time; check auth_url and the network",
    )
}

/// Which token will do.
#[derive(Clone, Copy)]
pub(super) enum Need<'a> {
    Any,
    /// Any but this one, which is about to expire or was refused.
    OtherThan {
        value: &'a Secret,
        after_401: bool,
    },
}

impl Need<'_> {
    fn excludes(self, value: &Secret) -> bool {
        matches!(self, Need::OtherThan { value: unwanted, .. } if unwanted == value)
    }
}

impl Default for Shared {
    fn default() -> Self {
        Self { state: Mutex::default(), changed: Condvar::new() }
    }
}

impl Shared {
    /// Waits until the state may have changed, at most `slice`.
    pub(super) fn wait(&self, slice: Duration) {
        let state = lock(&self.state);
        if state.fetching {
            let _ = self.changed.wait_timeout(state, slice.min(WAIT_SLICE));
        }
    }

    fn begin_local_quiet(&self, why: String, now: Now) {
        let mut state = lock(&self.state);
        state.local_failures = state.local_failures.saturating_add(1);
        let length = quiet::after_local_failure(state.local_failures);
        state.begin_quiet(length, why, now);
    }

    /// Starts a quiet period for all who share the store, and gives the
    /// entry that tells them.
    fn begin_shared_quiet(
        &self,
        status: u16,
        retry_after: Option<Duration>,
        error: &Error,
        now: Now,
    ) -> Entry {
        let mut state = lock(&self.state);
        state.failures = state.failures.saturating_add(1);
        let length = quiet::after_answer(status, retry_after, state.failures);
        state.begin_quiet(length, error.message().to_owned(), now);
        let since = now.unix.as_secs();
        let until = since + length.as_secs().max(1);
        state.known_quiet = Some(Quiet { since, until, failures: state.failures });
        Entry {
            token: state.usable(now).map(|held| held.token),
            quiet: state.known_quiet,
            unproven_since: state.unproven_since,
        }
    }
}

/// Held by the one thread of this process that fetches. Whatever ends it,
/// exactly one of those who wait comes next.
pub(super) struct FetchTurn<'a>(pub(super) &'a Shared);

impl Drop for FetchTurn<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).fetching = false;
        self.0.changed.notify_all();
    }
}

struct StoreLock<'a> {
    manager: &'a TokenManager,
    fence: Fence,
}

impl Drop for StoreLock<'_> {
    fn drop(&mut self) {
        let unlock = || self.manager.store.unlock(&self.manager.key, self.fence);
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(unlock));
    }
}
