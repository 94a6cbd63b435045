//! Hosts with a silent address: no call has to wait for it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use payments_core::transport::{Lookup, ProxySetting};
use payments_core::{CallContext, Client, Error};

use crate::support::calls;
use crate::support::proxy;
use crate::support::raw_server::{RawServer, created, json};
#[cfg(feature = "redis")]
use crate::support::redis::RedisServer;
use crate::support::silent::FullQueue;
#[cfg(feature = "redis")]
use crate::support::tokens::Witness;

/// Less than half of the time for connecting, which is 5 s.
const SHORT: Duration = Duration::from_secs(2);

fn local(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
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

fn pay_within(limit: Duration, client: &Client) -> Result<(), Error> {
    client.execute(&calls::payment("order-1"), &CallContext::with_timeout(limit)).map(drop)
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
    let by_name = calls::config("http://service.test").lookup(Arc::clone(&lookup));
    pay_within(SHORT, &Client::new(by_name.allow_insecure_http(true)).unwrap()).unwrap();

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
