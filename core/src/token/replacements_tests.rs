//! Tests of pauses and counts of replacements.

use super::*;
use crate::transport::SignedBody;

fn at(seconds: u64) -> Now {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let monotonic = *START + Duration::from_secs(seconds);
    Now { monotonic, unix: Duration::from_secs(1_800_000_000 + seconds) }
}

/// The times at which a replacement is allowed, of those within an hour.
fn allowed(mut step: impl FnMut(&mut Replacements, Now)) -> Vec<u64> {
    let mut replacements = Replacements::default();
    let mut times = Vec::new();
    for second in 0..3600 {
        step(&mut replacements, at(second));
        if replacements.allow("a", at(second)) {
            replacements.note_requested("a", at(second));
            times.push(second);
        }
    }
    times
}

fn gaps(times: &[u64]) -> Vec<u64> {
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn pauses_grow_to_ten_minutes_and_a_quarter() {
    let gaps = gaps(&allowed(|_, _| {}));
    assert!((7..=9).contains(&gaps.len()), "{gaps:?}");
    for (number, gap) in gaps.into_iter().enumerate() {
        let pause = PAUSES[number.min(PAUSES.len() - 1)].as_secs();
        assert!((pause..=pause * 5 / 4 + 1).contains(&gap), "{number}: {gap}");
    }
}

#[test]
fn a_pause_after_a_quiet_hour_is_the_first_again() {
    let mut replacements = Replacements::default();
    let mut pause_at = |second| {
        replacements.note_requested("a", at(second));
        replacements.pause.unwrap().until - at(second).unix.as_secs()
    };
    pause_at(0);
    assert!(pause_at(1) >= 60);
    assert!(pause_at(3600) >= 120, "it was not quiet for an hour");
    assert!(pause_at(7200) <= 38);
}

#[test]
fn an_accepted_call_ends_the_pauses_of_token_and_target() {
    let mut replacements = Replacements::default();
    replacements.note_requested("a", at(0));
    assert!(!replacements.allow("a", at(1)) && !replacements.allow("b", at(1)));
    assert!(replacements.note_accepted("b"));
    assert!(!replacements.allow("a", at(1)) && replacements.allow("b", at(1)));
    assert!(!replacements.note_accepted("b"), "nothing is new for others");
    assert!(replacements.note_accepted("a"));
    assert!(replacements.allow("a", at(1)) && !replacements.has_pauses());
}

#[test]
fn a_target_that_is_refused_with_a_token_of_another_pauses_once() {
    let mut replacements = Replacements::default();
    replacements.note_requested("a", at(0));
    assert!(!replacements.note_refused("a", at(0)), "it pauses");
    assert!(replacements.note_refused("b", at(0)));
    assert!(!replacements.note_refused("b", at(0)));
    replacements.note_accepted("c");
    assert!(!replacements.allow("b", at(29)) && replacements.allow("b", at(39)));
}

#[test]
fn after_a_dozen_an_hour_one_is_allowed_every_ten_minutes() {
    let times = allowed(|replacements, _| {
        replacements.note_accepted("a");
    });
    let expected: Vec<u64> = (0..12).chain((1..=5).map(|number| 11 + 600 * number)).collect();
    assert_eq!(times, expected);
    let mut own = OwnReplacements::default();
    (0..12).for_each(|second| own.count(at(second)));
    assert_eq!(own.rest(at(12)), Duration::from_secs(599));
    assert_eq!(own.rest(at(3600)), Duration::ZERO);
}

#[test]
fn sixteen_targets_that_pause_keep_others_from_costing_tokens() {
    let mut replacements = Replacements::default();
    let target = |number: usize| format!("target {number}");
    for number in 0..MOST_TARGETS - 1 {
        replacements.note_refused(&target(number), at(0));
    }
    assert!(replacements.allow("other", at(0)));
    replacements.note_refused(&target(MOST_TARGETS), at(1));
    assert!(!replacements.allow("other", at(1)));
    replacements.note_refused("other", at(1));
    assert_eq!(replacements.targets.len(), MOST_TARGETS, "there is no room");
    assert!(replacements.allow("other", at(40)) && replacements.allow(&target(0), at(40)));
    replacements.note_refused("other", at(40));
    assert_eq!(replacements.targets.len(), MOST_TARGETS, "it took the place of one that is over");
    replacements.note_refused("another", at(3601));
    let known: Vec<_> = replacements.targets.keys().collect();
    assert_eq!(known, ["another", "other"], "old ones take no room");
}

/// With a damaged entry, or a clock of another host.
#[test]
fn a_pause_is_never_longer_than_intended() {
    let mut replacements = Replacements::default();
    let pause = |since, until| Some(Pause { since, until, number: u64::MAX });
    let second = at(0).unix.as_secs();
    replacements.pause = pause(second, u64::MAX);
    assert!(!replacements.allow("a", at(0)) && replacements.allow("a", at(LONGEST_PAUSE)));
    replacements.pause = pause(second + 3600, second + 3700);
    assert!(replacements.allow("a", at(0)), "a clock that runs ahead");
    replacements.requested_at = vec![second + 3600; MOST];
    assert!(replacements.allow("a", at(0)));
    replacements.note_requested("a", at(0));
    assert_eq!(replacements.requested_at, [second]);
}

#[test]
fn a_token_counts_during_the_lifetime_of_a_forgotten_one() {
    let mut replacements = Replacements::default();
    replacements.forget(at(100).unix.as_secs());
    replacements.forget(at(50).unix.as_secs());
    assert!(replacements.is_forgotten(at(99)) && !replacements.is_forgotten(at(100)));
    replacements.count(at(0));
    assert!(!replacements.is_forgotten(at(0)));
}

#[test]
fn a_target_is_method_and_url_without_query() {
    let target = |method: &'static str, url: &str| {
        let body = SignedBody::new(Vec::new(), 0);
        target_of(&PreparedRequest::new(method, url.to_owned().into(), body, 0, false))
    };
    assert_eq!(target("POST", "/ws/a?hash=1"), target("POST", "/ws/a?hash=2"));
    assert_ne!(target("POST", "/ws/a"), target("GET", "/ws/a"));
    assert_ne!(target("POST", "/ws/a"), target("POST", "/ws/b"));
    assert_eq!(target("POST", "/ws/a").len(), 16);
}
