//! A call that is cancelled, interrupted, or past its deadline ends promptly
//! wherever it waits, with the outcome that the byte record implies.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use payments_core::ErrorKind::{Cancelled, Timeout};
use payments_core::Outcome::{NotExecuted, Unknown};
use payments_core::context::InterruptHook;
use payments_core::observer::{Event, EventKind};
use payments_core::request::{QueryPayment, RawRequest};
use payments_core::signer::{Signer, SignerError, SigningInput};
use payments_core::{CallContext, CancelHandle, Client, Config, Error, ErrorKind, Outcome};

use crate::support::calls::{self, SLACK};
use crate::support::raw_server::{Connection, RawServer, created, response};
use crate::support::silent::{FullQueue, MuteListener};

/// When the call is ended, measured from its start.
const END: Duration = Duration::from_millis(300);
/// A call that waits this long has failed the test.
const FAR: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug)]
enum Way {
    Cancel,
    Interrupt,
    Deadline,
}

impl Way {
    fn context(self, end: Duration) -> CallContext {
        let started = Instant::now();
        match self {
            Self::Deadline => CallContext::with_timeout(end),
            Self::Cancel => {
                let cancel = CancelHandle::new();
                let handle = cancel.clone();
                std::thread::spawn(move || {
                    std::thread::sleep(end);
                    handle.cancel();
                });
                CallContext::new(FAR, cancel, None)
            }
            Self::Interrupt => {
                let caller = std::thread::current().id();
                let hook: InterruptHook = Arc::new(move || {
                    assert_eq!(std::thread::current().id(), caller, "the caller's own thread");
                    started.elapsed() > end
                });
                CallContext::new(FAR, CancelHandle::new(), Some(hook))
            }
        }
    }

    fn kind(self) -> ErrorKind {
        match self {
            Self::Deadline => Timeout,
            Self::Cancel | Self::Interrupt => Cancelled,
        }
    }
}

fn config(url: &str) -> Config {
    calls::config(url).connect_timeout(FAR)
}

const WAYS: [Way; 3] = [Way::Cancel, Way::Interrupt, Way::Deadline];

/// Ends `call` in each way. Asserts that it ends soon, with `outcome`.
fn assert_ends(stage: &str, outcome: Outcome, call: impl Fn(&CallContext) -> Result<(), Error>) {
    assert_ends_after(END, stage, outcome, call);
}

fn assert_ends_after(
    end: Duration,
    stage: &str,
    outcome: Outcome,
    call: impl Fn(&CallContext) -> Result<(), Error>,
) {
    for way in WAYS {
        assert_ends_by(way, end, stage, outcome, &call);
    }
}

fn assert_ends_by(
    way: Way,
    end: Duration,
    stage: &str,
    outcome: Outcome,
    call: impl Fn(&CallContext) -> Result<(), Error>,
) {
    let (result, took) = calls::timed(|| call(&way.context(end)));
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (way.kind(), outcome), "{stage}: {error}");
    assert!(took >= end && took < end + SLACK, "{stage} {way:?}: {took:?}");
}

fn pay(client: &Client, context: &CallContext) -> Result<(), Error> {
    client.execute(&calls::payment("order-1"), context).map(drop)
}

#[test]
fn during_a_name_lookup() {
    let hanging = Arc::new(|_: &str, _: u16| {
        std::thread::sleep(FAR);
        Ok(Vec::new())
    });
    let config = config("http://service.test").allow_insecure_http(true).lookup(hanging);
    let client = Client::new(config).unwrap();
    assert_ends("lookup", NotExecuted, |context| pay(&client, context));
}

#[test]
fn while_connecting() {
    let silent = FullQueue::new();
    let client = Client::new(config(&silent.url("http"))).unwrap();
    assert_ends("connecting", NotExecuted, |context| pay(&client, context));
}

#[test]
fn during_the_tls_handshake() {
    let mute = MuteListener::new();
    let client = Client::new(config(&mute.url("https"))).unwrap();
    assert_ends("handshake", NotExecuted, |context| pay(&client, context));
}

#[test]
fn while_sending() {
    let mute = MuteListener::new();
    let client = Client::new(config(&mute.url("http"))).unwrap();
    // More than the socket buffers of both sides can hold.
    let large = RawRequest::new("POST", "/ws/x").content_type("application/octet-stream");
    let large = large.body(vec![0; 8 << 20]);
    // A debug build copies and wipes for a while before it sends the first
    // byte.
    let end = Duration::from_secs(6);
    assert_ends_after(end, "sending", Unknown, |context| client.execute(&large, context).map(drop));
}

#[test]
fn while_waiting_for_the_response() {
    let server = RawServer::start(|mut connection| {
        connection.read_request();
        connection.wait_for_the_end();
    });
    let client = Client::new(config(&server.base_url())).unwrap();
    assert_ends("waiting", Unknown, |context| pay(&client, context));
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn while_reading_the_response() {
    for sent in [&b"HTTP/1.1 200"[..], b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"] {
        let server = RawServer::start(move |mut connection| {
            connection.read_request();
            connection.write(sent);
            connection.wait_for_the_end();
        });
        let client = Client::new(config(&server.base_url())).unwrap();
        assert_ends("reading", Unknown, |context| pay(&client, context));
    }
}

#[test]
fn while_a_response_drips_or_never_ends() {
    fn endless(mut connection: Connection) {
        connection.read_request();
        connection.write(b"HTTP/1.1 200 OK\r\n\r\n");
        while connection.write(b" ") {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let server = RawServer::start(endless);
    let client = Client::new(config(&server.base_url())).unwrap();
    assert_ends("dripping", Unknown, |context| pay(&client, context));
}

#[test]
fn between_two_attempts() {
    let server = RawServer::responding(response("503 Down", "", ""));
    let client = Client::new(config(&server.base_url()).query_retries(1000)).unwrap();
    let query = QueryPayment::by_hash("5f2c");
    for way in [Way::Cancel, Way::Interrupt] {
        let (result, took) = calls::timed(|| client.execute(&query, &way.context(END)).map(drop));
        assert_eq!(result.unwrap_err().kind(), Cancelled);
        assert!(took < END + SLACK, "{took:?}");
    }
}

#[test]
fn while_a_token_is_requested_or_awaited() {
    let server = RawServer::responding(created());
    let mute = MuteListener::new();
    for way in WAYS {
        // A separate identity for each way, and therefore no backoff.
        let id = format!("{way:?}");
        let config = config(&server.base_url()).client_credentials(mute.url("http"), id, "secret");
        let client = Client::new(config).unwrap();
        let call = |context: &CallContext| pay(&client, context);
        // One thread fetches the token, the other waits for the result.
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| assert_ends_by(way, END, "token", NotExecuted, call));
            }
        });
    }
    assert!(server.requests().is_empty());
}

/// Slow, like a remote key service. Checks the context if polite.
struct SlowSigner {
    is_polite: bool,
}

impl Signer for SlowSigner {
    fn kid(&self) -> &str {
        "kid"
    }

    fn sign(&self, context: &CallContext, _: &SigningInput<'_>) -> Result<Vec<u8>, SignerError> {
        if self.is_polite {
            context.sleep(FAR).map_err(|_| SignerError::new("interrupted"))?;
        } else {
            std::thread::sleep(END * 2);
        }
        Ok(vec![1; 512])
    }
}

#[test]
fn in_a_slow_signer() {
    for is_polite in [true, false] {
        let server = RawServer::responding(created());
        let config = config(&server.base_url()).signer(Arc::new(SlowSigner { is_polite }));
        let client = Client::new(config).unwrap();
        assert_ends("signing", NotExecuted, |context| pay(&client, context));
        assert_eq!(server.connections(), 0, "nothing is opened before the signature exists");
    }
}

/// Signs, and cancels the call meanwhile.
struct CancellingSigner(CancelHandle);

impl Signer for CancellingSigner {
    fn kid(&self) -> &str {
        "kid"
    }

    fn sign(&self, _: &CallContext, _: &SigningInput<'_>) -> Result<Vec<u8>, SignerError> {
        self.0.cancel();
        Ok(vec![1; 512])
    }
}

#[test]
fn while_a_request_is_prepared() {
    let cancel = CancelHandle::new();
    let signer = CancellingSigner(cancel.clone());
    let client = Client::new(config("http://127.0.0.1:1").signer(Arc::new(signer))).unwrap();
    let context = CallContext::new(FAR, cancel, None);
    let error = client.prepare(&calls::payment("order-1"), &context).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (Cancelled, NotExecuted));
}

#[test]
fn before_it_began() {
    let server = RawServer::responding(created());
    let client = Client::new(config(&server.base_url())).unwrap();
    client.create_payment(&calls::payment("order-1")).unwrap();
    let cancel = CancelHandle::new();
    cancel.cancel();
    for (context, kind) in [
        (CallContext::new(FAR, cancel, None), Cancelled),
        (CallContext::with_timeout(Duration::ZERO), Timeout),
    ] {
        let error = pay(&client, &context).unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (kind, NotExecuted));
    }
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn request_ended_reports_the_end_to_an_observer() {
    let server = RawServer::start(|mut connection| {
        connection.read_request();
        connection.wait_for_the_end();
    });
    let ends = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&ends);
    let observer = move |event: &Event<'_>| {
        if let EventKind::RequestEnded { http_status, failure, attempts, .. } = event.kind {
            let failure = failure.map(|it| (it.kind, it.outcome));
            list.lock().unwrap().push((failure, *http_status, *attempts));
        }
    };
    let client = Client::new(config(&server.base_url()).observer(Arc::new(observer))).unwrap();
    let cancel = CancelHandle::new();
    cancel.cancel();
    pay(&client, &CallContext::new(FAR, cancel, None)).unwrap_err();
    assert_eq!(*ends.lock().unwrap(), [(Some((Cancelled, NotExecuted)), None, 0)]);
    for way in [Way::Cancel, Way::Interrupt, Way::Deadline] {
        ends.lock().unwrap().clear();
        pay(&client, &way.context(END)).unwrap_err();
        assert_eq!(*ends.lock().unwrap(), [(Some((way.kind(), Unknown)), None, 1)], "{way:?}");
    }
}

#[test]
fn a_cancellation_just_before_the_first_byte_is_not_executed() {
    // The connection comes from the pool, so before the first byte the call
    // only waits where it asks the hook.
    let server = RawServer::responding(created());
    let client = Client::new(config(&server.base_url())).unwrap();
    client.create_payment(&calls::payment("order-1")).unwrap();
    for nth in 1.. {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let hook: InterruptHook = Arc::new(move || asked.fetch_add(1, Ordering::SeqCst) + 1 == nth);
        let before = server.requests().len();
        match pay(&client, &CallContext::new(FAR, CancelHandle::new(), Some(hook))) {
            Err(error) if error.outcome() == NotExecuted => {
                assert_eq!(error.kind(), Cancelled);
                assert_eq!(server.requests().len(), before, "hook {nth}");
            }
            // Bytes may have been sent by now. The client asks twice, and the
            // transport once more before it writes.
            _ => return assert!(nth > 3, "asked {nth} times before the first byte"),
        }
    }
}

#[test]
fn cancelling_a_call_does_not_affect_the_next_one() {
    let slow = Arc::new(AtomicBool::new(false));
    let is_slow = Arc::clone(&slow);
    let server = RawServer::start(move |mut connection| {
        while connection.read_request().is_some() {
            if is_slow.load(Ordering::SeqCst) {
                std::thread::sleep(END * 2);
            }
            connection.write(&created());
        }
    });
    let client = Client::new(config(&server.base_url())).unwrap();
    let cancel = CancelHandle::new();
    pay(&client, &CallContext::new(FAR, cancel.clone(), None)).unwrap();
    slow.store(true, Ordering::SeqCst);
    std::thread::scope(|scope| {
        let next = scope.spawn(|| pay(&client, &CallContext::with_timeout(FAR)));
        std::thread::sleep(END);
        cancel.cancel();
        next.join().unwrap().unwrap();
    });
    assert_eq!((server.connections(), server.requests().len()), (1, 2));
}

#[test]
fn a_connection_on_which_a_call_was_cancelled_is_not_used_again() {
    let server = RawServer::start(|mut connection| {
        while connection.read_request().is_some() {
            std::thread::sleep(if connection.number == 1 { END * 2 } else { Duration::ZERO });
            connection.write(&created());
        }
    });
    let client = Client::new(config(&server.base_url())).unwrap();
    assert_eq!(pay(&client, &Way::Cancel.context(END)).unwrap_err().outcome(), Unknown);
    pay(&client, &CallContext::with_timeout(FAR)).unwrap();
    assert_eq!((server.connections(), server.requests().len()), (2, 2));
}
