//! The threads on which calls of `AsyncClient` run.
//!
//! The package has its own threads, so that a slow service does not occupy those
//! of the event loop's executor. There is one for each call in flight, up to
//! [`MOST_THREADS`]; further calls wait for a thread.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use payments_core::PerProcess;

/// The most calls that run at once.
pub(crate) const MOST_THREADS: usize = 512;

/// How long an idle thread waits for another call before it ends.
const IDLE: Duration = Duration::from_secs(10);

/// Callbacks are Python code and need a large stack. Untouched pages cost nothing.
const STACK_BYTES: usize = 1024 * 1024;

/// Work for a thread.
pub(crate) trait PoolJob: Send + Sync {
    fn run(&self);

    /// Whether its call has ended. If so, `run` returns at once.
    fn has_ended(&self) -> bool;

    /// The time until its deadline.
    fn remaining(&self) -> Duration;
}

#[derive(Default)]
struct ThreadPool {
    state: Mutex<PoolState>,
    ready: Condvar,
    /// Wakes the thread that watches the queue.
    queue: Condvar,
}

#[derive(Default)]
struct PoolState {
    jobs: VecDeque<Arc<dyn PoolJob>>,
    idle: usize,
    threads: usize,
    has_keeper: bool,
}

/// A forked child has none of its parent's threads.
static POOL: LazyLock<PerProcess<ThreadPool>> =
    LazyLock::new(|| PerProcess::new(ThreadPool::default(), |_| ThreadPool::default()));

/// Initializes state that must not be initialized while another thread forks.
pub(crate) fn prepare() {
    LazyLock::force(&POOL);
}

/// Ends the calls in the queue that no longer need a thread.
pub(crate) fn look_at_queue() {
    let pool = POOL.get();
    let _state = pool.lock();
    pool.queue.notify_one();
}

/// Runs `job` on a thread, or queues it until one is free.
pub(crate) fn submit(job: Arc<dyn PoolJob>) -> std::io::Result<()> {
    let pool = POOL.get();
    let mut state = pool.lock();
    state.jobs.push_back(job);
    let mut waits = state.idle < state.jobs.len();
    if waits && state.threads < MOST_THREADS {
        match pool.spawn(ThreadPool::serve) {
            Ok(()) => {
                state.threads += 1;
                waits = false;
            }
            // The existing threads will run it.
            Err(_) if state.threads > 0 => {}
            Err(error) => {
                state.jobs.pop_back();
                return Err(error);
            }
        }
    }
    if waits && !state.has_keeper {
        state.has_keeper = pool.spawn(ThreadPool::keep_queue).is_ok();
    }
    if waits {
        pool.queue.notify_one();
    }
    drop(state);
    pool.ready.notify_one();
    Ok(())
}

impl ThreadPool {
    fn lock(&self) -> MutexGuard<'_, PoolState> {
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

    /// Ends calls whose deadline passes while they wait for a thread. It runs as
    /// long as calls wait.
    fn keep_queue(&self) {
        let mut state = self.lock();
        while let Some(next) = state.jobs.iter().map(|job| job.remaining()).min() {
            let jobs = std::mem::take(&mut state.jobs).into_iter();
            let (ended, waiting): (VecDeque<_>, _) = jobs.partition(|job| job.has_ended());
            state.jobs = waiting;
            if ended.is_empty() {
                let waited = self.queue.wait_timeout(state, next);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            } else {
                drop(state);
                ended.iter().for_each(|job| run(&**job));
                state = self.lock();
            }
        }
        state.has_keeper = false;
    }

    /// The next job, or `None` if there was none for a while. Then the thread is
    /// no longer counted.
    fn next(&self) -> Option<Arc<dyn PoolJob>> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                if state.jobs.is_empty() && state.has_keeper {
                    self.queue.notify_one();
                }
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

fn run(job: &dyn PoolJob) {
    // A job reports its own panics.
    let _ = catch_unwind(AssertUnwindSafe(|| job.run()));
}
