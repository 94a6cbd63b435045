//! Requests that are refused with every token.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::transport::{PreparedRequest, without_query};

/// The maximum number of targets remembered. While the table is full, refusals
/// of other targets do not replace the token.
const MOST: usize = 16;
/// How long a target is remembered.
const MEMORY: Duration = Duration::from_secs(3600);

/// Targets (method and URL without query) that got a 401 with a newly
/// fetched token.
///
/// Without it, a target that is always refused would cost a token after each
/// call to a target that is always accepted.
#[derive(Clone, Default)]
pub(super) struct RefusedTargets(HashMap<String, Instant>);

impl RefusedTargets {
    pub(super) fn add(&mut self, request: &PreparedRequest, now: Instant) {
        self.0.retain(|_, at| now.saturating_duration_since(*at) < MEMORY);
        self.0.insert(target_of(request), now);
    }

    pub(super) fn remove(&mut self, request: &PreparedRequest) {
        if !self.0.is_empty() {
            self.0.remove(&target_of(request));
        }
    }

    /// Whether `request` was refused within `rest`, or the table is full of
    /// recent refusals.
    pub(super) fn has(&self, request: &PreparedRequest, rest: Duration, now: Instant) -> bool {
        let is_recent = |at: &Instant| now.saturating_duration_since(*at) < rest;
        self.0.get(&target_of(request)).is_some_and(is_recent)
            || self.0.values().filter(|at| is_recent(at)).count() >= MOST
    }
}

fn target_of(request: &PreparedRequest) -> String {
    format!("{} {}", request.method(), without_query(request.url()))
}
