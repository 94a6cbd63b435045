//! A parent and a child that both have pid 1, each in its own pid namespace, as
//! in nested containers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use payments_core::Client;
use payments_fork_tests::{ChildEnd, fork, new_pid_namespace, pay, sandbox_and_config};
use payments_sandbox::Sandbox;

use crate::child::is_alone;
use crate::fork::connections;

const LIMIT: Duration = Duration::from_secs(60);

/// Runs `parent` with pid 1. Processes it forks after another
/// [`new_pid_namespace`] also have pid 1.
fn as_first_process(parent: impl FnOnce() -> bool) {
    let outside = fork(LIMIT, || {
        new_pid_namespace();
        let first = fork(LIMIT, || std::process::id() == 1 && parent());
        first.wait() == ChildEnd::Exited(0)
    });
    assert_eq!(outside.wait(), ChildEnd::Exited(0));
}

/// Pays in a child with the same pid, and again in this process.
fn both_pay(client: &Client) -> bool {
    new_pid_namespace();
    let child =
        fork(LIMIT, || std::process::id() == 1 && pay(client, "child-0") && pay(client, "child-1"));
    let paid = pay(client, "parent-1");
    child.wait() == ChildEnd::Exited(0) && paid && pay(client, "parent-2")
}

fn assert_connections_of_their_own(sandbox: &Sandbox) {
    let (parent, child) = (connections(sandbox, "parent"), connections(sandbox, "child"));
    assert_eq!(child.len(), 1, "{child:?}");
    assert!(parent.is_disjoint(&child), "{parent:?} {child:?}");
}

#[test]
fn a_child_with_the_pid_of_its_parent_has_its_own_connection() {
    if !is_alone(a_child_with_the_pid_of_its_parent_has_its_own_connection, &[]) {
        return;
    }
    let (sandbox, config) = sandbox_and_config();
    as_first_process(|| {
        let client = Client::new(config).unwrap();
        pay(&client, "parent-0") && both_pay(&client)
    });
    assert_connections_of_their_own(&sandbox);
    assert_eq!(sandbox.token_requests(), 1, "the child starts with the parent's token");
}

/// The number of requests the service has not answered. Asks over HTTP, since
/// the sandbox runs in another process.
fn in_flight(base_url: &str) -> u64 {
    let mut connection = TcpStream::connect(base_url.trim_start_matches("http://")).unwrap();
    let request = "GET /sandbox/stats HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    connection.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    connection.read_to_string(&mut response).unwrap();
    let number = response.split("\"in_flight\":").nth(1).unwrap();
    number.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

#[test]
fn a_child_with_its_parents_pid_waits_for_no_parent_thread() {
    if !is_alone(a_child_with_its_parents_pid_waits_for_no_parent_thread, &[]) {
        return;
    }
    let (sandbox, config) = sandbox_and_config();
    sandbox.configure(|config| config.latency = Duration::from_millis(500));
    as_first_process(|| {
        let client = Client::new(config).unwrap();
        let fetching = {
            let client = client.clone();
            std::thread::spawn(move || pay(&client, "parent-0"))
        };
        while in_flight(sandbox.base_url()) == 0 {
            std::thread::yield_now();
        }
        let paid = both_pay(&client);
        fetching.join().unwrap() && paid
    });
    assert_connections_of_their_own(&sandbox);
    assert_eq!(sandbox.token_requests(), 2, "the child has a turn to fetch of its own");
}
