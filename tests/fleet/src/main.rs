//! Sixteen processes in five languages, with up to sixteen concurrent calls
//! each, share one token store in files. The sandbox counts their token
//! requests. Built and run by `scripts/test-fleet.sh`.
//!
//! Calls carry a token but no signature: each call needs the token, and the
//! rest is kept cheap enough for two cores.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail so")]

mod bytes;
mod call;
mod crash;
mod crew;
mod follow;
mod numbers;
mod process;
mod service;
mod soak;
mod worker;

use std::time::{Duration, Instant};

use crew::{Crew, Report};
use service::Service;

const LIFETIME: Duration = Duration::from_secs(10);
/// The time without a token: the first refusal starts a backoff of at least
/// 30 s, which begins while the old token is still valid.
const BACKOFF_AND_NO_TOKEN: Duration = Duration::from_secs(28);
const STEP: Duration = Duration::from_secs(1);

const USAGE: &str = "[--soak MINUTES | --crash KILLS | --bytes [all] | --follow COUNT]";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => share_one_token(),
        [worker::PROGRAM] => worker::run(),
        ["--soak", minutes] => soak::run(Duration::from_secs(60) * minutes.parse::<u32>().unwrap()),
        ["--bytes"] => bytes::run(false),
        ["--bytes", "all"] => bytes::run(true),
        ["--crash", kills] => crash::run(kills.parse().unwrap()),
        ["--follow", count] => follow::run(count.parse().unwrap()),
        [follow::PROGRAM] => follow::work(),
        [soak::PROGRAM] => soak::work(),
        _ => panic!("usage: payments-fleet-tests {USAGE}"),
    }
}

fn share_one_token() {
    let service = Service::start(LIFETIME);
    let mut crew = Crew::start(&service.configuration(), &service.payment());
    crew.begin();
    one_request_each_lifetime(&service, &mut crew);
    a_refusal_stops_everybody_for_the_backoff(&service, &mut crew);
    crew.stop();
    println!("passed");
}

fn one_request_each_lifetime(service: &Service, crew: &mut Crew) {
    let started = Instant::now();
    std::thread::sleep(3 * LIFETIME);
    let reports = crew.reports();
    let requests = service.token_requests();
    show("three lifetimes", &reports, requests);
    for report in &reports {
        assert!(report.has_only_responses(), "every call gets a response: {report:?}");
    }
    let most = most_requests_in(started.elapsed());
    assert!((3..=most).contains(&requests), "{requests} token requests of {most}");
}

/// One request per lifetime; the last tenth of a lifetime may go unused.
fn most_requests_in(time: Duration) -> u64 {
    (time.as_secs_f64() / (0.9 * LIFETIME.as_secs_f64())).ceil() as u64
}

fn a_refusal_stops_everybody_for_the_backoff(service: &Service, crew: &mut Crew) {
    let before = service.token_requests();
    service.refuse_tokens(true);
    // The existing token is used until it expires. If that happens in transit,
    // the call gets a 401; no other call here does.
    let began = Instant::now();
    while crew.reports().iter().any(|report| report.responded > 0) {
        assert!(began.elapsed() < LIFETIME + BACKOFF_AND_NO_TOKEN, "somebody has a token still");
        std::thread::sleep(STEP);
    }
    std::thread::sleep(3 * STEP);
    let reports = crew.reports();
    let refused = service.token_requests() - before;
    show("a refusal", &reports, refused);
    for report in &reports {
        assert!(report.has_only_lacks(), "all go without: {report:?}");
    }
    assert_eq!(refused, 1, "one asked, and nobody asked again");

    service.refuse_tokens(false);
    let began = Instant::now();
    // The last time that no process had a new token.
    let mut without = began;
    loop {
        std::thread::sleep(STEP);
        let reports = crew.reports();
        let granted = service.token_requests() - before - refused;
        if granted == 0 {
            without = Instant::now();
        }
        if reports.iter().all(Report::has_only_responses) {
            let recovery = without.elapsed();
            show("after the backoff", &reports, granted);
            println!("  all recovered within {recovery:?} of the first token");
            let most = most_requests_in(recovery);
            assert!((1..=most).contains(&granted), "{granted} token requests of {most}");
            return;
        }
        assert!(began.elapsed() < 2 * BACKOFF_AND_NO_TOKEN, "somebody has no token still");
    }
}

/// Prints one line per part, with the sums for each language.
fn show(part: &str, reports: &[Report], token_requests: u64) {
    println!("{part}: {token_requests} token requests");
    for (language, processes) in crew::LANGUAGES {
        let of_language = reports.iter().filter(|report| report.language == language);
        let (responded, lacked) = of_language.fold((0, 0), |(responded, lacked), report| {
            (responded + report.responded, lacked + report.lacked)
        });
        println!("  {language:<6} {processes} processes: {responded} responded, {lacked} without");
    }
}
