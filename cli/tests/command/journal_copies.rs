//! The steps of docs/journal.md for copies of a journal.

use std::process::Command;

use serde_json::json;

use crate::batch::{rows, send, states, write};
use crate::journal::{journaled, payout};
use crate::support::Merchant;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/journal.md");
const ADOPT: &str = "payments journal adopt journal/payments.db\n";

/// The scripts of the section about copies, in the merchant's folder: how to copy,
/// and how to restore.
fn scripts() -> [String; 2] {
    let page = std::fs::read_to_string(DOCS).unwrap();
    let section = page.split("\n## Copy and restore\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let scripts = section.split("```sh\n").skip(1).map(|it| it.split("```").next().unwrap());
    let scripts = scripts.map(|script| {
        let script = script.replace("/var/lib/shop/journal-old", "old");
        let script = script.replace("/var/lib/shop/journal/payments.db", "journal/payments.db");
        script.replace("/var/backups/shop", "backups")
    });
    let scripts: Vec<_> = scripts.collect();
    scripts.try_into().unwrap()
}

/// Runs a script in the merchant's folder.
#[track_caller]
fn sh(merchant: &Merchant, script: &str) {
    let mut shell = Command::new("sh");
    let status = shell.args(["-e", "-c", script]).current_dir(&merchant.folder).status();
    assert!(status.unwrap().success(), "{script}");
}

/// A merchant whose journal was restored from a copy that knows `payout-1`, and not
/// `payout-2`.
fn restored() -> Merchant {
    let merchant = journaled();
    payout(&merchant, "payout-1", &[]).response();
    let [copy, restore] = scripts();
    std::fs::create_dir(merchant.folder.join("backups")).unwrap();
    sh(&merchant, &copy);
    payout(&merchant, "payout-2", &[]).response();
    sh(&merchant, restore.strip_suffix(ADOPT).unwrap());
    merchant
}

#[test]
fn a_restored_copy_sends_nothing_until_it_is_adopted() {
    let merchant = restored();
    write(&merchant, &rows((1..=3).map(|number| format!("payout-{number}"))));
    for more in [&[][..], &["--dry-run"]] {
        let refused = send(&merchant, more).failure(1);
        assert_eq!(
            (&refused["kind"], &refused["code"]),
            (&json!("journal"), &json!("not_adopted"))
        );
        assert_eq!(refused["outcome"], "not_executed");
    }
    assert_eq!(payout(&merchant, "payout-2", &[]).failure(1)["code"], "not_adopted");
    let known = payout(&merchant, "payout-1", &[]).failure(4);
    assert_eq!((&known["code"], &known["outcome"]), (&json!("already_done"), &json!("executed")));
    assert_eq!(merchant.run(["journal", "recover"]).failure(1)["code"], "not_adopted");
    let checked = merchant.run(["check", "--json"]);
    assert_eq!(checked.code, 1);
    assert!(checked.text().contains("payments journal adopt"), "{}", checked.text());
    assert_eq!(merchant.sandbox.payouts().len(), 2);

    let list = || merchant.run(["journal", "list"]).response()["entries"].clone();
    let newest = list()[0]["created_at"].clone();
    assert_eq!(list().as_array().unwrap().len(), 1);
    merchant.run(["journal", "show", "payout-1"]).response();
    let export = merchant.run(["journal", "list", "--export", "entries.csv"]);
    assert_eq!((export.code, export.text()), (0, ""));
    let exported = std::fs::read_to_string(merchant.folder.join("entries.csv")).unwrap();
    assert!(exported.contains("payout-1"), "{exported}");

    let words: Vec<_> = ADOPT.trim().split(' ').skip(1).collect();
    let refused = merchant.run(&words).failure(2);
    assert_eq!((&refused["code"], &refused["newest_at"]), (&json!("not_confirmed"), &newest));
    assert_eq!(payout(&merchant, "payout-2", &[]).failure(1)["code"], "not_adopted");
    let adopted = merchant.run([&words[..], &["--yes"]].concat());
    assert_eq!(adopted.code, 0, "{adopted:?}");
    assert!(adopted.stderr.contains("does not know what was sent after"), "{adopted:?}");
    let report: serde_json::Value = serde_json::from_str(adopted.text()).unwrap();
    assert_eq!((&report["adopted"], &report["newest_at"]), (&json!(true), &newest));
    assert_eq!(merchant.run(&words).response()["adopted"], false);

    // The person took out of the file what was sent.
    write(&merchant, &rows(["payout-3".to_owned()]));
    assert_eq!(states(&send(&merchant, &[])), ["done"]);
    assert_eq!(merchant.sandbox.payouts().len(), 3);
    assert_eq!(merchant.run(["check"]).code, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_is_asked_and_sees_the_open_entries() {
    let merchant = restored();
    let open = "UPDATE payments_journal SET state = 'unknown'";
    sh(&merchant, &format!("sqlite3 journal/payments.db \"{open}\""));
    let adopt = |answer: &str| {
        let words = ADOPT.trim().split(' ').skip(1);
        crate::support::Payments::on_terminal(&merchant.folder, words)
            .stdin(format!("{answer}\n"))
            .run()
    };
    let (on, configuration) = ("Run `payments journal recover`", "payments.json");
    sh(&merchant, &format!("mv {configuration} elsewhere"));
    let text = adopt("n").text().to_owned();
    assert!(text.contains("Open, if payout_query is off:") && !text.contains(on), "{text}");
    for (is_on, part) in [("true", on), ("false", "Payouts are not queried;")] {
        let change = format!("s/}}$/,\"payout_query\":{is_on}}}/");
        sh(&merchant, &format!("sed '{change}' elsewhere > {configuration}"));
        let text = adopt("n").text().to_owned();
        assert!(text.contains("Open:") && text.contains(part), "{text}");
    }
    sh(&merchant, &format!("mv elsewhere {configuration}"));
    let refused = adopt("n");
    assert_eq!(refused.code, 2, "{}", refused.text());
    for part in
        ["does not know what was sent after its newest entry", "payout-1", "Adopt the copy?"]
    {
        assert!(refused.text().contains(part), "{}", refused.text());
    }
    assert_eq!(payout(&merchant, "payout-2", &[]).failure(1)["code"], "not_adopted");
    let adopted = adopt("yes");
    assert_eq!(adopted.code, 0, "{}", adopted.text());
    assert!(adopted.text().contains("Adopted journal/payments.db."), "{}", adopted.text());
}
