//! A merchant with a sandbox: key, credentials, and sample requests.

use payments_core::jws::{PublicKey, verify};
use payments_core::{
    Address, CodeOrDetails, Config, CreatePayment, CreatePayout, Environment, Item, Operation,
    Payee, Payout, RegisterTracking, Tracking, TrackingDetails,
};
use payments_sandbox::{RequestRecord, Require, Sandbox, SandboxConfig};

use super::calls;
pub use super::vectors::{key_path, key_text};

/// The credentials that a client has, or that the service requires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Credentials {
    pub integration_key: bool,
    pub jws: bool,
    pub bearer: bool,
}

pub const NONE: Credentials = Credentials { integration_key: false, jws: false, bearer: false };
pub const INTEGRATION_KEY: Credentials = Credentials { integration_key: true, ..NONE };
pub const JWS: Credentials = Credentials { jws: true, ..NONE };
pub const BEARER: Credentials = Credentials { bearer: true, ..NONE };
pub const ALL: Credentials = Credentials { integration_key: true, jws: true, bearer: true };

pub struct Merchant {
    pub sandbox: Sandbox,
    pub kid: String,
}

impl Merchant {
    /// Starts a sandbox that requires these credentials and registers the key.
    pub fn with(required: Credentials) -> Self {
        let Credentials { integration_key, jws, bearer } = required;
        let require = Require { jws, bearer, integration_key, ..Require::NOTHING };
        let accept_paths = vec!["/ws/*".into()];
        Self::of(SandboxConfig { require, accept_paths, ..SandboxConfig::default() })
    }

    pub fn of(config: SandboxConfig) -> Self {
        let sandbox = Sandbox::start(config).unwrap();
        let kid = sandbox.register_pem(&key_text("test_rsa_4096_public.pem")).unwrap();
        Self { sandbox, kid }
    }

    /// The configuration of a client with these credentials.
    pub fn config(&self, credentials: Credentials) -> Config {
        let of_sandbox = self.sandbox.config();
        let mut config = Config::new(self.sandbox.base_url()).environment(Environment::Sandbox);
        if credentials.integration_key {
            config = config.integration_key(of_sandbox.integration_key);
        }
        if credentials.jws {
            config = config.signing_key_file(key_path("test_rsa_4096_pkcs8.pem"), &*self.kid);
        }
        if credentials.bearer {
            let (id, secret) = (of_sandbox.client_id, of_sandbox.client_secret);
            config = config.client_credentials(self.sandbox.auth_url(), id, secret);
        }
        config
    }

    /// The requests that reached the service, except token requests.
    pub fn calls(&self) -> Vec<RequestRecord> {
        let mut records = self.sandbox.requests();
        records.retain(|record| record.operation != Some(Operation::AccessToken));
        records
    }

    /// Fails unless the request carries exactly these credentials, all valid.
    /// Verifies the signature again here, over the bytes received.
    pub fn assert_carries(&self, record: &RequestRecord, expected: Credentials) {
        let found =
            (record.integration_key.as_str(), record.signature.as_str(), record.bearer.as_str());
        let word = |is_sent, word| if is_sent { word } else { "absent" };
        let wanted = (
            word(expected.integration_key, "valid"),
            word(expected.jws, "verified"),
            word(expected.bearer, "valid"),
        );
        assert_eq!(found, wanted, "{} {}", record.method, record.target);
        assert_eq!(record.header("authorization").is_some(), expected.bearer);
        let token = record.header("x-jws-signature");
        assert_eq!(token.is_some(), expected.jws);
        if token.is_some() {
            let key = PublicKey::from_pem(&key_text("test_rsa_4096_public.pem")).unwrap();
            let verified = verify(token, &record.body, |_| Some(key)).unwrap();
            assert_eq!(verified.kid, self.kid);
        }
    }
}

/// A Brazilian payment, and its body without an integration key.
pub fn payment(reference: &str) -> (CreatePayment, String) {
    let body = format!(
        r#"{{"payment":{{"name":"Maria Souza","email":"maria@example.com","country":"br","payment_type_code":"pix","merchant_payment_code":"{reference}","currency_code":"BRL","amount_total":100.10,"document":"853.513.468-93"}}}}"#
    );
    (calls::payment(reference), body)
}

/// A payout to a pix key, and its body without an integration key.
pub fn payout() -> (CreatePayout, String) {
    let payee = Payee {
        name: Some("João Souza".into()),
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
        target: Some("pix_key".into()),
        target_account: Some("joao@example.com".into()),
        payee: Some(payee),
        ..Payout::default()
    };
    let body = r#"{"external_reference":"payout-1","country":"br","amount":10.00,"currency_code":"BRL","target":"pix_key","target_account":"joao@example.com","payee":{"name":"João Souza","email":"joao@example.com","document":"853.513.468-93","document_type":"CPF"}}"#;
    (CreatePayout::new(payout), body.to_owned())
}

/// Tracking codes of every form, and their body without an integration key.
pub fn tracking() -> (RegisterTracking, String) {
    let with_items = TrackingDetails {
        tracking_code: "B".into(),
        items: vec![Item {
            sku: Some("SKU-1".into()),
            unit_price: Some(4990),
            quantity: Some(2),
            r#type: Some("clothes".into()),
            ..Item::default()
        }],
        ..TrackingDetails::default()
    };
    let with_address = TrackingDetails {
        tracking_code: "C".into(),
        address: Some(Address {
            city: Some("São Paulo".into()),
            country: Some("BR".into()),
            ..Address::default()
        }),
        ..TrackingDetails::default()
    };
    let tracking = Tracking {
        order_number: "order-1".into(),
        email: "maria@example.com".into(),
        tracking_code: vec![CodeOrDetails::from("A"), with_items.into(), with_address.into()],
        ..Tracking::default()
    };
    let body = r#"{"order_number":"order-1","email":"maria@example.com","tracking_code":["A",{"tracking_code":"B","items":[{"sku":"SKU-1","unit_price":4990,"quantity":2,"type":"clothes"}]},{"tracking_code":"C","address":{"city":"São Paulo","country":"BR"}}]}"#;
    (RegisterTracking::new(tracking), body.to_owned())
}
