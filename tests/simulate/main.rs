//! A merchant's day in a moment: the code of base, transport, core and host as it is,
//! under a time, a network, a scheduler and a chance that a seed decides.
//!
//! - `plan.rs`: the calls and the faults of a run
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
mod tokens;
mod world;

fn main() {
    let seed = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(1);
    let started = std::original::time::Instant::now();
    let ended = run::run(&plan::draw(seed), true);
    for line in &ended.trace {
        println!("{line}");
    }
    println!("{:?} {:?} {:?}", ended.broken, ended.counts, started.elapsed());
}
