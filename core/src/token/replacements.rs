//! When a refused token may be replaced again, and how often it was.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use payments_base::hex::hex;
use payments_base::jitter::random_part;
use payments_transport::PreparedRequest;
use sha2::{Digest as _, Sha256};

use super::{LONGEST_LIFETIME, Now};

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
/// After this many replacements within [`MEMORY`], one is made every [`APART`]:
/// a dozen at most in any hour.
const MOST: usize = 7;
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

    fn left(&self, now: Now) -> Duration {
        let until = self.until.min(self.since.saturating_add(LONGEST_PAUSE));
        Duration::from_secs(until).saturating_sub(now.unix)
    }

    fn is_in_force(&self, now: Now) -> bool {
        !self.left(now).is_zero()
    }

    /// The same pause, from now on if it is one of the future.
    fn dated(self, now: Now) -> Self {
        match now.since(self.since) {
            Some(_) => self,
            None => self.moved(|time| now.translate(self.since, time)),
        }
    }

    fn moved(self, moved: impl Fn(u64) -> u64) -> Self {
        Self { since: moved(self.since), until: moved(self.until), number: self.number }
    }
}

/// Why a refused token is not replaced now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RestReason {
    /// An earlier replacement did not help.
    Unhelpful,
    /// Each one helped, but not for long.
    Contended,
    /// As many as may be were requested, and the last one was not obtained.
    Spent,
}

/// How long, and why, no other token is requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rest {
    pub(crate) left: Duration,
    pub(crate) reason: RestReason,
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
    /// When the token would have expired that was dropped, because it was
    /// refused or forgotten, until another one is obtained. Each request until
    /// then counts: those of processes that crash too.
    pub(super) dropped_until: Option<u64>,
}

impl Replacements {
    /// How long an earlier 401 keeps one of `target` from replacing the token.
    pub(super) fn pause_left(&self, target: &str, now: Now) -> Duration {
        let of = |pause: Option<&Pause>| pause.map_or(Duration::ZERO, |pause| pause.left(now));
        let left = self.targets.values().map(|pause| pause.left(now));
        let pausing: Vec<_> = left.filter(|left| !left.is_zero()).collect();
        let until_room = match pausing.iter().min() {
            Some(first) if pausing.len() >= MOST_TARGETS => *first,
            _ => Duration::ZERO,
        };
        of(self.pause.as_ref()).max(of(self.targets.get(target))).max(until_room)
    }

    /// How long no token is requested instead of a refused or forgotten one,
    /// whatever was accepted.
    pub(super) fn rest(&self, now: Now) -> Duration {
        rest_after(self.requested_at.iter().filter_map(|at| now.since(*at)))
    }

    /// Whether a token was accepted since the last replacement after a 401, and
    /// for `target` too.
    pub(super) fn has_helped(&self, target: &str) -> bool {
        self.pause.is_none() && !self.targets.contains_key(target)
    }

    /// Records that a token is requested instead of one that was dropped.
    pub(super) fn count(&mut self, now: Now) {
        self.requested_at.push(now.unix.as_secs());
        let excess = self.requested_at.len().saturating_sub(MOST);
        self.requested_at.drain(..excess);
    }

    /// Takes back the last request, which was not sent.
    pub(super) fn uncount(&mut self) {
        self.requested_at.pop();
    }

    /// Begins both pauses, since a token was obtained after a 401 of `target`.
    pub(super) fn begin_pauses(&mut self, target: &str, now: Now) {
        self.pause = Some(Pause::after(self.pause.as_ref(), now));
        self.begin_pause(target, now);
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

    /// Records that a token was dropped that would have lived until then.
    pub(super) fn note_dropped(&mut self, expires_at: u64) {
        self.dropped_until = self.dropped_until.max(Some(expires_at));
    }

    /// Records that the request for another one has come to its end.
    pub(super) fn note_answered(&mut self) {
        self.dropped_until = None;
    }

    /// Whether the next request counts.
    pub(super) fn is_dropped(&self, now: Now) -> bool {
        self.dropped_until.is_some_and(|until| now.unix < Duration::from_secs(until))
    }

    pub(super) fn has_pauses(&self) -> bool {
        self.pause.is_some() || !self.targets.is_empty()
    }

    /// Whether there is nothing to remember.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same with each time of the future, which another clock wrote, as now.
    pub(super) fn dated(self, now: Now) -> Self {
        let this_second = now.unix.as_secs();
        let at = |time: u64| if now.since(time).is_some() { time } else { this_second };
        Self {
            pause: self.pause.map(|pause| pause.dated(now)),
            targets: self.targets.into_iter().map(|(it, pause)| (it, pause.dated(now))).collect(),
            requested_at: self.requested_at.into_iter().map(at).collect(),
            dropped_until: self
                .dropped_until
                .map(|until| until.min(this_second.saturating_add(LONGEST_LIFETIME.as_secs()))),
        }
    }

    /// The same for a clock that shows other times.
    pub(super) fn moved(self, moved: impl Fn(u64) -> u64) -> Self {
        let pause = |pause: Pause| pause.moved(&moved);
        Self {
            pause: self.pause.map(pause),
            targets: self.targets.into_iter().map(|(target, it)| (target, pause(it))).collect(),
            requested_at: self.requested_at.into_iter().map(&moved).collect(),
            dropped_until: self.dropped_until.map(&moved),
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
    /// Like [`Replacements::dropped_until`].
    pub(super) dropped_until: Option<Instant>,
}

impl OwnReplacements {
    pub(super) fn count(&mut self, now: Now) {
        self.requested_at.push(now.monotonic);
        let excess = self.requested_at.len().saturating_sub(MOST);
        self.requested_at.drain(..excess);
    }

    pub(super) fn uncount(&mut self) {
        self.requested_at.pop();
    }

    pub(super) fn rest(&self, now: Now) -> Duration {
        rest_after(self.requested_at.iter().map(|at| now.monotonic.saturating_duration_since(*at)))
    }

    pub(super) fn is_dropped(&self, now: Now) -> bool {
        self.dropped_until.is_some_and(|until| now.monotonic < until)
    }
}

/// `url` up to its query.
fn without_query(url: &str) -> &str {
    url.split('?').next().unwrap_or_default()
}

#[cfg(test)]
#[path = "replacements_tests.rs"]
mod tests;
