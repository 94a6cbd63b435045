//! One query for all callers of this process that wait for the same payment: while a
//! reference is open, payers click again and again.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use payments_base::process::{ForkGuard, PerProcess, lock};
use payments_core::CallContext;
use payments_core::error::{Error, Reason};
use payments_core::inside::Waiters;

use crate::agreement::Counting;

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

/// When a caller makes its query.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// At once, unless another caller makes one, or creates the payment after one: no entry
    /// says that the reference is open.
    AtOnce,
    /// When the time of the next one over all callers has come.
    Spaced,
}

/// The queries of a reference, which its callers share.
pub(super) struct OpenReference {
    queries: Mutex<Queries>,
    waiters: Waiters,
}

struct Queries {
    is_asking: bool,
    /// How many callers create the payment, since a query has found none.
    creating: usize,
    /// How many have ended.
    ended: u64,
    /// The result of the last one; none if it failed.
    answer: Option<Result<Counting, Error>>,
    /// When the next one may be made.
    due: Instant,
}

/// The end of [`OpenReference::ask`].
pub(super) enum Asked {
    /// The result of a query.
    Answer(Result<Counting, Error>),
    /// The time was over before the next query; it may be made after this time.
    Nothing(Duration),
}

/// A caller: how it asks, until when it waits, and which query it waits for.
struct Caller {
    pace: Pace,
    until: Instant,
    awaited: Option<u64>,
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
        let due = |it: &Arc<Self>| lock(&it.queries).due;
        all.retain(|_, it| !is_idle(it) || now < due(it));
        let key = (merchant, reference.to_owned());
        if !all.contains_key(&key) && all.len() >= MOST {
            let idle = all.iter().filter(|(_, it)| is_idle(it));
            let first_due = idle.min_by_key(|(_, it)| due(it)).map(|(key, _)| key.clone());
            first_due.and_then(|it| all.remove(&it));
        }
        Arc::clone(all.entry(key).or_insert_with(|| Arc::new(Self::new(now))))
    }

    fn new(now: Instant) -> Self {
        let queries = Queries { is_asking: false, creating: 0, ended: 0, answer: None, due: now };
        Self { queries: Mutex::new(queries), waiters: Waiters::default() }
    }

    /// Makes `query` if no other caller does, and its time has come; otherwise waits
    /// for the result of the other one, or until `until`. A query of another caller that
    /// failed is made again.
    pub(super) fn ask(
        &self,
        context: &CallContext,
        (pace, until): (Pace, Instant),
        query: impl FnOnce() -> Result<Counting, Error>,
    ) -> Asked {
        let mut caller = Caller { pace, until, awaited: None };
        loop {
            let seen = self.waiters.seen();
            let step = lock(&self.queries).step(&mut caller, Instant::now());
            match step {
                Step::Ask => break,
                Step::End(asked) => return asked,
                // Its interrupt hook is asked again and again, and it keeps its deadline.
                Step::Wait(wait) => {
                    self.waiters.wait(seen, context, wait.min(context.wake_slice()));
                }
            }
            if context.ended().is_some() {
                // The query says why.
                return Asked::Answer(query());
            }
        }
        let nothing = Asking { reference: self, answer: None, retry_after: Duration::ZERO };
        let mut asking = ForkGuard::new(nothing);
        let answer = query();
        match &answer {
            Err(error) if error.reason() != Some(Reason::NotFound) => {
                asking.retry_after = error.retry_after().unwrap_or_default();
            }
            shared => asking.answer = Some(shared.clone()),
        }
        Asked::Answer(answer)
    }

    /// Creates the payment. Callers that arrive before there is an entry share the
    /// response of the query that has found none.
    pub(super) fn creating<T>(&self, create: impl FnOnce() -> T) -> T {
        lock(&self.queries).creating += 1;
        let _ends = ForkGuard::new(Creating(self));
        create()
    }
}

impl Queries {
    /// The next step of a caller.
    fn step(&mut self, caller: &mut Caller, now: Instant) -> Step {
        let has_ended = caller.awaited.is_some_and(|number| self.ended > number);
        if has_ended || caller.pace == Pace::AtOnce && self.creating > 0 {
            caller.awaited = None;
            if let Some(answer) = &self.answer {
                return Step::End(Asked::Answer(answer.clone()));
            }
        }
        let is_due = caller.pace == Pace::AtOnce || now >= self.due;
        if !self.is_asking && is_due {
            self.is_asking = true;
            if caller.pace == Pace::Spaced {
                self.due = now + BETWEEN;
            }
            return Step::Ask;
        }
        if now >= caller.until {
            return Step::End(Asked::Nothing(self.due.saturating_duration_since(now)));
        }
        let next = if self.is_asking {
            caller.awaited.get_or_insert(self.ended);
            caller.until
        } else {
            self.due.min(caller.until)
        };
        Step::Wait(next.saturating_duration_since(now))
    }

    /// A query has ended, and the next one may be made after `retry_after`.
    fn end(
        &mut self,
        answer: Option<Result<Counting, Error>>,
        retry_after: Duration,
        now: Instant,
    ) {
        self.is_asking = false;
        self.ended += 1;
        self.answer = answer;
        self.due = self.due.max(now + retry_after.min(KEPT));
    }
}

/// A query under way. However it ends, the others go on.
struct Asking<'a> {
    reference: &'a OpenReference,
    answer: Option<Result<Counting, Error>>,
    /// How long the service asks to wait.
    retry_after: Duration,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let answer = self.answer.take();
        lock(&self.reference.queries).end(answer, self.retry_after, Instant::now());
        self.reference.waiters.wake();
    }
}

struct Creating<'a>(&'a OpenReference);

impl Drop for Creating<'_> {
    fn drop(&mut self) {
        lock(&self.0.queries).creating -= 1;
    }
}

#[cfg(test)]
mod tests {
    use payments_core::error::{ErrorCode, ErrorKind, Outcome};

    use super::*;

    const LONG: Duration = Duration::from_secs(60);
    const SECOND: Duration = Duration::from_secs(1);

    fn not_found() -> Error {
        let (kind, code) = (ErrorKind::Rejected, ErrorCode::PAYMENT_NOT_FOUND);
        Error::new(kind, Outcome::NotExecuted, code, "none").because(Reason::NotFound)
    }

    fn down() -> Error {
        Error::new(ErrorKind::Connect, Outcome::NotExecuted, ErrorCode::UNAVAILABLE, "down")
    }

    fn caller(pace: Pace, until: Instant) -> Caller {
        Caller { pace, until, awaited: None }
    }

    fn queries(now: Instant) -> Queries {
        OpenReference::new(now).queries.into_inner().unwrap()
    }

    fn is_answer(step: &Step) -> bool {
        matches!(step, Step::End(Asked::Answer(Err(error))) if error.reason() == Some(Reason::NotFound))
    }

    #[test]
    fn callers_share_the_response_of_the_one_that_asks() {
        for pace in [Pace::AtOnce, Pace::Spaced] {
            let now = Instant::now();
            let (mut queries, mut first) = (queries(now), caller(pace, now + LONG));
            let mut others = [Pace::AtOnce, Pace::Spaced].map(|it| caller(it, now + LONG));
            assert!(matches!(queries.step(&mut first, now), Step::Ask));
            for other in &mut others {
                assert!(matches!(queries.step(other, now), Step::Wait(LONG)));
            }
            queries.end(Some(Err(not_found())), Duration::ZERO, now);
            assert!(others.iter_mut().all(|it| is_answer(&queries.step(it, now))));
            // A caller that comes later has no part in it.
            let mut late = caller(Pace::AtOnce, now + LONG);
            assert!(matches!(queries.step(&mut late, now), Step::Ask));
        }
    }

    #[test]
    fn callers_share_the_response_while_the_payment_is_created() {
        let open = OpenReference::of([2; 32], "a");
        let (context, at_once) = (CallContext::with_timeout(LONG), Instant::now());
        let ask = || open.ask(&context, (Pace::AtOnce, at_once), || Err(not_found()));
        assert!(matches!(ask(), Asked::Answer(Err(_))));
        let asked = open.creating(|| open.ask(&context, (Pace::AtOnce, at_once), || Err(down())));
        assert!(matches!(asked, Asked::Answer(Err(error)) if error.kind() == ErrorKind::Rejected));
        let asked = open.ask(&context, (Pace::AtOnce, at_once), || Err(down()));
        assert!(matches!(asked, Asked::Answer(Err(error)) if error.kind() == ErrorKind::Connect));
    }

    #[test]
    fn a_failure_is_asked_again_and_only_after_a_pause() {
        let now = Instant::now();
        for (retry_after, pause) in [(0, 2), (1, 2), (30, 30), (3600, 60)] {
            let (mut queries, mut first) = (queries(now), caller(Pace::Spaced, now + LONG));
            let mut other = caller(Pace::Spaced, now + LONG);
            assert!(matches!(queries.step(&mut first, now), Step::Ask));
            assert!(matches!(queries.step(&mut other, now), Step::Wait(_)));
            queries.end(None, retry_after * SECOND, now);
            let pause = pause * SECOND;
            assert!(matches!(queries.step(&mut other, now), Step::Wait(it) if it == pause));
            let mut short = caller(Pace::Spaced, now);
            let step = queries.step(&mut short, now);
            assert!(matches!(step, Step::End(Asked::Nothing(left)) if left == pause));
            assert!(matches!(queries.step(&mut other, now + pause), Step::Ask));
        }
    }

    /// The queries of 56 s by a clock of the test, of which each takes `latency`, while
    /// payers click again whenever a click ends.
    fn queries_of_eighty_payers(latency: Duration) -> usize {
        const WAIT: Duration = Duration::from_secs(3);
        const TICK: Duration = Duration::from_millis(1);
        let began = Instant::now();
        let mut queries = queries(began);
        // That of the caller that creates the payment, before it does.
        let mut first = caller(Pace::AtOnce, began + WAIT);
        assert!(matches!(queries.step(&mut first, began), Step::Ask));
        let (mut asked, mut answered) = (1, Some(began + latency));
        let mut payers: Vec<_> = (0..80).map(|_| caller(Pace::Spaced, began + WAIT)).collect();
        for now in (0..=56_000).map(|it| began + it * TICK) {
            if answered.take_if(|it| *it <= now).is_some() {
                queries.end(Some(Err(not_found())), Duration::ZERO, now);
            }
            for payer in &mut payers {
                match queries.step(payer, now) {
                    Step::Ask => (asked, answered) = (asked + 1, Some(now + latency)),
                    Step::End(Asked::Nothing(_)) => {
                        assert!(now <= payer.until + latency + TICK, "it waits too long");
                        *payer = caller(Pace::Spaced, now + WAIT);
                    }
                    Step::End(Asked::Answer(_)) | Step::Wait(_) => {}
                }
            }
        }
        asked
    }

    #[test]
    fn eighty_clicks_make_at_most_thirty_queries_in_56_seconds() {
        for (latency, expected) in [(0, 30), (300, 29), (2500, 23)] {
            let asked = queries_of_eighty_payers(Duration::from_millis(latency));
            assert_eq!(asked, expected, "{latency} ms");
        }
    }

    #[test]
    fn a_caller_that_dies_ends_nobody_elses_query() {
        let open = OpenReference::of([3; 32], "a");
        let context = CallContext::with_timeout(LONG);
        let caller = (Pace::AtOnce, Instant::now() + LONG);
        let dies = || open.ask(&context, caller, || panic!("it dies"));
        let died = std::panic::catch_unwind(std::panic::AssertUnwindSafe(dies));
        assert!(died.is_err());
        assert!(matches!(open.ask(&context, caller, || Err(down())), Asked::Answer(Err(_))));
    }

    #[test]
    fn references_are_told_apart_by_their_merchants() {
        let (one, other) = (OpenReference::of([4; 32], "a"), OpenReference::of([5; 32], "a"));
        assert!(!Arc::ptr_eq(&one, &other));
        assert!(Arc::ptr_eq(&one, &OpenReference::of([4; 32], "a")));
    }

    #[test]
    fn a_reference_is_remembered_while_it_has_to_wait() {
        let due = Instant::now() + LONG;
        let made = |name: &str, due| {
            let open = OpenReference::of([6; 32], name);
            lock(&open.queries).due = due;
            open
        };
        let kept = made("first", due + SECOND);
        let in_use = made("in use", due);
        for number in 0..MOST {
            made(&number.to_string(), due + 2 * SECOND);
        }
        assert_eq!(lock(&OPEN.get()).len(), MOST);
        assert!(Arc::ptr_eq(&in_use, &OpenReference::of([6; 32], "in use")));
        let first = Arc::downgrade(&kept);
        drop(kept);
        made("one more", due + 2 * SECOND);
        assert!(first.upgrade().is_none(), "it is due first");
    }
}
