//! When a call has ended, nothing more of its request leaves this host, although
//! a child has a copy of the socket.

use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_core::request::RawRequest;
use payments_core::{CallContext, CancelHandle, Client, Config, Environment, ErrorKind, Outcome};
use payments_fork_tests::{ChildEnd, fork, fork_here, leave, pay, payment};

use crate::child::is_alone;
use crate::network::{self, Outage};
use crate::raw_server::{RawServer, created};
use crate::silent::MuteListener;

/// Long enough to reach the peer, even on a busy machine.
const SHORT: Duration = Duration::from_secs(3);
const LIMIT: Duration = Duration::from_secs(60);
const BODY_BYTES: usize = 300_000;

fn client(base_url: &str) -> Client {
    let config = Config::new(base_url)
        .environment(Environment::Sandbox)
        .allow_insecure_http(true)
        .integration_key("key-1");
    Client::new(config).unwrap()
}

#[test]
fn nothing_arrives_after_the_deadline() {
    if !is_alone(nothing_arrives_after_the_deadline, &[]) {
        return;
    }
    let peer = MuteListener::new();
    let client = client(&peer.url("http"));
    let call = std::thread::spawn(move || {
        // The peer's kernel does not accept all of it.
        let large = RawRequest::new("POST", "/ws/transfer").body(vec![b' '; BODY_BYTES]);
        client.execute(&large, &CallContext::with_timeout(SHORT)).map(drop).unwrap_err()
    });
    let connection = peer.accept();
    connection.wait_for_bytes();
    let child = fork(LIMIT, || {
        std::thread::sleep(LIMIT);
        true
    });
    let error = call.join().unwrap();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Timeout, Outcome::Unknown), "{error}");
    let arrived = connection.read_on();
    assert!((1..BODY_BYTES).contains(&arrived.len()), "{}", arrived.len());
    child.kill();
}

#[test]
fn nothing_arrives_when_the_network_returns() {
    let this = nothing_arrives_when_the_network_returns;
    if let Some((url, end)) = network::payer() {
        return pay_and_fork(&url, end.is_some());
    }
    if !network::is_inside(this) {
        return;
    }
    let ends: [(_, fn(&mut Outage)); 2] = [
        ("times out", |outage| outage.wait_for("timeout unknown")),
        // The child's copy keeps the connection, until the kernel gives up.
        ("is killed", |outage| {
            outage.kill();
            outage.wait_for_kernel();
        }),
    ];
    std::thread::scope(|scope| {
        for (number, (name, end)) in (1..).zip(ends) {
            scope.spawn(move || {
                let mut outage = Outage::start(number, this, name);
                outage.tell("fork");
                outage.wait_for("forked");
                end(&mut outage);
                outage.must_have_dropped_the_request();
            });
        }
    });
}

fn pay_and_fork(url: &str, pays_again: bool) {
    let client = client(url);
    assert!(pay(&client, "first"));
    if !pays_again {
        return;
    }
    network::wait_for_outage();
    let call = std::thread::spawn(move || {
        client.execute(&payment("second"), &CallContext::with_timeout(SHORT)).map(drop).unwrap_err()
    });
    network::hear();
    fork(LIMIT, || {
        network::hear();
        true
    });
    println!("forked");
    let error = call.join().unwrap();
    println!("{} {}", error.kind(), error.outcome());
    // The end of the process would close the connection as well.
    network::hear();
}

#[test]
fn a_child_that_leaves_a_call_does_not_end_its_parents() {
    if !is_alone(a_child_that_leaves_a_call_does_not_end_its_parents, &[]) {
        return;
    }
    let (child_ended, wait) = std::sync::mpsc::channel();
    let (arrived, wait) = (Arc::new(AtomicBool::new(false)), Mutex::new(wait));
    let server = RawServer::start_on(TcpListener::bind("127.0.0.1:0").unwrap(), {
        let arrived = Arc::clone(&arrived);
        move |mut connection| {
            connection.read_request();
            arrived.store(true, Ordering::SeqCst);
            assert_eq!(wait.lock().unwrap().recv_timeout(LIMIT), Ok(ChildEnd::Exited(0)));
            connection.write(&created());
        }
    });
    let is_child = Arc::new(AtomicBool::new(false));
    let hook = {
        let is_child = Arc::clone(&is_child);
        move || {
            if arrived.swap(false, Ordering::SeqCst) {
                match fork_here(LIMIT) {
                    Some(child) => child_ended.send(child.wait()).unwrap(),
                    None => is_child.store(true, Ordering::SeqCst),
                }
            }
            is_child.load(Ordering::SeqCst)
        }
    };
    let context = CallContext::new(LIMIT, CancelHandle::new(), Some(Arc::new(hook)));
    let result = client(&server.base_url()).execute(&payment("order-1"), &context);
    if is_child.load(Ordering::SeqCst) {
        leave(|| result.is_err());
    }
    assert!(result.is_ok(), "{:?}", result.err());
}
