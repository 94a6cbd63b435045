//! Threads for calls, separate from libuv's four threads and without a runtime.
//!
//! The pool starts a thread if none is idle, and a thread ends after it has been
//! idle for a while. The thread that became idle last works next, so that the
//! others can end. A process has one pool for all of its JavaScript threads.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use payments_core::CallContext;

/// The most threads. Further calls wait for one.
const MOST_THREADS: usize = 512;
const STACK_BYTES: usize = 512 * 1024;
/// How long an idle thread waits before it ends.
const IDLE_TIME: Duration = Duration::from_secs(5);

/// Work for a thread of the pool.
pub(crate) struct Job {
    /// The context of a call: once it has ended, the work ends at once.
    context: Option<CallContext>,
    work: Box<dyn FnOnce() + Send>,
}

impl Job {
    pub(crate) fn new(context: Option<CallContext>, work: impl FnOnce() + Send + 'static) -> Self {
        Self { context, work: Box::new(work) }
    }

    fn has_ended(&self) -> bool {
        self.context.as_ref().is_some_and(|context| context.ended().is_some())
    }

    /// The time until its deadline.
    fn remaining(&self) -> Duration {
        self.context.as_ref().map_or(Duration::MAX, CallContext::remaining)
    }

    fn run(self) {
        // The work catches and reports its own panics.
        let _ = catch_unwind(AssertUnwindSafe(self.work));
    }
}

struct Pool {
    threads: usize,
    started: u64,
    /// Idle threads, the one that became idle last at the end.
    idle: Vec<(u64, Sender<Job>)>,
    waiting: VecDeque<Job>,
    has_keeper: bool,
}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    threads: 0,
    started: 0,
    idle: Vec::new(),
    waiting: VecDeque::new(),
    has_keeper: false,
});

/// Wakes the thread that watches the queue.
static QUEUE: Condvar = Condvar::new();

/// Ends the calls in the queue that no longer need a thread.
pub(crate) fn look_at_queue() {
    let _pool = pool();
    QUEUE.notify_one();
}

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a job on a thread of the pool, and returns the job if the system cannot
/// start a thread.
pub(crate) fn run(mut job: Job) -> Result<(), Job> {
    let mut pool = pool();
    while let Some((_, thread)) = pool.idle.pop() {
        match thread.send(job) {
            Ok(()) => return Ok(()),
            Err(unsent) => job = unsent.0,
        }
    }
    if pool.threads < MOST_THREADS {
        let id = pool.started;
        let (sender, jobs) = channel();
        let thread = std::thread::Builder::new()
            .name(format!("payments-{id}"))
            .stack_size(STACK_BYTES)
            .spawn({
                let sender = sender.clone();
                move || work(id, &sender, &jobs)
            });
        if thread.is_ok() {
            pool.threads += 1;
            pool.started += 1;
            // The receiver is in the thread that just started.
            return sender.send(job).map_err(|unsent| unsent.0);
        }
        if pool.threads == 0 {
            return Err(job);
        }
    }
    pool.waiting.push_back(job);
    if !pool.has_keeper {
        let keeper = std::thread::Builder::new().name("payments-queue".to_owned());
        pool.has_keeper = keeper.stack_size(STACK_BYTES).spawn(keep_queue).is_ok();
    }
    QUEUE.notify_one();
    Ok(())
}

/// The loop of a thread.
fn work(id: u64, sender: &Sender<Job>, jobs: &Receiver<Job>) {
    loop {
        let job = match jobs.recv_timeout(IDLE_TIME) {
            Ok(job) => job,
            Err(_) => {
                let mut pool = pool();
                if let Some(place) = pool.idle.iter().position(|(idle, _)| *idle == id) {
                    pool.idle.remove(place);
                    pool.threads -= 1;
                    return;
                }
                drop(pool);
                // This thread has just been assigned a job.
                match jobs.recv() {
                    Ok(job) => job,
                    Err(_) => return,
                }
            }
        };
        job.run();
        loop {
            let mut pool = pool();
            let Some(job) = pool.waiting.pop_front() else {
                pool.idle.push((id, sender.clone()));
                break;
            };
            if pool.waiting.is_empty() && pool.has_keeper {
                QUEUE.notify_one();
            }
            drop(pool);
            job.run();
        }
    }
}

/// Ends calls that are cancelled, or whose deadline passes, while they wait for a
/// thread. It runs as long as calls wait.
fn keep_queue() {
    let mut pool = pool();
    while let Some(next) = pool.waiting.iter().map(Job::remaining).min() {
        let waiting = std::mem::take(&mut pool.waiting);
        let (ended, waiting) = waiting.into_iter().partition(Job::has_ended);
        pool.waiting = waiting;
        let ended: VecDeque<Job> = ended;
        if ended.is_empty() {
            pool = QUEUE.wait_timeout(pool, next).unwrap_or_else(PoisonError::into_inner).0;
        } else {
            drop(pool);
            ended.into_iter().for_each(Job::run);
            pool = self::pool();
        }
    }
    pool.has_keeper = false;
}
