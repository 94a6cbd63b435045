//! Hosts with several addresses, some of them broken.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use payments_core::ErrorKind::{Cancelled, Connect, Timeout};
use payments_core::Outcome::NotExecuted;
use payments_core::transport::{Lookup, ProxySetting};
use payments_core::{CallContext, CancelHandle, Client, Config, Error};

use crate::support::calls;
use crate::support::proxy;
use crate::support::raw_server::{RawServer, created, json, response};
#[cfg(feature = "redis")]
use crate::support::redis::RedisServer;
use crate::support::redis::free_port;
use crate::support::silent::{FullQueue, refused_port};
#[cfg(target_os = "linux")]
use crate::support::tls_server::{self, Authority};
#[cfg(feature = "redis")]
use crate::support::tokens::Witness;

/// Less than half of the time for connecting, which is 5 s.
const SHORT: Duration = Duration::from_secs(2);

const PAID: &str = r#"{"status":"SUCCESS","payment":{"hash":"5f2c"}}"#;

fn local(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// An address to which this host refuses to connect: a broadcast address.
fn impossible() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::BROADCAST, 9))
}

fn always(addresses: Vec<SocketAddr>) -> Lookup {
    Arc::new(move |_, _| Ok(addresses.clone()))
}

/// Finds a silent address before that of each host.
fn with_silent<const N: usize>(silent: SocketAddr, ports: [(&'static str, u16); N]) -> Lookup {
    Arc::new(move |host, _| {
        let known = ports.iter().find(|(name, _)| *name == host);
        Ok(known.map_or_else(Vec::new, |(_, port)| vec![silent, local(*port)]))
    })
}

fn issuing() -> RawServer {
    RawServer::responding(json(r#"{"access_token":"token-1","expires_in":3600}"#))
}

fn config(lookup: Lookup) -> Config {
    calls::config("http://service.test").allow_insecure_http(true).lookup(lookup)
}

fn client(addresses: Vec<SocketAddr>) -> Client {
    Client::new(config(always(addresses))).unwrap()
}

fn pay_within(limit: Duration, client: &Client) -> Result<(), Error> {
    client.execute(&calls::payment("order-1"), &CallContext::with_timeout(limit)).map(drop)
}

fn fail(client: &Client) -> Error {
    pay_within(Duration::from_secs(20), client).unwrap_err()
}

/// A server that closes each connection after one response.
fn closing(listener: TcpListener) -> RawServer {
    RawServer::start_on(listener, |mut connection| {
        connection.read_request();
        connection.write(&response("200 OK", "connection: close\r\n", PAID));
    })
}

#[test]
fn a_silent_address_costs_no_call_its_deadline() {
    let silent = FullQueue::new();
    let service = RawServer::responding(created());
    let token_server = issuing();
    let proxy = proxy::start();
    let lookup = with_silent(
        silent.address,
        [
            ("service.test", service.port()),
            ("auth.test", token_server.port()),
            ("proxy.test", proxy.port()),
        ],
    );
    let by_name = || config(Arc::clone(&lookup));
    pay_within(SHORT, &Client::new(by_name()).unwrap()).unwrap();

    let of_service = calls::config(&service.base_url()).lookup(Arc::clone(&lookup));
    let of_service = of_service.allow_insecure_http(true);
    let with_token = of_service.clone().client_credentials("http://auth.test", "client", "secret");
    pay_within(SHORT, &Client::new(with_token).unwrap()).unwrap();

    let through_proxy = of_service.proxy(ProxySetting::Url("http://proxy.test:1".into()));
    pay_within(SHORT, &Client::new(through_proxy).unwrap()).unwrap();
    assert_eq!(proxy.connections(), 1);
    assert_eq!(service.requests().len(), 3);
}

#[cfg(feature = "redis")]
#[test]
fn a_silent_address_of_a_redis_server_does_not_end_a_call() {
    let silent = FullQueue::new();
    let (service, token_server) = (RawServer::responding(created()), issuing());
    let redis = RedisServer::start();
    let ports = [("auth.test", token_server.port()), ("redis.test", redis.port)];
    let config = calls::config(&service.base_url())
        .lookup(with_silent(silent.address, ports))
        .allow_insecure_http(true)
        .client_credentials("http://auth.test", "client", "secret")
        .allow_insecure_redis(true)
        .token_server("redis://redis.test");
    let witness = Witness::new();
    pay_within(SHORT * 2, &Client::new(config.observer(witness.clone())).unwrap()).unwrap();
    assert_eq!(witness.count("StoreBypassed"), 0, "{:?}", witness.events());
    assert!(!redis.keys().is_empty());
}

#[test]
fn the_address_that_accepted_is_tried_first_from_then_on() {
    let late = local(free_port());
    let server = closing(TcpListener::bind(local(0)).unwrap());
    let client = client(vec![late, local(server.port())]);
    pay_within(SHORT, &client).unwrap();
    let late = closing(TcpListener::bind(late).unwrap());
    for number in 2..=4 {
        pay_within(SHORT, &client).unwrap();
        assert_eq!((server.connections(), late.connections()), (number, 0));
    }
    drop(server);
}

#[test]
fn an_address_that_cannot_be_tried_does_not_stand_in_the_way() {
    let server = RawServer::responding(created());
    let unknown: SocketAddr = "[2001:db8::1]:9".parse().unwrap();
    for before in [impossible(), unknown] {
        pay_within(SHORT, &client(vec![before, local(server.port())])).unwrap();
    }
}

#[test]
fn a_failure_names_the_number_of_addresses_and_the_reasons() {
    let error = fail(&client(vec![local(refused_port()), local(refused_port())]));
    assert_eq!((error.kind(), error.code().as_str()), (Connect, "connect_failed"));
    assert!(error.message().contains("none of 2 addresses accepts: connection refused"), "{error}");

    let error = fail(&client(vec![local(refused_port()), impossible()]));
    assert_eq!((error.kind(), error.code().as_str()), (Connect, "connect_failed"));
    let said = "none of 2 addresses accepts: connection refused, and for the last ";
    assert!(error.message().contains(said), "{error}");

    let silent = FullQueue::new();
    let addresses = always(vec![local(refused_port()), silent.address]);
    let limited = config(addresses).connect_timeout(Duration::from_secs(1));
    let error = fail(&Client::new(limited).unwrap());
    assert_eq!((error.kind(), error.code().as_str()), (Connect, "connect_timed_out"));
    let said = "none of 2 addresses accepts: connection refused, and for the last timed out";
    assert!(error.message().contains(said), "{error}");

    let proxy = always(vec![local(refused_port()), local(refused_port())]);
    for (url, said) in [
        ("http://user:CANARY@proxy.test:1", "the proxy proxy.test:1: none of 2"),
        // After a slip, a part of the password may become the host.
        ("http://CANARY", "the proxy CANARY:80: none of 2"),
        ("CANARY", "the proxy: none of 2"),
    ] {
        let through = ProxySetting::Url(url.into());
        let error = fail(&Client::new(config(Arc::clone(&proxy)).proxy(through)).unwrap());
        assert!(error.message().contains(&format!("could not connect to {said}")), "{error}");
        let is_shown = error.to_string().contains("CANARY");
        assert_eq!(is_shown, said.contains("CANARY"), "{url}: {error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_address_may_have_a_zone_which_only_this_host_sees() {
    // An address that needs no IPv6 on this host.
    const ADDRESS: &str = "::ffff:127.0.0.1";
    let plain = RawServer::responding(created());
    let authority = Authority::new("ours");
    let encrypted = tls_server::start(authority.server(&[ADDRESS]), |mut connection| {
        connection.read_request();
        connection.write(&created());
    });
    let (file, nobody) = (authority.file(), always(Vec::new()));
    for zone in ["%25lo", "%251", "%lo"] {
        for (scheme, server) in [("http", &plain), ("https", &encrypted)] {
            let url = format!("{scheme}://[{ADDRESS}{zone}]:{}", server.port());
            let config = calls::config(&url).allow_insecure_http(true).ca_file(&file.0);
            let client = Client::new(config.lookup(Arc::clone(&nobody))).unwrap();
            pay_within(calls::SLACK, &client).unwrap();
            let host = format!("[{ADDRESS}]:{}", server.port());
            assert_eq!(server.requests().last().unwrap().header("host"), Some(&*host));
        }
    }
    let proxy = proxy::start();
    let through = format!("http://[{ADDRESS}%25lo]:{}", proxy.port());
    let of_plain = calls::config(&plain.base_url()).proxy(ProxySetting::Url(through.into()));
    pay_within(calls::SLACK, &Client::new(of_plain).unwrap()).unwrap();
    assert_eq!(proxy.connections(), 1);

    let unknown = calls::config("http://[fe80::1%25no-such-zone]").allow_insecure_http(true);
    let error = fail(&Client::new(unknown).unwrap());
    assert_eq!(error.code().as_str(), "host_not_found", "{error}");
    let said = "there is no network interface for the host [fe80::1%25no-such-zone]; check base";
    assert!(error.message().starts_with(said), "{error}");
}

#[test]
fn a_call_ends_at_once_while_several_addresses_are_tried() {
    let silent = [FullQueue::new(), FullQueue::new()];
    let client = client(silent.iter().map(|it| it.address).collect());
    let error = pay_within(Duration::from_millis(600), &client).unwrap_err();
    assert_eq!((error.kind(), error.outcome(), error.attempts()), (Timeout, NotExecuted, 1));

    let cancel = CancelHandle::new();
    let context = CallContext::new(Duration::from_secs(60), cancel.clone(), None);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(600));
            cancel.cancel();
        });
        let error = client.execute(&calls::payment("order-1"), &context).map(drop).unwrap_err();
        assert_eq!((error.kind(), error.outcome(), error.attempts()), (Cancelled, NotExecuted, 1));
    });
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
        connection.write(&response("200 OK", "", PAID));
    });
    pay_within(calls::SLACK, &client(vec![silent.address, local(server.port())])).unwrap();
    assert_eq!(seen.1.recv(), Ok(before));
}
