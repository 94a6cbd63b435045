//! Obtains tokens: one caller asks the token server, the others use the result.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use payments_base::debug_shows;
use payments_base::process::{ForkGuard, lock};
use payments_transport::context::{CallContext, Ended};
use payments_transport::inside::authority_of;
use payments_transport::{PreparedRequest, Received};

use super::Now;
use super::access::{Dependencies, FetchContext, lock_first};
use super::need::{Need, NoToken};
use super::refusal::{Unissued, failed_as};
use super::request::{self, FetchFailure};
use super::source::{Adopted, TokenSource, adopt_from, choose_source, note_request};
use super::state::{CachedToken, FetchGuard, Shared, Step, TokenCache};
use super::{Credentials, Token, TokenEntry};
use crate::model::error::{Error, Message};
use crate::model::observer::EventKind;

/// The limit for one token request.
const FETCH_LIMIT: Duration = Duration::from_secs(10);
/// How long a refresh may delay a call that still has a valid token.
const EARLY_REFRESH_LIMIT: Duration = Duration::from_secs(5);

/// Provides a client with its bearer token.
pub(crate) struct TokenManager {
    request: PreparedRequest,
    encoding_advice: &'static str,
    longest: Duration,
    pub(super) cache: Arc<TokenCache>,
}

/// The state of the bearer token. `Debug` shows only the names of the members.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct TokenStatus {
    /// Whether there is a token that has not expired.
    pub is_usable: bool,
    /// Time since the token was requested.
    pub age: Option<Duration>,
    /// Time until the token expires.
    pub remaining: Option<Duration>,
    /// Time left of the backoff, during which no client contacts the token
    /// server.
    pub backoff: Option<Duration>,
    /// `scope`, `user_name` and `jti` of the token response.
    pub members: BTreeMap<String, String>,
}

debug_shows!(
    TokenStatus,
    |it| is_usable = it.is_usable,
    age = it.age,
    remaining = it.remaining,
    backoff = it.backoff,
    members = it.members.keys()
);

impl TokenManager {
    /// A manager that fetches tokens with these credentials into `cache`, which
    /// must belong to their key. `longest` is the token lifetime that the
    /// interface states for the environment.
    pub(crate) fn new(
        credentials: &Credentials,
        longest: Duration,
        cache: Arc<TokenCache>,
    ) -> Self {
        let encoding_advice = credentials.encoding_advice();
        Self { request: request::build(credentials), encoding_advice, longest, cache }
    }

    /// Returns a valid token.
    ///
    /// # Errors
    /// `token` if none could be obtained; `timeout` or `cancelled` if the call
    /// ends first.
    pub(crate) fn token(
        &self,
        context: &CallContext,
        dependencies: Dependencies<'_>,
    ) -> Result<Arc<Token>, Error> {
        let shared = self.cache.shared();
        loop {
            context.check()?;
            let seen = shared.changed.seen();
            let (now, step) = {
                let mut state = lock(&shared.state);
                // Under the lock: a reading from before the wall clock was set would
                // end a token that was fetched after it.
                let now = Now::read(dependencies.clock);
                (now, state.next_step(now))
            };
            match step {
                Step::Use(held) => {
                    (dependencies.observe)(&EventKind::TokenReused {
                        remaining: held.remaining(now),
                    });
                    return Ok(held.token);
                }
                // Another process may have fetched a token.
                Step::Backoff(error) => {
                    let stored = dependencies
                        .deferring_events(|fetch| self.adopt_stored(&shared, context, fetch));
                    let held = stored.ok_or(error)?;
                    (dependencies.observe)(&EventKind::TokenReused {
                        remaining: held.remaining(now),
                    });
                    return Ok(held.token);
                }
                Step::Wait => shared.changed.wait(seen, context, context.wait_slice()),
                Step::Suspended => return Err(failed_as(Message::TOKEN_FETCH_SUSPENDED)),
                Step::Fetch => {
                    let held = dependencies.deferring_events(|fetch| {
                        let _guard = ForkGuard::new(FetchGuard(&shared));
                        self.obtain(&shared, context, fetch, Need::Any)
                    });
                    return held.map(|held| held.token).map_err(NoToken::into_error);
                }
                Step::Refresh(old) => {
                    let token = dependencies.deferring_events(|fetch| {
                        let _guard = ForkGuard::new(FetchGuard(&shared));
                        self.refresh(&shared, context, fetch, old)
                    });
                    if let Some(token) = token {
                        return Ok(token);
                    }
                }
            }
        }
    }

    /// Returns a newer token, or the old one while it is valid: a failed early
    /// refresh must not fail the call.
    fn refresh(
        &self,
        shared: &Shared,
        context: &CallContext,
        fetch: FetchContext<'_>,
        old: CachedToken,
    ) -> Option<Arc<Token>> {
        let limited = context.limited_to(EARLY_REFRESH_LIMIT.min(context.remaining() / 2));
        if let Ok(held) = self.obtain(shared, &limited, fetch, Need::Newer(&old)) {
            return Some(held.token);
        }
        let now = Now::read(fetch.clock);
        match limited.ended() {
            None => {}
            // Another thread of the parent may hold the lock.
            Some(Ended::Forked) => return None,
            Some(_) => lock(&shared.state).pause_refreshing(now),
        }
        (!old.remaining(now).is_zero()).then_some(old.token)
    }

    /// The state of the token. Does not request one.
    pub(crate) fn status(
        &self,
        context: &CallContext,
        dependencies: Dependencies<'_>,
    ) -> TokenStatus {
        let shared = self.cache.shared();
        let now = Now::read(dependencies.clock);
        if lock(&shared.state).usable(now).is_none() {
            dependencies.deferring_events(|fetch| self.adopt_stored(&shared, context, fetch));
        }
        if context.is_forked() {
            return TokenStatus::default();
        }
        let state = lock(&shared.state);
        let backoff = state.backoff_left(now);
        match state.usable(now) {
            None => TokenStatus { backoff, ..TokenStatus::default() },
            Some(held) => TokenStatus {
                is_usable: true,
                age: Some(now.unix.saturating_sub(Duration::from_secs(held.token.obtained_at))),
                remaining: Some(held.remaining(now)),
                backoff,
                members: held.token.members.clone(),
            },
        }
    }

    /// Gets a token from a store or the token server. The caller is the one that
    /// fetches.
    pub(super) fn obtain(
        &self,
        shared: &Shared,
        context: &CallContext,
        fetch: FetchContext<'_>,
        need: Need<'_>,
    ) -> Result<CachedToken, NoToken> {
        let mut stores = self.cache.stores(context, fetch);
        while let Some(store) = stores.next() {
            let lock = match choose_source(shared, store, need)? {
                TokenSource::NextStore => continue,
                TokenSource::Store(held) => {
                    let remaining = held.remaining(Now::read(fetch.clock));
                    fetch.events.note(EventKind::TokenReused { remaining });
                    return Ok(held);
                }
                TokenSource::TokenServer(lock) => lock,
            };
            let counts = note_request(shared, store, lock.as_ref(), need);
            let (asked, entry) = self.ask(shared, context, fetch, (need, counts));
            if let Some((entry, lock)) = entry.zip(lock.as_ref())
                && !lock.save(&entry)
            {
                // Clients that cannot reach this store read the next one.
                lock_first(stores).map(|lock| lock.save(&entry));
            }
            return Ok(asked?);
        }
        let counts = {
            let mut state = lock(&shared.state);
            let now = Now::read(fetch.clock);
            state.leave(need, now)?;
            state.note_request(need, now)
        };
        Ok(self.ask(shared, context, fetch, (need, counts)).0?)
    }

    /// Asks the token server for a token. The need comes with whether the request
    /// was counted. Also returns the entry for the clients that share the store.
    fn ask(
        &self,
        shared: &Shared,
        context: &CallContext,
        fetch: FetchContext<'_>,
        need: (Need<'_>, bool),
    ) -> (Result<CachedToken, Error>, Option<TokenEntry>) {
        let started = Instant::now();
        let host = authority_of(self.request.url()).to_owned();
        fetch.events.note(EventKind::TokenRequested { host: host.into() });
        let (result, backoff, entry) = self.ask_server(shared, context, fetch, need);
        let duration = started.elapsed();
        fetch.events.note(match &result {
            Ok(held) => EventKind::TokenFetched { duration, lifetime: held.token.lifetime() },
            Err(error) => EventKind::TokenFailed { kind: error.kind(), backoff, duration },
        });
        (result.map_err(|error| error.with_retry_after(backoff)), entry)
    }

    /// Like `ask`, also with the time during which the token server is not
    /// contacted.
    fn ask_server(
        &self,
        shared: &Shared,
        context: &CallContext,
        fetch: FetchContext<'_>,
        (need, counts): (Need<'_>, bool),
    ) -> (Result<CachedToken, Error>, Option<Duration>, Option<TokenEntry>) {
        let limited = context.limited_to(FETCH_LIMIT).with_own_record();
        let asked = fetch.clock.monotonic();
        let read =
            |response: &Received| request::read(response, self.longest, self.encoding_advice);
        let fetched = request::fetch(&limited, fetch.transport, &self.request, read);
        let now = Now::read(fetch.clock);
        // The wall clock may have been set in between.
        let asked_at = now.unix.saturating_sub(now.monotonic.saturating_duration_since(asked));
        let (error, (backoff, entry)) = match fetched {
            Ok(issued) => {
                let held = CachedToken::pin(issued.at(asked_at), true, now)
                    .unwrap_or_else(|| CachedToken::arrived(issued.at(now.unix), now));
                let entry = lock(&shared.state).note_obtained(held.clone(), need, now);
                return (Ok(held), None, Some(entry));
            }
            Err(FetchFailure::Response { unissued, retry_after }) => {
                let Unissued { error, is_refusal } = unissued;
                let mut state = lock(&shared.state);
                let backoff = state.note_refusal(is_refusal, retry_after, error.message(), now);
                (error, backoff)
            }
            Err(FetchFailure::Local { error: failed, may_have_sent }) => {
                if let Some(ended) = context.ended() {
                    let mut error = Error::from(context.stopped(ended));
                    if ended == Ended::Deadline {
                        error = error.with_message(failed.message());
                    }
                    // A failed early refresh pauses refreshing instead.
                    let counts =
                        may_have_sent && ended != Ended::Forked && !matches!(need, Need::Newer(_));
                    let note = || lock(&shared.state).note_abandoned(now);
                    let Some(backoff) = counts.then(note).flatten() else {
                        return (Err(error), None, None);
                    };
                    (error, (backoff, None))
                } else {
                    let error = match limited.ended() {
                        Some(_) => failed_as(Message::TOKEN_SERVER_SILENT),
                        None => failed,
                    };
                    let mut state = lock(&shared.state);
                    let backoff = if may_have_sent {
                        state.note_silence(error.message(), now)
                    } else {
                        let entry = counts.then(|| state.uncount(now));
                        (state.begin_local_backoff(error.message(), now), entry)
                    };
                    (error, backoff)
                }
            }
        };
        (Err(error), Some(backoff), entry)
    }

    /// Takes the token of the first working store, if it is usable.
    pub(super) fn adopt_stored(
        &self,
        shared: &Shared,
        context: &CallContext,
        fetch: FetchContext<'_>,
    ) -> Option<CachedToken> {
        let stores = self.cache.stores(context, fetch);
        let mut adopted = stores.map(|store| adopt_from(shared, store, Need::Any));
        match adopted.find(|it| !matches!(it, Adopted::StoreFailed)) {
            Some(Adopted::Token(held)) => Some(held),
            _ => None,
        }
    }
}
