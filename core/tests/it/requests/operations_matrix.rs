//! Every operation through the typed client, with each credential alone and
//! with all of them, and the options that choose credentials per operation.

use payments_core::config::{AuthOverride, KeyPlacement};
use payments_core::for_host::AnyRequest;
use payments_core::json::Json;
use payments_core::signer::generate_key;
use payments_core::{
    Client, Config, ErrorKind, Operation, PaymentStatus, QueryPayment, RawRequest, RefundPayment,
    RefundStatus,
};
use payments_sandbox::{Require, SandboxConfig};

use crate::support::cases;
use crate::support::merchant::{
    ALL, BEARER, Credentials, INTEGRATION_KEY, JWS, Merchant, NONE, key_path, payment, payout,
    tracking, with_key,
};

const MATRIX: [Credentials; 4] = [INTEGRATION_KEY, JWS, BEARER, ALL];

#[test]
fn every_operation_carries_the_configured_credentials() {
    for credentials in MATRIX {
        let merchant = Merchant::with(credentials);
        let key = merchant.sandbox.config().integration_key;
        let key = credentials.integration_key.then_some(key.as_str());
        let client = Client::new(merchant.config(credentials)).unwrap();
        let mut expected = Vec::new();

        let (request, body) = payment("order-1");
        let created = client.create_payment(&request).unwrap();
        assert_eq!(created.status(), Some(PaymentStatus::Pending));
        assert_eq!(created.merchant_payment_code(), Some("order-1"));
        assert!(created.qr_code_value().is_some());
        assert!(!created.is_paid());
        expected.push(("/ws/direct".to_owned(), with_key(&body, key)));

        let hash = created.hash().unwrap();
        merchant.sandbox.confirm_payment(hash).unwrap();
        let parameter = key.map(|key| format!("integration_key={key}&")).unwrap_or_default();
        assert!(client.query_payment(&QueryPayment::by_hash(hash)).unwrap().is_paid());
        expected.push((format!("/ws/query?{parameter}hash={hash}"), String::new()));
        let by_code = QueryPayment::by_merchant_payment_code("order-1");
        assert_eq!(client.query_payment(&by_code).unwrap().hash(), Some(hash));
        let by_code = format!("/ws/query?{parameter}merchant_payment_code=order-1");
        expected.push((by_code, String::new()));

        let refunded = client.refund_payment(&RefundPayment::by_hash(hash)).unwrap();
        assert_eq!(refunded.refund_status(), Some(RefundStatus::Requested));
        let body = format!(r#"{{"hash":"{hash}"}}"#);
        expected.push(("/ws/refund".to_owned(), with_key(&body, key)));

        let (request, body) = payout();
        assert!(client.create_payout(&request).unwrap().uid().is_some());
        expected.push(("/ws/payout/create".to_owned(), with_key(&body, key)));

        let (request, body) = tracking();
        let tracked = client.register_tracking(&request).unwrap();
        assert_eq!((tracked.status(), tracked.count_mismatch()), (Some("SUCCESS"), None));
        assert!(tracked.result().iter().all(|entry| entry.is_created()));
        let codes = tracked.result().iter().map(|entry| entry.tracking_code.as_deref().unwrap());
        assert_eq!(codes.collect::<Vec<_>>(), ["A", "B", "C"]);
        expected.push(("/ws/tracking".to_owned(), with_key(&body, key)));

        let calls = merchant.calls();
        assert_eq!(calls.len(), expected.len());
        for (record, (target, body)) in calls.iter().zip(&expected) {
            assert_eq!(record.target, *target);
            assert_eq!(record.body, body.as_bytes(), "{target}");
            assert!(record.executed, "{target}");
            merchant.assert_carries(record, credentials);
        }
        assert_eq!(merchant.sandbox.token_requests(), u64::from(credentials.bearer));
        assert_eq!(merchant.sandbox.connections(), 1, "one connection serves all calls");
    }
}

#[test]
fn send_and_access_token_carry_no_integration_key() {
    for credentials in MATRIX {
        let required = Credentials { integration_key: false, ..credentials };
        let merchant = Merchant::with(required);
        let client = Client::new(merchant.config(credentials)).unwrap();
        let token = client.access_token(&client.context());
        assert_eq!(token.is_ok(), credentials.bearer);
        let send = RawRequest::new("POST", "/ws/transfer/create").body(&b"{ \"a\" : 1 }\n"[..]);
        client.send(&send).unwrap();
        let calls = merchant.calls();
        assert_eq!(calls[0].body, b"{ \"a\" : 1 }\n");
        merchant.assert_carries(&calls[0], required);
        let status = client.token_status(&client.context());
        assert_eq!(status.is_ok_and(|status| status.is_usable), credentials.bearer);
        assert_eq!(merchant.sandbox.token_requests(), u64::from(credentials.bearer));
    }
}

#[test]
fn the_integration_key_goes_where_it_is_said() {
    let merchant = Merchant::with(Credentials { bearer: false, ..ALL });
    let key = merchant.sandbox.config().integration_key;
    let credentials = Credentials { bearer: false, ..ALL };
    for (placement, reference) in
        [(KeyPlacement::Beside, "o-1"), (KeyPlacement::Inside, "o-2"), (KeyPlacement::Both, "o-3")]
    {
        merchant.sandbox.clear_requests();
        let config = merchant.config(credentials).integration_key_placement(placement);
        let client = Client::new(config).unwrap();
        let (request, body) = payment(reference);
        client.create_payment(&request).unwrap();
        let (payout, payout_body) = payout();
        client.create_payout(&payout).unwrap();
        let inside =
            body.replace(r#""payment":{"#, &format!(r#""payment":{{"integration_key":"{key}","#));
        let expected = match placement {
            KeyPlacement::Beside => with_key(&body, Some(&key)),
            KeyPlacement::Inside => inside,
            KeyPlacement::Both => with_key(&inside, Some(&key)),
        };
        let calls = merchant.calls();
        assert_eq!(calls[0].body, expected.as_bytes());
        assert_eq!(calls[1].body, with_key(&payout_body, Some(&key)).as_bytes());
        for record in &calls {
            merchant.assert_carries(record, credentials);
        }
    }
}

#[test]
fn the_hash_of_a_refund_goes_under_its_configured_name() {
    let merchant = Merchant::of(SandboxConfig {
        require: Require { jws: true, ..Require::NOTHING },
        refund_hash_member: "payment_hash".into(),
        ..SandboxConfig::default()
    });
    let config = merchant.config(JWS).refund_hash_member("payment_hash");
    let client = Client::new(config).unwrap();
    let created = client.create_payment(&payment("order-1").0).unwrap();
    let hash = created.hash().unwrap();
    merchant.sandbox.confirm_payment(hash).unwrap();
    client.refund_payment(&RefundPayment::by_hash(hash)).unwrap();
    let calls = merchant.calls();
    assert_eq!(calls[1].body, format!(r#"{{"payment_hash":"{hash}"}}"#).as_bytes());
    merchant.assert_carries(&calls[1], JWS);
}

#[test]
fn a_refund_names_one_payment_only() {
    let merchant = Merchant::with(JWS);
    let client = Client::new(merchant.config(JWS).refund_hash_member("payment_hash")).unwrap();
    let by_wire = || RefundPayment::from_json(br#"{"payment_hash":"A"}"#).unwrap();
    let from_json = |text: &[u8]| RefundPayment::from_json(text).unwrap();
    for (request, path) in [
        (from_json(br#"{"hash":"A","payment_hash":"B"}"#), "hash"),
        (from_json(br#"{"payment_hash":"A","hash":"B"}"#), "hash"),
        (RefundPayment::by_hash("A").extra("hash", "B"), "extra.hash"),
        (RefundPayment::by_hash("A").extra("payment_hash", "B"), "extra.payment_hash"),
        (by_wire().extra("payment_hash", "B"), "extra.payment_hash"),
        (by_wire().extra("hash", "B"), "extra.hash"),
    ] {
        let error = client.refund_payment(&request).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::Validation, Some(path)), "{error}");
    }
    assert_eq!(merchant.calls().len(), 0);
}

#[test]
fn the_bearer_token_goes_into_the_configured_header() {
    for scheme in ["Token", ""] {
        let merchant = Merchant::of(SandboxConfig {
            require: Require { bearer: true, ..Require::NOTHING },
            bearer_header: "X-Access-Token".into(),
            bearer_scheme: scheme.into(),
            ..SandboxConfig::default()
        });
        let client = Client::new(merchant.config(BEARER).bearer("X-Access-Token", scheme)).unwrap();
        client.create_payout(&payout().0).unwrap();
        let token = client.access_token(&client.context()).unwrap();
        let expected = format!("{scheme} {}", token.value.expose());
        let record = &merchant.calls()[0];
        assert_eq!(record.bearer.as_str(), "valid");
        assert_eq!(record.header("x-access-token"), Some(expected.trim_start()));
        assert_eq!(record.header("authorization"), None);
        let prepared = client.prepare(&payout().0, &client.context()).unwrap();
        assert_eq!(prepared.header("x-access-token"), Some(expected.trim_start()));
    }
}

#[test]
fn each_operation_can_leave_out_each_credential() {
    let operations = [
        Operation::CreatePayment,
        Operation::QueryPayment,
        Operation::RefundPayment,
        Operation::CreatePayout,
        Operation::RegisterTracking,
    ];
    let without = [
        (AuthOverride { integration_key: Some(false), ..AuthOverride::default() }, {
            Credentials { integration_key: false, ..ALL }
        }),
        (AuthOverride { signature: Some(false), ..AuthOverride::default() }, {
            Credentials { jws: false, ..ALL }
        }),
        (AuthOverride { bearer: Some(false), ..AuthOverride::default() }, {
            Credentials { bearer: false, ..ALL }
        }),
    ];
    let merchant = Merchant::with(NONE);
    for (auth, left) in without {
        for chosen in operations {
            merchant.reset();
            let client = Client::new(merchant.config(ALL).auth(chosen, auth)).unwrap();
            let created = client.create_payment(&payment("order-1").0).unwrap();
            let hash = created.hash().unwrap();
            merchant.sandbox.confirm_payment(hash).unwrap();
            client.query_payment(&QueryPayment::by_hash(hash)).unwrap();
            client.refund_payment(&RefundPayment::by_hash(hash)).unwrap();
            client.create_payout(&payout().0).unwrap();
            client.register_tracking(&tracking().0).unwrap();
            for (record, operation) in merchant.calls().iter().zip(operations) {
                assert_eq!(record.operation, Some(operation));
                let expected = if operation == chosen { left } else { ALL };
                merchant.assert_carries(record, expected);
            }
        }
    }
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
