//! Tests of the state of one entry in a process.

use std::collections::HashSet;

use payments_base::secret::Secret;

use super::*;
use crate::token::SystemClock;
use crate::token::TOLERATED_SKEW;
use crate::token::replacements::MEMORY;

#[test]
fn children_of_one_parent_do_not_refresh_at_the_same_moment() {
    let now = Now::read(&SystemClock);
    let mut parent = TokenState::default();
    parent.adopt_new(CachedToken::pin(token("token", now), true, now).unwrap(), now);
    let draw = || parent.inherited().held.map(|held| held.expires - held.refresh_from);
    let margins: HashSet<_> = (0..50).filter_map(|_| draw()).collect();
    assert!(margins.len() > 10, "{margins:?}");
    let range = Duration::from_secs(225)..=Duration::from_secs(300);
    assert!(margins.iter().all(|margin| range.contains(margin)), "{margins:?}");
}

fn token(value: &str, now: Now) -> Token {
    let obtained_at = now.unix.as_secs();
    let members = Default::default();
    Token { value: value.into(), obtained_at, expires_at: obtained_at + 3600, members }
}

#[test]
fn a_token_of_the_store_replaces_another_one_and_is_pinned_once() {
    let now = Now::read(&SystemClock);
    let mut state = TokenState::default();
    let entry = |value| TokenEntry { token: Some(token(value, now)), ..TokenEntry::default() };
    let own = CachedToken::pin(token("first", now), true, now).unwrap();
    state.adopt_new(own, now);
    let adopted = |state: &mut TokenState, value| {
        let held = state.adopt(&entry(value), now).unwrap();
        (held.token.value == Secret::from(value), held.is_own)
    };
    assert_eq!(adopted(&mut state, "first"), (true, true), "it is still its own");
    assert_eq!(adopted(&mut state, "second"), (true, false));
}

fn now() -> Now {
    Now { monotonic: Instant::now(), unix: Duration::from_millis(1_800_000_000_500) }
}

fn seconds(number: u64) -> Duration {
    Duration::from_secs(number)
}

#[test]
fn a_token_of_another_clock_is_used_within_reason() {
    let now = now();
    let (this_second, day) = (now.unix.as_secs(), LONGEST_LIFETIME.as_secs());
    for (obtained_at, lifetime, is_usable) in [
        (this_second, day, true),
        (this_second, day + 1, false),
        (this_second + TOLERATED_SKEW, 3600, true),
        (this_second + TOLERATED_SKEW + 1, 3600, false),
        (this_second - 3600, 3600, false),
    ] {
        let expires_at = obtained_at + lifetime;
        let token = Token { obtained_at, expires_at, ..token("token", now) };
        let held = CachedToken::pin(token, false, now);
        assert_eq!(held.is_some(), is_usable, "{obtained_at} {lifetime}");
    }
}

#[test]
fn a_moment_is_within_a_span_until_the_span_is_over() {
    let now = now();
    let this_second = now.unix.as_secs();
    for (moment, is_within) in [
        (None, false),
        (Some(this_second), true),
        (Some(this_second - MEMORY.as_secs() + 1), true),
        (Some(this_second - MEMORY.as_secs()), false),
        (Some(this_second + TOLERATED_SKEW + 1), false),
    ] {
        assert_eq!(now.is_within(MEMORY, moment), is_within, "{moment:?}");
    }
}

#[test]
fn failures_in_a_row_are_counted_across_processes() {
    let now = now();
    let mut state = TokenState::default();
    let since = now.unix.as_secs();
    let backoff = Some(Backoff { since, until: since + 10, failures: 3 });
    state.adopt(&TokenEntry { backoff, ..TokenEntry::default() }, now);
    assert_eq!(state.failures, 3);
    let (length, entry) = state.note_refusal(false, None, "it failed", now);
    assert!(length >= seconds(16), "{length:?}");
    let saved = entry.unwrap().backoff.unwrap();
    assert_eq!(saved.failures, 4);
    assert!(seconds(saved.until) >= now.unix + length, "no other process asks earlier");

    // A token that was saved with its backoff says nothing about the token
    // server.
    let token = |value| Some(token(value, now));
    state.adopt(&TokenEntry { token: token("old"), backoff, ..TokenEntry::default() }, now);
    assert_eq!(state.failures, 4);
    state.adopt(&TokenEntry { token: token("new"), ..TokenEntry::default() }, now);
    assert_eq!(state.failures, 0);
}

#[test]
fn a_backoff_from_a_clock_that_runs_ahead_is_not_extended() {
    let now = now();
    let mut state = TokenState::default();
    let since = now.unix.as_secs() + 50;
    let backoff = Some(Backoff { since, until: since + 10, failures: 1 });
    state.adopt(&TokenEntry { backoff, ..TokenEntry::default() }, now);
    assert_eq!(state.backoff_left(now), Some(seconds(10)));
}

#[test]
fn a_new_token_ends_a_backoff() {
    let now = now();
    let mut state = TokenState::default();
    state.note_refusal(true, None, "it refused", now);
    assert!(state.backoff_left(now).is_some());
    state.adopt_new(CachedToken::pin(token("token", now), true, now).unwrap(), now);
    assert_eq!((state.backoff_left(now), state.failures), (None, 0));
}

/// A response of the token server shows that there was time enough.
#[test]
fn only_requests_abandoned_in_a_row_start_a_backoff() {
    let now = now();
    let mut state = TokenState::default();
    assert_eq!(state.note_abandoned(now), None);
    state.note_refusal(false, None, "it failed", now);
    assert_eq!(state.note_abandoned(now), None);
    let entry = TokenEntry { token: Some(token("token", now)), ..TokenEntry::default() };
    state.adopt(&entry, now);
    assert_eq!(state.note_abandoned(now), None);
    assert!(state.note_abandoned(now).is_some());
}
