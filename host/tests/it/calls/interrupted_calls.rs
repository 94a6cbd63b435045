//! The error of a call that is interrupted after its response is complete.

use payments_core::json::{Json, Members};
use payments_core::request::CreatePayment;
use payments_core::{CallResponse, Client, Config, ErrorKind, Outcome, RawResponse};
use payments_host::by_name;

const PAYMENT: &str = r#"{"payment": {"name": "Ana", "email": "ana@example.com", "country": "mx",
    "payment_type_code": "oxxo", "merchant_payment_code": "order-1", "currency_code": "MXN",
    "amount_total": "250.00"}}"#;

fn client() -> Client {
    Client::new(Config::new("http://127.0.0.1:1").integration_key("k")).unwrap()
}

fn response() -> CallResponse {
    let body = br#"{"hash": "hash-1"}"#;
    let view = Json::parse(body).unwrap();
    CallResponse { raw: RawResponse::new(201, Vec::new(), body.to_vec()), view }
}

#[test]
fn a_call_with_an_undelivered_response_is_executed() {
    let error = by_name::interrupted_after_response(
        &client(),
        "create_payment",
        PAYMENT.as_bytes(),
        b"",
        Some(response()),
    );
    assert_eq!(
        (error.kind(), error.code().as_str()),
        (ErrorKind::Cancelled, "interrupted_after_response")
    );
    assert_eq!((error.outcome(), error.http_status()), (Outcome::Executed, Some(201)));
    assert_eq!((error.reference(), error.payment_hash()), (Some("order-1"), Some("hash-1")));
    assert!(error.advice().unwrap().contains("query_payment"));
    assert_eq!(error.response().map(|response| response.raw.body()), Some(response().raw.body()));
}

#[test]
fn a_secret_that_a_response_echoes_is_not_in_the_error() {
    let config = Config::new("http://127.0.0.1:1").integration_key("hash-1");
    let error = by_name::interrupted_after_response(
        &Client::new(config).unwrap(),
        "create_payment",
        PAYMENT.as_bytes(),
        b"",
        Some(response()),
    );
    assert_eq!((error.payment_hash(), error.reference()), (None, Some("order-1")));
}

#[test]
fn an_interrupted_call_reads_its_response_within_the_limits() {
    let config = Config::new("http://127.0.0.1:1").integration_key("k").max_response_values(7);
    let error = by_name::interrupted_after_response(
        &Client::new(config).unwrap(),
        "create_payment",
        PAYMENT.as_bytes(),
        b"",
        Some(response()),
    );
    assert_eq!(error.response().map(|response| response.raw.max_values()), Some(7));
}

#[test]
fn a_failure_of_a_cancelled_call_is_still_reported() {
    let request = CreatePayment::from_json(PAYMENT.as_bytes()).unwrap();
    let failure = client().create_payment(&request).unwrap_err();
    let said = failure.message().to_owned();
    let error = failure.into_cancelled();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(error.message().contains("cancelled by the caller"), "{error}");
    assert!(error.message().ends_with(&said), "{error}");
}

#[test]
fn every_operation_has_its_reference() {
    for (name, input, reference) in [
        ("query_payment", r#"{"merchant_payment_code": "order-2"}"#, Some("order-2")),
        ("refund_payment", r#"{"hash": "hash-2"}"#, Some("hash-2")),
        ("send", r#"{"method": "GET", "path": "/ws/own", "reference": "own-1"}"#, Some("own-1")),
        ("access_token", "", None),
    ] {
        let error = by_name::interrupted_after_response(
            &client(),
            name,
            input.as_bytes(),
            b"",
            Some(response()),
        );
        assert_eq!(error.reference(), reference, "{name}");
        assert_eq!(error.outcome(), Outcome::Executed, "{name}");
    }
}

#[test]
fn a_response_of_send_that_reports_a_failure_stays_unknown() {
    for (body, outcome) in [
        (r#"{"status": "ERROR"}"#, Outcome::Unknown),
        (r#"{"status": "SUCCESS"}"#, Outcome::Executed),
        ("done", Outcome::Executed),
    ] {
        let raw = RawResponse::new(200, Vec::new(), body.into());
        let response = CallResponse { raw, view: Json::Object(Members::new()) };
        let head = br#"{"method": "POST", "path": "/ws/own", "reference": "own-1"}"#;
        let error =
            by_name::interrupted_after_response(&client(), "send", head, b"", Some(response));
        assert_eq!(error.outcome(), outcome, "{body}");
    }
}

#[test]
fn without_a_response_nothing_was_executed() {
    let error = by_name::interrupted_after_response(
        &client(),
        "create_payment",
        PAYMENT.as_bytes(),
        b"",
        None,
    );
    assert_eq!((error.outcome(), error.reference()), (Outcome::NotExecuted, Some("order-1")));
    let error = by_name::interrupted_after_response(&client(), "token_status", b"", b"", None);
    assert_eq!((error.outcome(), error.operation()), (Outcome::NotExecuted, None));
}
