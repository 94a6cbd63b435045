//! Hosts with several addresses, some of them broken.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use payments_transport::FailureKind::{Cancelled, Timeout};
use payments_transport::inside::Cause;
use payments_transport::{CallContext, HttpSettings};

#[cfg(target_os = "linux")]
use crate::support::caller::trusting;
use crate::support::caller::{Caller, Failed, settings, through};
use crate::support::raw_server::{RawServer, json, response};
use crate::support::silent::{self, FullQueue};
#[cfg(target_os = "linux")]
use crate::support::{
    proxy,
    tls_server::{self, Authority},
};

/// Less than half of the time for connecting.
const SHORT: Duration = Duration::from_secs(2);

const SERVICE: &str = "http://service.test";

fn local(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// An address to which this host refuses to connect: a broadcast address.
fn impossible() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::BROADCAST, 9))
}

/// Settings by which each host has these addresses.
fn finding(addresses: Vec<SocketAddr>) -> HttpSettings {
    HttpSettings { lookup: Some(Arc::new(move |_, _| Ok(addresses.clone()))), ..settings() }
}

fn caller(addresses: Vec<SocketAddr>) -> Caller {
    Caller::new(SERVICE, &finding(addresses))
}

fn post_within(limit: Duration, caller: &Caller) -> Result<(), Failed> {
    caller.post_within(&CallContext::with_timeout(limit)).map(drop)
}

/// A server that closes each connection after one response.
fn closing(listener: TcpListener) -> RawServer {
    RawServer::start_on(listener, |mut connection| {
        connection.read_request();
        connection.write(&response("200 OK", "connection: close\r\n", "{}"));
    })
}

#[test]
fn the_address_that_accepted_is_tried_first_from_then_on() {
    let (late, port) = silent::bound();
    let server = closing(TcpListener::bind(local(0)).unwrap());
    let caller = caller(vec![local(port), local(server.port())]);
    post_within(SHORT, &caller).unwrap();
    late.listen(8).unwrap();
    let late = closing(late.into());
    for number in 2..=4 {
        post_within(SHORT, &caller).unwrap();
        assert_eq!((server.connections(), late.connections()), (number, 0));
    }
    drop(server);
}

#[test]
fn an_address_that_cannot_be_tried_does_not_stand_in_the_way() {
    let server = RawServer::responding(json("{}"));
    let unknown: SocketAddr = "[2001:db8::1]:9".parse().unwrap();
    for before in [impossible(), unknown] {
        post_within(SHORT, &caller(vec![before, local(server.port())])).unwrap();
    }
}

#[test]
fn a_failure_names_the_number_of_addresses_and_the_reasons() {
    let refused = || local(silent::refused_port());
    let failed = caller(vec![refused(), refused()]).failure();
    assert_eq!(failed.cause(), (Cause::NotConnected, true));
    let said = "none of 2 addresses accepts: connection refused";
    assert!(failed.message().contains(said), "{failed:?}");

    let failed = caller(vec![refused(), impossible()]).failure();
    assert_eq!(failed.cause(), (Cause::NotConnected, true));
    let said = "none of 2 addresses accepts: connection refused, and for the last ";
    assert!(failed.message().contains(said), "{failed:?}");

    let silent = FullQueue::new();
    let found = finding(vec![refused(), silent.address]);
    let limited = HttpSettings { connect_timeout: Duration::from_secs(1), ..found };
    let failed = Caller::new(SERVICE, &limited).failure();
    assert_eq!(failed.cause(), (Cause::ConnectTimedOut, true));
    let said = "none of 2 addresses accepts: connection refused, and for the last timed out";
    assert!(failed.message().contains(said), "{failed:?}");

    let found = finding(vec![refused(), refused()]);
    for (url, said) in [
        ("http://user:CANARY@proxy.test:1", "the proxy proxy.test:1: none of 2"),
        // After a slip, a part of the password may become the host.
        ("http://CANARY", "the proxy CANARY:80: none of 2"),
        ("CANARY", "the proxy: none of 2"),
    ] {
        let failed = Caller::new(SERVICE, &through(url, found.clone())).failure();
        let message = failed.message();
        assert!(message.contains(&format!("could not connect to {said}")), "{message}");
        let is_shown = message.contains("CANARY");
        assert_eq!(is_shown, said.contains("CANARY"), "{url}: {message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_address_may_have_a_zone_which_only_this_host_sees() {
    // An address that needs no IPv6 on this host.
    const ADDRESS: &str = "::ffff:127.0.0.1";
    let plain = RawServer::responding(json("{}"));
    let authority = Authority::new("ours");
    let encrypted = tls_server::start(authority.server(&[ADDRESS]), |mut connection| {
        connection.read_request();
        connection.write(&json("{}"));
    });
    let nobody = finding(Vec::new());
    let trusted = HttpSettings { roots: trusting(&authority.pem()).roots, ..nobody.clone() };
    for zone in ["%25lo", "%251", "%lo"] {
        for (scheme, server) in [("http", &plain), ("https", &encrypted)] {
            let url = format!("{scheme}://[{ADDRESS}{zone}]:{}", server.port());
            Caller::new(&url, &trusted).body();
            let host = format!("[{ADDRESS}]:{}", server.port());
            assert_eq!(server.requests().last().unwrap().header("host"), Some(&*host));
        }
    }
    let proxy = proxy::start();
    let url = format!("http://[{ADDRESS}%25lo]:{}", proxy.port());
    Caller::new(&plain.base_url(), &through(&url, settings())).body();
    assert_eq!(proxy.connections(), 1);

    let failed = Caller::new("http://[fe80::1%25no-such-zone]", &settings()).failure();
    assert_eq!(failed.cause(), (Cause::HostNotFound, true), "{failed:?}");
    let said = "there is no network interface for the host [fe80::1%25no-such-zone]; check base";
    assert!(failed.message().starts_with(said), "{failed:?}");
}

#[test]
fn a_call_ends_at_once_while_several_addresses_are_tried() {
    let silent = [FullQueue::new(), FullQueue::new()];
    let caller = caller(silent.iter().map(|it| it.address).collect());
    let soon = Duration::from_millis(600);
    let failed = post_within(soon, &caller).unwrap_err();
    assert_eq!(failed.kind(), (Timeout, true));
    assert_eq!(caller.post_until(soon).kind(), (Cancelled, true));
}

/// How many sockets of this system wait for `peer` to accept.
#[cfg(target_os = "linux")]
fn connecting_to(peer: SocketAddr) -> usize {
    const SYN_SENT: &str = "02";
    let remote = format!("0100007F:{:04X}", peer.port());
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.filter(|row| row[2] == remote && row[3] == SYN_SENT).count()
}

#[cfg(target_os = "linux")]
#[test]
fn sockets_that_lose_are_closed() {
    let silent = FullQueue::new();
    let before = connecting_to(silent.address);
    let (address, seen) = (silent.address, std::sync::mpsc::channel());
    let during = seen.0;
    let server = RawServer::start(move |mut connection| {
        connection.read_request();
        during.send(connecting_to(address)).unwrap();
        connection.write(&response("200 OK", "", "{}"));
    });
    caller(vec![silent.address, local(server.port())]).body();
    assert_eq!(seen.1.recv(), Ok(before));
}
