//! Pages of other origins, and names that resolve to loopback, have no access.

use crate::support::{Connection, Response, create_payment, payment_body, start};
use payments_sandbox::{PaymentStatus, Sandbox};

/// Sends a request with these headers and no others.
fn ask(sandbox: &Sandbox, start_line: &str, headers: &[String], body: &[u8]) -> Response {
    let mut head = format!("{start_line} HTTP/1.1\r\nContent-Type: application/json\r\n");
    for header in headers {
        head.push_str(&format!("{header}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    let mut connection = Connection::open(sandbox);
    connection.write(head.as_bytes());
    connection.write(body);
    connection.read_response(false).unwrap()
}

/// A request for each kind of path.
const EVERYWHERE: [&str; 8] = [
    "POST /ws/direct",
    "GET /ws/query?merchant_payment_code=a",
    "POST /authorization-server/oauth/token",
    "POST /sandbox/payments/a/confirm",
    "GET /sandbox/settings",
    "GET /sandbox/requests",
    "PUT /sandbox/shop/orders/1",
    "GET /elsewhere",
];

/// With an extension, which serves all that reaches it.
fn start_extended() -> Sandbox {
    let sandbox = start();
    sandbox.extend(|_, _, _| Some(payments_sandbox::Response::empty(200)));
    sandbox
}

fn is_turned_away(sandbox: &Sandbox, start_line: &str, headers: &[String], message: &str) {
    let response = ask(sandbox, start_line, headers, &payment_body("b"));
    assert_eq!(response.status, 403, "{start_line} {headers:?}");
    assert_eq!(response.header("content-type"), Some("application/json"));
    let error = response.json()["error"].as_str().unwrap().to_owned();
    assert!(error.contains(message), "{error}");
    assert!(!error.contains("evil"), "{error}");
}

#[test]
fn a_host_that_is_not_loopback_gets_nothing_anywhere() {
    let sandbox = start_extended();
    create_payment(&sandbox, "a");
    for host in ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "192.168.0.1", ""] {
        for start_line in EVERYWHERE {
            is_turned_away(&sandbox, start_line, &[format!("Host: {host}")], "127.0.0.1");
        }
    }
    let both = ["Host: 127.0.0.1".to_owned(), "Host: evil.example".to_owned()];
    is_turned_away(&sandbox, "GET /sandbox/settings", &both, "127.0.0.1");
    let absolute = "GET http://evil.example/sandbox/settings";
    is_turned_away(&sandbox, absolute, &both[..1], "127.0.0.1");
    assert_eq!(sandbox.payments().len(), 1);
    assert_eq!(sandbox.payment("a").unwrap().status, PaymentStatus::Pending);
    assert_eq!(sandbox.token_requests(), 0);
}

#[test]
fn a_page_of_another_origin_gets_nothing_anywhere() {
    let sandbox = start_extended();
    create_payment(&sandbox, "a");
    let own = format!("127.0.0.1:{}", sandbox.port());
    for origin in [
        "https://evil.example".to_owned(),
        "null".to_owned(),
        "http://localhost:1".to_owned(),
        "http://127.0.0.1".to_owned(),
        format!("http://{own}.evil.example"),
    ] {
        let headers = [format!("Host: {own}"), format!("Origin: {origin}")];
        for start_line in EVERYWHERE {
            is_turned_away(&sandbox, start_line, &headers, "another origin");
        }
    }
    assert_eq!(sandbox.payment("a").unwrap().status, PaymentStatus::Pending);
    let record = sandbox.requests().pop().unwrap();
    assert_eq!(
        (record.path.as_str(), record.complete, record.executed),
        ("/elsewhere", false, false)
    );
    assert!(record.refused.unwrap().contains("another origin"));
}

#[test]
fn loopback_names_and_the_own_origin_are_served() {
    let sandbox = start();
    let port = sandbox.port();
    for host in ["127.0.0.1", "127.9.9.9", "[::1]", "localhost", "shop.localhost", "LOCALHOST"] {
        for host in [host.to_owned(), format!("{host}:{port}")] {
            let headers = [format!("Host: {host}")];
            assert_eq!(ask(&sandbox, "GET /sandbox/health", &headers, b"").status, 200, "{host}");
            let headers = [format!("Host: {host}"), format!("Origin: http://{host}")];
            assert_eq!(ask(&sandbox, "GET /sandbox/health", &headers, b"").status, 200, "{host}");
        }
    }
}
