//! `payments journal upgrade`: files in the format before this version's.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::format_1::downgrade;
use crate::journal::{journaled, payout};
use crate::support::{Merchant, Payments};

const UPGRADE: [&str; 3] = ["journal", "upgrade", "journal/payments.db"];

/// A merchant whose journal has the first format.
fn with_old_journal() -> Merchant {
    let merchant = journaled();
    merchant.configure(|config| {
        config["journal"] = json!("file:journal/payments.db");
        config["journal_scope"] = json!("old");
    });
    downgrade(&merchant.folder.join(UPGRADE[2]));
    merchant
}

/// Runs statements as another program does, and returns the last result.
fn sqlite(path: &Path, statements: &[&str]) -> String {
    let program = "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as it:\n    \
                   print([it.execute(each).fetchone() for each in sys.argv[2:]][-1])\n";
    let mut command = Command::new("python3");
    let output = command.args(["-c", program]).arg(path).args(statements).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_file_is_upgraded_once_by_several_at_once() {
    let merchant = with_old_journal();
    let refused = payout(&merchant, "p-1001", &[]).failure(2);
    assert_eq!(refused["code"], "other_format");
    assert!(refused["message"].as_str().unwrap().contains("payments journal upgrade"));
    let running: Vec<_> = (0..4).map(|_| merchant.payments(UPGRADE).start()).collect();
    let ended: Vec<_> = running.into_iter().map(|it| it.wait_with_output().unwrap()).collect();
    assert!(ended.iter().all(|it| it.status.success()), "{ended:?}");
    let reports = ended.iter().map(|it| serde_json::from_slice(&it.stdout).unwrap());
    let reports: Vec<serde_json::Value> = reports.collect();
    let upgraded: Vec<_> = reports.iter().filter(|it| it["upgraded"] == true).collect();
    assert_eq!(upgraded.len(), 1, "{reports:?}");
    assert_eq!(upgraded[0]["entries"], 1_000);
    assert_eq!(payout(&merchant, "p-1001", &[]).failure(3)["code"], "reference_used");
    payout(&merchant, "p-2001", &[]).response();
}

#[test]
fn an_upgrade_that_is_killed_is_complete_or_has_not_begun() {
    let mut formats = Vec::new();
    let mut at = 1_u32;
    loop {
        let merchant = with_old_journal();
        let kill = format!("inject=pwrite64:signal=KILL:when={at}");
        let starter =
            ["strace", "-f", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", kill.as_str()];
        let upgrade = Payments::started_by(&starter, &merchant.folder, UPGRADE);
        let is_killed = !upgrade.start().wait_with_output().unwrap().status.success();
        let path = merchant.folder.join(UPGRADE[2]);
        let count = "SELECT count(*) FROM payments_journal WHERE state = 'done'";
        assert_eq!(sqlite(&path, &[count]), "(1000,)", "{at}");
        assert_eq!(sqlite(&path, &["PRAGMA integrity_check"]), "('ok',)", "{at}");
        formats.push(sqlite(&path, &["PRAGMA user_version"]));
        merchant.run(UPGRADE).response();
        assert_eq!(payout(&merchant, "p-1500", &[]).failure(3)["code"], "reference_used");
        if !is_killed {
            break;
        }
        at += at.div_ceil(2);
    }
    formats.dedup();
    assert_eq!(formats, ["(1,)", "(2,)"]);
}

#[test]
fn a_copy_that_is_upgraded_stays_a_copy() {
    let merchant = with_old_journal();
    let path = merchant.folder.join(UPGRADE[2]);
    let copy = merchant.folder.join("copy.db");
    sqlite(&path, &[&format!("VACUUM INTO '{}'", copy.display())]);
    Command::new("sh")
        .args(["-c", "rm journal/*; chmod 600 copy.db; mv copy.db journal/payments.db"])
        .current_dir(&merchant.folder)
        .status()
        .unwrap();
    let adopt = ["journal", "adopt", "journal/payments.db", "--yes"];
    assert_eq!(merchant.run(adopt).failure(1)["code"], "other_format");
    assert_eq!(merchant.run(UPGRADE).response()["upgraded"], true);
    assert_eq!(payout(&merchant, "p-2001", &[]).failure(1)["code"], "not_adopted");
    assert_eq!(merchant.run(adopt).code, 0);
    assert_eq!(payout(&merchant, "p-1001", &[]).failure(3)["code"], "reference_used");
    payout(&merchant, "p-2001", &[]).response();
}
