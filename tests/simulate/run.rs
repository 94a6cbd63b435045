//! One run of a plan, and its scheduler.

use std::collections::BTreeMap;
use std::model;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use shuttle_engine::current::TaskId;
use shuttle_engine::runtime::task::Task;
use shuttle_engine::scheduler::{Schedule, Scheduler};
use shuttle_engine::{Config, FailurePersistence, MaxSteps, Runner};

use crate::actors;
use crate::plan::{DAY, MINUTE, Plan};
use crate::world::World;

/// The result of a run.
#[derive(Default)]
pub struct Ended {
    pub broken: Option<String>,
    pub trace: Vec<String>,
    pub counts: BTreeMap<&'static str, u64>,
}

/// Runs a plan.
pub fn run(plan: &Plan, is_traced: bool) -> Ended {
    let ended = Arc::new(std::original::sync::Mutex::new(Ended::default()));
    let (plan, result) = (plan.clone(), Arc::clone(&ended));
    let mut config = Config::new();
    config.stack_size = 1024 * 1024;
    config.max_steps = MaxSteps::None;
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    let scheduler = MostlyOn { seed: plan.seed, has_run: false };
    let runner = Runner::new(scheduler, config);
    let ran = catch_unwind(AssertUnwindSafe(|| {
        runner.run(move || {
            model::execution_in_time(|| {
                std::chance::seed(plan.seed.wrapping_add(1));
                *result.lock().expect("nobody panics with it") = live(&plan, is_traced);
            });
        })
    }));
    let mut ended = std::mem::take(&mut *ended.lock().expect("nobody panics with it"));
    if ran.is_err() {
        ended.broken.get_or_insert("a thread panicked, or all wait for each other".to_owned());
    }
    ended
}

/// The life of a merchant: a day, and at most two quiet ones.
fn live(plan: &Plan, is_traced: bool) -> Ended {
    let folder =
        PathBuf::from(format!("/dev/shm/payments-simulate-{}", std::original::process::id()));
    std::fs::create_dir_all(&folder).expect("memory has room");
    let world = Arc::new(World::new(plan.clone(), folder.clone(), is_traced));
    let processes = actors::start(&world);
    model::sleep(DAY);
    let unsettled = loop {
        model::sleep(10 * MINUTE);
        let unsettled = world.with(|state| {
            state.settle();
            if state.broken.is_some() { None } else { state.unsettled() }
        });
        if unsettled.is_none() || model::elapsed() > 3 * DAY {
            break unsettled;
        }
    };
    world.with(|state| {
        match unsettled {
            Some(unsettled) => state.broken(format!("after two quiet days, {unsettled}")),
            None => state.compare(),
        }
        state.is_over = true;
    });
    for process in processes {
        process.join().expect("a process ends");
    }
    let _ = std::fs::remove_dir_all(folder);
    world.with(|state| Ended {
        broken: state.broken.take(),
        trace: state.trace.take().unwrap_or_default(),
        counts: std::mem::take(&mut state.counts),
    })
}

/// Mostly lets a thread continue, for speed; the clock runs if no other thread can.
struct MostlyOn {
    seed: u64,
    has_run: bool,
}

impl Scheduler for MostlyOn {
    fn new_execution(&mut self) -> Option<Schedule> {
        let is_first = !std::mem::replace(&mut self.has_run, true);
        is_first.then(|| Schedule::new(self.seed))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let clock = model::clock();
        let goes_on = current.filter(|current| {
            let can = runnable.iter().any(|task| task.id() == *current);
            can && !is_yielding && Some(*current) != clock
        });
        if goes_on.is_some() && std::chance::next() % 64 > 0 {
            return goes_on;
        }
        let others: Vec<_> =
            runnable.iter().map(|task| task.id()).filter(|id| Some(*id) != clock).collect();
        match others.len() {
            0 => clock,
            count => Some(others[(std::chance::next() % count as u64) as usize]),
        }
    }

    fn next_u64(&mut self) -> u64 {
        std::chance::next()
    }
}
