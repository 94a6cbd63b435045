//! Thousands of open payments, refunds and payouts are followed from a journal, under a
//! rate, by a process that is killed again and again. Its clock is fast. Each
//! must be reported as the sandbox ended it, and twice only with the mark.

mod ledger;
mod worker;

use std::time::{Duration, Instant};

use payments_sandbox::{Fault, FaultKind, Response};
use serde_json::{Value, json};

use crate::numbers::Numbers;
use crate::process::Process;
use crate::service::Service;
use ledger::Ledger;

pub(crate) use worker::{PROGRAM, run as work};

/// Queries in a second of the fast clock.
const PER_SECOND: u32 = 10;
/// From this number of payments on, the clock is slower, so that this machine
/// can keep the rate.
const MANY: usize = 5_000;

/// How fast the clock runs, and the times by it.
struct Plan {
    speed: u32,
    /// The time within which everything that ends has ended.
    ends_within: Duration,
    give_up_after: Duration,
    /// How long a process lives at most, by the clock of the machine.
    life: Duration,
}

impl Plan {
    fn of(count: usize) -> Self {
        let minutes = |count: u64| Duration::from_secs(60 * count);
        if count < MANY {
            Self {
                speed: 60,
                ends_within: minutes(8),
                give_up_after: minutes(16),
                life: Duration::from_secs(2),
            }
        } else {
            Self {
                speed: 10,
                ends_within: minutes(20),
                give_up_after: minutes(50),
                life: Duration::from_secs(20),
            }
        }
    }
}

/// Follows `count` payments, refunds and payouts.
pub(crate) fn run(count: usize) {
    let plan = Plan::of(count);
    let service = Service::start(Duration::from_secs(3600));
    let mut configuration = read(&service.journaled_configuration());
    configuration["payout_query"] = true.into();
    let configuration = configuration.to_string();
    let began = Instant::now();
    let mut ledger = Ledger::create(&configuration, service.sandbox(), count);
    println!("created {count} in {:?}", began.elapsed());
    let epoch = worker::now();
    let state = service.journal().join("follow.state");
    let setup = json!({
        "configuration": configuration,
        "state": state,
        "epoch_ms": epoch,
        "speed": plan.speed,
        "per_second": PER_SECOND * plan.speed,
        "give_up_after_s": plan.give_up_after.as_secs(),
    })
    .to_string();
    let (began, mut numbers) = (Instant::now(), Numbers::new());
    let already = service.sandbox().stats().requests;
    let (mut kills, mut limited) = (0_u64, 0_u64);
    while !lives_to_the_end(&setup, &plan, &service, &mut ledger, &mut numbers, &mut limited) {
        kills += 1;
    }
    let queries = service.sandbox().stats().requests - already;
    let elapsed = began.elapsed();
    // Each process begins with a turn at once.
    let allowed = elapsed.as_secs_f64() * f64::from(PER_SECOND * plan.speed);
    assert!(queries as f64 <= allowed + kills as f64 + 1.0, "{queries} queries in {elapsed:?}");
    ledger.check();
    println!(
        "{count} open, {queries} queries in {elapsed:?} ({:.1} in a second of the fast clock), \
         {kills} kills, {limited} times 429: {}",
        queries as f64 / elapsed.as_secs_f64() / f64::from(plan.speed),
        ledger.summary(),
    );
    println!("passed");
}

/// Lets a process follow, and ends payments meanwhile, until it is done or is
/// killed. Returns whether it is done.
fn lives_to_the_end(
    setup: &str,
    plan: &Plan,
    service: &Service,
    ledger: &mut Ledger,
    numbers: &mut Numbers,
    limited: &mut u64,
) -> bool {
    let mut process = Process::start("rust", PROGRAM);
    process.write_line(setup);
    let life = plan.life.mul_f64(0.05 + numbers.below(950) as f64 / 1000.0);
    let born = Instant::now();
    loop {
        ledger.end_due_items(service.sandbox(), plan.ends_within / plan.speed);
        // The last ones are queried so rarely that each query would meet a fault.
        if ledger.has_more_to_end() && numbers.below(4_000) == 0 {
            *limited += 1;
            let response = Response::empty(429).with_header("Retry-After", "1");
            let fault = Fault { response: Some(response), ..Fault::new(FaultKind::Pass) };
            service.sandbox().script_next([fault]);
        }
        let mut has_ended = false;
        while let Some(line) = process.try_read_line() {
            if line == worker::OVER {
                process.wait();
                return true;
            }
            ledger.record(&read(&line));
            has_ended = true;
        }
        // Most of them while they handle an end.
        let is_old = born.elapsed() >= life;
        if is_old && (has_ended || born.elapsed() >= 2 * life) {
            // Its last lines have arrived, and the very last may be cut.
            let lines = process.kill();
            let is_over = lines.iter().any(|line| line == worker::OVER);
            let ends = lines.iter().filter_map(|line| serde_json::from_str(line).ok());
            ends.for_each(|end| ledger.record(&end));
            return is_over;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn read(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}
