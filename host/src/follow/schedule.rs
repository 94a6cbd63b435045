//! The items that wait for a query, and whose turn it is.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

use super::item::Key;
use super::time::MINUTE;

/// Where an item waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Line {
    /// It was never queried.
    New,
    /// It was given up, and is named.
    Named,
    /// It is open, and its last query was answered.
    Open,
    /// It is open, and its last query said nothing.
    Failing,
    /// It was given up.
    GivenUp,
}

impl Line {
    const ALL: [Self; 5] = [Self::New, Self::Named, Self::Open, Self::Failing, Self::GivenUp];
}

/// The lines that share turns, and how many of ten turns they get while all have an item that
/// is due. Those that fail have their own share, so that others come between them.
const SHARES: [(&[Line], i32); 4] = [
    (&[Line::New, Line::Named], 5),
    (&[Line::Open], 3),
    (&[Line::Failing], 1),
    (&[Line::Named, Line::GivenUp], 1),
];

/// The place of an item in its line. Times are in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    pub(super) line: Line,
    /// When its query is due.
    pub(super) due: u64,
    /// How long after the query before; 0 in [`Line::New`] and [`Line::Named`].
    pub(super) interval: u64,
    /// Its arrival among those that are due at the same time.
    order: u64,
}

/// Items that wait for a query.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    lines: [Waiting; Line::ALL.len()],
    credits: [i32; SHARES.len()],
    arrivals: u64,
    /// The time since which queries are made: an item is not late before it.
    since: u64,
}

impl Schedule {
    /// Puts an item in a line.
    pub(super) fn push(&mut self, key: Key, line: Line, due: u64, interval: u64) {
        self.arrivals += 1;
        self.put_back(key, Slot { line, due, interval, order: self.arrivals });
    }

    /// Returns an item to its place.
    pub(super) fn put_back(&mut self, key: Key, slot: Slot) {
        self.lines[slot.line as usize].push(key, slot);
    }

    /// Queries are made from now on: it is nobody's fault that they are late.
    pub(super) fn resume(&mut self, now: u64) {
        self.since = now;
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.lines.iter().map(|line| line.count).sum()
    }

    /// Whether only those wait that were given up, and none of them is due.
    pub(super) fn is_over(&self, now: u64) -> bool {
        let is_waiting = |line: &Line| match line {
            Line::GivenUp => self.line(*line).soonest().is_some_and(|head| head.due <= now),
            _ => self.line(*line).count > 0,
        };
        !Line::ALL.iter().any(is_waiting)
    }

    /// When the next query is due.
    pub(super) fn earliest(&self) -> Option<u64> {
        self.lines.iter().filter_map(Waiting::soonest).map(|head| head.due).min()
    }

    /// When the next query that finds out if a pause is over is due: at any time, if an item
    /// can be queried that is not known to fail.
    pub(super) fn earliest_probe(&self) -> Option<u64> {
        if self.line(Line::New).count + self.line(Line::Open).count > 0 {
            return Some(0);
        }
        self.earliest()
    }

    /// Takes the item whose turn it is, if one is due.
    pub(super) fn take(&mut self, now: u64) -> Option<(Key, Slot)> {
        let firsts = SHARES.map(|(lines, _)| self.first_of(lines, now));
        let mut all = 0;
        for (at, (_, share)) in SHARES.iter().enumerate() {
            // Turns that are not used are not saved.
            self.credits[at] = firsts[at].map_or(0, |_| self.credits[at] + share);
            all += firsts[at].map_or(0, |_| *share);
        }
        let waiting = (0..SHARES.len()).filter(|at| firsts[*at].is_some());
        let chosen = waiting.max_by_key(|at| (self.credits[*at], Reverse(*at)))?;
        self.credits[chosen] -= all;
        let (line, bucket) = firsts[chosen]?;
        self.lines[line as usize].pop(line, bucket)
    }

    /// Takes an item to find out with if a pause is over: one that was never queried, or
    /// whose last query was answered, if there is one.
    pub(super) fn take_probe(&mut self, now: u64) -> Option<(Key, Slot)> {
        for line in [Line::New, Line::Open] {
            if let Some(head) = self.line(line).soonest() {
                return self.lines[line as usize].pop(line, head.bucket);
            }
        }
        self.take(now)
    }

    /// How late a query is, if that is more than its interval and a minute.
    pub(super) fn lateness(&self, slot: &Slot, now: u64) -> Option<u64> {
        let late = now.saturating_sub(slot.due.max(self.since));
        (late > slot.interval.max(MINUTE)).then_some(late)
    }

    fn line(&self, line: Line) -> &Waiting {
        &self.lines[line as usize]
    }

    /// The line and the bucket of the item whose turn it is in the first of these lines that
    /// has one that is due.
    fn first_of(&self, lines: &[Line], now: u64) -> Option<(Line, u32)> {
        let first = |line: &Line| Some((*line, self.line(*line).latest(now, self.since)?.bucket));
        lines.iter().find_map(first)
    }
}

/// The items of a line, by intervals that differ by less than a quarter: among those, the one
/// that was due first is about the latest in proportion to its interval.
#[derive(Debug, Default)]
struct Waiting {
    buckets: BTreeMap<u32, BinaryHeap<Reverse<Waiter>>>,
    count: usize,
}

/// An item of a bucket. Those that were due first, or came first, come first.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Waiter {
    due: u64,
    order: u64,
    interval: u64,
    key: Key,
}

/// The first item of a bucket.
#[derive(Clone, Copy)]
struct Head {
    bucket: u32,
    due: u64,
    interval: u64,
}

impl Head {
    /// Compares how late two are, in proportion to their intervals. What was due before
    /// queries were made is late by one interval.
    fn compare(&self, other: &Self, now: u64, since: u64) -> Ordering {
        let late = |head: &Self| {
            let due = head.due.max(since.saturating_sub(head.interval));
            u128::from(now.saturating_sub(due))
        };
        let ours = late(self) * u128::from(other.interval);
        let theirs = late(other) * u128::from(self.interval);
        ours.cmp(&theirs).then(other.due.cmp(&self.due))
    }
}

impl Waiting {
    fn push(&mut self, key: Key, slot: Slot) {
        let Slot { due, interval, order, .. } = slot;
        let bucket = self.buckets.entry(bucket_of(interval)).or_default();
        bucket.push(Reverse(Waiter { due, order, interval, key }));
        self.count += 1;
    }

    fn pop(&mut self, line: Line, bucket: u32) -> Option<(Key, Slot)> {
        let Reverse(waiter) = self.buckets.get_mut(&bucket)?.pop()?;
        let Waiter { due, order, interval, key } = waiter;
        self.count -= 1;
        Some((key, Slot { line, due, interval, order }))
    }

    fn heads(&self) -> impl Iterator<Item = Head> {
        self.buckets.iter().filter_map(|(bucket, items)| {
            let Reverse(first) = items.peek()?;
            Some(Head { bucket: *bucket, due: first.due, interval: first.interval })
        })
    }

    fn soonest(&self) -> Option<Head> {
        self.heads().min_by_key(|head| head.due)
    }

    /// The one that is latest in proportion to its interval, if one is due.
    fn latest(&self, now: u64, since: u64) -> Option<Head> {
        self.heads()
            .filter(|head| head.due <= now)
            .max_by(|one, other| one.compare(other, now, since))
    }
}

/// Four buckets for each doubling.
fn bucket_of(interval: u64) -> u32 {
    let interval = interval.max(4);
    let doublings = interval.ilog2();
    4 * doublings + (interval >> (doublings - 2) & 3) as u32
}

#[cfg(test)]
mod tests {
    use super::super::item::Item;
    use super::super::time::DAY;
    use super::*;

    const NOW: u64 = 100 * DAY;

    fn key(name: &str) -> Key {
        Item::named(name, false, 0).key()
    }

    /// The lines of this many turns.
    fn turns(schedule: &mut Schedule, count: usize) -> Vec<Line> {
        let line = |_| {
            let (key, slot) = schedule.take(NOW).expect("one is due");
            schedule.put_back(key, slot);
            slot.line
        };
        (0..count).map(line).collect()
    }

    #[test]
    fn turns_are_shared_while_all_wait_and_used_otherwise() {
        let mut schedule = Schedule::default();
        let share = |schedule: &mut Schedule, line: Line| {
            turns(schedule, 100).iter().filter(|it| **it == line).count()
        };
        schedule.push(key("given-up"), Line::GivenUp, NOW - DAY, DAY);
        assert_eq!(share(&mut schedule, Line::GivenUp), 100);
        schedule.push(key("open"), Line::Open, NOW - 1, 2_000);
        assert_eq!(share(&mut schedule, Line::GivenUp), 25);
        schedule.push(key("new"), Line::New, NOW, 0);
        schedule.push(key("later"), Line::Open, NOW + 1, 2_000);
        schedule.push(key("failing"), Line::Failing, NOW, 2_000);
        for (line, expected) in
            [(Line::New, 50), (Line::Open, 30), (Line::Failing, 10), (Line::GivenUp, 10)]
        {
            assert_eq!(share(&mut schedule, line), expected, "{line:?}");
        }
        let first = turns(&mut schedule, 10);
        assert_eq!(first[0], Line::New, "{first:?}");
    }

    #[test]
    fn new_ones_come_in_their_order_and_named_ones_after_them() {
        let mut schedule = Schedule::default();
        schedule.push(key("named"), Line::Named, NOW - DAY, 0);
        for (name, came) in [("second", NOW), ("third", NOW), ("first", NOW - 1)] {
            schedule.push(key(name), Line::New, came, 0);
        }
        let taken: Vec<_> = std::iter::from_fn(|| schedule.take(NOW)).map(|it| it.0).collect();
        assert_eq!(taken, ["first", "second", "third", "named"].map(key));
        assert_eq!((schedule.len(), schedule.earliest()), (0, None));
    }

    #[test]
    fn the_latest_in_proportion_to_its_interval_comes_first() {
        let mut schedule = Schedule::default();
        let minute = 60_000;
        for (name, late, interval) in [
            ("old", 20 * minute, 15 * minute),
            ("young", minute / 4, minute / 10),
            ("middle", 2 * minute, minute),
            ("younger", minute / 30, minute / 30),
        ] {
            schedule.push(key(name), Line::Open, NOW - late, interval);
        }
        let taken: Vec<_> = std::iter::from_fn(|| schedule.take(NOW)).map(|it| it.0).collect();
        assert_eq!(taken, ["young", "middle", "old", "younger"].map(key));
    }

    #[test]
    fn a_time_without_queries_makes_all_late_by_one_interval() {
        let mut schedule = Schedule::default();
        schedule.push(key("old"), Line::Open, NOW - DAY, 900_000);
        schedule.push(key("oldest"), Line::Open, NOW - 2 * DAY, 900_000);
        schedule.push(key("young"), Line::Open, NOW - 9_000, 6_000);
        schedule.resume(NOW - 8_000);
        let slot = |name: &str, schedule: &mut Schedule| {
            let (taken, slot) = schedule.take(NOW).expect("one is due");
            assert_eq!(taken, key(name));
            slot
        };
        let young = slot("young", &mut schedule);
        let old = slot("oldest", &mut schedule);
        assert_eq!([schedule.lateness(&young, NOW), schedule.lateness(&old, NOW)], [None; 2]);
        assert_eq!(schedule.lateness(&young, NOW + MINUTE), Some(MINUTE + 8_000));
    }

    #[test]
    fn a_probe_is_an_item_that_is_not_known_to_fail() {
        let mut schedule = Schedule::default();
        schedule.push(key("failing"), Line::Failing, NOW, 30_000);
        schedule.push(key("given-up"), Line::GivenUp, NOW + DAY, DAY);
        assert_eq!(schedule.earliest_probe(), Some(NOW));
        schedule.push(key("open"), Line::Open, NOW + 900_000, 900_000);
        schedule.push(key("new"), Line::New, NOW, 0);
        assert_eq!(schedule.earliest_probe(), Some(0));
        let taken: Vec<_> = std::iter::from_fn(|| schedule.take_probe(NOW)).collect();
        let taken: Vec<_> = taken.into_iter().map(|(key, _)| key).collect();
        assert_eq!(taken, ["new", "open", "failing"].map(key));
    }
}
