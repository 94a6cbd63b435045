//! A client across `fork`.

use std::collections::BTreeSet;
use std::time::Duration;

use payments_core::Client;
use payments_fork_tests::{ChildEnd, fork, pay, sandbox_and_config};
use payments_sandbox::Sandbox;

use crate::child::is_alone;
use crate::redis::RedisServer;

const LIMIT: Duration = Duration::from_secs(60);

/// The connections of payments whose reference starts with `prefix`.
pub(crate) fn connections(sandbox: &Sandbox, prefix: &str) -> BTreeSet<u64> {
    let is_of = |body: &[u8]| {
        let reference = format!("\"merchant_payment_code\":\"{prefix}");
        body.windows(reference.len()).any(|part| part == reference.as_bytes())
    };
    sandbox
        .requests()
        .iter()
        .filter(|request| is_of(&request.body))
        .map(|request| request.connection)
        .collect()
}

#[test]
fn a_client_used_before_fork_works_in_parent_and_children() {
    if !is_alone(a_client_used_before_fork_works_in_parent_and_children, &[]) {
        return;
    }
    let (sandbox, config) = sandbox_and_config();
    let client = Client::new(config).unwrap();
    assert!(pay(&client, "before"));

    let children: Vec<_> = (0..4)
        .map(|child| {
            let client = &client;
            fork(LIMIT, move || (0..3).all(|call| pay(client, &format!("c{child}-{call}"))))
        })
        .collect();
    for call in 0..3 {
        assert!(pay(&client, &format!("parent-{call}")));
    }
    for child in children {
        assert_eq!(child.wait(), ChildEnd::Exited(0));
    }
    assert!(pay(&client, "parent-after"));

    let mut seen: Vec<_> =
        (0..4).map(|child| connections(&sandbox, &format!("c{child}-"))).collect();
    seen.push(
        connections(&sandbox, "parent").union(&connections(&sandbox, "before")).copied().collect(),
    );
    for (index, one) in seen.iter().enumerate() {
        assert_eq!(one.len(), 1, "each process keeps one connection: {seen:?}");
        assert!(seen[..index].iter().all(|other| other.is_disjoint(one)), "{seen:?}");
    }
    assert_eq!(sandbox.token_requests(), 1, "a child starts with the parent's token");
}

#[test]
fn a_child_of_a_child_works() {
    if !is_alone(a_child_of_a_child_works, &[]) {
        return;
    }
    let (_sandbox, config) = sandbox_and_config();
    let client = Client::new(config).unwrap();
    let child = fork(LIMIT, || {
        let grandchild = fork(LIMIT, || pay(&client, "grandchild"));
        pay(&client, "child") && grandchild.wait() == ChildEnd::Exited(0)
    });
    assert_eq!(child.wait(), ChildEnd::Exited(0));
    assert!(pay(&client, "parent"));
}

#[test]
fn a_child_that_forks_while_a_token_is_fetched_fetches_its_own() {
    if !is_alone(a_child_that_forks_while_a_token_is_fetched_fetches_its_own, &[]) {
        return;
    }
    let (sandbox, config) = sandbox_and_config();
    let client = Client::new(config).unwrap();
    sandbox.configure(|config| config.latency = Duration::from_millis(500));
    let fetching = {
        let client = client.clone();
        std::thread::spawn(move || pay(&client, "parent"))
    };
    while sandbox.stats().in_flight == 0 {
        std::thread::yield_now();
    }
    let child = fork(LIMIT, || pay(&client, "child"));
    assert_eq!(child.wait(), ChildEnd::Exited(0));
    assert!(fetching.join().unwrap());
    assert_eq!(sandbox.token_requests(), 2);
}

#[test]
fn shared_clients_work_in_children() {
    if !is_alone(shared_clients_work_in_children, &[]) {
        return;
    }
    let (sandbox, config) = sandbox_and_config();
    let client = Client::shared(config.clone()).unwrap();
    assert!(pay(&client, "parent"));
    let child = fork(LIMIT, || Client::shared(config).is_ok_and(|client| pay(&client, "child")));
    assert_eq!(child.wait(), ChildEnd::Exited(0));
    assert_eq!(sandbox.token_requests(), 1);
    assert!(connections(&sandbox, "parent").is_disjoint(&connections(&sandbox, "child")));
}

#[test]
fn a_child_shares_the_token_store_in_files() {
    if !is_alone(a_child_shares_the_token_store_in_files, &[]) {
        return;
    }
    let (sandbox, config) = sandbox_and_config();
    let folder = std::env::temp_dir().join(format!("payments-fork-{}", std::process::id()));
    let client = Client::new(config.token_folder(&folder)).unwrap();
    let child = fork(LIMIT, || pay(&client, "child"));
    assert!(pay(&client, "parent"));
    assert_eq!(child.wait(), ChildEnd::Exited(0));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(sandbox.token_requests(), 1);
}

#[test]
fn a_child_shares_the_redis_server_over_its_own_connection() {
    if !is_alone(a_child_shares_the_redis_server_over_its_own_connection, &[]) {
        return;
    }
    let (sandbox, config) = sandbox_and_config();
    let server = RedisServer::start();
    let client = Client::new(config.token_server(server.url())).unwrap();
    // The parent is connected but has no token yet.
    let status = client.token_status(&client.context()).unwrap();
    assert!(!status.is_usable);
    assert_eq!(server.connections(), 1);
    let child = fork(LIMIT, || {
        pay(&client, "child") && server.connections() == 2 && pay(&client, "child-again")
    });
    assert_eq!(child.wait(), ChildEnd::Exited(0));
    assert!(pay(&client, "parent"));
    assert_eq!(server.connections(), 1, "the child's ended with it, the parent's did not");
    assert_eq!(sandbox.token_requests(), 1, "the parent uses what its child put there");
}
