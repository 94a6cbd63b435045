//! The connections that may carry another request.

use std::io::Read as _;
use std::sync::mpsc::channel;
use std::time::Duration;

use payments_core::Outcome::Unknown;
use payments_core::request::RawRequest;
use payments_core::{Client, ErrorKind};

use crate::support::calls;
use crate::support::raw_server::{Connection, RawServer, created, json, response};
use crate::support::tls_server::{self, Authority};

fn payment(hash: &str) -> Vec<u8> {
    json(&format!(r#"{{"status":"SUCCESS","payment":{{"hash":"{hash}"}}}}"#))
}

fn pay(client: &Client) -> String {
    client.create_payment(&calls::payment("order-1")).unwrap().hash().unwrap().to_owned()
}

#[test]
fn a_response_before_its_request_is_never_accepted() {
    let (stray_is_sent, wait) = channel();
    let stray_is_sent = std::sync::Mutex::new(stray_is_sent);
    let server = RawServer::start(move |mut connection| {
        while connection.read_request().is_some() {
            connection.write(&payment("ours"));
            std::thread::sleep(Duration::from_millis(20));
            connection.write(&payment("stray"));
            let _ = stray_is_sent.lock().unwrap().send(());
        }
    });
    let client = calls::client(&server.base_url());
    for number in 1..=3 {
        assert_eq!(pay(&client), "ours");
        wait.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(server.connections(), number);
    }
}

#[test]
fn a_connection_with_a_failed_write_is_not_reused() {
    let server = RawServer::start(|mut connection| {
        if connection.number > 1 {
            while connection.read_request().is_some() && connection.write(&created()) {}
            return;
        }
        // Responds before the whole body has arrived, and then stops reading.
        connection.stream.read_exact(&mut [0; 100]).unwrap();
        connection.write(&response("200 OK", "", r#"{"status":"SUCCESS"}"#));
        std::thread::sleep(Duration::from_millis(100));
        connection.reset();
    });
    let client = calls::client(&server.base_url());
    let large = RawRequest::new("POST", "/ws/any").body(vec![b' '; 16 << 20]);
    let _ = client.send(&large);
    assert_eq!(pay(&client), "5f2c");
    assert_eq!(server.connections(), 2);
}

/// Sends a response that ends when its connection closes.
fn until_close(connection: &mut Connection, body: &str) {
    connection.read_request();
    connection.write(format!("HTTP/1.1 200 OK\r\n\r\n{body}").as_bytes());
}

#[test]
fn a_response_over_tls_that_ends_without_close_notify_is_cut() {
    let body = r#"{"status":"SUCCESS","payment":{"hash":"5f2c"}}"#;
    let authority = Authority::new("ours");
    let file = authority.file();
    let cut = tls_server::start(authority.server(&["localhost"]), move |mut connection| {
        until_close(&mut connection, body);
    });
    let url = format!("https://localhost:{}", cut.port());
    let client = Client::new(calls::config(&url).ca_file(&file.0)).unwrap();
    let error = calls::fail_within(&client, Duration::from_secs(10), "order-1");
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Transport, Unknown), "{error}");
    assert_eq!(error.http_status(), Some(200));

    // Without TLS, the close is the only mark of the end.
    let plain = RawServer::start(move |mut connection| until_close(&mut connection, body));
    assert_eq!(pay(&calls::client(&plain.base_url())), "5f2c");
}

#[test]
fn an_observed_close_shortens_the_reuse_of_connections() {
    let server = RawServer::start(|mut connection| {
        // The first connection is closed while idle.
        let requests = if connection.number == 1 { 1 } else { usize::MAX };
        for _ in 0..requests {
            if connection.read_request().is_none() || !connection.write(&created()) {
                return;
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    });
    let client = calls::client(&server.base_url());
    let pay_after = |milliseconds| {
        std::thread::sleep(Duration::from_millis(milliseconds));
        pay(&client);
        server.connections()
    };
    assert_eq!(pay_after(0), 1);
    assert_eq!(pay_after(400), 2, "the close was seen before a byte was written");
    assert_eq!(pay_after(300), 3, "a payment keeps its distance from that age");
}

#[test]
fn a_connection_with_all_responses_is_closed_normally() {
    let (sender, ends) = channel();
    let sender = std::sync::Mutex::new(sender);
    let server = RawServer::start(move |mut connection| {
        connection.read_request();
        let header = if connection.number == 1 { "" } else { "connection: close\r\n" };
        let body = r#"{"status":"SUCCESS","payment":{"hash":"5f2c"}}"#;
        connection.write(&response("200 OK", header, body));
        let _ = sender.lock().unwrap().send(connection.stream.read(&mut [0]).ok());
    });
    for _ in 0..2 {
        // An idle connection is closed with its client.
        pay(&calls::client(&server.base_url()));
        assert_eq!(ends.recv_timeout(Duration::from_secs(20)), Ok(Some(0)));
    }
}

#[test]
fn a_service_that_names_its_limit_is_believed() {
    let server = RawServer::start(|mut connection| {
        while connection.read_request().is_some() {
            let body = r#"{"status":"SUCCESS","payment":{"hash":"5f2c"}}"#;
            connection.write(&response("200 OK", "keep-alive: timeout=1\r\n", body));
        }
    });
    let client = calls::client(&server.base_url());
    pay(&client);
    std::thread::sleep(Duration::from_millis(600));
    pay(&client);
    assert_eq!(server.connections(), 2);
}

#[test]
fn a_connection_with_a_wrong_response_is_not_reused() {
    let server = RawServer::start(|mut connection| {
        let wrong =
            json(r#"{"status":"SUCCESS","payment":{"hash":"1","merchant_payment_code":"x"}}"#);
        let right = created();
        while connection.read_request().is_some() {
            connection.write(if connection.number == 1 { &wrong } else { &right });
        }
    });
    let client = calls::client(&server.base_url());
    let refused = client.create_payment(&calls::payment("order-1")).map(drop).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Protocol);
    assert_eq!((pay(&client).as_str(), server.connections()), ("5f2c", 2));
}
