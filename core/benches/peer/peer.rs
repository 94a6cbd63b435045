//! The peer of the benchmarks of Python and Node: the server, and the same call
//! in Rust.
//!
//! Prints the address of the server and a new key on standard output; for each number
//! on standard input it makes that many calls and prints how long each took, in
//! nanoseconds.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../server/mod.rs"]
mod server;

use std::io::BufRead as _;
use std::time::Instant;

use payments_core::json::{Json, Members};
use payments_core::request::CreatePayment;
use payments_core::{Client, Config};
use server::Server;

const BODY: &str = r#"{"payment":{"name":"Maria Souza","email":"maria@example.com","country":"br","payment_type_code":"pix","merchant_payment_code":"order-1001","currency_code":"BRL","amount_total":100.10,"document":"853.513.468-93"}}"#;

fn main() {
    if server::is_asked_for() {
        return server::serve();
    }
    let server = Server::start();
    let url = format!("http://127.0.0.1:{}", server.port);
    let key = payments_core::signer::generate_key().unwrap();
    let addresses = Members::from([
        ("url", Json::from(url.as_str())),
        ("tls_url", format!("https://127.0.0.1:{}", server.port).into()),
        ("ca_file", server.ca_file.to_str().unwrap().into()),
        ("private_key", key.private_key_pem.expose().into()),
        ("public_key", key.public_key_pem.as_str().into()),
    ]);
    println!("{}", Json::Object(addresses).to_text());

    let config = Config::new(url).integration_key("key");
    let client = Client::new(config.signing_key(key.private_key_pem, "bench-key")).unwrap();
    let request = CreatePayment::from_json(BODY.as_bytes()).unwrap();
    for line in std::io::stdin().lock().lines() {
        let count: usize = line.unwrap().trim().parse().unwrap();
        let times = (0..count).map(|_| {
            let started = Instant::now();
            client.create_payment(&request).unwrap();
            Json::from(started.elapsed().as_nanos())
        });
        println!("{}", Json::Array(times.collect()).to_text());
    }
}
