//! The connections that may carry another request.

use std::io::Read as _;
use std::sync::mpsc::channel;
use std::time::Duration;

use payments_transport::{CallContext, FailureKind};

use crate::support::caller::{Caller, DISTANT, tls_url, trusting};
use crate::support::raw_server::{Connection, RawServer, json, response};
use crate::support::tls_server::{self, Authority};

#[test]
fn a_response_before_its_request_is_never_accepted() {
    let (stray_is_sent, wait) = channel();
    let stray_is_sent = std::sync::Mutex::new(stray_is_sent);
    let server = RawServer::start(move |mut connection| {
        while connection.read_request().is_some() {
            connection.write(&json("\"ours\""));
            std::thread::sleep(Duration::from_millis(20));
            connection.write(&json("\"stray\""));
            let _ = stray_is_sent.lock().unwrap().send(());
        }
    });
    let caller = Caller::of(&server);
    for number in 1..=3 {
        assert_eq!(caller.body(), "\"ours\"");
        wait.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(server.connections(), number);
    }
}

#[test]
fn a_connection_with_a_failed_write_is_not_reused() {
    let server = RawServer::start(|mut connection| {
        if connection.number > 1 {
            while connection.read_request().is_some() && connection.write(&json("{}")) {}
            return;
        }
        // Responds before the whole body has arrived, and then stops reading.
        connection.stream.read_exact(&mut [0; 100]).unwrap();
        connection.write(&response("200 OK", "", "{}"));
        std::thread::sleep(Duration::from_millis(100));
        connection.reset();
    });
    let caller = Caller::of(&server);
    let large = vec![b' '; 16 << 20];
    drop(caller.send("POST", &large, &CallContext::with_timeout(DISTANT)));
    assert_eq!(caller.body(), "{}");
    assert_eq!(server.connections(), 2);
}

/// Sends a response that ends when its connection closes.
fn until_close(connection: &mut Connection, body: &str) {
    connection.read_request();
    connection.write(format!("HTTP/1.1 200 OK\r\n\r\n{body}").as_bytes());
}

#[test]
fn a_response_over_tls_that_ends_without_close_notify_is_cut() {
    let authority = Authority::new("ours");
    let cut = tls_server::start(authority.server(&["localhost"]), |mut connection| {
        until_close(&mut connection, "{}");
    });
    let caller = Caller::new(&tls_url(&cut), &trusting(&authority.pem()));
    let response = caller.post().unwrap();
    assert_eq!(response.raw.status(), 200);
    assert_eq!(response.body_failure.unwrap().kind(), FailureKind::Broken);

    // Without TLS, the close is the only mark of the end.
    let plain = RawServer::start(|mut connection| until_close(&mut connection, "{}"));
    assert_eq!(Caller::of(&plain).body(), "{}");
}

#[test]
fn an_observed_close_shortens_the_reuse_of_connections() {
    let server = RawServer::start(|mut connection| {
        // The first connection is closed while idle.
        let requests = if connection.number == 1 { 1 } else { usize::MAX };
        for _ in 0..requests {
            if connection.read_request().is_none() || !connection.write(&json("{}")) {
                return;
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    });
    let caller = Caller::of(&server);
    let post_after = |milliseconds| {
        std::thread::sleep(Duration::from_millis(milliseconds));
        caller.body();
        server.connections()
    };
    assert_eq!(post_after(0), 1);
    assert_eq!(post_after(400), 2, "the close was seen before a byte was written");
    assert_eq!(
        post_after(300),
        3,
        "a request that changes something keeps its distance from that age"
    );
}

#[test]
fn a_connection_with_all_responses_is_closed_normally() {
    let (sender, ends) = channel();
    let sender = std::sync::Mutex::new(sender);
    let server = RawServer::start(move |mut connection| {
        connection.read_request();
        let header = if connection.number == 1 { "" } else { "connection: close\r\n" };
        connection.write(&response("200 OK", header, "{}"));
        let _ = sender.lock().unwrap().send(connection.stream.read(&mut [0]).ok());
    });
    for _ in 0..2 {
        // An idle connection is closed with its transport.
        Caller::of(&server).body();
        assert_eq!(ends.recv_timeout(Duration::from_secs(20)), Ok(Some(0)));
    }
}

#[test]
fn a_service_that_names_its_limit_is_believed() {
    let server = RawServer::start(|mut connection| {
        while connection.read_request().is_some() {
            connection.write(&response("200 OK", "keep-alive: timeout=1\r\n", "{}"));
        }
    });
    let caller = Caller::of(&server);
    caller.body();
    std::thread::sleep(Duration::from_millis(600));
    caller.body();
    assert_eq!(server.connections(), 2);
}
