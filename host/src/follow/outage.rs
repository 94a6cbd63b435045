//! The pause of all queries while the service cannot be asked.

use payments_core::json::{Json, Members};

use super::rule::{Concern, FAILURES_UNTIL_PAUSE, LATEST, failures_after, pause_after};
use super::time::{HOUR, milliseconds};

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
}

impl Outage {
    /// Whether all queries pause, except for one at a time that finds out if the
    /// outage is over.
    pub(super) fn is_paused(&self) -> bool {
        self.failures >= FAILURES_UNTIL_PAUSE
    }

    /// The time until which nothing is queried; a time in the past if queries are
    /// made.
    pub(super) fn until(&self) -> u64 {
        if self.is_paused() { self.until } else { 0 }
    }

    /// Notes that a query succeeded.
    pub(super) fn note_success(&mut self) {
        *self = Self { reported: self.reported, ..Self::default() };
    }

    /// Notes that a query failed. Those that began before a pause do not make
    /// it longer. Returns whether to report it: once an hour.
    pub(super) fn note_failure(
        &mut self,
        concern: Concern,
        began_before_pause: bool,
        now: u64,
    ) -> bool {
        if concern == Concern::Answered {
            self.note_success();
            return false;
        }
        let since = *self.failing_since.get_or_insert(now);
        if !(self.is_paused() && began_before_pause) {
            self.failures = failures_after(self.failures, concern);
            // A failure that says nothing about the others says nothing about
            // the end of a pause either.
            self.until = now.saturating_add(milliseconds(pause_after(self.failures)));
        }
        let is_worth_it = self.is_paused() || now.saturating_sub(since) >= HOUR;
        let is_due = self.reported.is_none_or(|last| now.saturating_sub(last) >= HOUR);
        if is_worth_it && is_due {
            self.reported = Some(now);
        }
        is_worth_it && is_due
    }

    pub(super) fn to_json(self) -> Json {
        let mut members = Members::from([("failures", u64::from(self.failures))]);
        members.push("until", self.until);
        members.push("failing_since", self.failing_since);
        members.push("last_report", self.reported);
        members.into()
    }

    /// Reads what an earlier run wrote. A clock that was set back since then does
    /// not make a pause longer.
    pub(super) fn from_json(json: &Json, now: u64) -> Option<Self> {
        let time = |name: &str| json.get(name).and_then(Json::as_u64);
        let past = |name: &str| time(name).map(|time| time.min(now));
        Some(Self {
            failures: u32::try_from(time("failures")?).ok()?,
            until: time("until")?.min(now.saturating_add(milliseconds(LATEST))),
            failing_since: past("failing_since"),
            reported: past("last_report"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: u64 = 60_000;

    #[test]
    fn an_outage_of_an_hour_takes_few_queries_and_is_reported_once() {
        let (mut outage, mut now, mut queries, mut reports) = (Outage::default(), 0, 0, 0);
        while now < 60 * MINUTE {
            queries += 1;
            reports += u32::from(outage.note_failure(Concern::Outage, false, now));
            now = outage.until().max(now + 1);
        }
        assert_eq!((queries, reports), (10, 1));
        assert!(outage.note_failure(Concern::Outage, false, 61 * MINUTE), "an hour has passed");
        outage.note_success();
        assert!(!outage.is_paused() && outage.until() == 0);
        assert!(
            !outage.note_failure(Concern::Refused, false, 62 * MINUTE),
            "it was reported just now"
        );
        assert_eq!(outage.until(), 62 * MINUTE + MINUTE / 2);
    }

    #[test]
    fn queries_in_flight_do_not_extend_a_pause() {
        let mut outage = Outage::default();
        assert!(outage.note_failure(Concern::Refused, false, 0));
        for _ in 0..3 {
            assert!(!outage.note_failure(Concern::Outage, true, 1));
        }
        assert_eq!(outage.until(), MINUTE / 2);
    }

    #[test]
    fn failures_of_other_kinds_do_not_pause_but_are_reported() {
        let mut outage = Outage::default();
        let mut reported = |minute| outage.note_failure(Concern::Nothing, false, minute * MINUTE);
        assert_eq!(
            [reported(0), reported(59), reported(60), reported(61)],
            [false, false, true, false]
        );
        assert!(!outage.is_paused());
        assert!(!outage.note_failure(Concern::Answered, false, 62 * MINUTE));
        assert!(!outage.note_failure(Concern::Nothing, false, 130 * MINUTE), "it began now");
    }

    #[test]
    fn it_survives_the_round_trip() {
        let mut outage = Outage::default();
        outage.note_failure(Concern::Refused, false, 7);
        assert_eq!(Outage::from_json(&outage.to_json(), 7), Some(outage));
        let far = Outage { until: 100 * MINUTE, ..outage };
        assert_eq!(Outage::from_json(&far.to_json(), 0).unwrap().until(), 15 * MINUTE);
    }
}
