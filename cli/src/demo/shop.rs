//! The shop of `examples/shop`, served by the sandbox that the demo leaves running.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use payments_core::request::{CreatePayment, Payment, RefundPayment};
use payments_core::{Client, Error, Operation, Outcome};
use payments_host::follow::{EndKind, FollowEnd, FollowOptions};
use payments_sandbox::{Response, Sandbox};
use serde_json::{Value, json};

use super::narrator::print;
use crate::output;
use crate::process::failure::Failure;
use crate::sandbox::client_files::CONFIGURATION;
use crate::sandbox::page_url;
use crate::settings::Sources;

/// A link to the page of the other shops.
const PAGE: &str = include_str!("shop.html");
const PREFIX: &str = "shop/";
const CENTS: [(&str, u64); 2] = [("mug", 1050), ("shirt", 4500)];
/// Its scripts and styles are inside it.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

/// A client with the journal of the folder, and the orders by their numbers.
struct Shop {
    client: Client,
    orders: Mutex<HashMap<String, Value>>,
}

/// Opens the shop, and returns its address. `folder` has the configuration.
pub(super) fn open(sandbox: &Sandbox, folder: &Path) -> Result<String, Failure> {
    let client = Sources::of(Some(folder.join(CONFIGURATION)), false).client(|config| config)?;
    let shop = Arc::new(Shop { client, orders: Mutex::default() });
    let state = folder.join("follow.state");
    let following = Arc::clone(&shop);
    // It ends with the process.
    std::thread::spawn(move || {
        if let Err(error) = following.follow(&state) {
            output::note(&format!("the shop no longer follows its payments: {error}"));
        }
    });
    sandbox.extend(move |method, path, body| shop.serve(method, path.strip_prefix(PREFIX)?, body));
    Ok(page_url(sandbox) + PREFIX)
}

impl Shop {
    fn orders(&self) -> MutexGuard<'_, HashMap<String, Value>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns how payments and refunds end, also those whose page was closed.
    fn follow(&self, state: &Path) -> Result<(), Error> {
        loop {
            let options =
                FollowOptions { state: Some(state.to_owned()), ..FollowOptions::default() };
            for end in payments_host::follow(&self.client, options, &self.client.context())? {
                self.take(&end?);
            }
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    /// Changes the order, and delivers it once it is paid.
    fn take(&self, end: &FollowEnd) {
        let state = match (end.operation, end.end) {
            (Operation::CreatePayment, EndKind::Confirmed) => "paid",
            (Operation::CreatePayment, EndKind::Cancelled) => "cancelled",
            (Operation::RefundPayment, EndKind::Confirmed) => "refunded",
            (Operation::RefundPayment, EndKind::Cancelled) => "paid",
            // Ask a person.
            _ => return,
        };
        let reference = end.refund_code.as_ref().unwrap_or(&end.reference);
        let number = reference.split_once('-').map_or("", |(_, number)| number);
        let mut orders = self.orders();
        // Payments of other programs are in the journal too.
        let Some(order) = orders.get_mut(number) else { return };
        print(&format!("shop: order-{number} is {state}"));
        if order["state"] == "waiting" && state == "paid" {
            print(&format!("shop: deliver order-{number}"));
        }
        order["state"] = json!(state);
    }

    fn serve(&self, method: &str, path: &str, body: &[u8]) -> Option<Response> {
        if (method, path) == ("GET", "") {
            let page = Response { body: PAGE.into(), ..Response::empty(200) }
                .with_header("Content-Type", "text/html; charset=utf-8")
                .with_header("Content-Security-Policy", POLICY)
                .with_header("Cache-Control", "no-store");
            return Some(page);
        }
        let order = path.strip_prefix("orders/")?;
        let (number, action) = order.split_once('/').unwrap_or((order, ""));
        let is_number = (6..=20).contains(&number.len())
            && number.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f' | b'-'));
        match (method, action) {
            _ if !is_number => None,
            ("PUT", "") => Some(self.pay(number, body)),
            ("GET", "") => self.look(number),
            ("POST", "refund") => self.refund(number),
            _ => None,
        }
    }

    /// Pays an order. A second click finds the payment of the first.
    fn pay(&self, number: &str, body: &[u8]) -> Response {
        let Some((payer, items)) = order_of(body) else {
            return Response::json(400, &json!({"message": "Not paid: not an order"}));
        };
        // Saved before the call.
        let total = {
            let mut orders = self.orders();
            let order = orders.entry(number.to_owned()).or_insert_with(|| {
                let total = format!("{}.{:02}", items / 100, items % 100);
                json!({"reference": format!("order-{number}"), "total": total, "state": "waiting"})
            });
            order["total"].as_str().unwrap_or_default().to_owned()
        };
        let Ok(amount_total) = total.parse() else { return Response::empty(500) };
        let payment = Payment {
            country: "br".into(),
            payment_type_code: "pix".into(),
            currency_code: "BRL".into(),
            merchant_payment_code: format!("order-{number}"),
            amount_total,
            ..payer
        };
        let request = CreatePayment::new(payment);
        match payments_host::ensure_payment(&self.client, &request, &self.client.context()) {
            Ok(ensured) => {
                let payment = ensured.payment;
                if let Some(order) = self.orders().get_mut(number) {
                    order["hash"] = json!(payment.hash());
                    order["code"] = json!(payment.qr_code_value());
                    order["picture"] = json!(payment.qr_svg());
                }
                self.look(number).unwrap_or_else(|| Response::empty(404))
            }
            Err(error) if error.outcome() == Outcome::NotExecuted => {
                not_done(&format!("order-{number}"), "Not paid", &error)
            }
            Err(error) => {
                print(&format!("shop: order-{number}: {error}"));
                let message = "One moment, please: click again.";
                Response::json(202, &json!({"message": message}))
            }
        }
    }

    /// An order: the page asks for it every second.
    fn look(&self, number: &str) -> Option<Response> {
        self.orders().get(number).map(|order| Response::json(200, order))
    }

    /// Refunds an order. A second click is refused by the journal.
    fn refund(&self, number: &str) -> Option<Response> {
        let order = self.orders().get(number)?.clone();
        let request = RefundPayment::by_hash(order["hash"].as_str()?)
            .operation("request")
            .amount(order["total"].as_str()?.parse().ok()?)
            .description("order returned")
            .merchant_refund_code(&format!("refund-{number}"));
        if let Err(error) = self.client.refund_payment(&request) {
            let about = format!("refund of order-{number}");
            if error.outcome() == Outcome::NotExecuted {
                return Some(not_done(&about, "Not refunded", &error));
            }
            print(&format!("shop: {about}: {error}"));
        }
        if let Some(order) = self.orders().get_mut(number) {
            order["state"] = json!("refunding");
        }
        self.look(number)
    }
}

/// The payer in an order, and the cents of its items: the page chooses no price.
fn order_of(body: &[u8]) -> Option<(Payment, u64)> {
    let order: Value = serde_json::from_slice(body).ok()?;
    let text = |name: &str| order["payer"][name].as_str().map(str::to_owned);
    let payer = Payment {
        name: text("name")?,
        email: text("email")?,
        document: text("document"),
        ..Payment::default()
    };
    let cents =
        CENTS.iter().map(|(name, price)| order["items"][name].as_u64()?.checked_mul(*price));
    let total = cents.sum::<Option<u64>>()?;
    Some((payer, total))
}

fn not_done(about: &str, what: &str, error: &Error) -> Response {
    print(&format!("shop: {about}: {error}"));
    Response::json(422, &json!({"message": format!("{what}: {}", error.message())}))
}
