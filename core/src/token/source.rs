//! Where a caller gets the token that it needs.

use std::time::Duration;

use payments_base::jitter::random_part;
use payments_base::process::lock;
use payments_transport::context::Ended;

use super::Now;
use super::TokenEntry;
use super::access::{Locking, StoreAccess, StoreLock};
use super::need::{Need, NoToken};
use super::state::{CachedToken, Shared};
use crate::model::error::Error;

/// How long a holder may keep a store's lock; see [`TokenStore::try_lock`].
pub(super) const LOCK_LIMIT: Duration = Duration::from_secs(15);

/// Where a caller gets the token that it needs, after reading a store.
pub(super) enum TokenSource<'a> {
    Store(CachedToken),
    /// With the store's lock, or without it because its holder hangs.
    TokenServer(Option<StoreLock<'a>>),
    /// This store does not work.
    NextStore,
}

/// Records that the token server is asked, before it is: a process that dies
/// while it asks saves nothing. Returns whether the request counts as one for a
/// token that was refused or forgotten.
pub(super) fn note_request(
    shared: &Shared,
    store: StoreAccess<'_>,
    held: Option<&StoreLock<'_>>,
    need: Need<'_>,
) -> bool {
    let entry = {
        let mut state = lock(&shared.state);
        let now = Now::read(store.fetch.clock);
        state.note_request(need, now).then(|| state.entry(now))
    };
    if let Need::After401 { refused, .. } = need {
        store.delete_if(refused);
    }
    if let Some((entry, held)) = entry.as_ref().zip(held) {
        held.save(entry);
    }
    entry.is_some()
}

/// Waits until the store has a suitable token or grants its lock.
pub(super) fn choose_source<'a>(
    shared: &Shared,
    store: StoreAccess<'a>,
    need: Need<'_>,
) -> Result<TokenSource<'a>, NoToken> {
    let StoreAccess { fetch, .. } = store;
    let (mut failures, mut waiting_since) = (0, fetch.clock.monotonic());
    let mut given = None;
    loop {
        // Checked again under the lock: another client may have saved just
        // before.
        match adopt_from(shared, store, need) {
            Adopted::Token(held) => return Ok(TokenSource::Store(held)),
            Adopted::NoToken => {}
            Adopted::StoreFailed => return Ok(TokenSource::NextStore),
        }
        let (now, seen) = {
            let mut state = lock(&shared.state);
            let now = Now::read(fetch.clock);
            match state.leave(need, now) {
                // Another client may be asking for the next one: the lock tells.
                Err(NoToken::Resting(_)) if given.is_none() && state.is_dropped(now) => {}
                left => left?,
            }
            (now, state.failures)
        };
        if given.is_some() {
            return Ok(TokenSource::TokenServer(given));
        }
        // The previous holder failed, and another one has the lock now: the
        // wait starts over.
        if std::mem::replace(&mut failures, seen) != seen {
            waiting_since = now.monotonic;
        }
        match store.lock() {
            Locking::Taken(lock) => {
                given = Some(lock);
                continue;
            }
            Locking::HeldByAnother => {}
            Locking::StoreFailed => return Ok(TokenSource::NextStore),
        }
        if let Need::Newer(old) = need {
            // Another client is refreshing the token already.
            return Ok(TokenSource::Store(old.clone()));
        }
        let waited = now.monotonic.saturating_duration_since(waiting_since);
        if waited >= LOCK_LIMIT && !store.store.lock_lapses() {
            return Ok(TokenSource::TokenServer(None));
        }
        wait_for_holder(store)?;
    }
}

/// Waits a little before the lock of a store is tried again.
pub(super) fn wait_for_holder(store: StoreAccess<'_>) -> Result<(), Error> {
    let wait = Duration::from_millis(10);
    store.context.sleep(wait + random_part(wait * 4)).map_err(|stopped| match stopped.ended {
        Ended::Deadline => Error::from(stopped).with_message(
            "the deadline of the call passed while it waited for the lock of the token store, \
             which another process has; raise `timeout_ms` if token requests take longer",
        ),
        Ended::Cancelled | Ended::Forked => stopped.into(),
    })
}

/// The result of reading a store for a caller.
pub(super) enum Adopted {
    Token(CachedToken),
    /// None that is suitable.
    NoToken,
    StoreFailed,
}

/// Adopts what the store knows, and its token, if it is suitable.
pub(super) fn adopt_from(shared: &Shared, store: StoreAccess<'_>, need: Need<'_>) -> Adopted {
    let Some(entry) = load_dated(store) else { return Adopted::StoreFailed };
    let mut state = lock(&shared.state);
    let now = Now::read(store.fetch.clock);
    let is_excluded = entry.token.as_ref().is_some_and(|token| need.excludes(&token.value));
    // This process may hold a later token than the store.
    let is_kept = matches!(need, Need::After401 { .. }) && state.usable(now).is_none();
    let entry = if is_excluded && !is_kept { TokenEntry { token: None, ..entry } } else { entry };
    match state.adopt(&entry, now) {
        Some(held) if !is_excluded => Adopted::Token(held),
        _ => Adopted::NoToken,
    }
}

/// The entry of a store, with times of the future as now. They are saved so,
/// since they would never pass otherwise.
fn load_dated(store: StoreAccess<'_>) -> Option<TokenEntry> {
    let dated = |entry: TokenEntry| entry.dated(Now::read(store.fetch.clock));
    let entry = store.load()?;
    let as_now = dated(entry.clone());
    if as_now == entry {
        return Some(entry);
    }
    match store.lock() {
        Locking::Taken(lock) => {
            let as_now = dated(lock.load()?);
            lock.save(&as_now).then_some(as_now)
        }
        // Its holder does the same.
        Locking::HeldByAnother => Some(as_now),
        Locking::StoreFailed => None,
    }
}
