//! When the next request may be sent: under a rate, and not during a pause.

use std::time::{Duration, Instant};

/// Gives each request a turn, at least an interval after the one before, and none
/// during a pause.
#[derive(Clone, Debug)]
pub struct Turns {
    interval: Duration,
    next: Instant,
    paused_until: Instant,
}

impl Turns {
    /// Turns from `now` on.
    pub fn new(interval: Duration, now: Instant) -> Self {
        Self { interval, next: now, paused_until: now }
    }

    /// Reserves the next turn.
    pub fn turn(&mut self, now: Instant) -> Instant {
        let turn = self.next.max(now);
        self.next = turn + self.interval;
        turn
    }

    /// Pauses all requests until `end`. One whose turn comes earlier needs another
    /// one.
    pub fn pause(&mut self, end: Instant) {
        self.paused_until = self.paused_until.max(end);
        self.next = self.next.max(end);
    }

    /// Whether no request may be sent at `now`.
    pub fn is_paused(&self, now: Instant) -> bool {
        now < self.paused_until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_pause_applies_to_waiting_lines() {
        let start = Instant::now();
        let mut pace = Turns::new(SECOND, start);
        assert_eq!([pace.turn(start), pace.turn(start)], [start, start + SECOND]);
        pace.pause(start + 10 * SECOND);
        assert!(pace.is_paused(start + SECOND), "the second line must wait");
        let turns = [pace.turn(start + SECOND), pace.turn(start + SECOND)];
        assert_eq!(turns, [start + 10 * SECOND, start + 11 * SECOND]);
        assert!(!pace.is_paused(turns[0]));
    }

    #[test]
    fn a_shorter_pause_does_not_end_a_longer_one() {
        let start = Instant::now();
        let mut pace = Turns::new(Duration::ZERO, start);
        pace.pause(start + 5 * SECOND);
        pace.pause(start + SECOND);
        assert_eq!(pace.turn(start), start + 5 * SECOND);
    }
}
