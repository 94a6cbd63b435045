//! Payouts of a batch that are queried, where that is on.

use payments_core::Operation;
use payments_sandbox::{Fault, FaultKind, FaultScript};
use serde_json::json;

use crate::batch::{lost, rows, send, states, write};
use crate::journal::journaled;
use crate::support::Merchant;

const NOT_FOUND: &str = "SANDBOX-PAYOUT-NOT-FOUND";

fn querying(count: u32) -> Merchant {
    let merchant = journaled();
    merchant.configure(|config| {
        config["journal"] = json!("file:journal/payments.db");
        config["payout_query"] = json!(true);
        config["payout_not_found_codes"] = json!([NOT_FOUND]);
        config["query_retries"] = json!(0);
    });
    write(&merchant, &rows((1..=count).map(|number| format!("payout-{number}"))));
    merchant
}

fn script(merchant: &Merchant, operation: Operation, faults: Vec<Fault>) {
    merchant.sandbox.script_fault(FaultScript::for_operation(operation, faults));
}

#[test]
fn a_lost_answer_is_queried_and_the_batch_continues() {
    let merchant = querying(3);
    script(&merchant, Operation::CreatePayout, vec![Fault::pass(), lost()]);
    let sent = send(&merchant, &["--parallel", "1"]);
    assert_eq!((sent.code, states(&sent).join(" ")), (0, "done done done".to_owned()), "{sent:?}");
    assert_eq!((merchant.sandbox.payouts().len(), &*sent.stderr), (3, ""));
}

#[test]
fn an_open_payout_is_queried_by_the_next_run() {
    let merchant = querying(2);
    script(&merchant, Operation::CreatePayout, vec![lost()]);
    script(&merchant, Operation::QueryPayout, vec![Fault::status(503)]);
    let first = send(&merchant, &["--parallel", "1"]);
    assert_eq!((first.code, states(&first).join(" ")), (3, "unknown unsent".to_owned()));
    let said = "the query failed: ";
    assert!(first.stderr.contains(said) && first.stderr.contains("queries it again"), "{first:?}");
    let dry = merchant.run(["create-payouts", "payouts.csv", "--dry-run"]);
    assert_eq!(states(&dry).join(" "), "open new", "a dry run changes nothing");
    let second = send(&merchant, &[]);
    assert_eq!((second.code, states(&second).join(" ")), (0, "done done".to_owned()));
    assert_eq!(merchant.sandbox.payouts().len(), 2);
}

#[test]
fn an_absent_payout_stays_unknown_and_is_not_sent_again() {
    let merchant = querying(1);
    let unsent = Fault { execute: Some(false), ..Fault::new(FaultKind::Close) };
    script(&merchant, Operation::CreatePayout, vec![unsent]);
    for _ in 0..3 {
        let sent = send(&merchant, &[]);
        assert_eq!((sent.code, states(&sent).join(" ")), (3, "unknown".to_owned()), "{sent:?}");
        assert!(sent.stderr.contains("the query does not find it; it may until"), "{sent:?}");
    }
    assert!(merchant.sandbox.payouts().is_empty());
}

#[test]
fn a_payout_that_is_found_cancelled_is_reported() {
    let merchant = querying(1);
    script(&merchant, Operation::CreatePayout, vec![lost()]);
    let payout = json!({"uid": "u-1", "external_reference": "payout-1", "status": "CA",
        "code": "BANK_INFO"});
    let found = Fault::json(200, &json!({"type": "success", "payout": payout}));
    script(&merchant, Operation::QueryPayout, vec![found]);
    let sent = send(&merchant, &[]);
    assert_eq!((sent.code, states(&sent).join(" ")), (3, "cancelled".to_owned()), "{sent:?}");
    assert!(sent.stderr.contains("cancelled (BANK_INFO); the service created it"), "{sent:?}");
    assert_eq!(states(&send(&merchant, &[])), ["cancelled"]);
    assert_eq!(merchant.sandbox.payouts().len(), 1);
}
