//! Many processes with many threads, sharing one Redis token store.

use std::time::Duration;

use crate::support::fleet::{Fleet, PROCESSES, a_revoked_token_costs_no_call, blocked, work};
use crate::support::redis::RedisServer;

const LIFETIME: Duration = Duration::from_secs(10);

fn server() -> RedisServer {
    RedisServer::start_with(&["--requirepass", "hunter2"])
}

fn token_store(server: &RedisServer) -> String {
    format!("redis://:hunter2@127.0.0.1:{}/1", server.port)
}

#[test]
fn sixteen_processes_ask_once_per_lifetime() {
    if work(30) {
        return;
    }
    let server = server();
    let mut fleet = Fleet::start(
        sixteen_processes_ask_once_per_lifetime,
        &token_store(&server),
        LIFETIME,
        None,
    );
    assert_eq!(fleet.join(), [0; PROCESSES], "no call lacked a token");
    fleet.assert_one_request_each(LIFETIME, 1);
}

#[test]
fn a_refusal_stops_all_processes_for_the_backoff() {
    if work(5) {
        return;
    }
    let server = server();
    let lifetime = Duration::from_secs(600);
    let mut fleet = Fleet::start(
        a_refusal_stops_all_processes_for_the_backoff,
        &token_store(&server),
        lifetime,
        Some(blocked()),
    );
    assert_eq!(fleet.join(), [1; PROCESSES]);
    // On a busy machine, a call may pass the server over: then the fallback asks too.
    let (requests, most) = (fleet.sandbox.token_requests(), 1 + u64::from(fleet.has_passed_over()));
    assert!((1..=most).contains(&requests), "{requests} of {most}");
}

#[test]
fn a_revoked_token_costs_no_process_a_call() {
    if work(8) {
        return;
    }
    let server = server();
    a_revoked_token_costs_no_call(a_revoked_token_costs_no_process_a_call, &token_store(&server));
}

/// The server goes down midway and comes back empty.
#[test]
fn a_restart_costs_no_call_its_token() {
    if work(30) {
        return;
    }
    let mut server = server();
    let mut fleet =
        Fleet::start(a_restart_costs_no_call_its_token, &token_store(&server), 2 * LIFETIME, None);
    std::thread::sleep(Duration::from_secs(8));
    server.stop();
    std::thread::sleep(Duration::from_secs(2));
    server.run();
    assert_eq!(fleet.join(), [0; PROCESSES], "no call lacked a token");
    // One more for the server that lost its token.
    fleet.assert_one_request_each(2 * LIFETIME, 1);
}

/// The token must be renewed while the server is down: once per host.
#[test]
fn a_renewal_without_the_server_is_shared_too() {
    if work(16) {
        return;
    }
    let mut server = server();
    let mut fleet = Fleet::start(
        a_renewal_without_the_server_is_shared_too,
        &token_store(&server),
        LIFETIME,
        None,
    );
    std::thread::sleep(Duration::from_secs(6));
    server.stop();
    std::thread::sleep(Duration::from_secs(6));
    server.run();
    assert_eq!(fleet.join(), [0; PROCESSES], "no call lacked a token");
    // One more for the fallback, and one for the server that lost its token.
    fleet.assert_one_request_each(LIFETIME, 2);
}
