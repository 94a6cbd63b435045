//! When a refused token may be replaced again, and how often it was.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use payments_base::hex::hex;
use payments_base::jitter::random_part;
use sha2::{Digest as _, Sha256};

use super::Now;
use crate::transport::{PreparedRequest, without_query};

/// The pauses after replacements that did not help. Each takes up to a quarter
/// more, at random.
const PAUSES: [Duration; 5] = [
    Duration::from_secs(30),
    Duration::from_secs(60),
    Duration::from_secs(120),
    Duration::from_secs(300),
    Duration::from_secs(600),
];
/// The longest pause, with its random part.
const LONGEST_PAUSE: u64 = 751;
/// For how long a pause makes the next one longer, and a replacement counts.
pub(super) const MEMORY: Duration = Duration::from_secs(3600);
/// The most targets remembered. While that many pause, a 401 to any other
/// target does not replace the token.
const MOST_TARGETS: usize = 16;
/// After this many replacements within [`MEMORY`], one is made every [`APART`].
const MOST: usize = 12;
const APART: Duration = Duration::from_secs(600);

/// Method and URL without query, as a hash: a path may name a payment.
pub(super) fn target_of(request: &PreparedRequest) -> String {
    let target = format!("{} {}", request.method(), without_query(request.url()));
    let mut digits = hex(&Sha256::digest(target));
    digits.truncate(16);
    digits
}

/// A pause between two replacements. Times are seconds since 1970 UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pause {
    pub(super) since: u64,
    pub(super) until: u64,
    /// How many there were in a row.
    pub(super) number: u64,
}

impl Pause {
    /// The pause that follows `last`.
    fn after(last: Option<&Self>, now: Now) -> Self {
        let last = last.filter(|last| now.is_within(MEMORY, Some(last.since)));
        let number = last.map_or(0, |last| last.number).saturating_add(1);
        let place = usize::try_from(number).unwrap_or(usize::MAX).min(PAUSES.len());
        let length = PAUSES[place - 1];
        let end = now.unix + length + random_part(length / 4);
        Self { since: now.unix.as_secs(), until: end.as_secs() + 1, number }
    }

    fn is_in_force(&self, now: Now) -> bool {
        let until = self.until.min(self.since.saturating_add(LONGEST_PAUSE));
        now.since(self.since).is_some() && now.unix < Duration::from_secs(until)
    }
}

/// The replacements of refused tokens so far, and when the next one may be
/// replaced. A store keeps it as part of its [entry](super::TokenEntry).
///
/// There are pauses of two kinds: of the token, which ends with any accepted
/// call, and of each method and path, which ends with an accepted call to it.
/// Without the second, a path that is always refused would cost a token after
/// each call to a path that is always accepted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Replacements {
    pub(super) pause: Option<Pause>,
    /// By [`target_of`] their request.
    pub(super) targets: BTreeMap<String, Pause>,
    /// When the last ones were requested, at most [`MOST`].
    pub(super) requested_at: Vec<u64>,
    /// When the token that was dropped by [`forget`](Self::forget) would have
    /// expired, until another one is requested.
    pub(super) forgotten_until: Option<u64>,
}

impl Replacements {
    /// Whether a 401 of `target` may replace the token.
    pub(super) fn allow(&self, target: &str, now: Now) -> bool {
        let pauses = |pause: &Pause| pause.is_in_force(now);
        let paused = self.targets.values().filter(|pause| pauses(pause)).count();
        !self.pause.as_ref().is_some_and(pauses)
            && !self.targets.get(target).is_some_and(pauses)
            && paused < MOST_TARGETS
            && self.rest(now).is_zero()
    }

    /// How long no token is requested instead of a refused or forgotten one,
    /// whatever was accepted.
    pub(super) fn rest(&self, now: Now) -> Duration {
        rest_after(self.requested_at.iter().filter_map(|at| now.since(*at)))
    }

    /// Records that a token is requested after a 401 of `target`, and begins
    /// both pauses.
    pub(super) fn note_requested(&mut self, target: &str, now: Now) {
        self.count(now);
        self.pause = Some(Pause::after(self.pause.as_ref(), now));
        self.begin_pause(target, now);
    }

    /// Records that a token is requested, other than after a 401.
    pub(super) fn count(&mut self, now: Now) {
        self.forgotten_until = None;
        self.requested_at.retain(|at| now.since(*at).is_some());
        self.requested_at.push(now.unix.as_secs());
        let excess = self.requested_at.len().saturating_sub(MOST);
        self.requested_at.drain(..excess);
    }

    /// Records that `target` was refused with a token that was not the cause.
    /// Returns whether that was new.
    pub(super) fn note_refused(&mut self, target: &str, now: Now) -> bool {
        let is_new = !self.targets.get(target).is_some_and(|pause| pause.is_in_force(now));
        if is_new {
            self.begin_pause(target, now);
        }
        is_new
    }

    fn begin_pause(&mut self, target: &str, now: Now) {
        let pause = Pause::after(self.targets.get(target), now);
        self.targets.retain(|_, pause| now.is_within(MEMORY, Some(pause.since)));
        if self.targets.len() >= MOST_TARGETS && !self.targets.contains_key(target) {
            let over = self.targets.iter().filter(|(_, pause)| !pause.is_in_force(now));
            let Some((oldest, _)) = over.min_by_key(|(_, pause)| pause.until) else { return };
            let oldest = oldest.clone();
            self.targets.remove(&oldest);
        }
        self.targets.insert(target.to_owned(), pause);
    }

    /// Records that a call to `target` was accepted. Returns whether that ended
    /// a pause, or made the next one shorter.
    pub(super) fn note_accepted(&mut self, target: &str) -> bool {
        let ended = self.pause.take().is_some();
        self.targets.remove(target).is_some() || ended
    }

    /// Records that a token was dropped that would have lived until then. The
    /// request for the next one counts as a replacement.
    pub(super) fn forget(&mut self, expires_at: u64) {
        self.forgotten_until = self.forgotten_until.max(Some(expires_at));
    }

    pub(super) fn is_forgotten(&self, now: Now) -> bool {
        is_later(self.forgotten_until, now)
    }

    pub(super) fn has_pauses(&self) -> bool {
        self.pause.is_some() || !self.targets.is_empty()
    }

    /// Whether there is nothing to remember.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same for a clock that shows other times.
    #[cfg(feature = "redis")]
    pub(super) fn moved(self, moved: impl Fn(u64) -> u64) -> Self {
        let pause =
            |it: Pause| Pause { since: moved(it.since), until: moved(it.until), number: it.number };
        Self {
            pause: self.pause.map(pause),
            targets: self.targets.into_iter().map(|(target, it)| (target, pause(it))).collect(),
            requested_at: self.requested_at.into_iter().map(&moved).collect(),
            forgotten_until: self.forgotten_until.map(moved),
        }
    }
}

/// How long to wait after requests of these ages.
fn rest_after(ages: impl Iterator<Item = Duration>) -> Duration {
    let recent: Vec<_> = ages.filter(|age| *age < MEMORY).collect();
    match recent.iter().min() {
        Some(last) if recent.len() >= MOST => APART.saturating_sub(*last),
        _ => Duration::ZERO,
    }
}

/// The tokens that this process itself requested instead of refused or
/// forgotten ones. They count even if the store does not keep its entry.
#[derive(Clone, Default)]
pub(super) struct OwnReplacements {
    requested_at: Vec<Instant>,
    /// Like [`Replacements::forgotten_until`].
    pub(super) forgotten_until: Option<u64>,
}

impl OwnReplacements {
    pub(super) fn count(&mut self, now: Now) {
        self.forgotten_until = None;
        self.requested_at.push(now.monotonic);
        let excess = self.requested_at.len().saturating_sub(MOST);
        self.requested_at.drain(..excess);
    }

    pub(super) fn rest(&self, now: Now) -> Duration {
        rest_after(self.requested_at.iter().map(|at| now.monotonic.saturating_duration_since(*at)))
    }

    pub(super) fn is_forgotten(&self, now: Now) -> bool {
        is_later(self.forgotten_until, now)
    }
}

fn is_later(seconds: Option<u64>, now: Now) -> bool {
    seconds.is_some_and(|until| now.unix < Duration::from_secs(until))
}

#[cfg(test)]
#[path = "replacements_tests.rs"]
mod tests;
