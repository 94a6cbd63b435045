//! Runs stages in sequence or in parallel, and times them.

use std::fs::{self, File};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Failure, sh};

/// A stage: its name and its command lines, whose words have no spaces.
#[derive(Clone, Copy)]
pub(crate) struct Stage {
    pub name: &'static str,
    pub lines: &'static [&'static str],
}

/// Tells `scripts/build.sh` that everything is built, which then takes no lock of a
/// build folder in which a stage compiles.
const IS_BUILT: (&str, &str) = ("PAYMENTS_IS_BUILT", "1");

/// The times and failures of the stages that ran.
#[derive(Default)]
struct Table {
    rows: Vec<(&'static str, Duration)>,
    failures: Vec<Failure>,
    /// The failed stages, with the files that hold their output.
    logs: Vec<(&'static str, PathBuf)>,
}

/// Runs stages in sequence until one fails, and prints a table of their times.
pub(crate) fn run(stages: &[Stage]) -> Result<(), Failure> {
    let started = Instant::now();
    let mut table = Table::default();
    for stage in stages {
        println!("\n######## {} ########", stage.name);
        table.time(stage, || stage.run(false, None));
        if !table.failures.is_empty() {
            break;
        }
    }
    table.finish(started)
}

/// Runs groups of stages, each group after the previous one passed. The stages
/// of a group run in parallel, two more than there are cores, since many of
/// them wait. Each writes to its own file; failed output is printed last,
/// where a truncated log still has it. The last group finds everything built.
pub(crate) fn run_side_by_side(groups: &[&[Stage]]) -> Result<(), Failure> {
    let started = Instant::now();
    let logs = sh::target().join("stage-logs");
    sh::empty_folder(&logs)?;
    let table = Mutex::new(Table::default());
    for (index, group) in groups.iter().enumerate() {
        let is_built = index + 1 == groups.len();
        run_group(group, is_built, &logs, started, &table);
        if !lock(&table).failures.is_empty() {
            break;
        }
    }
    let table = table.into_inner().unwrap_or_else(PoisonError::into_inner);
    table.finish(started)
}

fn run_group(group: &[Stage], is_built: bool, logs: &Path, started: Instant, table: &Mutex<Table>) {
    let waiting = Mutex::new(group.iter());
    let next = || lock(&waiting).next();
    let work = || {
        while let Some(stage) = next() {
            println!("at {}: {} starts", seconds(started.elapsed()), stage.name);
            let log = logs.join(format!("{}.log", stage.name.replace([' ', ':'], "-")));
            let began = Instant::now();
            let result = stage.run(is_built, Some(&log));
            let end = if result.is_ok() { "passed" } else { "FAILED" };
            println!("at {}: {} {end}", seconds(started.elapsed()), stage.name);
            lock(table).add(stage, began.elapsed(), result, Some(log));
        }
    };
    let lanes = 2 + cores();
    thread::scope(|scope| {
        for _ in 0..lanes {
            scope.spawn(work);
        }
    });
}

impl Stage {
    /// Runs the command lines; output goes to this program's or to a file.
    fn run(&self, is_built: bool, log: Option<&Path>) -> Result<(), Failure> {
        let file = log.map(create).transpose()?;
        for line in self.lines {
            let mut command = sh::command(&sh::words(line));
            command.envs(is_built.then_some(IS_BUILT));
            match &file {
                Some(file) => {
                    let copy = || file.try_clone().map_err(|error| error.to_string());
                    command.stdout(copy()?).stderr(copy()?);
                }
                // Alone on the machine, and most tests wait.
                None => _ = command.env("RUST_TEST_THREADS", (6 * cores()).to_string()),
            }
            sh::succeed(command)?;
        }
        Ok(())
    }
}

impl Table {
    fn time(&mut self, stage: &Stage, work: impl FnOnce() -> Result<(), Failure>) {
        let began = Instant::now();
        let result = work();
        println!("{}: {}", stage.name, seconds(began.elapsed()));
        self.add(stage, began.elapsed(), result, None);
    }

    fn add(
        &mut self,
        stage: &Stage,
        took: Duration,
        result: Result<(), Failure>,
        log: Option<PathBuf>,
    ) {
        self.rows.push((stage.name, took));
        if let Err(failure) = result {
            self.failures.push(format!("{} failed: {failure}", stage.name));
            self.logs.extend(log.map(|log| (stage.name, log)));
        }
    }

    fn finish(self, started: Instant) -> Result<(), Failure> {
        println!("\n{:<28}{:>10}", "stage", "time");
        for (name, took) in &self.rows {
            println!("{name:<28}{:>10}", seconds(*took));
        }
        println!("{:<28}{:>10}", "in all", seconds(started.elapsed()));
        for (name, log) in &self.logs {
            println!("\n######## {name} ########");
            println!("{}", fs::read_to_string(log).unwrap_or_default());
        }
        if self.failures.is_empty() { Ok(()) } else { Err(self.failures.join("\n")) }
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

fn create(log: &Path) -> Result<File, Failure> {
    File::create(log).map_err(|error| format!("{}: {error}", log.display()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
