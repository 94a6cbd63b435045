//! What the comparison in `compare.mjs` needs of Rust: a server that answers
//! without looking at anything, and the same calls without Node.
//!
//! `bench_peer_node serve` prints its port. `bench_peer_node calls URL KEY_FILE` makes as
//! many calls as each line of its input says, and prints how many nanoseconds
//! each took.

#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{BufRead as _, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use payments_core::operations::{CreatePayment, Payment};
use payments_core::{Client, Config};

const ANSWER: &str = "{\"payment\":{\"hash\":\"0123456789abcdef0123456789abcdef0123456789abcdef\",\
                      \"status\":\"PE\"},\"status\":\"SUCCESS\"}";
/// How long the answer to the order `slow` takes.
const SLOW: Duration = Duration::from_millis(200);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve"] => serve(),
        ["calls", url, key_file] => make_calls(url, key_file),
        _ => eprintln!("usage: bench_peer_node serve | calls URL KEY_FILE"),
    }
}

fn make_calls(url: &str, key_file: &str) {
    let client = Client::new(Config::new(url).signing_key_file(key_file, "bench-key")).unwrap();
    for line in std::io::stdin().lines() {
        let count: usize = line.unwrap().trim().parse().unwrap();
        let took: Vec<String> = (0..count)
            .map(|_| {
                let started = Instant::now();
                client.create_payment(&CreatePayment::new(payment())).unwrap();
                started.elapsed().as_nanos().to_string()
            })
            .collect();
        println!("{}", took.join(" "));
    }
}

/// The payment of `compare.mjs`.
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

fn serve() {
    // The parent holds the other end: when it is gone, so is this.
    std::thread::spawn(|| {
        let _ = std::io::stdin().lock().read_line(&mut String::new());
        std::process::exit(0);
    });
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    for stream in listener.incoming().flatten() {
        let thread = std::thread::Builder::new().stack_size(64 * 1024);
        thread.spawn(move || drop(answer_all(stream))).unwrap();
    }
}

fn answer_all(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{ANSWER}",
        ANSWER.len()
    );
    let mut received = Vec::new();
    let mut buffer = [0; 8 * 1024];
    loop {
        let amount = stream.read(&mut buffer)?;
        if amount == 0 {
            return Ok(());
        }
        received.extend_from_slice(&buffer[..amount]);
        if is_whole(&received) {
            let slow = b"\"merchant_payment_code\":\"slow\"";
            if received.windows(slow.len()).any(|part| part == slow) {
                std::thread::sleep(SLOW);
            }
            received.clear();
            stream.write_all(answer.as_bytes())?;
        }
    }
}

fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|part| part == b"\r\n\r\n") else {
        return false;
    };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    request.len() >= end + 4 + length.and_then(|text| text.parse().ok()).unwrap_or(0)
}
