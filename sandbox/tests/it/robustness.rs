//! HTTP edge cases, many clients, mangled requests, and shutdown.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use payments_sandbox::Sandbox;

use crate::support::{
    Connection, KEY, create_payment, get, payment_body, post, request_body, start, start_with,
    token,
};

#[test]
fn connection_serves_one_request_after_another() {
    let sandbox = start();
    let mut connection = Connection::open(&sandbox);
    for _ in 0..3 {
        assert_eq!(connection.request("GET", "/ws/query?hash=a", &[], b"").status, 200);
    }
    let pipelined = request_body("GET", "/ws/query", &[], b"").repeat(2);
    connection.write(&pipelined);
    assert!(connection.read_response(false).is_some() && connection.read_response(false).is_some());
    let last = connection.request("GET", "/ws/query", &[("Connection", "close")], b"");
    assert_eq!(last.header("connection"), Some("close"));
    assert_eq!(connection.read_to_end(), (vec![], None));
    assert_eq!((sandbox.connections(), sandbox.requests().len()), (1, 6));
}

#[test]
fn chunked_and_expected_bodies_are_read() {
    let sandbox = start();
    let body = payment_body("a");
    let mut connection = Connection::open(&sandbox);
    connection.write(
        b"POST /ws/direct HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
    );
    assert_eq!(connection.read_response(false).unwrap().status, 100);
    for part in body.chunks(50) {
        connection.write(format!("{:x}\r\n", part.len()).as_bytes());
        connection.write(part);
        connection.write(b"\r\n");
    }
    connection.write(b"0\r\n\r\n");
    assert_eq!(connection.read_response(false).unwrap().json()["status"], "SUCCESS");
    assert_eq!(sandbox.requests()[0].body, body);
}

#[test]
fn request_may_come_one_byte_at_a_time() {
    let sandbox = start();
    let mut connection = Connection::open(&sandbox);
    connection.0.set_nodelay(true).unwrap();
    for byte in request_body("POST", "/ws/direct", &[], &payment_body("a")) {
        connection.write(&[byte]);
    }
    assert_eq!(connection.read_response(false).unwrap().json()["status"], "SUCCESS");
    assert_eq!(sandbox.requests().len(), 1);
}

#[test]
fn head_is_responded_without_a_body() {
    let sandbox = start();
    let mut connection = Connection::open(&sandbox);
    let response = connection.request("HEAD", "/ws/query?hash=a", &[], b"");
    assert!(response.header("content-length").unwrap() != "0");
    assert_eq!(connection.request("GET", "/ws/query?hash=a", &[], b"").status, 200);
}

#[test]
fn large_body_is_read_and_a_larger_one_refused() {
    let sandbox = start_with(|config| config.accept_paths = vec!["/ws/any".to_owned()]);
    let body = vec![b'x'; 5_000_000];
    assert_eq!(post(&sandbox, "/ws/any", &body).json()["echo"]["body_length"], 5_000_000);
    let mut connection = Connection::open(&sandbox);
    connection
        .write(b"POST /ws/any HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\nx");
    assert_eq!(connection.read_response(false).unwrap().status, 413);
}

#[test]
fn idle_connection_is_closed() {
    let sandbox = start_with(|config| config.idle_timeout = Duration::from_millis(50));
    let mut connection = Connection::open(&sandbox);
    connection.request("GET", "/ws/query", &[], b"");
    assert_eq!(connection.read_to_end(), (vec![], None));
    let mut unfinished = Connection::open(&sandbox);
    unfinished.write(b"POST /ws/direct HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{");
    assert_eq!(unfinished.read_to_end(), (vec![], None));
    let record = sandbox.requests().pop().unwrap();
    assert_eq!(record.refused.as_deref(), Some("the body did not come to its end"));
}

#[test]
fn deeply_nested_json_does_no_harm() {
    let sandbox = start();
    for depth in [100, 126, 127, 200, 100_000] {
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let body = format!("{{\"payment\":{nested},\"tracking_code\":{nested}}}");
        for path in ["/ws/direct", "/ws/tracking", "/sandbox/settings", "/sandbox/faults"] {
            post(&sandbox, path, body.as_bytes());
        }
    }
    assert_eq!(get(&sandbox, "/ws/query").status, 200);
}

/// A deterministic generator, so that the cases repeat.
struct Cases(u64);

impl Cases {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn mangled(&mut self) -> Vec<u8> {
        let mut bytes = match self.below(4) {
            0 => request_body("POST", "/ws/direct", &[("X-JWS-Signature", "a..b")], b"{}"),
            1 => request_body("GET", "/ws/query?hash=%41&integration_key=b", &[], b""),
            2 => request_body("POST", "/sandbox/faults", &[], b"{\"then\":[]}"),
            _ => b"POST /ws/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"
                .to_vec(),
        };
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            match self.below(4) {
                0 => bytes[at] = u8::try_from(self.below(256)).unwrap(),
                1 if bytes.len() > 1 => {
                    bytes.remove(at);
                }
                2 => bytes.truncate(at + 1),
                _ => {
                    let piece = bytes[at..].to_vec();
                    bytes.extend(piece);
                }
            }
        }
        bytes
    }
}

#[test]
fn mangled_requests_leave_the_service_standing() {
    let sandbox = start();
    let mut cases = Cases(42);
    let mut refused = 0;
    for _ in 0..2000 {
        let mut connection = Connection::open(&sandbox);
        connection.write(&cases.mangled());
        connection.0.shutdown(std::net::Shutdown::Write).unwrap();
        let (response, _) = connection.read_to_end();
        assert!(response.is_empty() || response.starts_with(b"HTTP/1.1 "));
        refused += usize::from(response.starts_with(b"HTTP/1.1 4"));
    }
    assert!(refused > 100, "{refused}");
    assert_eq!(sandbox.stats().panicked, 0);
    sandbox.reset();
    assert_eq!(create_payment(&sandbox, "a")["status"], "SUCCESS");
}

#[test]
fn a_thousand_connections_are_served_at_once() {
    let sandbox = start();
    // This process holds both ends of every connection: stay below the usual
    // limit of 1024 descriptors unless it was raised.
    let count = if descriptor_limit() >= 2200 { 1000 } else { 400 };
    let mut connections: Vec<Connection> = (0..count).map(|_| Connection::open(&sandbox)).collect();
    for (index, connection) in connections.iter_mut().enumerate() {
        connection.write(&request_body(
            "POST",
            "/ws/direct",
            &[],
            &payment_body(&index.to_string()),
        ));
    }
    for connection in &mut connections {
        assert_eq!(connection.read_response(false).unwrap().json()["status"], "SUCCESS");
    }
    assert_eq!(sandbox.stats().open_connections, count);
    assert_eq!(sandbox.payments().len(), usize::try_from(count).unwrap());
    drop(connections);
    sandbox.stop();
    assert_eq!(sandbox.stats().open_connections, 0);
}

fn descriptor_limit() -> u64 {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap_or_default();
    line.split_whitespace().nth(3).and_then(|soft| soft.parse().ok()).unwrap_or(0)
}

#[test]
fn stopping_ends_every_connection_and_frees_the_port() {
    let sandbox = start();
    let mut idle = Connection::open(&sandbox);
    idle.request("GET", "/ws/query", &[], b"");
    let mut unfinished = Connection::open(&sandbox);
    unfinished.write(b"POST /ws/direct HTTP/1.1\r\n");
    let port = sandbox.port();
    let started = Instant::now();
    drop(sandbox);
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(idle.read_to_end().0, b"");
    assert_eq!(unfinished.read_to_end().0, b"");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    let again = start_with(|config| config.port = port);
    assert_eq!(get(&again, "/sandbox/health").status, 200);
    again.stop();
    again.stop();
}

/// Everything in a run that depends on the seed.
fn transcript(sandbox: &Sandbox) -> Vec<Vec<u8>> {
    let kid = sandbox.register_key(&KEY.public());
    let body = payment_body("a");
    let signature = KEY.token(&kid, &body);
    let headers = [("X-JWS-Signature", signature.as_str())];
    let signed = Connection::open(sandbox).request("POST", "/ws/direct", &headers, &body);
    sandbox.confirm_payment("a").unwrap();
    vec![kid.into_bytes(), signed.body, get(sandbox, "/ws/query?merchant_payment_code=a").body]
}

#[test]
fn runs_with_one_seed_repeat() {
    let seeded = |seed| start_with(|config| config.seed = seed);
    let first = transcript(&seeded(Some(7)));
    assert_eq!(first, transcript(&seeded(Some(7))));
    let other = transcript(&seeded(Some(8)));
    assert!(first.iter().zip(&other).all(|(first, other)| first != other));
    let unseeded = transcript(&seeded(None));
    assert_ne!(unseeded, transcript(&seeded(None)));
}

/// A client that keeps its token over a restart gets a 401, and must then get
/// another token.
#[test]
fn each_start_issues_other_tokens() {
    let seeded = || start_with(|config| config.seed = Some(7));
    assert_ne!(token(&seeded()).json(), token(&seeded()).json());
}

#[test]
fn hashes_begin_again_after_a_reset_and_tokens_do_not() {
    let sandbox = start();
    let payment = create_payment(&sandbox, "a");
    let first = token(&sandbox).json();
    sandbox.reset();
    assert_eq!(create_payment(&sandbox, "a"), payment);
    assert_ne!(token(&sandbox).json(), first);
}
