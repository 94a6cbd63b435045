//! Runs checks, and one schedule of a check again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::exit;

use payments_core::schedules::Check;
use shuttle_engine::scheduler::Scheduler;
use shuttle_engine::{Config, FailurePersistence, MaxSteps, Runner};
use shuttle_schedulers::{PctScheduler, RandomScheduler, ReplayScheduler};

use crate::search::{ClockLast, EverySchedule};

const USAGE: &str = "\
usage: payments-schedules [OPTION]... [PART OF A NAME]
  --quick           fewer interruptions, and 500 random schedules
  --random COUNT    random schedules of each check (100000)
  --seed NUMBER     of the random schedules
  --replay FILE     run one schedule that failed, with the name of its check";

/// More would be a search that does not end.
const MOST_SCHEDULES: usize = 20_000_000;
/// How many interruptions a schedule of the second random kind has.
const DEPTH: usize = 4;

struct Options {
    is_quick: bool,
    random: Option<usize>,
    seed: u64,
    replay: Option<PathBuf>,
    name: String,
}

impl Options {
    fn read(arguments: &[String]) -> Option<Self> {
        let seed =
            std::original::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |now| now.as_secs());
        let mut options =
            Self { is_quick: false, random: None, seed, replay: None, name: String::new() };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => options.is_quick = true,
                "--random" => options.random = Some(arguments.next()?.parse().ok()?),
                "--seed" => options.seed = arguments.next()?.parse().ok()?,
                "--replay" => options.replay = Some(arguments.next()?.into()),
                name if !name.starts_with("--") => options.name = name.to_owned(),
                _ => return None,
            }
        }
        Some(options)
    }
}

pub fn run(arguments: &[String]) {
    let Some(options) = Options::read(arguments) else {
        eprintln!("{USAGE}");
        exit(2);
    };
    let all = payments_core::schedules::CHECKS.iter().chain(payments_host::schedules::CHECKS);
    let chosen: Vec<_> = all.filter(|it| it.name.contains(&options.name)).collect();
    if chosen.is_empty() || (options.replay.is_some() && chosen.len() > 1) {
        eprintln!("{} checks have \"{}\" in their name", chosen.len(), options.name);
        exit(2);
    }
    for check in chosen {
        let said = catch_unwind(AssertUnwindSafe(|| options.run(check))).unwrap_or_else(|_| {
            eprintln!(
                "\n\"{}\" FAILED (seed {}); to run that schedule again, pass the file named \
                 above:\n  make schedules ARGUMENTS='--replay FILE \"{}\"'",
                check.name, options.seed, check.name
            );
            exit(1);
        });
        println!("{}: {said}", check.name);
    }
}

impl Options {
    fn run(&self, check: &Check) -> String {
        if let Some(file) = &self.replay {
            let mut replayed = ReplayScheduler::new_from_file(file).expect("a schedule");
            replayed.set_allow_incomplete();
            search(replayed, check);
            return "this schedule passes".to_owned();
        }
        let interruptions = check.interruptions[usize::from(!self.is_quick)];
        let every = search(EverySchedule::new(interruptions, MOST_SCHEDULES), check);
        let random = check.most_random.min(match self.random {
            Some(random) => random,
            None if self.is_quick => 500,
            None => 100_000,
        });
        let mut tried = 0;
        if random > 0 {
            let half = random.div_ceil(2);
            tried += search(RandomScheduler::new_from_seed(self.seed, half), check);
            tried += search(PctScheduler::new_from_seed(self.seed, DEPTH, random - half), check);
        }
        format!(
            "all {every} schedules with at most {interruptions} interruptions, and {tried} random \
             ones (seed {})",
            self.seed
        )
    }
}

/// Returns how many schedules were tried.
fn search(scheduler: impl Scheduler + 'static, check: &Check) -> usize {
    let folder = std::env::temp_dir().join("payments-schedules");
    std::fs::create_dir_all(&folder).expect("a folder for schedules that fail");
    let mut config = Config::new();
    config.stack_size = 1024 * 1024;
    config.max_steps = MaxSteps::FailAfter(100_000);
    config.failure_persistence = FailurePersistence::File(Some(folder));
    config.silence_warnings = true;
    Runner::new(ClockLast(scheduler), config).run(check.body)
}
