//! Tests of pauses and counts of replacements.

use payments_transport::inside::SignedBody;

use super::*;

fn at(seconds: u64) -> Now {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let monotonic = *START + Duration::from_secs(seconds);
    Now { monotonic, unix: Duration::from_secs(1_800_000_000 + seconds) }
}

fn allows(replacements: &Replacements, target: &str, now: Now) -> bool {
    replacements.pause_left(target, now).is_zero() && replacements.rest(now).is_zero()
}

fn note_replaced(replacements: &mut Replacements, target: &str, now: Now) {
    replacements.count(now);
    replacements.begin_pauses(target, now);
}

/// The times at which a replacement is allowed, of those within an hour.
fn allowed(mut step: impl FnMut(&mut Replacements, Now)) -> Vec<u64> {
    let mut replacements = Replacements::default();
    let mut times = Vec::new();
    for second in 0..3600 {
        step(&mut replacements, at(second));
        if allows(&replacements, "a", at(second)) {
            note_replaced(&mut replacements, "a", at(second));
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
        note_replaced(&mut replacements, "a", at(second));
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
    note_replaced(&mut replacements, "a", at(0));
    assert!(!allows(&replacements, "a", at(1)) && !allows(&replacements, "b", at(1)));
    assert!(replacements.note_accepted("b"));
    assert!(!allows(&replacements, "a", at(1)) && allows(&replacements, "b", at(1)));
    assert!(!replacements.note_accepted("b"), "nothing is new for others");
    assert!(replacements.note_accepted("a"));
    assert!(allows(&replacements, "a", at(1)) && !replacements.has_pauses());
}

#[test]
fn a_target_that_is_refused_with_a_token_of_another_pauses_once() {
    let mut replacements = Replacements::default();
    note_replaced(&mut replacements, "a", at(0));
    assert!(!replacements.note_refused("a", at(0)), "it pauses");
    assert!(replacements.note_refused("b", at(0)));
    assert!(!replacements.note_refused("b", at(0)));
    replacements.note_accepted("c");
    assert!(!allows(&replacements, "b", at(29)) && allows(&replacements, "b", at(39)));
}

#[test]
fn a_dozen_replacements_at_most_are_allowed_in_any_hour() {
    let times = allowed(|replacements, _| {
        replacements.note_accepted("a");
    });
    let expected: Vec<u64> = (0..7).chain((1..=5).map(|number| 6 + 600 * number)).collect();
    assert_eq!(times, expected);
    assert_eq!(times.len(), 12);
    let mut own = OwnReplacements::default();
    (0..7).for_each(|second| own.count(at(second)));
    assert_eq!(own.rest(at(7)), Duration::from_secs(599));
    own.uncount();
    assert_eq!(own.rest(at(7)), Duration::ZERO);
    own.count(at(6));
    assert_eq!(own.rest(at(3600)), Duration::ZERO);
}

#[test]
fn sixteen_targets_that_pause_keep_others_from_costing_tokens() {
    let mut replacements = Replacements::default();
    let target = |number: usize| format!("target {number}");
    for number in 0..MOST_TARGETS - 1 {
        replacements.note_refused(&target(number), at(0));
    }
    assert!(allows(&replacements, "other", at(0)));
    replacements.note_refused(&target(MOST_TARGETS), at(1));
    assert!(!allows(&replacements, "other", at(1)));
    replacements.note_refused("other", at(1));
    assert_eq!(replacements.targets.len(), MOST_TARGETS, "there is no room");
    assert!(allows(&replacements, "other", at(40)) && allows(&replacements, &target(0), at(40)));
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
    assert!(!allows(&replacements, "a", at(0)) && allows(&replacements, "a", at(LONGEST_PAUSE)));
    replacements.pause = pause(second + 3600, second + 3700);
    let dated = replacements.dated(at(0));
    assert!(!allows(&dated, "a", at(99)) && allows(&dated, "a", at(100)), "its own length");
}

#[test]
fn requests_count_until_one_that_was_dropped_is_replaced() {
    let mut replacements = Replacements::default();
    replacements.note_dropped(at(100).unix.as_secs());
    replacements.note_dropped(at(50).unix.as_secs());
    assert!(replacements.is_dropped(at(99)) && !replacements.is_dropped(at(100)));
    replacements.count(at(0));
    assert!(replacements.is_dropped(at(1)), "the process that requested it may be gone");
    replacements.note_answered();
    assert!(!replacements.is_dropped(at(1)));
    let until = |days: u64| Some(at(days * 86_400).unix.as_secs());
    replacements.dropped_until = until(400);
    assert_eq!(replacements.dated(at(0)).dropped_until, until(1));
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
