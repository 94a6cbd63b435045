//! The shop of `examples/shop`, served by the sandbox that the demo leaves running.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use payments_core::amount::same_amount;
use payments_core::error::Reason;
use payments_core::request::{CreatePayment, Payment, QueryPayment, RefundPayment};
use payments_core::{CallContext, Client, Error, Outcome};
use payments_host::follow::{FollowEnd, FollowOptions};
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
/// The owner's password: a real shop has one in its configuration.
pub(super) const KEY: &str = "owner";
const CALL: Duration = Duration::from_secs(8);
const SECOND: Duration = Duration::from_secs(1);
/// Its scripts and styles are inside it.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

/// A client with the journal of the folder, and the orders by their numbers.
struct Shop {
    client: Client,
    sandbox: String,
    deliveries: PathBuf,
    orders: Mutex<HashMap<String, Value>>,
    attempts: AtomicU64,
}

/// Opens the shop, and returns its address. `folder` has the configuration.
pub(super) fn open(sandbox: &Sandbox, folder: &Path) -> Result<String, Failure> {
    let client = Sources::of(Some(folder.join(CONFIGURATION)), false).client(|config| config)?;
    let shop = Arc::new(Shop {
        client,
        sandbox: format!("{}#payments", page_url(sandbox)),
        deliveries: folder.join("deliveries.txt"),
        orders: Mutex::default(),
        attempts: AtomicU64::default(),
    });
    let state = folder.join("follow.state");
    let (following, delivering) = (Arc::clone(&shop), Arc::clone(&shop));
    // They end with the process.
    std::thread::spawn(move || {
        if let Err(error) = following.follow(&state) {
            output::note(&format!("the shop no longer follows its payments: {error}"));
        }
    });
    std::thread::spawn(move || {
        loop {
            delivering.deliver_all();
            std::thread::sleep(SECOND);
        }
    });
    sandbox.extend(move |method, path, body| shop.serve(method, path.strip_prefix(PREFIX)?, body));
    Ok(page_url(sandbox) + PREFIX)
}

impl Shop {
    fn orders(&self) -> MutexGuard<'_, HashMap<String, Value>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the members that `decide` changes, and returns the order, unless none do.
    /// An order is null if there is none.
    fn change(&self, number: &str, decide: impl FnOnce(&Value) -> Option<Value>) -> Option<Value> {
        let mut orders = self.orders();
        let mut order = orders.get(number).cloned().unwrap_or_default();
        let Some(Value::Object(changes)) = decide(&order) else { return None };
        for (name, value) in changes {
            order[name] = value;
        }
        orders.insert(number.to_owned(), order.clone());
        Some(order)
    }

    /// Begins a call for an order: until it has ended for sure, no other request makes one.
    fn attempt(&self, mut changes: Value) -> Value {
        changes["attempt"] = json!(self.attempts.fetch_add(1, Ordering::Relaxed));
        changes["until"] = json!(now_ms() + milliseconds(CALL + 2 * SECOND));
        changes
    }

    /// Stores how a call ended, unless the order has moved on.
    fn settle(&self, number: &str, was: &Value, mut changes: Value) {
        changes["until"] = json!(0);
        self.change(number, |order| {
            let is_same = order["state"] == was["state"] && order["attempt"] == was["attempt"];
            is_same.then_some(changes)
        });
    }

    /// Learns how payments and refunds end, also those whose page was closed.
    fn follow(&self, state: &Path) -> Result<(), Error> {
        loop {
            let options =
                FollowOptions { state: Some(state.to_owned()), ..FollowOptions::default() };
            for end in payments_host::follow(&self.client, options, &self.client.context())? {
                let end = end?;
                print(&format!(
                    "shop: {} of {}: {}",
                    end.operation.name(),
                    end.reference,
                    end.end.as_str()
                ));
                let code = end.refund_code.as_ref().unwrap_or(&end.reference);
                if let Some((_, number)) = code.split_once('-') {
                    self.change(number, |order| take(order, &end));
                }
            }
            std::thread::sleep(SECOND);
        }
    }

    /// Delivers what is paid, with growing pauses between the tries.
    fn deliver_all(&self) {
        let numbers: Vec<_> = self.orders().keys().cloned().collect();
        for number in numbers {
            let tried = self.change(&number, |order| {
                let tries = order["tries"].as_u64().unwrap_or_default();
                let pause = (5000 << tries.min(9)).min(3_600_000);
                let is_due = order["state"] == "delivering" && is_due(order);
                is_due.then(|| json!({"tries": tries + 1, "until": now_ms() + pause}))
            });
            match tried.map(|order| (self.deliver(&number), order)) {
                Some((Ok(()), order)) => {
                    self.settle(&number, &order, json!({"state": "delivered"}));
                }
                Some((Err(error), _)) => {
                    print(&format!("shop: order-{number} is delivered later: {error}"));
                }
                None => {}
            }
        }
    }

    /// Delivers an order. After a failure, it is called again.
    fn deliver(&self, number: &str) -> std::io::Result<()> {
        let mut list = OpenOptions::new().create(true).append(true).open(&self.deliveries)?;
        writeln!(list, "order-{number}")?;
        print(&format!("shop: deliver order-{number}"));
        Ok(())
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
        let is_number = (6..=16).contains(&number.len())
            && number.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f' | b'-'));
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        match (method, action) {
            _ if !is_number => None,
            ("PUT", "") => Some(self.pay(number, &body)),
            ("GET", "") => self.look(number),
            ("POST", "refund") => self.refund(number, &body),
            _ => None,
        }
    }

    /// The members of an order for its page, which asks for them every second.
    fn look(&self, number: &str) -> Option<Response> {
        let order = self.orders().get(number)?.clone();
        let mut shown = json!({"sandbox": self.sandbox});
        for name in ["reference", "total", "state", "problem"] {
            shown[name] = order[name].clone();
        }
        for name in ["code", "picture"].iter().filter(|_| order["state"] == "waiting") {
            shown[name] = order[name].clone();
        }
        Some(Response::json(200, &shown))
    }

    /// Pays an order. A second click finds the payment of the first.
    fn pay(&self, number: &str, body: &Value) -> Response {
        let Some(asked) = order_of(number, body) else {
            return Response::json(422, &json!({}));
        };
        let attempted = self.change(number, |order| {
            if order.is_null() || order["state"] == "not_paid" {
                return Some(self.attempt(asked));
            }
            let is_open = order["state"] == "waiting" && order["code"].is_null() && is_due(order);
            is_open.then(|| self.attempt(json!({})))
        });
        if let Some(order) = attempted {
            let changes = self
                .ensure(&order)
                .unwrap_or_else(|error| failure(&format!("order-{number}"), &error, "not_paid"));
            self.settle(number, &order, changes);
        }
        self.look(number).unwrap_or_else(|| Response::empty(404))
    }

    /// Finds or creates the payment, and returns what changes.
    fn ensure(&self, order: &Value) -> Result<Value, Error> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let payment = Payment {
            name: text(&order["payer"]["name"]),
            email: text(&order["payer"]["email"]),
            document: Some(text(&order["payer"]["document"])),
            country: "br".into(),
            payment_type_code: "pix".into(),
            currency_code: "BRL".into(),
            merchant_payment_code: text(&order["reference"]),
            amount_total: text(&order["total"]).parse()?,
            ..Payment::default()
        };
        let request = CreatePayment::new(payment);
        let context = CallContext::with_timeout(CALL);
        let payment = payments_host::ensure_payment(&self.client, &request, &context)?.payment;
        Ok(json!({
            "hash": payment.hash(), "code": payment.qr_code_value(), "picture": payment.qr_svg(),
        }))
    }

    /// Refunds an order. A second click asks for the refund of the first.
    fn refund(&self, number: &str, body: &Value) -> Option<Response> {
        if !body["key"].as_str().is_some_and(|it| is_same_secret(it, KEY)) {
            return Some(Response::json(403, &json!({})));
        }
        let attempted = self.change(number, |order| {
            if order["state"] == "refunding" {
                return is_due(order).then(|| self.attempt(json!({"is_new": false})));
            }
            let is_paid = order["state"] == "delivering" || order["state"] == "delivered";
            let refunds = order["refunds"].as_u64().unwrap_or_default() + 1;
            is_paid.then(|| {
                self.attempt(json!({
                    "state": "refunding",
                    "refunds": refunds,
                    "is_new": true,
                    "expects": ["refund_payment", order["hash"], format!("r{refunds}-{number}")],
                    "ends": {"confirmed": "refunded", "cancelled": order["state"]},
                }))
            })
        });
        if let Some(order) = attempted {
            let changes = self.refund_once(&order).unwrap_or_else(|error| {
                let before = &order["ends"]["cancelled"];
                let state = if order["is_new"] == true { before } else { &order["state"] };
                failure(&format!("refund of order-{number}"), &error, state.as_str().unwrap_or(""))
            });
            self.settle(number, &order, changes);
        }
        self.look(number)
    }

    /// Asks for a refund, or sends it, and returns what changes. The journal sends none twice.
    fn refund_once(&self, order: &Value) -> Result<Value, Error> {
        let hash = order["hash"].as_str().unwrap_or_default();
        let code = order["expects"][2].as_str().unwrap_or_default();
        let context = CallContext::with_timeout(CALL / 2);
        let payment = self.client.execute(&QueryPayment::by_hash(hash), &context)?;
        let refunds = payment.refunds();
        let ours = refunds.iter().filter(|it| it.merchant_refund_code.as_deref() == Some(code));
        let states: Vec<_> = ours.map(|it| it.status.as_deref().unwrap_or_default()).collect();
        if states.is_empty() {
            let refund = RefundPayment::by_hash(hash)
                .operation("request")
                .amount(order["total"].as_str().unwrap_or_default().parse()?)
                .description("order returned")
                .merchant_refund_code(code);
            self.client.execute(&refund, &CallContext::with_timeout(CALL / 2))?;
        }
        Ok(match states[..] {
            ["CO"] => json!({"state": order["ends"]["confirmed"]}),
            ["CA"] => json!({"state": order["ends"]["cancelled"]}),
            _ => json!({}),
        })
    }
}

fn now_ms() -> u64 {
    milliseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn is_due(order: &Value) -> bool {
    order["until"].as_u64().unwrap_or_default() < now_ms()
}

/// The time that this takes does not depend on what differs.
fn is_same_secret(given: &str, secret: &str) -> bool {
    let differences = given.bytes().zip(secret.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    given.len() == secret.len() && differences == 0
}

/// The changes by an end. If the order waits for no such end, ask a person.
fn take(order: &Value, end: &FollowEnd) -> Option<Value> {
    let shown = end.to_json();
    let shown = |name: &str| shown.get(name).and_then(|it| it.as_text_or_number());
    let (amount, currency) = (shown("amount"), shown("currency"));
    let hash = if order["hash"].is_null() { json!(end.hash) } else { order["hash"].clone() };
    let total = order["total"].as_str()?;
    let its = json!([end.operation.name(), end.reference, end.refund_code]);
    let is_its = order["expects"] == its
        && amount.is_none_or(|it| same_amount(it, total))
        && currency.is_none_or(|it| it == "BRL")
        // The service may show too little to compare.
        && (amount.is_some() && currency.is_some() || hash == json!(end.hash));
    let is_open = ["waiting", "not_paid", "refunding"].iter().any(|it| order["state"] == *it);
    let state = order["ends"][end.end.as_str()].as_str().filter(|_| is_its && is_open)?;
    Some(json!({"state": state, "hash": hash, "tries": 0, "until": 0}))
}

/// The stored members of an order, if it is one. The page chooses no price.
fn order_of(number: &str, body: &Value) -> Option<Value> {
    let text = |name: &str| body["payer"][name].as_str().filter(|it| it.len() <= 100);
    let payer = json!({
        "name": text("name")?, "email": text("email")?, "document": text("document")?,
    });
    let count = |name: &str| body["items"][name].as_u64().filter(|it| *it <= 99);
    let cents: Option<u64> = CENTS.iter().map(|(name, price)| Some(count(name)? * price)).sum();
    let cents = cents.filter(|it| *it > 0)?;
    let reference = format!("order-{number}");
    Some(json!({
        "state": "waiting",
        "payer": payer,
        "total": format!("{}.{:02}", cents / 100, cents % 100),
        "expects": ["create_payment", reference, null],
        "reference": reference,
        "ends": {"confirmed": "delivering", "cancelled": "cancelled"},
    }))
}

/// Prints an error, and returns what it changes.
fn failure(about: &str, error: &Error, not_executed: &str) -> Value {
    print(&format!("shop: {about}: {error}"));
    let mut changes = json!({"problem": error.code().as_str()});
    if error.outcome() == Outcome::NotExecuted {
        changes["state"] = json!(not_executed);
    } else if error.reason() == Some(Reason::ReferenceTaken) {
        changes["state"] = json!("conflict");
    }
    changes
}
