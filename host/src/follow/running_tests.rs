//! Many items in simulated time.

use payments_core::error::{ErrorCode, ErrorKind, Outcome};

use super::*;

const NOW: u64 = 1_000 * DAY;
const SECOND: u64 = 1_000;

/// The service's answer about an item.
enum Says {
    Open,
    Paid,
    Nothing(ErrorKind),
}

struct Simulation {
    follower: Follower,
    now: u64,
    /// The queries, and when each was made.
    asked: Vec<(u64, String)>,
}

impl Simulation {
    fn new(give_up_after: Duration) -> Self {
        let clock = RunClock::new(Duration::from_millis(NOW), Instant::now());
        let options = FollowOptions { give_up_after, ..FollowOptions::default() };
        let follower = Follower::begun(options, None, "api.example", clock, NOW).unwrap();
        Self { follower, now: NOW, asked: Vec::new() }
    }

    /// Items of an earlier run that began a day ago, and how long ago each was queried.
    fn with_old(mut self, count: u64, asked: impl Fn(u64) -> u64) -> Self {
        for number in 0..count {
            let item = Item::named(&format!("old-{number}"), false, NOW - DAY);
            let known = ItemState { asked: Some(NOW - asked(number)), ..ItemState::new(item) };
            self.follower.state.put(known, NOW).unwrap();
        }
        self.follower.begin(NOW).unwrap();
        self
    }

    fn come(&mut self, name: &str) {
        self.follower.offer(Item::named(name, false, self.now), self.now).unwrap();
    }

    /// The reports of this time, and when each was made.
    fn pass(&mut self, time: u64, says: impl Fn(&str, u64) -> Says) -> Vec<(u64, FollowEnd)> {
        let (until, mut ends) = (self.now + time, Vec::new());
        loop {
            match self.follower.next(self.now).unwrap() {
                // The next run.
                Next::Over => self.now += MINUTE,
                Next::Report => {
                    let given = self.follower.give(1, self.now).unwrap();
                    self.follower.confirmed(self.now).unwrap();
                    ends.extend(given.into_iter().map(|end| (self.now, end)));
                }
                Next::Query(task) => {
                    self.asked.push((self.now, task.item.reference.clone()));
                    let result = reply(says(&task.item.reference, self.now));
                    self.follower.answered(task, result, self.now).unwrap();
                }
                Next::Wait(wait) => self.now += milliseconds(wait).max(1),
            }
            if self.now >= until {
                self.now = until;
                return ends;
            }
        }
    }

    fn first(&self, name: &str) -> Option<u64> {
        self.asked.iter().find(|(_, asked)| asked == name).map(|(at, _)| *at)
    }

    fn queries(&self, name: &str) -> usize {
        self.asked.iter().filter(|(_, asked)| asked == name).count()
    }
}

fn reply(says: Says) -> Result<Reply, Error> {
    let is_over = match says {
        Says::Open => false,
        Says::Paid => true,
        Says::Nothing(kind) => {
            return Err(Error::new(kind, Outcome::NotExecuted, ErrorCode::FAILED, "it failed"));
        }
    };
    let answer = Answer {
        status: None,
        is_over,
        is_confirmed: is_over,
        is_found: true,
        hash: None,
        uid: None,
        code: None,
        money: [None, None],
    };
    Ok(Reply { answer, agreement: Agreement::Agrees, other_hash: None })
}

fn kinds(ends: &[(u64, FollowEnd)]) -> Vec<(&str, EndKind)> {
    ends.iter().map(|(_, end)| (&*end.reference, end.end)).collect()
}

const WEEK: Duration = Duration::from_secs(7 * 86_400);

#[test]
fn new_and_named_ones_are_queried_soon_beside_100_000() {
    let mut all = Simulation::new(WEEK).with_old(100_000, |number| 10 * DAY / 100 + number);
    let late = Item::named("late", false, NOW - 9 * DAY);
    let given_up = Some(NOW - DAY / 2);
    let late = ItemState { asked: given_up, given_up, ..ItemState::new(late) };
    all.follower.state.put(late.clone(), NOW).unwrap();
    all.follower.take_up(&late, true, NOW);
    for number in 0..200 {
        all.come(&format!("new-{number}"));
        all.pass(600, |_, _| Says::Open);
    }
    all.pass(5 * SECOND, |_, _| Says::Open);
    for number in 0..200 {
        let came = NOW + number * 600;
        let asked = all.first(&format!("new-{number}")).unwrap();
        assert!(asked - came <= 5 * SECOND, "{number} after {}", asked - came);
    }
    assert!(all.first("late").unwrap() - NOW <= 30 * SECOND);
}

#[test]
fn a_payment_that_is_paid_after_a_minute_is_reported_soon() {
    for ago in [15 * MINUTE, DAY - HOUR] {
        let mut all = Simulation::new(WEEK).with_old(6_000, |number| ago + 100 * number);
        all.come("new");
        all.pass(SECOND, |_, _| Says::Open);
        let paid = all.first("new").unwrap() + 60 * SECOND;
        let says = |name: &str, now| {
            if name == "new" && now >= paid { Says::Paid } else { Says::Open }
        };
        let ends = all.pass(150 * SECOND, says);
        let (reported, _) = ends.iter().find(|(_, end)| end.reference == "new").unwrap();
        assert!(reported - paid <= 60 * SECOND, "after {} ms", reported - paid);
    }
}

#[test]
fn a_rate_that_is_too_low_is_reported_once_an_hour() {
    for (count, expected) in [(4_000, 0), (12_000, 2)] {
        let mut all = Simulation::new(WEEK).with_old(count, |number| number % (15 * MINUTE));
        let ends = all.pass(HOUR + 45 * MINUTE, |_, _| Says::Open);
        assert_eq!(ends.len(), expected, "{count}");
        for (_, end) in ends {
            assert_eq!(end.end, EndKind::Behind);
            assert!(end.reason.unwrap().contains("12000 items are followed, with at most 5"));
        }
    }
}

#[test]
fn an_item_whose_query_alone_fails_is_given_up_at_its_age() {
    let mut all = Simulation::new(Duration::from_secs(3600)).with_old(0, |_| 0);
    all.come("bad");
    all.come("good");
    let says = |name: &str, _| match name {
        "bad" => Says::Nothing(ErrorKind::Status),
        _ => Says::Open,
    };
    let ends = all.pass(2 * HOUR, says);
    assert_eq!(kinds(&ends), [("good", EndKind::GivenUp), ("bad", EndKind::GivenUp)]);
    let (at, end) = &ends[1];
    assert!(at - NOW <= HOUR + 15 * MINUTE, "{}", at - NOW);
    assert!(end.reason.as_deref().unwrap().starts_with("it failed") && end.code.is_some());
    let queries = all.queries("bad");
    assert!((8..=14).contains(&queries), "its own pause grows: {queries} queries");
    all.pass(DAY, says);
    assert_eq!(all.queries("bad"), queries + 1, "once a day from then on");
    let ends = all.pass(366 * DAY, says);
    let last = ends.iter().filter(|(_, end)| end.is_final).count();
    assert_eq!((ends.len(), last), (2, 2), "a last time after a year");
}

#[test]
fn an_outage_gives_nobody_up() {
    for (count, kind) in [(1, ErrorKind::Status), (2, ErrorKind::Status), (9, ErrorKind::Decode)] {
        let mut all = Simulation::new(Duration::from_secs(3600)).with_old(0, |_| 0);
        (0..count).for_each(|number| all.come(&format!("{number}")));
        let ends = all.pass(30 * HOUR, |_, _| Says::Nothing(kind));
        let reports = ends.iter().filter(|(_, end)| end.end == EndKind::QueryFailing).count();
        assert_eq!((ends.len(), reports), (30, 30), "{count} {kind}");
        assert!(all.asked.len() < 150, "{count}: {} queries", all.asked.len());
    }
}

#[test]
fn a_new_item_is_queried_at_once_beside_one_that_fails() {
    let mut all = Simulation::new(WEEK).with_old(0, |_| 0);
    all.come("bad");
    let says = |name: &str, _| match name {
        "bad" => Says::Nothing(ErrorKind::Status),
        _ => Says::Paid,
    };
    all.pass(HOUR, says);
    all.come("new");
    let ends = all.pass(SECOND, says);
    assert_eq!(kinds(&ends), [("new", EndKind::Confirmed)]);
}

#[test]
fn a_probe_ends_the_pause_that_failing_items_cause() {
    let mut all = Simulation::new(WEEK).with_old(20, |_| 15 * MINUTE - 25 * SECOND);
    for number in 0..3 {
        all.come(&format!("bad-{number}"));
    }
    let says = |name: &str, _| {
        if name.starts_with("bad") { Says::Nothing(ErrorKind::Decode) } else { Says::Open }
    };
    all.pass(2 * SECOND, says);
    let paused = all.asked.len();
    assert_eq!(paused, 3);
    all.pass(30 * SECOND, says);
    assert!(all.asked[paused].1.starts_with("old"), "{:?}", all.asked);
    assert!(!all.follower.state.run().outage.is_paused(23));
}
