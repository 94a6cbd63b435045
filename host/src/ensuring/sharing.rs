//! One query for all callers of this process that wait for the same payment: while a
//! reference is open, payers click again and again.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use payments_base::process::{ForkGuard, PerProcess, lock};
use payments_core::CallContext;
use payments_core::error::{Error, Reason};
use payments_core::inside::Waiters;
use payments_core::request::PaymentResponse;

/// The time between the queries of all callers.
const BETWEEN: Duration = Duration::from_secs(2);
/// The most references to remember, and for how long.
const MOST: usize = 1_000;
const KEPT: Duration = Duration::from_secs(60);

/// The merchant and the reference.
type Key = ([u8; 32], String);

type AllOpen = Mutex<HashMap<Key, Arc<OpenReference>>>;

static OPEN: LazyLock<PerProcess<AllOpen>> =
    LazyLock::new(|| PerProcess::new(Mutex::default(), |_| Mutex::default()));

/// The queries of an open reference.
pub(super) struct OpenReference {
    queries: Mutex<Queries>,
    waiters: Waiters,
}

struct Queries {
    is_asking: bool,
    /// How many have ended.
    ended: u64,
    /// The result of the last one; none if it failed.
    answer: Option<Result<PaymentResponse, Error>>,
    /// When the next one may be made.
    due: Instant,
    used: Instant,
}

/// The end of [`OpenReference::ask`].
pub(super) enum Asked {
    /// The result of a query.
    Answer(Result<PaymentResponse, Error>),
    /// The time was over before the next query; it may be made after this time.
    Nothing(Duration),
}

enum Step {
    Ask,
    Wait(Duration),
    End(Asked),
}

impl OpenReference {
    /// That of all callers with this key.
    pub(super) fn of(merchant: [u8; 32], reference: &str) -> Arc<Self> {
        let all = OPEN.get();
        let mut all = lock(&all);
        let now = Instant::now();
        let is_idle = |it: &Arc<Self>| Arc::strong_count(it) == 1;
        let used = |it: &Arc<Self>| lock(&it.queries).used;
        all.retain(|_, it| !is_idle(it) || now.duration_since(used(it)) < KEPT);
        let key = (merchant, reference.to_owned());
        if !all.contains_key(&key) && all.len() >= MOST {
            let idle = all.iter().filter(|(_, it)| is_idle(it));
            let oldest = idle.min_by_key(|(_, it)| used(it)).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| all.remove(&oldest));
        }
        Arc::clone(all.entry(key).or_insert_with(|| Arc::new(Self::new(now))))
    }

    fn new(now: Instant) -> Self {
        let (is_asking, ended, answer) = (false, 0, None);
        let queries = Mutex::new(Queries { is_asking, ended, answer, due: now, used: now });
        Self { queries, waiters: Waiters::default() }
    }

    /// Makes `query` if no other caller does, and its time has come; otherwise waits
    /// for the result of the other one, or until `until`. A query of another caller that
    /// failed is made again.
    pub(super) fn ask(
        &self,
        context: &CallContext,
        until: Instant,
        query: impl FnOnce() -> Result<PaymentResponse, Error>,
    ) -> Asked {
        let mut awaited = None;
        loop {
            let seen = self.waiters.seen();
            match self.step(&mut awaited, until) {
                Step::Ask => break,
                Step::End(asked) => return asked,
                Step::Wait(wait) => self.waiters.wait(seen, context, wait),
            }
            if context.ended().is_some() {
                // The query says why.
                return Asked::Answer(query());
            }
        }
        let (answer, retry_after) = (None, Duration::ZERO);
        let mut asking = ForkGuard::new(Asking { reference: self, answer, retry_after });
        let answer = query();
        match &answer {
            Err(error) if error.reason() != Some(Reason::NotFound) => {
                asking.retry_after = error.retry_after().unwrap_or_default();
            }
            shared => asking.answer = Some(shared.clone()),
        }
        Asked::Answer(answer)
    }

    fn step(&self, awaited: &mut Option<u64>, until: Instant) -> Step {
        let mut queries = lock(&self.queries);
        let now = Instant::now();
        queries.used = now;
        if awaited.is_some_and(|number| queries.ended > number) {
            *awaited = None;
            if let Some(answer) = &queries.answer {
                return Step::End(Asked::Answer(answer.clone()));
            }
        }
        let due = queries.due;
        if !queries.is_asking && now >= due {
            queries.is_asking = true;
            queries.due = now + BETWEEN;
            return Step::Ask;
        }
        if now >= until {
            let left = due.saturating_duration_since(now);
            return Step::End(Asked::Nothing(left));
        }
        let next = if queries.is_asking {
            awaited.get_or_insert(queries.ended);
            until
        } else {
            due.min(until)
        };
        Step::Wait(next.saturating_duration_since(now))
    }
}

/// A query under way. However it ends, the others go on.
struct Asking<'a> {
    reference: &'a OpenReference,
    answer: Option<Result<PaymentResponse, Error>>,
    /// How long the service asks to wait.
    retry_after: Duration,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let mut queries = lock(&self.reference.queries);
        queries.is_asking = false;
        queries.ended += 1;
        queries.answer = self.answer.take();
        queries.due = queries.due.max(Instant::now() + self.retry_after.min(KEPT));
        drop(queries);
        self.reference.waiters.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use payments_core::error::{ErrorCode, ErrorKind, Outcome};

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn not_found() -> Error {
        let (kind, code) = (ErrorKind::Rejected, ErrorCode::PAYMENT_NOT_FOUND);
        Error::new(kind, Outcome::NotExecuted, code, "none").because(Reason::NotFound)
    }

    fn down() -> Error {
        Error::new(ErrorKind::Connect, Outcome::NotExecuted, ErrorCode::UNAVAILABLE, "down")
    }

    fn until(limit: Duration) -> Instant {
        Instant::now() + limit
    }

    #[test]
    fn callers_share_the_response_of_the_one_that_asks() {
        let (open, gate) = (OpenReference::of([1; 32], "a"), Barrier::new(2));
        let context = CallContext::with_timeout(LONG);
        let others = std::thread::scope(|scope| {
            let ask = || {
                let asked = open.ask(&context, until(LONG), || {
                    gate.wait();
                    while Arc::strong_count(&open) < 4 {
                        std::thread::yield_now();
                    }
                    Err(not_found())
                });
                matches!(asked, Asked::Answer(Err(error)) if error.reason() == Some(Reason::NotFound))
            };
            let first = scope.spawn(ask);
            gate.wait();
            let other = || {
                let open = OpenReference::of([1; 32], "a");
                matches!(open.ask(&context, until(LONG), || unreachable!()), Asked::Answer(Err(_)))
            };
            let others = [scope.spawn(other), scope.spawn(other)];
            let others = others.map(|it| it.join().unwrap());
            assert!(first.join().unwrap());
            others
        });
        assert_eq!(others, [true; 2]);
    }

    #[test]
    fn a_failure_is_asked_again_and_only_after_a_pause() {
        let open = OpenReference::of([2; 32], "a");
        let context = CallContext::with_timeout(LONG);
        let first = open.ask(&context, until(LONG), || Err(down()));
        assert!(matches!(first, Asked::Answer(Err(_))));
        let early = open.ask(&context, Instant::now(), || unreachable!("too early"));
        assert!(matches!(early, Asked::Nothing(left) if left > Duration::ZERO));
        lock(&open.queries).due = Instant::now();
        let mut has_asked = false;
        let again = open.ask(&context, until(LONG), || {
            has_asked = true;
            Err(not_found())
        });
        assert!(matches!(again, Asked::Answer(Err(_))) && has_asked);
    }

    #[test]
    fn a_caller_that_dies_ends_nobody_elses_query() {
        let open = OpenReference::of([3; 32], "a");
        let context = CallContext::with_timeout(LONG);
        let dies = || open.ask(&context, until(LONG), || panic!("it dies"));
        let died = std::panic::catch_unwind(std::panic::AssertUnwindSafe(dies));
        assert!(died.is_err() && !lock(&open.queries).is_asking);
    }

    #[test]
    fn references_are_told_apart_by_their_merchants() {
        let (one, other) = (OpenReference::of([4; 32], "a"), OpenReference::of([5; 32], "a"));
        assert!(!Arc::ptr_eq(&one, &other));
        assert!(Arc::ptr_eq(&one, &OpenReference::of([4; 32], "a")));
    }
}
