//! Threads on which the calls of an event loop run.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use payments_base::process::{Identity, PerProcess, lock};
use payments_core::CallContext;

/// How long an idle thread waits for another call before it ends.
const IDLE: Duration = Duration::from_secs(5);

/// Threads for calls, so that a slow service does not occupy those of the event
/// loop.
///
/// There is one for each call in flight, up to [`MOST`](Self::MOST); further
/// calls wait for a thread. The thread that became idle last works next, so
/// that the others can end. A forked child has its own threads.
pub struct CallThreads {
    name: &'static str,
    stack_bytes: usize,
    /// How many calls run at once.
    pub(crate) most: usize,
    pool: PerProcess<Pool>,
}

/// A call, or other work.
struct Job {
    /// Once it has ended, the work ends at once.
    context: Option<CallContext>,
    work: Box<dyn FnOnce() + Send>,
}

#[derive(Default)]
struct Pool {
    state: Mutex<PoolState>,
    watcher: Wake,
}

/// Wakes the thread that watches the queue. It has its own lock, so that
/// cancelling a call never waits for that thread's scan of the queue.
#[derive(Default)]
struct Wake {
    is_due: Mutex<bool>,
    called: Condvar,
}

impl Wake {
    fn call(&self) {
        *lock(&self.is_due) = true;
        self.called.notify_one();
    }

    /// Waits for a call, at most for `limit`.
    fn wait(&self, limit: Duration) {
        let is_due = lock(&self.is_due);
        let waited = self.called.wait_timeout_while(is_due, limit, |is_due| !*is_due);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }
}

#[derive(Default)]
struct PoolState {
    threads: usize,
    started: u64,
    /// Idle threads, the one that became idle last at the end.
    idle: Vec<(u64, Sender<Job>)>,
    waiting: VecDeque<Job>,
    has_watcher: bool,
    /// When the watcher looks at the queue next, while it waits.
    next_look: Option<Instant>,
}

impl CallThreads {
    /// The most calls that run at once.
    pub const MOST: usize = 512;

    /// Threads with this stack, whose names begin with `name`. None is started yet.
    pub fn new(name: &'static str, stack_bytes: usize) -> Self {
        let pool = PerProcess::new(Pool::default(), |_| Pool::default());
        Self { name, stack_bytes, most: Self::MOST, pool }
    }

    /// Runs `work` on a thread, or queues it until one is free. Work in the
    /// queue whose `context` ends runs at once, on a thread that runs only such
    /// work. A panic of `work` is dropped.
    ///
    /// # Errors
    /// The system cannot start a thread, and none exists.
    pub fn run(
        &self,
        context: Option<CallContext>,
        work: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let pool = self.pool.get();
        let mut job = Job { context, work: Box::new(work) };
        let mut state = lock(&pool.state);
        while let Some((_, thread)) = state.idle.pop() {
            match thread.send(job) {
                Ok(()) => return Ok(()),
                Err(unsent) => job = unsent.0,
            }
        }
        if state.threads < self.most {
            let (id, (sender, jobs)) = (state.started, channel());
            let started = self.start(&pool, &format!("{}-{id}", self.name), {
                let sender = sender.clone();
                move |pool| pool.serve(id, &sender, &jobs)
            });
            match started {
                Ok(()) => {
                    state.threads += 1;
                    state.started += 1;
                    let ended = |_| io::Error::other("the thread that was started has ended");
                    return sender.send(job).map_err(ended);
                }
                Err(error) if state.threads == 0 => return Err(error),
                // One of the others runs it.
                Err(_) => {}
            }
        }
        // A look costs as much as the queue is long.
        if state.next_look.is_none_or(|at| job.has_ended() || job.ends_before(at)) {
            pool.watcher.call();
        }
        state.waiting.push_back(job);
        if !state.has_watcher {
            let name = format!("{}-queue", self.name);
            state.has_watcher = self.start(&pool, &name, |pool| pool.watch_queue()).is_ok();
        }
        Ok(())
    }

    /// Runs the work in the queue whose context has ended. Call it after you
    /// have cancelled a context; it costs the same however long the queue is.
    pub fn look_at_queue(&self) {
        self.pool.get().watcher.call();
    }

    fn start(
        &self,
        pool: &Arc<Pool>,
        name: &str,
        life: impl FnOnce(&Pool) + Send + 'static,
    ) -> io::Result<()> {
        let pool = Arc::clone(pool);
        let thread = Builder::new().name(name.to_owned()).stack_size(self.stack_bytes);
        thread.spawn(move || life(&pool)).map(drop)
    }
}

impl Job {
    fn has_ended(&self) -> bool {
        self.context.as_ref().is_some_and(|context| context.ended().is_some())
    }

    /// The time until its deadline.
    fn remaining(&self) -> Duration {
        self.context.as_ref().map_or(Duration::MAX, CallContext::remaining)
    }

    fn ends_before(&self, at: Instant) -> bool {
        self.remaining() < at.saturating_duration_since(Instant::now())
    }

    /// Returns `false` in a process that the work forked: nothing there serves the
    /// calls of its parent.
    fn run(self) -> bool {
        let process = Identity::current();
        // The work reports its own panics.
        let _ = catch_unwind(AssertUnwindSafe(self.work));
        process.is_current()
    }
}

impl Pool {
    /// The life of a thread.
    fn serve(&self, id: u64, sender: &Sender<Job>, jobs: &Receiver<Job>) {
        while let Some(job) = jobs.recv_timeout(IDLE).ok().or_else(|| self.leave(id, jobs)) {
            let mut next = Some(job);
            while let Some(job) = next {
                if !job.run() {
                    return;
                }
                next = self.next(id, sender);
            }
        }
    }

    /// Takes the thread from the idle ones, so that it can end, or returns the
    /// job that it has just been given.
    fn leave(&self, id: u64, jobs: &Receiver<Job>) -> Option<Job> {
        let mut state = lock(&self.state);
        let Some(place) = state.idle.iter().position(|(idle, _)| *idle == id) else {
            drop(state);
            return jobs.recv().ok();
        };
        state.idle.remove(place);
        state.threads -= 1;
        None
    }

    /// The next job of the queue. If there is none, the thread becomes idle.
    fn next(&self, id: u64, sender: &Sender<Job>) -> Option<Job> {
        let mut state = lock(&self.state);
        let job = state.waiting.pop_front();
        if job.is_none() {
            state.idle.push((id, sender.clone()));
        } else if state.waiting.is_empty() {
            self.watcher.call();
        }
        job
    }

    /// Ends the calls that are cancelled, or whose deadline passes, while they
    /// wait for a thread. It runs as long as calls wait.
    fn watch_queue(&self) {
        let mut state: MutexGuard<'_, PoolState> = lock(&self.state);
        while let Some(next) = state.waiting.iter().map(Job::remaining).min() {
            let jobs = std::mem::take(&mut state.waiting);
            let (ended, waiting): (VecDeque<_>, _) = jobs.into_iter().partition(Job::has_ended);
            state.waiting = waiting;
            state.next_look = Instant::now().checked_add(next).filter(|_| ended.is_empty());
            drop(state);
            if ended.is_empty() {
                self.watcher.wait(next);
            } else if !ended.into_iter().all(Job::run) {
                return;
            }
            state = lock(&self.state);
        }
        state.has_watcher = false;
        state.next_look = None;
    }
}

#[cfg(test)]
mod tests {
    use payments_core::context::CancelHandle;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// Threads that are all busy until the sender is dropped.
    fn busy_threads() -> (CallThreads, Sender<()>) {
        let threads = CallThreads::new("test", 64 * 1024);
        let (free, held) = channel::<()>();
        let held = Arc::new(Mutex::new(held));
        for _ in 0..CallThreads::MOST {
            let held = Arc::clone(&held);
            threads.run(None, move || assert!(lock(&held).recv().is_err())).unwrap();
        }
        (threads, free)
    }

    #[test]
    fn cancelled_calls_of_the_queue_end_and_the_others_wait() {
        let (threads, free) = busy_threads();
        let (ended, ends) = channel();
        let calls: Vec<_> = (0..1000)
            .map(|number| {
                let (cancel, ended) = (CancelHandle::new(), ended.clone());
                let context = CallContext::new(LONG, cancel.clone(), None);
                threads.run(Some(context), move || ended.send(number).unwrap()).unwrap();
                cancel
            })
            .collect();
        for cancel in calls.iter().step_by(2) {
            cancel.cancel();
            threads.look_at_queue();
        }
        let mut all: Vec<_> = (0..500).map(|_| ends.recv_timeout(LONG).unwrap()).collect();
        all.sort_unstable();
        assert_eq!(all, Vec::from_iter((0..1000).step_by(2)));
        assert!(ends.try_recv().is_err());
        drop(free);
        let mut rest: Vec<_> = (0..500).map(|_| ends.recv_timeout(LONG).unwrap()).collect();
        rest.sort_unstable();
        assert_eq!(rest, Vec::from_iter((1..1000).step_by(2)));
    }

    #[test]
    fn the_queue_is_scanned_again_only_for_an_earlier_end() {
        let (threads, _free) = busy_threads();
        let (pool, (ended, ends)) = (threads.pool.get(), channel());
        let queue = |limit: Duration| {
            let (ended, context) = (ended.clone(), CallContext::with_timeout(limit));
            threads.run(Some(context), move || ended.send(limit).unwrap()).unwrap();
        };
        queue(LONG);
        while lock(&pool.state).next_look.is_none() || *lock(&pool.watcher.is_due) {
            std::thread::yield_now();
        }
        queue(LONG * 2);
        assert!(!*lock(&pool.watcher.is_due));
        let soon = Duration::from_millis(20);
        queue(soon);
        assert_eq!(ends.recv_timeout(LONG / 2), Ok(soon));
    }

    #[test]
    fn cancelling_does_not_wait_for_a_scan_of_the_queue() {
        let threads = Arc::new(CallThreads::new("test", 64 * 1024));
        let (pool, (sender, receiver)) = (threads.pool.get(), channel());
        let looking = lock(&pool.state);
        let canceller = Arc::clone(&threads);
        let other = std::thread::spawn(move || {
            canceller.look_at_queue();
            sender.send(()).unwrap();
        });
        receiver.recv_timeout(LONG).unwrap();
        drop(looking);
        other.join().unwrap();
    }
}
