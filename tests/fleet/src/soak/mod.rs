//! A soak test: processes in every language pay, refund and pay out while the
//! service, the token server, the token store and the callers themselves fail.
//! After each round, the sandbox's records are compared with the reports, and
//! each process's resources with those after the first round.
//!
//! A process reads the configuration of its client and prints `ready`. Each
//! further line is a call, `{"id", "operation", "request", "cancel_ms"}`, which
//! it answers, in any order, with `{"id", "report"}`: `success`, the outcome of
//! the failure, or `responded` if the call was interrupted after its response.
//! `collect` makes it free all memory that it can and answer `collected`;
//! `recover` makes it recover the journal and answer `recovered`.

pub(crate) mod disturbances;
pub(crate) mod ledger;
mod resources;
mod worker;

use std::time::{Duration, Instant};

use payments_sandbox::Sandbox;

use crate::call::{Call, Kind, next_id};
use crate::process::Process;
use crate::service::Service;
use disturbances::Disturbances;
use ledger::Ledger;
use resources::Resources;

pub(crate) use worker::{PROGRAM, run as work};

/// The languages, each with its number of concurrent calls.
const CREW: [(&str, usize); 6] =
    [("rust", 8), ("c", 8), ("php", 1), ("php", 1), ("python", 8), ("node", 8)];
/// A second Python process, with asyncio.
const PYTHON_ASYNC: (&str, usize) = ("python", 8);
const LIFETIME: Duration = Duration::from_secs(5);
const ROUND: Duration = Duration::from_secs(15);
/// Longer than idle connections are kept.
const IDLE: Duration = Duration::from_secs(5);
/// Total calls per second, low enough to leave the machine usable.
const RATE: f64 = 100.0;

/// A process, and its number of unanswered calls.
struct Member {
    process: Process,
    most: usize,
    open: usize,
}

pub(crate) fn run(length: Duration) {
    let service = Service::start(LIFETIME);
    service.sandbox().configure(|config| config.accept_repeats = true);
    let mut crew = start(&service);
    let mut resources = Resources::default();
    let mut totals = ledger::Totals::default();
    let began = Instant::now();
    for round in 1.. {
        // In odd rounds tokens are undisturbed, so one process fetches for all.
        let disturbances = if round % 2 == 1 {
            Disturbances::of_the_service()
        } else {
            Disturbances::of_everything(service.folder())
        };
        let fetches_before = service.token_requests();
        let ledger = play(&mut crew, service.sandbox(), disturbances);
        let fetched = service.token_requests() - fetches_before;
        totals.add(&ledger.check(service.sandbox()));
        if round % 2 == 1 {
            assert_few_tokens(fetched);
        }
        service.sandbox().clear_faults();
        if rest(&mut crew) {
            resources.note(crew.iter().map(|member| &member.process));
        }
        println!("round {round}: {totals}; {fetched} tokens fetched; {resources}");
        if began.elapsed() > length && resources.rounds() > 1 {
            break;
        }
    }
    totals.assert_varied();
    resources.assert_steady();
    crew.iter_mut().for_each(|member| member.process.end_input());
    crew.iter_mut().for_each(|member| member.process.wait());
    println!("passed");
}

fn start(service: &Service) -> Vec<Member> {
    let member = |(language, most): (&'static str, usize), program| Member {
        process: Process::start(language, program),
        most,
        open: 0,
    };
    let mut crew: Vec<_> = CREW.into_iter().map(|one| member(one, PROGRAM)).collect();
    crew.push(member(PYTHON_ASYNC, "soak_async"));
    for member in &mut crew {
        member.process.write_line(&service.signed_configuration());
    }
    for member in &crew {
        assert_eq!(member.process.read_line(), "ready", "{}", member.process.name);
    }
    crew
}

/// Plays one round, until every call is answered.
fn play(crew: &mut [Member], sandbox: &Sandbox, mut disturbances: Disturbances) -> Ledger {
    let mut ledger = Ledger::default();
    let began = Instant::now();
    let mut last_response = Instant::now();
    while began.elapsed() < ROUND || crew.iter().any(|member| member.open > 0) {
        for member in crew.iter_mut() {
            while let Some(line) = member.process.try_read_line() {
                ledger.report(&line, member.process.name);
                member.open -= 1;
                last_response = Instant::now();
            }
            let is_due = (ledger.calls() as f64) < began.elapsed().as_secs_f64() * RATE;
            if began.elapsed() < ROUND && member.open < member.most && is_due {
                let call = ledger.next(sandbox, disturbances.before_a_call(sandbox));
                member.process.write_line(&call.to_string());
                member.open += 1;
            }
        }
        disturbances.strike(sandbox);
        assert!(last_response.elapsed() < Duration::from_secs(90), "calls hang: {}", ledger.open());
        std::thread::sleep(Duration::from_millis(2));
    }
    disturbances.end();
    ledger
}

/// A token is renewed before its five seconds are over. Together, all processes
/// need no more; without sharing they would fetch seven times as many.
fn assert_few_tokens(fetched: u64) {
    let lifetimes = ROUND.as_secs() / LIFETIME.as_secs();
    assert!(fetched <= 3 * lifetimes, "{fetched} tokens fetched in {lifetimes} lifetimes");
}

/// Lets every process become idle. Each then makes one call, which drops
/// connections that are too old. Returns whether all calls succeeded, that is,
/// whether no process is backing off from the token server.
fn rest(crew: &mut [Member]) -> bool {
    std::thread::sleep(IDLE);
    let mut is_idle = true;
    for member in crew.iter_mut() {
        member.process.write_line(&Call::new(next_id(), Kind::Payment, None).to_string());
        is_idle &= member.process.read_line().contains("success");
        member.process.write_line("collect");
        assert_eq!(member.process.read_line(), "collected", "{}", member.process.name);
    }
    is_idle
}
