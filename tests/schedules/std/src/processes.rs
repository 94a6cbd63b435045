//! The processes of an execution. A thread belongs to that of the thread which made
//! it. Each has its own statics and wall clock. One that has crashed continues
//! without effects: its waits end at once, and its deadlines are over.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use shuttle_engine::current::{get_label_for_task, me, set_label_for_task, try_get_current_task};

use crate::model;

thread_local! {
    static PROCESSES: RefCell<BTreeMap<u32, Process>> = RefCell::default();
}

/// By how much the time of a crashed process advances at each look.
const AFTER_CRASH: Duration = Duration::from_secs(86_400);

#[derive(Default)]
struct Process {
    /// How far its wall clock is ahead, in milliseconds.
    ahead: i64,
    after_crash: Option<Duration>,
}

/// The label of a task.
#[derive(Clone, Debug)]
struct Id(u32);

fn with<R>(process: u32, act: impl FnOnce(&mut Process) -> R) -> R {
    PROCESSES.with_borrow_mut(|all| act(all.entry(process).or_default()))
}

pub(crate) fn clear() {
    PROCESSES.with_borrow_mut(BTreeMap::clear);
}

/// From now on, the calling thread belongs to this process.
pub fn enter(process: u32) {
    set_label_for_task(me(), Id(process));
}

/// The process of the calling thread; 0 unless it has entered one.
pub fn current() -> u32 {
    let label = try_get_current_task().and_then(get_label_for_task::<Id>);
    label.map_or(0, |Id(process)| process)
}

/// Ends a process.
pub fn crash(process: u32) {
    with(process, |it| it.after_crash = Some(Duration::ZERO));
    model::wake_process(process);
}

pub fn has_crashed() -> bool {
    let process = current();
    process != 0 && with(process, |it| it.after_crash.is_some())
}

pub(crate) fn after_crash() -> Duration {
    let process = current();
    if process == 0 {
        return Duration::ZERO;
    }
    with(process, |it| {
        let passed = it.after_crash.as_mut();
        passed.map_or(Duration::ZERO, |passed| {
            *passed += AFTER_CRASH;
            *passed
        })
    })
}

/// Sets the wall clock of a process, by milliseconds from the true time.
pub fn set_wall_clock(process: u32, ahead: i64) {
    with(process, |it| it.ahead = ahead);
}

pub(crate) fn wall_clock_ahead() -> i64 {
    let process = current();
    if process == 0 { 0 } else { with(process, |it| it.ahead) }
}
