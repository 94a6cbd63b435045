//! Failures to connect: nothing was executed.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use payments_core::ErrorKind::{Connect, Timeout, Tls};
use payments_core::Outcome::NotExecuted;
use payments_core::transport::Lookup;
use payments_core::{CallContext, CancelHandle, Client, Config, Error, ErrorKind};

use crate::support::calls::{self, SLACK};
use crate::support::raw_server::{RawServer, created};
use crate::support::silent::{FullQueue, MuteListener, refused_port};
use crate::support::wait::wait_until;

/// Long for a computer, short for a test.
const CONNECT: Duration = Duration::from_millis(150);
/// Longer than any machine takes.
const DISTANT: Duration = Duration::from_secs(300);

fn config(url: &str) -> Config {
    calls::config(url).connect_timeout(CONNECT)
}

fn pay(client: &Client) -> Error {
    calls::fail_within(client, Duration::from_secs(10), "order-1")
}

fn assert_error(error: &Error, kind: ErrorKind, code: &str, attempts: u32) {
    assert_eq!((error.kind(), error.code().as_str()), (kind, code), "{error}");
    assert_eq!((error.outcome(), error.attempts()), (NotExecuted, attempts), "{error}");
}

/// A lookup that resolves every name to `addresses`, and counts calls.
fn lookup_of(addresses: Vec<SocketAddr>) -> (Lookup, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let lookup = move |_: &str, _: u16| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(addresses.clone())
    };
    (Arc::new(lookup), count)
}

fn by_name(lookup: Lookup) -> Client {
    let config = calls::config("http://service.test").allow_insecure_http(true);
    Client::new(config.connect_timeout(DISTANT).lookup(lookup)).unwrap()
}

#[test]
fn a_refused_connection_is_tried_thrice() {
    // Windows takes two seconds to refuse one.
    let client = calls::client(&format!("http://127.0.0.1:{}", refused_port()));
    assert_error(&pay(&client), Connect, "connect_failed", 3);
}

#[test]
fn a_service_that_does_not_accept_ends_by_the_connect_timeout() {
    let silent = FullQueue::new();
    for scheme in ["http", "https"] {
        let client = Client::new(config(&silent.url(scheme))).unwrap();
        let (error, took) = calls::timed(|| pay(&client));
        assert_error(&error, Connect, "connect_timed_out", 3);
        assert!(took < CONNECT * 3 + SLACK, "{took:?}");
    }
}

#[test]
fn a_service_that_does_not_accept_ends_by_the_deadline() {
    let silent = FullQueue::new();
    let client = calls::client(&silent.url("http"));
    let error = calls::fail_within(&client, Duration::from_millis(200), "order-1");
    assert_error(&error, Timeout, "deadline_passed", 1);
}

#[test]
fn a_tls_hello_without_a_response_ends_by_the_connect_timeout() {
    let mute = MuteListener::new();
    let client = Client::new(config(&mute.url("https"))).unwrap();
    let error = pay(&client);
    assert_error(&error, Connect, "connect_timed_out", 3);
    let said = "the TLS handshake was not completed within connect_timeout_ms";
    assert!(error.message().starts_with("could not connect to 127.0.0.1:"), "{error}");
    assert!(error.message().contains(said), "{error}");
    let client = calls::client(&mute.url("https"));
    let error = calls::fail_within(&client, Duration::from_millis(200), "order-1");
    assert_error(&error, Timeout, "deadline_passed", 1);
}

#[test]
fn a_handshake_that_breaks_is_tls_and_not_tried_again() {
    for garbage in [&b""[..], b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x15\x03\x03\x00\x02\x02\x28"]
    {
        let server = RawServer::start(move |mut connection| {
            let mut hello = [0; 64];
            let _ = io::Read::read(&mut connection.stream, &mut hello);
            connection.write(garbage);
        });
        let url = server.base_url().replace("http:", "https:");
        let error = pay(&calls::client(&url));
        assert_eq!((error.kind(), error.outcome()), (Tls, NotExecuted), "{error}");
        assert_eq!((error.attempts(), server.connections()), (1, 1));
    }
}

#[test]
fn a_name_that_is_unknown_is_connect() {
    let unknown: Lookup = Arc::new(|_, _| Err(io::Error::other("no such name")));
    assert_error(&pay(&by_name(unknown)), Connect, "host_not_found", 3);
    let (nowhere, asked) = lookup_of(Vec::new());
    assert_error(&pay(&by_name(nowhere)), Connect, "host_not_found", 3);
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

/// Pays from many threads at once, and runs `meanwhile`, which may cancel all.
/// Returns the error codes.
fn pay_at_once(
    client: &Client,
    calls: usize,
    meanwhile: impl FnOnce(&CancelHandle),
) -> Vec<Option<&'static str>> {
    let cancel = CancelHandle::new();
    let pay = || {
        let context = CallContext::new(DISTANT, cancel.clone(), None);
        let paid = client.execute(&calls::payment("order-1"), &context);
        paid.err().map(|error| error.code().as_str())
    };
    std::thread::scope(|scope| {
        let started: Vec<_> = (0..calls).map(|_| scope.spawn(pay)).collect();
        meanwhile(&cancel);
        started.into_iter().map(|call| call.join().unwrap()).collect()
    })
}

#[test]
fn a_lookup_that_panics_is_connect_and_gives_its_place_back() {
    // Like a panic, but without printing a message.
    let panicking: Lookup = Arc::new(|_, _| std::panic::resume_unwind(Box::new("lookup")));
    let client = by_name(panicking);
    // More lookups than there are places.
    let codes = pay_at_once(&client, 30, |_| {});
    assert!(codes.iter().all(|code| *code == Some("resources_exhausted")), "{codes:?}");
    assert_error(&pay(&client), Connect, "resources_exhausted", 3);
}

#[test]
fn lookups_are_bounded_whether_they_hang_or_not() {
    let server = RawServer::responding(created());
    let good = SocketAddr::from(([127, 0, 0, 1], server.port()));
    let (running, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let (hangs, peak) = (Arc::new(AtomicBool::new(true)), Arc::clone(&most));
    let wanted = Arc::clone(&hangs);
    let lookup: Lookup = Arc::new(move |_, _| {
        peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(10));
        while wanted.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(10));
        }
        running.fetch_sub(1, Ordering::SeqCst);
        Ok(vec![good])
    });
    let client = by_name(lookup);
    let codes = pay_at_once(&client, 100, |cancel| {
        wait_until("all places are taken", || most.load(Ordering::SeqCst) == 64);
        cancel.cancel();
    });
    assert!(codes.iter().all(|code| *code == Some("cancelled")), "{codes:?}");
    assert_eq!(most.load(Ordering::SeqCst), 64);

    // Lookups that hung do not block later ones.
    hangs.store(false, Ordering::SeqCst);
    let codes = pay_at_once(&client, 100, |_| {});
    assert!(codes.iter().all(Option::is_none), "{codes:?}");
    assert_eq!(most.load(Ordering::SeqCst), 64);
}

#[test]
fn the_next_address_is_tried_when_one_refuses_or_is_silent() {
    let server = RawServer::start(|mut connection| {
        while connection.read_request().is_some() && connection.write(&created()) {}
    });
    let good = SocketAddr::from(([127, 0, 0, 1], server.port()));
    let refusing = SocketAddr::from(([127, 0, 0, 1], refused_port()));
    let silent = FullQueue::new();
    for before in [vec![], vec![refusing], vec![silent.address], vec![refusing, silent.address]] {
        let (lookup, asked) = lookup_of([before, vec![good]].concat());
        let config = calls::config("http://service.test").allow_insecure_http(true);
        let config = config.connect_timeout(Duration::from_millis(900));
        let client = Client::new(config.lookup(lookup)).unwrap();
        for _ in 0..2 {
            client.create_payment(&calls::payment("order-1")).unwrap();
        }
        assert_eq!(asked.load(Ordering::SeqCst), 1, "a connection in the pool needs no lookup");
    }
    assert_eq!((server.connections(), server.requests().len()), (4, 8));
}

#[test]
fn every_address_that_refuses_is_one_attempt() {
    let refusing = |_| SocketAddr::from(([127, 0, 0, 1], refused_port()));
    let (lookup, _) = lookup_of((0..4).map(refusing).collect());
    assert_error(&pay(&by_name(lookup)), Connect, "connect_failed", 3);
}
