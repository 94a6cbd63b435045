//! A merchant's day in a moment: the code of base, transport, core and host as it is,
//! under a time, a network, a scheduler and a chance that a seed decides.
//!
//! - `plan.rs`: the calls and the faults of a run; `shrink.rs` leaves out what a
//!   failure does not need
//! - `run.rs`: a run, and the order of its threads
//! - `world.rs`: what outlives processes, and where they crash
//! - `actors.rs`, `calls.rs`, `shop.rs`: what processes, payers and people do
//! - `service.rs`, `network.rs`, `tokens.rs`, `journal.rs`: what surrounds them
//! - `calls.rs`, `checks.rs`: what is checked

mod actors;
mod calls;
mod chance;
mod checks;
mod journal;
mod network;
mod plan;
mod run;
mod service;
mod shop;
mod shrink;
mod tokens;
mod world;

use std::collections::BTreeMap;
use std::original::time::{Instant, SystemTime};
use std::process::{Command, exit};
use std::time::Duration;

const USAGE: &str = "\
usage: payments-simulate [OPTION]
  --seconds COUNT   days of the seeds 1, 2, 3 and so on, for so long (45)
  --minutes COUNT   days of new seeds, for so long
  --seed NUMBER     the day of that seed, with its trace
  --twice           20 seeds, each in two processes: their traces are the same
  --rate            how many days are simulated in a minute";

/// The goal of `--rate`.
const DAYS_IN_A_MINUTE: u64 = 200;

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let count = |text: &str| text.parse::<u64>().ok();
    let chosen = match arguments[..] {
        [] => Some(_ = days(1, Duration::from_secs(45))),
        ["--seconds", text] => count(text).map(|it| _ = days(1, Duration::from_secs(it))),
        ["--minutes", text] => {
            count(text).map(|it| _ = days(new_seed(), Duration::from_secs(60 * it)))
        }
        ["--seed", text] => count(text).map(one),
        ["--twice"] => Some((1..=20).for_each(twice)),
        ["--rate"] => Some(rate()),
        _ => None,
    };
    if chosen.is_none() {
        eprintln!("{USAGE}");
        exit(2);
    }
}

fn new_seed() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(1, |it| it.as_secs() * 1_000_000)
}

/// The days of one seed after another. Returns their number.
fn days(first: u64, limit: Duration) -> u64 {
    let (started, mut seed) = (Instant::now(), first);
    let mut counts = BTreeMap::<_, u64>::new();
    while started.elapsed() < limit {
        let plan = plan::draw(seed);
        let ended = run::run(&plan, false);
        if let Some(broken) = ended.broken {
            eprintln!("seed {seed}: {broken}\n\nleaving out what this does not need:");
            let (plan, ended) = shrink::shrink(plan);
            eprintln!("{}", ended.trace.join("\n"));
            eprintln!("\n{plan:#?}\n\nthe whole day: make simulate ARGUMENTS='--seed {seed}'");
            exit(1);
        }
        ended
            .counts
            .into_iter()
            .for_each(|(name, count)| *counts.entry(name).or_default() += count);
        seed += 1;
    }
    let counts: Vec<_> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    println!("{} days from seed {first}: {}", seed - first, counts.join(", "));
    seed - first
}

/// The day of a seed, with its trace.
fn one(seed: u64) {
    let ended = run::run(&plan::draw(seed), true);
    println!("{}", ended.trace.join("\n"));
    if let Some(broken) = ended.broken {
        eprintln!("seed {seed}: {broken}");
        exit(1);
    }
}

/// The day of a seed, here and in another process.
fn twice(seed: u64) {
    let here = run::run(&plan::draw(seed), true).trace.join("\n") + "\n";
    let program = std::env::current_exe().expect("it runs");
    let there = Command::new(program).args(["--seed", &seed.to_string()]).output();
    let there = String::from_utf8(there.expect("it starts").stdout).expect("a trace is text");
    let differs = here.lines().zip(there.lines()).find(|(here, there)| here != there);
    assert!(here == there, "seed {seed} differs: {differs:#?}");
    println!("seed {seed}: {} lines, twice the same", here.lines().count());
}

fn rate() {
    let minute = Duration::from_secs(60);
    let days = days(1, minute);
    println!("simulation: {days} days of a merchant in a minute, on one core");
    if days < DAYS_IN_A_MINUTE {
        println!("missed: simulation: {days} days in a minute, of {DAYS_IN_A_MINUTE}");
    }
}
