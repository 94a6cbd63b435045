//! Idle connections, and how long one may be idle before it is reused.
//!
//! Servers close idle connections. If such a close crosses a request, the
//! outcome of that request is unknown. So the pool learns at what age a server
//! closes, and keeps its distance.

use std::collections::HashMap;
use std::time::Duration;

use payments_base::boot_instant::BootInstant;

/// Some servers close idle connections after 5 s by default.
pub(super) const MAX_IDLE: Duration = Duration::from_secs(4);
const MAX_CONNECTIONS: usize = 64;
/// A server that closes an even younger connection does so for another reason.
const SHORTEST_LEARNED: Duration = Duration::from_millis(50);
/// The learned limit doubles after this time without a close.
const HALF_LIFE: Duration = Duration::from_secs(600);

/// The idle connections of one process.
pub(super) struct ConnectionPool<C> {
    hosts: HashMap<String, Host<C>>,
}

struct Host<C> {
    /// Ordered by when they became idle, the latest last.
    idle: Vec<Idle<C>>,
    learned: Option<Learned>,
}

struct Idle<C> {
    connection: C,
    since: BootInstant,
    max_age: Duration,
}

/// The learned age limit for requests that must not be sent twice.
#[derive(Clone, Copy)]
struct Learned {
    limit: Duration,
    at: BootInstant,
}

impl Learned {
    /// The current limit. It doubles with every half-life, up to [`MAX_IDLE`].
    fn limit(self, now: BootInstant) -> Duration {
        let doublings = now.since(self.at).as_secs_f64() / HALF_LIFE.as_secs_f64();
        let limit = self.limit.as_secs_f64() * doublings.min(32.0).exp2();
        Duration::from_secs_f64(limit.min(MAX_IDLE.as_secs_f64()))
    }
}

impl<C> Default for Host<C> {
    fn default() -> Self {
        Self { idle: Vec::new(), learned: None }
    }
}

impl<C> Default for ConnectionPool<C> {
    fn default() -> Self {
        Self { hosts: HashMap::new() }
    }
}

impl<C> ConnectionPool<C> {
    /// Takes the youngest usable connection to `host`, with its age. The
    /// learned limit does not apply if `is_read_only`.
    pub(super) fn take(
        &mut self,
        host: &str,
        is_read_only: bool,
        now: BootInstant,
    ) -> Option<(C, Duration)> {
        self.drop_old(now);
        let host = self.hosts.get_mut(host)?;
        let learned = host.learned.filter(|_| !is_read_only);
        let limit = learned.map_or(MAX_IDLE, |learned| learned.limit(now));
        let idle = host.idle.pop_if(|idle| now.since(idle.since) < limit)?;
        Some((idle.connection, now.since(idle.since)))
    }

    /// Whether a connection to `host` is idle.
    pub(super) fn has_idle(&mut self, host: &str, now: BootInstant) -> bool {
        self.drop_old(now);
        self.hosts.get(host).is_some_and(|host| !host.idle.is_empty())
    }

    /// Keeps a connection to `host` for at most `max_age`.
    pub(super) fn put(&mut self, host: &str, connection: C, max_age: Duration, now: BootInstant) {
        self.drop_old(now);
        let count: usize = self.hosts.values().map(|host| host.idle.len()).sum();
        if count < MAX_CONNECTIONS {
            let idle = Idle { connection, since: now, max_age: max_age.min(MAX_IDLE) };
            self.hosts.entry(host.to_owned()).or_default().idle.push(idle);
        }
    }

    /// Records that `host` closed a connection that had been idle for at most
    /// `age`.
    pub(super) fn note_closed(&mut self, host: &str, age: Duration, now: BootInstant) {
        let host = self.hosts.entry(host.to_owned()).or_default();
        let limit = (age / 2).max(SHORTEST_LEARNED);
        if host.learned.is_none_or(|learned| limit < learned.limit(now)) {
            host.learned = Some(Learned { limit, at: now });
        }
    }

    fn drop_old(&mut self, now: BootInstant) {
        for host in self.hosts.values_mut() {
            host.idle.retain(|idle| now.since(idle.since) < idle.max_age);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "https://payments.example";

    fn at(milliseconds: u64) -> BootInstant {
        BootInstant::of_test(Duration::from_millis(milliseconds))
    }

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_youngest_connection_comes_first_and_old_ones_never() {
        let mut pool = ConnectionPool::default();
        pool.put(HOST, "old", MAX_IDLE, at(0));
        pool.put(HOST, "young", MAX_IDLE, at(1000));
        pool.put("https://other.example", "other", MAX_IDLE, at(1000));
        assert_eq!(pool.take(HOST, false, at(1500)), Some(("young", ms(500))));
        assert_eq!(pool.take(HOST, false, at(4000)), None);
        assert_eq!(pool.take("https://other.example", false, at(4000)), Some(("other", ms(3000))));
    }

    #[test]
    fn a_server_that_names_its_limit_is_believed() {
        let mut pool = ConnectionPool::default();
        pool.put(HOST, "short", ms(500), at(0));
        assert_eq!(pool.take(HOST, true, at(500)), None);
        pool.put(HOST, "long", ms(60_000), at(1000));
        assert_eq!(pool.take(HOST, true, at(5000)), None);
    }

    #[test]
    fn a_close_halves_the_age_for_requests_that_move_money() {
        let mut pool = ConnectionPool::default();
        pool.note_closed(HOST, ms(200), at(0));
        pool.put(HOST, "connection", MAX_IDLE, at(0));
        assert_eq!(pool.take(HOST, false, at(101)), None);
        assert_eq!(pool.take(HOST, true, at(150)), Some(("connection", ms(150))));
        pool.put(HOST, "connection", MAX_IDLE, at(200));
        assert_eq!(pool.take(HOST, false, at(299)), Some(("connection", ms(99))));
        // A later close counts only if it lowers the limit.
        pool.note_closed(HOST, ms(3000), at(300));
        pool.put(HOST, "connection", MAX_IDLE, at(300));
        assert_eq!(pool.take(HOST, false, at(410)), None);
    }

    #[test]
    fn observed_closes_are_forgotten_slowly() {
        let limit = |learned: Duration, after: Duration| {
            let learned = Learned { limit: learned, at: at(0) };
            learned.limit(BootInstant::of_test(after))
        };
        assert_eq!(limit(ms(100), Duration::ZERO), ms(100));
        assert_eq!(limit(ms(100), HALF_LIFE), ms(200));
        assert_eq!(limit(ms(100), HALF_LIFE * 100), MAX_IDLE);
        let mut pool = ConnectionPool::<()>::default();
        pool.note_closed(HOST, Duration::ZERO, at(0));
        let learned = pool.hosts[HOST].learned.map(|learned| learned.limit);
        assert_eq!(learned, Some(SHORTEST_LEARNED));
    }

    #[test]
    fn a_warm_up_ignores_a_connection_that_is_too_old() {
        let mut pool = ConnectionPool::default();
        pool.put(HOST, "short", ms(500), at(0));
        assert!(pool.has_idle(HOST, at(499)));
        assert!(!pool.has_idle("https://other.example", at(499)));
        assert!(!pool.has_idle(HOST, at(500)));
    }

    #[test]
    fn the_pool_is_bounded() {
        let mut pool = ConnectionPool::default();
        for number in 0..MAX_CONNECTIONS + 5 {
            pool.put(HOST, number, MAX_IDLE, at(0));
        }
        assert_eq!(pool.hosts[HOST].idle.len(), MAX_CONNECTIONS);
    }
}
