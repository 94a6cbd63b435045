//! What the threads of one process share: the state, and the turn to fetch.

use std::sync::Mutex;
use std::time::Duration;

use super::quiet;
use super::state::{Held, Now, State};
use super::{Entry, Token};
use crate::error::Error;
use crate::process::lock;
use crate::wait::Waiters;

/// Why a quiet period started, as a message ends.
const ABANDONED: &str = "the calls before ended while it was asked; give calls more time";

pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    /// Told when the one who fetches is done.
    pub(super) changed: Waiters,
}

impl Shared {
    pub(super) fn new(state: State) -> Self {
        Self { state: Mutex::new(state), changed: Waiters::default() }
    }

    /// Takes over a new token, and gives the entry that tells of it.
    pub(super) fn adopt_new(&self, held: Held, is_replacement: bool, now: Now) -> Entry {
        let token = Some(Token::clone(&held.token));
        let mut state = lock(&self.state);
        state.adopt_new(held);
        if is_replacement {
            state.unproven_since = Some(now.unix.as_secs());
        }
        Entry { token, quiet: None, unproven_since: state.unproven_since }
    }

    /// Starts a quiet period for this process, and gives its length.
    pub(super) fn begin_local_quiet(&self, why: &str, now: Now) -> Duration {
        let mut state = lock(&self.state);
        state.local_failures = state.local_failures.saturating_add(1);
        let length = quiet::after_local_failure(state.local_failures);
        state.begin_quiet(length, why.to_owned(), now);
        length
    }

    /// The call ended while its request for a token was under way. Once, that
    /// says nothing of the token server, and the next in line asks at once.
    /// Again and again, the calls have too little time for it: then a quiet
    /// period starts for this process, whose length is given.
    pub(super) fn note_abandoned(&self, now: Now) -> Option<Duration> {
        let in_a_row = {
            let mut state = lock(&self.state);
            state.abandoned = state.abandoned.saturating_add(1);
            state.abandoned
        };
        (in_a_row > 1).then(|| self.begin_local_quiet(ABANDONED, now))
    }

    /// The token server refused or failed. Starts a backoff for all who share
    /// the store. Gives its length, and the entry that tells them.
    pub(super) fn note_refusal(
        &self,
        status: u16,
        retry_after: Option<Duration>,
        error: &Error,
        now: Now,
    ) -> (Duration, Option<Entry>) {
        let mut state = lock(&self.state);
        state.failures = state.failures.saturating_add(1);
        state.abandoned = 0;
        let length = quiet::after_answer(status, retry_after, state.failures);
        let entry = state.begin_shared_quiet(length, error.message(), now);
        (length, Some(entry))
    }

    /// The token server got the request and gave no answer. Once, that may be
    /// the way's fault: a backoff starts for this process, and the others hear
    /// of the failure only. From the second one in a row on, it is shared.
    pub(super) fn note_silence(&self, why: &str, now: Now) -> (Duration, Option<Entry>) {
        let mut state = lock(&self.state);
        state.failures = state.failures.saturating_add(1);
        if state.failures == 1 {
            let entry = state.begin_shared_quiet(Duration::ZERO, why, now);
            drop(state);
            return (self.begin_local_quiet(why, now), Some(entry));
        }
        let length = quiet::after_silence(state.failures);
        let entry = state.begin_shared_quiet(length, why, now);
        (length, Some(entry))
    }
}

/// Held by the one thread of this process that fetches. Whatever ends it,
/// exactly one of those who wait comes next.
pub(super) struct FetchTurn<'a> {
    shared: &'a Shared,
}

impl<'a> FetchTurn<'a> {
    /// For the thread that has set `fetching`.
    pub(super) fn begin(shared: &'a Shared) -> Self {
        Self { shared }
    }
}

impl Drop for FetchTurn<'_> {
    fn drop(&mut self) {
        lock(&self.shared.state).fetching = None;
        self.shared.changed.wake();
    }
}
