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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::SignedBody;

    fn request(number: usize) -> PreparedRequest {
        let url = format!("/ws/{number}?query={number}");
        PreparedRequest::new("POST", url.into(), SignedBody::new(Vec::new(), 0), 0, false)
    }

    #[test]
    fn a_full_table_keeps_other_targets_from_costing_tokens_for_an_hour() {
        let (mut refused, now) = (RefusedTargets::default(), Instant::now());
        (0..MOST - 1).for_each(|number| refused.add(&request(number), now));
        assert!(refused.has(&request(0), now) && !refused.has(&request(MOST), now));
        refused.add(&request(MOST - 1), now);
        assert!(refused.has(&request(MOST), now));
        refused.remove(&request(MOST - 1));
        assert!(!refused.has(&request(MOST), now) && !refused.has(&request(MOST - 1), now));

        let later = now + REST;
        assert!(!refused.has(&request(0), later));
        refused.add(&request(MOST), later);
        assert_eq!(refused.0.len(), 1, "old ones take no room");
    }
}
