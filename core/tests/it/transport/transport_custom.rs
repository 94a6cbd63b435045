//! A custom transport: bytes count as sent unless it says otherwise.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_core::Outcome::{Executed, NotExecuted, Unknown};
use payments_core::request::QueryPayment;
use payments_core::transport::{
    FailureKind, HttpSettings, HttpTransport, PreparedRequest, Received, Transport,
    TransportFailure,
};
use payments_core::{CallContext, CancelHandle, Client, Config, ErrorKind};

use crate::support::raw_server::{self, RawServer};
use crate::support::{calls, silent};

type Response = Result<Received, TransportFailure>;

/// A transport that runs a function and counts the requests.
struct Scripted<F> {
    script: F,
    sent: AtomicUsize,
}

impl<F: Fn(&PreparedRequest) -> Response + Send + Sync> Transport for Scripted<F> {
    fn send(&self, _: &CallContext, request: &PreparedRequest) -> Response {
        self.sent.fetch_add(1, Ordering::SeqCst);
        (self.script)(request)
    }
}

fn scripted<F>(script: F) -> (Config, Arc<Scripted<F>>)
where
    F: Fn(&PreparedRequest) -> Response + Send + Sync + 'static,
{
    let transport = Arc::new(Scripted { script, sent: AtomicUsize::new(0) });
    (calls::config("https://service.test").transport(transport.clone()), transport)
}

fn ok(body: &[u8]) -> Received {
    Received::new(200, Vec::new(), body.to_vec())
}

fn created() -> Response {
    Ok(ok(br#"{"status":"SUCCESS","payment":{"hash":"5f2c"}}"#))
}

const KINDS: [(FailureKind, ErrorKind); 7] = [
    (FailureKind::Connect, ErrorKind::Connect),
    (FailureKind::Tls, ErrorKind::Tls),
    (FailureKind::Broken, ErrorKind::Transport),
    (FailureKind::Timeout, ErrorKind::Timeout),
    (FailureKind::Cancelled, ErrorKind::Cancelled),
    (FailureKind::Protocol, ErrorKind::Protocol),
    (FailureKind::TooLarge, ErrorKind::TooLarge),
];

#[test]
fn bytes_count_as_sent_if_the_transport_does_not_say() {
    for (kind, expected) in KINDS {
        let (config, transport) = scripted(move |_| Err(TransportFailure::new(kind, "failed")));
        let error =
            calls::fail_within(&Client::new(config).unwrap(), Duration::from_secs(10), "order-1");
        assert_eq!((error.kind(), error.outcome()), (expected, Unknown), "{error}");
        assert_eq!(transport.sent.load(Ordering::SeqCst), 1, "{kind:?} is not sent again");
    }
}

#[test]
fn nothing_sent_is_not_executed_and_only_connecting_is_retried() {
    for (kind, expected) in KINDS {
        let (config, transport) =
            scripted(move |_| Err(TransportFailure::new(kind, "failed").nothing_sent()));
        let error =
            calls::fail_within(&Client::new(config).unwrap(), Duration::from_secs(10), "order-1");
        assert_eq!((error.kind(), error.outcome()), (expected, NotExecuted), "{error}");
        let attempts = if kind == FailureKind::Connect { 3 } else { 1 };
        assert_eq!(transport.sent.load(Ordering::SeqCst), attempts, "{kind:?}");
    }
}

#[test]
fn a_report_that_contradicts_itself_is_unknown() {
    struct Contradicting;
    impl Transport for Contradicting {
        fn send(&self, context: &CallContext, _: &PreparedRequest) -> Response {
            context.set_may_have_sent();
            Err(TransportFailure::new(FailureKind::Connect, "failed").nothing_sent())
        }
    }
    let config = calls::config("https://service.test").transport(Arc::new(Contradicting));
    let error =
        calls::fail_within(&Client::new(config).unwrap(), Duration::from_secs(10), "order-1");
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Connect, Unknown), "{error}");
    assert_eq!(error.attempts(), 1);
}

/// Forwards everything to this crate's transport.
struct Wrapper(HttpTransport);

impl Transport for Wrapper {
    fn send(&self, context: &CallContext, request: &PreparedRequest) -> Response {
        self.0.send(context, request)
    }
}

#[test]
fn a_wrapper_around_the_built_in_transport_is_as_certain() {
    let wrapped = |url: &str| {
        let transport = Wrapper(HttpTransport::new(&HttpSettings::default()).unwrap());
        Client::new(calls::config(url).transport(Arc::new(transport))).unwrap()
    };
    let nobody = format!("http://127.0.0.1:{}", silent::refused_port());
    let error = calls::fail_within(&wrapped(&nobody), Duration::from_secs(10), "order-1");
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Connect, NotExecuted), "{error}");
    assert_eq!(error.attempts(), 3, "connecting is tried again");

    let broken = RawServer::start(|mut connection| drop(connection.read_request()));
    let client = wrapped(&broken.base_url());
    let error = calls::fail_within(&client, Duration::from_secs(10), "order-1");
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Transport, Unknown), "{error}");
    assert_eq!((error.attempts(), broken.requests().len()), (1, 1));

    let responding = RawServer::responding(raw_server::created());
    let client = wrapped(&responding.base_url());
    for _ in 0..3 {
        client.create_payment(&calls::payment("order-1")).unwrap();
    }
    assert_eq!(responding.connections(), 1, "connections are kept");
}

#[test]
fn one_attempts_bytes_do_not_affect_the_next() {
    let count = AtomicUsize::new(0);
    let (config, _) = scripted(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => Err(TransportFailure::new(FailureKind::Broken, "after the first byte")),
        _ => Err(TransportFailure::new(FailureKind::Tls, "refused").nothing_sent()),
    });
    let client = Client::new(config).unwrap();
    let error = client.query_payment(&QueryPayment::by_hash("5f2c")).map(drop).unwrap_err();
    assert_eq!((error.kind(), error.outcome(), error.attempts()), (ErrorKind::Tls, NotExecuted, 2));
}

#[test]
fn a_callers_record_keeps_the_bytes_of_every_attempt() {
    let count = AtomicUsize::new(0);
    let (config, _) = scripted(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => Err(TransportFailure::new(FailureKind::Broken, "after the first byte")),
        _ => Err(TransportFailure::new(FailureKind::Tls, "refused").nothing_sent()),
    });
    let client = Client::new(config).unwrap();
    let context = client.context();
    let error = client.execute(&QueryPayment::by_hash("5f2c"), &context).map(drop).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Tls, 2));
    assert!(context.may_have_sent(), "the first attempt sent some");
}

/// However large it is: reading it is bounded, and its end is known.
#[test]
fn a_response_complete_before_the_cancellation_is_read() {
    let long = "x".repeat(1 << 19);
    let responses = [
        (200, r#"{"status":"SUCCESS","payment":{"hash":"5f2c"},"pad":["PAD","PAD"]}"#, Executed),
        (400, r#"{"status":"ERROR","status_code":"BP-DR-1","pad":["PAD","PAD"]}"#, NotExecuted),
        (500, r#"{"pad":["PAD","PAD"]}"#, Unknown),
    ];
    for (status, body, outcome) in responses {
        // The rest of a longer refusal is not read.
        for pad in if status == 200 { ["", &long] } else { ["", "x"] } {
            let cancel = CancelHandle::new();
            let (handle, body) = (cancel.clone(), body.replace("PAD", pad).into_bytes());
            let (config, transport) = scripted(move |_| {
                handle.cancel();
                Ok(Received::new(status, Vec::new(), body.clone()))
            });
            let client = Client::new(config).unwrap();
            let context = client.context_with(cancel, None);
            let error = client.execute(&calls::payment("order-1"), &context).unwrap_err();
            assert_eq!((error.kind(), error.outcome()), (ErrorKind::Cancelled, outcome), "{error}");
            assert_eq!(error.payment_hash(), (status == 200).then_some("5f2c"), "{error}");
            assert_eq!(transport.sent.load(Ordering::SeqCst), 1);
        }
    }
}

/// Makes a call with another client, using the same context.
struct Nesting {
    other: Client,
    sent: AtomicUsize,
}

impl Transport for Nesting {
    fn send(&self, context: &CallContext, _: &PreparedRequest) -> Response {
        self.sent.fetch_add(1, Ordering::SeqCst);
        let nested = self.other.execute(&calls::payment("order-2"), context);
        assert_eq!(nested.map(drop).unwrap_err().outcome(), NotExecuted);
        Err(TransportFailure::new(FailureKind::Connect, "says nothing of bytes"))
    }
}

#[test]
fn calls_that_share_a_context_keep_their_own_records() {
    let (other, _) =
        scripted(|_| Err(TransportFailure::new(FailureKind::Tls, "refused").nothing_sent()));
    let other = Client::new(other).unwrap();
    let transport = Arc::new(Nesting { other: other.clone(), sent: AtomicUsize::new(0) });
    let config = calls::config("https://service.test").transport(transport.clone());
    let client = Client::new(config).unwrap();

    let context = client.context();
    let error = client.execute(&calls::payment("order-1"), &context).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Connect, Unknown), "{error}");
    assert_eq!(transport.sent.load(Ordering::SeqCst), 1, "what may have left is not sent again");
    assert!(context.may_have_sent(), "the caller's record tells of the call");

    let error = other.execute(&calls::payment("order-3"), &context).unwrap_err();
    assert_eq!(error.outcome(), NotExecuted, "a call before it stains nothing");
}

#[test]
fn a_panic_is_internal_and_the_next_call_works() {
    let count = AtomicUsize::new(0);
    let (config, transport) = scripted(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => panic!("a bug in the transport"),
        _ => created(),
    });
    let client = Client::new(config).unwrap();
    let error = calls::fail_within(&client, Duration::from_secs(10), "order-1");
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Internal, Unknown));
    assert_eq!((error.code().as_str(), error.attempts()), ("internal_error", 1));
    assert!(!error.to_string().contains("a bug"), "{error}");
    client.create_payment(&calls::payment("order-2")).unwrap();
    assert_eq!(transport.sent.load(Ordering::SeqCst), 2);
}

#[test]
fn a_panic_during_a_token_request_is_a_token_error() {
    let count = AtomicUsize::new(0);
    let (config, _) = scripted(move |request| {
        if !request.url().contains("oauth") {
            return created();
        }
        match count.fetch_add(1, Ordering::SeqCst) {
            0 => panic!("a bug in the transport"),
            _ => Ok(ok(br#"{"access_token":"t","token_type":"bearer"}"#)),
        }
    });
    let config = config.client_credentials("https://auth.test", "id", "secret");
    let client = Client::new(config).unwrap();
    let error = calls::fail_within(&client, Duration::from_secs(10), "order-1");
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Token, NotExecuted), "{error}");
    // Waits for the backoff that a local failure starts.
    std::thread::sleep(error.retry_after().unwrap() + Duration::from_millis(50));
    client.create_payment(&calls::payment("order-2")).unwrap();
}

#[test]
fn a_body_beyond_the_limit_is_too_large_and_kept_within_bounds() {
    let (config, _) = scripted(|_| Ok(ok(&vec![b' '; 1 << 20])));
    let client = Client::new(config.max_response_bytes(1000)).unwrap();
    let error = calls::fail_within(&client, Duration::from_secs(10), "order-1");
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::TooLarge, Unknown));
    assert_eq!(error.response_body().map(<[u8]>::len), Some(1000));
}

#[test]
fn a_body_that_failed_counts_where_it_would_decide() {
    for (status, kind, outcome) in [
        (200, ErrorKind::Transport, Unknown),
        (422, ErrorKind::Status, Unknown),
        (403, ErrorKind::Status, NotExecuted),
        (500, ErrorKind::Status, Unknown),
    ] {
        let (config, _) = scripted(move |_| {
            let failure = TransportFailure::new(FailureKind::Broken, "half of it");
            let response = Received::new(status, Vec::new(), b"{".to_vec());
            Ok(response.with_body_failure(failure.nothing_sent()))
        });
        let error =
            calls::fail_within(&Client::new(config).unwrap(), Duration::from_secs(10), "order-1");
        assert_eq!((error.kind(), error.outcome()), (kind, outcome), "{status}: {error}");
        assert_eq!(error.http_status(), Some(status));
    }
}

#[test]
fn it_gets_the_bytes_that_were_signed_and_the_limit() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let (config, _) = scripted(move |request| {
        kept.lock().unwrap().push(request.clone());
        created()
    });
    let client = Client::new(config.max_response_bytes(1234)).unwrap();
    client.create_payment(&calls::payment("order-1")).unwrap();
    let context = client.context();
    let prepared = client.prepare(&calls::payment("order-1"), &context).unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!((seen.len(), seen[0].body()), (1, prepared.body()));
    assert_eq!((seen[0].method(), seen[0].url()), (prepared.method(), prepared.url()));
    assert!(seen[0].headers().eq(prepared.headers()));
    assert_eq!(seen[0].max_response_bytes(), 1234);
}
