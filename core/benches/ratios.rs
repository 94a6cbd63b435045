//! The cost of the library compared with the signature, as ratios measured in
//! one run: `make bench`.
//!
//! Everything is measured in turns and compared by medians, so that a noisy
//! machine disturbs both sides equally. The server is its own process, and
//! responds without looking at anything.

#![allow(clippy::unwrap_used, missing_docs)]

mod rows;
mod server;

use std::hint::black_box;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::signature::RSA_PKCS1_SHA256;
use payments_core::request::{CreatePayment, Payment};
use payments_core::signer::{LocalSigner, PrivateKey, Signer, SignerError, SigningInput};
use payments_core::{CallContext, Client, Config};
use rows::Row;
use server::Server;

const CALLS_IN_FLIGHT: usize = 500;

fn main() {
    if server::is_asked_for() {
        return server::serve();
    }
    // `cargo test --benches` only wants to see that this builds and starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let server = Server::start();
    let key = test_key();
    let rows = [prepare_row(&key), call_row(&key, &server), scaling_row(&key), memory_row(&server)];
    rows::print(&rows);
}

/// Building, checking and preparing a payment, with a signer that costs
/// nothing.
fn prepare_row(key: &TestKey) -> Row {
    let client = Client::new(
        Config::new("http://127.0.0.1:1").integration_key("key").signer(Arc::new(FreeSigner)),
    )
    .unwrap();
    let context = CallContext::with_timeout(Duration::from_secs(3600));
    let input = vec![7; 400];
    let (mut prepare, mut sign) = (Vec::new(), Vec::new());
    for round in 0..2_200 {
        let started = Instant::now();
        let request = CreatePayment::new(payment());
        black_box(client.prepare(&request, &context).unwrap());
        let took = started.elapsed();
        // Warming up is not measured.
        if round >= 200 {
            prepare.push(took);
        }
        if round % 10 == 0 {
            sign.push(timed(|| key.sign(&input)));
        }
    }
    let (prepare, sign) = (median(prepare), median(sign));
    println!("prepare {prepare:?}, bare signature {sign:?}");
    let total = 1.0 + prepare.as_secs_f64() / sign.as_secs_f64();
    let microseconds = prepare.as_secs_f64() * 1e6;
    let measured = format!("{microseconds:.1} µs ({total:.3} × one bare signature)");
    Row::new("preparing a payment, signature not counted", measured, "≤ 20 µs")
        .reached(microseconds <= 20.0)
}

/// A call over a connection that is open, against a bare signature and a bare
/// round trip of as many bytes.
fn call_row(key: &TestKey, server: &Server) -> Row {
    let url = format!("http://127.0.0.1:{}", server.port);
    let config = Config::new(url).integration_key("key");
    let client = Client::new(config.signing_key(key.pem.as_str(), "bench-key")).unwrap();
    let request = CreatePayment::new(payment());
    let sent = client.prepare(&request, &client.context()).unwrap();
    let input = [b"x".repeat(96), sent.body().to_vec()].concat();
    let head = "x".repeat(900);
    let bytes = format!("POST / HTTP/1.1\r\nx: {head}\r\ncontent-length: {}\r\n\r\n", input.len());
    let bytes = [bytes.as_bytes(), &input].concat();
    let mut bare = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    bare.set_nodelay(true).unwrap();
    let mut buffer = vec![0; 16 * 1024];

    let (mut calls, mut parts) = (Vec::new(), Vec::new());
    for round in 0..1_100 {
        let call = timed(|| client.create_payment(&request).unwrap());
        let part = timed(|| {
            key.sign(&input);
            bare.write_all(&bytes).unwrap();
            bare.read(&mut buffer).unwrap()
        });
        if round >= 100 {
            calls.push(call);
            parts.push(part);
        }
    }
    let (call, part) = (median(calls), median(parts));
    println!("keep-alive call {call:?}, bare signature and round trip {part:?}");
    let ratio = call.as_secs_f64() / part.as_secs_f64();
    let what = "keep-alive call on loopback / (bare signature + bare round trip)";
    Row::new(what, format!("{ratio:.3}"), "≤ 1.10").reached(ratio <= 1.1)
}

/// How much more two threads sign than one, through one client.
fn scaling_row(key: &TestKey) -> Row {
    let config = Config::new("http://127.0.0.1:1").signing_key(key.pem.as_str(), "bench-key");
    let client = Client::new(config).unwrap();
    let prepared_by = |threads: usize| {
        let until = Instant::now() + Duration::from_millis(700);
        let counts = std::thread::scope(|scope| {
            let sign = || {
                let mut count = 0_u32;
                let request = CreatePayment::new(payment());
                let context = CallContext::with_timeout(Duration::from_secs(60));
                while Instant::now() < until {
                    black_box(client.prepare(&request, &context).unwrap());
                    count += 1;
                }
                count
            };
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(sign)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u32>()
        });
        f64::from(counts)
    };
    let mut ratios: Vec<f64> = (0..7).map(|_| prepared_by(2) / prepared_by(1)).collect();
    ratios.sort_by(f64::total_cmp);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("two threads against one, on {cores} cores: {ratios:.2?}");
    let ratio = ratios[ratios.len() / 2];
    Row::new("payments signed by two threads / by one", format!("{ratio:.2}"), "≥ 1.8")
        .reached(ratio >= 1.8)
}

/// The memory of calls in flight.
fn memory_row(server: &Server) -> Row {
    let url = format!("http://127.0.0.1:{}", server.port);
    let config = Config::new(url).signer(Arc::new(FreeSigner)).integration_key("slow");
    let client = Client::new(config.timeout(Duration::from_secs(60))).unwrap();
    client.create_payment(&CreatePayment::new(payment())).unwrap();
    let idle = resident_kib();
    let most = std::thread::scope(|scope| {
        for _ in 0..CALLS_IN_FLIGHT {
            let client = &client;
            let call =
                move || client.create_payment(&CreatePayment::new(slow_payment())).map(|_| ());
            std::thread::Builder::new().stack_size(256 * 1024).spawn_scoped(scope, call).unwrap();
        }
        let watched = (0..100).map(|_| {
            std::thread::sleep(Duration::from_millis(20));
            resident_kib()
        });
        watched.max().unwrap()
    });
    let over = (most - idle) / 1024;
    println!("resident {idle} KiB idle, {most} KiB with {CALLS_IN_FLIGHT} calls in flight");
    let what = "memory of 500 calls in flight over the idle process";
    Row::new(what, format!("{over} MiB"), "≤ 64 MiB").reached(over <= 64)
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    black_box(work());
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
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

/// The server responds to this one after two seconds.
fn slow_payment() -> Payment {
    Payment { merchant_payment_code: "slow".into(), ..payment() }
}

struct TestKey {
    pem: String,
    key: KeyPair,
}

impl TestKey {
    fn sign(&self, input: &[u8]) -> Vec<u8> {
        let mut signature = vec![0; self.key.public_modulus_len()];
        self.key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), input, &mut signature).unwrap();
        signature
    }
}

fn test_key() -> TestKey {
    let generated = payments_core::signer::generate_key().unwrap();
    let pem = generated.private_key_pem.expose().to_owned();
    // That it parses here shows that both sides of a ratio use one key.
    LocalSigner::new(&PrivateKey::from_pem(&pem, None, false).unwrap(), "bench-key").unwrap();
    let der = pem_body(&pem);
    TestKey { key: KeyPair::from_pkcs8(&der).unwrap(), pem }
}

fn pem_body(pem: &str) -> Vec<u8> {
    use base64::Engine as _;
    let text: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}

/// Costs nothing: what remains is the library.
struct FreeSigner;

impl Signer for FreeSigner {
    fn kid(&self) -> &str {
        "bench-key"
    }

    fn sign(&self, _: &CallContext, _: &SigningInput<'_>) -> Result<Vec<u8>, SignerError> {
        Ok(vec![7; 512])
    }
}
