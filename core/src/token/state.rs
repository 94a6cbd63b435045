//! What this process knows of one entry.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{Clock, Entry, Quiet, Token};
use crate::error::{Error, ErrorKind};
use crate::jitter::random_part;
use crate::operation::Operation;

/// A token is refreshed early by a tenth of its lifetime, at most this.
const LONGEST_MARGIN: Duration = Duration::from_secs(300);
/// An entry dated further ahead was written under a clock that ran ahead.
const TOLERATED_SKEW: u64 = 60;

/// One reading of both clocks.
#[derive(Clone, Copy)]
pub(super) struct Now {
    pub(super) monotonic: Instant,
    pub(super) unix: Duration,
}

impl Now {
    pub(super) fn read(clock: &dyn Clock) -> Self {
        Self { monotonic: clock.monotonic(), unix: clock.unix() }
    }
}

/// A token with its times pinned to the monotonic clock, so that a wall clock
/// that jumps back does not make it live longer.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) token: Token,
    expires: Instant,
    refresh_from: Instant,
}

impl Held {
    /// `None` for a token that is expired, or dated in the future.
    fn pin(token: Token, now: Now) -> Option<Self> {
        let unix = now.unix.as_secs();
        if token.obtained_at > unix + TOLERATED_SKEW {
            return None;
        }
        let lifetime = Duration::from_secs(token.expires_at.checked_sub(token.obtained_at)?);
        let left = Duration::from_secs(token.expires_at).checked_sub(now.unix)?.min(lifetime);
        if left.is_zero() {
            return None;
        }
        let margin = (lifetime / 10).min(LONGEST_MARGIN);
        let margin = margin - random_part(margin / 4);
        let expires = now.monotonic + left;
        Some(Self {
            token,
            expires,
            refresh_from: expires.checked_sub(margin).unwrap_or(now.monotonic),
        })
    }

    /// Zero when either clock says that the token is expired.
    pub(super) fn remaining(&self, now: Now) -> Duration {
        let by_wall = Duration::from_secs(self.token.expires_at).saturating_sub(now.unix);
        self.expires.saturating_duration_since(now.monotonic).min(by_wall)
    }
}

/// A quiet period pinned to the monotonic clock.
#[derive(Clone)]
struct QuietHere {
    until: Instant,
    why: String,
}

#[derive(Default)]
pub(super) struct State {
    held: Option<Held>,
    quiet: Option<QuietHere>,
    /// The last one that came from the store or went there.
    pub(super) known_quiet: Option<Quiet>,
    /// Failures of the token server in a row, and those on this side.
    pub(super) failures: u32,
    pub(super) local_failures: u32,
    pub(super) unproven_since: Option<u64>,
    /// Operations that were answered 401 with a new token, and when.
    refused_operations: BTreeMap<Operation, Instant>,
    /// Whether a thread of this process is at the token server or on its way.
    pub(super) fetching: bool,
}

/// What a caller who needs a token does next.
pub(super) enum Turn {
    Use(Held),
    /// Fetch a new token; the old one may be used if that fails.
    Refresh(Held),
    Fetch,
    Wait,
    Quiet(Error),
}

impl State {
    /// Whose turn it is. [`Turn::Refresh`] and [`Turn::Fetch`] make the
    /// caller the one who fetches.
    pub(super) fn turn(&mut self, now: Now) -> Turn {
        let quiet = self.quiet_error(now);
        match self.usable(now) {
            Some(held) => {
                let is_early = now.monotonic < held.refresh_from;
                if is_early || self.fetching || quiet.is_some() {
                    return Turn::Use(held);
                }
                self.fetching = true;
                Turn::Refresh(held)
            }
            None if quiet.is_some() => quiet.map_or(Turn::Wait, Turn::Quiet),
            None if self.fetching => Turn::Wait,
            None => {
                self.fetching = true;
                Turn::Fetch
            }
        }
    }

    pub(super) fn usable(&self, now: Now) -> Option<Held> {
        self.held.as_ref().filter(|held| !held.remaining(now).is_zero()).cloned()
    }

    /// Takes over what a store or the token server gave. The answer says
    /// whether there is a token in use now.
    pub(super) fn adopt(&mut self, entry: &Entry, now: Now) -> Option<Held> {
        self.unproven_since = entry.unproven_since;
        self.adopt_quiet(entry.quiet, now);
        let token = entry.token.as_ref()?;
        let known = self.held.as_ref().filter(|held| held.token == *token).cloned();
        let held = known.or_else(|| Held::pin(token.clone(), now))?;
        self.held = Some(held);
        self.usable(now)
    }

    fn adopt_quiet(&mut self, quiet: Option<Quiet>, now: Now) {
        // One quiet period is kept once: under a wall clock that jumped back
        // its end would never come.
        let Some(quiet) = quiet.filter(|quiet| self.known_quiet.replace(*quiet) != Some(*quiet))
        else {
            return;
        };
        let length = quiet.until.saturating_sub(quiet.since);
        let left = quiet.until.saturating_sub(now.unix.as_secs()).min(length);
        self.failures = self.failures.max(quiet.failures);
        if left > 0 && self.quiet_left(now).is_none() {
            let why = "it refused or failed before".to_owned();
            self.begin_quiet(Duration::from_secs(left), why, now);
        }
    }

    pub(super) fn begin_quiet(&mut self, length: Duration, why: String, now: Now) {
        self.quiet = Some(QuietHere { until: now.monotonic + length, why });
    }

    /// A token came: what failed before does not count any more.
    pub(super) fn end_quiet(&mut self) {
        self.quiet = None;
        self.failures = 0;
        self.local_failures = 0;
    }

    pub(super) fn quiet_left(&self, now: Now) -> Option<Duration> {
        let left = self.quiet.as_ref()?.until.saturating_duration_since(now.monotonic);
        (!left.is_zero()).then_some(left)
    }

    pub(super) fn quiet_error(&self, now: Now) -> Option<Error> {
        let left = self.quiet_left(now)?;
        let why = &self.quiet.as_ref()?.why;
        let message = format!(
            "the token server is left alone for another {} s, because {why}",
            left.as_secs().max(1)
        );
        Some(
            Error::new(ErrorKind::Token, "token_quiet_period", message)
                .with_retry_after(Some(left)),
        )
    }

    /// Stops using the token if it is still `value`.
    pub(super) fn drop_if(&mut self, value: &crate::secret::Secret) {
        self.held.take_if(|held| held.token.value == *value);
    }

    /// Whether a 401 on `operation` may cost a token: not again within
    /// `rest` of one that turned out to be in vain.
    pub(super) fn may_replace(&self, operation: Operation, rest: Duration, now: Now) -> bool {
        let was_in_vain = self
            .unproven_since
            .is_some_and(|since| now.unix.saturating_sub(Duration::from_secs(since)) < rest);
        let was_refused = self
            .refused_operations
            .get(&operation)
            .is_some_and(|at| now.monotonic.saturating_duration_since(*at) < rest);
        !was_in_vain && !was_refused
    }

    pub(super) fn note_refused(&mut self, operation: Operation, now: Now) {
        self.refused_operations.insert(operation, now.monotonic);
    }

    /// A call of `operation` was accepted. The answer says whether the store
    /// should hear of it.
    pub(super) fn note_accepted(&mut self, operation: Operation) -> bool {
        if !self.refused_operations.is_empty() {
            self.refused_operations.remove(&operation);
        }
        self.unproven_since.take().is_some()
    }

    /// What a forked child starts with.
    pub(super) fn inherited(&self) -> Self {
        Self {
            held: self.held.clone(),
            quiet: self.quiet.clone(),
            known_quiet: self.known_quiet,
            failures: self.failures,
            local_failures: self.local_failures,
            unproven_since: self.unproven_since,
            refused_operations: self.refused_operations.clone(),
            fetching: false,
        }
    }
}
