//! The cost of PHP compared with Rust, and with PHP code without the library:
//! `make bench`.
//!
//! PAYMENTS_LIBRARY names the shared library. Rust, PHP through the library,
//! and PHP with ext-curl and openssl_sign take turns against one server.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../../core/benches/rows/mod.rs"]
mod rows;
#[path = "../../core/benches/server/mod.rs"]
mod server;
mod start;

use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use payments_core::json::Json;
use payments_core::request::CreatePayment;
use payments_core::{Client, Config};
use rows::Row;
use server::Server;

const BODY: &str = r#"{"payment":{"name":"Maria Souza","email":"maria@example.com","country":"br","payment_type_code":"pix","merchant_payment_code":"order-1001","currency_code":"BRL","amount_total":"100.10","document":"853.513.468-93"}}"#;

/// The two processes take turns of several calls each: the first ones of a turn
/// find the other's data in the caches, and are not measured.
const TURNS: usize = 101;
const CALLS: usize = 20;
const COLD: usize = 5;

fn main() {
    if server::is_asked_for() {
        return server::serve();
    }
    // `cargo test --benches` only wants to see that this builds and starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let server = Server::start();
    let url = format!("http://127.0.0.1:{}", server.port);
    let key = payments_core::signer::generate_key().unwrap();
    let pem = key.private_key_pem.expose();
    let mut rows = Vec::from(call_rows(&url, pem));
    rows.push(tls_row(&server, pem));
    rows.push(observed_row(&url, pem));
    rows.extend(start_rows(&url, pem));
    rows::print(&rows);
}

/// Calls through one open connection each.
fn call_rows(url: &str, pem: &str) -> [Row; 2] {
    let config = Config::new(url).integration_key("key").signing_key(pem, "bench-key");
    let rust = Client::new(config).unwrap();
    let request = CreatePayment::from_json(BODY.as_bytes()).unwrap();
    let mut php = Php::start(&config_text(url, pem, None));

    let by_rust_once = || {
        let started = Instant::now();
        black_box(rust.create_payment(&request).unwrap());
        started.elapsed()
    };
    let (mut by_rust, mut by_php, mut by_curl) = (Vec::new(), Vec::new(), Vec::new());
    for turn in 0..TURNS {
        let rust_took = (0..CALLS).map(|_| by_rust_once()).collect();
        let (php_took, curl_took) = (php.took("library", CALLS), php.took("curl", CALLS));
        if turn > 0 {
            by_rust.extend(warm(rust_took));
            by_php.extend(warm(php_took));
            by_curl.extend(warm(curl_took));
        }
    }
    let [by_rust, by_php, by_curl] = [by_rust, by_php, by_curl].map(first_quartile);
    println!("keep-alive call by Rust {by_rust:?}, by PHP {by_php:?}, by ext-curl {by_curl:?}");
    let (over_rust, curl) = (ratio(by_php, by_rust), ratio(by_curl, by_php));
    let what = "the same request by ext-curl and openssl_sign / through PHP";
    [
        Row::new("keep-alive call through PHP / through Rust", format!("{over_rust:.3}"), "≤ 1.03")
            .reached(over_rust <= 1.03),
        Row::new(what, format!("{curl:.2}"), "—"),
    ]
}

/// Calls over TLS whose PHP code keeps nothing from one to the next, as under
/// PHP-FPM: clients share what the library keeps.
fn tls_row(server: &Server, pem: &str) -> Row {
    let url = format!("https://127.0.0.1:{}", server.port);
    let mut php = Php::start(&config_text(&url, pem, server.ca_file.to_str()));
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        let (our, other) = (php.took("new-client", CALLS), php.took("new-handle", CALLS));
        if turn > 0 {
            ours.extend(warm(our));
            others.extend(warm(other));
        }
    }
    let [ours, others] = [ours, others].map(first_quartile);
    println!("new each over TLS: client in PHP {ours:?}, handle of ext-curl {others:?}");
    let ratio = ratio(ours, others);
    let what = "call over TLS with a new client each in PHP / by ext-curl and openssl_sign with a \
                new handle each";
    Row::new(what, format!("{ratio:.2}"), "≤ 1.00").reached(ratio <= 1.0)
}

/// More clients with the configuration of another, which share its parsed key.
fn observed_row(url: &str, pem: &str) -> Row {
    let mut php = Php::start(&config_text(url, pem, None));
    let (mut plain, mut observed) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        let (plain_took, observed_took) = (php.took("client", CALLS), php.took("observed", CALLS));
        if turn > 0 {
            plain.extend(warm(plain_took));
            observed.extend(warm(observed_took));
        }
    }
    let [plain, observed] = [plain, observed].map(first_quartile);
    println!("another client in PHP {plain:?}, with an observer {observed:?}");
    let took = format!("{:.2} ms", observed.as_secs_f64() * 1e3);
    Row::new("another client in PHP, with an observer", took, "≤ 0.25 ms on an idle machine")
        .reached(observed <= Duration::from_micros(250))
}

/// Processes that make one call.
fn start_rows(url: &str, pem: &str) -> [Row; 3] {
    let file = std::env::temp_dir().join(format!("payments-bench-php-{}.json", std::process::id()));
    std::fs::write(&file, config_text(url, pem, None)).unwrap();
    let started = start::measure(|| {
        let mut command = php_command("start.php");
        command.arg(&file);
        command
    });
    std::fs::remove_file(&file).unwrap();
    let [whole, loading, client] = [started.whole, started.loading, started.client]
        .map(|took| format!("{:.2} ms", took.as_secs_f64() * 1e3));
    let is_reached = started.client <= Duration::from_millis(3);
    [
        Row::new("from the start of PHP to the first response", whole, "—"),
        Row::new("loading libpayments.so in PHP", loading, "—"),
        Row::new("a client from PEM in PHP", client, "≤ 3 ms on an idle machine")
            .reached(is_reached),
    ]
}

/// A script of the package, with the library.
fn php_command(script: &str) -> Command {
    let library = std::env::var_os("PAYMENTS_LIBRARY")
        .unwrap_or_else(|| panic!("PAYMENTS_LIBRARY is not set: run make bench"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bindings-php/benches");
    let mut command = Command::new("php");
    command.arg(folder.join(script)).env("LIBPAYMENTS_LIBRARY", library);
    command
}

fn config_text(url: &str, pem: &str, ca_file: Option<&str>) -> Vec<u8> {
    let members = [("integration_key", "key"), ("kid", "bench-key"), ("key", pem)];
    let members = members.into_iter().chain([("base_url", url)]);
    let members = members.chain(ca_file.map(|file| ("ca_file", file)));
    Json::Object(members.collect()).to_bytes()
}

/// A PHP process that makes calls on command.
struct Php {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Php {
    fn start(config: &[u8]) -> Self {
        let mut command = php_command("calls.php");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        input.write_all(config).unwrap();
        input.write_all(b"\n").unwrap();
        Self { child, input, output }
    }

    /// How long PHP says that each took.
    fn took(&mut self, act: &str, times: usize) -> Vec<Duration> {
        writeln!(self.input, "{act} {times}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let nanoseconds = |text: &str| text.parse().unwrap_or_else(|_| panic!("{act}: {line}"));
        line.split_whitespace().map(|text| Duration::from_nanos(nanoseconds(text))).collect()
    }
}

impl Drop for Php {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn warm(took: Vec<Duration>) -> impl Iterator<Item = Duration> {
    took.into_iter().skip(COLD)
}

/// The first quartile of the calls: one side's turns may meet other work than
/// the other's, which a median would count.
fn first_quartile(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 4]
}

fn ratio(of: Duration, to: Duration) -> f64 {
    of.as_secs_f64() / to.as_secs_f64()
}
