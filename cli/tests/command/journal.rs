//! `payments journal`, and the journal's effect on other commands.

use payments_sandbox::{Fault, FaultKind};
use serde_json::{Value, json};

use crate::support::{Merchant, Payments, Run, payment};

/// A merchant whose configuration names a journal that exists.
pub(crate) fn journaled() -> Merchant {
    let merchant = Merchant::new();
    let made = merchant.run(["journal", "create", "journal/payments.db"]).response();
    let member = made["journal"].as_str().unwrap().to_owned();
    assert!(member.starts_with("file:/") && member.ends_with("/journal/payments.db"), "{member}");
    merchant.configure(|config| config["journal"] = json!("file:journal/payments.db"));
    merchant
}

pub(crate) fn payout(merchant: &Merchant, reference: &str, more: &[&str]) -> Run {
    payout_of(merchant, reference, "10.00", more)
}

fn payout_of(merchant: &Merchant, reference: &str, amount: &str, more: &[&str]) -> Run {
    let request = json!({
        "external_reference": reference, "country": "br", "amount": amount,
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
fn ensuring_exits_with_the_outcome_of_the_reference() {
    let merchant = journaled();
    std::fs::write(merchant.folder.join("payment.json"), payment("order-1")).unwrap();
    let ensure = |more: &[&str]| merchant.run([&["ensure-payment", "payment.json"], more].concat());
    let down = || merchant.sandbox.script_next([Fault::status(404)]);
    let (blank, long) = (["--name", " "], ["--ensure-wait-ms", "600001"]);
    assert_eq!(ensure(&blank).failure(1)["outcome"], "not_executed");
    assert_eq!(ensure(&long).failure(1)["path"], "ensure_wait_ms");
    down();
    assert_eq!(ensure(&[]).failure(3)["outcome"], "unknown");
    let created = ensure(&["--ensure-wait-ms", "0"]).response();
    for arguments in [blank, long] {
        let refused = ensure(&arguments).failure(3);
        assert_eq!(refused["payment_hash"], created["hash"]);
    }
    down();
    assert_eq!(ensure(&[]).failure(4)["outcome"], "executed");
    assert_eq!(ensure(&[]).response()["other_hash"], json!(null));
}

#[test]
fn a_payout_is_sent_once_and_a_person_decides_about_a_lost_one() {
    let merchant = journaled();
    payout(&merchant, "payout-1", &[]).response();
    let refused = payout(&merchant, "payout-1", &[]).failure(4);
    assert_eq!((&refused["kind"], &refused["code"]), (&json!("journal"), &json!("already_done")));
    assert_eq!(refused["outcome"], "executed");
    assert_eq!(refused["journal_entry"]["has_same_body"], true);
    let refused = payout_of(&merchant, "payout-1", "11.00", &[]).failure(3);
    assert_eq!(
        (&refused["code"], &refused["outcome"]),
        (&json!("reference_used"), &json!("unknown"))
    );
    let lost = Fault { execute: Some(true), ..Fault::new(FaultKind::Close) };
    merchant.sandbox.script_next([lost]);
    payout(&merchant, "payout-2", &[]).failure(3);
    assert_eq!(states(&merchant.run(["journal", "list"]).response()), ["done", "unknown"]);
    assert_eq!(states(&merchant.run(["journal", "list", "--open"]).response()), ["unknown"]);

    let recovered = merchant.run(["journal", "recover"]);
    assert_eq!(recovered.code, 3, "{recovered:?}");
    let recovered: Value = serde_json::from_slice(&recovered.stdout).unwrap();
    assert_eq!(recovered["open"][0]["needs"], "time");
    let resolve = ["journal", "resolve", "payout-2", "--executed", "yes", "--note", "seen"];
    assert_eq!(states(&merchant.run(resolve).response()), ["done"]);
    assert_eq!(merchant.run(resolve).failure(1)["code"], "entry_not_open");
    assert_eq!(merchant.run(["journal", "recover"]).response()["open"], json!([]));
    let shown = merchant.run(["journal", "show", "payout-2"]).response();
    assert_eq!(shown["entries"][0]["note"], "seen");
    merchant.run(["journal", "show", "payout-3"]).failure(1);
    assert_eq!(merchant.sandbox.payouts().len(), 2);
}

#[test]
fn a_no_waits_and_says_until_when() {
    let merchant = journaled();
    let lost = Fault { execute: Some(true), ..Fault::new(FaultKind::Close) };
    merchant.sandbox.script_next([lost]);
    payout(&merchant, "payout-1", &[]).failure(3);
    let no = ["journal", "resolve", "payout-1", "--executed", "no", "--note", "not listed"];
    let early = merchant.run(no).failure(1);
    assert_eq!(early["code"], "entry_too_early");
    let message = early["message"].as_str().unwrap();
    assert!(message.contains("say no after 20") && message.contains(" min)"), "{message}");
    assert_eq!(merchant.run(["journal", "list"]).response()["entries"][0]["needs"], "time");
}

#[cfg(target_os = "linux")]
#[test]
fn people_see_needs_of_entries_and_the_next_command() {
    let merchant = journaled();
    payout(&merchant, "payout-1", &[]).response();
    let lost = Fault { execute: Some(true), ..Fault::new(FaultKind::Close) };
    merchant.sandbox.script_next([lost]);
    payout(&merchant, "payout-2", &[]).failure(3);
    let shown = |action: &[&str]| {
        let run = Payments::on_terminal(&merchant.folder, [&["journal"], action].concat()).run();
        run.text().to_owned()
    };
    let listed = shown(&["list"]);
    let expected = ["AGE", "10.00 BRL", "create_payout", "payout-2", "unknown", "time"];
    assert!(expected.iter().all(|word| listed.contains(word)), "{listed}");
    assert!(listed.contains("run `payments journal recover` after 20"), "{listed}");
    let shown_entry = shown(&["show", "payout-1"]);
    assert!(shown_entry.contains("created_at     20"), "{shown_entry}");
    let recovered = shown(&["recover"]);
    assert!(recovered.contains("0 recovered, 1 open"), "{recovered}");
}

#[test]
fn old_entries_are_deleted_on_demand_only() {
    let merchant = journaled();
    payout(&merchant, "payout-1", &[]).response();
    let prune = |more: &[&str]| {
        let prune = ["journal", "prune", "--before", "2100-01-31"];
        merchant.run([&prune, more].concat())
    };
    let counted = json!({"dry_run": true, "done": 1, "failed": 0, "open": 0});
    assert_eq!(prune(&["--dry-run"]).response(), counted);
    assert_eq!(prune(&[]).failure(1)["code"], "not_confirmed");
    assert_eq!(prune(&["--yes"]).response()["done"], 1);
    assert_eq!(merchant.run(["journal", "list"]).response()["entries"], json!([]));
    let wrong = merchant.run(["journal", "prune", "--before", "31/01/2026"]).failure(1);
    assert_eq!((&wrong["code"], &wrong["path"]), (&json!("value_invalid"), &json!("before")));
}

#[test]
fn a_second_recovery_queries_nothing_and_says_who_is_recovering() {
    let merchant = journaled();
    let path = merchant.folder.join("journal/payments.db");
    let client = payments_core::Client::new(
        payments_core::Config::from_file(merchant.folder.join("payments.json"))
            .unwrap()
            .journal_file(path),
    )
    .unwrap();
    let context = client.context();
    let running = payments_host::recovery::begin(&client, &context).unwrap();
    let refused = merchant.run(["journal", "recover", "--parallel", "4"]).failure(3);
    assert_eq!(refused["code"], "already_running");
    let holder = format!("process {}", std::process::id());
    assert!(refused["message"].as_str().unwrap().starts_with(&holder));
    running.end();
    merchant.run(["journal", "recover", "--parallel", "4"]).response();
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
    assert_eq!(merchant.run(["journal", "list", "--export", "JOURNAL.JSONL"]).code, 0);
    let lines = std::fs::read_to_string(merchant.folder.join("JOURNAL.JSONL")).unwrap();
    let entry: Value = serde_json::from_str(lines.trim_end()).unwrap();
    assert_eq!(entry["reference"], "=1+1");
}

#[test]
fn a_journal_is_never_created_implicitly() {
    let merchant = Merchant::new();
    merchant.configure(|config| config["journal"] = json!("file:journal/payments.db"));
    let missing = payout(&merchant, "payout-1", &[]).failure(2);
    assert_eq!((&missing["code"], &missing["path"]), (&json!("missing"), &json!("journal")));
    assert_eq!(merchant.sandbox.payouts().len(), 0);
    let create = ["journal", "create", "journal/payments.db"];
    merchant.run(create).response();
    assert_eq!(merchant.run(create).failure(1)["code"], "exists");
}

#[test]
fn a_journal_is_read_and_settled_without_credentials() {
    let merchant = journaled();
    let lost = Fault { execute: Some(true), ..Fault::new(FaultKind::Close) };
    merchant.sandbox.script_next([lost]);
    payout(&merchant, "payout-1", &[]).failure(3);
    merchant.configure(|config| {
        *config = json!({
            "base_url": config["base_url"], "environment": "sandbox",
            "journal": "file:journal/payments.db",
        });
    });
    assert_eq!(states(&merchant.run(["journal", "list", "--open"]).response()), ["unknown"]);
    assert_eq!(states(&merchant.run(["journal", "show", "payout-1"]).response()), ["unknown"]);
    assert_eq!(merchant.run(["journal", "recover"]).code, 3);
    let failure = payout(&merchant, "payout-2", &[]).failure(2);
    assert_eq!(
        (&failure["code"], &failure["path"]),
        (&json!("credential_missing"), &json!("key_file"))
    );
    let resolve = ["journal", "resolve", "payout-1", "--executed", "yes", "--note", "seen"];
    assert_eq!(states(&merchant.run(resolve).response()), ["done"]);
    let prune = ["journal", "prune", "--before", "2999-01-31", "--yes"];
    assert_eq!(merchant.run(prune).response()["done"], 1);
    assert_eq!(merchant.sandbox.payouts().len(), 1);

    merchant.configure(|config| *config = json!({"base_url": config["base_url"]}));
    for arguments in [vec!["journal", "list"], vec!["query-payment", "hash-1"], vec!["token"]] {
        let failure = merchant.run(&arguments).failure(2);
        assert_eq!(
            (&failure["code"], &failure["path"]),
            (&json!("credential_missing"), &json!("key_file"))
        );
        assert_eq!(failure["read_from"], json!(["payments.json"]));
    }
    let checked = merchant.run(["check"]);
    assert_eq!(checked.code, 1);
    assert!(String::from_utf8(checked.stdout).unwrap().contains("no credential is set"));
}
