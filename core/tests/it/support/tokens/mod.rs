//! Support for token tests: an in-memory service, a clock set by hand, and
//! stores that fail on command.

mod clock;
mod gate;
mod service;
mod store;
mod witness;

use std::sync::{Arc, Barrier};
use std::time::Duration;

use payments_core::request::{RawRequest, RawResponse};
use payments_core::{Client, Config, Environment, Error};

pub use clock::ManualClock;
pub use gate::Gate;
pub use service::{
    Sent, Service, accepted, broken, refused_connection, status, status_with, timed_out,
    token_response,
};
pub use store::{Action, Fault, TestStore};
pub use witness::Witness;

/// The lifetime of a token in production.
pub const HOUR: Duration = Duration::from_secs(3600);
pub const DAY: Duration = Duration::from_secs(86_400);
/// The number of concurrent callers.
pub const MANY: usize = 64;
pub const CLIENT_SECRET: &str = "client-secret-CANARY";

pub fn seconds(number: u64) -> Duration {
    Duration::from_secs(number)
}

pub fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}

/// A production client of `service` that sends a bearer token but no signature.
pub fn config(service: &Arc<Service>, clock: &Arc<ManualClock>) -> Config {
    Config::new("https://api.example")
        .client_credentials("https://auth.example", "client-id", CLIENT_SECRET)
        .transport(service.clone())
        .clock(clock.clone())
        .timeout(seconds(60))
}

/// Like [`config`], with a signature, and with tokens that last a day.
pub fn signed_config(service: &Arc<Service>, clock: &Arc<ManualClock>) -> Config {
    config(service, clock)
        .environment(Environment::Sandbox)
        .allow_small_keys(true)
        .signing_key_file(key_file("test_rsa_2048_pkcs8.pem"), "kid-1")
}

pub fn key_file(name: &str) -> String {
    format!("{}/../tests/vectors/keys/{name}", env!("CARGO_MANIFEST_DIR"))
}

pub fn client(config: Config) -> Client {
    Client::new(config).expect("the configuration is complete")
}

/// A service, its clock, and one client.
pub fn stage() -> (Arc<Service>, Arc<ManualClock>, Client) {
    let (service, clock) = (Service::new(), ManualClock::new());
    let client = client(config(&service, &clock));
    (service, clock, client)
}

/// Makes a call that carries a token.
pub fn call(client: &Client) -> Result<RawResponse, Error> {
    client.send(&RawRequest::new("POST", "/ws/any").body(&b"{}"[..]))
}

/// Runs `act` on `count` threads that start together.
pub fn at_once<R: Send>(count: usize, act: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let (start, act) = (Barrier::new(count), &act);
    std::thread::scope(|scope| {
        let run = |number| {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                act(number)
            })
        };
        let threads: Vec<_> = (0..count).map(run).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    })
}
