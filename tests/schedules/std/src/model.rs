//! Time and waiting. A clock stands still while any thread can run.

use std::cell::RefCell;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

use shuttle_engine::current;
use shuttle_engine::current::TaskId;
use shuttle_engine::runtime::execution::ExecutionState;
use shuttle_engine::runtime::thread::switch;

use crate::{chance, processes};

/// Stands for a change of the waiting threads.
const WAITING: usize = usize::MAX;

thread_local! {
    static WORLD: RefCell<World> = RefCell::default();
}

/// State that lasts as long as one execution.
#[derive(Default)]
struct World {
    /// The number of the execution.
    number: u64,
    now: Duration,
    waiting: Vec<Waiting>,
    /// The task that lets time pass, if time passes.
    clock: Option<TaskId>,
    is_over: bool,
    has_no_descriptors: bool,
}

/// A thread that waits.
struct Waiting {
    task: TaskId,
    process: u32,
    /// The objects whose changes it waits for.
    keys: Vec<usize>,
    until: Option<Duration>,
}

fn with<R>(act: impl FnOnce(&mut World) -> R) -> R {
    WORLD.with_borrow_mut(act)
}

fn wake(task: TaskId) {
    ExecutionState::with(|state| state.get_mut(task).unblock());
}

fn block() {
    ExecutionState::with(|state| state.current_mut().block(false));
    switch();
}

/// Runs `act` as one execution. Time stands still: a wait ends because of a
/// change, never because of its limit, so a lost wake-up is a deadlock.
pub fn execution(act: impl FnOnce()) {
    with(|world| *world = World { number: world.number + 1, ..World::default() });
    chance::seed(0);
    processes::clear();
    act();
}

/// Like [`execution`]; when all threads wait, time passes until a limit ends one
/// of these waits, also after `act`.
pub fn execution_in_time(act: impl FnOnce()) {
    execution(|| {
        let clock = shuttle_std::thread::spawn(tick);
        let task = usize::from(clock.thread().id());
        with(|world| world.clock = Some(TaskId::from(task)));
        act();
        with(|world| world.is_over = true);
        with(|world| world.clock).into_iter().for_each(wake);
        clock.join().expect("the clock ends");
    });
}

/// The life of the clock. The scheduler lets it run only if no other thread
/// can.
fn tick() {
    with(|world| world.clock = Some(current::me()));
    loop {
        match with(|world| world.waiting.iter().filter_map(|waiting| waiting.until).min()) {
            Some(next) => advance_to(next),
            None if with(|world| world.is_over) => return,
            None => block(),
        }
        switch();
    }
}

fn advance_to(moment: Duration) {
    let due: Vec<_> = with(|world| {
        world.now = world.now.max(moment);
        let is_due = |it: &&Waiting| it.until.is_some_and(|until| until <= world.now);
        world.waiting.iter().filter(is_due).map(|it| it.task).collect()
    });
    due.into_iter().for_each(wake);
}

/// Lets this much time pass, as a step of the calling thread.
pub fn advance(time: Duration) {
    step();
    advance_to(elapsed() + time);
}

/// The task to run only if no other can.
pub fn clock() -> Option<TaskId> {
    with(|world| world.clock)
}

/// The time since the beginning of the execution. For a crashed process it runs
/// away, so that everything there ends.
pub fn elapsed() -> Duration {
    with(|world| world.now) + processes::after_crash()
}

pub(crate) fn number() -> u64 {
    with(|world| world.number)
}

/// A point at which another thread may run.
pub fn step() {
    if current::try_get_current_task().is_some() {
        switch();
    }
}

/// Waits until `is_ready`, which is asked again after each change of `keys`, for
/// at most `limit`.
pub fn block_until(keys: &[usize], limit: Option<Duration>, mut is_ready: impl FnMut() -> bool) {
    step();
    let until = limit.and_then(|limit| elapsed().checked_add(limit));
    let is_over = || until.is_some_and(|until| elapsed() >= until) || processes::has_crashed();
    while !is_ready() && !is_over() {
        let task = current::me();
        let clock = with(|world| {
            let process = processes::current();
            world.waiting.push(Waiting { task, process, keys: keys.to_vec(), until });
            world.clock.filter(|_| until.is_some())
        });
        clock.into_iter().for_each(wake);
        if !keys.contains(&WAITING) {
            changed(WAITING);
        }
        block();
        with(|world| world.waiting.retain(|waiting| waiting.task != task));
    }
}

/// Wakes the threads that wait for a change of this object.
pub fn changed(key: usize) {
    let woken: Vec<_> = with(|world| {
        let waiting = world.waiting.iter().filter(|waiting| waiting.keys.contains(&key));
        waiting.map(|waiting| waiting.task).collect()
    });
    woken.into_iter().for_each(wake);
}

/// Ends the waits of a process.
pub(crate) fn wake_process(process: u32) {
    let woken: Vec<_> = with(|world| {
        let waiting = world.waiting.iter().filter(|waiting| waiting.process == process);
        waiting.map(|waiting| waiting.task).collect()
    });
    woken.into_iter().for_each(wake);
}

/// From now on, the system has no descriptor left.
pub fn refuse_descriptors() {
    with(|world| world.has_no_descriptors = true);
}

pub fn has_descriptors() -> bool {
    with(|world| !world.has_no_descriptors)
}

/// Waits until `count` threads wait, not counting those that wait here.
pub fn until_waiting(count: usize) {
    block_until(&[WAITING], None, || {
        with(|world| {
            let others = world.waiting.iter().filter(|waiting| !waiting.keys.contains(&WAITING));
            others.count() >= count
        })
    });
}

pub fn sleep(limit: Duration) {
    block_until(&[], Some(limit), || false);
}

/// A moment by the clock of this module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instant(Duration);

/// Room for the past.
const BEFORE: Duration = Duration::from_secs(1_000_000);

impl Instant {
    pub fn now() -> Self {
        Self(BEFORE + elapsed())
    }

    pub fn checked_add(self, time: Duration) -> Option<Self> {
        self.0.checked_add(time).map(Self)
    }

    pub fn checked_sub(self, time: Duration) -> Option<Self> {
        self.0.checked_sub(time).map(Self)
    }

    pub fn saturating_duration_since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    pub fn duration_since(self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }

    pub fn elapsed(self) -> Duration {
        Self::now().saturating_duration_since(self)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self(self.0 + time)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, time: Duration) {
        self.0 += time;
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;

    fn sub(self, time: Duration) -> Self {
        Self(self.0 - time)
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }
}
