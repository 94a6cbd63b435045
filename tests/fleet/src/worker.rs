//! The Rust worker.

use std::io::BufRead as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use payments_core::{Client, Config, ErrorKind, QueryPayment};
use serde_json::json;

/// The program's name, and the argument that starts it.
pub(crate) const PROGRAM: &str = "worker";
const AT_ONCE: usize = 16;
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Default)]
struct Counts {
    responded: u64,
    lacked: u64,
    refused: u64,
    other: Option<String>,
}

pub(crate) fn run() {
    let mut lines = std::io::stdin().lock().lines().map(Result::unwrap);
    let config = Config::from_json(lines.next().unwrap().as_bytes()).unwrap();
    let payment = QueryPayment::by_hash(&lines.next().unwrap());
    let client = Client::new(config).unwrap();
    println!("ready");
    lines.next().unwrap();
    let (counts, is_over) = (Mutex::<Counts>::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    ask(&client, &payment, &counts);
                    std::thread::sleep(PAUSE);
                }
            });
        }
        for _ in lines {
            let counts = std::mem::take(&mut *counts.lock().unwrap());
            let Counts { responded, lacked, refused, other } = counts;
            println!(
                "{}",
                json!({"responded": responded, "lacked": lacked, "refused": refused, "other": other})
            );
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

fn ask(client: &Client, payment: &QueryPayment, counts: &Mutex<Counts>) {
    let result = client.query_payment(payment);
    let mut counts = counts.lock().unwrap();
    match result {
        Ok(_) => counts.responded += 1,
        Err(error) if error.kind() == ErrorKind::Token && error.retry_after().is_some() => {
            counts.lacked += 1;
        }
        Err(error) if error.kind() == ErrorKind::Unauthorized => counts.refused += 1,
        Err(error) => counts.other = Some(error.to_string()),
    }
}
