//! Values that only the service may see.

use std::error::Error as _;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payments_core::request::{
    Address, CodeOrDetails, CreatePayment, CreatePayout, Item, Payee, Payment, Payout,
    QueryPayment, RawRequest, RefundPayment, RegisterTracking, Tracking, TrackingDetails,
};
use payments_core::transport::ProxySetting;
use payments_core::{Client, Config, Error};

use super::raw_server::ReceivedRequest;

pub const INTEGRATION_KEY: &str = "canaryIntegrationKey";
pub const CLIENT_SECRET: &str = "canaryClientSecret";
pub const TOKEN: &str = "canaryAccessTokenThatIsLongerThanOneLineOfADump";
pub const FIXED_HEADER: &str = "canaryFixedHeader";
pub const PROXY_PASSWORD: &str = "canaryProxyPassword";
/// A valid CPF, because some rules check it.
pub const DOCUMENT: &str = "853.513.468-93";

const PAYER: [&str; 15] = [
    "canaryName",
    "canaryMail",
    "canaryExtra",
    "canaryPixKey",
    "canaryPayee",
    "canaryPayeeMail",
    "canaryPayeeDocument",
    "canaryStreet",
    "canaryZip",
    "canaryCity",
    "canaryItem",
    "canaryTrackingCode",
    "canaryRawBody",
    "canaryQueryValue",
    "canaryDescription",
];

/// Everything that must not be shown. The signatures come from `arrived`.
pub fn all(key_pem: &str, passphrase: &str, arrived: &[ReceivedRequest]) -> Vec<String> {
    let mut canaries: Vec<String> =
        [INTEGRATION_KEY, CLIENT_SECRET, FIXED_HEADER, TOKEN, PROXY_PASSWORD, DOCUMENT, passphrase]
            .iter()
            .chain(&PAYER)
            .map(ToString::to_string)
            .collect();
    canaries.push("85351346893".into());
    canaries.push(STANDARD.encode(format!("canary-id:{CLIENT_SECRET}")));
    canaries.push(STANDARD.encode(format!("user:{PROXY_PASSWORD}")));
    canaries.extend(key_pem.lines().filter(|line| line.len() > 20).map(str::to_owned));
    for request in arrived {
        if let Some(token) = request.header("x-jws-signature") {
            canaries.push(token.split_once("..").unwrap().1[..32].to_owned());
        }
    }
    canaries
}

/// Everything that errors, events, and values have shown, in every form.
#[derive(Clone, Default)]
pub struct Shown(Arc<Mutex<String>>);

impl Shown {
    pub fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }

    pub fn debug(&self, value: &impl Debug) {
        self.0.lock().unwrap().push_str(&format!("{value:?}\n{value:#?}\n"));
    }

    /// Records all that an error shows. Excludes `service_message`, which the
    /// service wrote to the merchant and only its getter returns; in the report
    /// for host languages it is a separate member.
    pub fn error(&self, error: &Error) {
        self.debug(error);
        let mut text = format!("{error}\n{error:#}\n{}\n", error.message());
        let mut source = error.source();
        while let Some(cause) = source {
            text.push_str(&format!("{cause}\n{cause:?}\n{cause:#?}\n"));
            source = cause.source();
        }
        let mut report = error.to_json();
        report.as_object_mut().unwrap().remove("service_message");
        text.push_str(&report.to_text());
        self.0.lock().unwrap().push_str(&text);
    }
}

/// A configuration with every secret, whose observer records its events.
pub fn config(base_url: &str, auth_url: &str, key: (&str, &str), shown: &Shown) -> Config {
    let sink = shown.clone();
    super::calls::config(base_url)
        .integration_key(INTEGRATION_KEY)
        .headers([("X-Simulate", FIXED_HEADER)])
        .client_credentials(auth_url, "canary-id", CLIENT_SECRET)
        .signing_key(key.0, "kid-1")
        .key_passphrase(key.1)
        .observer(Arc::new(move |event: &payments_core::observer::Event<'_>| sink.debug(event)))
}

pub fn proxy(port: u16) -> ProxySetting {
    ProxySetting::Url(format!("http://user:{PROXY_PASSWORD}@127.0.0.1:{port}").into())
}

fn payment() -> CreatePayment {
    CreatePayment::new(Payment {
        name: "canaryName".into(),
        email: "canaryMail@example.com".into(),
        country: "br".into(),
        payment_type_code: "pix".into(),
        merchant_payment_code: "order-1".into(),
        currency_code: "BRL".into(),
        amount_total: "100.10".parse().unwrap(),
        document: Some(DOCUMENT.into()),
        ..Payment::default()
    })
    .extra("note", "canaryExtra")
}

fn payout() -> CreatePayout {
    CreatePayout::new(Payout {
        external_reference: "payout-1".into(),
        country: "br".into(),
        amount: "10.00".parse().unwrap(),
        currency_code: "BRL".into(),
        target: Some("pix_key".into()),
        target_account: Some("canaryPixKey".into()),
        payee: Some(Payee {
            name: Some("canaryPayee".into()),
            email: Some("canaryPayeeMail@example.com".into()),
            document: Some("canaryPayeeDocument".into()),
            document_type: Some("CPF".into()),
            ..Payee::default()
        }),
        ..Payout::default()
    })
}

fn tracking() -> RegisterTracking {
    let address = Address {
        zipcode: Some("canaryZip".into()),
        address: Some("canaryStreet".into()),
        city: Some("canaryCity".into()),
        country: Some("BR".into()),
        ..Address::default()
    };
    let item = Item { name: Some("canaryItem".into()), ..Item::default() };
    let details = TrackingDetails {
        tracking_code: "canaryTrackingCode".into(),
        items: vec![item],
        address: Some(address),
        ..TrackingDetails::default()
    };
    RegisterTracking::new(Tracking {
        order_number: "1".into(),
        email: "canaryMail@example.com".into(),
        tracking_code: vec![CodeOrDetails::Details(details)],
        ..Tracking::default()
    })
}

/// Makes every possible call, and records all that requests, responses, and
/// errors show. Returns how many calls failed.
pub fn call_everything(client: &Client, shown: &Shown) -> usize {
    let refund = RefundPayment::by_hash("5f2c").description("canaryDescription");
    let query = QueryPayment::by_hash("5f2c");
    let send = RawRequest::new("POST", "/ws/transfer")
        .query("account", "canaryQueryValue")
        .body(r#"{ "account": "canaryRawBody" }"#);
    let mut failed = 0;
    macro_rules! call {
        ($request:expr) => {
            shown.debug($request);
            match client.prepare($request, &client.context()) {
                Ok(prepared) => shown.debug(&prepared),
                Err(error) => shown.error(&error),
            }
            match client.execute($request, &client.context()) {
                Ok(response) => shown.debug(&response),
                Err(error) => {
                    failed += 1;
                    shown.error(&error);
                }
            }
        };
    }
    shown.debug(client);
    call!(&payment());
    call!(&payout());
    call!(&tracking());
    call!(&refund);
    call!(&query);
    call!(&send);
    match client.access_token(&client.context()) {
        Ok(token) => shown.debug(&token),
        Err(error) => shown.error(&error),
    }
    match client.token_status(&client.context()) {
        Ok(status) => shown.debug(&status),
        Err(error) => shown.error(&error),
    }
    failed
}
