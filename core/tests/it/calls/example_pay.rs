//! Runs the `pay` example against a service that loses responses.

#[path = "../../../examples/pay.rs"]
#[allow(dead_code, missing_docs, unreachable_pub, reason = "a program as users have it")]
mod pay;

use pay::Known;
use payments_core::{Client, Operation};

use crate::support::folder::Folder;
use crate::support::merchant::{ALL, Merchant};

struct Shop {
    merchant: Merchant,
    client: Client,
    orders: Folder,
}

impl Shop {
    fn new() -> Self {
        let merchant = Merchant::with(ALL);
        let client = Client::new(merchant.config(ALL)).unwrap();
        Self { merchant, client, orders: Folder::made() }
    }

    fn script(&self, operation: &str, faults: &[&str]) {
        let faults = faults.join(",");
        let script = format!(r#"{{"operation":"{operation}","then":[{faults}]}}"#);
        self.merchant.sandbox.script_json(&script).unwrap();
    }

    fn pay(&self) -> &'static str {
        match pay::pay(&self.client, self.orders.path(), "order-1", "100.10") {
            Ok(Known::Found(_)) => "found",
            Ok(Known::NotYet) => "not yet",
            Ok(Known::NeedsDecision) => "needs decision",
            Err(_) => "not executed",
        }
    }

    fn times_sent(&self) -> usize {
        let is_payment = |operation| operation == Some(Operation::CreatePayment);
        self.merchant.calls().iter().filter(|request| is_payment(request.operation)).count()
    }
}

const WRONG_KEY: &str = r#"{"fault":"response","json":{"status":"ERROR","status_code":"BP-SA-2"}}"#;
const NOT_FOUND: &str =
    r#"{"fault":"response","json":{"status":"ERROR","status_code":"BP-REF-CAN-2"}}"#;

#[test]
fn a_lost_response_is_found_and_nothing_is_sent_twice() {
    let shop = Shop::new();
    shop.script("create_payment", &[r#"{"fault":"close","execute":true}"#]);
    shop.script("query_payment", &[WRONG_KEY, NOT_FOUND]);
    assert_eq!(shop.pay(), "found");
    shop.script("query_payment", &[WRONG_KEY, NOT_FOUND]);
    assert_eq!(shop.pay(), "found");
    assert_eq!(shop.times_sent(), 1);
}

#[test]
fn only_a_person_decides_and_only_after_the_wait() {
    let shop = Shop::new();
    shop.script("create_payment", &[r#"{"fault":"close"}"#]);
    assert_eq!(shop.pay(), "not yet");
    let kept = shop.orders.path().join("order-1.sent");
    std::fs::write(&kept, "1").unwrap();
    shop.script("query_payment", &[NOT_FOUND, NOT_FOUND, WRONG_KEY]);
    assert_eq!(shop.pay(), "not yet");
    assert_eq!(shop.pay(), "needs decision");
    assert_eq!(shop.times_sent(), 1);
}

#[test]
fn a_payment_that_was_not_executed_is_retried() {
    let shop = Shop::new();
    shop.script("create_payment", &[r#"{"fault":"response","status":429}"#]);
    assert_eq!(shop.pay(), "not executed");
    assert_eq!(shop.pay(), "found");
    assert_eq!(shop.times_sent(), 2);
}
