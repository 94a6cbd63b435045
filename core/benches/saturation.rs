//! Waits of calls when more are in flight than there are cores: `make bench`.

#![allow(clippy::unwrap_used, missing_docs)]

mod load;
mod rows;
mod server;

use payments_core::request::CreatePayment;
use payments_core::{Client, Config};
use server::Server;

const BODY: &[u8] = br#"{"payment":{"name":"Maria Souza","email":"maria@example.com","country":"br","payment_type_code":"pix","merchant_payment_code":"order-1001","currency_code":"BRL","amount_total":100.10,"document":"853.513.468-93"}}"#;

fn main() {
    if server::is_asked_for() {
        return server::serve();
    }
    // `cargo test --benches` only wants to see that this builds and starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let server = Server::start();
    let key = payments_core::signer::generate_key().unwrap();
    let config = Config::new(format!("http://127.0.0.1:{}", server.port))
        .signing_key(key.private_key_pem.expose(), "bench-key");
    let in_turn = Client::new(config.clone()).unwrap();
    let at_once = Client::new(config.signing_threads(usize::MAX)).unwrap();
    let request = CreatePayment::from_json(BODY).unwrap();
    rows::print(&load::saturate(
        "Rust",
        &|| drop(in_turn.create_payment(&request).unwrap()),
        &|| drop(at_once.create_payment(&request).unwrap()),
    ));
}
