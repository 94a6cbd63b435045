//! What benchmarks call: a server that answers without looking at anything.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const SERVER: &str = "--payments-bench-server";
const ANSWER: &str = "{\"payment\":{\"hash\":\"0123456789abcdef0123456789abcdef0123456789abcdef\",\
                      \"status\":\"PE\"},\"status\":\"SUCCESS\"}";

/// Whether this process is to be the server.
pub fn is_asked_for() -> bool {
    std::env::args().any(|argument| argument == SERVER)
}

/// The server, in a process of its own.
pub struct Server {
    child: Child,
    pub port: u16,
}

impl Server {
    pub fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg(SERVER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Self { child, port: line.trim().parse().unwrap() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Answers every request alike, and one for the order `slow` after a while.
pub fn serve() {
    // The parent holds the other end: when it is gone, so is this.
    std::thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    for stream in listener.incoming().flatten() {
        std::thread::Builder::new()
            .stack_size(64 * 1024)
            .spawn(move || drop(answer_all(stream)))
            .unwrap();
    }
}

fn answer_all(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{ANSWER}", ANSWER.len());
    let mut received = Vec::new();
    let mut buffer = [0; 8 * 1024];
    loop {
        let amount = stream.read(&mut buffer)?;
        if amount == 0 {
            return Ok(());
        }
        received.extend_from_slice(&buffer[..amount]);
        if is_whole(&received) {
            if is_slow_order(&received) {
                std::thread::sleep(Duration::from_secs(2));
            }
            received.clear();
            stream.write_all(answer.as_bytes())?;
        }
    }
}

fn is_slow_order(request: &[u8]) -> bool {
    let order = b"\"merchant_payment_code\":\"slow\"";
    request.windows(order.len()).any(|part| part == order)
}

fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|part| part == b"\r\n\r\n") else {
        return false;
    };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    request.len() >= end + 4 + length.and_then(|text| text.parse().ok()).unwrap_or(0)
}
