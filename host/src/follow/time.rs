//! The clock by which payments are followed.

use std::time::{Duration, Instant};

pub(super) const MINUTE: u64 = 60_000;
pub(super) const HOUR: u64 = 60 * MINUTE;
pub(super) const DAY: u64 = 24 * HOUR;
pub(super) const YEAR: u64 = 365 * DAY;

/// Milliseconds since 1970 UTC: the wall clock when this process began to follow,
/// and from then on the monotonic one. Changes of the wall clock affect neither
/// ages nor due times.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunClock {
    wall: u64,
    started: Instant,
}

impl RunClock {
    pub(super) fn new(wall: Duration, started: Instant) -> Self {
        Self { wall: milliseconds(wall), started }
    }

    pub(super) fn at(&self, monotonic: Instant) -> u64 {
        let elapsed = monotonic.saturating_duration_since(self.started);
        self.wall.saturating_add(milliseconds(elapsed))
    }

    /// The monotonic time at `now`.
    pub(super) fn instant(&self, now: u64) -> Instant {
        self.started + Duration::from_millis(now.saturating_sub(self.wall))
    }
}

/// Whether the clock may be far ahead: then nothing is given up. It may be if it
/// is more than a day later than everything that is known to have happened, until
/// it has been so for a day.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Doubt {
    /// The time since which it is in doubt, by that clock.
    pub(super) since: Option<u64>,
}

impl Doubt {
    /// At the start of a run. `newest` is when something last happened. Returns
    /// whether it changed.
    pub(super) fn look(&mut self, now: u64, newest: Option<u64>) -> bool {
        let before = *self;
        let is_ahead = newest.is_some_and(|newest| now > newest.saturating_add(DAY));
        // A time in the future says that the clock was set back.
        let is_still_ahead = self.since.is_some_and(|since| since <= now && now - since < DAY);
        if !is_still_ahead {
            self.since = is_ahead.then_some(now);
        }
        *self != before
    }

    /// Whether `now` may be wrong.
    pub(super) fn holds(self, now: u64) -> bool {
        self.since.is_some_and(|since| now.saturating_sub(since) < DAY)
    }
}

pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_far_ahead_is_distrusted_for_a_day() {
        let mut doubt = Doubt::default();
        assert!(!doubt.look(10 * DAY, None) && !doubt.look(10 * DAY, Some(9 * DAY)));
        assert!(!doubt.holds(10 * DAY));
        assert!(doubt.look(10 * DAY, Some(9 * DAY - 1)));
        assert!(doubt.holds(10 * DAY) && doubt.holds(11 * DAY - 1) && !doubt.holds(11 * DAY));
        assert!(!doubt.look(11 * DAY - 1, Some(10 * DAY)), "a run a minute later");
        assert!(doubt.holds(11 * DAY - 1));
        assert!(doubt.look(11 * DAY, Some(11 * DAY)) && !doubt.holds(11 * DAY));
    }

    #[test]
    fn a_clock_that_was_set_back_is_trusted_again() {
        let mut doubt = Doubt::default();
        doubt.look(10 * DAY, Some(2 * DAY));
        assert!(doubt.look(2 * DAY, Some(2 * DAY)) && !doubt.holds(2 * DAY));
        assert!(doubt.look(10 * DAY, Some(2 * DAY)) && doubt.holds(10 * DAY), "ahead once more");
    }
}
