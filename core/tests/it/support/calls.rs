//! Calls that are expected to fail, and the parts of their errors to compare.

use std::time::{Duration, Instant};

use payments_core::request::{
    CodeOrDetails, CreatePayment, CreatePayout, Payee, Payment, Payout, QueryPayment, RawRequest,
    RefundPayment, RegisterTracking, Tracking,
};
use payments_core::{
    CallContext, CallOptions as _, Client, Config, Environment, Error, ErrorKind, Outcome,
};

/// How long after its deadline a call may end on a busy machine.
pub const SLACK: Duration = Duration::from_secs(10);

/// Far enough that only a hanging call reaches it.
const DISTANT: Duration = Duration::from_secs(20);

/// The context of a call that ends although its journal stays away.
pub fn brief() -> CallContext {
    CallContext::with_timeout(Duration::from_secs(2))
}

/// A client that sends no signature or token, with a distant deadline.
pub fn client(base_url: &str) -> Client {
    Client::new(config(base_url)).unwrap()
}

pub fn config(base_url: &str) -> Config {
    Config::new(base_url)
        .environment(Environment::Sandbox)
        .integration_key("key-1")
        .connect_timeout(DISTANT)
        .timeout(DISTANT)
}

pub fn payment(reference: &str) -> CreatePayment {
    CreatePayment::new(Payment {
        name: "Maria Souza".into(),
        email: "maria@example.com".into(),
        country: "br".into(),
        payment_type_code: "pix".into(),
        merchant_payment_code: reference.into(),
        currency_code: "BRL".into(),
        amount_total: "100.10".parse().unwrap(),
        document: Some("853.513.468-93".into()),
        ..Payment::default()
    })
}

pub fn payout(reference: &str) -> CreatePayout {
    CreatePayout::new(Payout {
        external_reference: reference.into(),
        country: "br".into(),
        amount: "10.00".parse().unwrap(),
        currency_code: "BRL".into(),
        target: Some("pix_key".into()),
        target_account: Some("joao@example.com".into()),
        payee: Some(Payee { name: Some("João".into()), ..Payee::default() }),
        ..Payout::default()
    })
}

pub fn tracking() -> RegisterTracking {
    RegisterTracking::new(Tracking {
        order_number: "1".into(),
        email: "maria@example.com".into(),
        tracking_code: vec![CodeOrDetails::from("AB1")],
        ..Tracking::default()
    })
}

/// Calls every operation that sends a request. Returns the results by name.
pub fn every_operation(client: &Client) -> Vec<(&'static str, Result<(), Error>)> {
    vec![
        ("create_payment", client.create_payment(&payment("order-1")).map(drop)),
        ("refund_payment", client.refund_payment(&RefundPayment::by_hash("5f2c")).map(drop)),
        ("create_payout", client.create_payout(&payout("payout-1")).map(drop)),
        ("register_tracking", client.register_tracking(&tracking()).map(drop)),
        ("send", client.send(&RawRequest::new("POST", "/ws/transfer").body("{}")).map(drop)),
        ("query_payment", client.query_payment(&QueryPayment::by_hash("5f2c")).map(drop)),
    ]
}

/// The kind, code, and outcome of an error.
pub type ErrorSummary = (ErrorKind, &'static str, Outcome);

pub fn error_summary<T>(result: Result<T, Error>) -> ErrorSummary {
    match result {
        Ok(_) => panic!("the call must fail"),
        Err(error) => (error.kind(), error.code().as_str(), error.outcome()),
    }
}

/// Creates a payment, which must fail by `deadline`.
pub fn fail_within(client: &Client, deadline: Duration, reference: &str) -> Error {
    let started = Instant::now();
    let context = CallContext::with_timeout(deadline);
    let error = client.execute(&payment(reference), &context).map(drop).unwrap_err();
    let took = started.elapsed();
    assert!(took < deadline + SLACK, "{reference}: {error} took {took:?}");
    assert_eq!(error.reference(), Some(reference));
    error
}

/// Runs `call` and measures how long it took.
pub fn timed<T>(call: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let result = call();
    (result, started.elapsed())
}

pub fn assert_says(error: &Error, parts: &[&str]) {
    for part in parts {
        assert!(error.message().contains(part), "without {part:?}: {error}");
    }
}

pub const TRACEPARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

pub fn traced(client: &Client) -> CallContext {
    client.context().with_traceparent(TRACEPARENT.parse().unwrap())
}
