//! Forks while other threads sign, fetch tokens and hold locks, and counts how
//! the children end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use payments_core::Client;
use payments_fork_tests::{ChildEnd, fork, pay, sandbox_and_config};

const FORKS: u32 = 200;
const THREADS: u32 = 4;

fn main() {
    let (sandbox, config) = sandbox_and_config();
    // Each revocation costs a token request, and blocking is not tested here.
    sandbox.configure(|config| config.token_limit.requests = 0);
    let client = Client::new(config).expect("a client");
    assert!(pay(&client, "warm-up"), "the client works before any fork");

    let stop = Arc::new(AtomicBool::new(false));
    let paid = Arc::new(AtomicU32::new(0));
    let failed = Arc::new(AtomicU32::new(0));
    let workers: Vec<_> = (0..THREADS)
        .map(|thread| {
            let (client, stop) = (client.clone(), Arc::clone(&stop));
            let (paid, failed) = (Arc::clone(&paid), Arc::clone(&failed));
            std::thread::spawn(move || {
                for number in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let worked = pay(&client, &format!("parent-{thread}-{number}"));
                    let counter = if worked { &paid } else { &failed };
                    counter.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();

    let (mut worked, mut refused, mut killed) = (0, 0, Vec::new());
    for number in 0..FORKS {
        // Revoke tokens now and then, so that some forks happen during a fetch.
        if number % 20 == 0 {
            sandbox.revoke_tokens();
        }
        let child = fork(Duration::from_secs(20), || {
            (0..3).all(|call| pay(&client, &format!("child-{number}-{call}")))
        });
        match child.wait() {
            ChildEnd::Exited(0) => worked += 1,
            ChildEnd::Exited(_) => refused += 1,
            ChildEnd::Killed(signal) => killed.push(signal),
        }
    }
    stop.store(true, Ordering::Relaxed);
    for worker in workers {
        worker.join().expect("no worker panics");
    }
    println!("{FORKS} forks while {THREADS} threads were paying:");
    println!("  children that made their three payments: {worked}");
    println!("  children whose payments failed:          {refused}");
    println!("  children that hung or died (signals):    {} {killed:?}", killed.len());
    println!(
        "  payments of the parent: {} made, {} failed",
        paid.load(Ordering::Relaxed),
        failed.load(Ordering::Relaxed)
    );
    println!("  token requests: {}", sandbox.token_requests());
    let is_unharmed = failed.load(Ordering::Relaxed) == 0;
    std::process::exit(i32::from(!is_unharmed));
}
