//! Every operation through the typed client. Credentials, and options that choose them,
//! are in the scenarios.

use payments_core::inside::AnyRequest;
use payments_core::json::Json;
use payments_core::signer::generate_key;
use payments_core::{Client, Config, PaymentStatus, QueryPayment, RefundPayment, RefundStatus};

use crate::support::cases;
use crate::support::merchant::{JWS, Merchant, NONE, key_path, payment, payout, tracking};

#[test]
fn typed_requests_are_sent_and_typed_responses_read() {
    let merchant = Merchant::with(JWS);
    let client = Client::new(merchant.config(JWS)).unwrap();
    let (request, of_payment) = payment("order-1");
    let created = client.create_payment(&request).unwrap();
    assert_eq!(created.status(), Some(PaymentStatus::Pending));
    assert_eq!(created.merchant_payment_code(), Some("order-1"));
    assert!(created.qr_code_value().is_some() && !created.is_paid());
    let hash = created.hash().unwrap();
    merchant.sandbox.confirm_payment(hash).unwrap();
    assert!(client.query_payment(&QueryPayment::by_hash(hash)).unwrap().is_paid());
    let by_code = QueryPayment::by_merchant_payment_code("order-1");
    assert_eq!(client.query_payment(&by_code).unwrap().hash(), Some(hash));
    let refunded = client.refund_payment(&RefundPayment::by_hash(hash)).unwrap();
    assert_eq!(refunded.refund_status(), Some(RefundStatus::Requested));
    let of_refund = format!(r#"{{"hash":"{hash}"}}"#);
    let (request, of_payout) = payout();
    assert!(client.create_payout(&request).unwrap().uid().is_some());
    let (request, of_tracking) = tracking();
    let tracked = client.register_tracking(&request).unwrap();
    assert_eq!((tracked.status(), tracked.count_mismatch()), (Some("SUCCESS"), None));
    assert!(tracked.result().iter().all(|entry| entry.is_created()));
    let codes = tracked.result().iter().map(|entry| entry.tracking_code.as_deref().unwrap());
    assert_eq!(codes.collect::<Vec<_>>(), ["A", "B", "C"]);
    let bodies = merchant.calls().into_iter().map(|it| String::from_utf8(it.body).unwrap());
    let none = String::new();
    let expected = [of_payment, none.clone(), none, of_refund, of_payout, of_tracking];
    assert_eq!(bodies.collect::<Vec<_>>(), expected);
}

#[test]
fn a_new_key_makes_signatures_that_the_service_accepts() {
    let key = generate_key().unwrap();
    let merchant = Merchant::with(JWS);
    let kid = merchant.sandbox.register_pem(&key.public_key_pem).unwrap();
    let config = merchant.config(NONE).signing_key(key.private_key_pem, kid);
    Client::new(config).unwrap().create_payout(&payout().0).unwrap();
    assert_eq!(merchant.calls()[0].signature.as_str(), "verified");
}

/// Prepares every vector with and without an integration key, which covers
/// everything but the transport.
#[test]
fn every_vector_is_prepared_byte_for_byte() {
    for file in ["bodies.json", "bodies_with_key.json"] {
        for case in cases::cases(file) {
            let name = cases::text(&case, "name");
            let operation = cases::operation(&case);
            let given = case.get("config").and_then(Json::as_object).cloned();
            let mut config = given.unwrap_or_default();
            config.push("base_url", "https://api.example");
            // A signature changes no byte.
            config.push("key_file", key_path("test_rsa_4096_pkcs8.pem").to_str().unwrap());
            config.push("kid", "kid");
            let client = Config::from_json(&config.to_bytes()).and_then(Client::new).unwrap();
            let input = case.get("input").unwrap().to_bytes();
            let request = AnyRequest::from_json(operation, &input, b"").unwrap().unwrap();
            let prepared = client.prepare(&request, &client.context());
            let prepared = prepared.unwrap_or_else(|error| panic!("{name}: {error}"));
            let body = case.get("expected_body").and_then(Json::as_str).unwrap_or_default();
            assert_eq!(prepared.body(), body.as_bytes(), "{name}");
            assert_eq!(prepared.method(), operation.method(), "{name}");
            let target = prepared.url().strip_prefix("https://api.example").unwrap();
            match case.get("expected_target").and_then(Json::as_str) {
                Some(expected) => assert_eq!(target, expected, "{name}"),
                None => assert!(target.starts_with(operation.path()), "{name}"),
            }
        }
    }
}
