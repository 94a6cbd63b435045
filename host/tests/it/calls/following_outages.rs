//! Outages, refused credentials and wrong clocks: no end is lost, and the
//! service is not flooded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use payments_host::follow::{EndKind, FollowEnd, FollowIter, FollowOptions, Progress};

use crate::support::folder::Folder;
use crate::support::followed::{Shop, all, context, references, with_status};
use crate::support::tokens::{refused_connection, status};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);

/// More queries in a second than this machine can make.
const FAST: u32 = u32::MAX;

fn many(count: usize) -> FollowOptions {
    let references = (0..count).map(|number| format!("order-{number}")).collect();
    FollowOptions { references: Some(references), per_second: FAST, ..FollowOptions::default() }
}

/// The reports in that time, as the clock advances.
fn during(shop: &Shop, follow: &mut FollowIter, time: Duration, step: Duration) -> Vec<FollowEnd> {
    let (mut ends, mut passed) = (Vec::new(), Duration::ZERO);
    loop {
        match follow.next_within(Duration::ZERO, &context()).unwrap() {
            Progress::Ended(end) => ends.push(end),
            Progress::Over => return ends,
            Progress::Open if passed >= time => return ends,
            Progress::Open => {
                shop.clock.advance(step);
                passed += step;
            }
        }
    }
}

/// A shop whose service is down, in one of several ways, until it is set up
/// again.
fn shop_that_is_down(kind: &'static str) -> (Shop, Arc<AtomicBool>) {
    let shop = Shop::of(vec![with_status("CO")]);
    let is_up = Arc::new(AtomicBool::new(false));
    let up = Arc::clone(&is_up);
    shop.service.on_call(move |_| match (up.load(Ordering::SeqCst), kind) {
        (true, _) => Ok(with_status("CO")),
        (false, "connect") => Err(refused_connection()),
        (false, code) => Ok(status(code.parse().unwrap())),
    });
    (shop, is_up)
}

#[test]
fn an_outage_costs_few_queries_for_any_number_of_payments() {
    for (kind, count) in [("503", 100_000), ("connect", 100), ("403", 100), ("401", 100)] {
        let (shop, is_up) = shop_that_is_down(kind);
        let mut follow = shop.follow(many(count));
        let ends = during(&shop, &mut follow, HOUR, 10 * SECOND);
        let queries = shop.service.calls().len();
        assert!((8..=20).contains(&queries), "{kind}: {queries} queries");
        let kinds: Vec<_> = ends.iter().map(|end| end.end).collect();
        assert_eq!(kinds, [EndKind::QueryFailing], "{kind}");
        assert!(ends[0].code.is_some() && ends[0].reason.is_some());
        if count > 100 {
            continue;
        }
        is_up.store(true, Ordering::SeqCst);
        let ends = during(&shop, &mut follow, 15 * MINUTE, SECOND);
        let confirmed = ends.iter().filter(|end| end.end == EndKind::Confirmed).count();
        assert_eq!(confirmed, count, "{kind}");
    }
}

#[test]
fn a_long_outage_is_reported_once_in_an_hour() {
    let (shop, _) = shop_that_is_down("503");
    let mut follow = shop.follow(references(&["order-1"]));
    let ends = during(&shop, &mut follow, 5 * HOUR, 10 * SECOND);
    assert!((5..=6).contains(&ends.len()), "{ends:?}");
    assert!(ends.iter().all(|end| end.end == EndKind::QueryFailing));
}

#[test]
fn a_pause_continues_in_the_next_run() {
    let folder = Folder::made();
    let (shop, _) = shop_that_is_down("503");
    let options = FollowOptions { state: Some(folder.path().join("state")), ..many(100) };
    let mut reports = 0;
    for _ in 0..60 {
        let mut follow = shop.follow(options.clone());
        reports += during(&shop, &mut follow, 50 * SECOND, SECOND).len();
        drop(follow);
        shop.clock.advance(10 * SECOND);
    }
    let queries = shop.service.calls().len();
    assert!(queries <= 20 && reports == 1, "{queries} queries, {reports} reports");
}

#[test]
fn a_failed_query_of_one_payment_does_not_pause_others() {
    let shop = Shop::of(vec![with_status("CO")]);
    shop.service.on_call(|sent| {
        if sent.url.ends_with("order-1") { Ok(status(404)) } else { Ok(with_status("PE")) }
    });
    let mut follow = shop.follow(references(&["order-1", "order-2"]));
    assert!(during(&shop, &mut follow, MINUTE, SECOND).is_empty());
    assert!(shop.queries("order-1") == 4 && shop.queries("order-2") >= 10);
}

fn kept_in(folder: &Folder, names: &[&str]) -> FollowOptions {
    FollowOptions { state: Some(folder.path().join("state")), ..references(names) }
}

fn given_up(ends: &[FollowEnd]) -> usize {
    ends.iter().filter(|end| end.end == EndKind::GivenUp).count()
}

#[test]
fn a_jump_of_the_wall_clock_changes_nothing() {
    for is_forward in [true, false] {
        let shop = Shop::of(vec![with_status("PE")]);
        let mut follow = shop.follow(references(&["order-1"]));
        during(&shop, &mut follow, 10 * SECOND, SECOND);
        let before = shop.queries("order-1");
        if is_forward {
            shop.clock.jump_forward(8 * DAY)
        } else {
            shop.clock.jump_back(8 * DAY)
        }
        let ends = during(&shop, &mut follow, MINUTE, SECOND);
        assert!(ends.is_empty(), "{ends:?}");
        assert!(shop.queries("order-1") >= before + 10);
    }
}

/// As by cron.
#[test]
fn a_clock_that_is_ahead_for_some_runs_gives_nothing_up() {
    let folder = Folder::made();
    let shop = Shop::of(vec![with_status("PE")]);
    let options = kept_in(&folder, &["order-1"]);
    let run = || {
        let mut follow = shop.follow(options.clone());
        let ends = during(&shop, &mut follow, 50 * SECOND, SECOND);
        drop(follow);
        shop.clock.advance(10 * SECOND);
        ends
    };
    assert!(run().is_empty());
    shop.clock.jump_forward(8 * DAY);
    for _ in 0..5 {
        assert_eq!(given_up(&run()), 0);
    }
    shop.clock.jump_back(8 * DAY);
    let before = shop.queries("order-1");
    assert_eq!(given_up(&run()), 0);
    assert!(shop.queries("order-1") > before, "queries go on at once");
    for half in 1..15 {
        shop.clock.advance(DAY / 2 - HOUR / 2);
        assert_eq!(given_up(&run()), 0, "half a day number {half}");
    }
    shop.clock.advance(DAY / 2);
    assert_eq!(given_up(&run()), 1, "it is a week old by the right clock");
}

#[test]
fn a_clock_that_stays_ahead_is_believed_after_a_day() {
    let folder = Folder::made();
    let shop = Shop::of(vec![with_status("PE")]);
    let options = kept_in(&folder, &["order-1"]);
    let run = || during(&shop, &mut shop.follow(options.clone()), MINUTE, SECOND);
    assert!(run().is_empty());
    shop.clock.advance(8 * DAY);
    assert_eq!(given_up(&run()), 0);
    shop.clock.advance(DAY - HOUR);
    assert_eq!(given_up(&run()), 0);
    shop.clock.advance(HOUR);
    assert_eq!(given_up(&run()), 1);
}

#[test]
fn a_wrong_clock_does_not_change_the_age_of_a_payment() {
    let folder = Folder::made();
    let shop = Shop::of(vec![with_status("PE")]);
    let options = kept_in(&folder, &["order-1"]);
    shop.clock.jump_forward(30 * DAY);
    during(&shop, &mut shop.follow(options.clone()), MINUTE, SECOND);
    shop.clock.jump_back(30 * DAY);
    let before = shop.queries("order-1");
    during(&shop, &mut shop.follow(options.clone()), HOUR, SECOND);
    let queries = shop.queries("order-1") - before;
    assert!((2..100).contains(&queries), "{queries} queries in an hour");
}

#[test]
fn a_payment_given_up_is_queried_daily_and_reported() {
    let folder = Folder::made();
    let shop = Shop::of(vec![with_status("PE")]);
    let is_paid = Arc::new(AtomicBool::new(false));
    let paid = Arc::clone(&is_paid);
    shop.service
        .on_call(move |_| Ok(with_status(if paid.load(Ordering::SeqCst) { "CO" } else { "PE" })));
    let options = FollowOptions { give_up_after: HOUR, ..kept_in(&folder, &["order-1"]) };
    let ends = all(&shop, options.clone());
    assert_eq!((ends.len(), given_up(&ends), ends[0].is_final), (1, 1, false));
    // Not named: items of the state file are followed in addition to the
    // journal.
    let journal = FollowOptions { references: None, ..options.clone() };
    let run = |options: &FollowOptions| {
        let mut follow = shop.follow(options.clone());
        let ends = during(&shop, &mut follow, MINUTE, SECOND);
        (ends, follow.counts().given_up)
    };
    let before = shop.queries("order-1");
    for _ in 0..3 {
        let (ends, standing) = run(&journal);
        assert!(ends.is_empty() && standing == 1, "{ends:?}");
    }
    assert_eq!(shop.queries("order-1"), before);
    shop.clock.advance(DAY);
    assert_eq!(run(&journal).1, 1);
    assert_eq!(run(&journal).1, 1);
    assert_eq!(shop.queries("order-1"), before + 1, "once a day");
    assert_eq!(run(&options).1, 1);
    assert_eq!(shop.queries("order-1"), before + 2, "at once when it is named");
    is_paid.store(true, Ordering::SeqCst);
    let (ends, standing) = run(&options);
    assert_eq!((ends[0].end, ends[0].repeated, standing), (EndKind::Confirmed, false, 0));
    let (ends, standing) = run(&options);
    assert!(ends.is_empty() && standing == 0);
}

#[test]
fn a_payment_given_up_for_a_year_is_reported_a_last_time() {
    let folder = Folder::made();
    let shop = Shop::of(vec![with_status("PE")]);
    let options = FollowOptions { give_up_after: HOUR, ..kept_in(&folder, &["order-1"]) };
    assert_eq!(given_up(&all(&shop, options.clone())), 1);
    let run = || {
        let mut follow = shop.follow(options.clone());
        let ends = during(&shop, &mut follow, SECOND, SECOND);
        (ends, follow.counts().given_up)
    };
    for half in 0..730 {
        let (ends, standing) = run();
        assert!(ends.is_empty() && standing == 1, "half a day number {half}: {ends:?}");
        shop.clock.advance(DAY / 2);
    }
    let (ends, standing) = run();
    assert_eq!((ends.len(), ends[0].is_final, ends[0].end), (1, true, EndKind::GivenUp));
    assert_eq!(standing, 1);
    let (ends, standing) = run();
    assert!(ends.is_empty() && standing == 0, "it is left out");
}

#[test]
fn a_payment_named_in_every_run_is_reported_once() {
    let folder = Folder::made();
    let shop = Shop::of(vec![with_status("CO")]);
    let (forget_after, since) = (DAY, Duration::ZERO);
    let options = FollowOptions { forget_after, since, ..kept_in(&folder, &["order-1"]) };
    let mut reports = 0;
    for _ in 0..365 * 2 {
        reports += all(&shop, options.clone()).len();
        shop.clock.advance(DAY / 2);
    }
    assert_eq!(reports, 1);
    let others = kept_in(&folder, &["order-2"]);
    for _ in 0..8 {
        all(&shop, FollowOptions { forget_after, since, ..others.clone() });
        shop.clock.advance(DAY / 2);
    }
    assert_eq!(all(&shop, options).len(), 1, "nobody asked for it, so it was forgotten");
}

#[test]
fn refused_credentials_are_tried_again_until_they_work() {
    let (shop, is_up) = shop_that_is_down("401");
    let mut follow = shop.follow(references(&["order-1"]));
    let ends = during(&shop, &mut follow, 5 * MINUTE, SECOND);
    assert_eq!(
        (ends[0].end, ends[0].code.as_deref()),
        (EndKind::QueryFailing, Some("unauthorized"))
    );
    assert_eq!(shop.queries("order-1"), 4, "at once, after 30 s, 1 and 2 min");
    is_up.store(true, Ordering::SeqCst);
    let ends = during(&shop, &mut follow, 5 * MINUTE, SECOND);
    assert_eq!(ends[0].end, EndKind::Confirmed);
}
