//! When a call has ended, nothing more of its request leaves this host.
//!
//! Two things keep bytes in the kernel: a peer that stops reading, and a
//! network that is down. `tests/fork` has the calls whose process has forked.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use payments_core::request::RawRequest;
use payments_core::transport::ProxySetting;
use payments_core::{CallContext, CancelHandle, Client, Config, Error, ErrorKind, Outcome};

use crate::support::network::{self, Outage};
use crate::support::silent::MuteListener;
use crate::support::tls_server::Authority;
use crate::support::unread::UnreadConnection;
use crate::support::{calls, child};

/// Long enough to reach the peer, even on a busy machine.
const SHORT: Duration = Duration::from_secs(2);
const LONG: Duration = Duration::from_secs(60);
const URL: &str = "TEST_LATE_BYTES_URL";
const BODY_BYTES: usize = 300_000;

/// A request that the client's kernel accepts and the peer's does not.
fn large() -> RawRequest {
    RawRequest::new("POST", "/ws/transfer").body(vec![b' '; BODY_BYTES])
}

fn client(peer: &MuteListener) -> Client {
    calls::client(&peer.url("http"))
}

/// Sends a request to a peer that accepts it with `accept`, and runs `end` when
/// bytes have arrived there. Returns the call's error and the bytes that
/// arrived.
fn give_up(
    client: &Client,
    context: &CallContext,
    accept: impl FnOnce() -> UnreadConnection,
    end: impl FnOnce(),
) -> (Error, Vec<u8>) {
    std::thread::scope(|scope| {
        let call = scope.spawn(|| client.execute(&large(), context).map(drop).unwrap_err());
        let peer = accept();
        peer.wait_for_bytes();
        end();
        let error = call.join().unwrap();
        (error, peer.read_on())
    })
}

fn must_be_cut(given_up: (Error, Vec<u8>), kind: ErrorKind) {
    let (error, arrived) = given_up;
    assert_eq!((error.kind(), error.outcome()), (kind, Outcome::Unknown), "{error}");
    assert!((1..BODY_BYTES).contains(&arrived.len()), "{}", arrived.len());
}

#[test]
fn nothing_arrives_after_the_deadline() {
    let peer = MuteListener::new();
    let context = CallContext::with_timeout(SHORT);
    let given_up = give_up(&client(&peer), &context, || peer.accept(), || {});
    must_be_cut(given_up, ErrorKind::Timeout);
}

#[test]
fn nothing_arrives_after_a_cancellation() {
    let peer = MuteListener::new();
    let cancel = CancelHandle::new();
    let context = CallContext::new(LONG, cancel.clone(), None);
    let given_up = give_up(&client(&peer), &context, || peer.accept(), || cancel.cancel());
    must_be_cut(given_up, ErrorKind::Cancelled);
}

#[test]
fn nothing_arrives_after_the_process_was_killed() {
    if let Ok(url) = std::env::var(URL) {
        let context = CallContext::with_timeout(LONG);
        let ended = calls::client(&url).execute(&large(), &context).map(drop);
        panic!("still alive: {ended:?}");
    }
    let peer = MuteListener::new();
    let mut process = child::command(nothing_arrives_after_the_process_was_killed);
    let mut process = process.env(URL, peer.url("http")).spawn().unwrap();
    let connection = peer.accept();
    connection.wait_for_bytes();
    process.kill().unwrap();
    process.wait().unwrap();
    let arrived = connection.read_on();
    assert!((1..BODY_BYTES).contains(&arrived.len()), "{}", arrived.len());
}

#[test]
fn nothing_arrives_late_under_tls() {
    let peer = MuteListener::new();
    let authority = Authority::new("ours");
    let file = authority.file();
    let tls = authority.server(&["127.0.0.1"]);
    let client = Client::new(calls::config(&peer.url("https")).ca_file(&file.0)).unwrap();
    let shake_hands = || {
        let mut connection = peer.accept();
        let mut session = rustls::ServerConnection::new(Arc::clone(&tls)).unwrap();
        while session.is_handshaking() {
            session.complete_io(&mut connection.0).unwrap();
        }
        connection
    };
    let context = CallContext::with_timeout(SHORT);
    must_be_cut(give_up(&client, &context, shake_hands, || {}), ErrorKind::Timeout);
}

#[test]
fn nothing_arrives_late_through_a_proxy() {
    let peer = MuteListener::new();
    let config = calls::config("http://127.0.0.1:1");
    let proxy = ProxySetting::Url(peer.url("http").into());
    let client = Client::new(config.proxy(proxy)).unwrap();
    let open_tunnel = || {
        let mut connection = peer.accept();
        let head = read_head(&mut connection.0);
        assert!(head.starts_with("CONNECT 127.0.0.1:1 "), "{head}");
        connection.0.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").unwrap();
        connection
    };
    let context = CallContext::with_timeout(SHORT);
    must_be_cut(give_up(&client, &context, open_tunnel, || {}), ErrorKind::Timeout);
}

fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend_from_slice(&byte);
    }
    String::from_utf8(head).unwrap()
}

/// Makes a call whose request to `peer` is small enough to arrive whole.
/// Returns the call's error.
fn give_up_small(config: Config, peer: &MuteListener) -> Error {
    let client = Client::new(config.timeout(SHORT)).unwrap();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| client.create_payment(&calls::payment("order-1")).map(drop));
        let connection = peer.accept();
        connection.wait_for_bytes();
        let error = call.join().unwrap().unwrap_err();
        assert!(!connection.read_on().is_empty());
        error
    })
}

#[test]
fn a_connection_to_the_token_server_is_reset() {
    let peer = MuteListener::new();
    let config = calls::config("http://127.0.0.1:1");
    let auth_url = format!("{}/oauth/token", peer.url("http"));
    let error = give_up_small(config.client_credentials(auth_url, "id", "secret"), &peer);
    assert_eq!(error.outcome(), Outcome::NotExecuted, "{error}");
}

#[cfg(feature = "redis")]
#[test]
fn a_connection_to_a_redis_server_is_reset() {
    let peer = MuteListener::new();
    let config = calls::config("http://127.0.0.1:1")
        .client_credentials("http://127.0.0.1:1/oauth/token", "id", "secret")
        .token_server(peer.url("redis"));
    let error = give_up_small(config, &peer);
    assert_eq!(error.outcome(), Outcome::NotExecuted, "{error}");
}

#[test]
fn nothing_arrives_when_the_network_returns() {
    let this = nothing_arrives_when_the_network_returns;
    if let Some((url, end)) = network::payer() {
        return pay(&url, end.as_deref());
    }
    if !network::is_inside(this) {
        return;
    }
    let ends: [(_, fn(&mut Outage)); 4] = [
        ("times out", |outage| outage.wait_for("timeout unknown")),
        ("is cancelled", |outage| {
            outage.tell("cancel");
            outage.wait_for("cancelled unknown");
        }),
        ("is killed", Outage::kill),
        ("is frozen past its deadline", |outage| {
            outage.freeze();
            outage.wait_for_kernel();
        }),
    ];
    std::thread::scope(|scope| {
        for (number, (name, end)) in (1..).zip(ends) {
            scope.spawn(move || {
                let mut outage = Outage::start(number, this, name);
                end(&mut outage);
                outage.must_have_dropped_the_request();
            });
        }
    });
}

fn pay(url: &str, end: Option<&str>) {
    let client = Client::new(calls::config(url).allow_insecure_http(true)).unwrap();
    client.create_payment(&calls::payment("first")).unwrap();
    let Some(end) = end else { return };
    network::wait_for_outage();
    let cancel = CancelHandle::new();
    let limit = if matches!(end, "is cancelled" | "is killed") { LONG } else { SHORT };
    let context = CallContext::new(limit, cancel.clone(), None);
    std::thread::spawn(move || {
        network::hear();
        cancel.cancel();
    });
    let error = client.execute(&calls::payment("second"), &context).map(drop).unwrap_err();
    println!("{} {}", error.kind(), error.outcome());
    // The end of the process would drop the request as well.
    network::hear();
}
