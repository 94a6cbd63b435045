//! The cost of a first payment when the service is 100 ms away, with and
//! without warming up, and after a minute of silence: `make bench`.
//!
//! A relay holds everything for 50 ms each way, and the first bytes of a client
//! for one round trip more, the time to open the connection.

#![allow(clippy::unwrap_used, missing_docs)]

mod rows;
mod server;

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use payments_core::request::{CreatePayment, Payment};
use payments_core::{Client, Config};
use rows::Row;
use server::Server;

const ONE_WAY: Duration = Duration::from_millis(50);
const ROUND_TRIP: Duration = Duration::from_millis(100);
const SILENCE: Duration = Duration::from_secs(60);
/// Clients of each kind.
const CLIENTS: usize = 7;

fn main() {
    if server::is_asked_for() {
        return server::serve();
    }
    // `cargo test --benches` only wants to see that this builds and starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let server = Server::start();
    let port = relay_to(server.port);
    let key = payments_core::signer::generate_key().unwrap();
    let pem = key.private_key_pem.expose();
    // A client each, since equal ones would share token and connections.
    let client = |name: &str, number: usize| {
        let url = format!("https://127.0.0.1:{port}");
        let config = Config::new(&url).ca_file(&server.ca_file).signing_key(pem, "bench-key");
        let id = format!("{name}-{number}");
        Client::new(config.integration_key("key").client_credentials(&url, id, "secret")).unwrap()
    };
    let clients = |name: &str| (0..CLIENTS).map(|it| client(name, it)).collect::<Vec<_>>();
    let (cold, warm) = (clients("cold"), clients("warm"));

    let signer = Config::new("http://127.0.0.1:1").integration_key("key");
    let signer = Client::new(signer.signing_key(pem, "bench-key")).unwrap();
    let signature = median((0..CLIENTS).map(|_| signature(&signer)));
    let first = median(cold.iter().map(pay));
    let warming = median(warm.iter().map(|it| timed(|| it.warm_up(&it.context()).unwrap())));
    // One after the other, so that none is idle for long before it pays.
    let warmed = median(clients("ready").iter().map(|it| {
        it.warm_up(&it.context()).unwrap();
        pay(it)
    }));
    std::thread::sleep(SILENCE);
    let later = median(warm.iter().map(pay));
    let over = warmed.saturating_sub(ROUND_TRIP + signature);
    let trips = |took: Duration| {
        let count = took.saturating_sub(signature).as_secs_f64() / ROUND_TRIP.as_secs_f64();
        format!("{:.0} ms, {count:.1} round trips and a signature", took.as_secs_f64() * 1e3)
    };
    rows::print(&[
        Row::new("first payment over TLS, 100 ms away, with a token to fetch", trips(first), "—"),
        Row::new("warming up", trips(warming + signature), "—"),
        Row::new("first payment after warming up", trips(warmed), "1 round trip and a signature")
            .reached(over <= ROUND_TRIP / 10),
        Row::new("payment after a minute of silence", trips(later), "—"),
    ]);
}

fn pay(client: &Client) -> Duration {
    timed(|| drop(client.create_payment(&CreatePayment::new(payment())).unwrap()))
}

fn signature(client: &Client) -> Duration {
    timed(|| drop(client.prepare(&CreatePayment::new(payment()), &client.context()).unwrap()))
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn median(took: impl Iterator<Item = Duration>) -> Duration {
    let mut took: Vec<_> = took.collect();
    took.sort();
    took[took.len() / 2]
}

/// The port of the relay.
fn relay_to(port: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(("127.0.0.1", port)).unwrap();
            let from_client = (client.try_clone().unwrap(), server.try_clone().unwrap());
            relay(from_client.0, from_client.1, ROUND_TRIP);
            relay(server, client, Duration::ZERO);
        }
    });
    own
}

/// Passes on the bytes of one side, each piece when it has been on its way long
/// enough, and the first ones not before `opened` is over too.
fn relay(mut from: TcpStream, mut to: TcpStream, opened: Duration) {
    to.set_nodelay(true).unwrap();
    let (sender, pieces) = mpsc::channel::<(Instant, Vec<u8>)>();
    let open = Instant::now() + opened;
    std::thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while let Ok(amount @ 1..) = from.read(&mut buffer) {
            let arrives = Instant::now().max(open) + ONE_WAY;
            sender.send((arrives, buffer[..amount].to_vec())).unwrap();
        }
    });
    std::thread::spawn(move || {
        for (arrives, piece) in pieces {
            std::thread::sleep(arrives.saturating_duration_since(Instant::now()));
            if to.write_all(&piece).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Write);
    });
}

fn payment() -> Payment {
    Payment {
        name: "Maria Souza".into(),
        email: "maria@example.com".into(),
        country: "br".into(),
        payment_type_code: "pix".into(),
        merchant_payment_code: "order-1001".into(),
        currency_code: "BRL".into(),
        amount_total: "100.10".parse().unwrap(),
        document: Some("853.513.468-93".into()),
        ..Payment::default()
    }
}
