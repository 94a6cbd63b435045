//! The schedules to try.

use std::model;

use shuttle_engine::current::TaskId;
use shuttle_engine::runtime::task::Task;
use shuttle_engine::scheduler::{Schedule, Scheduler};

/// A scheduler that lets the clock run only if no other thread can.
pub struct ClockLast<S>(pub S);

impl<S: Scheduler> Scheduler for ClockLast<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        self.0.new_execution()
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let clock = model::clock();
        let others: Vec<&Task> =
            runnable.iter().copied().filter(|task| Some(task.id()) != clock).collect();
        self.0.next_task(if others.is_empty() { runnable } else { &others }, current, is_yielding)
    }

    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// Every schedule in which at most this many threads are interrupted. The thread
/// that runs after one that waits or ends is not bounded.
#[derive(Default)]
pub struct EverySchedule {
    interruptions: usize,
    most_schedules: usize,
    schedules: usize,
    /// The decisions of this schedule: the threads that can run, and the place
    /// of the one that does.
    decisions: Vec<(Vec<TaskId>, usize)>,
    step: usize,
    interrupted: usize,
}

impl EverySchedule {
    pub fn new(interruptions: usize, most_schedules: usize) -> Self {
        Self { interruptions, most_schedules, ..Self::default() }
    }
}

impl Scheduler for EverySchedule {
    fn new_execution(&mut self) -> Option<Schedule> {
        if self.schedules > 0 {
            let is_last = |(choices, place): &(Vec<TaskId>, usize)| place + 1 == choices.len();
            while self.decisions.last().is_some_and(is_last) {
                self.decisions.pop();
            }
            self.decisions.last_mut()?.1 += 1;
        }
        assert!(self.schedules < self.most_schedules, "more schedules than can be tried");
        (self.schedules, self.step, self.interrupted) = (self.schedules + 1, 0, 0);
        Some(Schedule::new(0))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let mut choices: Vec<_> = runnable.iter().map(|task| task.id()).collect();
        let continuing = current.filter(|current| choices.contains(current) && !is_yielding);
        if let Some(current) = continuing {
            choices.retain(|task| *task != current);
            choices.insert(0, current);
            if self.interrupted == self.interruptions {
                choices.truncate(1);
            }
        } else if choices.len() > 1 {
            choices.retain(|task| Some(*task) != current);
        }
        match self.decisions.get(self.step) {
            Some((known, _)) => assert_eq!(*known, choices, "the check does not repeat itself"),
            None => self.decisions.push((choices, 0)),
        }
        let (choices, place) = &self.decisions[self.step];
        let chosen = choices[*place];
        self.step += 1;
        if continuing.is_some_and(|current| current != chosen) {
            self.interrupted += 1;
        }
        Some(chosen)
    }

    fn next_u64(&mut self) -> u64 {
        0
    }
}
