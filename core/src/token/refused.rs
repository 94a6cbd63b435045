//! Requests that are refused with every token.

use std::collections::HashMap;
use std::time::Instant;

use super::state::REST;
use crate::transport::{PreparedRequest, without_query};

/// The maximum number of targets remembered. While the table is full, refusals
/// of other targets do not replace the token.
const MOST: usize = 16;
/// Targets (method and URL without query) that got a 401 with a newly
/// fetched token.
///
/// Without it, a target that is always refused would cost a token after each
/// call to a target that is always accepted.
#[derive(Clone, Default)]
pub(super) struct RefusedTargets(HashMap<String, Instant>);

impl RefusedTargets {
    pub(super) fn add(&mut self, request: &PreparedRequest, now: Instant) {
        self.0.retain(|_, at| is_recent(*at, now));
        self.0.insert(target_of(request), now);
    }

    pub(super) fn remove(&mut self, request: &PreparedRequest) {
        if !self.0.is_empty() {
            self.0.remove(&target_of(request));
        }
    }

    /// Whether `request` was refused within [`REST`], or the table is full of
    /// recent refusals.
    pub(super) fn has(&self, request: &PreparedRequest, now: Instant) -> bool {
        self.0.get(&target_of(request)).is_some_and(|at| is_recent(*at, now))
            || self.0.values().filter(|at| is_recent(**at, now)).count() >= MOST
    }
}

fn is_recent(at: Instant, now: Instant) -> bool {
    now.saturating_duration_since(at) < REST
}

fn target_of(request: &PreparedRequest) -> String {
    format!("{} {}", request.method(), without_query(request.url()))
}
