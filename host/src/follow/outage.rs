//! The pause of all queries while the service cannot be asked.

use payments_core::json::{Json, Members};

use super::ended::Mark;
use super::rule::{Concern, FAILURES_UNTIL_PAUSE, LATEST, failures_after, pause_after};
use super::time::{HOUR, milliseconds};

/// How many different items must fail in a row before their failures concern all, or all
/// items if there are fewer.
const DIFFERENT: usize = 3;

/// A series of failed queries of all items. Times are in milliseconds since
/// 1970 UTC.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Outage {
    failures: u32,
    /// The time until which nothing is queried.
    until: u64,
    /// The time since which no query has succeeded.
    failing_since: Option<u64>,
    /// When it was last reported.
    reported: Option<u64>,
    /// The first items of the series, if all its failures may be about single items.
    suspects: [Option<Mark>; DIFFERENT],
}

/// A failed query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    pub(super) concern: Concern,
    pub(super) item: Mark,
    /// Such a query does not make the pause longer.
    pub(super) began_before_pause: bool,
    /// How many items are followed.
    pub(super) followed: usize,
}

impl Outage {
    /// Whether all queries pause, except for one at a time that finds out if the
    /// outage is over.
    pub(super) fn is_paused(&self, followed: usize) -> bool {
        self.failures >= FAILURES_UNTIL_PAUSE && self.concerns_all(followed)
    }

    fn concerns_all(&self, followed: usize) -> bool {
        let different = self.suspects.iter().flatten().count();
        different == 0 || different >= followed.min(DIFFERENT)
    }

    /// The time until which nothing is queried; a time in the past if queries are
    /// made.
    pub(super) fn until(&self, followed: usize) -> u64 {
        if self.is_paused(followed) { self.until } else { 0 }
    }

    /// Notes that a query succeeded.
    pub(super) fn note_success(&mut self) {
        *self = Self { reported: self.reported, ..Self::default() };
    }

    /// Notes that a query failed. Returns whether to report it: once an hour.
    pub(super) fn note_failure(&mut self, failure: Failure, now: u64) -> bool {
        let Failure { concern, followed, .. } = failure;
        if concern == Concern::Answered {
            self.note_success();
            return false;
        }
        let since = *self.failing_since.get_or_insert(now);
        if !(self.is_paused(followed) && failure.began_before_pause) {
            self.count(failure, now);
        }
        let is_worth_it = self.is_paused(followed) || now.saturating_sub(since) >= HOUR;
        let is_due = self.reported.is_none_or(|last| now.saturating_sub(last) >= HOUR);
        if is_worth_it && is_due {
            self.reported = Some(now);
        }
        is_worth_it && is_due
    }

    fn count(&mut self, failure: Failure, now: u64) {
        let Failure { concern, item, followed, .. } = failure;
        let is_paused = self.is_paused(followed);
        if self.failures >= FAILURES_UNTIL_PAUSE && !is_paused {
            // They were of all items, but are not of those that came since.
            self.failures = 0;
        }
        let concerns_others = is_paused && self.suspects[0].is_none();
        if matches!(concern, Concern::Outage | Concern::Refused) {
            self.suspects = [None; DIFFERENT];
        } else if concern == Concern::Item && !concerns_others {
            let known = self.suspects.iter().position(|it| it.is_none_or(|it| it == item));
            if let Some(place) = known {
                self.suspects[place] = Some(item);
            }
            if !self.concerns_all(followed) {
                return;
            }
            let before = self.suspects.iter().flatten().count() as u32 - 1;
            self.failures = self.failures.max(before);
        }
        self.failures = failures_after(self.failures, concern);
        // A failure that says nothing about the others says nothing about
        // the end of a pause either.
        self.until = now.saturating_add(milliseconds(pause_after(self.failures)));
    }

    pub(super) fn to_json(self) -> Json {
        let mut members = Members::from([("failures", u64::from(self.failures))]);
        members.push("until", self.until);
        members.push("failing_since", self.failing_since);
        members.push("last_report", self.reported);
        let suspects = self.suspects.iter().flatten().map(|mark| Json::from(mark.to_hex()));
        members.push("suspects", suspects.collect::<Vec<_>>());
        members.into()
    }

    /// Reads what an earlier run wrote. A clock that was set back since then does
    /// not make a pause longer.
    pub(super) fn from_json(json: &Json, now: u64) -> Option<Self> {
        let time = |name: &str| json.get(name).and_then(Json::as_u64);
        let past = |name: &str| time(name).map(|time| time.min(now));
        let mut suspects = [None; DIFFERENT];
        let listed = json.get("suspects").and_then(Json::as_array).unwrap_or_default();
        for (place, mark) in suspects.iter_mut().zip(listed) {
            *place = mark.as_str().and_then(Mark::from_hex);
        }
        Some(Self {
            failures: u32::try_from(time("failures")?).ok()?,
            until: time("until")?.min(now.saturating_add(milliseconds(LATEST))),
            failing_since: past("failing_since"),
            reported: past("last_report"),
            suspects,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::item::Item;
    use super::*;

    const MINUTE: u64 = 60_000;
    const MANY: usize = 100;

    fn mark(name: &str) -> Mark {
        Mark::of(&Item::named(name, false, 0).key())
    }

    fn failed(concern: Concern) -> Failure {
        Failure { concern, item: mark("a"), began_before_pause: false, followed: MANY }
    }

    fn of(name: &str, followed: usize) -> Failure {
        Failure { item: mark(name), followed, ..failed(Concern::Item) }
    }

    #[test]
    fn an_outage_of_an_hour_takes_few_queries_and_is_reported_once() {
        let (mut outage, mut now, mut queries, mut reports) = (Outage::default(), 0, 0, 0);
        while now < 60 * MINUTE {
            queries += 1;
            reports += u32::from(outage.note_failure(failed(Concern::Outage), now));
            now = outage.until(MANY).max(now + 1);
        }
        assert_eq!((queries, reports), (10, 1));
        assert!(outage.note_failure(failed(Concern::Outage), 61 * MINUTE), "an hour has passed");
        outage.note_success();
        assert!(!outage.is_paused(MANY) && outage.until(MANY) == 0);
        assert!(
            !outage.note_failure(failed(Concern::Refused), 62 * MINUTE),
            "it was reported just now"
        );
        assert_eq!(outage.until(MANY), 62 * MINUTE + MINUTE / 2);
    }

    #[test]
    fn queries_in_flight_do_not_extend_a_pause() {
        let mut outage = Outage::default();
        assert!(outage.note_failure(failed(Concern::Refused), 0));
        for _ in 0..3 {
            let in_flight = Failure { began_before_pause: true, ..failed(Concern::Outage) };
            assert!(!outage.note_failure(in_flight, 1));
        }
        assert_eq!(outage.until(MANY), MINUTE / 2);
    }

    #[test]
    fn failures_of_single_items_pause_all_if_three_differ() {
        let mut outage = Outage::default();
        for name in ["a", "a", "b", "a", "b", "b"] {
            assert!(!outage.note_failure(of(name, 3), 0), "{name}");
            assert!(!outage.is_paused(3));
        }
        assert!(outage.note_failure(of("c", 3), 0));
        assert_eq!(outage.until(3), MINUTE / 2);
        outage.note_failure(of("d", 3), MINUTE / 2);
        assert_eq!(outage.until(3), MINUTE / 2 + MINUTE, "the pause grows");
        outage.note_success();
        for name in ["a", "b"] {
            outage.note_failure(of(name, 3), 2 * MINUTE);
        }
        assert!(!outage.is_paused(3), "they were not in a row");
    }

    #[test]
    fn fewer_items_pause_if_all_fail_until_another_one_comes() {
        let mut outage = Outage::default();
        let paused = ["a", "b", "a"].map(|name| {
            outage.note_failure(of(name, 2), 0);
            outage.is_paused(2)
        });
        assert_eq!(paused, [false, false, true]);
        assert_eq!(outage.until(3), 0, "another one may work");
        outage.note_failure(of("c", 3), MINUTE);
        assert_eq!(outage.until(3), MINUTE + MINUTE / 2);
    }

    #[test]
    fn a_response_during_an_outage_of_all_does_not_end_it() {
        let mut outage = Outage::default();
        outage.note_failure(failed(Concern::Refused), 0);
        outage.note_failure(of("a", MANY), MINUTE);
        assert_eq!(outage.until(MANY), 2 * MINUTE);
    }

    #[test]
    fn failures_of_other_kinds_do_not_pause_but_are_reported() {
        let mut outage = Outage::default();
        let mut reported = |minute| outage.note_failure(failed(Concern::Nothing), minute * MINUTE);
        assert_eq!(
            [reported(0), reported(59), reported(60), reported(61)],
            [false, false, true, false]
        );
        assert!(!outage.is_paused(MANY));
        assert!(!outage.note_failure(failed(Concern::Answered), 62 * MINUTE));
        assert!(!outage.note_failure(failed(Concern::Nothing), 130 * MINUTE), "it began now");
    }

    #[test]
    fn it_survives_the_round_trip() {
        let mut outage = Outage::default();
        outage.note_failure(of("a", 1), 7);
        assert_eq!(Outage::from_json(&outage.to_json(), 7), Some(outage));
        outage.note_failure(failed(Concern::Refused), 7);
        let far = Outage { until: 100 * MINUTE, ..outage };
        assert_eq!(Outage::from_json(&far.to_json(), 0).unwrap().until(MANY), 15 * MINUTE);
    }
}
