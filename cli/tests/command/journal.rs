//! `payments journal`, and what the journal does to other commands.

use payments_sandbox::{Fault, FaultKind};
use serde_json::{Value, json};

use crate::support::{Merchant, Payments, Run};

/// A merchant whose configuration names a journal that exists.
pub(crate) fn journaled() -> Merchant {
    let merchant = Merchant::new();
    let made = merchant.run(["journal", "create", "books/journal.db"]).response();
    let member = made["journal"].as_str().unwrap().to_owned();
    assert!(member.starts_with("file:/") && member.ends_with("/books/journal.db"), "{member}");
    merchant.configure(|config| config["journal"] = json!("file:books/journal.db"));
    merchant
}

fn payout(merchant: &Merchant, reference: &str, more: &[&str]) -> Run {
    let request = json!({
        "external_reference": reference, "country": "br", "amount": "10.00",
        "currency_code": "BRL", "target": "pix_key", "target_account": "joao@example.com",
        "payee": {"name": "João Souza"},
    });
    let arguments = [&["create-payout", "-"], more].concat();
    Payments::new(&merchant.folder, arguments).stdin(request.to_string()).run()
}

fn states(listed: &Value) -> Vec<&str> {
    let entries = listed["entries"].as_array().unwrap();
    entries.iter().map(|entry| entry["state"].as_str().unwrap()).collect()
}

#[test]
fn a_payout_is_sent_once_and_a_person_decides_about_a_lost_one() {
    let merchant = journaled();
    payout(&merchant, "payout-1", &[]).response();
    let refused = payout(&merchant, "payout-1", &[]).failure(3);
    assert_eq!((&refused["kind"], &refused["code"]), (&json!("journal"), &json!("already_done")));
    assert_eq!(refused["journal_entry"]["has_same_body"], true);
    let lost = Fault { execute: Some(true), ..Fault::new(FaultKind::Close) };
    merchant.sandbox.script_next([lost]);
    payout(&merchant, "payout-2", &[]).failure(3);
    assert_eq!(states(&merchant.run(["journal", "list"]).response()), ["done", "unknown"]);
    assert_eq!(states(&merchant.run(["journal", "list", "--open"]).response()), ["unknown"]);

    let recovered = merchant.run(["journal", "recover"]);
    assert_eq!(recovered.code, 3, "{recovered:?}");
    let recovered: Value = serde_json::from_slice(&recovered.stdout).unwrap();
    assert_eq!(recovered["open"][0]["needs"], "person");
    let resolve = ["journal", "resolve", "payout-2", "--executed", "yes", "--note", "seen"];
    assert_eq!(states(&merchant.run(resolve).response()), ["done"]);
    assert_eq!(merchant.run(resolve).failure(1)["code"], "entry_not_open");
    assert_eq!(merchant.run(["journal", "recover"]).response()["open"], json!([]));
    let shown = merchant.run(["journal", "show", "payout-2"]).response();
    assert_eq!(shown["entries"][0]["note"], "seen");
    merchant.run(["journal", "show", "payout-3"]).failure(2);
    assert_eq!(merchant.sandbox.payouts().len(), 2);
}

#[test]
fn a_person_may_supersede_an_entry_once_its_deadline_passed() {
    let merchant = journaled();
    payout(&merchant, "payout-1", &["--timeout-ms", "600000"]).response();
    payout(&merchant, "payout-1", &["--supersede"]).failure(3);
    payout(&merchant, "payout-2", &["--timeout-ms", "5000"]).response();
    std::thread::sleep(std::time::Duration::from_millis(5100));
    payout(&merchant, "payout-2", &["--supersede"]).response();
    assert_eq!(merchant.sandbox.payouts().len(), 3);
}

#[test]
fn entries_are_exported_as_a_table_that_no_spreadsheet_runs() {
    let merchant = journaled();
    payout(&merchant, "=1+1", &[]).response();
    let export = ["journal", "list", "--export", "journal.csv"];
    assert_eq!(merchant.run(export).code, 0);
    let table = std::fs::read_to_string(merchant.folder.join("journal.csv")).unwrap();
    assert!(table.starts_with("id,version,scope,") && table.contains(",'=1+1,"), "{table}");
    assert_eq!(merchant.run(export).failure(1)["code"], "output_failed");
    assert_eq!(merchant.run(["journal", "list", "--export", "journal.jsonl"]).code, 0);
    let lines = std::fs::read_to_string(merchant.folder.join("journal.jsonl")).unwrap();
    let entry: Value = serde_json::from_str(lines.trim_end()).unwrap();
    assert_eq!(entry["reference"], "=1+1");
}

#[test]
fn a_journal_is_never_made_by_itself() {
    let merchant = Merchant::new();
    merchant.configure(|config| config["journal"] = json!("file:books/journal.db"));
    let missing = payout(&merchant, "payout-1", &[]).failure(2);
    assert_eq!((&missing["code"], &missing["path"]), (&json!("missing"), &json!("journal")));
    assert_eq!(merchant.sandbox.payouts().len(), 0);
    let create = ["journal", "create", "books/journal.db"];
    merchant.run(create).response();
    assert_eq!(merchant.run(create).failure(1)["code"], "exists");
}
