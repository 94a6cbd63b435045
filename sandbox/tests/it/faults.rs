//! Every fault, as seen by the client.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use payments_sandbox::{At, Fault};

use crate::support::{Connection, get, payment_body, request_body, script, start, strike};

#[test]
fn connection_is_closed_at_every_moment() {
    let sandbox = start();
    for moment in ["accept", "head", "body"] {
        let (text, _) = strike(&sandbox, &format!("{{\"fault\":\"close\",\"at\":\"{moment}\"}}"));
        assert_eq!(text, "", "{moment}");
    }
    assert!(sandbox.payments().is_empty());
    let requests = sandbox.requests();
    assert_eq!(requests.len(), 2);
    assert!(!requests[0].complete && requests[1].complete);
    assert!(requests.iter().all(|request| request.response.is_none() && !request.executed));
    assert_eq!(sandbox.connections(), 3);
}

#[test]
fn connection_is_reset() {
    let sandbox = start();
    let (text, error) = strike(&sandbox, r#"{"fault":"reset"}"#);
    assert_eq!((text.as_str(), error), ("", Some(ErrorKind::ConnectionReset)));
}

#[test]
fn payment_exists_although_its_response_never_came() {
    let sandbox = start();
    sandbox.script_next([Fault::execute_then_close()]);
    let mut connection = Connection::open(&sandbox);
    connection.write(&request_body("POST", "/ws/direct", &[], &payment_body("a")));
    assert_eq!(connection.read_to_end().0, b"");
    assert_eq!(sandbox.payments().len(), 1);
    assert!(sandbox.requests()[0].executed);
    let found = get(&sandbox, "/ws/query?merchant_payment_code=a").json();
    assert_eq!(found["payment"]["status"], "PE");
}

#[test]
fn silence_lasts_until_the_client_leaves_or_the_sandbox_stops() {
    let sandbox = start();
    sandbox.script_next([Fault::hang(At::Head), Fault::hang(At::Body).execute(true)]);
    let mut left = Connection::open(&sandbox);
    left.write(&request_body("POST", "/ws/direct", &[], &payment_body("a")));
    let mut stays = Connection::open(&sandbox);
    wait_until(|| sandbox.requests().len() == 1);
    stays.write(&request_body("POST", "/ws/direct", &[], &payment_body("a")));
    wait_until(|| sandbox.payments().len() == 1);
    assert_eq!(sandbox.stats().in_flight, 2);
    left.0.shutdown(std::net::Shutdown::Both).unwrap();
    drop(left);
    wait_until(|| sandbox.stats().in_flight == 1);
    let started = Instant::now();
    sandbox.stop();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(stays.read_to_end().0, b"");
}

#[test]
fn silence_may_begin_at_accept() {
    let sandbox = start();
    script(&sandbox, r#"{"fault":"hang","at":"accept"}"#);
    let mut connection = Connection::open(&sandbox);
    connection.write(&request_body("GET", "/ws/query", &[], b""));
    connection.0.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    assert!(connection.read_response(false).is_none());
    assert!(sandbox.requests().is_empty());
    assert_eq!(get(&sandbox, "/ws/query").status, 200);
}

fn wait_until(condition: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(5);
    while !condition() {
        assert!(Instant::now() < end, "it did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn late_responses_are_late() {
    let sandbox = start();
    for fault in [r#"{"fault":"hang","ms":80}"#, r#"{"fault":"pass","delay_ms":80}"#] {
        script(&sandbox, fault);
        let started = Instant::now();
        assert_eq!(get(&sandbox, "/ws/query?hash=a").status, 200);
        assert!(started.elapsed() >= Duration::from_millis(80));
    }
    sandbox.configure(|config| config.latency = Duration::from_millis(80));
    let started = Instant::now();
    get(&sandbox, "/ws/query?hash=a");
    assert!(started.elapsed() >= Duration::from_millis(80));
}

#[test]
fn responses_end_too_early() {
    let sandbox = start();
    assert_eq!(strike(&sandbox, r#"{"fault":"partial_status_line"}"#).0, "HTTP/1.1 20");
    let (half, _) = strike(&sandbox, r#"{"fault":"cut_response","execute":true}"#);
    let (head, body) = half.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("Content-Length: "));
    assert!(body.starts_with('{') && !body.ends_with('}'));
    assert_eq!(strike(&sandbox, r#"{"fault":"cut_response","after_bytes":30}"#).0.len(), 30);
    let (long, _) = strike(&sandbox, r#"{"fault":"long_content_length","extra":7,"body":"abc"}"#);
    assert!(long.contains("Content-Length: 10\r\n") && long.ends_with("\r\n\r\nabc"));
    assert_eq!(sandbox.payments().len(), 1);
}

#[test]
fn response_drips() {
    let sandbox = start();
    script(&sandbox, r#"{"fault":"drip","every_ms":1,"body":"abc"}"#);
    let started = Instant::now();
    let mut connection = Connection::open(&sandbox);
    let response = connection.request("GET", "/ws/query", &[], b"");
    assert_eq!(response.body, b"abc");
    assert!(started.elapsed() >= Duration::from_millis(30));
    assert_eq!(connection.request("GET", "/ws/query", &[], b"").status, 200);
}

#[test]
fn bodies_and_heads_may_be_endless() {
    let sandbox = start();
    for (fault, start) in [
        (
            r#"{"fault":"endless_body"}"#,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2000",
        ),
        (
            r#"{"fault":"endless_body","framing":"close","status":401}"#,
            "HTTP/1.1 401 Unauthorized\r\n\r\nxxx",
        ),
        (
            r#"{"fault":"endless_head","status":500}"#,
            "HTTP/1.1 500 Internal Server Error\r\nX-Filler: xxx",
        ),
    ] {
        script(&sandbox, fault);
        let mut connection = Connection::open(&sandbox);
        connection.write(&request_body("GET", "/ws/query", &[], b""));
        let mut received = Vec::new();
        while received.len() < 4 * 1024 * 1024 {
            received.extend(connection.read_some(65_536));
        }
        let received = String::from_utf8_lossy(&received[..400]).into_owned();
        let date = received.lines().find(|line| line.starts_with("Date: ")).unwrap();
        let undated = received.replacen(&format!("{date}\r\n"), "", 1);
        assert!(undated.starts_with(start), "{fault}: {undated}");
    }
    // The writers end when their clients disconnect.
    wait_until(|| sandbox.stats().in_flight == 0);
}

#[test]
fn giant_bodies_and_broken_chunks_are_sent() {
    let sandbox = start();
    let (text, _) = strike(&sandbox, r#"{"fault":"giant_body","bytes":100000}"#);
    assert_eq!(text.split_once("\r\n\r\n").unwrap().1.len(), 100_000);
    let (text, _) = strike(&sandbox, r#"{"fault":"broken_chunks"}"#);
    assert!(text.ends_with("5\r\n{\"pay\r\nno size\r\n"));
}
