//! When the token server or store is in trouble, many processes send few token
//! requests, one at a time.

#![cfg(unix)]

use std::process::Child;

use crate::support::folder::Folder;
use crate::support::redis::{RedisServer, free_port};
use crate::support::storm::{
    Crew, TokenServer, block, had_a_token, issue, signal, take_time, work,
};
use crate::support::tokens::seconds;
use crate::support::wait::wait_until;

const PROCESSES: usize = 15;

fn redis(server: &RedisServer) -> String {
    format!(r#", "token_store": {:?}"#, server.url())
}

/// The process that fetches is lost, and the token server is slow.
fn a_lost_holder_costs_one_request(test: impl Fn(), how: &str) {
    if work() {
        return;
    }
    let redis_server = RedisServer::start();
    let tokens = TokenServer::start(|number, connection| {
        if number == 1 {
            connection.wait_for_the_end();
        } else if take_time(connection, seconds(2)) {
            issue(number, connection);
        }
    });
    let crew = Crew::new(test, tokens.config(&redis(&redis_server)));
    let mut holder = crew.start(0);
    wait_until("the first asks", || tokens.requests() == 1);
    signal(&holder, how);
    let others: Vec<Child> = (1..PROCESSES).map(|_| crew.start(0)).collect();
    assert_eq!(had_a_token(others), PROCESSES - 1);
    holder.kill().unwrap();
    holder.wait().unwrap();
    let (requests, most) = (tokens.requests(), 2 + usize::from(crew.has_passed_over()));
    assert!((2..=most).contains(&requests), "{requests} of {most}");
}

#[test]
fn a_killed_holder_of_the_lock_in_redis_costs_one_request() {
    a_lost_holder_costs_one_request(
        a_killed_holder_of_the_lock_in_redis_costs_one_request,
        "-KILL",
    );
}

#[test]
fn a_stopped_holder_of_the_lock_in_redis_costs_one_request() {
    a_lost_holder_costs_one_request(
        a_stopped_holder_of_the_lock_in_redis_costs_one_request,
        "-STOP",
    );
}

/// The server takes 12 s to respond; a request may take only 10 s.
fn a_silent_server_is_asked_one_at_a_time(test: impl Fn(), members: &str) {
    if work() {
        return;
    }
    let tokens = TokenServer::start(|number, connection| {
        if take_time(connection, seconds(12)) {
            issue(number, connection);
        }
    });
    let crew = Crew::new(test, tokens.config(members));
    assert_eq!(crew.run(PROCESSES, 30), 0);
    // The server notices the end of a connection slightly late.
    assert!(tokens.most_at_once() <= 2, "{} at once", tokens.most_at_once());
    assert!((2..=4).contains(&tokens.requests()), "{} requests", tokens.requests());
}

#[test]
fn a_silent_token_server_is_asked_one_at_a_time_through_redis() {
    let server = RedisServer::start();
    a_silent_server_is_asked_one_at_a_time(
        a_silent_token_server_is_asked_one_at_a_time_through_redis,
        &redis(&server),
    );
}

#[test]
fn a_silent_token_server_is_asked_one_at_a_time_through_files() {
    let folder = Folder::new();
    a_silent_server_is_asked_one_at_a_time(
        a_silent_token_server_is_asked_one_at_a_time_through_files,
        &format!(r#", "token_store": "file:{}""#, folder.path().display()),
    );
}

#[test]
fn a_token_server_that_closes_connections_is_backed_off() {
    if work() {
        return;
    }
    let server = RedisServer::start();
    let tokens = TokenServer::start(|_, _| {});
    let crew = Crew::new(
        a_token_server_that_closes_connections_is_backed_off,
        tokens.config(&redis(&server)),
    );
    assert_eq!(crew.run(PROCESSES, 12), 0);
    // Requests are sent at once, at once again, after 4 s, and after 8 s more.
    assert!((2..=4).contains(&tokens.requests()), "{} requests", tokens.requests());
}

/// Each process asks once, as a command or a cron job does.
fn short_lived_processes(test: impl Fn(), members: &str, tokens: &TokenServer, expected: usize) {
    let crew = Crew::new(test, tokens.config(members));
    let had = (0..6).map(|_| crew.run(5, 0)).sum::<usize>();
    assert_eq!(had, expected);
}

fn redis_that_is_down() -> String {
    format!(r#", "token_store": "redis://127.0.0.1:{}""#, free_port())
}

#[test]
fn without_redis_short_processes_share_a_token_of_this_host() {
    if work() {
        return;
    }
    let tokens = TokenServer::start(issue);
    short_lived_processes(
        without_redis_short_processes_share_a_token_of_this_host,
        &redis_that_is_down(),
        &tokens,
        30,
    );
    assert_eq!(tokens.requests(), 1);
}

#[test]
fn without_redis_short_processes_share_a_backoff() {
    if work() {
        return;
    }
    let tokens = TokenServer::start(|_, connection| block(connection));
    short_lived_processes(
        without_redis_short_processes_share_a_backoff,
        &redis_that_is_down(),
        &tokens,
        0,
    );
    // A run that outlasts the first backoff may ask once more.
    assert!((1..=2).contains(&tokens.requests()), "{} requests", tokens.requests());
}

/// The kernel keeps the lock of a stopped process.
#[test]
fn a_stopped_holder_of_the_lock_of_a_file_costs_one_request() {
    if work() {
        return;
    }
    let folder = Folder::new();
    let tokens = TokenServer::start(|number, connection| {
        if number == 1 {
            connection.wait_for_the_end();
        } else if take_time(connection, seconds(2)) {
            issue(number, connection);
        }
    });
    let crew = Crew::new(
        a_stopped_holder_of_the_lock_of_a_file_costs_one_request,
        tokens.config(&format!(r#", "token_store": "file:{}""#, folder.path().display())),
    );
    let mut holder = crew.start(0);
    wait_until("the first asks", || tokens.requests() == 1);
    signal(&holder, "-STOP");
    assert_eq!(crew.run(PROCESSES - 1, 0), PROCESSES - 1);
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert_eq!(tokens.requests(), 2);
}
