//! Counters that cost almost nothing per request.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

/// Counts of requests and connections.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Stats {
    /// Requests, except those to the control API.
    pub requests: u64,
    /// Requests to the token endpoint, blocked ones included.
    pub token_requests: u64,
    /// Accepted connections, except those whose first request was to the
    /// control API.
    pub connections: u64,
    /// Connections open now, including those to the control API.
    pub open_connections: u64,
    /// Requests being served now.
    pub in_flight: u64,
    /// The highest number of requests served at once.
    pub max_in_flight: u64,
    /// Connections whose thread panicked, which is always a bug in the sandbox.
    pub panicked: u64,
}

#[derive(Default, Debug)]
pub(crate) struct Counters {
    pub(crate) requests: AtomicU64,
    pub(crate) token_requests: AtomicU64,
    pub(crate) connections: AtomicU64,
    pub(crate) open_connections: AtomicU64,
    in_flight: AtomicU64,
    max_in_flight: AtomicU64,
    pub(crate) panicked: AtomicU64,
}

impl Counters {
    /// Counts a request as in flight until the guard is dropped.
    pub(crate) fn begin(&self) -> InFlight<'_> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let now = self.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        self.max_in_flight.fetch_max(now, Ordering::Relaxed);
        InFlight(self)
    }

    pub(crate) fn read(&self) -> Stats {
        Stats {
            requests: self.requests.load(Ordering::Relaxed),
            token_requests: self.token_requests.load(Ordering::Relaxed),
            connections: self.connections.load(Ordering::Relaxed),
            open_connections: self.open_connections.load(Ordering::Relaxed),
            in_flight: self.in_flight.load(Ordering::Relaxed),
            max_in_flight: self.max_in_flight.load(Ordering::Relaxed),
            panicked: self.panicked.load(Ordering::Relaxed),
        }
    }

    /// Resets the counters, except those of open connections and of requests in
    /// flight.
    pub(crate) fn reset(&self) {
        self.requests.store(0, Ordering::Relaxed);
        self.token_requests.store(0, Ordering::Relaxed);
        self.connections.store(0, Ordering::Relaxed);
        self.max_in_flight.store(self.in_flight.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

pub(crate) struct InFlight<'a>(&'a Counters);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}
