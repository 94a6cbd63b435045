//! Calls whose request another HTTP client sends.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_core::Outcome::{Executed, NotExecuted, Unknown};
use payments_core::journal::{Entry, EntryState};
use payments_core::observer::{Event, Observer};
use payments_core::request::{CreatePayment, PaymentResponse, RawRequest};
use payments_core::transport::{FailureKind, Received, TransportFailure};
use payments_core::{
    CallContext, CallStep, CancelHandle, Client, Config, Error, ErrorKind, OpenCall, bridge,
};

use crate::support::calls::{self, payment, told};
use crate::support::journal::MemoryJournal;
use crate::support::merchant::{ALL, Merchant};

const FAR: Duration = Duration::from_secs(60);
/// Long enough to begin a call on a busy machine.
const SOON: Duration = Duration::from_millis(800);
const CREATED: &str = r#"{"status":"SUCCESS","payment":{"hash":"5f2c"}}"#;

type Step = Result<CallStep<CreatePayment>, Error>;
/// What ends a call.
type End = fn(OpenCall<CreatePayment>) -> Step;

/// A client that can send nothing itself.
fn config() -> Config {
    calls::config("https://service.test")
}

fn journaled() -> (Client, Arc<MemoryJournal>) {
    let journal = Arc::new(MemoryJournal::default());
    (Client::new(config().journal(Arc::clone(&journal) as _)).unwrap(), journal)
}

fn begin(client: &Client) -> OpenCall<CreatePayment> {
    client.begin(payment("order-1"), &CallContext::with_timeout(FAR)).unwrap()
}

fn received(status: u16, body: &str) -> Received {
    Received::new(status, Vec::new(), body.as_bytes().to_vec())
}

/// The response of a call that has ended with one.
fn response(step: Step) -> Result<PaymentResponse, Error> {
    match step? {
        CallStep::Response(response) => Ok(response),
        CallStep::SendAgain(call) => panic!("{call:?} is to be sent again"),
    }
}

fn broken() -> TransportFailure {
    TransportFailure::new(FailureKind::Broken, "it broke")
}

#[test]
fn the_entry_is_there_before_the_host_sends_and_ends_with_the_call() {
    let ends: [(End, _, _); 5] = [
        (|call| call.finish(received(200, CREATED)), None, EntryState::Done),
        (
            |call| call.finish(received(400, r#"{"code":"X"}"#)),
            Some(NotExecuted),
            EntryState::Failed,
        ),
        (|call| call.finish(received(502, "")), Some(Unknown), EntryState::Unknown),
        (|call| call.fail(broken()), Some(Unknown), EntryState::Unknown),
        (|call| call.fail(broken().nothing_sent()), Some(NotExecuted), EntryState::Failed),
    ];
    for (end, outcome, state) in ends {
        let (client, journal) = journaled();
        let call = begin(&client);
        assert!(call.deadline() > std::time::Instant::now());
        assert_eq!(journal.one().state, EntryState::InProgress);
        let result = response(end(call));
        assert_eq!(result.map_err(|error| error.outcome()).err(), outcome);
        assert_eq!(journal.one().state, state);
    }
}

#[test]
fn a_call_that_is_dropped_stays_open() {
    let (client, journal) = journaled();
    drop(begin(&client));
    assert_eq!(journal.one().state, EntryState::InProgress);
    let again = client.begin(payment("order-1"), &client.context());
    assert_eq!(told(again), (ErrorKind::Journal, "in_progress", Unknown));
}

#[test]
fn a_call_that_cannot_begin_leaves_no_open_entry() {
    let (client, journal) = journaled();
    let context = CallContext::with_timeout(Duration::ZERO);
    let (kind, _, outcome) = told(client.begin(payment("order-1"), &context));
    assert_eq!((kind, outcome), (ErrorKind::Timeout, NotExecuted));
    assert!(journal.all().iter().all(|entry: &Entry| !entry.is_open()));
    let card = RawRequest::new("POST", "/ws/transfer").body(r#"{"card":"4111111111111111"}"#);
    assert_eq!(told(client.begin(card, &client.context())).1, "card_number");
}

#[test]
fn a_response_after_the_deadline_counts() {
    let (client, journal) = journaled();
    let context = CallContext::with_timeout(SOON);
    let call = client.begin(payment("order-1"), &context).unwrap();
    while !call.remaining().is_zero() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(context.remaining().is_zero());
    // Also if it takes a while to read.
    let codes = vec![r#""0123456789abcdef""#; 10_000].join(",");
    let long = format!(r#"{{"status":"SUCCESS","codes":[{codes}],"payment":{{"hash":"5f2c"}}}}"#);
    assert_eq!(response(call.finish(received(200, &long))).unwrap().hash(), Some("5f2c"));
    assert_eq!(journal.one().state, EntryState::Done);
}

#[test]
fn a_cancelled_call_ends_as_cancelled_with_its_response() {
    let (client, journal) = journaled();
    let cancel = CancelHandle::new();
    let call = client.begin(payment("order-1"), &CallContext::new(FAR, cancel.clone(), None));
    cancel.cancel();
    let error = response(call.unwrap().finish(received(200, CREATED))).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Cancelled, Executed));
    assert_eq!((error.payment_hash(), journal.one().state), (Some("5f2c"), EntryState::Done));
}

/// An observer that cancels at the attempt with this number.
fn cancels_at(attempt: u32, cancel: &CancelHandle) -> Arc<dyn Observer> {
    let cancel = cancel.clone();
    Arc::new(move |event: &Event<'_>| {
        if matches!(event, Event::Attempt { number, .. } if *number == attempt) {
            cancel.cancel();
        }
    })
}

#[test]
fn a_call_that_is_cancelled_while_it_begins_leaves_no_open_entry() {
    let (cancel, journal) = (CancelHandle::new(), Arc::new(MemoryJournal::default()));
    let config = config().journal(Arc::clone(&journal) as _).observer(cancels_at(1, &cancel));
    let begun = Client::new(config)
        .unwrap()
        .begin(payment("order-1"), &CallContext::new(FAR, cancel, None));
    assert_eq!(told(begun), (ErrorKind::Cancelled, "cancelled", NotExecuted));
    assert_eq!(journal.one().state, EntryState::Failed);
}

#[test]
fn a_call_that_is_cancelled_before_it_is_sent_again_leaves_no_open_entry() {
    let (cancel, journal) = (CancelHandle::new(), Arc::new(MemoryJournal::default()));
    let merchant = Merchant::with(ALL);
    let config = merchant.config(ALL).journal(Arc::clone(&journal) as _);
    let client = Client::new(config.observer(cancels_at(2, &cancel))).unwrap();
    let call = client.begin(payment("order-1"), &CallContext::new(FAR, cancel, None)).unwrap();
    merchant.sandbox.revoke_tokens();
    let headers = vec![("www-authenticate".to_owned(), r#"Bearer error="invalid_token""#.into())];
    let refused = call.finish(Received::new(401, headers, Vec::new()));
    assert_eq!(told(refused.map(drop)), (ErrorKind::Cancelled, "cancelled", NotExecuted));
    assert_eq!(journal.one().state, EntryState::Failed);
}

#[test]
fn a_call_that_its_host_does_not_get_is_not_executed() {
    let (client, journal) = journaled();
    let call = bridge::begin(&client, "create_payment", payment_json(), b"", &client.context());
    let call = call.unwrap();
    let error = call.abandon();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Cancelled, NotExecuted));
    assert_eq!(error.reference(), Some("order-1"));
    assert_eq!(journal.one().state, EntryState::Failed);
    assert_eq!(told::<()>(Err(call.abandon())).1, "already_ended");
    bridge::begin(&client, "create_payment", payment_json(), b"", &client.context()).unwrap();
}

#[test]
fn a_refused_token_is_replaced_and_the_same_entry_goes_on() {
    let merchant = Merchant::with(ALL);
    let journal = Arc::new(MemoryJournal::default());
    let client = Client::new(merchant.config(ALL).journal(Arc::clone(&journal) as _)).unwrap();
    let call = begin(&client);
    let first = call.request().clone();
    merchant.sandbox.revoke_tokens();
    let headers = vec![("www-AUTHENTICATE".to_owned(), r#"Bearer error="invalid_token""#.into())];
    let refused = Received::new(401, headers, Vec::new());
    let CallStep::SendAgain(call) = call.finish(refused).unwrap() else { panic!("it ended") };
    let authorization = |request: &payments_core::transport::PreparedRequest| {
        request.header("authorization").unwrap().to_owned()
    };
    assert_ne!(authorization(call.request()), authorization(&first));
    assert_eq!(call.request().body(), first.body());
    assert_eq!(journal.one().state, EntryState::InProgress);
    let error = response(call.finish(received(401, ""))).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Unauthorized, 2));
    assert_eq!((journal.one().state, merchant.sandbox.token_requests()), (EntryState::Failed, 2));
}

#[test]
fn the_observer_hears_what_it_hears_of_any_call() {
    let events = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&events);
    let observer = move |event: &Event<'_>| {
        kept.lock()
            .unwrap()
            .push(format!("{event:?}").split([' ', '{']).next().unwrap().to_owned());
    };
    let client = Client::new(config().observer(Arc::new(observer))).unwrap();
    let call = begin(&client);
    let heard = || std::mem::take(&mut *events.lock().unwrap());
    assert_eq!(heard(), ["RequestStarted", "Attempt"]);
    response(call.finish(received(200, CREATED))).unwrap();
    assert_eq!(heard(), ["AttemptEnded", "RequestEnded"]);
    drop(begin(&client));
    assert_eq!(heard(), ["RequestStarted", "Attempt"]);
}

#[test]
fn a_call_can_end_within_a_callback_of_its_client() {
    let open: Arc<Mutex<Option<OpenCall<CreatePayment>>>> = Arc::default();
    let taken = Arc::clone(&open);
    let ended = Arc::new(Mutex::new(None));
    let result = Arc::clone(&ended);
    let observer = move |event: &Event<'_>| {
        let call = taken.lock().unwrap().take();
        if let (Event::RequestStarted { .. }, Some(call)) = (event, call) {
            *result.lock().unwrap() = Some(response(call.finish(received(200, CREATED))));
        }
    };
    let client = Client::new(config().observer(Arc::new(observer))).unwrap();
    let call = begin(&client);
    *open.lock().unwrap() = Some(call);
    drop(begin(&client));
    assert!(ended.lock().unwrap().take().unwrap().is_ok());
}

#[test]
fn open_calls_hold_no_permit_to_sign() {
    let merchant = Merchant::with(ALL);
    let client = Client::new(merchant.config(ALL).signing_threads(1)).unwrap();
    let calls: Vec<_> = (0..8)
        .map(|number| client.begin(payment(&format!("order-{number}")), &client.context()).unwrap())
        .collect();
    assert_eq!(calls.len(), 8);
}

#[test]
fn the_debug_form_of_an_open_call_shows_no_secret() {
    let merchant = Merchant::with(ALL);
    let client = Client::new(merchant.config(ALL)).unwrap();
    let call = begin(&client);
    let shown = format!("{call:?} {call:#?}");
    assert!(shown.contains("CreatePayment"), "{shown}");
    let config = merchant.sandbox.config();
    let headers = call
        .request()
        .headers()
        .filter(|(name, _)| ["authorization", "x-jws-signature"].contains(name));
    let secrets = headers.map(|(_, value)| value.rsplit(' ').next().unwrap());
    for secret in secrets.chain([&*config.integration_key, "Maria", "853.513"]) {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn responses_of_other_clients_have_the_same_limits() {
    let client = Client::new(config().max_response_bytes(20)).unwrap();
    let error = response(begin(&client).finish(received(200, CREATED))).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::TooLarge, Unknown));
    let client = Client::new(config().max_response_bytes(CREATED.len())).unwrap();
    assert!(response(begin(&client).finish(received(200, CREATED))).is_ok());
    let client = Client::new(config()).unwrap();
    let error = response(begin(&client).finish(received(200, "[]"))).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Decode, Unknown));
    let error = response(begin(&client).finish(received(0, CREATED))).unwrap_err();
    assert_eq!(error.outcome(), Unknown);
}

/// Begins a call by name and ends it twice.
#[test]
fn a_call_by_name_ends_once() {
    let (client, journal) = journaled();
    let json = payment_json();
    let context = client.context();
    let call = bridge::begin(&client, "create_payment", json, b"", &context).unwrap();
    let failed = call.fail(true, &client.context()).map(drop).unwrap_err();
    assert_eq!((failed.kind(), failed.outcome()), (ErrorKind::Connect, NotExecuted));
    for end in [
        call.fail(false, &client.context()),
        call.finish(received(200, CREATED), true, &client.context()),
    ] {
        let error = end.map(drop).unwrap_err();
        assert_eq!(told::<()>(Err(error.clone())), (ErrorKind::Internal, "already_ended", Unknown));
        assert_eq!(error.reference(), Some("order-1"));
    }
    assert_eq!(journal.one().state, EntryState::Failed);
}

#[test]
fn what_a_client_by_name_may_tell() {
    let client = Client::new(config()).unwrap();
    let json = payment_json();
    let open = |timeout| {
        let context = CallContext::with_timeout(timeout);
        bridge::begin(&client, "create_payment", json, b"", &context).unwrap()
    };
    let ended = |step: Result<bridge::CallStep, Error>| told(step.map(drop));
    let now = client.context();
    assert_eq!(ended(open(FAR).fail(false, &now)).0, ErrorKind::Transport);
    let cut = open(FAR).finish(received(200, CREATED), false, &now);
    assert_eq!(ended(cut), (ErrorKind::Transport, "connection_broken", Unknown));
    // A status that refuses decides, whatever happens to the body.
    let cut = open(FAR).finish(received(404, ""), false, &now);
    assert_eq!(ended(cut), (ErrorKind::Status, "refused", NotExecuted));
    let late = open(SOON);
    while !late.remaining().is_zero() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(ended(late.fail(false, &now)), (ErrorKind::Timeout, "deadline_passed", Unknown));
    // A query is sent again, as `execute` would.
    let call = bridge::begin(&client, "query_payment", br#"{"hash":"5f2c"}"#, b"", &now).unwrap();
    let again = call.finish(received(503, ""), true, &now).unwrap();
    assert!(matches!(again, bridge::CallStep::SendAgain(_)));
}

/// The caller that waits for the end can cancel it, even if it began in another context.
#[test]
fn the_context_of_the_end_says_whether_it_is_cancelled() {
    let (client, journal) = journaled();
    let context = client.context();
    let call = bridge::begin(&client, "create_payment", payment_json(), b"", &context).unwrap();
    let cancel = CancelHandle::new();
    cancel.cancel();
    let end = call.finish(received(200, CREATED), true, &CallContext::new(FAR, cancel, None));
    let error = end.map(drop).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Cancelled, Executed));
    assert_eq!((error.payment_hash(), journal.one().state), (Some("5f2c"), EntryState::Done));
}

fn payment_json() -> &'static [u8] {
    br#"{"payment":{"name":"Maria Souza","email":"maria@example.com","country":"br",
    "payment_type_code":"pix","merchant_payment_code":"order-1","currency_code":"BRL",
    "amount_total":"100.10","document":"853.513.468-93"}}"#
}
