//! Invariants of every schedule. The body of a check is one execution; it
//! fails by a panic, and if all its threads wait for each other.

mod pool;
mod semaphore;
mod tables;
mod token;
mod waits;

use std::time::Duration;

pub struct Check {
    pub name: &'static str,
    pub body: fn(),
    /// How many threads are interrupted at most when all schedules are tried: in
    /// a quick run, and otherwise.
    pub interruptions: [usize; 2],
    /// The most random schedules that make sense.
    pub most_random: usize,
}

/// A check of these names and limits.
pub const fn check(name: &'static str, interruptions: [usize; 2], body: fn()) -> Check {
    Check { name, body, interruptions, most_random: usize::MAX }
}

/// Longer than any check takes.
pub const LONG: Duration = Duration::from_secs(1_000_000);

pub static CHECKS: &[Check] = &[
    check("semaphore: no more holders than the limit", [2, 4], semaphore::holders),
    check("semaphore: first come, first served", [2, 4], semaphore::order),
    check("semaphore: nobody overtakes a lower limit", [2, 4], semaphore::lower_limit),
    check("semaphore: a cancellation ends a wait", [1, 2], semaphore::cancellation),
    check("semaphore: a deadline ends a wait", [1, 2], semaphore::deadline),
    check("waits: no change is missed", [1, 2], waits::changes),
    check("waits: a cancellation ends all", [2, 3], waits::cancellation),
    check("waits: without descriptors", [1, 2], waits::without_wakers),
    check("token: one request for all", [1, 3], token::one_request),
    check("token: a failure reaches all", [1, 3], token::failure),
    check("token: a cancelled fetch is taken over", [1, 2], token::cancelled_fetch),
    check("token: nobody waits for an early refresh", [1, 3], token::refresh),
    check("token: a refused token is replaced once", [1, 3], token::replacement),
    check("token: one request for all processes", [1, 2], token::shared_store),
    check("token: processes replace it once", [1, 2], token::replacement_in_two_processes),
    check("token: a dead replacement is taken over", [1, 2], token::cancelled_replacement),
    check("tables: each value is made once", [2, 4], tables::made_once),
    check("tables: a shared client is one client", [1, 2], tables::shared_clients),
    // Each execution opens connections of the system.
    Check {
        most_random: 1000,
        ..check("pool: one request at a time on a connection", [0, 1], pool::one_request)
    },
];
