//! Tests of what a process knows about one entry.

use std::collections::HashSet;

use super::*;
use crate::token::SystemClock;

#[test]
fn children_of_one_parent_do_not_refresh_at_the_same_moment() {
    let now = Now::read(&SystemClock);
    let mut parent = TokenState::default();
    parent.adopt_new(CachedToken::pin(token("token", now), true, now).unwrap(), false, now);
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
    state.adopt_new(own, false, now);
    let adopted = |state: &mut TokenState, value| {
        let held = state.adopt(&entry(value), now).unwrap();
        (held.token.value == Secret::from(value), held.is_own)
    };
    assert_eq!(adopted(&mut state, "first"), (true, true), "it is still its own");
    assert_eq!(adopted(&mut state, "second"), (true, false));
}
