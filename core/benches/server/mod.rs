//! The server of the benchmarks: it responds without looking at anything but
//! the order, over TLS where a connection begins with a handshake.

mod tls;

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tls::Tls;

const SERVER: &str = "--payments-bench-server";
const SMALL: &str = "{\"payment\":{\"hash\":\"0123456789abcdef0123456789abcdef0123456789abcdef\",\
                     \"status\":\"PE\"},\"status\":\"SUCCESS\"}";
const TOKEN: &str = r#"{"access_token":"a.b.c","token_type":"bearer","expires_in":3600}"#;
/// A tracking response that is as large as clients accept: 2 MB, 99,900 values.
static LARGE: LazyLock<String> = LazyLock::new(|| {
    const RESULT: &str = r#"{"customer_email":"m@example.com","tracking_code":"BR12345","order_number":"1","status":"CREATED"}"#;
    let results = vec![RESULT; 99_900 / 5 - 1].join(",");
    format!(r#"{{"status":"SUCCESS","result":[{results}]}}"#)
});

/// Whether this process is to be the server.
pub fn is_asked_for() -> bool {
    std::env::args().any(|argument| argument == SERVER)
}

/// The server, in its own process.
pub struct Server {
    child: Child,
    pub port: u16,
    /// The authority of its certificate, which is made for the run.
    #[allow(dead_code, reason = "not every benchmark speaks TLS")]
    pub ca_file: PathBuf,
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
        let (port, ca_file) = line.trim_end().split_once(' ').unwrap();
        Self { child, port: port.parse().unwrap(), ca_file: ca_file.into() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Responds to every request in the same way, to the order `slow` after a while,
/// and to the order `large` with a large body.
pub fn serve() {
    let tls = Tls::new();
    let ca_file = std::env::temp_dir().join(format!("payments-bench-{}.pem", std::process::id()));
    std::fs::write(&ca_file, tls.authority()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{} {}", listener.local_addr().unwrap().port(), ca_file.display());
    // The parent holds the other end: when it is gone, so is this.
    std::thread::spawn(move || {
        let _ = std::io::stdin().read(&mut [0]);
        let _ = std::fs::remove_file(&ca_file);
        std::process::exit(0);
    });
    let tls = Arc::new(tls);
    for stream in listener.incoming().flatten() {
        let tls = Arc::clone(&tls);
        std::thread::Builder::new()
            .stack_size(256 * 1024)
            .spawn(move || drop(response(stream, &tls)))
            .unwrap();
    }
}

fn response(stream: TcpStream, tls: &Tls) -> std::io::Result<()> {
    /// How a record of a handshake begins.
    const HANDSHAKE: u8 = 22;
    stream.set_nodelay(true)?;
    let mut first = [0];
    stream.peek(&mut first)?;
    if first[0] == HANDSHAKE { response_all(tls.accept(stream)) } else { response_all(stream) }
}

fn response_all(mut stream: impl Read + Write) -> std::io::Result<()> {
    let mut received = Vec::new();
    let mut buffer = [0; 8 * 1024];
    loop {
        let amount = stream.read(&mut buffer)?;
        if amount == 0 {
            return Ok(());
        }
        received.extend_from_slice(&buffer[..amount]);
        if is_whole(&received) {
            if is_of(&received, "\"merchant_payment_code\":\"slow\"") {
                std::thread::sleep(Duration::from_secs(2));
            }
            let body = match &received {
                it if is_of(it, "\"order_number\":\"large\"") => LARGE.as_str(),
                it if is_of(it, "grant_type=client_credentials") => TOKEN,
                _ => SMALL,
            };
            received.clear();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all((head + body).as_bytes())?;
        }
    }
}

fn is_of(request: &[u8], order: &str) -> bool {
    request.windows(order.len()).any(|part| part == order.as_bytes())
}

fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|part| part == b"\r\n\r\n") else {
        return false;
    };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    request.len() >= end + 4 + length.and_then(|text| text.parse().ok()).unwrap_or(0)
}
