//! Broken connections and malformed responses: the error, the number of
//! requests that reached the service, and that the next call succeeds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use payments_core::ErrorKind::{Decode, Protocol, Timeout, TooLarge, Transport};
use payments_core::{Client, ErrorKind, Outcome};
use payments_sandbox::{
    At, EndlessFraming, Fault, FaultKind, Require, Response, Sandbox, SandboxConfig,
};

use crate::support::calls;
use crate::support::raw_server::RawServer;

/// The name of the row, the fault, the expected kind of error, and how many
/// requests the service must have read.
type Row = (&'static str, Fault, ErrorKind, usize);

/// Strikes one payment with each fault. The outcome is always unknown: bytes
/// have been sent, and no status is conclusive.
fn assert_rows(client: &Client, sandbox: &Sandbox, deadline: Duration, rows: Vec<Row>) {
    for (index, (name, fault, kind, seen)) in rows.into_iter().enumerate() {
        let executes = fault.executes();
        sandbox.clear_requests();
        sandbox.script_next([fault]);
        let reference = format!("order-{index}");
        let error = calls::fail_within(client, deadline, &reference);
        assert_eq!((error.kind(), error.outcome()), (kind, Outcome::Unknown), "{name}: {error}");
        assert_eq!(error.attempts(), 1, "{name}");
        assert_eq!(sandbox.requests().len(), seen, "{name}");
        assert_eq!(sandbox.payment(&reference).is_some(), executes, "{name}");
        assert!(sandbox.pending_faults().is_empty(), "{name}");
        let after = client.create_payment(&calls::payment(&format!("after-{index}")));
        assert!(after.is_ok(), "{name}: {:?}", after.err());
    }
}

fn sandbox() -> (Sandbox, Client) {
    let require = Require { integration_key: true, ..Require::NOTHING };
    let sandbox = Sandbox::start(SandboxConfig { require, ..SandboxConfig::default() }).unwrap();
    let config = calls::config(sandbox.base_url())
        .integration_key(sandbox.config().integration_key)
        .max_response_bytes(100_000);
    (sandbox, Client::new(config).unwrap())
}

const SOON: Duration = Duration::from_secs(10);

#[test]
fn connections_that_break_are_unknown_and_not_resent() {
    let (sandbox, client) = sandbox();
    assert_rows(
        &client,
        &sandbox,
        SOON,
        vec![
            ("closed after the head", Fault::close(At::Head), Transport, 1),
            ("closed after the body", Fault::close(At::Body), Transport, 1),
            ("executed, then closed", Fault::execute_then_close(), Transport, 1),
            ("reset after the head", Fault::reset(At::Head), Transport, 1),
            ("reset after the body", Fault::reset(At::Body), Transport, 1),
            ("half a status line", Fault::new(FaultKind::PartialStatusLine), Transport, 1),
            ("half a response", Fault::new(FaultKind::CutResponse(None)), Transport, 1),
            ("half a head", Fault::new(FaultKind::CutResponse(Some(40))), Transport, 1),
            ("length beyond the body", Fault::new(FaultKind::LongContentLength(9)), Transport, 1),
        ],
    );
}

#[test]
fn connections_that_break_on_accept_are_replaced_or_unknown() {
    // The network decides whether the close or the request arrives first. A socket
    // takes a request after a close, and no byte after a reset.
    for (fault, is_reset) in [(Fault::close(At::Accept), false), (Fault::reset(At::Accept), true)] {
        let (sandbox, client) = sandbox();
        sandbox.script_next([fault]);
        match client.create_payment(&calls::payment("order-1")) {
            Ok(_) => assert_eq!(sandbox.requests().len(), 1),
            Err(error) => {
                let took_none = is_reset && error.outcome() == Outcome::NotExecuted;
                assert!(took_none || error.outcome() == Outcome::Unknown, "{error}");
                assert_eq!((error.kind(), error.attempts()), (Transport, 1), "{error}");
                assert_eq!(sandbox.requests().len(), 0, "{error}");
            }
        }
    }
}

#[test]
fn responses_that_make_no_sense_are_unknown() {
    let (sandbox, client) = sandbox();
    let empty = |status| Fault::response(Response::empty(status)).execute(true);
    let endless = |framing| Fault::new(FaultKind::EndlessBody(framing));
    assert_rows(
        &client,
        &sandbox,
        SOON,
        vec![
            ("not HTTP", Fault::garbage(), Protocol, 1),
            ("a head without an end", Fault::new(FaultKind::EndlessHead), Protocol, 1),
            ("broken chunks", Fault::new(FaultKind::BrokenChunks), Protocol, 1),
            ("endless chunks", endless(EndlessFraming::Chunked), TooLarge, 1),
            ("endless body", endless(EndlessFraming::Close), TooLarge, 1),
            ("giant body", Fault::new(FaultKind::GiantBody(1 << 40)), TooLarge, 1),
            ("a page", Fault::html(), Decode, 1),
            ("truncated JSON", Fault::truncated_json(), Decode, 1),
            ("empty 200", empty(200), Decode, 1),
            ("empty 204", empty(204), Decode, 1),
        ],
    );
}

#[test]
fn silence_and_slow_drips_end_at_the_deadline() {
    let (sandbox, client) = sandbox();
    let second = Duration::from_secs(1);
    assert_rows(
        &client,
        &sandbox,
        Duration::from_millis(700),
        vec![
            ("hangs after the head", Fault::hang(At::Head), Timeout, 1),
            ("hangs after the body", Fault::hang(At::Body), Timeout, 1),
            ("executed, then silent", Fault::hang(At::Body).execute(true), Timeout, 1),
            ("one byte a second", Fault::new(FaultKind::Drip(second)), Timeout, 1),
            ("too late", Fault::delay(Duration::from_secs(60)), Timeout, 1),
        ],
    );
    let (sandbox, client) = self::sandbox();
    let hang = ("hangs at accept", Fault::hang(At::Accept), Timeout, 0);
    assert_rows(&client, &sandbox, Duration::from_millis(700), vec![hang]);
}

#[test]
fn bytes_read_before_a_failure_are_kept_on_request() {
    let (sandbox, client) = sandbox();
    sandbox.script_next([Fault::new(FaultKind::LongContentLength(9))]);
    let error = calls::fail_within(&client, SOON, "order-1");
    let record = sandbox.requests().remove(0);
    assert_eq!(error.request_body(), Some(record.body.as_slice()));
    assert_eq!(error.response_body(), record.response.as_ref().map(|a| a.body.as_slice()));
    assert_eq!(error.http_status(), Some(200));
    let payment = sandbox.payment("order-1").unwrap();
    assert!(record.executed, "the unknown payment {} exists", payment.hash);
}

#[test]
fn no_more_is_read_than_is_allowed() {
    for framing in ["", "transfer-encoding: chunked\r\n"] {
        let written = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&written);
        let server = RawServer::start(move |mut connection| {
            connection.read_request();
            connection.write(format!("HTTP/1.1 200 OK\r\n{framing}\r\n").as_bytes());
            let block = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
            while connection.write(block.as_bytes()) {
                count.fetch_add(block.len(), Ordering::SeqCst);
            }
        });
        let config = calls::config(&server.base_url()).max_response_bytes(100_000);
        let error = calls::fail_within(&Client::new(config).unwrap(), SOON, "order-1");
        assert_eq!((error.kind(), error.outcome()), (TooLarge, Outcome::Unknown));
        assert_eq!(error.response_body().map(<[u8]>::len), Some(64 * 1024));
        // The kernel buffers of both sides hold the rest.
        let written = written.load(Ordering::SeqCst);
        assert!(written < 32 << 20, "{written} bytes were taken");
    }
}
