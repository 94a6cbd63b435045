//! Every operation once, against the sandbox, with every credential.

use payments_core::operations::{
    CreatePayment, CreatePayout, Payee, Payment, Payout, QueryPayment, RefundPayment,
    RegisterTracking, Send, Tracking, TrackingCode,
};
use payments_core::signer::generate_key;
use payments_core::{Client, Config, Environment};
use payments_sandbox::{Require, Sandbox, SandboxConfig};

#[test]
fn every_operation_works_with_every_credential() {
    let sandbox = Sandbox::start(SandboxConfig {
        require: Require { jws: true, bearer: true, integration_key: false },
        ..SandboxConfig::default()
    })
    .unwrap();
    let key = generate_key().unwrap();
    let kid = sandbox.register_pem(&key.public_key_pem).unwrap();
    let config = Config::new(sandbox.base_url())
        .environment(Environment::Sandbox)
        .integration_key(sandbox.config().integration_key)
        .client_credentials(
            sandbox.auth_url(),
            sandbox.config().client_id,
            sandbox.config().client_secret,
        )
        .signing_key(key.private_key_pem, kid);
    let client = Client::new(config).unwrap();

    let payment = Payment {
        name: "Maria Souza".into(),
        email: "maria@example.com".into(),
        country: "br".into(),
        payment_type_code: "pix".into(),
        merchant_payment_code: "order-1".into(),
        currency_code: "BRL".into(),
        amount_total: "100.10".parse().unwrap(),
        document: Some("853.513.468-93".into()),
        ..Payment::default()
    };
    let created = client.create_payment(&CreatePayment::new(payment)).unwrap();
    assert!(created.qr_code_value().is_some());
    assert!(!created.is_paid());
    let hash = created.hash().unwrap().to_owned();

    sandbox.confirm_payment(&hash).unwrap();
    assert!(client.query_payment(&QueryPayment::by_hash(&hash)).unwrap().is_paid());
    client.refund_payment(&RefundPayment::new(&hash)).unwrap();
    let payee = Payee {
        name: "João".into(),
        email: Some("joao@example.com".into()),
        document: Some("853.513.468-93".into()),
        document_type: Some("CPF".into()),
        ..Payee::default()
    };
    let payout = Payout {
        external_reference: "payout-1".into(),
        country: "br".into(),
        amount: "10.00".parse().unwrap(),
        currency_code: "BRL".into(),
        target: "pix_key".into(),
        target_account: "joao@example.com".into(),
        payee,
        ..Payout::default()
    };
    client.create_payout(&CreatePayout::new(payout)).unwrap();
    let tracking = Tracking {
        order_number: "1".into(),
        email: "maria@example.com".into(),
        tracking_code: vec![TrackingCode::from("AB1")],
        ..Tracking::default()
    };
    let tracked = client.register_tracking(&RegisterTracking::new(tracking)).unwrap();
    assert_eq!(tracked.count_mismatch(), None);
    client.send(&Send::new("POST", "/ws/transfer/create").body(&b"{ \"a\" : 1 }"[..])).unwrap();
    assert_eq!(sandbox.token_requests(), 1);
    assert_eq!(sandbox.connections(), 1, "one connection serves all calls");
}
