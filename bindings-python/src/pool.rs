//! The threads on which calls of `AsyncClient` run.
//!
//! They are this package's own, so that a slow service takes no thread from
//! the event loop's executor. There are as many as calls in flight, up to
//! [`MOST_THREADS`]; further calls wait for their turn.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwapOption;

/// How many calls run at once.
pub(crate) const MOST_THREADS: usize = 512;

/// How long a thread waits for another call before it ends.
const IDLE: Duration = Duration::from_secs(10);

/// Untouched memory of a stack costs nothing; callbacks are Python code.
const STACK_BYTES: usize = 1024 * 1024;

/// How often waiting calls are asked whether they ended.
const QUEUE_SLICE: Duration = Duration::from_millis(50);

/// Something to run on a thread.
pub(crate) trait Job: Send + Sync {
    fn run(&self);

    /// Whether there is nothing left to wait for: run then, it ends at once.
    fn has_ended(&self) -> bool;
}

struct Pool {
    /// A forked child has none of its parent's threads.
    process: u32,
    state: Mutex<State>,
    ready: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Arc<dyn Job>>,
    idle: usize,
    threads: usize,
    has_keeper: bool,
}

static POOL: ArcSwapOption<Pool> = ArcSwapOption::const_empty();

/// Runs `job` on a thread of its own, or when one is free.
pub(crate) fn submit(job: Arc<dyn Job>) -> std::io::Result<()> {
    let pool = pool_of_this_process();
    let mut state = pool.lock();
    state.jobs.push_back(job);
    let mut waits = state.idle < state.jobs.len();
    if waits && state.threads < MOST_THREADS {
        match pool.spawn(Pool::serve) {
            Ok(()) => {
                state.threads += 1;
                waits = false;
            }
            // The threads that are there come to it in turn.
            Err(_) if state.threads > 0 => {}
            Err(error) => {
                state.jobs.pop_back();
                return Err(error);
            }
        }
    }
    if waits && !state.has_keeper {
        state.has_keeper = pool.spawn(Pool::keep_queue).is_ok();
    }
    drop(state);
    pool.ready.notify_one();
    Ok(())
}

fn pool_of_this_process() -> Arc<Pool> {
    let process = std::process::id();
    let current = POOL.load();
    if let Some(pool) = current.as_ref().filter(|pool| pool.process == process) {
        return Arc::clone(pool);
    }
    let made = Arc::new(Pool { process, state: Mutex::default(), ready: Condvar::new() });
    let before = POOL.compare_and_swap(&*current, Some(Arc::clone(&made)));
    match before.as_ref().filter(|pool| pool.process == process) {
        // Another thread was quicker.
        Some(pool) => Arc::clone(pool),
        None => {
            // The parent's pool may be locked by a thread that is not here:
            // it is never touched again.
            if let Some(inherited) = current.as_ref() {
                std::mem::forget(Arc::clone(inherited));
            }
            made
        }
    }
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spawn(self: &Arc<Self>, life: fn(&Self)) -> std::io::Result<()> {
        let pool = Arc::clone(self);
        let thread = std::thread::Builder::new().name("libpayments".to_owned());
        thread.stack_size(STACK_BYTES).spawn(move || life(&pool)).map(drop)
    }

    fn serve(&self) {
        while let Some(job) = self.next() {
            run(&*job);
        }
    }

    /// Ends calls whose deadline passed while they waited for a thread. It
    /// lives as long as calls wait.
    fn keep_queue(&self) {
        loop {
            std::thread::sleep(QUEUE_SLICE);
            let mut state = self.lock();
            if state.jobs.is_empty() {
                state.has_keeper = false;
                return;
            }
            let jobs = std::mem::take(&mut state.jobs).into_iter();
            let (ended, waiting): (VecDeque<_>, _) = jobs.partition(|job| job.has_ended());
            state.jobs = waiting;
            drop(state);
            ended.iter().for_each(|job| run(&**job));
        }
    }

    /// The next job; `None` when there was none for a while, and the thread
    /// is no longer counted.
    fn next(&self) -> Option<Arc<dyn Job>> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            state.idle += 1;
            let waited = self.ready.wait_timeout(state, IDLE);
            let (after, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = after;
            state.idle -= 1;
            if timeout.timed_out() && state.jobs.is_empty() {
                state.threads -= 1;
                return None;
            }
        }
    }
}

fn run(job: &dyn Job) {
    // A job tells of its own panics.
    let _ = catch_unwind(AssertUnwindSafe(|| job.run()));
}
