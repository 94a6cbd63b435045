//! Requests that are resent, and requests that never are.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use payments_core::ErrorKind::{Connect, Status, Transport};
use payments_core::Outcome::{NotExecuted, Unknown};
use payments_core::observer::{Event, EventKind};
use payments_core::request::QueryPayment;
use payments_core::{Client, Operation};
use payments_sandbox::{Fault, FaultKind, FaultScript, Require, Sandbox, SandboxConfig, Times};

use crate::support::calls;
use crate::support::raw_server::{Connection, RawServer, created, response};
use crate::support::silent;

#[test]
fn a_pooled_connection_that_died_is_replaced() {
    // The service closes each connection shortly after its response.
    let server = RawServer::start(|mut connection| {
        connection.read_request();
        connection.write(&created());
    });
    let client = calls::client(&server.base_url());
    for number in 1..=3 {
        assert!(client.create_payment(&calls::payment("order-1")).is_ok());
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!((server.connections(), server.requests().len()), (number, number));
    }
}

#[test]
fn a_pooled_connection_that_was_reset_is_replaced() {
    let server = RawServer::start(|mut connection| {
        connection.read_request();
        connection.write(&created());
        connection.reset();
    });
    let client = calls::client(&server.base_url());
    for number in 1..=2 {
        assert!(client.create_payment(&calls::payment("order-1")).is_ok());
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(server.requests().len(), number);
    }
}

#[test]
fn a_pooled_connection_that_dies_in_use_is_not_resent() {
    for resets in [false, true] {
        let server = RawServer::start(move |mut connection| {
            connection.read_request();
            connection.write(&created());
            if connection.number == 1 {
                connection.read_request();
                if resets {
                    connection.reset();
                }
            }
        });
        let client = calls::client(&server.base_url());
        assert!(client.create_payment(&calls::payment("order-1")).is_ok());
        let error = calls::fail_within(&client, Duration::from_secs(10), "order-2");
        assert_eq!((error.kind(), error.outcome()), (Transport, Unknown));
        assert_eq!((server.connections(), server.requests().len()), (1, 2));
        assert!(client.create_payment(&calls::payment("order-3")).is_ok());
        assert_eq!((server.connections(), server.requests().len()), (2, 3));
    }
}

#[test]
fn a_connection_idle_for_over_five_seconds_is_not_reused() {
    let server = RawServer::responding(created());
    let client = calls::client(&server.base_url());
    for (pause, connections) in [(0, 1), (1000, 1), (5200, 2)] {
        std::thread::sleep(Duration::from_millis(pause));
        client.create_payment(&calls::payment("order-1")).unwrap();
        assert_eq!(server.connections(), connections, "after {pause} ms");
    }
}

#[test]
fn a_response_that_says_close_is_believed() {
    let require = Require { integration_key: true, ..Require::NOTHING };
    let sandbox = Sandbox::start(SandboxConfig { require, ..SandboxConfig::default() }).unwrap();
    let client = calls::client(sandbox.base_url());
    let script = FaultScript::for_any(vec![Fault::new(FaultKind::ConnectionClose)]);
    sandbox.script_fault(script.times(Times::Count(2)));
    sandbox.configure(|config| config.integration_key = "key-1".into());
    for number in 1..=3 {
        assert!(client.create_payment(&calls::payment(&format!("order-{number}"))).is_ok());
    }
    assert_eq!((sandbox.connections(), sandbox.requests().len()), (3, 3));
}

#[test]
fn bytes_after_a_response_never_become_the_next_response() {
    let server = RawServer::start(|mut connection| {
        let stray = response("200 OK", "", r#"{"status":"SUCCESS","payment":{"hash":"stray"}}"#);
        while connection.read_request().is_some() {
            connection.write(&[created(), stray.clone()].concat());
        }
    });
    let client = calls::client(&server.base_url());
    for number in 1..=3 {
        let response = client.create_payment(&calls::payment("order-1")).unwrap();
        assert_eq!(response.hash(), Some("5f2c"));
        assert_eq!(server.connections(), number);
    }
}

#[test]
fn connecting_is_tried_again_within_the_deadline_and_no_further() {
    let port = silent::refused_port();
    let retries = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&retries);
    let config = calls::config(&format!("http://127.0.0.1:{port}"));
    let client = Client::new(config.observer(Arc::new(move |event: &Event<'_>| {
        if let EventKind::Retry { number, kind, .. } = event.kind {
            list.lock().unwrap().push((*number, *kind));
        }
    })))
    .unwrap();
    let error = calls::fail_within(&client, Duration::from_secs(10), "order-1");
    assert_eq!((error.kind(), error.outcome(), error.attempts()), (Connect, NotExecuted, 3));
    assert_eq!(*retries.lock().unwrap(), [(1, Connect), (2, Connect)]);

    // No time is left to wait for a second attempt.
    let error = calls::fail_within(&client, Duration::from_millis(80), "order-1");
    assert_eq!((error.outcome(), error.attempts()), (NotExecuted, 1), "{error}");
}

#[test]
fn a_service_that_starts_between_attempts_gets_one_request() {
    let (socket, port) = silent::bound();
    let socket = Mutex::new(Some(socket));
    let server = Arc::new(Mutex::new(None));
    let started = Arc::clone(&server);
    let config = calls::config(&format!("http://127.0.0.1:{port}"));
    let client = Client::new(config.observer(Arc::new(move |event: &Event<'_>| {
        if let EventKind::Retry { number: 1, .. } = event.kind {
            let listener = socket.lock().unwrap().take().unwrap();
            listener.listen(128).unwrap();
            let response_all = |mut connection: Connection| {
                while connection.read_request().is_some() && connection.write(&created()) {}
            };
            *started.lock().unwrap() = Some(RawServer::start_on(listener.into(), response_all));
        }
    })))
    .unwrap();
    client.create_payment(&calls::payment("order-1")).unwrap();
    assert_eq!(server.lock().unwrap().as_ref().unwrap().requests().len(), 1);
}

#[test]
fn only_queries_are_sent_again_and_only_so_often() {
    let breaking = RawServer::start(|mut connection| drop(connection.read_request()));
    let failing = RawServer::responding(response("503 Down", "", ""));
    for (server, kind) in [(&breaking, Transport), (&failing, Status)] {
        let client = calls::client(&server.base_url());
        for (name, result) in calls::every_operation(&client) {
            let error = result.unwrap_err();
            let (outcome, expected) = match name {
                "query_payment" => (NotExecuted, 3),
                _ => (Unknown, 1),
            };
            assert_eq!((error.kind(), error.outcome()), (kind, outcome), "{name}: {error}");
            assert_eq!(error.attempts(), expected, "{name}");
        }
        assert_eq!(server.requests().len(), 8, "five operations once, and a query three times");
    }
}

#[test]
fn a_query_is_sent_again_until_it_succeeds() {
    let require = Require { integration_key: true, ..Require::NOTHING };
    let sandbox = Sandbox::start(SandboxConfig { require, ..SandboxConfig::default() }).unwrap();
    sandbox.configure(|config| config.integration_key = "key-1".into());
    let client = calls::client(sandbox.base_url());
    let hash =
        client.create_payment(&calls::payment("order-1")).unwrap().hash().unwrap().to_owned();
    sandbox.clear_requests();
    let faults = vec![Fault::execute_then_close(), Fault::status(502)];
    sandbox.script_fault(FaultScript::for_operation(Operation::QueryPayment, faults));
    assert!(client.query_payment(&QueryPayment::by_hash(&hash)).is_ok());
    assert_eq!(sandbox.requests().len(), 3);

    // A refusal that gives a reason is not retried.
    for status in [400, 404, 429, 501] {
        sandbox.clear_requests();
        sandbox.script_next([Fault::status(status)]);
        assert!(client.query_payment(&QueryPayment::by_hash(&hash)).is_err());
        assert_eq!(sandbox.requests().len(), 1, "{status}");
    }
}

#[test]
fn a_query_is_not_sent_again_when_that_is_switched_off() {
    let server = RawServer::responding(response("500 Down", "", ""));
    let client = Client::new(calls::config(&server.base_url()).query_retries(0)).unwrap();
    assert_eq!(client.query_payment(&QueryPayment::by_hash("5f2c")).unwrap_err().attempts(), 1);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_query_stops_at_its_deadline() {
    let server = RawServer::responding(response("500 Down", "", ""));
    let config = calls::config(&server.base_url()).timeout(Duration::from_millis(700));
    let client = Client::new(config.query_retries(1000)).unwrap();
    let (result, took) = calls::timed(|| client.query_payment(&QueryPayment::by_hash("5f2c")));
    assert_eq!(result.unwrap_err().http_status(), Some(500));
    assert!(took < calls::SLACK, "{took:?}");
}

#[test]
fn a_401_without_a_token_is_not_sent_again() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let server = RawServer::start(move |mut connection| {
        while connection.read_request().is_some() {
            counted.fetch_add(1, Ordering::SeqCst);
            connection.write(&response("401 No", "", ""));
        }
    });
    let error =
        calls::fail_within(&calls::client(&server.base_url()), Duration::from_secs(10), "order-1");
    assert_eq!((error.outcome(), error.attempts()), (NotExecuted, 1));
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[test]
fn a_query_waits_before_it_is_sent_again() {
    let (busy, created) = (response("503 Service Unavailable", "", ""), created());
    let times: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let arrivals = Arc::clone(&times);
    let server = RawServer::start(move |mut connection| {
        while connection.read_request().is_some() {
            let mut arrivals = arrivals.lock().unwrap();
            arrivals.push(Instant::now());
            connection.write(if arrivals.len() == 1 { &busy } else { &created });
        }
    });
    calls::client(&server.base_url()).query_payment(&QueryPayment::by_hash("5f2c")).unwrap();
    let times = times.lock().unwrap();
    assert!(times[1] - times[0] >= Duration::from_millis(100), "{times:?}");
}

#[test]
fn the_time_of_an_attempt_does_not_count_the_one_before() {
    let server = RawServer::responding(response("503 Service Unavailable", "", ""));
    let begun = Mutex::new(Instant::now());
    let attempts = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&attempts);
    let observer = move |event: &Event<'_>| match event.kind {
        EventKind::Attempt { .. } => *begun.lock().unwrap() = Instant::now(),
        EventKind::AttemptEnded { duration, .. } => {
            list.lock().unwrap().push((*duration, begun.lock().unwrap().elapsed()));
        }
        _ => {}
    };
    let config = calls::config(&server.base_url()).query_retries(1).observer(Arc::new(observer));
    Client::new(config).unwrap().query_payment(&QueryPayment::by_hash("5f2c")).unwrap_err();
    let attempts = attempts.lock().unwrap();
    assert_eq!(attempts.len(), 2);
    assert!(attempts.iter().all(|(stated, passed)| stated <= passed), "{attempts:?}");
}
